"""ram_1r1w: random reads and writes give what a table in Python gives."""

import random

import cocotb
from streams import next_cycle, parameter, reset, settle

WORDS = parameter("WORDS", 64)
WIDTH = parameter("WIDTH", 32)


@cocotb.test()
async def gives_what_was_written(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    table: dict[int, int] = {}
    expected: int | None = None
    await reset(dut)
    for cycle in range(30 * WORDS):
        filling = cycle < WORDS
        write, read = filling or draw.random() < 0.5, draw.random() < 0.6
        to = cycle if filling else draw.randrange(WORDS)
        # A quarter of the reads meets the write of the same cycle.
        at = to if draw.random() < 0.25 else draw.randrange(WORDS)
        value = draw.getrandbits(WIDTH)
        dut.write_i.value, dut.write_address_i.value, dut.write_data_i.value = int(write), to, value
        dut.read_i.value, dut.read_address_i.value = int(read), at
        await settle()
        if expected is not None:
            assert int(dut.read_data_o.value) == expected, f"cycle {cycle}"
        if read:
            expected = table.get(at)
        if write:
            table[to] = value
        await next_cycle(dut)
