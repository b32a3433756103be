"""rae_sub_entries: each entry has its own requests, which are read as they were written, with their operands."""

import random

import cocotb
from streams import next_cycle, parameter, reset, settle

ENTRIES, SUB_ENTRIES = parameter("MAIN_ENTRIES", 64), parameter("SUB_ENTRIES", 64)


@cocotb.test()
async def gives_what_was_written(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    places = [(entry, number) for entry in range(ENTRIES) for number in range(SUB_ENTRIES)]
    table: dict[tuple[int, int], tuple[int, int]] = {}
    dut.read_i.value = dut.write_i.value = 0
    await reset(dut)
    expected: tuple[int, int] | None = None
    filling = draw.sample(places, len(places))
    for _ in range(500 + 20 * len(places)):
        writes, reads = int(draw.random() < 0.6), int(draw.random() < 0.6)
        to = filling.pop() if filling and writes else draw.choice(places)
        # A quarter of the reads meets the write of the same cycle.
        at = to if draw.random() < 0.25 else draw.choice(places)
        value = draw.getrandbits(25), draw.getrandbits(128)
        dut.write_i.value, (dut.write_entry_i.value, dut.write_number_i.value) = writes, to
        dut.write_data_i.value, dut.write_operands_i.value = value
        dut.read_i.value, (dut.read_entry_i.value, dut.read_number_i.value) = reads, at
        await settle()
        if expected is not None:
            assert (int(dut.read_data_o.value), int(dut.read_operands_o.value)) == expected
        if reads:
            expected = table.get(at)
        if writes:
            table[to] = value
        await next_cycle(dut)
    assert not filling
