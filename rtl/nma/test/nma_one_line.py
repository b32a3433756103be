"""nma_one_line: the line registers of the original and of the copy, against a table of words."""

import random

import cocotb
from nma_names import burst_of, lanes_of
from streams import interrupted, next_cycle, parameter, reset, settle

LANES = parameter("LANES", 8)
LINE = 8 * LANES


def drive(dut, **signals: int) -> None:
    """These inputs; all other commands are low."""
    for name in ("clear", "take", "fill", "store", "moves"):
        if hasattr(dut, f"{name}_i"):
            getattr(dut, f"{name}_i").value = signals.pop(name, 0)
    for name, value in signals.items():
        getattr(dut, f"{name}_i").value = value


async def one(dut, **signals: int) -> None:
    """A cycle with these inputs."""
    drive(dut, **signals)
    await next_cycle(dut)


@cocotb.test()
async def has_the_words_of_its_line(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    stores = hasattr(dut, "store_i")
    drive(dut)
    await reset(dut)
    await settle()
    assert not int(dut.has_o.value) and not (stores and int(dut.stored_o.value))
    await next_cycle(dut)
    tag, line = 0, None  # the line that was taken last; it is forgotten when both are cleared
    words: dict[int, int] = {}
    offsets = [draw.getrandbits(40) // LINE * LINE for _ in range(3)]
    offsets.append(offsets[0] ^ LINE)
    offset = offsets[0]
    await one(dut, moves=1, enters=1)  # of no line: none was taken
    dut.offset_i.value = offset
    for _ in range(3000):
        if draw.random() < 0.6:
            offset = draw.choice(offsets) + 8 * draw.randrange(LANES)
            await one(dut, moves=1, enters=int(offset // LINE * LINE == tag))
            dut.offset_i.value = offset
        else:
            await one(dut)
        base, lane = offset // LINE * LINE, offset % LINE // 8
        await settle()
        has = base == line and lane in words
        assert int(dut.has_o.value) == has
        if has:
            assert int(dut.word_o.value) == words[lane]
        if line is not None:
            assert int(dut.line_o.value) * LINE == line
        if stores:
            assert int(dut.has_line_o.value) == (base == line)
            for at, value in words.items():
                assert lanes_of(int(dut.words_o.value), LANES)[at] == value
        await next_cycle(dut)
        chance = draw.random()
        if chance < 0.02:
            await one(dut, clear=1)
            line, words = None, {}
        elif chance < 0.2:
            await one(dut, take=1, enters=draw.randrange(2))
            tag, line, words = base, base, {}
        elif chance < 0.4 and line is not None:
            filled = [draw.getrandbits(64) for _ in range(LANES)]
            await one(dut, fill=1, fill_words=burst_of(filled))
            # Words that were stored before stay.
            words = dict(enumerate(filled)) | (words if stores else {})
        elif stores and base == line:
            value = draw.getrandbits(64)
            await one(dut, store=1, value=value)
            words[lane] = value


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, has_the_words_of_its_line.func)
