"""cni_jobs: each turn is that of the oldest job that may go; numbers are given once, and come back after the end.
"""

import random

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle

JOBS = parameter("JOBS", 64)


class Job:
    """A job, with its number, and the words of a copy."""

    def __init__(self, number: int, is_copy: int, copy: int) -> None:
        self.number, self.is_copy, self.copy = number, is_copy, copy


class Around:
    """The rest of the interface: it keeps what waits and what is being sent."""

    def __init__(self, dut, draw: random.Random, rates: dict[str, float]) -> None:
        self.dut, self.draw, self.rates = dut, draw, rates
        self.waiting: list[Job] = []
        self.sending: list[Job] = []
        self.turn: Job | None = None
        self.looked = self.stopped = False
        self.turns = self.passed = self.dropped = self.full = 0

    def happens(self, what: str) -> bool:
        return self.draw.random() < self.rates[what]

    def drive(self) -> None:
        """Inputs of this cycle. What waits may have been picked in the last one, and cannot end then."""
        dut, draw = self.dut, self.draw
        self.again = draw.choice(self.sending) if self.sending and self.happens("again") else None
        self.puts, self.copy, self.is_copy = self.happens("put"), draw.getrandbits(145), draw.randrange(2)
        may_end = self.waiting if self.happens("drop") else self.sending
        may_end = [] if self.looked and may_end is self.waiting else [job for job in may_end if job is not self.again]
        self.ends = draw.choice(may_end) if may_end and self.happens("end") else None
        self.picks, self.stops, self.ready = self.happens("pick"), self.stopped, self.happens("ready")
        if draw.random() < 0.05:
            self.stops = self.happens("stop")
        dut.put_valid_i.value, dut.put_again_i.value = int(self.puts), int(self.again is not None)
        number = self.again.number if self.again else draw.randrange(JOBS)
        # Inputs that are not valid have random bits, or those they had: such bits cost energy.
        if self.puts or self.happens("noise"):
            dut.put_number_i.value = number
            dut.put_is_copy_i.value, dut.put_i.value = self.is_copy, self.copy
        dut.end_valid_i.value, dut.end_number_i.value = int(self.ends is not None), self.ends.number if self.ends else 0
        dut.pick_i.value, dut.copies_stop_i.value = int(self.picks), int(self.stops)
        dut.turn_ready_i.value = int(self.ready)

    def begins(self) -> None:
        """A turn that is offered for the first time."""
        may = [job for job in self.waiting if not (job.is_copy and self.stopped)]
        assert self.looked and may, "a turn of nothing"
        self.turn = may[0]
        assert int(self.dut.turn_number_o.value) == self.turn.number, "not the oldest that may go"
        self.turns += 1
        self.passed += int(may[0] is not self.waiting[0])
        self.waiting.remove(self.turn)

    def check(self) -> None:
        """What is offered in this cycle, and what moves at its end."""
        dut = self.dut
        offered = int(dut.turn_valid_o.value)
        if offered and self.turn is None:
            self.begins()
        assert offered or self.turn is None, "an offer was withdrawn"
        if self.turn:
            assert int(dut.turn_number_o.value) == self.turn.number
            assert int(dut.turn_is_copy_o.value) == self.turn.is_copy
            assert int(dut.turn_o.value) == self.turn.copy or not self.turn.is_copy
        assert int(dut.copies_o.value) == int(any(job.is_copy for job in self.waiting))
        assert int(dut.others_o.value) == int(any(not job.is_copy for job in self.waiting))
        assert not (offered and int(dut.quiet_o.value))
        self.looked, self.stopped = self.picks and not offered, self.stops
        if offered and self.ready:
            self.sending.append(self.turn)
            self.turn = None
        if self.ends:
            self.dropped += int(self.ends in self.waiting)
            for jobs in (self.waiting, self.sending):
                if self.ends in jobs:
                    jobs.remove(self.ends)
        if not self.puts:
            return
        if self.again:
            self.sending.remove(self.again)
            self.again.copy = self.copy
            self.waiting.append(self.again)
        elif int(dut.put_ready_o.value):
            number = int(dut.free_o.value)
            busy = [*self.waiting, *self.sending, *([self.turn] if self.turn else [])]
            assert number < JOBS and all(job.number != number for job in busy), "a number of two jobs"
            self.waiting.append(Job(number, self.is_copy, self.copy))
        else:
            self.full += 1


EVEN = {"put": 0.5, "again": 0.5, "drop": 0.2, "end": 0.4, "pick": 0.7, "stop": 0.4, "ready": 0.7, "noise": 1}


async def run(dut, cycles: int, **rates: float) -> Around:
    around = Around(dut, random.Random(cocotb.RANDOM_SEED), EVEN | rates)
    for port in (dut.put_valid_i, dut.end_valid_i, dut.pick_i, dut.copies_stop_i, dut.turn_ready_i):
        port.value = 0
    await reset(dut)
    for _ in range(cycles):
        around.drive()
        await settle()
        around.check()
        await next_cycle(dut)
    return around


@cocotb.test()
async def random_jobs(dut):
    around = await run(dut, 6000)
    assert around.turns > 500 and (JOBS == 1 or around.passed > 50)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_jobs.func)


@cocotb.test()
async def a_full_list(dut):
    around = await run(dut, 4000, put=0.9, end=0.2, drop=0.4)
    assert around.full > 100 and around.dropped > 20


@cocotb.test()
async def few_jobs(dut):
    around = await run(dut, 4000, put=0.1, end=0.9, pick=1.0)
    assert around.turns > 100


@cocotb.test()
async def copies_stop_for_long(dut):
    around = await run(dut, 4000, stop=0.9)
    assert JOBS == 1 or around.passed > 20


@cocotb.test()
async def a_free_number_is_free_again(dut):
    """All jobs end while they wait: without a turn, their numbers are free."""
    await run(dut, 1)
    dut.put_valid_i.value, dut.put_again_i.value, dut.end_valid_i.value, dut.pick_i.value = 1, 0, 0, 0
    for _ in range(2 * JOBS):
        await next_cycle(dut)
    await settle()
    assert not int(dut.put_ready_o.value) and (int(dut.copies_o.value) or int(dut.others_o.value))
    await next_cycle(dut)
    dut.put_valid_i.value, dut.end_valid_i.value = 0, 1
    for number in range(JOBS):
        dut.end_number_i.value = number
        await next_cycle(dut)
    dut.end_valid_i.value = 0
    for _ in range(JOBS + 1):
        await next_cycle(dut)
    await settle()
    assert int(dut.put_ready_o.value) and not int(dut.copies_o.value) and not int(dut.others_o.value)
    assert int(dut.quiet_o.value)


@cocotb.test()
async def energy_turns(dut):
    around = await run(dut, 3000, noise=0)
    happened("a turn of a job", around.turns)
