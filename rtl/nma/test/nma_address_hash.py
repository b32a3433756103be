"""nma_address_hash: against the rows that the simulator has, each bit alone and in random sums."""

import random
import re
from pathlib import Path

import cocotb
from cocotb.triggers import Timer

SOURCE = Path(__file__).resolve().parents[3] / "src/machine/nma/address_hash.hpp"
ROWS = [int(row, 16) for row in re.findall(r"0x([0-9a-f]{8})\b", SOURCE.read_text(encoding="utf-8"))]


def hash_of(address: int) -> int:
    """The sum of the rows of all bits that are set, from bit 3 on."""
    total = 0
    for bit in range(3, 64):
        if address >> bit & 1:
            total ^= ROWS[(bit - 3) % len(ROWS)]
    return total


@cocotb.test()
async def sums_the_rows_of_the_bits_that_are_set(dut):
    assert len(ROWS) == 48
    draw = random.Random(cocotb.RANDOM_SEED)
    for address in [0, *(1 << bit for bit in range(64)), *(draw.getrandbits(64) for _ in range(500))]:
        dut.address_i.value = address
        await Timer(1, unit="ns")
        assert int(dut.hash_o.value) == hash_of(address), hex(address)
