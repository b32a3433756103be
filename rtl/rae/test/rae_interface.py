"""rae_interface: every request is answered once, words change as if operations were done one after the other, and
no owner ever sees an old line.

The bench is all that surrounds the interface: other nodes, memory, the core's caches, and owners of lines by claims.
`truth` is what each line is, wherever it is; since answers come in the order in which the interface does operations,
each is compared with it. Memory may be old while the interface or the core's caches have a line; whoever reads a line
there must find the truth.
"""

import random
from collections.abc import Callable

import cocotb
from operations import PACKETS, code_of, performed
from streams import bit, happened, interrupted, next_cycle, parameter, reset, settle

LINE_BYTES = parameter("LINE_BYTES", 64)
CACHE_LINES = parameter("CACHE_LINES", 1024)
ENTRIES = parameter("MAIN_ENTRIES", 64)
TAGS = 1 << parameter("REQUEST_TAG_WIDTH", 13)
PACKET_CYCLES = parameter("PACKET_CYCLES", 4)
LOOK_UP_CYCLES = parameter("LOOK_UP_CYCLES", 1)
OPERATION_CYCLES = parameter("OPERATION_CYCLES", 2)
RETAIN = parameter("RETAIN", 1)
LINES = 2 * CACHE_LINES if CACHE_LINES > 1 else 3


class Surroundings:
    """Drives all inputs and checks all outputs, cycle by cycle."""

    def __init__(self, dut, seed: int, *, stall: float = 0.3, requests: float = 0.5, claims: float = 0.1) -> None:
        self.dut, self.draw = dut, random.Random(seed)
        self.stall, self.requests, self.claims = stall, requests, claims
        fresh = [self.draw.randbytes(LINE_BYTES) for _ in range(LINES)]
        self.truth = [bytearray(line) for line in fresh]
        self.memory = [bytearray(line) for line in fresh]
        self.in_core: set[int] = set()
        self.copies: set[int] = set()  # lines of which entries have copies
        self.tags = list(range(min(TAGS, 48)))
        self.asked: dict[int, tuple] = {}  # requests by tag
        self.offered: tuple | None = None
        self.wanted: list[tuple[int, int]] = []  # entries and lines that were fetched
        self.granted: list[tuple[int, int, bytes]] = []
        self.arriving: tuple[int, int, bytes] | None = None
        self.claim: tuple[int, bool] | None = None
        self.claimed: tuple[int, bool] | None = None
        self.seen: list[bytes] = []  # what the claimed line has been since the claim was accepted
        self.answers = self.hits = self.entered = self.merged = self.stalled = self.stores = self.claims_done = 0
        self.answer_waits = False
        self.offered_answer: tuple[int, int, int] | None = None
        self.cycle = 0

    def request(self, packet: str, word: int, size: int, line: int, offset: int, operand: int, expected: int) -> None:
        """What is offered next."""
        self.offered = (self.tags.pop(), packet, word, size, line, offset, operand, expected)

    def any_request(self) -> None:
        draw = self.draw
        packet = draw.choice(PACKETS if draw.random() < 0.8 else ["load"])
        size = draw.choice([2, 3]) if draw.random() < 0.8 else draw.randrange(4)
        offset = draw.randrange(LINE_BYTES)
        if draw.random() < 0.9:
            offset = offset >> size << size
        operand, expected = (draw.randrange(3) if draw.random() < 0.5 else draw.getrandbits(64) for _ in range(2))
        self.request(packet, draw.randrange(9), size, draw.randrange(LINES), offset, operand, expected)

    def drive(self, *, asks: bool = True) -> None:
        dut, draw = self.dut, self.draw
        if self.offered is None and asks and self.tags and draw.random() < self.requests:
            self.any_request()
        dut.request_valid_i.value = int(self.offered is not None)
        if self.offered is not None:
            tag, packet, word, size, line, offset, operand, expected = self.offered
            dut.request_tag_i.value, dut.request_packet_i.value = tag, PACKETS.index(packet)
            dut.request_word_i.value, dut.request_size_i.value = word, size
            dut.request_address_i.value = line * LINE_BYTES + offset
            dut.request_operand_i.value, dut.request_expected_i.value = operand, expected
        if self.claim is None and self.claimed is None and asks and draw.random() < self.claims:
            # Not for lines that the core's caches have, which would not ask memory.
            lines = [line for line in range(LINES) if line not in self.in_core]
            if lines:
                self.claim = (draw.choice(lines), draw.random() < 0.5)
        dut.claim_valid_i.value = int(self.claim is not None)
        if self.claim is not None:
            dut.claim_line_i.value, dut.claim_takes_i.value = self.claim[0], int(self.claim[1])
        dut.grant_valid_i.value = 0
        if self.wanted and draw.random() >= self.stall / 2:
            which = draw.randrange(len(self.wanted))
            # While the end of a claim is offered, its line is its new owner's.
            ends = int(dut.claim_done_valid_o.value) and self.claimed[0] == self.wanted[which][1]
            if not ends:
                self.grant(*self.wanted.pop(which))
        if self.arriving is None and self.granted and draw.random() >= self.stall / 2:
            self.arriving = self.granted.pop(draw.randrange(len(self.granted)))
        dut.line_valid_i.value = int(self.arriving is not None)
        if self.arriving is not None:
            dut.line_entry_i.value = self.arriving[0]
            dut.line_data_i.value = int.from_bytes(self.arriving[2], "little")
        for port in ("answer", "fetch", "store", "claim_done"):
            getattr(dut, f"{port}_ready_i").value = int(draw.random() >= self.stall or not asks)

    def grant(self, entry: int, line: int) -> None:
        """Directs a fetch, by what the directory says."""
        dut = self.dut
        from_core = line in self.in_core
        dut.grant_valid_i.value, dut.grant_entry_i.value, dut.grant_core_i.value = 1, entry, int(from_core)
        if not from_core:
            assert self.memory[line] == self.truth[line], f"line {line} was read from memory while that was old"
        elif bit(dut.writes_o, entry):
            self.in_core.remove(line)
        else:
            self.copies.add(line)
        self.granted.append((entry, line, bytes(self.truth[line])))

    def saw(self) -> None:
        """What moved in this cycle."""
        dut = self.dut
        self.cycle += 1
        for what in ("hit", "entered", "merged", "stalled"):
            name = {"hit": "hits"}.get(what, what)
            setattr(self, name, getattr(self, name) + int(getattr(dut, f"{what}_o").value))
        # The operation is done when its answer is offered, also if that waits.
        if self.answer_waits:
            offer = (int(dut.answer_valid_o.value), int(dut.answer_tag_o.value), int(dut.answer_data_o.value))
            assert offer == self.offered_answer, "an answer that was offered was withdrawn, or changed"
        elif int(dut.answer_valid_o.value):
            self.check_answer()
            self.offered_answer = (1, int(dut.answer_tag_o.value), int(dut.answer_data_o.value))
        self.answer_waits = int(dut.answer_valid_o.value) and not int(dut.answer_ready_i.value)
        if int(dut.store_valid_o.value) and int(dut.store_ready_i.value):
            line = int(dut.store_line_o.value)
            self.memory[line][:] = int(dut.store_data_o.value).to_bytes(LINE_BYTES, "little")
            self.stores += 1
        if int(dut.claim_done_valid_o.value) and int(dut.claim_done_ready_i.value):
            self.end_claim()
        if int(dut.fetch_valid_o.value) and int(dut.fetch_ready_i.value):
            self.wanted.append((int(dut.fetch_entry_o.value), int(dut.fetch_line_o.value)))
        if self.offered is not None and int(dut.request_ready_o.value):
            self.asked[self.offered[0]] = self.offered
            self.offered = None
        if self.arriving is not None and int(dut.line_ready_o.value):
            self.arriving = None
        if self.claim is not None and int(dut.claim_ready_o.value):
            self.claimed, self.claim = self.claim, None
            self.seen = [bytes(self.truth[self.claimed[0]])]

    def end_claim(self) -> None:
        line, takes = self.claimed
        self.claimed = None
        self.claims_done += 1
        if not takes:
            # A reader gets what the line was at some time since it asked.
            assert self.memory[line] in self.seen, f"a reader of line {line} finds an old one in memory"
            return
        assert self.memory[line] == self.truth[line], f"the claim of line {line} ended while memory was old"
        # Its new owner changes it: the core's caches, or memory itself.
        changed = self.draw.randbytes(LINE_BYTES)
        self.truth[line][:] = changed
        if self.draw.random() < 0.5 and all(entry_line != line for _, entry_line in self.wanted):
            self.in_core.add(line)
        else:
            self.memory[line][:] = changed

    def check_answer(self) -> None:
        dut = self.dut
        tag = int(dut.answer_tag_o.value)
        _, packet, word, size, line, offset, operand, expected = self.asked.pop(tag)
        self.tags.append(tag)
        self.answers += 1
        operation = code_of(packet, word, size, offset, LINE_BYTES)
        assert int(dut.answer_wrong_o.value) == (operation is None)
        if operation is None:
            return
        held = int.from_bytes(self.truth[line][offset : offset + (1 << size)], "little")
        after, answer = performed(operation, size, held, operand, expected)
        assert int(dut.answer_data_o.value) == answer, f"{operation} of line {line}, byte {offset}"
        self.truth[line][offset : offset + (1 << size)] = after.to_bytes(1 << size, "little")
        if self.claimed is not None and self.claimed[0] == line:
            self.seen.append(bytes(self.truth[line]))

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.one_cycle()
        for _ in range(20_000):
            if self.is_done():
                break
            await self.one_cycle(asks=False)
        assert self.is_done(), f"without an answer: {self.asked}; a claim: {self.claimed}"

    def is_done(self) -> bool:
        nothing = not (self.asked or self.offered or self.claim or self.claimed or self.wanted or self.granted)
        return nothing and self.arriving is None and not int(self.dut.busy_o.value)

    async def until(self, is_so: Callable[[], bool]) -> int:
        """Goes on until it is so, and returns the cycle in which it became so."""
        for _ in range(300):
            await self.one_cycle()
            if is_so():
                return self.cycle - 1
        raise AssertionError("it did not happen within 300 cycles")

    async def one_cycle(self, *, asks: bool = True) -> None:
        self.drive(asks=asks)
        await settle()
        self.saw()
        await next_cycle(self.dut)


@cocotb.test()
async def answers_each_request_once_and_in_order_of_its_words(dut):
    all_around = Surroundings(dut, cocotb.RANDOM_SEED)
    await all_around.run(4000)
    assert all_around.answers > 100 and all_around.stores > 10 and all_around.claims_done > 10
    assert bool(all_around.hits) == bool(RETAIN)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, answers_each_request_once_and_in_order_of_its_words.func)


@cocotb.test()
async def does_so_without_stalls(dut):
    await Surroundings(dut, cocotb.RANDOM_SEED + 1, stall=0, requests=1, claims=0.02).run(3000)


@cocotb.test()
async def does_so_when_all_others_are_slow(dut):
    await Surroundings(dut, cocotb.RANDOM_SEED + 2, stall=0.9, requests=0.2).run(4000)


@cocotb.test()
async def takes_the_cycles_that_it_says(dut):
    """A word alone, whose line comes from memory, again, if its line is kept, and claims."""
    alone = Surroundings(dut, cocotb.RANDOM_SEED, stall=0, requests=0, claims=0)
    await reset(dut)
    for number in range(2):
        alone.request("store", 0, 3, 0, 0, 0, 0)
        begin = alone.cycle
        fetched = await alone.until(lambda: alone.wanted or alone.answers > number)
        if alone.wanted:
            assert fetched - begin == PACKET_CYCLES + LOOK_UP_CYCLES
            came = await alone.until(lambda: not alone.wanted and not alone.granted and alone.arriving is None)
            answered = await alone.until(lambda: alone.answers > number)
            assert answered - came == 1 + OPERATION_CYCLES
        else:
            assert fetched - begin == PACKET_CYCLES + LOOK_UP_CYCLES + OPERATION_CYCLES
        await alone.until(alone.is_done)
    assert alone.hits == RETAIN
    for cycles in (4 if RETAIN else 3, 3):
        alone.claim = (0, False)
        begin = alone.cycle
        done = await alone.until(lambda: alone.claim is None and alone.claimed is None)
        assert done - begin == cycles
        await alone.until(alone.is_done)


async def atomics(dut, lines: list[int]) -> None:
    """Atomics on words of 8 bytes, one after another, each alone in the interface, on these lines."""
    alone = Surroundings(dut, cocotb.RANDOM_SEED, stall=0, requests=0, claims=0)
    await reset(dut)
    for line in lines:
        before, offset = alone.answers, 8 * alone.draw.randrange(LINE_BYTES // 8)
        alone.request("atomic", alone.draw.randrange(9), 3, line, offset, alone.draw.getrandbits(64), 0)
        await alone.until(lambda before=before: alone.answers > before)
        if not alone.is_done():
            await alone.until(alone.is_done)


@cocotb.test(skip=not RETAIN)
async def energy_of_an_atomic_that_hits(dut):
    await atomics(dut, [0] * 201)
    happened("an atomic that hits", 201)


@cocotb.test(skip=LINES <= CACHE_LINES)
async def energy_of_an_atomic_that_misses(dut):
    """Its line comes from memory; the one before in its place was changed, and goes there."""
    await atomics(dut, [0, CACHE_LINES] * 100)
    happened("an atomic that misses, with two lines", 200)
