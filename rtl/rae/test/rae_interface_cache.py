"""rae_interface_cache: random accesses to tags and lines give what tables in Python give; a reset forgets tags."""

import random

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

CACHE_LINES, MAIN_ENTRIES = parameter("CACHE_LINES", 1024), parameter("MAIN_ENTRIES", 64)
LINE_BYTES, TAG_WIDTH = parameter("LINE_BYTES", 64), parameter("TAG_WIDTH", 15)
PLACES = CACHE_LINES + MAIN_ENTRIES


@cocotb.test()
async def agrees_with_tables(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    dut.tag_read_i.value = dut.tag_write_i.value = dut.line_read_i.value = dut.line_write_i.value = 0
    await reset(dut)
    tags: dict[int, tuple[int, int]] = {}  # of valid lines: dirty or not, and the tag
    lines: dict[int, int] = {}
    tag: tuple[int, int] | None = None  # what was read last; of the line, if it was ever written
    line: int | None = None
    hits = 0
    for _ in range(4000):
        reads, writes, reads_line, writes_line = (int(draw.random() < 0.5) for _ in range(4))
        index, place = draw.randrange(CACHE_LINES), draw.randrange(PLACES)
        # Half of the reads meet a write of the same cycle.
        read_index = index if draw.random() < 0.5 else draw.randrange(CACHE_LINES)
        read_place = place if draw.random() < 0.5 else draw.randrange(PLACES)
        valid, dirty = int(draw.random() < 0.8), draw.randrange(2)
        new_tag, new_line = draw.getrandbits(TAG_WIDTH), draw.getrandbits(8 * LINE_BYTES)
        dut.tag_read_i.value, dut.tag_read_index_i.value = reads, read_index
        dut.tag_write_i.value, dut.tag_write_index_i.value = writes, index
        dut.valid_i.value, dut.dirty_i.value, dut.tag_i.value = valid, dirty, new_tag
        dut.line_read_i.value, dut.line_read_place_i.value = reads_line, read_place
        dut.line_write_i.value, dut.line_write_place_i.value, dut.line_i.value = writes_line, place, new_line
        await settle()
        assert int(dut.valid_o.value) == (tag is not None)
        if tag is not None:
            assert (int(dut.dirty_o.value), int(dut.tag_o.value)) == tag
            hits += 1
        if line is not None:
            assert int(dut.line_o.value) == line
        # A read of what is written in the same cycle gives the old value.
        if reads:
            tag = tags.get(read_index)
        if reads_line:
            line = lines.get(read_place)
        if writes:
            tags.pop(index, None)
            if valid:
                tags[index] = (dirty, new_tag)
        if writes_line:
            lines[place] = new_line
        await next_cycle(dut)
    assert hits > 1000


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, agrees_with_tables.func)
