"""rae_line_word: every word of a line, taken out and put back."""

import random

import cocotb
from cocotb.triggers import Timer
from streams import parameter

LINE_BYTES = parameter("LINE_BYTES", 64)


@cocotb.test()
async def takes_and_puts_every_word(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for size in range(4):
        for offset in range(LINE_BYTES - (1 << size) + 1):
            line, word = draw.getrandbits(8 * LINE_BYTES), draw.getrandbits(64)
            dut.line_i.value, dut.word_i.value = line, word
            dut.offset_i.value, dut.size_i.value = offset, size
            await Timer(1, unit="ns")
            mask = (1 << (8 << size)) - 1
            assert int(dut.word_o.value) & mask == line >> 8 * offset & mask
            assert int(dut.line_o.value) == line & ~(mask << 8 * offset) | (word & mask) << 8 * offset
