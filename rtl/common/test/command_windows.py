"""command_windows: loads return what was stored last; a doorbell rings the unit once, and its store is answered behind
the unit's decision; calls are told it; while a command runs its window keeps its fields, if the module holds them.
"""

import random

import cocotb
from places import ACCEPTED, FULL, IDLE, WRONG
from streams import interrupted, next_cycle, parameter, reset, settle

WINDOWS = parameter("WINDOWS", 8)
FIELDS = parameter("FIELDS", 7)
HOLDS = parameter("HOLDS", 1)
DOORBELL = 7


class Unit:
    """Who uses the windows, and the harts: a model of all registers."""

    def __init__(self, dut, draw: random.Random, stall: float) -> None:
        self.dut, self.draw, self.stall = dut, draw, stall
        self.fields = [[0] * FIELDS for _ in range(WINDOWS)]
        self.status = [IDLE] * WINDOWS
        self.access: tuple[int, int, int] | None = None
        self.expected: list[tuple[int, int] | None] = []  # answers: wrong, value; None: that of a store, right
        self.call: int | None = None
        self.ringing: int | None = None
        self.called: int | None = None  # a call inside, and what it will be told
        self.field: int | None = None  # arrives now
        self.answers = self.rings = self.calls = 0
        self.kept: tuple[int, int] | None = None

    def held(self, window: int) -> bool:
        return bool(HOLDS) and self.status[window] == ACCEPTED

    def drive(self, asks: bool) -> None:
        dut, draw = self.dut, self.draw
        if self.access is None and asks and draw.random() >= self.stall:
            window = draw.randrange(WINDOWS) if draw.random() < 0.95 else WINDOWS + draw.randrange(8192 - WINDOWS)
            self.access = (draw.randrange(2), window * 8 + draw.choice([*range(8), DOORBELL]), draw.getrandbits(64))
        dut.access_valid_i.value = int(self.access is not None)
        if self.access is not None:
            dut.access_writes_i.value, dut.access_register_i.value, dut.access_value_i.value = self.access
        if self.call is None and asks and draw.random() < 0.05:
            self.call = draw.randrange(WINDOWS)
        dut.call_valid_i.value = int(self.call is not None)
        dut.call_window_i.value = self.call or 0
        dut.answer_ready_i.value = int(draw.random() >= self.stall)
        self.rung = draw.choice([ACCEPTED, ACCEPTED, FULL, WRONG])
        self.says = self.ringing is not None and draw.random() >= self.stall
        dut.rung_valid_i.value, dut.rung_status_i.value = int(self.says), self.rung
        self.reads = (draw.randrange(WINDOWS), draw.randrange(FIELDS)) if draw.random() < 0.2 else None
        dut.field_valid_i.value = int(self.reads is not None)
        dut.field_window_i.value, dut.field_index_i.value = self.reads or (0, draw.randrange(8))
        runs = [one for one in range(WINDOWS) if self.status[one] == ACCEPTED and one != self.ringing]
        self.ends = (draw.choice(runs), draw.choice([IDLE, WRONG])) if runs and draw.random() < 0.1 else None
        dut.end_valid_i.value = int(self.ends is not None)
        dut.end_window_i.value, dut.end_status_i.value = self.ends or (0, ACCEPTED)

    def begins(self) -> None:
        """The access that is accepted."""
        writes, register, value = self.access
        self.access = None
        window, index = divmod(register, 8)
        if window >= WINDOWS or (index >= FIELDS and index != DOORBELL):
            self.expected.append((1, 0))
        elif not writes:
            self.expected.append((0, self.status[window] if index == DOORBELL else self.fields[window][index]))
        else:
            self.expected.append(None)
            if self.held(window):
                return
            if index == DOORBELL:
                self.ringing = window
            else:
                self.fields[window][index] = value

    def saw(self) -> None:
        dut = self.dut
        if self.field is not None:
            assert int(dut.field_word_o.value) == self.field
        self.field = None if self.reads is None else self.fields[self.reads[0]][self.reads[1]]
        ring = int(dut.ring_valid_o.value)
        assert ring == (self.ringing is not None), "a doorbell rings once, until its state is said"
        if ring:
            assert int(dut.ring_window_o.value) == self.ringing
        answer = (int(dut.answer_wrong_o.value), int(dut.answer_value_o.value))
        valid = int(dut.answer_valid_o.value)
        if self.kept is not None:
            assert valid and answer == self.kept, "an answer changed"
        self.kept = answer if valid and not int(dut.answer_ready_i.value) else None
        if valid:
            assert self.ringing is None, "answered before the unit has decided"
            expected = self.expected[0]
            assert answer[0] == 0 if expected is None else answer == expected
            if int(dut.answer_ready_i.value):
                self.expected.pop(0)
                self.answers += 1
        if int(dut.called_valid_o.value):
            assert self.called is not None and self.ringing is None
            assert int(dut.called_taken_o.value) == self.called
            self.called = None
            self.calls += 1
        accepts = int(dut.access_ready_o.value) and self.access is not None
        calls = int(dut.call_ready_o.value) and self.call is not None
        assert not (accepts and (calls or self.reads is not None))
        if self.says:
            self.status[self.ringing] = self.rung
            if self.called is not None:
                self.called = int(self.rung == ACCEPTED)
            self.ringing = None
            self.rings += 1
        if accepts:
            self.begins()
        if calls:
            window, self.call = self.call, None
            self.called = 0
            if not self.held(window):
                self.ringing = window
        if self.ends:
            self.status[self.ends[0]] = self.ends[1]


async def run(dut, stall: float, cycles: int = 3000) -> None:
    unit = Unit(dut, random.Random(cocotb.RANDOM_SEED), stall)
    unit.drive(asks=False)
    dut.field_valid_i.value = 0
    await reset(dut)
    for _ in range(8 * WINDOWS):  # the fields are cleared
        await settle()
        assert not int(dut.access_ready_o.value) and not int(dut.call_ready_o.value)
        await next_cycle(dut)
    for cycle in range(cycles + 200):
        unit.drive(asks=cycle < cycles)
        await settle()
        unit.saw()
        await next_cycle(dut)
    assert not unit.expected and unit.access is None and unit.called is None
    assert unit.answers > cycles / 20 and unit.rings > cycles / 100 and unit.calls > cycles / 200


@cocotb.test()
async def registers_keep_what_was_stored(dut):
    for stall in (0.0, 0.3, 0.6):
        await run(dut, stall)


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, registers_keep_what_was_stored.func)


@cocotb.test()
async def an_access_takes_its_cycles(dut):
    unit = Unit(dut, random.Random(cocotb.RANDOM_SEED), 0)
    unit.drive(asks=False)
    await reset(dut)
    dut.field_valid_i.value = 0
    for _ in range(8 * WINDOWS):
        await next_cycle(dut)
    # A store, a load of a field, a load of a doorbell, an unknown register.
    for access, cycles in (((1, 0, 5), 1), ((0, 0, 0), 2), ((0, DOORBELL, 0), 1), ((0, 8 * WINDOWS, 0), 1)):
        unit.access = access
        took = 0
        while unit.access is not None or unit.expected:
            unit.drive(asks=False)
            dut.field_valid_i.value, unit.reads = 0, None
            await settle()
            took += int(unit.access is None)
            unit.saw()
            await next_cycle(dut)
        assert took == cycles, (access, took)
