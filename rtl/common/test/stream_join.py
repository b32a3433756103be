"""stream_join: items of all inputs leave together, in order, however the inputs and the consumer stall."""

import random

import cocotb
from streams import Sink, Source, bit, next_cycle, parameter, reset, settle, word

N = parameter("N", 2)
COUNT = 200


async def join(dut, source_stall: float, sink_stall: float) -> int:
    """How many cycles it took."""
    draw = random.Random(cocotb.RANDOM_SEED)
    sources = [Source(range(COUNT), source_stall, draw) for _ in range(N)]
    sink = Sink(sink_stall, draw)
    await reset(dut)
    for cycle in range(60 * COUNT):
        if len(sink.received) == COUNT:
            break
        for agent in [*sources, sink]:
            agent.decide()
        dut.valid_i.value = word([source.offers for source in sources])
        dut.ready_i.value = int(sink.ready)
        await settle()
        items = {source.item for source in sources}
        valid = int(dut.valid_o.value)
        assert not valid or (all(source.offers for source in sources) and len(items) == 1), "not the items of one turn"
        sink.saw(valid, lambda: min(items))
        for i, source in enumerate(sources):
            source.saw(bit(dut.ready_o, i))
        await next_cycle(dut)
    assert sink.received == list(range(COUNT))
    return cycle


@cocotb.test()
async def joins_in_every_cycle(dut):
    assert await join(dut, 0, 0) == COUNT


@cocotb.test()
async def joins_when_inputs_stall(dut):
    await join(dut, 0.6, 0.1)


@cocotb.test()
async def joins_when_the_consumer_stalls(dut):
    await join(dut, 0.2, 0.7)
