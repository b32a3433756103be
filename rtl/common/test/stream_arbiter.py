"""stream_arbiter: every item arrives once and in its input's order, offers are kept, and nobody waits beyond N - 1."""

import random

import cocotb
from streams import Sink, Source, bit, interrupted, next_cycle, parameter, reset, settle, word

N = parameter("N", 2)
COUNT = 120


def drive(dut, sources: list[Source], sink: Sink) -> None:
    for agent in [*sources, sink]:
        agent.decide()
    dut.valid_i.value = word([source.offers for source in sources])
    dut.data_i.value = sum(source.item << (32 * i) for i, source in enumerate(sources))
    dut.ready_i.value = int(sink.ready)


async def merge(dut, source_stall: float, sink_stall: float) -> None:
    """Sends COUNT items on each input; the number of the input is in the upper bits of its items."""
    draw = random.Random(cocotb.RANDOM_SEED)
    sent = [[i << 24 | draw.getrandbits(24) for _ in range(COUNT)] for i in range(N)]
    sources = [Source(items, source_stall, draw) for items in sent]
    sink = Sink(sink_stall, draw)
    waits = [0] * N
    await reset(dut)
    for _ in range(40 * N * COUNT):
        if len(sink.received) == N * COUNT:
            break
        drive(dut, sources, sink)
        await settle()
        served = -1
        assert int(dut.valid_o.value) == any(source.offers for source in sources)
        if int(dut.valid_o.value):
            served = int(dut.index_o.value)
            assert int(dut.data_o.value) >> 24 == served
        sink.saw(int(dut.valid_o.value), lambda: int(dut.data_o.value))
        for i, source in enumerate(sources):
            ready = bit(dut.ready_o, i)
            assert ready == (i == served and sink.ready)
            waits[i] = 0 if ready or not source.offers else waits[i] + (served >= 0 and sink.ready)
            assert waits[i] < N, f"input {i} was passed over {waits[i]} times"
            source.saw(ready)
        await next_cycle(dut)
    assert [[item for item in sink.received if item >> 24 == i] for i in range(N)] == sent


@cocotb.test()
async def serves_all_in_turns(dut):
    await merge(dut, 0, 0)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, keeps_its_choice_when_the_output_stalls.func)


@cocotb.test()
async def serves_all_when_the_inputs_stall(dut):
    await merge(dut, 0.8, 0.1)


@cocotb.test()
async def keeps_its_choice_when_the_output_stalls(dut):
    await merge(dut, 0.3, 0.7)


@cocotb.test()
async def moves_an_item_in_every_cycle(dut):
    await reset(dut)
    dut.valid_i.value, dut.ready_i.value, dut.data_i.value = (1 << N) - 1, 1, 0
    order = []
    for _ in range(4 * N):
        await settle()
        assert int(dut.valid_o.value)
        order.append(int(dut.index_o.value))
        await next_cycle(dut)
    assert order == list(range(N)) * 4
