"""nma_axi_read: each read is one burst, and its words, which come in any order, are one answer two cycles later."""

import random
from collections import deque

import cocotb
from nma_names import OFFSET, lanes_of
from streams import interrupted, next_cycle, parameter, reset, settle

LANES, TAGS = parameter("LANES", 8), parameter("TAGS", 9)
ANSWER_CYCLES = 2


class Reads:
    """Whoever asks, who uses a tag once at a time, and a memory that sends the words of all bursts mixed."""

    def __init__(self, dut, draw: random.Random, stall: float) -> None:
        self.dut, self.draw, self.stall = dut, draw, stall
        self.free = set(range(TAGS))
        self.offered: tuple[int, int, int] | None = None  # tag, address, words
        self.bursts: dict[int, tuple[int, list[int]]] = {}  # in the memory: words, and those that were sent
        self.answers: deque[tuple[int, int, list[int]]] = deque()  # when, tag, words
        self.cycles = self.answered = self.mixed = 0

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    async def cycle(self, *, asks: bool = True) -> None:
        dut, draw = self.dut, self.draw
        ar_ready = self.goes()
        room = self.offered is None or ar_ready
        takes = asks and room and bool(self.free) and self.goes()
        asked = draw.choice(sorted(self.free)) if takes else draw.randrange(TAGS)
        asked = asked, draw.getrandbits(37) << 3 & OFFSET, draw.choice([1, LANES, draw.randrange(1, LANES + 1)])
        dut.take_i.value = int(takes)
        dut.tag_i.value, dut.offset_i.value, dut.words_i.value = asked
        dut.ar_ready_i.value = int(ar_ready)
        sends = draw.choice(sorted(self.bursts)) if self.bursts and self.goes() else None
        data, last = draw.getrandbits(64), draw.randrange(2)
        if sends is not None:
            words, sent = self.bursts[sends]
            sent.append(data)
            last = len(sent) == words
            self.mixed += any(other for tag, (_, other) in self.bursts.items() if tag != sends)
        dut.r_valid_i.value, dut.r_id_i.value = int(sends is not None), draw.randrange(TAGS) if sends is None else sends
        dut.r_data_i.value, dut.r_last_i.value = data, int(last)
        await settle()
        assert int(dut.free_o.value) == room
        assert int(dut.ar_valid_o.value) == (self.offered is not None)
        if self.offered:
            tag, address, words = self.offered
            assert int(dut.ar_id_o.value) == tag
            assert (int(dut.ar_addr_o.value), int(dut.ar_len_o.value)) == (address, words - 1)
        due = bool(self.answers) and self.answers[0][0] == self.cycles
        assert int(dut.answer_valid_o.value) == due, "an answer is missing, or too much"
        if due:
            _, tag, words = self.answers.popleft()
            assert int(dut.answer_tag_o.value) == tag
            assert lanes_of(int(dut.answer_words_o.value), LANES)[: len(words)] == words
            self.free.add(tag)
            self.answered += 1
        if sends is not None and last:
            self.answers.append((self.cycles + ANSWER_CYCLES, sends, self.bursts.pop(sends)[1]))
        if self.offered and ar_ready:
            self.bursts[self.offered[0]] = self.offered[2], []
            self.offered = None
        if takes:
            self.offered = asked
            self.free.remove(asked[0])
        self.cycles += 1
        await next_cycle(dut)

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.cycle()
        for _ in range(100 * TAGS * LANES):
            if len(self.free) == TAGS:
                return
            await self.cycle(asks=False)
        raise AssertionError("an answer never came")


@cocotb.test()
async def each_read_has_its_answer(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for stall in (0, 0.3, 0.7):
        reads = Reads(dut, draw, stall)
        await reads.run(700)
        assert reads.answered > 20 and reads.mixed > 10


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Reads(dut, draw, 0.2).run(100)

    await interrupted(dut, some)
