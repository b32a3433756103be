"""nca_graph_commands: each right doorbell is one job with a mark of its own, and each result has the steps of its own
command, one after another, and the state of its window.
"""

import random
from collections import Counter, deque

import cocotb
from graph_and_range import LINE, is_graph, some_graph, steps_of
from places import (
    ACCEPTED,
    ACKNOWLEDGE,
    FULL,
    HERE,
    IDLE,
    MESSAGE,
    TILES,
    TRANSFER,
    WRITE,
    WRITE_BACK,
    WRONG,
    named,
    partition,
    step_of,
    tlm,
)
from streams import interrupted, parameter
from windows import DOORBELL, Windows

HARTS = parameter("HARTS", 5)
FIELDS = 7
TRANSFER_FAILED = 8
FIRST_MARK, NEXT_MARK = 3, 2


class Tile(Windows):
    """Behind the windows: the circuit that traverses graphs, and the network."""

    def __init__(self, dut, draw: random.Random, stall: float, slow: float, room: float) -> None:
        super().__init__(dut, draw, stall, HARTS, FIELDS)
        dut.tile_i.value, dut.tiles_i.value = HERE, TILES
        self.slow, self.room = slow, room
        self.new: tuple[int, int] | None = None  # hart and root of a job that is to come, if there was room
        self.right = False  # the command
        self.had_room = self.had_none = False  # while the last doorbell was decided
        self.mark = FIRST_MARK
        self.jobs: deque[int] = deque()  # harts
        self.result: dict[str, int] | None = None
        self.ending: int | None = None  # a hart
        self.steps: list[tuple[int, int, list[int]]] = []
        self.under_way: tuple[int, int, list[int]] | None = None
        self.final: dict[int, int] = {}  # states that windows will have, or have

    def some_fields(self) -> list[int]:
        draw = self.draw
        if draw.random() < 0.5:
            return some_graph(draw)
        # Mostly a right command with all steps.
        metadata, remote = (partition(tile) + LINE * draw.randrange(100) for tile in (HERE, draw.randrange(TILES)))
        if draw.random() < 0.1:
            metadata = 0  # which makes it wrong: there is nothing to be copied
        size, tile = LINE * draw.randrange(1, 5), draw.randrange(TILES)
        counter = tlm(draw.randrange(TILES)) + 8 * draw.randrange(100)
        root, task = draw.getrandbits(64), draw.getrandbits(64)
        return [root, metadata, remote, size | tile << 32 | 1 << 48, task, counter, 0]

    def usable(self) -> list[int]:
        """While a state may change at any time, only that is loaded."""
        return [hart for hart in range(HARTS) if hart not in self.final]

    def holds(self, hart: int) -> bool:
        return self.status[hart] == ACCEPTED

    def ring(self, hart: int) -> None:
        words = self.fields[hart]
        self.right = is_graph(words)
        root = named(words[0]) if words[0] else 0
        self.new = (hart, words[0] if root is None else root) if self.right else None
        self.had_room = self.had_none = False

    def outcome(self, hart: int, value: int) -> int:
        if not self.right:
            return WRONG
        if value == FULL:
            assert self.had_none and self.new is not None, "refused without a reason"
            self.new = None
            return FULL
        assert self.had_room, "accepted without room"
        return ACCEPTED

    def loaded(self, hart: int, value: int) -> None:
        if hart in self.final and value == self.final[hart]:
            self.status[hart] = self.final.pop(hart)
        super().loaded(hart, value)

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        if not self.script and self.final and draw.random() < 0.2:
            self.script.append((0, 8 * draw.choice(list(self.final)) + DOORBELL, 0))
        self.drive_access()
        dut.job_ready_i.value, dut.step_ready_i.value = int(draw.random() < self.room), int(self.goes())
        touched = {one[1] // 8 for one in (*self.script, self.access, self.answering) if one}
        if self.result is None and self.jobs and self.jobs[0] not in touched and draw.random() >= self.slow:
            fault = draw.choice([0, 0, 0, 2, 7])
            self.result = {"fault": fault, "objects": draw.getrandbits(40), "bytes": draw.getrandbits(64)}
            self.final[self.jobs[0]] = WRONG if fault else IDLE
        dut.result_valid_i.value = int(self.result is not None)
        values = self.result or {"fault": 0, "objects": draw.getrandbits(40), "bytes": draw.getrandbits(64)}
        dut.result_i.value = values["fault"] << 104 | values["objects"] << 64 | values["bytes"]
        self.done = self.under_way is not None and draw.random() >= self.slow
        self.fails = draw.random() < 0.5
        dut.step_done_valid_i.value, dut.step_failed_i.value = int(self.done), int(self.fails)

    def check(self) -> None:
        dut = self.dut
        self.look.saw()
        if self.rung is not None:
            room = int(dut.job_ready_i.value)
            self.had_room, self.had_none = self.had_room or room, self.had_none or not room
        self.check_job()
        self.check_steps()
        if self.result is not None and int(dut.result_ready_o.value):
            assert not self.steps and self.under_way is None, "steps were left out"
            self.ending = self.jobs.popleft()
            self.steps = steps_of(self.fields[self.ending], self.result)
            self.result = None
            self.saw["result"] += 1
        self.check_access()

    def check_job(self) -> None:
        if int(self.dut.job_valid_o.value) and "job" not in self.kept:
            assert self.new is not None, "a job that nobody asked for"
            hart, root = self.new
            assert int(self.dut.job_o.value) == root << 64 | self.mark
            self.mark += NEXT_MARK
            self.new = None
            self.coming = hart
        if self.moved("job", "job_o"):
            self.jobs.append(self.coming)
            self.saw["job"] += 1

    def check_steps(self) -> None:
        step = self.moved("step", "step_o")
        if self.done:
            if self.under_way[0] == TRANSFER and self.fails:
                self.steps = [one for one in self.steps if one[0] == ACKNOWLEDGE]
                for _, _, words in self.steps:
                    words[1] = TRANSFER_FAILED
                self.final[self.ending] = WRONG
                self.saw["failed"] += 1
            self.under_way = None
        elif self.under_way:
            assert not int(self.dut.step_valid_o.value), "a step before the one before it is done"
        if step is None:
            return
        assert self.steps, "a step too much"
        kind, tile, words = step_of(step[0])
        expected = self.steps.pop(0)
        assert (kind, words[: len(expected[2])]) == (expected[0], expected[2])
        assert kind != MESSAGE or tile == expected[1]
        self.under_way = expected
        self.saw["step", kind] += 1

    def rests(self) -> bool:
        return not (self.jobs or self.result or self.steps or self.under_way or self.final or "job" in self.kept)


async def commands(dut, draw: random.Random, cycles: int, stall: float, slow: float, room: float) -> Counter:
    tile = Tile(dut, draw, stall, slow, room)
    await tile.run(cycles, tile.drive, tile.check, tile.rests)
    return tile.saw


@cocotb.test()
async def each_job_has_its_end(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    saw: Counter = Counter()
    for stall, slow, room in ((0, 0, 1), (0.3, 0.3, 0.5), (0.05, 0.9, 0.3)):
        saw += await commands(dut, draw, 2000, stall, slow, room)
    wanted = [("step", kind) for kind in (ACKNOWLEDGE, WRITE, WRITE_BACK, TRANSFER, MESSAGE)]
    wanted += ["job", "result", "failed", ACCEPTED, FULL, WRONG]
    assert all(saw[what] > 0 for what in wanted), saw


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await commands(dut, draw, 300, 0.1, 0.5, 0.7)

    await interrupted(dut, some)
