"""rae_interface_core: answers and lines are those of requests done one after another, with a cache, main entries, hits,
lines and claims around it that come and stall at random.
"""

import random
from collections import Counter, deque
from dataclasses import dataclass, field

import cocotb
from operations import OPERATIONS, performed
from streams import interrupted, next_cycle, parameter, reset, settle

CACHE_LINES, MAIN_ENTRIES = parameter("CACHE_LINES", 1024), parameter("MAIN_ENTRIES", 64)
SUB_ENTRIES, LINE_BYTES = parameter("SUB_ENTRIES", 64), parameter("LINE_BYTES", 64)
TAG_WIDTH, REQUEST_TAG_WIDTH = parameter("TAG_WIDTH", 15), parameter("REQUEST_TAG_WIDTH", 13)
RETAIN = parameter("RETAIN", 1)
OFFSET_WIDTH = LINE_BYTES.bit_length() - 1
# Lines that meet at each place of the cache.
LINES = 4 * CACHE_LINES
HITS = 4


@dataclass
class Request:
    line: int
    wrong: int
    operation: str
    size: int
    offset: int
    tag: int
    operand: int
    expected: int

    @property
    def packed(self) -> tuple[int, int]:
        """As sub_entry_t and operands_t."""
        what = OPERATIONS.index(self.operation) << 2 | self.size
        return (what << OFFSET_WIDTH | self.offset) << REQUEST_TAG_WIDTH | self.tag, self.operand << 64 | self.expected


@dataclass
class Entry:
    line: int
    owned: bool  # otherwise a copy, for loads
    requests: list[Request] = field(default_factory=list)
    claimed: bool = False
    delivered: bool = False

    @property
    def writes(self) -> bool:
        return any(one.operation != "load" for one in self.requests)


@dataclass
class Claim:
    line: int
    takes: int
    taken: bool = False  # by the core
    content: int | None = None  # which memory must have at the end


class Around:
    def __init__(self, dut, draw: random.Random, stall: float) -> None:
        self.dut, self.draw, self.stall = dut, draw, stall
        self.content = {line: draw.getrandbits(8 * LINE_BYTES) for line in range(LINES)}
        self.memory = dict(self.content)
        self.tags = [(0, 0, 0)] * CACHE_LINES  # valid, dirty, tag
        self.lines = [draw.getrandbits(8 * LINE_BYTES) for _ in range(CACHE_LINES + MAIN_ENTRIES)]
        self.tag_read, self.line_read, self.sub_read = (0, 0, 0), 0, (0, 0)
        self.entries: list[Entry | None] = [None] * MAIN_ENTRIES
        self.hits: deque[Request] = deque()
        self.requests: dict[int, Request] = {}
        self.line_offer: int | None = None
        self.claim: Claim | None = None
        self.waiting: dict[str, tuple] = {}
        self.happened: Counter = Counter()

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    def value(self, port: str) -> int:
        return int(getattr(self.dut, port).value)

    def entry_of(self, line: int) -> Entry | None:
        return next((entry for entry in self.entries if entry and entry.line == line), None)

    def is_cached(self, line: int) -> bool:
        valid, _, tag = self.tags[line % CACHE_LINES]
        return bool(valid) and tag == line // CACHE_LINES

    def request(self, line: int, *, loads: bool = False) -> Request:
        draw = self.draw
        size = draw.randrange(4)
        operation = "load" if loads else draw.choice(OPERATIONS)
        tag = draw.choice([tag for tag in range(1 << REQUEST_TAG_WIDTH) if tag not in self.requests])
        offset = draw.randrange(LINE_BYTES + 1 - (1 << size))
        if operation not in ("load", "store"):
            size = max(size, 2)
            offset = draw.randrange(LINE_BYTES >> size) << size
        held = self.content[line] >> 8 * offset & (1 << 64) - 1
        expected = held if draw.random() < 0.5 else draw.getrandbits(64)
        made = Request(line, 0, operation, size, offset, tag, draw.getrandbits(64), expected)
        self.requests[tag] = made
        return made

    def drive(self, asks: bool) -> None:
        dut, draw = self.dut, self.draw
        dut.valid_i.value, dut.dirty_i.value, dut.tag_i.value = self.tag_read
        dut.line_i.value = self.line_read
        dut.sub_i.value, dut.sub_operands_i.value = self.sub_read
        dut.hit_valid_i.value = int(bool(self.hits))
        if self.hits:
            hit = self.hits[0]
            dut.hit_i.value, dut.hit_operands_i.value = hit.packed
            dut.hit_index_i.value, dut.hit_tag_i.value = hit.line % CACHE_LINES, hit.line // CACHE_LINES
            dut.hit_wrong_i.value = hit.wrong
        if self.line_offer is None and self.goes():
            come = [at for at, entry in enumerate(self.entries) if entry and not entry.delivered]
            self.line_offer = draw.choice(come or [None])
        dut.line_valid_i.value = int(self.line_offer is not None)
        if self.line_offer is not None:
            line = self.entries[self.line_offer].line
            assert self.memory[line] == self.content[line], "memory does not have what a line had"
            dut.line_entry_i.value, dut.line_data_i.value = self.line_offer, self.memory[line]
        if self.claim is None and asks and draw.random() < 0.1:
            line = draw.randrange(LINES)
            entry = self.entry_of(line)
            if entry is None or (entry.owned and not entry.claimed):
                self.claim = Claim(line, draw.randrange(2))
        offers = self.claim is not None and not self.claim.taken
        dut.claim_valid_i.value = int(offers)
        if offers:
            dut.claim_takes_i.value, dut.claim_line_i.value = self.claim.takes, self.claim.line
        owner = self.entry_of(self.claim.line) if self.claim else None
        dut.found_owned_i.value = int(owner is not None and owner.owned)
        entry = self.entries[self.value("entry_o")]
        if entry:
            dut.entry_line_i.value, dut.entry_joined_i.value = entry.line, len(entry.requests)
            dut.entry_owned_i.value, dut.entry_claimed_i.value = int(entry.owned), int(entry.claimed)
            dut.entry_writes_i.value = int(entry.writes)
        for name in ("answer", "store", "claim_done"):
            getattr(dut, f"{name}_ready_i").value = int(self.goes())

    def comes(self, name: str, *parts: str) -> tuple[bool, bool, tuple]:
        """Whether something is offered that was not before, whether it is taken, and what it is."""
        item = tuple(self.value(f"{name}_{part}_o") for part in parts)
        valid, ready = self.value(f"{name}_valid_o"), self.value(f"{name}_ready_i")
        before = self.waiting.pop(name, None)
        assert before is None or (valid and item == before), f"{name} was withdrawn or changed"
        if valid and not ready:
            self.waiting[name] = item
        return bool(valid) and before is None, bool(valid and ready), item

    def saw(self, asks: bool) -> None:
        self.saw_answer()
        begins, _, _ = self.comes("claim_done")
        if begins:
            assert self.claim.taken and self.claim.content == self.memory[self.claim.line], "not in memory"
            assert not (self.claim.takes and self.is_cached(self.claim.line))
            self.claim = None
        begins, accepted, (line, data) = self.comes("store", "line", "data")
        if begins:
            assert data == self.content[line]
            self.happened["store"] += 1
        if accepted:
            self.memory[line] = data
        if self.value("searches_o"):
            assert self.value("search_line_o") == self.claim.line
            self.claim.content = self.content[self.claim.line]
        if self.value("claim_entry_o"):
            self.entry_of(self.claim.line).claimed = True
            self.claim.content = None
            self.happened["claimed entry"] += 1
        self.saw_memories()
        self.saw_end()
        if asks and not self.value("frozen_o"):
            self.look_up()
        if self.hits and self.value("hit_ready_o"):
            self.hits.popleft()
        if self.line_offer is not None and self.value("line_ready_o"):
            assert self.value("next_entry_o") == self.line_offer
            self.entries[self.line_offer].delivered = True
            self.line_offer = None
        if self.claim and not self.claim.taken and self.value("claim_ready_o"):
            self.claim.taken = True

    def saw_answer(self) -> None:
        begins, _, (wrong, tag, data) = self.comes("answer", "wrong", "tag", "data")
        if not begins:
            return
        one = self.requests.pop(tag)
        self.happened["answer"] += 1
        if one.wrong:
            assert (wrong, data) == (1, 0)
            return
        shift, mask = 8 * one.offset, (1 << (8 << one.size)) - 1
        held = self.content[one.line] >> shift & mask
        after, answer = performed(one.operation, one.size, held, one.operand, one.expected)
        assert (wrong, data) == (0, answer), one
        self.content[one.line] += (after - held) << shift

    def saw_memories(self) -> None:
        """The cache and the sub-entries: what is read in the same cycle as it is written is the old value."""
        if self.value("tag_read_o"):
            self.tag_read = self.tags[self.value("tag_read_index_o")]
        if self.value("line_read_o"):
            self.line_read = self.lines[self.value("line_read_place_o")]
        if self.value("sub_read_o"):
            assert self.value("next_entry_o") == self.value("entry_o")
            self.sub_read = self.entries[self.value("entry_o")].requests[self.value("sub_number_o")].packed
        if self.value("tag_write_o"):
            written = self.value("valid_o"), self.value("dirty_o"), self.value("tag_o")
            self.tags[self.value("tag_write_index_o")] = written
        if self.value("line_write_o"):
            self.lines[self.value("line_write_place_o")] = self.value("line_o")

    def saw_end(self) -> None:
        """An entry whose requests are done."""
        if not self.value("entry_end_o"):
            return
        at = self.value("entry_o")
        entry = self.entries[at]
        lost = [one for one in entry.requests if self.requests.get(one.tag) is one]
        assert entry.delivered and not lost, "a request has no answer"
        if entry.claimed:
            self.claim.content = self.content[entry.line]
        assert self.is_cached(entry.line) == bool(RETAIN and entry.owned and not entry.claimed)
        self.happened["kept" if self.is_cached(entry.line) else "not kept"] += 1
        self.entries[at] = None

    def look_up(self) -> None:
        """A request is a hit, joins an entry, or takes one."""
        draw = self.draw
        line = draw.randrange(LINES)
        entry = self.entry_of(line)
        if draw.random() < 0.03 and len(self.hits) < HITS:
            wrong = self.request(line)
            wrong.wrong = 1
            self.hits.append(wrong)
        elif self.is_cached(line):
            if len(self.hits) < HITS:
                self.hits.append(self.request(line))
                self.happened["hit"] += 1
        elif entry is not None:
            if entry.owned and not entry.claimed and len(entry.requests) < SUB_ENTRIES:
                entry.requests.append(self.request(line))
        elif None in self.entries and not self.value("store_valid_o") and not (self.claim and self.claim.line == line):
            owned = draw.random() < 0.8
            self.entries[self.entries.index(None)] = Entry(line, owned, [self.request(line, loads=not owned)])

    async def run(self, cycles: int, *, asks: bool = True) -> None:
        for _ in range(cycles):
            self.drive(asks)
            await settle()
            self.saw(asks)
            await next_cycle(self.dut)

    def check_lines(self) -> None:
        """At rest, each line is in the cache or in memory."""
        assert not self.requests and not self.claim and self.entries == [None] * MAIN_ENTRIES, "something is left"
        assert not self.value("busy_o")
        for line, content in self.content.items():
            cached = self.is_cached(line)
            if cached:
                assert self.lines[line % CACHE_LINES] == content
            if not (cached and self.tags[line % CACHE_LINES][1]):
                assert self.memory[line] == content


@cocotb.test()
async def answers_and_lines_are_those_of_requests_in_turn(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    happened: Counter = Counter()
    for stall in (0.1, 0.5, 0.8):
        around = Around(dut, draw, stall)
        for name in ("hit_valid", "line_valid", "claim_valid"):
            getattr(dut, f"{name}_i").value = 0
        await reset(dut)
        await around.run(2500)
        await around.run(400, asks=False)
        around.check_lines()
        happened += around.happened
    expected = ["answer", "store", "claimed entry", "not kept", *(["hit", "kept"] if RETAIN else [])]
    assert min(happened[name] for name in expected) > 5, happened


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, answers_and_lines_are_those_of_requests_in_turn.func)
