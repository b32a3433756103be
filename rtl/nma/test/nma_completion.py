"""nma_completion: each result has exactly the steps of its own request, one after another, and then its words are free.
"""

import random
from collections import Counter

import cocotb
from messages import Request, expected_job, expected_steps, some_request
from places import MESSAGE, TILES, TRANSFER, step_of
from streams import interrupted, next_cycle, reset, settle

BAD_REQUEST, TRANSFER_FAILED = 1, 8
ROOM_BITS = 40


class Around:
    """The accelerator, the memory with the words of requests, and who does the steps."""

    def __init__(self, dut, draw: random.Random, stall: float) -> None:
        self.dut, self.draw, self.stall = dut, draw, stall
        dut.tiles_i.value = TILES
        self.offered: Request | None = None  # with its result
        self.inside: Request | None = None
        self.read: int | None = None  # the index that was read in the cycle before
        self.under_way: tuple | None = None  # a step that is not done
        self.kept: int | None = None  # a step that is offered
        self.saw: Counter = Counter()

    def new_request(self) -> Request:
        """A request whose copy has ended somehow; the accelerator says what a request was that is not sound."""
        draw = self.draw
        request = some_request(draw)
        sound = expected_job(request)["sound"]
        size, first = request.words[2] & (1 << ROOM_BITS) - 1, request.words[2] >> ROOM_BITS
        used = draw.randrange(first, size + 1) if sound else 0
        fault = draw.choice([0, 0, 0, draw.randrange(2, 10)]) if sound else BAD_REQUEST
        request.result = {"fault": fault, "root": draw.getrandbits(64), "bytes": used, "objects": draw.getrandbits(32)}
        return request

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        if self.offered is None and self.asks and draw.random() >= self.stall:
            self.offered = self.new_request()
        dut.result_valid_i.value = int(self.offered is not None)
        value = draw.getrandbits(140)
        if self.offered:
            value = 0
            for name, bits in (("fault", 4), ("root", 64), ("bytes", 40), ("objects", 32)):
                value = value << bits | self.offered.result[name]
        dut.result_i.value = value
        # The memory keeps what it has read; what it has not is random.
        dut.kept_word_i.value = draw.getrandbits(64) if self.read is None else self.inside.words[self.read]
        dut.step_ready_i.value = int(draw.random() >= self.stall)
        self.ends = self.under_way is not None and draw.random() >= self.stall
        self.fails = draw.random() < 0.5
        dut.step_done_valid_i.value, dut.step_failed_i.value = int(self.ends), int(self.fails)

    def check(self) -> None:
        dut = self.dut
        assert int(dut.result_ready_o.value) == (self.inside is None) == (not int(dut.busy_o.value))
        valid, step = int(dut.step_valid_o.value), int(dut.step_o.value)
        assert valid or self.kept is None, "an offer was withdrawn"
        assert self.kept in (None, step), "an offer changed"
        self.kept = step if valid and not int(dut.step_ready_i.value) else None
        if self.ends:
            self.end_step()
        if valid:
            assert self.inside and self.under_way is None, "a step before the one before it is done"
            assert self.inside.steps, "a step too much"
            kind, tile, words = step_of(step)
            expected = self.inside.steps[0]
            assert (kind, words[: len(expected[2])]) == (expected[0], expected[2])
            assert kind != MESSAGE or tile == expected[1]
            if self.kept is None:
                self.under_way = self.inside.steps.pop(0)
                self.saw[kind] += 1
        reads = int(dut.kept_read_o.value)
        assert not reads or self.inside, "the words of no request"
        self.read = int(dut.kept_index_o.value) % 8 if reads else None
        # The first word of a message is not kept.
        if self.read not in range(1, 7):
            self.read = None
        if int(dut.kept_release_o.value):
            assert self.inside and not self.inside.steps and self.under_way is None, "its words are still needed"
            self.inside = None
            self.saw["end"] += 1
        elif self.offered and int(dut.result_ready_o.value):
            self.inside, self.offered = self.offered, None
            self.inside.steps = expected_steps(self.inside)

    def end_step(self) -> None:
        kind, _, _ = self.under_way
        self.under_way = None
        if kind == TRANSFER and self.fails:
            self.saw["failed"] += 1
            for other, _, words in self.inside.steps:
                words[3 if other == MESSAGE else 1] = TRANSFER_FAILED

    async def step(self, *, asks: bool = True) -> None:
        self.asks = asks
        self.drive()
        await settle()
        self.check()
        await next_cycle(self.dut)

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.step()
        for _ in range(500):
            if not self.offered and self.inside is None:
                break
            await self.step(asks=False)
        assert self.offered is None and self.inside is None, "a result has no end"
        for _ in range(5):
            await self.step(asks=False)


@cocotb.test()
async def each_result_has_its_steps(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    saw: Counter = Counter()
    for stall in (0, 0.3, 0.7):
        around = Around(dut, draw, stall)
        await around.run(1500)
        saw += around.saw
    assert all(saw[what] > 0 for what in (0, TRANSFER, MESSAGE, "failed", "end")), saw


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Around(dut, draw, 0.2).run(100)

    await interrupted(dut, some)
