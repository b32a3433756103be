"""nma_addresses: along the ways that states take, the offsets are those of the words that the states are about."""

import random

import cocotb
from nma_names import ARRAY_BYTES, HEADER, INDEX, OFFSET, PARENT_DST, PARENT_SRC, POSITION, STATES, pack
from streams import next_cycle, parameter, reset, settle

LINE = 8 * parameter("LANES", 8)

# (state, which address changes, where it then is), for numbers of an object.
SAVED = [("SaveParentSrc", "copy", "object", PARENT_DST), ("SaveParentDst", "copy", "object", HEADER)]
SAVED += [("SaveHeader", "copy", "object", 0), ("Copy", "copy", "object", -8)]
WAYS = {
    "to a child": [
        ("Advance", "original", "child", 0),
        ("Locate", "original", "child", HEADER),
        ("LoadHeader", "original", "child", ARRAY_BYTES),
        ("Size", "original", "child", 0),
        ("Word", "original", "child", -8),
        ("Copy", "original", "child", -16),
        ("NoElements", "original", "child", -8),
    ],
    "of an array": [("InsertCopy", "copy", "object", ARRAY_BYTES), ("SaveBytes", "copy", "object", PARENT_SRC), *SAVED],
    "of an object": [("InsertCopy", "copy", "object", PARENT_SRC), *SAVED],
    "of a parent": [
        ("ParentWord", "copy", "dst", POSITION),
        ("SavePosition", "copy", "dst", INDEX),
        ("SaveIndex", "copy", "object", PARENT_SRC),
        *SAVED,
    ],
    "back": [
        ("Leave", "copy", "dst", PARENT_SRC),
        ("Retreat", "copy", "dst", PARENT_DST),
        ("UpCheck", "copy", "up", HEADER),
        ("UpHeader", "both", "up", POSITION),
        ("UpPosition", "copy", "up", INDEX),
        ("UpIndex", "copy", "up", ARRAY_BYTES),
        ("Size", "copy", "up", 0),
        ("Room", "both", "up", None),
        ("Point", "copy", "up", None),
    ],
}


@cocotb.test()
async def follow_the_states(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    dut.state_i.value = STATES["Idle"]
    await reset(dut)
    for way in list(WAYS) * 30:
        at = {name: draw.getrandbits(40) // 8 * 8 for name in ("child", "object", "dst", "up")}
        shift, position = draw.getrandbits(40), draw.randrange(1 << 30)
        dut.child_i.value, dut.source_shift_i.value = at["child"], shift
        dut.object_i.value, dut.dst_i.value, dut.up_i.value = at["object"], at["dst"], at["up"]
        dut.position_i.value, dut.is_array_i.value = position, int(way == "of an array")
        for number, (state, which, of, below) in enumerate(WAYS[way]):
            original, copy = which in ("original", "both"), which in ("copy", "both")
            dut.state_i.value = STATES[state]
            dut.do_i.value = pack("addresses_do_t", original=original, copy=copy)
            distance = -below if below is not None else 8 * position + 8 * (state == "Point")
            base = at[of] + (shift if of == "child" else 0)
            expected = {"copy" if copy else "original": (base + distance) & OFFSET}
            if which == "both":
                expected["original"] = at["child"] + shift + (8 * position if state == "Room" else 0) & OFFSET
            lines = {name: offset // LINE ^ draw.choice([0, 0, 1, 2, 1 << 30]) for name, offset in expected.items()}
            for name, line in lines.items():
                getattr(dut, f"{name}_line_i").value = line
            await settle()
            for name, line in lines.items():
                enters = int(getattr(dut, f"{name}_enters_o").value)
                assert enters == (expected[name] // LINE == line), f"{way}: {state}, {number}"
            await next_cycle(dut)
            dut.do_i.value = 0
            dut.state_i.value = STATES[draw.choice(list(STATES))]
            await next_cycle(dut)  # nothing else changes them
            await settle()
            for name, offset in expected.items():
                assert int(getattr(dut, f"{name}_at_o").value) == offset, f"{way}: {state}, {number}"
            await next_cycle(dut)
