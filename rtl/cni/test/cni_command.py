"""cni_command: copies of 1 to 65536 bytes, messages of 1 to 40, and the words that each of them needs."""

import random

import cocotb
from streams import next_cycle, reset, settle

COPY, MESSAGE, ONCE = 1, 2, 3


@cocotb.test()
async def all_commands(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    sizes = [*range(0, 66), 127, 4096, 65535, 65536, 65537, 1 << 40, (1 << 56) - 1, (1 << 55) + 8]
    whats = [(code, size) for size in sizes for code in (0, COPY, MESSAGE, ONCE, 4, 255)]
    whats += [(draw.randrange(256), draw.getrandbits(draw.randrange(1, 57))) for _ in range(200)]
    for code, size in whats:
        dut.what_i.value = code | size << 8
        await settle()
        limit = {COPY: 65536, MESSAGE: 40, ONCE: 40}.get(code, 0)
        assert int(dut.sound_o.value) == (1 <= size <= limit), (code, size)
        if 1 <= size <= limit:
            words = 4 if code == COPY else 3 + (size + 7) // 8
            assert int(dut.needed_o.value) == (1 << words) - 1, (code, size)
        await next_cycle(dut)
