"""nma_map: entries of a list and slots of a table, against arithmetic in Python."""

import random

import cocotb
from nma_address_hash import hash_of
from nma_names import pack
from streams import interrupted, next_cycle, parameter, reset, settle

HASHED = parameter("HASHED", 1)


async def do(dut, **what: int) -> None:
    """One thing happens at the next edge."""
    dut.do_i.value = pack("map_do_t", **what)
    await next_cycle(dut)
    dut.do_i.value = 0


@cocotb.test()
async def knows_where_entries_are(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    dut.match_i.value = dut.do_i.value = 0
    for _ in range(150):
        map_at, entries = draw.getrandbits(34) // 128 * 128, draw.choice([15, 16, 256, 1 << 20])
        objects = draw.choice([0, 1, 2, 7, 8, 9, 100, draw.getrandbits(32)])
        hashed = draw.randrange(2) if HASHED else 0
        dut.map_at_i.value, dut.entries_i.value, dut.objects_i.value = map_at, entries, objects
        dut.hashed_i.value = hashed
        await do(dut, begins=1)
        slots = 2 << (objects - 1).bit_length() if objects else 0
        await settle()
        assert int(dut.misfit_o.value) == (not HASHED or objects == 0 or slots > entries)
        if objects:
            assert int(dut.table_words_o.value) == slots
        assert int(dut.count_o.value) == 0
        await next_cycle(dut)
        if hashed and (objects == 0 or slots > entries):
            continue
        for count in range(20):
            child = draw.getrandbits(64) // 8 * 8
            dut.child_i.value = child
            await do(dut, **{draw.choice(["find", "insert"]): 1})
            slot = hash_of(child) & (slots - 1) if hashed else count
            home = slot
            for _ in range(draw.choice([0, 1, 2, slots - 1 if slots < 99 else 3]) if hashed else 0):
                await do(dut, next=1)
                slot = (slot + 1) & (slots - 1)
            await do(dut, hit=1)
            await settle()
            if hashed:
                assert int(dut.round_o.value) == ((slot + 1) & (slots - 1) == home)
            assert int(dut.original_at_o.value) == map_at + 8 * slot
            assert int(dut.copy_at_o.value) == map_at + 8 * (entries + slot)
            assert int(dut.full_o.value) == (count >= (slots - 1 if hashed else entries))
            await next_cycle(dut)
            await do(dut, inserted=1)
            if count + 1 >= (slots - 1 if hashed else entries):
                break


@cocotb.test()
async def keeps_what_was_found(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    dut.do_i.value = dut.match_i.value = 0
    await settle()
    assert not int(dut.found_o.value)
    await next_cycle(dut)
    dut.map_at_i.value, dut.entries_i.value = 4096, 64
    for _ in range(50):
        await do(dut, find=1)
        await settle()
        assert not int(dut.found_o.value)
        await next_cycle(dut)
        at = 4096 + 8 * draw.randrange(64)
        dut.match_i.value, dut.match_at_i.value = 1, at
        await settle()
        assert int(dut.found_o.value)
        await next_cycle(dut)
        dut.match_i.value, dut.match_at_i.value = 0, draw.getrandbits(40)
        await next_cycle(dut)
        await settle()
        assert int(dut.found_o.value)
        assert int(dut.copy_at_o.value) == at + 8 * 64
        await next_cycle(dut)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, keeps_what_was_found.func)
