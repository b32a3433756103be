"""rae_request_queue: requests keep their order; each is offered PACKET_CYCLES - 1 cycles after it came, not earlier."""

import random
from collections import deque

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

ENTRIES = parameter("QUEUE_ENTRIES", 64)
PACKET_CYCLES = parameter("PACKET_CYCLES", 4)
COUNT = 400


async def move(dut, source_stall: float, sink_stall: float) -> None:
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    inside: deque[tuple[int, int]] = deque()  # an item, and when it may be offered
    sent = taken = cycle = 0
    offered = None
    while taken < COUNT:
        cycle += 1
        if offered is None and sent < COUNT and draw.random() >= source_stall:
            offered = sent
        dut.valid_i.value = int(offered is not None)
        dut.data_i.value = offered or 0
        ready = draw.random() >= sink_stall
        dut.ready_i.value = int(ready)
        await settle()
        assert int(dut.queued_o.value) == len(inside)
        assert int(dut.ready_o.value) == (len(inside) < ENTRIES)
        assert int(dut.decodes_o.value) == any(due > cycle for _, due in inside)
        is_decoded = bool(inside) and inside[0][1] <= cycle
        assert int(dut.valid_o.value) == is_decoded
        accepted = offered is not None and int(dut.ready_o.value)
        if is_decoded:
            assert int(dut.data_o.value) == inside[0][0]
            if ready:
                inside.popleft()
                taken += 1
        if accepted:
            inside.append((offered, cycle + PACKET_CYCLES - 1))
            sent, offered = sent + 1, None
        await next_cycle(dut)


@cocotb.test()
async def decodes_a_request_in_each_cycle(dut):
    await move(dut, 0, 0)


@cocotb.test()
async def fills(dut):
    await move(dut, 0, 0.8)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, fills.func)


@cocotb.test()
async def empties(dut):
    await move(dut, 0.7, 0.2)
