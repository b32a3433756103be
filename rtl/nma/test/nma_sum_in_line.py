"""nma_sum_in_line: against the sum itself, in the line, beside it and far from it."""

import random

import cocotb
from cocotb.triggers import Timer
from nma_names import OFFSET
from streams import parameter

LINE = 8 * parameter("LANES", 8)


@cocotb.test()
async def says_whether_the_sum_is_in_the_line(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    is_in = 0
    for _ in range(6000):
        bits = draw.choice([3, 8, 20, 40])
        a = draw.choice([draw.getrandbits(40), OFFSET, (1 << bits) - 1, 1 << bits - 1])
        b = draw.choice([draw.getrandbits(bits), -draw.getrandbits(bits) & OFFSET, 8, -8 & OFFSET, 0])
        right = (a + b & OFFSET) // LINE
        line = right ^ draw.choice([0, 0, 1, 1 << draw.randrange(40)]) % (1 << 40) // LINE
        line = draw.choice([line, line, (line + 1) % ((1 << 40) // LINE), a // LINE])
        dut.a_i.value, dut.b_i.value, dut.line_i.value = a, b, line
        await Timer(1, unit="ns")
        assert int(dut.in_line_o.value) == (line == right), (hex(a), hex(b), hex(line))
        is_in += line == right
    assert 1000 < is_in < 5000
