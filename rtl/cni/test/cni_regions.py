"""cni_regions: entries that cannot be are disabled, the first match counts, and each line of a range is looked up.

A line takes a cycle for each group of entries, up to that of the first match.
"""

import random

import cocotb
from streams import happened, interrupted, next_cycle, parameter, reset, settle

ENTRIES, WAYS = parameter("ENTRIES", 16), parameter("WAYS", 8)
COMPARED = parameter("COMPARED", 4)
GROUPS = -(-ENTRIES // COMPARED)
BITS, LINE = parameter("ADDRESS_BITS", 48), parameter("LINE_BYTES", 64)
OWN, EVENTS, LAST_CODE = 1, 3, 4
ALL = (1 << 64) - 1


class Table:
    """What the table must say."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, int, int, int] | None] = [None] * ENTRIES

    def set(self, entry: int, match: int, mask: int, code: int, way: int) -> bool:
        sound = mask % LINE == 0 and match & ~mask == 0 and match < 1 << BITS and 1 <= code <= LAST_CODE
        sound = sound and (code != OWN or way < WAYS)
        self.entries[entry] = (match, mask, code, way) if sound else None
        return sound

    def find(self, address: int) -> tuple[tuple[int, int] | None, int]:
        """The use, by the first entry that matches, and the cycles until it is found."""
        for number, entry in enumerate(self.entries):
            if entry and address & entry[1] == entry[0]:
                return (entry[2], entry[3]), number // COMPARED + 1
        return None, GROUPS

    def ask(self, address: int, size: int, writes: int) -> tuple[bool, int, tuple[int, int] | None]:
        """Whether all of it is allowed, how many cycles that takes, and the use of the first line."""
        if size == 0 or address >= 1 << BITS:
            return False, 1, None
        first, cycles = self.find(address)[0], 0
        for line in range(address // LINE, (address + size - 1) // LINE + 1):
            if line * LINE == 1 << BITS:
                return False, cycles, first
            found, more = self.find(line * LINE)
            cycles += more
            if found is None or (found[0] == EVENTS and not writes):
                return False, cycles, first
        return True, cycles, first


def some_entry(draw: random.Random) -> tuple[int, int, int, int]:
    """Half of them around the same addresses, some wrong."""
    mask = ALL & -(LINE << draw.randrange(9))
    match = draw.randrange(0, 1 << min(BITS, 12)) & mask
    if draw.random() < 0.2:
        mask ^= 1 << draw.randrange(64)
    if draw.random() < 0.1:
        match |= 1 << draw.randrange(64)
    code = draw.choice([*range(1, 5)] * 3 + [0, 5, 8, ALL])
    return match, mask, code, draw.choice([*range(WAYS)] * 2 + [WAYS, 1 << 40])


async def put(dut, table: Table, entry: int, fields: tuple[int, int, int, int]) -> None:
    dut.set_valid_i.value, dut.set_entry_i.value = 1, entry
    dut.set_match_i.value, dut.set_mask_i.value, dut.set_code_i.value, dut.set_way_i.value = fields
    await next_cycle(dut)
    dut.set_valid_i.value = 0
    await settle()
    assert int(dut.set_sound_o.value) == table.set(entry, *fields), fields
    await next_cycle(dut)


async def ask(dut, table: Table, address: int, size: int, writes: int, stall: int) -> bool:
    """A question, whose answer must be right and come after a cycle for each line."""
    dut.ask_valid_i.value, dut.ask_address_i.value = 1, address
    dut.ask_bytes_i.value, dut.ask_writes_i.value = size, writes
    await settle()
    assert int(dut.ask_ready_o.value) and int(dut.quiet_o.value)
    await next_cycle(dut)
    dut.ask_valid_i.value = 0
    allowed, cycles, first = table.ask(address, size, writes)
    for _ in range(cycles):
        await settle()
        assert not int(dut.answer_valid_o.value) and not int(dut.quiet_o.value) and not int(dut.ask_ready_o.value)
        await next_cycle(dut)
    for last in [*[0] * stall, 1]:
        dut.answer_ready_i.value = last
        await settle()
        assert int(dut.answer_valid_o.value) and int(dut.answer_allowed_o.value) == allowed
        assert int(dut.answer_code_o.value) == (first[0] if first else 0)
        if first and first[0] == OWN:
            assert int(dut.answer_way_o.value) == first[1]
        await next_cycle(dut)
    dut.answer_ready_i.value = 0
    return allowed


@cocotb.test()
async def random_tables(dut):
    draw, table = random.Random(cocotb.RANDOM_SEED), Table()
    dut.set_valid_i.value = dut.ask_valid_i.value = dut.answer_ready_i.value = 0
    await reset(dut)
    allowed = 0
    for _ in range(700):
        if draw.random() < 0.4:
            await put(dut, table, draw.randrange(ENTRIES), some_entry(draw))
        size = draw.choice([0, 1, 8, draw.randrange(1, 2 * LINE), draw.randrange(1, 20 * LINE)])
        near_the_end = (1 << BITS) - draw.choice([8, 5 * LINE])
        address = draw.choice([draw.randrange(1 << min(BITS, 12)), draw.getrandbits(64), near_the_end])
        allowed += await ask(dut, table, address, size, draw.randrange(2), draw.randrange(3))
    assert allowed > 10


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, random_tables.func)


@cocotb.test()
async def the_usual_regions(dut):
    """Own scratchpad in several ways, events before the scratchpads of others, memory; ranges across all of them."""
    draw, table = random.Random(cocotb.RANDOM_SEED), Table()
    dut.set_valid_i.value = dut.ask_valid_i.value = dut.answer_ready_i.value = 0
    await reset(dut)
    await ask(dut, table, 0, 8, 0, 0)
    await put(dut, table, 0, (0x800, ALL & -4 * LINE, EVENTS, 0))
    await put(dut, table, 1, (0, ALL & ~0xFFF, 4, 0))
    refused = 0
    for _ in range(200):
        address, size, writes = draw.randrange(0x1000), draw.randrange(1, 12 * LINE), draw.randrange(2)
        refused += not await ask(dut, table, address, size, writes, 0)
    assert 0 < refused < 200
    await put(dut, table, 0, (0x800, ALL & -4 * LINE, 0, 0))
    assert await ask(dut, table, 0x7F8, 16, 0, 0), "an entry without a code is disabled"
    await put(dut, table, 1, (0, ALL & ~0xFFF, OWN, WAYS))
    assert not await ask(dut, table, 0x7F8, 16, 0, 0), "there is no such way"


async def cycles_of(dut, address: int, size: int) -> int:
    """From the question's edge to the cycle in which its answer is offered."""
    dut.ask_valid_i.value, dut.ask_address_i.value, dut.ask_bytes_i.value, dut.ask_writes_i.value = 1, address, size, 1
    dut.answer_ready_i.value = 1
    await settle()
    assert int(dut.ask_ready_o.value), "a question must be accepted in the cycle after the answer"
    cycle, answered = 0, 0
    while not answered:
        await next_cycle(dut)
        dut.ask_valid_i.value = 0
        await settle()
        answered = int(dut.answer_valid_o.value)
        cycle += 1
    await next_cycle(dut)
    return cycle


@cocotb.test()
async def each_takes_its_cycles(dut):
    table = Table()
    dut.set_valid_i.value = dut.ask_valid_i.value = dut.answer_ready_i.value = 0
    await reset(dut)
    await put(dut, table, 0, (0, ALL & ~0xFFF, LAST_CODE, 0))
    assert await cycles_of(dut, 0, 0) == 2
    assert await cycles_of(dut, (1 << 64) - 8, 16) == 2
    for lines in (1, 2, 20):
        assert await cycles_of(dut, LINE - 1, 1 + (lines - 1) * LINE) == 1 + lines
    if BITS > 12:
        refused = await cycles_of(dut, 0x1000 - 2 * LINE, 9 * LINE)
        assert refused == 1 + 2 + GROUPS, "the first line that is refused ends it"
    await put(dut, table, 0, (0, ALL & ~0xFFF, 0, 0))
    await put(dut, table, ENTRIES - 1, (0, ALL & ~0xFFF, LAST_CODE, 0))
    assert await cycles_of(dut, 0, 2 * LINE) == 1 + 2 * GROUPS, "the last entry is found last"


@cocotb.test()
async def energy_lines(dut):
    """Ranges of all lengths up to 16 lines, in any of the table's entries, each of which is a region of 64 lines."""
    draw, table = random.Random(cocotb.RANDOM_SEED), Table()
    dut.set_valid_i.value = dut.ask_valid_i.value = dut.answer_ready_i.value = 0
    await reset(dut)
    region = 64 * LINE
    for entry in range(ENTRIES):
        await put(dut, table, entry, (entry * region, ALL & -region, LAST_CODE, 0))
    lines = 0
    for _ in range(400):
        address, size = draw.randrange((ENTRIES - 1) * region), draw.randrange(1, 16 * LINE)
        lines += (address + size - 1) // LINE - address // LINE + 1
        assert await ask(dut, table, address, size, 1, 0)
    happened("a line looked up", lines)
