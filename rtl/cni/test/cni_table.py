"""cni_table: each asker gets its own answers, those of the table at that time, in turns; entries wait for questions."""

import random

import cocotb
from cni_regions import BITS, ENTRIES, OWN, Table, some_entry
from streams import interrupted, next_cycle, reset, settle, word

LINE = 64
ASKERS = 3
QUESTION_WIDTH = 64 + 17 + 1


def some_question(draw: random.Random) -> tuple[int, int, int]:
    """Address, bytes, and whether they are written."""
    address = draw.choice([draw.randrange(1 << 12), draw.randrange(1 << 12), draw.getrandbits(64), (1 << BITS) - 8])
    return address, draw.choice([0, 1, 8, draw.randrange(1, 5 * LINE)]), draw.randrange(2)


async def answers(dut, stall: float, cycles: int) -> None:
    draw, table = random.Random(cocotb.RANDOM_SEED), Table()
    dut.set_valid_i.value = dut.ask_valid_i.value = dut.answer_ready_i.value = 0
    await reset(dut)
    asks: list[tuple[int, int, int] | None] = [None] * ASKERS
    passed_over = [0] * ASKERS
    sets: tuple[int, tuple[int, int, int, int]] | None = None
    sound: bool | None = None  # of the entry that was written in the cycle before
    inside: tuple[int, tuple[int, int, int]] | None = None
    told = allowed_ones = written = cycles_inside = 0
    for _ in range(cycles):
        asks = [ask or (some_question(draw) if draw.random() >= stall else None) for ask in asks]
        if sets is None and draw.random() < 0.1:
            sets = draw.randrange(ENTRIES), some_entry(draw)
        dut.ask_valid_i.value = word([ask is not None for ask in asks])
        packed = [(address << 17 | size) << 1 | writes for address, size, writes in (ask or (0, 0, 0) for ask in asks)]
        dut.ask_i.value = sum(question << QUESTION_WIDTH * i for i, question in enumerate(packed))
        dut.set_valid_i.value = int(sets is not None)
        if sets:
            dut.set_entry_i.value = sets[0]
            dut.set_match_i.value, dut.set_mask_i.value, dut.set_code_i.value, dut.set_way_i.value = sets[1]
        ready = [draw.random() >= stall for _ in range(ASKERS)]
        dut.answer_ready_i.value = word(ready)
        await settle()
        if sound is not None:
            assert int(dut.set_sound_o.value) == sound
        sound = None
        accepts = int(dut.ask_ready_o.value)
        assert int(dut.set_ready_o.value) == (inside is None)
        if inside is None:
            assert not int(dut.answer_valid_o.value), "an answer without a question"
        if inside is not None or sets:
            assert not accepts
        elif any(asks):
            assert [at for at in range(ASKERS) if accepts >> at & 1 and asks[at]], "nobody is asked"
        if inside is not None:
            asker, (address, size, writes) = inside
            allowed, cycles, first = table.ask(address, size, writes)
            cycles_inside += 1
            valid = int(dut.answer_valid_o.value)
            assert valid == (1 << asker if cycles_inside > cycles else 0)
            if valid:
                assert int(dut.answer_allowed_o.value) == allowed
                assert int(dut.answer_code_o.value) == (first[0] if first else 0)
                if first and first[0] == OWN:
                    assert int(dut.answer_way_o.value) == first[1]
                if ready[asker]:
                    told, allowed_ones, inside = told + 1, allowed_ones + allowed, None
        elif sets:
            sound = table.set(sets[0], *sets[1])
            written, sets = written + 1, None
        elif any(asks):
            (asker,) = (at for at in range(ASKERS) if accepts >> at & 1)
            inside, asks[asker], cycles_inside = (asker, asks[asker]), None, 0
            passed_over = [0 if at == asker else passed_over[at] + (asks[at] is not None) for at in range(ASKERS)]
            assert max(passed_over) < ASKERS, "not in turns"
        await next_cycle(dut)
    assert told > cycles / 30 and allowed_ones > 10 and written > 50


@cocotb.test()
async def answers_are_those_of_the_table(dut):
    await answers(dut, 0.5, 5000)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, answers_are_those_of_the_table.func)


@cocotb.test()
async def all_ask_all_the_time(dut):
    await answers(dut, 0, 4000)
