"""nca_graph_writeback: all objects of random graphs are marked, counted and written back, no others are; and each fault
is found. The bench is the tile: L2, types and stack, with stalls at every port.
"""

import random

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle
from tile import ARRAY_FRONT, BASE, DATA_ARRAY, FRONT, OBJECT, POINTER, POINTER_ARRAY, SIZE, TYPES, Tile, Type

LINE_BYTES = parameter("LINE_BYTES", 8 * parameter("LANES", 4))
STACK = parameter("STACK_ENTRIES", 1024)
QUEUE = parameter("QUEUE_ENTRIES", 4)
UNDER_WAY = parameter("UNDER_WAY", 4095)
READ, MARK, WRITE_BACK = range(3)
NONE, NULL, WILD, BAD, FULL = 0, 2, 3, 4, 7


class Surroundings:
    """Drives all inputs and checks all outputs, cycle by cycle."""

    def __init__(self, dut, tile: Tile, draw: random.Random, stall: float = 0.3) -> None:
        self.dut, self.tile, self.draw, self.stall = dut, tile, draw, stall
        self.mark = draw.getrandbits(40) * 2 + 1
        self.jobs: list[int] = []
        self.offered = False
        self.inside = 0
        # The traversal alone takes a graph when the one before has its result.
        self.room = QUEUE if hasattr(dut, "job_begins_o") else 1
        self.results: list[tuple[int, int, int]] = []
        self.marked: set[int] = set()
        self.written: list[int] = []
        self.stack = [0] * STACK
        self.answer: int | None = None
        self.record: tuple[list[int], int] | None = None
        self.entry: int | None = None
        self.leaving = 0
        self.kept: dict[str, tuple] = {}
        self.noise = True  # Inputs that are not valid have random bits, or those they had: such bits cost energy.

    def happens(self) -> bool:
        return self.draw.random() >= self.stall

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        types = len(self.tile.types)
        dut.settings_i.value = BASE << 136 | SIZE << 96 | TYPES << 32 | types
        self.offered = self.offered or (bool(self.jobs) and self.happens())
        dut.job_valid_i.value = int(self.offered)
        if self.offered:
            dut.job_i.value = self.jobs[0] << 64 | self.mark + 2
        for port in ("access", "record", "stack", "result"):
            getattr(dut, f"{port}_ready_i").value = int(self.happens())
        answers = self.answer is not None and self.happens()
        dut.answer_valid_i.value = int(answers)
        if answers or self.noise:
            dut.answer_words_i.value = self.answer if answers else draw.getrandbits(8 * LINE_BYTES)
        self.answer = None if answers else self.answer
        written = self.leaving > 0 and draw.random() < 0.7
        self.leaving -= int(written)
        dut.written_i.value = int(written)
        comes = self.record is not None and self.happens()
        dut.record_answer_valid_i.value = int(comes)
        words, fault = self.record if comes else ([draw.getrandbits(64)] * 3, draw.randrange(2))
        if comes or self.noise:
            dut.record_fault_i.value = fault
            dut.record_words_i.value = sum(word << 64 * i for i, word in enumerate(words))
        self.record = None if comes else self.record
        pops = self.entry is not None and self.happens()
        dut.stack_answer_valid_i.value = int(pops)
        if pops or self.noise:
            dut.stack_place_i.value = self.entry if pops else draw.getrandbits(78)
        self.entry = None if pops else self.entry

    def moved(self, port: str, *values: str) -> tuple | None:
        """What moves at this port; what was offered and not taken must stay."""
        dut = self.dut
        now = tuple(int(getattr(dut, f"{port}_{value}_o").value) for value in values)
        valid, ready = int(getattr(dut, f"{port}_valid_o").value), int(getattr(dut, f"{port}_ready_i").value)
        if port in self.kept:
            assert valid and now == self.kept.pop(port), f"{port}: an offer changed"
        if valid and not ready:
            self.kept[port] = now
        return now if valid and ready else None

    def saw(self) -> None:
        dut, tile = self.dut, self.tile
        assert int(dut.job_ready_o.value) or self.inside >= self.room
        if self.offered and int(dut.job_ready_o.value):
            self.offered = False
            self.jobs.pop(0)
            self.mark += 2
            self.inside += 1
        if moved := self.moved("access", "kind", "offset", "mark"):
            self.access(*moved)
        if moved := self.moved("record", "address", "whole"):
            self.record = tile.record(moved[0], bool(moved[1]))
        if moved := self.moved("stack", "writes", "index"):
            place = int(dut.stack_place_o.value)
            assert moved[1] < STACK
            self.stack[moved[1]] = place if moved[0] else self.stack[moved[1]]
            self.entry = self.stack[moved[1]] if not moved[0] else self.draw.getrandbits(78)
        result = int(dut.result_o.value)
        if self.moved("result") is not None:
            assert self.leaving == 0, "a result before all lines are in memory"
            self.results.append((result >> 104, result >> 64 & (1 << 40) - 1, result & (1 << 64) - 1))
            self.inside -= 1

    def access(self, kind: int, offset: int, mark: int) -> None:
        assert offset < SIZE, "outside of the partition"
        if kind == MARK:
            assert offset % 8 == 0 and mark & 1
            self.marked.add(offset + FRONT)
            self.tile.put(offset, mark)
            self.answer = self.draw.getrandbits(8 * LINE_BYTES)
            return
        assert offset % LINE_BYTES == 0
        if kind == WRITE_BACK:
            self.written.append(offset)
            self.leaving += 1
            assert self.leaving <= UNDER_WAY
        else:
            assert kind == READ
            self.answer = sum(self.tile.word(offset + 8 * i) << 64 * i for i in range(LINE_BYTES // 8))

    async def run(self, *roots: int) -> list[tuple[int, int, int]]:
        """Until the results of these jobs."""
        self.jobs += roots
        self.results = []
        while len(self.results) < len(roots):
            self.drive()
            await settle()
            self.saw()
            quiet = int(self.dut.quiet_o.value)
            await next_cycle(self.dut)
            if quiet and not any(int(getattr(self.dut, f"{port}_valid_i").value) for port in ("job", "answer",
                                 "record_answer", "stack_answer")) and not int(self.dut.written_i.value):  # fmt: skip
                await settle()
                assert int(self.dut.quiet_o.value), "it was quiet, and went on"
                await next_cycle(self.dut)
        return self.results


async def begin(dut, tile: Tile | None = None, stall: float = 0.3) -> Surroundings:
    draw = random.Random(cocotb.RANDOM_SEED)
    around = Surroundings(dut, tile or Tile(draw), draw, stall)
    around.drive()
    await reset(dut)
    return around


async def traverse(dut, graphs: int) -> None:
    """So many random graphs, each larger than the one before."""
    around = await begin(dut)
    full = whole = 0
    for number in range(graphs):
        around.tile = tile = Tile(around.draw)
        around.stall = around.draw.choice([0, 0.3, 0.7])
        tile.random_graph(3 + number * 2)
        root = around.draw.choice(list(tile.objects))
        wanted = tile.reached(root)
        around.marked, around.written = set(), []
        ((fault, objects, size),) = await around.run(BASE + root)
        if fault == FULL:
            full += 1
            continue
        whole += 1
        assert (fault, objects) == (NONE, len(wanted))
        assert size == sum(tile.bytes_of(at) for at in wanted)
        assert around.marked == wanted
        lines = [line for at in wanted for line in tile.lines_of(at, LINE_BYTES)]
        assert sorted(around.written) == sorted(lines)
    assert whole > 3 and (full == 0 or STACK < 100)


@cocotb.test()
async def random_graphs(dut):
    await traverse(dut, 24)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_graphs.func)


@cocotb.test()
async def a_list_needs_no_stack_and_a_tree_does(dut):
    around = await begin(dut, stall=0)
    tile = around.tile
    tile.types = [Type(OBJECT, codes=[POINTER, POINTER]), Type(DATA_ARRAY)]
    nodes = [tile.add(0) for _ in range(40)]
    for one, after in zip(nodes, nodes[1:], strict=False):
        tile.point(one, 0, after)
    assert (await around.run(BASE + nodes[0])) == [(NONE, 40, 40 * 56)]
    # A second pointer, to a leaf: each node is to be continued.
    leaf = tile.add(1, 4)
    for one in nodes:
        tile.point(one, 1, leaf)
    ((fault, objects, _),) = await around.run(BASE + nodes[0])
    # The last node has no child but the leaf.
    assert (fault, objects) == ((NONE, 41) if STACK >= 39 else (FULL, STACK + 2))


@cocotb.test()
async def each_fault_is_found(dut):
    around = await begin(dut)

    async def fault_of(change, root=None, types=None) -> int:
        around.tile = tile = Tile(around.draw)
        tile.types = types or [Type(OBJECT, codes=[POINTER, 0, POINTER]), Type(DATA_ARRAY), Type(POINTER_ARRAY)]
        one, two, array = tile.add(0), tile.add(1, 8), tile.add(2, 16)
        tile.point(one, 0, two)
        tile.point(one, 2, array)
        change(tile, one, two, array)
        ((fault, _, _),) = await around.run(BASE + one if root is None else root)
        return fault

    nothing = lambda *_: None  # noqa: E731
    assert await fault_of(nothing) == NONE
    assert await fault_of(nothing, root=0) == NULL
    for wild in (BASE, BASE + FRONT - 8, BASE + SIZE, BASE + 41, BASE - 8, 1 << 63, 8, BASE + (1 << 40) + 64):
        assert await fault_of(nothing, root=wild) == WILD
        assert await fault_of(lambda tile, one, *_, to=wild: tile.put(one, to)) == WILD
    # The first object of the partition has no room for an array's front.
    assert await fault_of(lambda tile, one, *_: tile.put(one - 8, 1)) == WILD
    assert await fault_of(lambda tile, _, two, __: tile.put(two - 48, SIZE)) == WILD
    assert await fault_of(lambda tile, _, two, __: tile.put(two - 48, SIZE - two)) == NONE
    assert await fault_of(lambda tile, _, two, __: tile.put(two - 48, SIZE - two + 1)) == WILD
    assert await fault_of(lambda tile, _, two, __: tile.put(two - 48, 1 << 63)) == WILD
    assert await fault_of(lambda tile, _, two, __: tile.put(two - 8, 3)) == BAD
    assert await fault_of(lambda tile, _, two, __: tile.put(two - 8, (1 << 32) - 1)) == BAD
    assert await fault_of(lambda tile, *at: tile.put(at[2] - 48, 12)) == BAD

    def recorded(size: int, kind: int, alignment: int, fault: int = 0):
        def change(tile: Tile, *_) -> None:
            tile.types[1].record = (size | (kind | alignment << 8) << 64, fault)
            tile.put(list(tile.objects)[1], 0)

        return change

    for good in (recorded(8, DATA_ARRAY, 8), recorded(8, DATA_ARRAY, 16), recorded(4, POINTER_ARRAY, 8)):
        assert await fault_of(good) == NONE
    for bad in (recorded(4, OBJECT, 8), recorded(8, 3, 8), recorded(8, 4, 8), recorded(8, 129, 8), recorded(8, 1, 4),
                recorded(8, 1, 24), recorded(8, 1, 0), recorded(8, 1, 8, 1)):  # fmt: skip
        assert await fault_of(bad) == BAD

    def masks_fault(tile: Tile, *_) -> None:
        tile.record = lambda address, whole, of=tile.record: (of(address, whole)[0], int(not whole))

    assert await fault_of(masks_fault) == BAD
    # It goes on after a fault; a mark of before is none.
    assert await fault_of(nothing) == NONE


@cocotb.test()
async def jobs_wait_in_their_order(dut):
    around = await begin(dut, stall=0.5)
    tile = around.tile
    tile.types = [Type(OBJECT, codes=[POINTER])]
    nodes = [tile.add(0) for _ in range(9)]
    for one, after in zip(nodes, nodes[1:], strict=False):
        tile.point(one, 0, after)
    results = await around.run(*(BASE + node for node in nodes))
    assert results == [(NONE, 9 - i, (9 - i) * 48) for i in range(9)]
    assert ARRAY_FRONT == FRONT + 8


@cocotb.test()
async def energy_objects(dut):
    """A list, each of whose objects has four words."""
    around = await begin(dut, stall=0)
    around.noise = False
    tile = around.tile
    tile.types = [Type(OBJECT, codes=[POINTER, 0, 0, 0])]
    nodes = [tile.add(0) for _ in range(200)]
    for one, after in zip(nodes, nodes[1:], strict=False):
        tile.point(one, 0, after)
    assert (await around.run(BASE + nodes[0]))[0][1] == 200
    happened("an object of four words in a list", 200)


@cocotb.test()
async def energy_pointers(dut):
    """An array of pointers to any of a few objects, nearly all of which are marked when they are met."""
    around = await begin(dut, stall=0)
    around.noise = False
    tile = around.tile
    tile.types = [Type(POINTER_ARRAY), Type(DATA_ARRAY)]
    pointers = 1000
    array = tile.add(0, 8 * pointers)
    targets = [tile.add(1, 8) for _ in range(8)]
    for word in range(pointers):
        tile.point(array, word, around.draw.choice(targets))
    assert (await around.run(BASE + array))[0][:2] == (NONE, 1 + len(targets))
    happened("a pointer to an object that is marked", pointers)
