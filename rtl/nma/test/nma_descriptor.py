"""nma_descriptor: what a record says, and which records make no sense."""

import random

import cocotb
from nma_names import OBJECT, POINTER_ARRAY, burst_of
from streams import next_cycle, reset, settle


@cocotb.test()
async def reads_records(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    sound_ones = 0
    for _ in range(2000):
        kind = draw.choice([0, 1, 2, 2, 3, draw.randrange(256)])
        alignment = draw.choice([8, 16, 16, draw.randrange(256)])
        size = draw.getrandbits(32) // 8 * 8 + (0 if draw.random() < 0.7 else draw.randrange(8))
        mask = draw.getrandbits(64)
        words = [size | draw.getrandbits(32) << 32, kind | alignment << 8 | draw.getrandbits(48) << 16, mask]
        dut.words_i.value, dut.set_i.value = burst_of(words), 1
        await settle()
        sound = kind <= POINTER_ARRAY and alignment in (8, 16) and (kind != OBJECT or size % 8 == 0)
        assert int(dut.sound_o.value) == sound, (kind, alignment, size)
        await next_cycle(dut)
        dut.words_i.value, dut.set_i.value = draw.getrandbits(192), 0
        await next_cycle(dut)
        await settle()
        if sound:
            sound_ones += 1
            assert int(dut.kind_o.value) == kind
            assert int(dut.is_array_o.value) == (kind != OBJECT)
            assert int(dut.aligned_16_o.value) == (alignment == 16)
            assert int(dut.bytes_o.value) == size
            assert int(dut.mask_at_o.value) == mask
        await next_cycle(dut)
    assert sound_ones > 100
