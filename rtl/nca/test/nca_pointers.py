"""nca_pointers: it finds all pointers of an object, from any word on, and asks for each mask once."""

import random

import cocotb
from streams import interrupted, next_cycle, reset, settle
from tile import DATA_ARRAY, DESCRIPTOR, OBJECT, POINTER, POINTER_ARRAY, any_codes

DO = ("begins", "resumes", "search", "next", "forget_mask", "set_mask")


async def step(dut, *what: str) -> None:
    dut.do_i.value = sum(1 << len(DO) - 1 - DO.index(one) for one in what)
    await next_cycle(dut)
    dut.do_i.value = 0


@cocotb.test()
async def finds_all_pointers(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    dut.do_i.value = 0
    dut.after_i.value = 0
    await reset(dut)
    for _ in range(120):
        kind = draw.choice([OBJECT, OBJECT, OBJECT, DATA_ARRAY, POINTER_ARRAY])
        words = draw.choice([0, 1, 4, 31, 32, 33, 40, 100])
        codes = any_codes(draw, words) if kind == OBJECT else [0 if kind == DATA_ARRAY else POINTER] * words
        noise = [draw.randrange(4) for _ in range(-words % 32)]  # of the last mask, behind the object
        first = draw.randrange(words + 1) if draw.random() < 0.4 else 0
        if first and kind == OBJECT:  # behind a pointer, never within a descriptor
            first = next((at for at in range(first, words) if codes[at] != 0), words)
        dut.kind_i.value, dut.words_i.value = kind, words
        dut.position_i.value = first
        await step(dut, "begins" if first == 0 else "resumes", "forget_mask")
        found, asked = [], []
        for _ in range(1000):
            dut.after_i.value = 0
            await settle()
            if int(dut.beyond_o.value):
                break
            position = int(dut.position_o.value)
            if int(dut.mask_missing_o.value):
                asked.append(position // 32)
                await next_cycle(dut)
                mask = (codes + noise)[position // 32 * 32 :][:32]
                dut.mask_i.value = sum(code << 2 * i for i, code in enumerate(mask))
                await step(dut, "set_mask")
                dut.mask_i.value = draw.getrandbits(64)
                continue
            has = int(dut.found_o.value)
            await next_cycle(dut)
            await step(dut, "search")
            await settle()
            if not has or int(dut.beyond_o.value):
                await next_cycle(dut)
                continue
            found.append(int(dut.position_o.value))
            await next_cycle(dut)
            dut.after_i.value = 1
            await step(dut, "next")
        wanted = [at for at in range(first, words) if codes[at] in (POINTER, DESCRIPTOR)] if kind != DATA_ARRAY else []
        assert found == wanted
        # A descriptor may reach over the end of a mask, and make the next one needless.
        assert asked == sorted(set(asked)) and (kind == OBJECT or not asked)
        await next_cycle(dut)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, finds_all_pointers.func)
