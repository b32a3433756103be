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
            taken = draw.randrange(LINE_BYTES)
            line, word = draw.getrandbits(8 * LINE_BYTES), draw.getrandbits(64)
            dut.line_i.value, dut.word_i.value = line, word
            dut.offset_i.value, dut.word_offset_i.value, dut.put_size_i.value = taken, offset, size
            await Timer(1, unit="ns")
            mask = (1 << (8 << size)) - 1
            assert int(dut.line_o.value) == line & ~(mask << 8 * offset) | (word & mask) << 8 * offset
            window = int(dut.window_o.value)
            assert window == line >> 8 * (taken & ~7) & ((1 << 120) - 1)
            # It may have been kept, while the line is another one.
            dut.window_i.value, dut.word_offset_i.value, dut.line_i.value = window, taken, draw.getrandbits(64)
            await Timer(1, unit="ns")
            assert int(dut.word_o.value) == line >> 8 * taken & ((1 << 64) - 1)
