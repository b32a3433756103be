"""cni_shape: which buffers and shapes a queue may have, and what they mean."""

import random

import cocotb
from streams import next_cycle, reset, settle

TAGGED, LIMIT = 1 << 16, 24


def fields(dut) -> tuple[int, int, int, int, int, int]:
    """sound, tagged, limited, limit, log2_items, log2_words"""
    value, found = int(dut.shape_o.value), []
    for bits in (2, 5, 21, 1, 1, 1):
        found.append(value & ((1 << bits) - 1))
        value >>= bits
    return tuple(reversed(found))


@cocotb.test()
async def all_shapes(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    for number in range(3000):
        match = draw.randrange(2)
        items, words = draw.choice([draw.randrange(22), draw.randrange(256)]), draw.randrange(4)
        tagged, limit = match and draw.randrange(2), 0
        if match and draw.random() < 0.5:
            limit = draw.choice([1 << min(items, 39), draw.randrange(1, 1 << draw.randrange(1, 41))])
        stray = 1 << draw.randrange(10, 64) if draw.random() < 0.2 else 0
        if match and (stray >= 1 << LIMIT or stray == TAGGED):
            stray = 0
        place = draw.getrandbits(40) << draw.randrange(8) if number % 20 else 0
        dut.match_i.value, dut.buffer_i.value = match, place
        dut.said_i.value = items | words << 8 | (TAGGED if tagged else 0) | limit << LIMIT | stray
        await settle()
        sound = items <= 20 and not stray and not (tagged and words == 0) and place != 0 and place % (8 << words) == 0
        got = fields(dut)
        assert got[0] == sound, (match, items, words, tagged, stray, place)
        if sound:
            limited = 0 < limit <= 1 << items
            assert got[1:] == (int(tagged), int(limited), limit if limited else 0, items, words)
        await next_cycle(dut)
