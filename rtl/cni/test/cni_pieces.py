"""cni_pieces: the packets of a copy are all of it, in order, and each lies in a line; what is left comes again.
"""

import random

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle

LINE = parameter("LINE_BYTES", 64)


def packed(source: int, destination: int, size: int) -> int:
    return (source << 64 | destination) << 17 | size


class Job:
    """A copy: what is left of it, and the packet that is due."""

    def __init__(self, draw: random.Random) -> None:
        self.source, self.destination = draw.getrandbits(draw.randrange(7, 50)), draw.getrandbits(draw.randrange(7, 50))
        if draw.random() < 0.3:
            self.source, self.destination = self.source // LINE * LINE, self.destination // LINE * LINE
        self.size = draw.choice([draw.randrange(1, 2 * LINE), draw.randrange(1, 400)])
        self.by_lines = draw.randrange(2)

    def piece(self) -> int:
        size = min(self.size, LINE - self.destination % LINE)
        return min(size, LINE - self.source % LINE) if self.by_lines else size

    def advance(self, size: int) -> None:
        self.source, self.destination, self.size = self.source + size, self.destination + size, self.size - size


async def run(dut, cycles: int, stall: float) -> int:
    """A list with recycling around the module; returns how many packets there were."""
    draw = random.Random(cocotb.RANDOM_SEED)
    jobs, inside, packets, seen, due = [], None, 0, None, 0
    for port in (dut.entry_valid_i, dut.packet_ready_i, dut.rest_ready_i):
        port.value = 0
    await reset(dut)
    offered = False
    for _ in range(cycles):
        if len(jobs) < 4 and inside is None:
            jobs.append(Job(draw))
        offered = offered or (inside is None and draw.random() >= stall)
        dut.entry_valid_i.value = int(offered)
        if offered:
            dut.entry_i.value = packed(jobs[0].source, jobs[0].destination, jobs[0].size)
            dut.by_lines_i.value = jobs[0].by_lines
        dut.packet_ready_i.value = int(draw.random() >= stall)
        dut.rest_ready_i.value = int(draw.random() >= stall)
        await settle()
        values = [int(port.value) for port in (dut.packet_source_o, dut.packet_destination_o, dut.packet_bytes_o)]
        if seen is not None:
            assert int(dut.packet_valid_o.value) and values == seen, "an offer changed"
        seen = values if int(dut.packet_valid_o.value) and not int(dut.packet_ready_i.value) else None
        rests = int(dut.rest_valid_o.value) and int(dut.rest_ready_i.value)
        if int(dut.packet_valid_o.value) and int(dut.packet_ready_i.value):
            due = inside.piece()
            assert values == [inside.source, inside.destination, due]
            packets += 1
            inside.advance(due)
            if inside.size == 0:
                inside = None
        elif rests:
            assert int(dut.rest_o.value) == packed(inside.source, inside.destination, inside.size)
            jobs.append(inside)
            inside = None
        elif offered and int(dut.entry_ready_o.value):
            inside, offered = jobs.pop(0), False
        assert int(dut.quiet_o.value) == int(dut.entry_ready_o.value)
        await next_cycle(dut)
    return packets


@cocotb.test()
async def random_copies(dut):
    assert await run(dut, 4000, 0.3) > 200


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_copies.func)


@cocotb.test()
async def a_packet_takes_four_cycles(dut):
    packets = await run(dut, 1000, 0)
    assert packets >= 1000 // 5


@cocotb.test()
async def the_largest_copy(dut):
    dut.entry_valid_i.value = 0
    await reset(dut)
    dut.entry_valid_i.value, dut.by_lines_i.value = 1, 0
    dut.entry_i.value = packed(3, (1 << 64) - 32, 65536)
    dut.packet_ready_i.value = dut.rest_ready_i.value = 1
    for _ in range(4):
        await settle()
        last = int(dut.rest_o.value)
        await next_cycle(dut)
    piece = min(LINE, 32)
    assert last == packed(3 + piece, ((1 << 64) - 32 + piece) % (1 << 64), 65536 - piece)


@cocotb.test()
async def energy_packets(dut):
    happened("a packet of a copy", await run(dut, 2000, 0))
