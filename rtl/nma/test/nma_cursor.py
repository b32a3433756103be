"""nma_cursor: against an object's words in Python: which is loaded next, what it is, and how many are left."""

import random

import cocotb
from nma_names import DATA, OBJECT, POINTER, POINTER_ARRAY, pack
from streams import next_cycle, reset, settle


class Model:
    """The registers, as the states of the machine use them."""

    def __init__(self) -> None:
        self.position = self.left = self.words = self.index = self.mask = 0
        self.valid = False

    def code(self, kind: int) -> int:
        if self.index:
            return DATA
        return POINTER if kind == POINTER_ARRAY else self.mask >> self.position % 32 * 2 & 3

    def load(self) -> None:
        self.position += 1
        self.index = max(0, self.index - 1)
        if self.position % 32 == 0:
            self.valid = False


@cocotb.test()
async def counts_and_names_words(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    model = Model()

    async def do(*what: str, **signals: int) -> None:
        dut.do_i.value = pack("cursor_do_t", **dict.fromkeys(what, 1))
        for name, value in signals.items():
            getattr(dut, f"{name}_i").value = value
        await next_cycle(dut)
        dut.do_i.value = 0

    for _ in range(60):
        kind = draw.choice([OBJECT, POINTER_ARRAY])
        model.words = draw.choice([1, 5, 40, 90])
        dut.kind_i.value, dut.words_i.value = kind, model.words
        await do("forget_mask")
        model.valid = False
        if draw.random() < 0.5:
            await do("begins", "set_index", index=0)
            model.position, model.left, model.index = 0, model.words, 0
        else:
            position = draw.randrange(model.words + 3)
            model.index = draw.randrange(3)
            await do("set_position", "set_index", position=position, index=model.index)
            await settle()
            assert int(dut.beyond_o.value) == (position > model.words)
            if position > model.words:
                await next_cycle(dut)
                continue
            assert int(dut.remain_o.value) == model.words - position
            await next_cycle(dut)
            await do("resumes")
            model.position, model.left = position, model.words - position
        for _ in range(model.left):
            await settle()
            missing = model.index == 0 and kind != POINTER_ARRAY and not model.valid
            assert int(dut.mask_missing_o.value) == missing
            assert int(dut.position_o.value) == model.position
            assert (int(dut.left_o.value), int(dut.last_o.value)) == (model.left, model.left == 1)
            assert int(dut.index_o.value) == model.index
            if not missing:
                assert int(dut.code_o.value) == model.code(kind)
            await next_cycle(dut)
            if missing:
                model.mask, model.valid = draw.getrandbits(64), True
                await do("set_mask", mask=model.mask)
                continue
            await do("load")
            model.load()
            if draw.random() < 0.2:
                await do("set_index", index=2)
                model.index = 2
            await do("copied")
            model.left -= 1
