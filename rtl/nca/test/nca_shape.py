"""nca_shape: which records make sense, and the sizes of objects and of their copies."""

import random

import cocotb
from streams import next_cycle, reset, settle

OBJECT, DATA_ARRAY, POINTER_ARRAY = range(3)


@cocotb.test()
async def agrees_with_the_layout(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    dut.set_size_i.value = dut.measure_i.value = 0
    for _ in range(600):
        kind = draw.randrange(3) if draw.random() < 0.8 else draw.getrandbits(8)
        alignment = draw.choice([8, 16]) if draw.random() < 0.8 else draw.getrandbits(8)
        size = draw.getrandbits(32) & ~7 if draw.random() < 0.7 else draw.getrandbits(32)
        mask = draw.getrandbits(64)
        words = [size | draw.getrandbits(32) << 32, kind | alignment << 8 | draw.getrandbits(48) << 16, mask]
        dut.record_i.value = sum(word << 64 * i for i, word in enumerate(words))
        dut.set_type_i.value = 1
        await settle()
        sound = kind <= POINTER_ARRAY and alignment in (8, 16) and (kind != OBJECT or size % 8 == 0)
        assert int(dut.sound_o.value) == sound
        await next_cycle(dut)
        dut.set_type_i.value = 0
        dut.record_i.value = draw.getrandbits(192)
        if not sound:
            continue
        await settle()
        assert (int(dut.kind_o.value), int(dut.mask_at_o.value)) == (kind, mask)
        await next_cycle(dut)
        if kind != OBJECT:
            size = draw.getrandbits(39)
            dut.size_i.value = size
            dut.set_size_i.value = 1
            await settle()
            assert int(dut.ragged_o.value) == (kind == POINTER_ARRAY and size % 8 != 0)
            await next_cycle(dut)
            dut.set_size_i.value = 0
            dut.size_i.value = draw.getrandbits(64)
        dut.measure_i.value = 1
        await settle()
        assert int(dut.bytes_o.value) == size
        await next_cycle(dut)
        dut.measure_i.value = 0
        for _ in range(draw.randrange(3)):
            await next_cycle(dut)
        await settle()
        whole = (size + 7) // 8
        assert int(dut.words_o.value) == whole
        assert int(dut.block_o.value) == whole + (5 if kind == OBJECT else 6) + (alignment == 16)
        await next_cycle(dut)
