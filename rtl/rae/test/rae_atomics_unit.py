"""rae_atomics_unit: all operations and widths, on words that are alike in their halves, signs and borders."""

import random

import cocotb
from cocotb.triggers import Timer
from operations import OPERATIONS, performed

BORDERS = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x1_0000_0000, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


@cocotb.test()
async def does_every_operation(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for operation, name in enumerate(OPERATIONS):
        for size in range(4) if name in ("load", "store") else (2, 3):
            words = [*BORDERS, *(draw.getrandbits(64) for _ in range(6))]
            for held in words:
                for operand in words:
                    expected = held if draw.random() < 0.5 else draw.choice(words)
                    dut.operation_i.value, dut.size_i.value = operation, size
                    dut.before_i.value, dut.operand_i.value, dut.expected_i.value = held, operand, expected
                    await Timer(1, unit="ns")
                    after, answer = performed(name, size, held, operand, expected)
                    mask = (1 << (8 << size)) - 1
                    seen = int(dut.after_o.value) & mask, int(dut.answer_o.value)
                    assert seen == (after, answer), f"{name} {8 << size}: {held:#x} {operand:#x} {expected:#x}"
