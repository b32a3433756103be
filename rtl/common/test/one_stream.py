"""one_stream: what a module with a stream in and one out gives is what it got, in order, under stalls.

For fifo and stream_register.
"""

import random

import cocotb
from streams import Sink, Source, happened, interrupted, next_cycle, parameter, reset, settle

CYCLES = 3000


async def transport(dut, count: int, source_stall: float, sink_stall: float) -> tuple[int, int]:
    """Sends so many items; how many cycles it took, and how many items were inside at most."""
    draw = random.Random(cocotb.RANDOM_SEED + count)
    items = [draw.getrandbits(32) for _ in range(count)]
    source, sink = Source(items, source_stall, draw), Sink(sink_stall, draw)
    await reset(dut)
    most = cycles = 0
    while len(sink.received) < count and cycles < CYCLES:
        source.decide()
        sink.decide()
        dut.valid_i.value, dut.data_i.value, dut.ready_i.value = int(source.offers), source.item, int(sink.ready)
        await settle()
        source.saw(int(dut.ready_o.value))
        sink.saw(int(dut.valid_o.value), lambda: int(dut.data_o.value))
        most = max(most, len(source.accepted) - len(sink.received))
        cycles += 1
        await next_cycle(dut)
    assert sink.received == items, "lost, duplicated or out of order"
    return cycles, most


@cocotb.test()
async def keeps_order_when_the_reader_stalls(dut):
    await transport(dut, 400, 0.1, 0.7)


@cocotb.test()
async def keeps_order_when_the_writer_stalls(dut):
    await transport(dut, 400, 0.7, 0.1)


@cocotb.test()
async def keeps_order_when_both_stall(dut):
    await transport(dut, 600, 0.5, 0.5)


@cocotb.test()
async def moves_an_item_in_every_cycle(dut):
    cycles, _ = await transport(dut, 200, 0, 0)
    # A queue of one entry accepts and gives in turns.
    assert cycles == (400 if parameter("DEPTH", 4) == 1 else 201)


@cocotb.test()
async def holds_as_many_as_it_promises(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    dut.ready_i.value, dut.valid_i.value = 0, 1
    accepted = 0
    for _ in range(40):
        dut.data_i.value = draw.getrandbits(32)
        await settle()
        accepted += int(dut.ready_o.value)
        await next_cycle(dut)
    assert accepted == parameter("DEPTH", 4 if hasattr(dut, "count_q") else 1)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, keeps_order_when_both_stall.func)


@cocotb.test()
async def is_empty_after_a_reset(dut):
    await reset(dut)
    dut.ready_i.value, dut.valid_i.value, dut.data_i.value = 0, 1, 7
    await next_cycle(dut)
    await next_cycle(dut)
    dut.valid_i.value, dut.rst_ni.value = 0, 0
    await next_cycle(dut)
    dut.rst_ni.value = 1
    await settle()
    assert not int(dut.valid_o.value)
    assert int(dut.ready_o.value)


@cocotb.test()
async def energy_of_an_item(dut):
    await transport(dut, 1000, 0, 0)
    happened("item of 32 random bits", 1000)
