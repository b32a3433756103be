"""windows: harts that store to the registers of a unit's windows, ring doorbells and load, for benches of such units.

After each doorbell its state is loaded, before anything else is accessed.
"""

import random
from collections import Counter, deque
from collections.abc import Callable, Iterable

from places import IDLE, Answerer
from streams import next_cycle, reset, settle

DOORBELL = 7
Access = tuple[int, int, int]  # writes, register, value


class Windows:
    """The windows of `harts` harts with so many fields. A bench adds what is behind them."""

    def __init__(self, dut, draw: random.Random, stall: float, harts: int, fields: int) -> None:
        self.dut, self.draw, self.stall, self.harts = dut, draw, stall, harts
        self.look = Answerer(dut, draw, stall)
        self.fields = [[0] * fields for _ in range(harts)]
        self.status = [IDLE] * harts
        self.script: deque[Access] = deque()
        self.access: Access | None = None  # that is offered
        self.answering: Access | None = None
        self.rung: int | None = None  # the hart of the last doorbell, until its state is loaded
        self.kept: dict[str, tuple] = {}  # offers that must stay
        self.cycles = 0
        self.asks = True
        self.saw: Counter = Counter()

    # What a bench says.

    def some_fields(self) -> list[int]:
        """The words of a command."""
        raise NotImplementedError

    def ring(self, hart: int) -> None:
        """A doorbell that is not lost was accepted in this cycle."""

    def outcome(self, hart: int, value: int) -> int:
        """The state that this doorbell has, or must have; `value` is what was loaded."""
        raise NotImplementedError

    def loaded(self, hart: int, value: int) -> None:
        """A state was loaded at any other time."""
        assert value == self.status[hart]

    def usable(self) -> Iterable[int]:
        """Harts whose window may be accessed."""
        return range(self.harts)

    def holds(self, hart: int) -> bool:
        """Are stores to this window lost?"""
        return False

    # What all have in common.

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    def some_accesses(self) -> list[Access]:
        """A whole window with its doorbell, the same again or another word, a load, or a register that there is not."""
        draw, fields = self.draw, len(self.fields[0])
        what, usable = draw.random(), list(self.usable())
        if what < 0.02 or not usable:
            return [(draw.randrange(2), 8 * (self.harts + draw.randrange(50)) + draw.randrange(8), 1)]
        hart = draw.choice(usable)
        if what < 0.12:
            index = draw.randrange(8)
            writes = draw.randrange(2) if fields <= index < DOORBELL else 0
            return [(writes, 8 * hart + index, draw.getrandbits(64))]
        words = list(enumerate(self.some_fields()))
        stores = words if what < 0.6 else draw.sample(words, int(draw.random() < 0.3))
        stores.append((DOORBELL, draw.getrandbits(64)))
        return [(1, 8 * hart + index, word) for index, word in stores]

    def drive_access(self) -> None:
        dut, draw = self.dut, self.draw
        self.look.drive()
        if self.access is None and self.answering is None and self.goes():
            if not self.script and self.asks:
                self.script.extend(self.some_accesses())
            self.access = self.script.popleft() if self.script else None
        dut.access_valid_i.value = int(self.access is not None)
        shown = self.access or (draw.randrange(2), draw.randrange(8 * self.harts), draw.getrandbits(64))
        dut.access_writes_i.value, dut.access_register_i.value, dut.access_value_i.value = shown
        dut.answer_ready_i.value = int(self.goes())

    def moved(self, port: str, *values: str) -> tuple | None:
        """What is accepted at a port; an offer stays until then."""
        item = tuple(int(getattr(self.dut, value).value) for value in values)
        valid = int(getattr(self.dut, f"{port}_valid_o").value)
        assert valid or port not in self.kept, f"{port}: an offer was withdrawn"
        if not valid:
            return None
        assert self.kept.pop(port, item) == item, f"{port}: an offer changed"
        if int(getattr(self.dut, f"{port}_ready_i").value):
            return item
        self.kept[port] = item
        return None

    def check_access(self) -> None:
        if answer := self.moved("answer", "answer_wrong_o", "answer_value_o"):
            assert self.answering is not None, "an answer too much"
            self.check_answer(*answer)
            self.answering = None
        if self.access is not None and int(self.dut.access_ready_o.value):
            self.answering, self.access = self.access, None
            writes, register, _ = self.answering
            hart, index = divmod(register, 8)
            if writes and index == DOORBELL and hart < self.harts and not self.holds(hart):
                self.rung = hart
                self.script.appendleft((0, 8 * hart + DOORBELL, 0))
                self.ring(hart)

    def check_answer(self, wrong: int, value: int) -> None:
        writes, register, stored = self.answering
        hart, index = divmod(register, 8)
        fields = len(self.fields[0])
        known = hart < self.harts and (index < fields or index == DOORBELL)
        assert wrong == (not known)
        if not known:
            return
        if index < fields:
            assert writes or value == self.fields[hart][index]
            if writes and not self.holds(hart):
                self.fields[hart][index] = stored
        elif not writes and self.rung == hart:
            self.saw[value] += 1
            self.rung = None
            self.status[hart] = self.outcome(hart, value)
            assert value == self.status[hart]
        elif not writes:
            self.loaded(hart, value)

    async def run(self, cycles: int, drive: Callable[[], None], check: Callable[[], None], rests: Callable) -> None:
        """So many cycles from a reset on, and then until nothing is under way."""
        await reset(self.dut)
        late = 0
        while late < 5000:
            self.asks = self.cycles < cycles
            drive()
            await settle()
            check()
            self.cycles += 1
            await next_cycle(self.dut)
            late += not self.asks
            idle = not self.script and self.access is None and self.answering is None and rests()
            if late and idle:
                late = max(late, 4980)
        assert idle, "something has no end"
