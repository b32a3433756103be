"""nma_axi_order: which lines are read and written, how many writes are under way, and when each is in memory.
"""

import random
from collections import deque

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

BURST, STREAM_BURSTS = parameter("BURST_BYTES", 64), parameter("STREAM_BURSTS", 8)
POSTED, COMPARED_BITS = parameter("POSTED_WRITES", 8), parameter("COMPARED_BITS", 8)
LANES, TAGS = BURST // 8, STREAM_BURSTS + 1
PAGE = 4096


def line(offset: int) -> int:
    """What is compared of a line's number."""
    return offset // BURST % (1 << COMPARED_BITS)


class Order:
    """Accesses under way: reads by their tags, writes in their order."""

    def __init__(self, dut, draw: random.Random, rate: float) -> None:
        self.dut, self.draw, self.rate = dut, draw, rate
        self.reads: dict[int, int] = {}  # their lines
        self.writes: deque[list] = deque()  # first and last line, and responses that are to come
        self.page = draw.randrange(1, 1 << 28)
        self.seen = dict.fromkeys(("reads_line", "writes_line", "full", "split", "written"), 0)

    def access(self) -> tuple[int, int]:
        """Offset and words of an access of one line or two, most of them around the end of a page."""
        offset = self.page * PAGE + 8 * self.draw.randrange(-3 * LANES, 3 * LANES)
        if self.draw.random() < 0.2:
            offset = 8 * self.draw.randrange(1 << 37)
        return offset, self.draw.randrange(1, LANES + 1)

    async def cycle(self, *, asks: bool = True) -> None:
        dut, draw = self.dut, self.draw
        offset, words = self.access()
        last = offset + 8 * (words - 1)
        one_line = offset // BURST == last // BURST
        tag = draw.randrange(TAGS)
        full = len(self.writes) == POSTED
        goes = asks and draw.random() < 0.8
        reads = goes and one_line and tag not in self.reads and draw.random() < 0.5
        writes = goes and not reads and not full
        ends = draw.choice(sorted(self.reads)) if self.reads and draw.random() < self.rate else None
        responds = bool(self.writes) and draw.random() < self.rate
        dut.offset_i.value, dut.words_i.value, dut.tag_i.value = offset, words, tag
        dut.reads_i.value, dut.writes_i.value = int(reads), int(writes)
        dut.read_i.value, dut.read_tag_i.value = int(ends is not None), draw.randrange(TAGS) if ends is None else ends
        dut.written_i.value = int(responds)
        await settle()
        lines = line(offset), line(last)
        reads_line = any(other in lines for other in self.reads.values())
        assert int(dut.reads_line_o.value) == reads_line
        writes_line = any(lines[0] in (first, other) for first, other, _ in self.writes)
        if one_line:
            assert int(dut.writes_line_o.value) == writes_line
        assert int(dut.full_o.value) == full
        if responds:
            self.writes[0][2] -= 1
        written = responds and self.writes[0][2] == 0
        assert int(dut.written_o.value) == written
        if written:
            self.writes.popleft()
        if ends is not None:
            del self.reads[ends]
        if reads:
            self.reads[tag] = lines[0]
        if writes:
            split = offset // PAGE != last // PAGE
            self.writes.append([*lines, 1 + split])
            self.seen["split"] += split
        for name, value in (("reads_line", reads_line), ("writes_line", writes_line and one_line), ("full", full)):
            self.seen[name] += value
        self.seen["written"] += written
        await next_cycle(dut)

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.cycle()
        for _ in range(50 * (POSTED + TAGS)):
            if not self.reads and not self.writes:
                break
            await self.cycle(asks=False)
        assert not self.reads and not self.writes


@cocotb.test()
async def knows_what_is_under_way(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for rate in (0.2, 0.45, 0.9):
        order = Order(dut, draw, rate)
        await order.run(1200)
        seen = order.seen if rate < 0.4 else {**order.seen, "full": 99}
        assert min(seen.values()) > 5, seen


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Order(dut, draw, 0.3).run(100)

    await interrupted(dut, some)
