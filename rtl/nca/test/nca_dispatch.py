"""nca_dispatch: each doorbell becomes one command of the right circuit, or is refused with the right state; each result
has its trigger, its steps and its acknowledgement, once and in order.

After each doorbell its state is loaded. Windows whose command ends are not stored to until that state has changed.
"""

import random
from dataclasses import dataclass, field

import cocotb
from graph_and_range import LINE, is_graph, range_of, some_graph, some_range, steps_of
from places import (
    ACCEPTED,
    ACKNOWLEDGE,
    FULL,
    HERE,
    IDLE,
    MESSAGE,
    TILES,
    TRANSFER,
    WRONG,
    Answerer,
    counter_of,
    named,
    partition,
    step_of,
    tlm,
)
from streams import interrupted, next_cycle, parameter, reset, settle

HARTS = parameter("HARTS", 5)
QUEUE = parameter("QUEUE_ENTRIES", 4)
SLOTS = parameter("SLOTS", 8)
TAGS = QUEUE + SLOTS + 1
RANGES, REQUESTS, GRAPHS = 1, 5, 6  # unit_e
DOORBELL, TRANSFER_FAILED = 7, 8
FIELDS = {RANGES: 5, GRAPHS: 7}


@dataclass
class Ranged:
    """A command of range operations that was accepted."""

    asked: tuple[int, int, int]
    hart: int
    counter: int
    triggers: bool


@dataclass
class Windows:
    """Those of a unit: fields and states of each hart."""

    fields: list[list[int]] = field(default_factory=list)
    status: list[int] = field(default_factory=lambda: [IDLE] * HARTS)


class Tile:
    def __init__(self, dut, draw: random.Random, *, stall: float, slow: float) -> None:
        self.dut, self.draw, self.stall, self.slow = dut, draw, stall, slow
        self.look = Answerer(dut, draw, stall)
        self.windows = {unit: Windows([[0] * FIELDS[unit] for _ in range(HARTS)]) for unit in FIELDS}
        self.access: tuple[int, int, int, int] | None = None
        self.answering: tuple[int, int, int, int] | None = None
        self.next_access: tuple[int, int, int, int] | None = None
        self.script: list[tuple[int, int, int, int]] = []  # a whole window, and its doorbell
        self.stub: tuple[int, int] | None = None  # what the windows of `nma` answer
        self.rung: tuple[int, int] | None = None  # unit and hart: the state is loaded next
        self.may_be_full = self.must_be_full = False
        # Harts that wait, and tags in use, at the begin of this cycle and of the one before.
        self.held = self.held_before = (set(), 0)
        self.new_ranges: list[Ranged] = []  # are to come at `command`
        self.tags: dict[int, Ranged] = {}
        self.in_circuit: list[int] = []  # tags
        self.ended: int | None = None  # a tag that is offered
        self.ending: Ranged | None = None
        self.called = False
        self.waits: set[int] = set()  # harts whose command will trigger
        self.taken = True
        self.new_jobs: list[tuple[int, int]] = []  # hart and root
        self.jobs: list[int] = []  # harts
        self.mark = 1
        self.result: dict[str, int] | None = None
        self.dispatched: int | None = None  # the hart whose steps are done
        self.final: dict[int, int] = {}  # states that windows will have
        self.steps: list[tuple[int, int, list[int]]] = []
        self.step_under_way: tuple | None = None
        self.kept: dict[str, tuple] = {}
        self.closes: int | None = None  # in so many cycles the queue of graphs gets full, for 80
        self.done_ranges = self.done_graphs = self.calls = self.refusals = 0

    def touched(self, unit: int) -> set[int]:
        accesses = [one for one in (self.access, self.answering, self.next_access, *self.script) if one is not None]
        return {one[2] // 8 for one in accesses if one[0] == unit}

    def some_access(self) -> tuple[int, int, int, int]:
        draw = self.draw
        if self.script:
            return self.script.pop(0)
        unit = draw.choice([RANGES, GRAPHS, REQUESTS])
        if draw.random() < 0.02:
            unit = draw.choice([0, 2, 3, 4, 7, 8, 200])
        hart, index = draw.randrange(HARTS), draw.choice([*range(8), *[DOORBELL] * 3])
        if unit in FIELDS and hart in self.final and unit == GRAPHS:
            return unit, 0, hart * 8 + DOORBELL, 0
        if unit in FIELDS and draw.random() < 0.15:
            words = (some_range if unit == RANGES else some_graph)(draw)
            self.script = [(unit, 1, hart * 8 + at, word) for at, word in enumerate(words)]
            self.script.append((unit, 1, hart * 8 + DOORBELL, 1))
            return self.script.pop(0)
        if draw.random() < 0.02:
            hart = HARTS + draw.randrange(100)
        if draw.random() < 0.2:
            return unit, 0, hart * 8 + index, 0
        if unit in FIELDS and index < FIELDS[unit] and hart < HARTS:
            return unit, 1, hart * 8 + index, (some_range if unit == RANGES else some_graph)(draw)[index]
        return unit, 1, hart * 8 + index, draw.getrandbits(64)

    def drive(self, asks: bool) -> None:
        dut, draw = self.dut, self.draw
        self.look.drive()
        if self.access is None and self.answering is None:
            if self.next_access is not None:
                self.access, self.next_access = self.next_access, None
            elif asks and draw.random() >= self.stall:
                self.access = self.some_access()
        dut.access_valid_i.value = int(self.access is not None)
        if self.access is not None:
            ports = (dut.access_unit_i, dut.access_writes_i, dut.access_register_i, dut.access_value_i)
            for port, value in zip(ports, self.access, strict=True):
                port.value = value
        for ready in ("answer", "command", "acknowledge", "trigger", "job", "step", "request_access"):
            getattr(dut, f"{ready}_ready_i").value = int(draw.random() >= self.stall)
        if self.closes is not None:
            dut.job_ready_i.value = int(self.closes > 0 or self.closes < -80)
            self.closes -= 1
        dut.request_answer_valid_i.value = int(self.stub is not None and draw.random() >= self.stall)
        wrong, value = self.stub or (0, draw.getrandbits(64))
        dut.request_answer_wrong_i.value, dut.request_answer_value_i.value = wrong, value
        if self.ended is None and self.in_circuit and draw.random() >= self.slow:
            self.ended = self.in_circuit.pop(draw.randrange(len(self.in_circuit)))
        dut.ended_valid_i.value, dut.ended_tag_i.value = int(self.ended is not None), self.ended or 0
        self.tells = self.called and draw.random() >= self.slow
        self.taken = draw.random() < 0.7
        dut.triggered_valid_i.value, dut.triggered_taken_i.value = int(self.tells), int(self.taken)
        if self.result is None and self.jobs and draw.random() >= self.slow:
            if self.jobs[0] not in self.touched(GRAPHS):
                fault = draw.choice([0, 0, 0, 2, 7])
                self.result = {"fault": fault, "objects": draw.getrandbits(40), "bytes": draw.getrandbits(64)}
                self.final[self.jobs[0]] = WRONG if fault else IDLE
        dut.result_valid_i.value = int(self.result is not None)
        if self.result is not None:
            dut.result_i.value = self.result["fault"] << 104 | self.result["objects"] << 64 | self.result["bytes"]
        done = self.step_under_way is not None and draw.random() >= self.slow
        self.does, self.fails = self.step_under_way if done else None, draw.random() < 0.2
        dut.step_done_valid_i.value, dut.step_failed_i.value = int(done), int(self.fails)

    def offered(self, port: str, *values: str) -> tuple | None:
        item = tuple(int(getattr(self.dut, value).value) for value in values)
        valid = int(getattr(self.dut, f"{port}_valid_o").value)
        if port in self.kept:
            assert valid and item == self.kept.pop(port), f"{port}: an offer changed"
        if valid and not int(getattr(self.dut, f"{port}_ready_i").value):
            self.kept[port] = item
        return item if valid and port not in self.kept else None

    def saw(self) -> None:
        dut = self.dut
        self.look.saw()
        self.held_before, self.held = self.held, (set(self.waits), len(self.tags))
        ready = {name: int(getattr(dut, f"{name}_ready_i").value) for name in ("command", "job")}
        if self.rung is not None and self.answering is not None:
            self.sees_room(ready)
        self.commands()
        self.ends_of_ranges()
        self.ends_of_graphs()
        self.accesses()

    def sees_room(self, ready: dict[str, int]) -> None:
        """Whether the ring that is under way may be, or must be, refused."""
        unit, hart = self.rung
        if unit == RANGES:
            offers = int(self.dut.command_valid_o.value)
            full = not ready["command"] or offers or hart in self.waits or len(self.tags) == TAGS
            # What an end gives back is free one cycle later.
            self.may_be_full |= hart in self.held_before[0] or self.held_before[1] == TAGS
        else:
            full = not ready["job"] or int(self.dut.job_valid_o.value)
        self.may_be_full |= bool(full)
        self.must_be_full &= bool(full)

    def commands(self) -> None:
        names = ("command_operation_o", "command_first_o", "command_last_o", "command_tag_o")
        if moved := self.offered("command", *names):
            command = self.new_ranges.pop(0)
            assert moved[:3] == command.asked, (moved, command)
            assert moved[3] not in self.tags and moved[3] < TAGS
            self.tags[moved[3]] = command
            self.in_circuit.append(moved[3])
        if moved := self.offered("job", "job_o"):
            hart, root = self.new_jobs.pop(0)
            self.mark += 2
            assert moved[0] == root << 64 | self.mark, (hex(moved[0]), hex(root), self.mark)
            self.jobs.append(hart)

    def ends_of_ranges(self) -> None:
        dut = self.dut
        told = self.offered("acknowledge", "acknowledge_counter_o", "acknowledge_error_o")
        if told is not None:
            assert self.ending is not None and not self.called and not self.ending.triggers
            assert told == (self.ending.counter, self.error)
            self.end_range()
        if self.tells:
            self.called, self.ending.triggers, self.error = False, False, int(not self.taken)
            self.waits.discard(self.ending.hart)
            self.end_unseen()
        if call := self.offered("trigger", "trigger_hart_o"):
            assert self.ending is not None and self.ending.triggers and call[0] == self.ending.hart
            self.called = True
            self.calls += 1
        if self.ended is not None and int(dut.ended_ready_o.value):
            assert self.ending is None, "a result was not told"
            self.ending_tag, self.ending, self.error = self.ended, self.tags[self.ended], 0
            self.ended = None
            self.end_unseen()

    def end_unseen(self) -> None:
        """Without a counter nothing tells the end."""
        if not self.ending.triggers and not self.ending.counter:
            self.end_range()

    def end_range(self) -> None:
        del self.tags[self.ending_tag]
        self.ending = None
        self.done_ranges += 1

    def ends_of_graphs(self) -> None:
        dut = self.dut
        step = self.offered("step", "step_o")
        if self.does is not None:
            self.step_under_way = None
            if self.does[0] == TRANSFER and self.fails:
                self.steps = [one for one in self.steps if one[0] == ACKNOWLEDGE]
                for one in self.steps:
                    one[2][1] = TRANSFER_FAILED
                self.final[self.dispatched] = WRONG
        if step is not None:
            assert self.step_under_way is None and self.steps, "a step that nobody waits for"
            kind, tile, words = step_of(step[0])
            expected = self.steps.pop(0)
            assert kind == expected[0] and words[: len(expected[2])] == expected[2], (kind, words, expected)
            assert kind != MESSAGE or tile == expected[1]
            self.step_under_way = expected
        if self.result is not None and int(dut.result_ready_o.value):
            assert not self.steps and self.step_under_way is None, "steps were left out"
            self.dispatched = self.jobs.pop(0)
            self.steps = steps_of(self.windows[GRAPHS].fields[self.dispatched], self.result)
            self.result = None
            self.done_graphs += 1

    def accesses(self) -> None:
        dut = self.dut
        if self.answering is not None and int(dut.answer_valid_o.value) and int(dut.answer_ready_i.value):
            self.check_answer(int(dut.answer_wrong_o.value), int(dut.answer_value_o.value))
        request = int(dut.request_access_valid_o.value)
        assert not request or (self.access is not None and self.access[0] == REQUESTS)
        if self.access is not None and int(dut.access_ready_o.value):
            assert request == (self.access[0] == REQUESTS)
            self.answering, self.access = self.access, None
            unit, writes, register, _ = self.answering
            hart, index = divmod(register, 8)
            if unit == REQUESTS:
                self.stub = (self.draw.randrange(2), self.draw.getrandbits(64))
            elif unit in FIELDS and writes and index == DOORBELL and hart < HARTS:
                self.rings(unit, hart)

    def rings(self, unit: int, hart: int) -> None:
        windows = self.windows[unit]
        self.next_access = (unit, 0, hart * 8 + DOORBELL, 0)
        self.right = False
        if unit == GRAPHS and windows.status[hart] == ACCEPTED:
            return  # the store is lost
        self.rung, self.may_be_full, self.must_be_full = (unit, hart), False, True
        words = list(windows.fields[hart])
        if unit == RANGES and (asked := range_of(words)):
            counter = counter_of(words[3])
            self.last_range = Ranged(asked, hart, counter, bool(words[4]))
            self.new_ranges.append(self.last_range)
            self.right = True
        if unit == GRAPHS and is_graph(words):
            root = named(words[0]) if words[0] and named(words[0]) is not None else words[0]
            self.new_jobs.append((hart, root))
            self.right = True
        self.count = len(self.new_ranges), len(self.new_jobs)

    def check_answer(self, wrong: int, value: int) -> None:
        unit, writes, register, stored = self.answering
        self.answering = None
        hart, index = divmod(register, 8)
        if unit == REQUESTS:
            assert (wrong, value) == self.stub
            self.stub = None
            return
        known = unit in FIELDS and hart < HARTS and (index < FIELDS[unit] or index == DOORBELL)
        assert wrong == (not known)
        if not known:
            return
        windows = self.windows[unit]
        if index == DOORBELL and not writes:
            self.check_status(unit, hart, value)
        elif not writes:
            assert value == windows.fields[hart][index]
        elif index != DOORBELL and not (unit == GRAPHS and windows.status[hart] == ACCEPTED):
            windows.fields[hart][index] = stored

    def check_status(self, unit: int, hart: int, value: int) -> None:
        windows = self.windows[unit]
        if self.rung != (unit, hart):
            expected = {windows.status[hart], *([self.final[hart]] if unit == GRAPHS and hart in self.final else [])}
            assert value in expected, (unit, hart, value, expected)
            if unit == GRAPHS and hart in self.final and value != ACCEPTED:
                windows.status[hart] = self.final.pop(hart)
            return
        self.rung = None
        windows.status[hart] = value
        new = self.new_ranges if unit == RANGES else self.new_jobs
        if value == FULL:
            assert self.may_be_full, "refused without a reason"
            assert self.right or unit == RANGES
            self.refusals += 1
            if self.right:
                new.pop()  # fails if it has come
            return
        # A store that finds no room all the time is refused, but for a wrong command of `nca`.
        assert not self.must_be_full or not self.right, "accepted without room"
        assert value == (ACCEPTED if self.right else WRONG), (unit, hart, value, self.right)
        # Its trigger may have been made already.
        if self.right and unit == RANGES and self.last_range.triggers:
            self.waits.add(hart)

    def rests(self) -> bool:
        """Nothing is under way."""
        waiting = self.access or self.answering or self.next_access or self.new_ranges or self.new_jobs or self.jobs
        return not (waiting or self.tags or self.steps or self.step_under_way or self.result or self.final)


async def begin(dut, **about) -> Tile:
    tile = Tile(dut, random.Random(cocotb.RANDOM_SEED), **about)
    dut.tile_i.value, dut.tiles_i.value = HERE, TILES
    tile.drive(asks=False)
    await reset(dut)
    return tile


async def cycle(tile: Tile, *, asks: bool) -> None:
    tile.drive(asks=asks)
    await settle()
    tile.saw()
    await next_cycle(tile.dut)


async def run(tile: Tile, cycles: int) -> None:
    for _ in range(cycles):
        await cycle(tile, asks=True)
    for _ in range(20000):
        tile.script = []
        if tile.final and tile.access is None and tile.answering is None and tile.next_access is None:
            tile.next_access = (GRAPHS, 0, next(iter(tile.final)) * 8 + DOORBELL, 0)
        await cycle(tile, asks=False)
        if tile.rests():
            break
    assert tile.rests(), "something has no end"
    for _ in range(20):
        await cycle(tile, asks=False)


@cocotb.test()
async def each_doorbell_is_one_command(dut):
    calls = refusals = 0
    for stall, slow in ((0.0, 0.0), (0.3, 0.3), (0.05, 0.9)):
        tile = await begin(dut, stall=stall, slow=slow)
        await run(tile, 5000)
        assert tile.done_ranges > 5 and tile.done_graphs > 5, (tile.done_ranges, tile.done_graphs)
        calls += tile.calls
        refusals += tile.refusals
    assert calls > 3 and refusals > 0, (calls, refusals)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, each_doorbell_is_one_command.func)


@cocotb.test()
async def no_tag_is_lost_if_ends_are_slow(dut):
    tile = await begin(dut, stall=0.0, slow=0.995)
    await run(tile, 6000)
    assert tile.refusals > 0


async def takes(tile: Tile, accesses: list[tuple[int, int, int, int]]) -> int:
    """Cycles from the acceptance of the last access to its answer."""
    took = 0
    for access in accesses:
        while tile.next_access is not None or tile.access is not None or tile.answering is not None:
            await cycle(tile, asks=False)
        tile.access, took = access, 0
        while tile.access is not None or (tile.answering is not None and tile.answering[:3] == access[:3]):
            took += int(tile.access is None)
            await cycle(tile, asks=False)
    return took


@cocotb.test()
async def commands_take_their_cycles(dut):
    tile = await begin(dut, stall=0, slow=1)
    words = [1, partition(HERE), LINE, tlm(1), 0]
    stores = [(RANGES, 1, index, value) for index, value in enumerate([*words, 0, 0, 1]) if index not in (5, 6)]
    ranges = await takes(tile, stores)
    words = [partition(HERE) + 64, tlm(HERE), partition(0), LINE, 1, tlm(1), 0, 1]
    graphs = await takes(tile, [(GRAPHS, 1, index, value) for index, value in enumerate(words)])
    # Three cycles for each field, two more for each place, and one to begin.
    assert (ranges, graphs) == (1 + 5 * 3 + 3 * 2 + 1, 1 + 6 * 3 + 4 * 2 + 1), (ranges, graphs)
    assert tile.tags and tile.jobs


@cocotb.test()
async def a_hart_has_one_command_that_will_trigger(dut):
    """Another one is refused until then, though there is room."""
    tile = await begin(dut, stall=0, slow=1)
    words = [1, partition(HERE), LINE, tlm(1), 1]
    await takes(tile, [(RANGES, 1, index, value) for index, value in [*enumerate(words), (DOORBELL, 1)]])
    await takes(tile, [(RANGES, 1, DOORBELL, 1), (RANGES, 0, DOORBELL, 0)])
    assert tile.windows[RANGES].status[0] == FULL and tile.refusals == 1 and len(tile.tags) == 1


@cocotb.test()
async def an_offered_job_does_not_change(dut):
    """The queue gets full while a job is offered, and another hart rings meanwhile."""
    tile = await begin(dut, stall=0, slow=0)
    for closes in range(14, 28):
        for hart in range(min(HARTS, 2)):
            words = [partition(HERE) + 64 * (hart + 1), 0, 0, 0, 0, 0]
            await takes(tile, [(GRAPHS, 1, hart * 8 + index, value) for index, value in enumerate(words)])
        tile.closes = closes
        await takes(tile, [(GRAPHS, 1, hart * 8 + DOORBELL, 1) for hart in range(min(HARTS, 2))])
        await run(tile, 0)
        tile.closes = None
    assert tile.done_graphs > 3
