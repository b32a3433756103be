"""nma_request_queue: requests leave in the order in which they came, and each that leaves is told."""

import random

import cocotb
from nma_names import pack
from streams import Sink, Source, interrupted, next_cycle, parameter, reset, settle


@cocotb.test()
async def keeps_the_order_of_requests(dut):
    for source_stall, sink_stall in ((0.1, 0.7), (0.7, 0.1), (0.5, 0.5)):
        draw = random.Random(cocotb.RANDOM_SEED)
        items = [pack("job_t", root=draw.getrandbits(64), objects=draw.getrandbits(32), sound=1) for _ in range(100)]
        source, sink = Source(items, source_stall, draw), Sink(sink_stall, draw)
        await reset(dut)
        most = begun = 0
        while len(sink.received) < len(items):
            source.decide()
            sink.decide()
            dut.valid_i.value, dut.job_i.value, dut.ready_i.value = int(source.offers), source.item, int(sink.ready)
            await settle()
            begun += int(dut.begins_o.value)
            source.saw(int(dut.ready_o.value))
            sink.saw(int(dut.valid_o.value), lambda: int(dut.job_o.value))
            assert begun == len(sink.received)
            most = max(most, len(source.accepted) - len(sink.received))
            await next_cycle(dut)
        assert sink.received == items
        assert most <= parameter("ENTRIES", 16)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, keeps_the_order_of_requests.func)
