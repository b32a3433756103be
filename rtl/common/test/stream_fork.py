"""stream_fork: each consumer takes each item once, in order, however the consumers stall."""

import random

import cocotb
from streams import Sink, Source, bit, interrupted, next_cycle, parameter, reset, settle, word

N = parameter("N", 2)
COUNT = 200


async def copy(dut, source_stall: float, sink_stall: float) -> int:
    """How many cycles it took."""
    draw = random.Random(cocotb.RANDOM_SEED)
    source = Source(range(COUNT), source_stall, draw)
    sinks = [Sink(sink_stall, draw) for _ in range(N)]
    await reset(dut)
    for cycle in range(40 * COUNT):
        if len(source.accepted) == COUNT:
            break
        for agent in [source, *sinks]:
            agent.decide()
        dut.valid_i.value = int(source.offers)
        dut.ready_i.value = word([sink.ready for sink in sinks])
        await settle()
        for i, sink in enumerate(sinks):
            # The data are wired past the module.
            sink.saw(bit(dut.valid_o, i), lambda: source.item)
        all_have_it = all(len(sink.received) > len(source.accepted) for sink in sinks)
        if source.offers:
            assert all_have_it == int(dut.ready_o.value), "accepted before all have it, or later"
        source.saw(int(dut.ready_o.value))
        await next_cycle(dut)
    assert all(sink.received == list(range(COUNT)) for sink in sinks)
    return cycle


@cocotb.test()
async def copies_in_every_cycle(dut):
    assert await copy(dut, 0, 0) == COUNT


@cocotb.test()
async def copies_when_consumers_stall(dut):
    await copy(dut, 0.1, 0.6)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, copies_when_consumers_stall.func)


@cocotb.test()
async def copies_when_the_producer_stalls(dut):
    await copy(dut, 0.7, 0.2)
