"""cni_ends: where entries begin and end, and what a tag becomes when one comes or goes, also where counts wrap."""

import random

import cocotb
from streams import next_cycle, reset, settle


@cocotb.test()
async def all_tags(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    for _ in range(2000):
        single, request, requests = (draw.randrange(2) for _ in range(3))
        bits = 32 if single else 31
        mask = (1 << bits) - 1
        head = draw.choice([draw.randrange(4), draw.getrandbits(bits), mask, mask - draw.randrange(3)])
        tail = draw.choice([head, head + draw.randrange(5), draw.getrandbits(bits)]) & mask
        other = 0 if single else requests << 62
        dut.single_i.value, dut.request_i.value = single, request
        dut.tag_i.value = head | tail << bits | other
        await settle()
        got = [int(port.value) for port in (dut.head_o, dut.tail_o, dut.requests_o)]
        assert got == [head, tail, 0 if single else requests]
        comes = head | ((tail + 1) & mask) << bits | (0 if single else request << 62)
        assert int(dut.comes_o.value) == comes
        if not single:
            assert int(dut.goes_o.value) == (head + 1) & mask | tail << bits | other
        await next_cycle(dut)
