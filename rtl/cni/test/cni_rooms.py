"""cni_rooms: against a list of counts: each kind of jobs has a quarter of the list, and an event needs four places.

What begins or ends is counted one cycle later; in that cycle its kind has no place if a job of it begins.
"""

import random

import cocotb
from streams import interrupted, next_cycle, parameter, reset, settle

QUARTER = parameter("JOBS", 64) // 4
EVENT, WORD = 1, 3
EVENT_JOBS = 4


def expected(counts: list[int]) -> tuple[list[bool], bool, bool]:
    """Places by share, of words, and whether there is no job."""
    room = [count < QUARTER for count in counts]
    room[EVENT] = counts[EVENT] + EVENT_JOBS <= QUARTER
    return room, counts[WORD] < QUARTER - 1, not any(counts)


def outputs(dut) -> tuple[list[bool], bool, bool]:
    room = int(dut.room_o.value)
    return [bool(room >> share & 1) for share in range(4)], bool(dut.word_room_o.value), bool(dut.idle_o.value)


@cocotb.test()
async def counts_jobs_of_each_kind(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    dut.take_valid_i.value = dut.give_valid_i.value = 0
    await reset(dut)
    counts = [0] * 4
    full = idle = 0
    for cycle in range(6000):
        if cycle % 100 == 0:
            chance = draw.choice([0.1, 0.5, 0.9])
        await settle()
        said = expected(counts)
        assert outputs(dut) == said
        full += not all(said[0])
        idle += not any(counts)
        await next_cycle(dut)
        takes, gives = draw.random() < chance, draw.random() < 1 - chance
        taken, given = draw.randrange(4), draw.randrange(4)
        takes, gives = takes and counts[taken] < QUARTER, gives and counts[given] > 0
        dut.take_valid_i.value, dut.take_i.value = int(takes), taken
        dut.give_valid_i.value, dut.give_i.value = int(gives), given
        await next_cycle(dut)
        dut.take_valid_i.value = dut.give_valid_i.value = 0
        dut.take_i.value, dut.give_i.value = draw.randrange(4), draw.randrange(4)
        await settle()
        room, word_room, no_job = expected(counts)
        if takes:
            room[taken], word_room, no_job = False, word_room and taken != WORD, False
        assert outputs(dut) == (room, word_room, no_job)
        await next_cycle(dut)
        counts[taken] += takes
        counts[given] -= gives
    assert full > 200 and idle > 20


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, counts_jobs_of_each_kind.func)
