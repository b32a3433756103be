"""nma_axi: random reads and writes of few lines have the effect that they would have one after another."""

import random

import cocotb
from axi_memory import PAGE, AxiMemory
from nma_names import burst_of, lanes_of
from streams import happened, interrupted, next_cycle, parameter, reset, settle

LANES = parameter("BURST_BYTES", 64) // 8
STREAM_BURSTS, POSTED = parameter("STREAM_BURSTS", 8), parameter("POSTED_WRITES", 8)
LINE = 8 * LANES


class Accesses:
    """Whoever asks: a tag is used once at a time, and so many writes are under way."""

    def __init__(self, dut, draw: random.Random, stall: float, lines: int) -> None:
        self.dut, self.draw, self.stall, self.lines = dut, draw, stall, lines
        self.truth: dict[int, int] = {}  # as if each access were done when it is taken
        self.words: dict[int, int] = {}
        self.memory = AxiMemory(dut, draw, stall, lambda at: self.words.setdefault(at, self.start(at)), self.store)
        self.expected: dict[int, list[int]] = {}
        self.under_way = self.reads = self.writes = self.cycles = self.refused = 0
        self.offer: tuple | None = None

    @staticmethod
    def start(at: int) -> int:
        return at * 0x9E37_79B9_7F4A_7C15 & (1 << 64) - 1

    def store(self, at: int, word: int) -> None:
        self.words[at] = word

    def draw_offer(self) -> tuple | None:
        """(writes, tag, offset, words, lane, data) around the end of a page."""
        draw = self.draw
        offset = PAGE - self.lines // 2 * LINE + 8 * draw.randrange(self.lines * LANES)
        if draw.random() < 0.5 and self.under_way < POSTED:
            lane = draw.randrange(LANES)
            words = draw.randrange(1, LANES - lane + 1)
            return 1, 0, offset, words, lane, [draw.getrandbits(64) for _ in range(LANES)]
        free = [tag for tag in range(STREAM_BURSTS + 1) if tag not in self.expected]
        if not free:
            return None
        words = draw.randrange(1, LANES - offset % LINE // 8 + 1)
        return 0, draw.choice(free), offset, words, 0, [0] * LANES

    async def cycle(self, *, asks: bool = True) -> None:
        dut = self.dut
        self.memory.drive()
        if self.offer is None and asks and self.draw.random() >= self.stall:
            self.offer = self.draw_offer()
        dut.access_valid_i.value = int(self.offer is not None)
        if self.offer:
            writes, tag, offset, words, lane, data = self.offer
            dut.access_writes_i.value, dut.access_tag_i.value, dut.access_offset_i.value = writes, tag, offset
            dut.access_words_i.value, dut.access_lane_i.value = words, lane
            dut.access_data_i.value = burst_of(data)
        await settle()
        self.memory.saw()
        assert int(dut.error_o.value) == self.memory.refused
        self.refused += self.memory.refused
        if int(dut.answer_valid_o.value):
            expected = self.expected.pop(int(dut.answer_tag_o.value))
            assert lanes_of(int(dut.answer_words_o.value), LANES)[: len(expected)] == expected
        if int(dut.written_o.value):
            assert self.under_way
            self.under_way -= 1
        if self.offer and int(dut.access_ready_o.value):
            self.take(*self.offer)
            self.offer = None
        self.cycles += 1
        await next_cycle(dut)

    def take(self, writes: int, tag: int, offset: int, words: int, lane: int, data: list[int]) -> None:
        places = [offset + 8 * at for at in range(words)]
        if writes:
            self.truth.update(zip(places, data[lane:], strict=False))
            self.under_way += 1
            self.writes += 1
        else:
            self.expected[tag] = [self.truth.get(at, self.start(at)) for at in places]
            self.reads += 1

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.cycle()
        for _ in range(5000):
            if not (self.offer or self.expected or self.under_way):
                break
            await self.cycle(asks=False)
        assert not self.expected and not self.under_way and self.memory.idle, "something is missing"
        for at, word in self.truth.items():
            assert self.words[at] == word


@cocotb.test()
async def accesses_have_their_order(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    overtaken = 0
    for stall, lines in ((0.3, 4), (0.6, 8), (0.1, 64), (0, 16)):
        accesses = Accesses(dut, draw, stall, lines)
        await accesses.run(2500)
        assert accesses.reads > 20 and accesses.writes > 20
        assert not accesses.refused
        overtaken += accesses.memory.overtaken
    assert overtaken > 20 or STREAM_BURSTS == 1


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Accesses(dut, draw, 0.3, 8).run(250)

    await interrupted(dut, some)


@cocotb.test()
async def says_when_the_memory_refuses(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for reads, writes in ((0.1, 0), (0, 0.3), (0.1, 0.3)):
        accesses = Accesses(dut, draw, 0.2, 8)
        accesses.memory.refuses_reads, accesses.memory.refuses_writes = reads, writes
        await accesses.run(300)
        assert accesses.refused


@cocotb.test()
async def a_word_moves_in_every_cycle(dut):
    """Writes one after another, and reads while data of others come."""
    draw = random.Random(cocotb.RANDOM_SEED)
    for writes in (1, 0):
        accesses = Accesses(dut, draw, 0, 64)
        numbers = iter(range(10_000))

        def whole_line(writes: int = writes, accesses: Accesses = accesses, numbers=numbers) -> tuple | None:
            free = [tag for tag in range(STREAM_BURSTS + 1) if tag not in accesses.expected]
            if not free or (writes and accesses.under_way >= POSTED):
                return None
            return writes, 0 if writes else free[0], PAGE + LINE * next(numbers), LANES, 0, [1] * LANES

        accesses.draw_offer = whole_line
        await accesses.run(400)
        moved = (accesses.writes if writes else accesses.reads) * LANES
        if LANES >= 8 and STREAM_BURSTS >= 3:
            assert moved >= 390


@cocotb.test()
async def energy_of_a_word(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    accesses = Accesses(dut, draw, 0, 64)
    await accesses.run(1000)
    happened("access", accesses.reads + accesses.writes)
