"""nca_line: it has the line that came last, and knows which of its words were marked since."""

import random

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

LANES = parameter("LANES", 4)


@cocotb.test()
async def agrees_with_a_line(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    for port in ("clear", "take", "fill", "mark"):
        getattr(dut, f"{port}_i").value = 0
    await reset(dut)
    line, words, marked, tag = None, [0] * LANES, [0] * LANES, None
    for _ in range(2000):
        offset = draw.randrange(3) * LANES * 8 + draw.randrange(LANES) * 8 + (draw.getrandbits(30) << 10 & 0)
        if tag is not None and draw.random() < 0.5:
            offset = tag * LANES * 8 + draw.randrange(LANES) * 8
        if draw.random() < 0.2:
            offset |= 1 << draw.randrange(10, 40)
        lane, at = offset // 8 % LANES, offset // 8 // LANES
        do = draw.choice(["", "", "mark", "take", "clear"]) if line is not None else draw.choice(["", "take", "clear"])
        if tag is not None and line is None and draw.random() < 0.6:
            do = "fill"
        new = [draw.getrandbits(64) for _ in range(LANES)]
        dut.offset_i.value = offset
        dut.fill_words_i.value = sum(word << 64 * i for i, word in enumerate(new))
        for port in ("clear", "take", "fill", "mark"):
            getattr(dut, f"{port}_i").value = int(do == port)
        await settle()
        assert int(dut.has_o.value) == (line is not None and line == at)
        if line is not None:
            assert int(dut.word_o.value) == words[lane]
            assert int(dut.marked_o.value) == marked[lane]
        await next_cycle(dut)
        if do == "mark":
            marked[lane] = 1
        if do == "take":
            line, tag = None, at
        if do == "clear":
            line = None
        if do == "fill":
            line, words, marked = tag, new, [0] * LANES


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, agrees_with_a_line.func)
