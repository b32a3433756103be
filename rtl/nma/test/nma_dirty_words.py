"""nma_dirty_words: against a list of flags: the first run, its length, and whether there is another."""

import random

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

LANES = parameter("LANES", 8)


def first_run(dirty: list[bool]) -> tuple[int, int]:
    """Its lane and words."""
    lane = dirty.index(True)
    words = 1
    while lane + words < len(dirty) and dirty[lane + words]:
        words += 1
    return lane, words


@cocotb.test()
async def offers_each_run_of_changed_words(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    dirty = [False] * LANES
    for _ in range(4000):
        dut.clear_i.value = dut.store_i.value = dut.written_i.value = 0
        await settle()
        assert int(dut.dirty_o.value) == any(dirty)
        run = first_run(dirty) if any(dirty) else (0, 0)
        if any(dirty):
            assert (int(dut.run_lane_o.value), int(dut.run_words_o.value)) == run
        rest = [changed and not run[0] <= lane < sum(run) for lane, changed in enumerate(dirty)]
        assert int(dut.run_last_o.value) == (not any(rest))
        await next_cycle(dut)
        what = draw.choices(["store", "written", "clear"], weights=(20, 6, 1))[0]
        lane = draw.randrange(LANES)
        if what == "store":
            dut.store_i.value = 1 << lane
            dirty[lane] = True
        elif what == "written" and any(dirty):
            dut.written_i.value = 1
            dirty = rest
        elif what == "clear":
            dut.clear_i.value = 1
            dirty = [False] * LANES
        await next_cycle(dut)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, offers_each_run_of_changed_words.func)
