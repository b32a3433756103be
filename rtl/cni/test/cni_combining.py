"""cni_combining: packets have the bytes of the stores, in their order, and as few packets as the rules allow.
"""

import random

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle

IDLE, POSTED, LINE = parameter("COMBINE_CYCLES", 8), parameter("POSTED", 8), parameter("LINE_BYTES", 64)


class Stores:
    """Random stores, many of which continue the one before; and the bytes that must arrive."""

    def __init__(self, draw: random.Random, joins: float) -> None:
        self.draw, self.joins, self.end = draw, joins, 0

    def next(self) -> tuple[int, int, int, int]:
        draw = self.draw
        size = draw.choice([1, 2, 4, 8, 8])
        if draw.random() < self.joins:
            address = self.end
            size = min(size, 8 - address % 8)
        else:
            address = draw.getrandbits(draw.randrange(8, 60)) // size * size
        self.end = address + size
        return address, size, draw.getrandbits(64), int(draw.random() < 0.9)


class Bench:
    """The core before the buffer and the network behind it."""

    def __init__(self, dut, stall: float, joins: float = 0.8) -> None:
        self.dut, self.stall = dut, stall
        self.draw = random.Random(cocotb.RANDOM_SEED)
        self.stores = Stores(self.draw, joins)
        self.offer: tuple[int, int, int, int] | None = None
        # Stores that were accepted, as (address, bytes, whether it combines); headers and words that have left.
        self.due: list[tuple[int, bytes, int]] = []
        self.packets: list[tuple[int, int]] = []
        self.words: list[tuple[int, int, int]] = []
        self.under_way = self.accepted = self.full = self.checked = 0
        self.drains = False

    def moves(self) -> bool:
        return self.draw.random() >= self.stall

    async def cycle(self, *, offers: bool) -> None:
        dut = self.dut
        if self.offer is None and offers and self.moves():
            self.offer = self.stores.next()
        dut.store_valid_i.value = int(self.offer is not None)
        if self.offer:
            address, size, value, combines = self.offer
            dut.store_i.value = ((address << 4 | size) << 64 | value) << 1 | combines
        dut.packet_ready_i.value, dut.word_ready_i.value = int(self.moves()), int(self.moves())
        done = self.under_way > 0 and self.moves()
        dut.done_valid_i.value, dut.drain_i.value = int(done), int(self.drains)
        await settle()
        assert not (int(dut.drained_o.value) and (self.due or self.under_way)), "drained too early"
        if self.offer and int(dut.store_ready_o.value):
            address, size, value, combines = self.offer
            self.due.append((address, (value & ((1 << 8 * size) - 1)).to_bytes(size, "little"), combines))
            self.offer = None
            self.accepted += 1
        if int(dut.packet_valid_o.value) and int(dut.packet_ready_i.value):
            self.packets.append((int(dut.packet_address_o.value), int(dut.packet_bytes_o.value)))
        if int(dut.word_valid_o.value) and int(dut.word_ready_i.value):
            item = int(dut.word_o.value)
            self.words.append((item >> 9, item >> 1 & 255, item & 1))
        self.under_way -= int(done)
        self.check_packets()
        assert self.under_way <= POSTED
        self.full += int(self.under_way == POSTED)
        await next_cycle(dut)

    def check_packets(self) -> None:
        """Each whole packet is the stores of its bytes, in order."""
        while self.packets and any(last for _, _, last in self.words):
            address, size = self.packets.pop(0)
            assert address // LINE == (address + size - 1) // LINE, "a packet of two lines"
            data, at = {}, address // 8 * 8
            while True:
                word, strobes, last = self.words.pop(0)
                for i in range(8):
                    if strobes >> i & 1:
                        data[at + i] = word >> 8 * i & 255
                at += 8
                if last:
                    break
            assert sorted(data) == [*range(address, address + size)], "not the bytes of the packet"
            end = address
            while end != address + size:
                first, stored, combines = self.due.pop(0)
                assert first == end, "not the next store"
                assert all(data[first + i] == byte for i, byte in enumerate(stored))
                assert combines or len(stored) == size, "a store that must be alone is not"
                end += len(stored)
            self.under_way += 1
            self.checked += 1

    async def run(self, cycles: int) -> None:
        dut = self.dut
        for port in (dut.store_valid_i, dut.packet_ready_i, dut.word_ready_i, dut.done_valid_i, dut.drain_i):
            port.value = 0
        await reset(dut)
        for _ in range(cycles):
            await self.cycle(offers=True)
        self.drains = True
        for _ in range(40 * POSTED + 400):
            await self.cycle(offers=False)
            if not self.offer and not self.due and self.under_way == 0:
                break
        await settle()
        assert int(dut.drained_o.value) and int(dut.quiet_o.value)
        assert not self.due and not self.words and not self.packets


@cocotb.test()
async def random_stores(dut):
    bench = Bench(dut, 0.3)
    await bench.run(5000)
    assert bench.accepted > 800 and bench.checked > 100
    assert POSTED > 1 or bench.full > 100


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_stores.func)


@cocotb.test()
async def a_slow_network(dut):
    bench = Bench(dut, 0.85)
    await bench.run(6000)
    assert bench.checked > 50


async def begin(dut) -> None:
    for port in (dut.store_valid_i, dut.done_valid_i, dut.drain_i):
        port.value = 0
    dut.packet_ready_i.value = dut.word_ready_i.value = 0
    await reset(dut)


async def store(dut, address: int, value: int, combines: int = 1) -> None:
    dut.store_valid_i.value = 1
    dut.store_i.value = ((address << 4 | 8) << 64 | value) << 1 | combines
    for _ in range(1000):
        await settle()
        taken = int(dut.store_ready_o.value)
        await next_cycle(dut)
        if taken:
            break
    assert taken, "a store waits for ever"
    dut.store_valid_i.value = 0


@cocotb.test()
async def a_line_is_one_packet(dut):
    """Words that follow each other leave together, in a cycle each, as soon as the line is full."""
    await begin(dut)
    for i in range(LINE // 8):
        await store(dut, 0x1000 + 8 * i, i)
        await settle()
        assert not int(dut.packet_valid_o.value)
        if IDLE == 1:
            break
        await next_cycle(dut)
    if IDLE == 1:
        return
    await next_cycle(dut)
    await settle()
    assert int(dut.packet_valid_o.value) and int(dut.packet_address_o.value) == 0x1000
    assert int(dut.packet_bytes_o.value) == LINE and not int(dut.drained_o.value)


@cocotb.test()
async def time_and_drains_end_a_packet(dut):
    await begin(dut)
    await store(dut, 0x40, 1)
    for _ in range(IDLE):
        await settle()
        assert not int(dut.packet_valid_o.value) and not int(dut.quiet_o.value)
        await next_cycle(dut)
    for _ in range(2):
        await next_cycle(dut)
    await settle()
    assert int(dut.packet_valid_o.value) and int(dut.packet_bytes_o.value) == 8
    await next_cycle(dut)
    dut.packet_ready_i.value = dut.word_ready_i.value = 1
    await next_cycle(dut)
    dut.done_valid_i.value = 1
    await next_cycle(dut)
    dut.done_valid_i.value = 0
    await settle()
    assert int(dut.drained_o.value)
    await next_cycle(dut)
    await store(dut, 0x80, 2)
    dut.drain_i.value = 1
    await next_cycle(dut)
    await next_cycle(dut)
    await settle()
    assert int(dut.packet_valid_o.value)


@cocotb.test()
async def a_store_alone(dut):
    """One that must not be combined leaves at once, after what waited."""
    await begin(dut)
    dut.packet_ready_i.value = dut.word_ready_i.value = 0
    await store(dut, 0x100, 1)
    await store(dut, 0x108, 2, combines=0)
    for _ in range(3):
        await next_cycle(dut)
    dut.packet_ready_i.value = dut.word_ready_i.value = 1
    seen = []
    for _ in range(8):
        await settle()
        if int(dut.packet_valid_o.value):
            seen.append(int(dut.packet_address_o.value))
        await next_cycle(dut)
        dut.done_valid_i.value = int(bool(seen) and len(seen) == 1)
    assert seen[:1] == [0x100] and seen[-1] == 0x108 and len(seen) == 2


async def until(dut, port, value: int = 1) -> int:
    """In which cycle from this one on the port has the value."""
    for cycle in range(4 * IDLE + 40):
        await settle()
        if int(port.value) == value:
            return cycle
        await next_cycle(dut)
    raise AssertionError("it never has")


async def packet_of(dut) -> int:
    """Cycles from the edge of the store before to its packet and its last word; then both are stored elsewhere."""
    dut.store_valid_i.value = 0
    cycles = 1 + await until(dut, dut.packet_valid_o)
    assert int(dut.word_valid_o.value)
    await next_cycle(dut)
    dut.packet_ready_i.value = dut.word_ready_i.value = 1
    for _ in range(LINE // 8):
        await next_cycle(dut)
    dut.packet_ready_i.value = dut.word_ready_i.value = 0
    assert not int(dut.drained_o.value)
    dut.done_valid_i.value = 1
    await next_cycle(dut)
    dut.done_valid_i.value = 0
    await settle()
    assert int(dut.drained_o.value), "it must be drained in the cycle after the end"
    await next_cycle(dut)
    return cycles


@cocotb.test()
async def each_takes_its_cycles(dut):
    """From the last store to its packet; and how long stores wait that continue the last one, or do not."""

    async def offer(address: int, combines: int) -> int:
        dut.store_valid_i.value = 1
        dut.store_i.value = ((address << 4 | 8) << 64 | 7) << 1 | combines
        cycle = await until(dut, dut.store_ready_o)
        await next_cycle(dut)
        return cycle

    await begin(dut)
    await offer(0x1000, 0)
    assert await packet_of(dut) == 2, "a store alone"
    for i in range(LINE // 8):
        assert await offer(0x1000 + 8 * i, 1) == 0
    assert await packet_of(dut) == 2, "a full line"
    await offer(0x1000, 1)
    assert await packet_of(dut) == IDLE + 3, "time"
    await offer(0x1000, 1)
    dut.drain_i.value = 1
    assert await packet_of(dut) == 3, "a drain in the cycle after the store"
    dut.drain_i.value = 0
    await offer(0x1000, 1)
    assert await offer(0x2000, 1) == 2, "a store elsewhere waits for the end of the packet"
    dut.packet_ready_i.value = dut.word_ready_i.value = 1
    if POSTED >= 6:
        assert await offer(0x3000, 0) == 2
        for i in range(3):
            assert await offer(0x4000 + LINE * i, 0) == 1, "stores alone, one every two cycles"


@cocotb.test()
async def energy_stores(dut):
    bench = Bench(dut, 0)
    await bench.run(2000)
    happened("a posted store", bench.accepted)
