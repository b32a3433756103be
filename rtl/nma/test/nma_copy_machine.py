"""nma_copy_machine: the machine without its queue copies random graphs as a recursive copier does, finds the faults of
damaged ones, and has nothing left of a copy that a reset cut off.
"""

import random

import cocotb
import nma as whole
from graphs import NONE
from streams import interrupted


@cocotb.test()
async def copies_are_what_a_recursive_copier_makes(dut):
    faults = await whole.copies(dut, cocotb.RANDOM_SEED, 6, stall=0.3, damaged=0.2)
    assert faults[NONE] > 3, faults


@cocotb.test()
async def damaged_graphs_end_with_their_faults(dut):
    faults = await whole.copies(dut, cocotb.RANDOM_SEED + 1, 12, stall=0.05, damaged=1)
    assert len(faults) > 2, faults


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def graphs(dut) -> None:
        await whole.copies(dut, draw.getrandbits(32), 2, stall=0.1, damaged=0.2)

    await interrupted(dut, graphs)
