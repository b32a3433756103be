"""cni_completions: jobs with random packets under way end once, when the last one has ended, with their first fault."""

import random
from dataclasses import dataclass

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

JOBS, COPY_PACKETS = parameter("JOBS", 64), parameter("COPY_PACKETS", 8)
COPY, ADD = 0, 2
FAULTS = 5


@dataclass
class Job:
    share: int
    kind: int
    mark: int
    left: int  # packets to be sent
    under_way: int = 0
    verdict: tuple[int, int] | None = None  # the first fault and its address


class Around:
    def __init__(self, dut, draw: random.Random, stall: float) -> None:
        self.dut, self.draw, self.stall = dut, draw, stall
        self.jobs: dict[int, Job] = {}
        self.done: tuple[int, int, int] | None = None  # that is offered: number, fault, address
        self.counts: tuple[int, int, int] | None = None  # that was taken in the cycle before
        self.ended: int | None = None
        self.cycle = self.ends = self.failures = 0

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    async def step(self) -> None:
        dut, draw = self.dut, self.draw
        cleared = self.cycle >= JOBS
        free = [number for number in range(JOBS) if number not in self.jobs]
        begins = draw.choice(free) if cleared and free and self.goes() else None
        new = Job(draw.randrange(4), draw.randrange(4), draw.getrandbits(16), draw.choice([1, 1, 2, 3, 9]))
        dut.owner_valid_i.value, dut.owner_number_i.value = int(begins is not None), begins or 0
        dut.owner_i.value = new.share << 18 | new.kind << 16 | new.mark
        sending = [at for at, job in self.jobs.items() if job.left and job.under_way < COPY_PACKETS]
        sends = draw.choice(sending) if sending and self.goes() else None
        number = draw.randrange(JOBS) if sends is None else sends
        dut.sends_i.value, dut.send_number_i.value = int(sends is not None), number
        dut.send_last_i.value = int(sends is not None and self.jobs[sends].left == 1)
        busy = self.counts[0] if self.counts else None
        travelling = [at for at, job in self.jobs.items() if job.under_way > (at == busy)]
        if self.done is None and travelling and self.goes():
            fault = draw.randrange(1, FAULTS + 1) if draw.random() < 0.2 else 0
            self.done = draw.choice(travelling), fault, draw.getrandbits(64)
        dut.done_valid_i.value = int(self.done is not None)
        if self.done:
            dut.done_number_i.value, dut.done_i.value = self.done[0], self.done[1] << 64 | self.done[2]
        ended_ready = self.goes()
        dut.ended_ready_i.value = int(ended_ready)
        await settle()
        assert int(dut.cleared_o.value) == cleared
        if cleared:
            failed = number in self.jobs and number != self.ended and self.jobs[number].verdict is not None
            assert int(dut.send_failed_o.value) == failed
        assert int(dut.done_ready_o.value) == (self.counts is None and self.ended is None)
        assert int(dut.ended_valid_o.value) == (self.ended is not None)
        assert int(dut.copy_done_o.value) == (self.counts is not None and self.jobs[self.counts[0]].kind == COPY)
        if self.ended is not None:
            self.check_end(ended_ready)
        elif self.counts:
            self.count()
        elif self.done:
            self.counts, self.done = self.done, None
        if sends is not None:
            self.jobs[sends].left -= 1
            self.jobs[sends].under_way += 1
        if begins is not None:
            self.jobs[begins] = new
        self.cycle += 1
        await next_cycle(dut)

    def count(self) -> None:
        """A packet has ended; with it the job, if all were sent before this cycle."""
        number, fault, address = self.counts
        self.counts = None
        job = self.jobs[number]
        job.under_way -= 1
        if fault and job.verdict is None:
            job.verdict = fault, address
        if not job.left and not job.under_way:
            self.ended = number

    def check_end(self, ready: bool) -> None:
        job = self.jobs[self.ended]
        said = int(self.dut.ended_o.value)
        assert int(self.dut.ended_number_o.value) == self.ended
        assert (said >> 83, said >> 67 & 0xFFFF) == (job.share, job.mark)
        fault, address = said >> 64 & 7, said & (1 << 64) - 1
        if job.verdict is None or job.kind == ADD:
            assert fault == 0
        else:
            assert (fault, address) == job.verdict
        if ready:
            self.failures += job.verdict is not None
            self.ends += 1
            del self.jobs[self.ended]
            self.ended = None


@cocotb.test()
async def jobs_end_once_with_their_first_fault(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for stall in (0.1, 0.5, 0.8):
        around = Around(dut, draw, stall)
        dut.owner_valid_i.value = dut.sends_i.value = dut.done_valid_i.value = 0
        await reset(dut)
        for _ in range(3000):
            await around.step()
        assert around.ends > 60 and around.failures > 20


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, jobs_end_once_with_their_first_fault.func)
