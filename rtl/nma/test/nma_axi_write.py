"""nma_axi_write: the words of each write leave in order, in one burst or, if they cross 4 KiB, in two, and no others.
"""

import random

import cocotb
from nma_names import OFFSET, burst_of
from streams import interrupted, next_cycle, parameter, reset, settle

LANES = parameter("LANES", 8)
PAGE, WORD_BYTES = 4096, 8


class Writes:
    """Whoever writes, and what must still leave of the write that is inside: one burst after another."""

    def __init__(self, dut, draw: random.Random, address_stall: float, data_stall: float) -> None:
        self.dut, self.draw = dut, draw
        self.address_stall, self.data_stall = address_stall, data_stall
        self.bursts: list[tuple[int, list[int]]] = []  # address and words
        self.address_left: bool = False  # that of the first burst is still offered
        self.sent = 0  # words of the first burst
        self.writes = self.crossings = self.back_to_back = 0

    def offer(self) -> tuple[int, int, int, list[int]]:
        """Offset, words, lane and data; half of them near the end of a page."""
        draw = self.draw
        lane = draw.randrange(LANES)
        words = draw.choice([LANES - lane, draw.randrange(1, LANES - lane + 1)])
        page = draw.choice([draw.randrange(1 << 28), (1 << 28) - 2, 0xFF])
        offset = page * PAGE + WORD_BYTES * draw.randrange(PAGE // WORD_BYTES)
        if draw.random() < 0.5:
            offset = (page + 1) * PAGE - WORD_BYTES * draw.randrange(1, LANES + 1)
        return offset & OFFSET, words, lane, [draw.getrandbits(64) for _ in range(LANES)]

    def take(self, offset: int, words: int, lane: int, data: list[int]) -> None:
        data = data[lane : lane + words]
        fit = min(words, (PAGE - offset % PAGE) // WORD_BYTES)
        self.bursts = [(offset, data[:fit])]
        if fit < words:
            self.bursts.append((offset + fit * WORD_BYTES, data[fit:]))
            self.crossings += 1
        self.address_left, self.sent = True, 0
        self.writes += 1

    async def cycle(self, *, asks: bool = True) -> None:
        dut, draw = self.dut, self.draw
        address_ready, data_ready = draw.random() >= self.address_stall, draw.random() >= self.data_stall
        dut.aw_ready_i.value, dut.w_ready_i.value = int(address_ready), int(data_ready)
        address, data = self.bursts[0] if self.bursts else (0, [])
        offers_address, offers_data = bool(self.bursts) and self.address_left, self.sent < len(data)
        sent = self.sent + (offers_data and data_ready)
        ends = bool(self.bursts) and sent == len(data) and (not self.address_left or address_ready)
        free = not self.bursts or (ends and len(self.bursts) == 1)
        takes = asks and free and draw.random() < 0.7
        offer = self.offer()
        dut.take_i.value = int(takes)
        dut.offset_i.value, dut.words_i.value, dut.lane_i.value = offer[:3]
        dut.data_i.value = burst_of(offer[3])
        await settle()
        assert int(dut.free_o.value) == free
        assert int(dut.aw_valid_o.value) == offers_address
        if offers_address:
            assert (int(dut.aw_addr_o.value), int(dut.aw_len_o.value)) == (address, len(data) - 1)
        assert int(dut.w_valid_o.value) == offers_data
        if offers_data:
            assert int(dut.w_data_o.value) == data[self.sent]
            assert int(dut.w_last_o.value) == (self.sent == len(data) - 1)
        self.sent = sent
        self.address_left = self.address_left and not address_ready
        if ends:
            self.bursts.pop(0)
            self.address_left, self.sent = True, 0
        if takes:
            self.back_to_back += ends
            self.take(*offer)
        await next_cycle(dut)

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.cycle()
        for _ in range(100 * LANES):
            if not self.bursts:
                break
            await self.cycle(asks=False)
        assert not self.bursts, "a word is missing"
        for _ in range(5):
            await self.cycle(asks=False)


@cocotb.test()
async def each_write_leaves_once(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for address_stall, data_stall in ((0, 0), (0.8, 0.1), (0.1, 0.7), (0.5, 0.5)):
        writes = Writes(dut, draw, address_stall, data_stall)
        await writes.run(600)
        assert writes.writes > 10 and writes.crossings > 3 and writes.back_to_back > 2


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Writes(dut, draw, 0.4, 0.2).run(100)

    await interrupted(dut, some)
