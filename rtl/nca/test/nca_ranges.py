"""nca_ranges: each line of each range is visited once, in turn, with what is to be done to it, and a command ends when
all its lines are done; results come in the order of these ends. Ranges are visited in LINE_CYCLES cycles for each line,
and one to begin.
"""

import random

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle

LINE_BYTES = parameter("LINE_BYTES", 32)
LINE_CYCLES = parameter("LINE_CYCLES", 2)
SLOTS = parameter("SLOTS", 8)
UNDER_WAY = parameter("UNDER_WAY", 255)
QUEUE = parameter("QUEUE_ENTRIES", 4)
TAGS = QUEUE + SLOTS + 1
WRITE_BACK, INVALIDATE, FLUSH, L1S = range(4)
KEEP, DROP, BOTH, RANGE = range(4)


def lines_of(operation: int, first: int, last: int, coherent: bool) -> list[tuple[int, int]]:
    """What is to be done, in turn: an action and an address in the line."""
    if operation == L1S:
        return [(RANGE, first)]
    if last < first:
        return [({WRITE_BACK: KEEP, FLUSH: BOTH, INVALIDATE: BOTH}[operation], first)]
    begins = range(first // LINE_BYTES * LINE_BYTES, last + 1, LINE_BYTES)
    inside = [first <= at and at + LINE_BYTES - 1 <= last and not coherent for at in begins]
    actions = {WRITE_BACK: (KEEP, KEEP), FLUSH: (BOTH, BOTH), INVALIDATE: (BOTH, DROP)}[operation]
    return [(actions[whole], max(at, first)) for at, whole in zip(begins, inside, strict=True)]


class Caches:
    def __init__(self, dut, draw: random.Random, *, stall: float, slow: float, coherent: bool) -> None:
        self.dut, self.draw, self.stall, self.slow = dut, draw, stall, slow
        self.coherent = coherent
        self.lengths = [1, 3, 8]  # the longest ranges, in lines
        self.free = list(range(TAGS))
        self.offered: tuple[int, int, int, int] | None = None
        self.to_visit: list[tuple[int, int, list[tuple[int, int]]]] = []  # tag, last, lines
        self.lines: list[tuple[int, int]] = []  # slot and tag of those under way
        self.ended: list[int] = []  # tags whose lines are done, in this order
        self.results = self.visited = 0
        self.kept: dict[str, tuple] = {}

    def drive(self, asks: bool = True) -> None:
        dut, draw = self.dut, self.draw
        if self.offered is None and asks and self.free and draw.random() >= self.stall:
            first = draw.getrandbits(draw.randrange(8, 60))
            if draw.random() < 0.4:
                first = first // LINE_BYTES * LINE_BYTES
            last = first + draw.randrange(LINE_BYTES * draw.choice(self.lengths))
            if draw.random() < 0.4:
                last |= LINE_BYTES - 1
            if draw.random() < 0.05:
                last = first // LINE_BYTES * LINE_BYTES - 1 - draw.randrange(3) * LINE_BYTES
                last = max(last, 0)
            self.offered = (draw.randrange(4), first, last, self.free.pop(draw.randrange(len(self.free))))
        dut.coherent_i.value = int(self.coherent)
        dut.command_valid_i.value = int(self.offered is not None)
        if self.offered is not None:
            ports = (dut.command_operation_i, dut.command_first_i, dut.command_last_i, dut.command_tag_i)
            for port, value in zip(ports, self.offered, strict=True):
                port.value = value
        dut.line_ready_i.value = int(draw.random() >= self.stall)
        dut.result_ready_i.value = int(draw.random() >= self.stall)
        done = bool(self.lines) and draw.random() >= self.slow
        dut.done_valid_i.value = int(done)
        if done:
            slot, tag = self.lines.pop(draw.randrange(len(self.lines)))
            dut.done_slot_i.value = slot
            if all(tag != other for other, _, _ in self.to_visit) and all(tag != other for _, other in self.lines):
                self.ended.append(tag)

    def moved(self, port: str, *values: str) -> tuple | None:
        now = tuple(int(getattr(self.dut, f"{port}_{value}_o").value) for value in values)
        valid, ready = (int(getattr(self.dut, name).value) for name in (f"{port}_valid_o", f"{port}_ready_i"))
        if port in self.kept:
            assert valid and now == self.kept.pop(port), f"{port}: an offer changed"
        if valid and not ready:
            self.kept[port] = now
        return now if valid and ready else None

    def saw(self) -> None:
        if self.offered is not None and int(self.dut.command_ready_o.value):
            operation, first, last, tag = self.offered
            self.to_visit.append((tag, last, lines_of(operation, first, last, self.coherent)))
            self.offered = None
        if moved := self.moved("line", "action", "slot", "address", "last"):
            tag, last, lines = self.to_visit[0]
            action, address = lines.pop(0)
            assert (moved[0], moved[2]) == (action, address)
            assert action != RANGE or moved[3] == last
            self.lines.append((moved[1], tag))
            self.visited += 1
            assert sum(other == tag for _, other in self.lines) <= UNDER_WAY
            if not lines:
                self.to_visit.pop(0)
        if moved := self.moved("result", "tag"):
            assert all(tag != moved[0] for tag, _, _ in self.to_visit), "a result before all lines were visited"
            assert all(tag != moved[0] for _, tag in self.lines), "a result before all lines are done"
            assert moved[0] == self.ended.pop(0), "an earlier end waits"
            self.free.append(moved[0])
            self.results += 1


async def begin(dut, **about) -> Caches:
    caches = Caches(dut, random.Random(cocotb.RANDOM_SEED), **about)
    caches.drive(asks=False)
    await reset(dut)
    return caches


async def run(caches: Caches, cycles: int) -> None:
    dut = caches.dut
    for cycle in range(cycles * 3):
        caches.drive(asks=cycle < cycles)
        await settle()
        caches.saw()
        quiet = int(dut.quiet_o.value)
        if quiet:
            assert not any(int(getattr(dut, f"{port}_o").value) for port in ("command_begins", "line_valid",
                                                                             "result_valid"))  # fmt: skip
        await next_cycle(dut)
    assert caches.results > cycles / 200
    assert len(caches.free) + int(caches.offered is not None) == TAGS, "a command has no end"


@cocotb.test()
async def random_ranges(dut):
    await run(await begin(dut, stall=0.3, slow=0.3, coherent=False), 4000)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_ranges.func)


@cocotb.test()
async def memory_is_slow(dut):
    await run(await begin(dut, stall=0, slow=0.85, coherent=False), 3000)


@cocotb.test()
async def nothing_is_dropped_beside_a_directory(dut):
    await run(await begin(dut, stall=0.5, slow=0, coherent=True), 3000)


@cocotb.test()
async def a_line_takes_its_cycles(dut):
    caches = await begin(dut, stall=0, slow=0, coherent=False)
    lines = min(UNDER_WAY, 20)
    caches.offered = (WRITE_BACK, 0, lines * LINE_BYTES - 1, caches.free.pop())
    at = []
    for cycle in range(lines * LINE_CYCLES + 8):
        caches.drive(asks=False)
        await settle()
        if int(dut.line_valid_o.value):
            at.append(cycle)
        if int(dut.result_valid_o.value):
            at.append(cycle)
        caches.saw()
        await next_cycle(dut)
    assert at[:-1] == [1 + LINE_CYCLES * (i + 1) for i in range(lines)]
    assert at[-1] == at[-2] + 3


@cocotb.test()
async def each_takes_its_cycles(dut):
    """Commands of one line, all of which fit into the queue and under way: when they come, are visited and end."""
    caches = await begin(dut, stall=0, slow=0, coherent=False)
    commands, at = min(QUEUE, 4), {"command": [], "line": [], "result": []}
    waiting = [(FLUSH, 0x1000 * i, 0x1000 * i + 3, caches.free.pop()) for i in range(commands)]
    for cycle in range(40 + 4 * commands * LINE_CYCLES):
        caches.offered = caches.offered or (waiting.pop(0) if waiting else None)
        caches.drive(asks=False)
        await settle()
        moves = {"command": caches.offered and int(dut.command_ready_o.value)}
        moves |= {port: int(getattr(dut, f"{port}_valid_o").value) for port in ("line", "result")}
        for port in (port for port, moved in moves.items() if moved):
            at[port].append(cycle)
        caches.saw()
        await next_cycle(dut)
    assert at["command"] == list(range(commands))
    assert at["line"] == [1 + LINE_CYCLES + i * (1 + LINE_CYCLES) for i in range(commands)]
    # A line is done one cycle after its visit; the result comes two cycles later.
    assert at["result"] == [line + 1 + 2 for line in at["line"]]


@cocotb.test()
async def energy_lines(dut):
    caches = await begin(dut, stall=0, slow=0, coherent=False)
    await run(caches, 2000)
    happened("a line of a range of up to eight", caches.visited)


@cocotb.test()
async def no_command_waits_for_later_ends_if_results_are_taken_seldom(dut):
    """A command's result waits for those of the other slots and one on offer, however soon these slots end again."""
    every = 12
    caches = await begin(dut, stall=0, slow=0, coherent=False)
    caches.lengths = [1]
    since: dict[int, int] = {}
    for cycle in range(4000):
        caches.drive()
        dut.result_ready_i.value = int(cycle % every == 0)
        await settle()
        caches.saw()
        since = {tag: since.get(tag, cycle) for tag in caches.ended}
        for tag, begun in since.items():
            assert cycle - begun <= every * (SLOTS + 1), f"command {tag} has waited since cycle {begun}"
        await next_cycle(dut)
    assert caches.results > 300
