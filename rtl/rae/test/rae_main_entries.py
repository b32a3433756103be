"""rae_main_entries: against a list of entries in Python, with random searches, joins, grants, claims and ends."""

import random

import cocotb
from cocotb.triggers import Timer
from streams import bit, interrupted, next_cycle, parameter, reset, settle

ENTRIES = parameter("MAIN_ENTRIES", 64)
SUB_ENTRIES = parameter("SUB_ENTRIES", 64)
MERGE = parameter("MERGE", 1)
LINES = 6


class Entry:
    def __init__(self, line: int, writes: int) -> None:
        self.line, self.writes, self.joined = line, writes, 1
        self.owned = self.closed = self.claimed = False


@cocotb.test()
async def agrees_with_a_list(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    await reset(dut)
    entries: list[Entry | None] = [None] * ENTRIES
    announced: int | None = None  # the entry that is asked for in the next cycle
    for _ in range(3000):
        line = draw.randrange(LINES)
        dut.line_i.value = line
        # That one may be taken changes nothing that matters.
        dut.may_take_i.value = draw.randrange(2)
        dut.take_i.value = dut.join_i.value = dut.claim_i.value = dut.end_i.value = dut.grant_i.value = 0
        # An entry may end in the first cycle of the search.
        if draw.random() < 0.2 and (used := [i for i, one in enumerate(entries) if one]):
            gone = draw.choice(used)
            dut.end_i.value, dut.entry_i.value = 1, gone
            entries[gone] = None
        ended = draw.choice([i for i, entry in enumerate(entries) if entry] or [None])
        dut.next_entry_i.value = ended or 0
        await settle()
        if announced is not None and entries[announced]:
            assert int(dut.entry_joined_o.value) == entries[announced].joined
        await next_cycle(dut)
        dut.end_i.value = 0
        found = next((i for i, entry in enumerate(entries) if entry and entry.line == line), None)
        free = next((i for i, entry in enumerate(entries) if entry is None), None)
        granted = draw.choice([i for i, entry in enumerate(entries) if entry and not entry.owned] or [None])
        grants = granted is not None and draw.random() < 0.3
        from_core = draw.random() < 0.5
        dut.grant_i.value, dut.grant_core_i.value, dut.grant_entry_i.value = int(grants), int(from_core), granted or 0
        dut.entry_i.value = ended or 0
        await settle()
        assert int(dut.found_o.value) == (found is not None)
        assert int(dut.has_free_o.value) == (free is not None)
        gets_line = grants and (not from_core or entries[granted].writes)
        if free is not None:
            assert int(dut.free_entry_o.value) == free
        is_open = False
        if found is not None:
            entry = entries[found]
            assert int(dut.found_entry_o.value) == found
            assert int(dut.found_owned_o.value) == (entry.owned or (gets_line and granted == found))
            assert int(dut.found_joined_o.value) == entry.joined
            closes = grants and not gets_line and granted == found
            is_open = bool(MERGE) and not entry.closed and not closes and entry.joined < SUB_ENTRIES
            assert int(dut.found_open_o.value) == is_open
        if ended is not None:
            entry = entries[ended]
            assert int(dut.entry_line_o.value) == entry.line
            assert int(dut.entry_writes_o.value) == bit(dut.writes_o, ended) == entry.writes
            assert int(dut.entry_joined_o.value) == entry.joined
            assert int(dut.entry_owned_o.value) == entry.owned
            assert int(dut.entry_claimed_o.value) == entry.claimed
        granted = granted if grants else None
        announced = draw.choice([i for i, entry in enumerate(entries) if entry] or [None])
        await happen(dut, draw, entries, line, found, free, is_open, ended, granted, gets_line, announced)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, agrees_with_a_list.func)


async def happen(dut, draw, entries, line, found, free, is_open, ended, granted, gets_line, announced) -> None:
    """One of the things that can happen, in the same cycle as the grant."""
    await Timer(1, unit="ns")  # after what was read, before the clock edge
    writes = draw.randrange(2)
    dut.writes_i.value = writes
    chance = draw.random()
    take = found is None and free is not None and chance < 0.6
    join = found is not None and is_open and chance < 0.4
    claim = found is not None and not join and entries[found].owned and chance < 0.6
    end = ended is not None and ended not in (found, granted) and draw.random() < 0.4
    dut.take_i.value, dut.join_i.value, dut.claim_i.value, dut.end_i.value = int(take), int(join), int(claim), int(end)
    dut.may_take_i.value = int(take or draw.random() < 0.5)
    dut.next_entry_i.value = announced or 0
    await next_cycle(dut)
    if granted is not None:
        entries[granted].owned = entries[granted].owned or bool(gets_line)
        entries[granted].closed = entries[granted].closed or not gets_line
    if join:
        entries[found].joined += 1
        entries[found].writes |= writes
    if claim:
        entries[found].closed = entries[found].claimed = True
    if end:
        entries[ended] = None
    if take:
        entries[free] = Entry(line, writes)
