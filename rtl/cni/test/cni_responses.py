"""cni_responses: lines of all kinds, whose queues have real rings: nothing that was accepted is lost or comes twice,
items and requests meet in their order, a counter notifies whenever it is zero, and a command leaves when complete.
"""

import random
from collections import deque

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle

COMMAND, COUNTER, QUEUE, MATCH = 2, 3, 4, 5
OTHER, OWN, ACKNOWLEDGEMENT = 0, 1, 2
DONE, FULL, BUSY, WRONG = range(4)
NOT_ALLOWED, WRONG_ACCESS, WRONG_SHAPE = 2, 3, 4
PUT, LOOK, TAKE = range(3)
IS_COMMAND, NOTIFY, ADD, ANSWER = range(4)
OF_STORE, OF_RING, ZEROS = range(3)
ALL = (1 << 64) - 1
TAGGED, NO_WAIT, NONE, ADDRESS = 1 << 16, 1 << 63, 1 << 63, (1 << 48) - 1
KINDS = [COMMAND] + [
    kind
    for kind, name in ((COUNTER, "COUNTERS"), (QUEUE, "QUEUES"), (MATCH, "MATCH_QUEUES"))
    if parameter(name, 1)
]


def parts(value: int, *widths: int) -> list[int]:
    """The fields of a packed struct, the first one first."""
    found = []
    for width in reversed(widths):
        found.append(value & ((1 << width) - 1))
        value >>= width
    return found[::-1]


class Line:
    """A line, and what it means: entries that wait are kept here as they are."""

    def __init__(self, draw: random.Random, kind: int, place: int, memory: dict[int, int]) -> None:
        self.draw, self.kind, self.memory = draw, kind, memory
        self.words, self.tag = [0] * 8, 0
        self.waiting: deque[list[int]] = deque()
        self.requests, self.sound = False, True
        if kind in (QUEUE, MATCH):
            self.log2_items, self.log2_words = draw.randrange(3), draw.randrange(4)
            self.tagged = kind == MATCH and self.log2_words > 0 and draw.random() < 0.5
            self.limit = draw.randrange(1, 5) if kind == MATCH and draw.random() < 0.4 else 0
            self.items = 1 << self.log2_items
            self.buffer = place
            self.words[3] = place
            self.words[4] = self.log2_items | self.log2_words << 8 | (TAGGED if self.tagged else 0) | self.limit << 24
            # In a multiple-reader queue it means nothing.
            self.words[5] = draw.choice([0, draw.getrandbits(64)])
            # Counts wrap soon.
            self.head = self.tail = draw.choice([0, -3])
            self.show()
        if kind == COUNTER:
            self.words = [draw.randrange(3), draw.randrange(1, 4), *(draw.getrandbits(64) for _ in range(5)), 0]
            self.tag = self.words[0]
        if kind == COMMAND:
            self.stored: dict[int, int] = {}

    @property
    def item_bytes(self) -> int:
        return 8 << self.log2_words

    def spoil(self) -> "Line":
        """Its buffer can be none."""
        self.words[3] |= 4
        self.sound = False
        return self

    def show(self) -> None:
        bits = 32 if self.kind == QUEUE else 31
        mask = (1 << bits) - 1
        self.tag = self.head & mask | (self.tail & mask) << bits
        if self.kind == QUEUE:
            self.words[1], self.words[2] = self.head & mask, self.tail & mask
        else:
            self.tag |= int(self.requests) << 62
            self.words[2] = (-len(self.waiting) if self.requests else len(self.waiting)) & ALL

    def address(self, count: int) -> int:
        return self.buffer + count % self.items * self.item_bytes

    def store(self) -> tuple[int, int, list[int]]:
        """Offset, who, data."""
        draw = self.draw
        data = [draw.getrandbits(64)]
        number, by = draw.randrange(8), draw.choice([OTHER, OWN, ACKNOWLEDGEMENT])
        if self.kind == COMMAND:
            if draw.random() < 0.3:
                number = 0
            if number == 0:
                data = [draw.choice([1, 2, 3]) | draw.randrange(1, 41) << 8 if draw.random() < 0.9 else data[0]]
            by = OWN if draw.random() < 0.9 else by
        if self.kind == COUNTER:
            number = 0 if draw.random() < 0.6 else number
            if number in (0, 1):
                data = [draw.choice([-self.tag, -1, 1, 2, 0]) & ALL]
        if self.kind in (QUEUE, MATCH):
            number = draw.choice([0, 0, 1, 1, draw.choice([2, 6, 7])])
            if number == 0:
                data = [draw.getrandbits(64) for _ in range(1 << self.log2_words)]
            if self.kind == QUEUE and number == 1:
                data = [(self.head + draw.randrange(self.items + 1)) & ALL]
                by = OWN if draw.random() < 0.9 else by
            if self.kind == MATCH and number == 1:
                data = [data[0] & ~NO_WAIT if draw.random() < 0.8 else data[0] | NO_WAIT]
        return number * 8, by, data


class Tile:
    """The cache, the list of jobs and everybody who stores."""

    def __init__(self, dut, draw: random.Random, *, stall: float, room: float, refuse: float, kinds=KINDS) -> None:
        self.dut, self.draw, self.stall, self.room, self.refuse = dut, draw, stall, room, refuse
        self.memory: dict[int, int] = {}
        self.lines = [Line(draw, kinds[i % len(kinds)], 0x4000 + 0x400 * i, self.memory) for i in range(8)]
        spoilt = [kind for kind in (QUEUE, MATCH) if kind in kinds]
        self.lines += [Line(draw, kind, 0x8000, self.memory).spoil() for kind in spoilt]
        self.offered: tuple | None = None
        self.inside: tuple | None = None
        self.ring: list[int] | None = None
        self.check: list[int] | None = None
        self.kept: dict[str, int] = {}
        self.results = self.answers = self.notifications = self.commands = 0
        self.roomy = [True, True]
        self.latest = 0

    def happens(self) -> bool:
        return self.draw.random() >= self.stall

    def drive(self, asks: bool = True) -> None:
        dut, draw = self.dut, self.draw
        if self.offered is None and self.inside is None and asks and self.happens():
            line = draw.choice(self.lines)
            offset, by, data = line.store()
            size = 8 * len(data)
            if draw.random() < 0.03:
                offset += draw.randrange(1, 8)
            if draw.random() < 0.03:
                size = draw.choice([1, 2, 4, 8, 16, 32, 64])
                data = (data * 8)[: max(1, size // 8)]
            self.offered = (line, offset, by, size, data)
        dut.store_valid_i.value = int(self.offered is not None)
        if self.offered is not None:
            line, offset, by, size, data = self.offered
            packed = line.kind
            for value, width in ((by, 2), (offset, 6), (size, 7), (data[0], 64), (line.tag, 64)):
                packed = packed << width | value
            dut.store_i.value = packed
            dut.words_i.value = sum(word << 64 * i for i, word in enumerate(line.words))
        if self.inside is None:
            self.roomy = [draw.random() < self.room for _ in range(2)]
        dut.room_for_command_i.value, dut.room_for_event_i.value = (int(one) for one in self.roomy)
        for name in ("ring", "check", "job", "result"):
            getattr(dut, f"{name}_ready_i").value = int(self.happens())
        answers = self.ring is not None and self.happens()
        dut.ring_answer_valid_i.value = int(answers)
        if answers:
            self.answer_ring()
        answers = self.check is not None and self.happens()
        dut.check_answer_valid_i.value = int(answers)
        if answers:
            self.allowed = draw.random() >= self.refuse
            dut.check_allowed_i.value = int(self.allowed)
            self.check = None

    def answer_ring(self) -> None:
        action, address, size = self.ring
        self.ring = None
        self.plain = self.draw.random() >= self.refuse
        self.dut.ring_plain_i.value = int(self.plain)
        words = range(address, address + size, 8)
        if action == PUT and self.plain:
            for at, word in zip(words, self.inside[4], strict=True):
                self.memory[at] = word
        self.taken = [self.memory.get(at, 0) for at in words]
        self.dut.ring_word_i.value = self.taken[0]

    def moved(self, port: str, *widths: int) -> list[int] | None:
        value = int(getattr(self.dut, f"{port}_o").value)
        valid, ready = (int(getattr(self.dut, name).value) for name in (f"{port}_valid_o", f"{port}_ready_i"))
        if port in self.kept:
            assert valid and value == self.kept.pop(port), f"{port}: an offer changed"
        if valid and not ready:
            self.kept[port] = value
        return parts(value, *widths) if valid and ready else None

    def saw(self) -> None:
        assert int(self.dut.store_ready_o.value) == (self.inside is None), "not one store at a time"
        if self.offered is not None and int(self.dut.store_ready_o.value):
            self.inside, self.offered = self.offered, None
            self.plain = self.allowed = True
            self.action = self.job = None
            self.latest = 0
        self.latest += 1
        if moved := self.moved("ring", 2, 64, 7):
            assert self.action is None
            self.ring = moved
            self.action = (moved[0], moved[1])
        if moved := self.moved("check", 64, 7):
            self.check = moved
        if moved := self.moved("job", 2, 64, 7, 2, 1, 1, 15):
            assert self.job is None, "a second job"
            self.job = moved
        if moved := self.moved("result", 2, 3, 64, 3, 64):
            self.ended(*moved)
            self.inside = None
            self.results += 1

    def ended(self, outcome: int, fault: int, tag: int, number: int, value: int) -> None:
        line, offset, by, size, data = self.inside
        expected, why = self.expect(line, offset // 8, offset % 8, by, size, data)
        assert (outcome, fault) == (expected, why), (line.kind, line.words, offset, by, size)
        if outcome != DONE:
            assert self.job is None, "a job of a store that has changed nothing"
            return
        before = list(line.words)
        self.change(line, offset // 8, data)
        before[number] = value
        assert before == line.words, (line.kind, offset)
        assert tag == line.tag, (line.kind, offset)

    def expect(self, line: Line, number: int, rest: int, by: int, size: int, data: list[int]) -> tuple[int, int]:
        """The outcome and its reason."""
        kind, items = line.kind, line.kind in (QUEUE, MATCH) and number == 0
        known = {COMMAND: range(8), COUNTER: range(8), QUEUE: (0, 1, 3, 4, 5), MATCH: (0, 1, 3, 4)}[kind]
        for_all = {COMMAND: (), COUNTER: (0, 7), QUEUE: (0,), MATCH: (0, 1)}[kind]
        if rest or number not in known or (by != OWN and number not in for_all):
            return WRONG, WRONG_ACCESS
        if items and not line.sound:
            return WRONG, WRONG_SHAPE
        if size != (line.item_bytes if items else 8):
            return WRONG, WRONG_ACCESS
        if kind == MATCH and number == 1 and not line.sound:
            return WRONG, WRONG_SHAPE
        command_room, room = self.roomy[0], self.roomy[1] or by == ACKNOWLEDGEMENT
        if kind == COMMAND:
            words = line.stored | {number: data[0]}
            if 0 in words and not self.is_sound(words[0]):
                return WRONG, WRONG_ACCESS
            return (DONE if command_room or not self.is_complete(words) else BUSY), 0
        if kind == COUNTER:
            zero = number == 0 and (line.tag + data[0]) & ALL == 0
            return (DONE if room or not zero else BUSY), 0
        if number not in (0, 1):
            return DONE, 0
        if kind == QUEUE and number == 1:
            return (DONE, 0) if (data[0] - line.head) % (1 << 32) <= len(line.waiting) else (WRONG, WRONG_ACCESS)
        if kind == MATCH and number == 1 and not self.allowed:
            return WRONG, NOT_ALLOWED
        places = line.items if number == 1 or not line.limit else min(line.limit, line.items)
        if not self.meets(line, number):
            if number == 1 and kind == MATCH and line.tagged and data[0] & NO_WAIT:
                return (DONE if room else BUSY), 0
            if len(line.waiting) >= places:
                return FULL, 0
            return (DONE, 0) if self.plain else (WRONG, WRONG_SHAPE)
        if not self.plain:
            return WRONG, WRONG_SHAPE
        return (DONE if room else BUSY), 0

    @staticmethod
    def meets(line: Line, number: int) -> bool:
        return line.kind == MATCH and bool(line.waiting) and line.requests == (number == 0)

    @staticmethod
    def is_sound(what: int) -> bool:
        return 1 <= what >> 8 <= {1: 65536, 2: 40, 3: 40}.get(what & 255, 0)

    @staticmethod
    def is_complete(words: dict[int, int]) -> bool:
        if 0 not in words:
            return False
        count = 4 if words[0] & 255 == 1 else 3 + ((words[0] >> 8) + 7) // 8
        return all(number in words for number in range(count))

    def change(self, line: Line, number: int, data: list[int]) -> None:
        kind, job = line.kind, self.job
        if kind == COMMAND:
            line.stored[number] = data[0]
            line.words[number] = data[0]
            assert (job is not None) == self.is_complete(line.stored)
            if job is not None:
                assert job[0] == IS_COMMAND
                line.stored = {}
                self.commands += 1
            line.tag = sum(1 << one for one in line.stored)
        elif kind == COUNTER:
            zero = False
            if number == 0:
                line.tag = (line.tag + data[0]) & ALL
                zero = line.tag == 0
            elif number == 7:
                line.tag = data[0]
            else:
                line.words[number] = data[0]
            assert (job is not None) == zero
            if zero:
                assert job[0] == NOTIFY
                line.tag = line.words[1]
                self.notifications += 1
            line.words[0] = line.tag
        elif number > 1:
            line.words[number] = data[0]
            assert job is None
        elif kind == QUEUE:
            if number == 0:
                assert self.action == (PUT, line.address(line.tail))
                line.waiting.append(data)
                line.tail += 1
                assert job is None if line.words[5] == 0 else job[:2] == [ADD, line.words[5]]
            else:
                for _ in range((data[0] - line.head) % (1 << 32)):
                    at = line.address(line.head)
                    assert [self.memory[at + 8 * i] for i in range(1 << line.log2_words)] == line.waiting.popleft()
                    line.head += 1
                assert job is None
            line.show()
        else:
            self.match(line, number, data)
            line.show()

    def match(self, line: Line, number: int, data: list[int]) -> None:
        job = self.job
        if not self.meets(line, number):
            if number == 1 and line.tagged and data[0] & NO_WAIT:
                assert job[0] == ANSWER and job[3] == ZEROS
                return self.answered(line, data[0], True)
            assert job is None and self.action == (PUT, line.address(line.tail))
            line.waiting.append(data)
            line.tail += 1
            line.requests = number == 1
            return None
        first = line.waiting.popleft()
        assert self.action == (LOOK if number == 0 else TAKE, line.address(line.head))
        line.head += 1
        self.answers += 1
        if number == 1:
            assert job[3] == OF_RING and self.taken == first, "not the first item"
            return self.answered(line, data[0], False)
        assert job[3] == OF_STORE
        return self.answered(line, first[0], False)

    def answered(self, line: Line, request: int, none: bool) -> None:
        kind, destination, size, _, tagged, says_none, tag = self.job
        assert (kind, size, tagged) == (ANSWER, line.item_bytes, int(line.tagged))
        assert destination == (request & ADDRESS if line.tagged else request)
        if line.tagged:
            assert (tag, says_none) == (request >> 48 & 0x7FFF, int(none))


async def begin(dut, **about) -> Tile:
    tile = Tile(dut, random.Random(cocotb.RANDOM_SEED), **about)
    tile.drive(asks=False)
    await reset(dut)
    return tile


async def run(tile: Tile, cycles: int) -> None:
    dut = tile.dut
    for _ in range(cycles):
        tile.drive()
        await settle()
        tile.saw()
        await next_cycle(dut)
    assert tile.results > cycles / 40


@cocotb.test()
async def random_stores(dut):
    tile = await begin(dut, stall=0.3, room=0.8, refuse=0.05)
    await run(tile, 5000)
    assert tile.commands
    assert tile.notifications or COUNTER not in KINDS
    assert tile.answers or MATCH not in KINDS


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_stores.func)


@cocotb.test()
async def nothing_stalls(dut):
    await run(await begin(dut, stall=0, room=1, refuse=0), 4000)


@cocotb.test()
async def the_list_is_full_most_of_the_time(dut):
    await run(await begin(dut, stall=0.1, room=0.1, refuse=0), 3000)


async def cycles_of(tile: Tile, line: Line, offset: int, by: int, data: list[int]) -> int:
    """From the store's edge to the cycle in which the result is offered."""
    tile.offered = (line, offset, by, 8 * len(data), data)
    before, cycle = tile.results, 0
    while tile.results == before:
        tile.drive(asks=False)
        await settle()
        tile.saw()
        cycle = cycle + 1 if tile.inside or tile.results != before else 0
        await next_cycle(tile.dut)
    return cycle - 1


def line_of(tile: Tile, kind: int, **about) -> Line:
    line = Line(random.Random(1), kind, 0x9000, tile.memory)
    for name, value in about.items():
        setattr(line, name, value)
    return line


@cocotb.test(skip=COUNTER not in KINDS or QUEUE not in KINDS or MATCH not in KINDS)
async def each_takes_its_cycles(dut):
    tile = await begin(dut, stall=0, room=1, refuse=0)
    counter = line_of(tile, COUNTER, tag=5, words=[5, 1, 0, 0, 0, 0, 0, 0])
    assert await cycles_of(tile, counter, 8, OWN, [2]) == 2
    assert await cycles_of(tile, counter, 0, OTHER, [1]) == 3
    assert await cycles_of(tile, counter, 0, OTHER, [-6 & ALL]) == 4
    command = line_of(tile, COMMAND)
    for number, word in enumerate([2 | 8 << 8, 64, 0]):
        assert await cycles_of(tile, command, 8 * number, OWN, [word]) == 2
    assert await cycles_of(tile, command, 24, OWN, [9]) == 3
    queue = line_of(tile, QUEUE)
    queue.words[5] = 0
    queue.tail = queue.head
    item = [7] * (1 << queue.log2_words)
    assert await cycles_of(tile, queue, 0, OTHER, item) == 5
    assert await cycles_of(tile, queue, 8, OWN, [(queue.head + 1) & ALL]) == 2
    match = line_of(tile, MATCH, tagged=False, limit=0)
    match.words[4] = match.log2_items | match.log2_words << 8
    item = [7] * (1 << match.log2_words)
    assert await cycles_of(tile, match, 0, OTHER, item) == 5
    assert await cycles_of(tile, match, 8, OTHER, [64]) == 8
    assert await cycles_of(tile, match, 8, OTHER, [64]) == 7
    assert await cycles_of(tile, match, 0, OTHER, item) == 6


@cocotb.test(skip=COUNTER not in KINDS)
async def energy_counters(dut):
    tile = await begin(dut, stall=0, room=1, refuse=0, kinds=[COUNTER])
    await run(tile, 2000)
    happened("a store to a counter", tile.results)


@cocotb.test(skip=QUEUE not in KINDS)
async def energy_queues(dut):
    tile = await begin(dut, stall=0, room=1, refuse=0, kinds=[QUEUE])
    await run(tile, 2000)
    happened("a store to a single-reader queue", tile.results)


@cocotb.test(skip=MATCH not in KINDS)
async def energy_match_queues(dut):
    tile = await begin(dut, stall=0, room=1, refuse=0, kinds=[MATCH])
    await run(tile, 2000)
    happened("a store to a multiple-reader queue", tile.results)
