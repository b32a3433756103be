"""cni_sender: each turn plans one packet of its job, reads its source, and gives back exactly what is left."""

import random
from collections import Counter
from dataclasses import dataclass

import cocotb
from cni_structs import ADD, COPY, COPY_FIELDS, HEADER_FIELDS, PLAN_FIELDS, STORE, TRANSFER, packed, unpacked
from streams import interrupted, next_cycle, parameter, reset, settle

JOBS, COPY_PACKETS = parameter("JOBS", 64), parameter("COPY_PACKETS", 8)
LINE, WORD = 64, 8


@dataclass(eq=False)
class Job:
    """What the list has of it, and its plan."""

    number: int
    kind: int
    no_retry: int
    by_lines: int
    acknowledgement: int
    source: int
    destination: int
    size: int
    planned: bool = False
    failed: bool = False

    def plan(self) -> int:
        return packed(PLAN_FIELDS, self.kind, self.no_retry, self.by_lines, self.acknowledgement)

    def copy(self) -> tuple[int, int, int]:
        return self.source, self.destination, self.size

    def piece(self) -> int:
        """Bytes of the next packet: in one line of the destination, and of the source if that is read by lines."""
        size = min(self.size, LINE - self.destination % LINE)
        return min(size, LINE - self.source % LINE) if self.by_lines else size

    def advance(self, size: int) -> None:
        self.source, self.destination = (self.source + size) % 2**64, (self.destination + size) % 2**64
        self.size -= size


class Around:
    """The list of jobs, and who takes headers and reads."""

    def __init__(self, dut, draw: random.Random, stall: float, end_rate: float) -> None:
        self.dut, self.draw, self.stall, self.end_rate = dut, draw, stall, end_rate
        self.jobs: dict[int, Job] = {}
        self.turn: Job | None = None  # whose words are at the ports
        self.offered = self.picked = False
        self.copies_stopped = False
        self.due: list[tuple] = []  # what must follow the turn: header, read, again
        self.decides = self.failed = False  # the turn was taken in the cycle before; its job had failed then
        self.stays = False  # it gets another turn
        self.copies = 0  # turns of copies that have not ended
        self.under_way = 0  # of these, whose header has left
        self.waiting: dict[str, tuple] = {}  # offers that must stay
        self.saw: Counter = Counter()

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    def new_job(self, number: int) -> Job:
        draw = self.draw
        kind = draw.choice([COPY, COPY, COPY, STORE, ADD, TRANSFER])
        source, to = (draw.getrandbits(draw.choice([12, 64])) for _ in "st")
        if draw.random() < 0.3:
            source, to = source // LINE * LINE, to // LINE * LINE
        size = draw.choice([draw.randrange(1, 3 * LINE), LINE, draw.randrange(1, 40)])
        if kind == TRANSFER:
            size = draw.randrange(1, (1 << 16) + 1)
        return Job(number, kind, draw.randrange(2), draw.randrange(2), draw.getrandbits(64), source, to, size)

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        free = [number for number in range(JOBS) if number not in self.jobs]
        planned = self.new_job(draw.choice(free)) if self.asks and free and self.goes() else None
        shown = planned or self.new_job(draw.randrange(JOBS))
        dut.plan_valid_i.value, dut.plan_number_i.value = int(planned is not None), shown.number
        dut.plan_i.value = shown.plan()
        if self.picked and not self.offered:
            # A job of the list, which has its plan since the cycle before.
            may = [job for job in self.jobs.values() if job.kind != COPY or not self.copies_stopped]
            if may and self.goes():
                self.turn, self.offered = draw.choice(may), True
        dut.turn_valid_i.value = int(self.offered)
        if self.turn:
            # They stay until the next turn.
            dut.turn_number_i.value, dut.turn_is_copy_i.value = self.turn.number, int(self.turn.kind == COPY)
            if self.offered:
                dut.turn_i.value = packed(COPY_FIELDS, *self.turn.copy())
        for job in self.jobs.values():
            job.failed = job.failed or (job.kind == COPY and draw.random() < 0.01)
        # It counts when the turn of a copy is taken.
        counts = self.offered and self.turn.kind == COPY
        self.fails = self.turn.failed if counts else draw.random() < 0.5
        dut.failed_i.value = int(self.fails)
        self.ends = self.under_way > 0 and draw.random() < self.end_rate
        dut.copy_done_i.value = int(self.ends)
        self.ready = {name: self.goes() for name in ("header", "read")}
        for name, ready in self.ready.items():
            getattr(dut, f"{name}_ready_i").value = int(ready)
        if planned:
            self.jobs[planned.number] = planned

    def decide(self) -> None:
        """What follows the turn that was taken in the cycle before."""
        job = self.turn
        self.stays = False
        if job.kind == COPY and self.failed:
            self.due = [("header", (COPY, 1), 1)]
            self.saw["none"] += 1
        elif job.kind == COPY:
            size, start = job.piece(), job.source % WORD
            header = COPY, job.no_retry, job.destination, size, job.acknowledgement
            self.due = [("header", (header, 0, start), int(size == job.size)), ("read", job.source, size)]
            job.advance(size)
            self.stays = job.size > 0
            if self.stays:
                self.due.append(("again", *job.copy()))
                self.saw["again"] += 1
        else:
            header = job.kind, job.no_retry, job.destination, job.size, job.acknowledgement
            self.due = [("header", (header, 0, 0), 1)]
        self.saw[job.kind] += 1

    def offer(self, name: str) -> tuple:
        dut = self.dut
        if name == "read":
            return "read", int(dut.read_address_o.value), int(dut.read_bytes_o.value)
        header, none = unpacked(HEADER_FIELDS, int(dut.header_o.value)), int(dut.header_none_o.value)
        # Without a packet only the kind means something.
        fields = (header[0], 1) if none else (header, 0, int(dut.header_from_o.value))
        return "header", fields, int(dut.last_o.value)

    def check(self) -> None:
        dut = self.dut
        assert int(dut.copies_stop_o.value) == (self.copies == COPY_PACKETS)
        if self.decides:
            self.decide()
            self.decides = False
        moved: set[str] = set()
        for name in ("header", "read"):
            valid = int(getattr(dut, f"{name}_valid_o").value)
            assert valid or name not in self.waiting, "an offer was withdrawn"
            if valid:
                offer = self.offer(name)
                assert self.due and offer == self.due[0], f"{offer} instead of {self.due}"
                assert self.waiting.pop(name, offer) == offer, "an offer changed"
                if self.ready[name]:
                    moved.add(name)
                else:
                    self.waiting[name] = offer
        assert int(dut.sends_o.value) == ("header" in moved)
        if int(dut.again_valid_o.value):
            assert self.due and self.due[0] == ("again", *unpacked(COPY_FIELDS, int(dut.again_o.value)))
            moved.add("again")
        assert len(moved) <= 1
        if moved:
            self.due.pop(0)
        if self.ends:
            self.copies -= 1
            self.under_way -= 1
        if "header" in moved and self.turn.kind == COPY:
            self.under_way += 1
        if moved and not self.due and not self.stays:
            del self.jobs[self.turn.number]

    async def step(self, *, asks: bool = True) -> None:
        dut = self.dut
        self.asks = asks
        self.drive()
        await settle()
        self.check()
        picks = int(dut.pick_o.value)
        assert not (picks and self.due), "the next turn is picked before this one has ended"
        self.picked, self.copies_stopped = picks and not self.offered, int(dut.copies_stop_o.value)
        self.saw["stopped"] += self.copies_stopped
        if self.offered and int(dut.turn_ready_o.value):
            assert not self.due
            self.offered, self.decides, self.failed = False, True, self.fails
            self.copies += self.turn.kind == COPY
        await next_cycle(dut)

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.step()
        self.end_rate = 1
        for _ in range(3000):
            if not self.jobs and not self.copies and not self.due:
                break
            await self.step(asks=False)
        assert not self.jobs and not self.copies, "a job never left the list"


@cocotb.test()
async def each_turn_has_its_packet(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for stall, end_rate in ((0, 1), (0.3, 0.05), (0.6, 0.3)):
        around = Around(dut, draw, stall, end_rate)
        await around.run(800)
        assert all(around.saw[what] > 2 for what in (COPY, STORE, ADD, TRANSFER, "again")), around.saw
        assert around.saw["none"] > 0
        assert around.saw["stopped"] > 5 or end_rate > 0.1


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Around(dut, draw, 0.2, 0.1).run(100)

    await interrupted(dut, some)
