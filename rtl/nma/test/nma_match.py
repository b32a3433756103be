"""nma_match: the first of so many words that is equal, a cycle later."""

import random

import cocotb
from nma_names import burst_of
from streams import interrupted, next_cycle, parameter, reset, settle

LANES = parameter("LANES", 8)


@cocotb.test()
async def says_where_the_first_equal_word_is(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    dut.looks_i.value = 0
    await reset(dut)
    await settle()
    assert not int(dut.found_o.value)
    await next_cycle(dut)
    found = 0
    for _ in range(1000):
        word = draw.getrandbits(64)
        near = [word, word ^ 1 << draw.randrange(64), draw.getrandbits(64)]
        words = draw.choices(near, weights=(1, 4, 2), k=LANES)
        count, looks = draw.randrange(LANES + 1), draw.random() < 0.8
        offset = draw.getrandbits(40) // (8 * LANES) * 8 * LANES
        dut.word_i.value, dut.words_i.value, dut.count_i.value = word, burst_of(words), count
        dut.looks_i.value, dut.offset_i.value = int(looks), offset
        await next_cycle(dut)
        await settle()
        is_there = looks and word in words[:count]
        assert int(dut.found_o.value) == is_there
        if is_there:
            found += 1
            assert int(dut.at_o.value) == offset + 8 * words.index(word)
        await next_cycle(dut)
    assert found > 50


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, says_where_the_first_equal_word_is.func)
