"""nca_range_commands: each right doorbell is one command with a tag of its own; its end is one trigger, if it is to
trigger, and one acknowledgement behind that.
"""

import random
from collections import Counter
from dataclasses import dataclass

import cocotb
from graph_and_range import LINE, range_of, some_range
from places import ACCEPTED, FULL, HERE, TAIL, TAIL_WINDOW, WRONG, counter_of, named, partition
from streams import interrupted, parameter
from windows import Windows

HARTS, QUEUE, SLOTS = parameter("HARTS", 5), parameter("QUEUE_ENTRIES", 4), parameter("SLOTS", 8)
TAGS = QUEUE + SLOTS + 1
FIELDS = 5
# A tag, or a hart that waited, is free to the circuit so long after its end was told.
LATE = 3


@dataclass(eq=False)
class Command:
    """A doorbell with right fields."""

    asked: tuple[int, int, int]  # operation, first and last byte
    hart: int
    counter: int
    triggers: bool
    error: int = 0


class Tile(Windows):
    """Behind the windows: the circuit of the range operations, and the windows of `nma`."""

    def __init__(self, dut, draw: random.Random, stall: float, slow: float, *, some: bool) -> None:
        super().__init__(dut, draw, stall, HARTS, FIELDS)
        self.slow = slow
        self.some = some  # commands of all kinds; otherwise right ones that do not trigger
        self.ring_cycle = -1  # in which the last doorbell finds room or none
        self.new: Command | None = None  # is to come, if there was room
        self.came = False  # and has
        self.full = self.may_be_full = False  # as the doorbell found it
        self.last_full = -LATE  # a cycle
        self.tags: dict[int, Command] = {}
        self.in_circuit: list[int] = []
        self.result: int | None = None  # a tag that is offered
        self.ending: tuple[int, Command] | None = None
        self.called = False
        self.waits: set[int] = set()  # harts whose command will trigger
        self.waited = dict.fromkeys(range(HARTS), -LATE)  # the last cycle in which they did

    def some_fields(self) -> list[int]:
        draw = self.draw
        if not self.some:
            return [1, partition(HERE) + draw.randrange(4096), draw.randrange(1, 4096), 0, 0]
        words = some_range(draw)
        if draw.random() < 0.05:
            # From a name of the local window to a global one: the bytes in between are fewer than it says.
            first = TAIL_WINDOW + draw.randrange(TAIL - LINE)
            words = [1, first, named(first) + LINE - first, 0, 0]
        return words

    def ring(self, hart: int) -> None:
        words = self.fields[hart]
        asked = range_of(words)
        self.new = Command(asked, hart, counter_of(words[3]), bool(words[4])) if asked else None
        self.came, self.ring_cycle = False, self.cycles + 1

    def outcome(self, hart: int, value: int) -> int:
        if value == FULL:
            assert self.may_be_full and not self.came, "refused without a reason"
            return FULL
        assert not self.full, "accepted without room"
        assert self.came == (self.new is not None)
        return ACCEPTED if self.new else WRONG

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        self.drive_access()
        for ready in ("command", "acknowledge", "trigger"):
            getattr(dut, f"{ready}_ready_i").value = int(self.goes())
        slow = self.slow if self.asks else min(self.slow, 0.5)
        if self.result is None and self.in_circuit and draw.random() >= slow:
            self.result = self.in_circuit.pop(draw.randrange(len(self.in_circuit)))
        shown = draw.randrange(TAGS) if self.result is None else self.result
        dut.result_valid_i.value, dut.result_tag_i.value = int(self.result is not None), shown
        self.tells, self.taken = self.called and draw.random() >= slow, draw.randrange(2)
        dut.triggered_valid_i.value, dut.triggered_taken_i.value = int(self.tells), self.taken

    def check(self) -> None:
        self.look.saw()
        offers = int(self.dut.command_valid_o.value)
        no_tag = len(self.tags) == TAGS
        self.last_full = self.cycles if no_tag else self.last_full
        self.waited.update(dict.fromkeys(self.waits, self.cycles))
        if self.cycles == self.ring_cycle:
            # Before anything moves in this cycle.
            busy = bool(offers or not int(self.dut.command_ready_i.value))
            self.full = busy or no_tag or self.rung in self.waits
            recent = self.cycles - LATE
            self.may_be_full = self.full or self.last_full > recent or self.waited[self.rung] > recent
        self.commands(offers)
        self.ends()
        self.check_access()

    def commands(self, offers: int) -> None:
        names = "command_operation_o", "command_first_o", "command_last_o", "command_tag_o"
        if offers and "command" not in self.kept:
            assert self.new is not None and not self.came and not self.full, "a command that nobody asked for"
            tag = int(self.dut.command_tag_o.value)
            assert tag < TAGS and tag not in self.tags, "the tag is in use"
            self.tags[tag], self.came = self.new, True
            if self.new.triggers:
                self.waits.add(self.new.hart)
        if moved := self.moved("command", *names):
            assert moved[:3] == self.tags[moved[3]].asked
            self.in_circuit.append(moved[3])
            self.saw["command"] += 1

    def ends(self) -> None:
        dut, command = self.dut, self.ending and self.ending[1]
        told = self.moved("acknowledge", "acknowledge_counter_o", "acknowledge_error_o")
        valid = int(dut.acknowledge_valid_o.value)
        assert not valid or (command and command.counter and not command.triggers), "an acknowledgement too much"
        assert not int(dut.trigger_valid_o.value) or (command and command.triggers and not self.called), "a trigger"
        call = self.moved("trigger", "trigger_hart_o")
        if told:
            assert told == (command.counter, command.error)
            self.saw["error" if command.error else "acknowledge"] += 1
            self.end()
        if self.tells:
            self.called, command.triggers, command.error = False, False, 1 - self.taken
            self.waits.remove(command.hart)
            if not command.counter:
                self.end()
        if call:
            assert call == (command.hart,)
            self.called = True
            self.saw["trigger"] += 1
        if self.result is not None and int(dut.result_ready_o.value):
            assert self.ending is None, "the end before this one was not told"
            self.ending, self.result = (self.result, self.tags[self.result]), None
            if not self.ending[1].counter and not self.ending[1].triggers:
                self.end()

    def end(self) -> None:
        del self.tags[self.ending[0]]
        self.ending = None
        self.saw["end"] += 1

    def rests(self) -> bool:
        return not self.tags


async def commands(dut, draw: random.Random, cycles: int, stall: float, slow: float, *, some: bool = True) -> Counter:
    tile = Tile(dut, draw, stall, slow, some=some)
    await tile.run(cycles, tile.drive, tile.check, tile.rests)
    return tile.saw


@cocotb.test()
async def each_command_has_its_end(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    saw: Counter = Counter()
    for stall, slow in ((0, 0), (0.3, 0.5), (0, 0.95)):
        saw += await commands(dut, draw, 1500, stall, slow)
    wanted = ("command", "acknowledge", "error", "trigger", "end", ACCEPTED, FULL, WRONG)
    assert all(saw[what] > 0 for what in wanted), saw


@cocotb.test()
async def a_command_finds_a_free_tag_or_none(dut):
    saw = await commands(dut, random.Random(cocotb.RANDOM_SEED), 60 * TAGS, 0, 0.999, some=False)
    assert saw["command"] >= TAGS and saw[FULL] > 0, saw


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await commands(dut, draw, 300, 0, 0.99, some=draw.random() < 0.5)

    await interrupted(dut, some)
