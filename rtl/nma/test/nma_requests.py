"""nma_requests: each doorbell that is accepted, or call of a range operation, becomes one message of the window's words
with global addresses; a refused one is sent again, and nothing else is; doorbells say the state as registers.hpp does.
"""

import random

import cocotb
from places import (
    ACCEPTED,
    DONE,
    HERE,
    IDLE,
    NOBODY,
    REFUSED,
    TAIL,
    TAIL_WINDOW,
    WRONG,
    Answerer,
    counter_of,
    partition,
    place_of,
    some_counter,
    tlm,
)
from streams import interrupted, next_cycle, parameter, reset, settle

HARTS = parameter("HARTS", 5)
DOORBELL = 7
BAD_REQUEST = 1


def some_words(draw: random.Random) -> list[int]:
    window = TAIL_WINDOW + 32 * draw.randrange(TAIL // 32)
    root = draw.choice([0, partition(HERE) + 64, window, 0x20000, draw.getrandbits(63)])
    destination = draw.choice([partition(draw.randrange(6)) + 4096, window])
    if draw.random() < 0.15:
        destination = draw.choice([0, 0x20000, tlm(1), 5 << 44])
    return [root, destination, *(draw.getrandbits(64) for _ in range(4)), some_counter(draw)]


def is_right(words: list[int]) -> bool:
    return bool(place_of(words[1]).get("partition")) and counter_of(words[6]) is not None


def message_of(words: list[int]) -> list[int]:
    root = place_of(words[0])["address"] if words[0] and place_of(words[0]) else words[0]
    return [root, place_of(words[1])["address"], *words[2:6], counter_of(words[6])]


class Tile:
    """Harts, each of which fills its window and rings, and the network."""

    def __init__(self, dut, draw: random.Random, *, stall: float, refusals: float = 0.3) -> None:
        self.dut, self.draw, self.stall, self.refusals = dut, draw, stall, refusals
        self.look = Answerer(dut, draw, stall)
        self.words = [[0] * 7 for _ in range(HARTS)]
        self.status = [IDLE] * HARTS
        self.access: tuple[int, int, int] | None = None
        self.answering: tuple[int, int, int] | None = None
        self.trigger: int | None = None
        self.triggered: int | None = None
        self.to_send: list[int] = []  # harts, in the order of their messages
        self.message: list[int] = []  # the words that have come
        self.outcomes: list[int] = []  # harts whose messages are under way
        self.ended: dict[int, int] = {}  # outcomes that were given
        self.acknowledge: list[int] = []
        self.kept: dict[str, int] = {}
        self.sent = self.refused = self.rings = self.nobody = 0

    def drive(self, asks: bool) -> None:
        dut, draw = self.dut, self.draw
        self.look.drive()
        if self.access is None and self.answering is None and asks and draw.random() >= self.stall:
            hart, index = draw.randrange(HARTS), draw.choice([*range(8), DOORBELL, DOORBELL])
            if hart in self.ended:
                self.access = (0, hart * 8 + DOORBELL, 0)
            elif draw.random() < 0.6:
                value = some_words(draw)[index] if index < 7 else draw.getrandbits(64)
                self.access = (1, hart * 8 + index, value)
            else:
                self.access = (0, (HARTS if draw.random() < 0.02 else hart) * 8 + index, 0)
        dut.access_valid_i.value = int(self.access is not None)
        if self.access is not None:
            dut.access_writes_i.value, dut.access_register_i.value, dut.access_value_i.value = self.access
        dut.answer_ready_i.value = int(draw.random() >= self.stall)
        if self.trigger is None and self.triggered is None and asks and draw.random() < 0.02:
            hart = draw.randrange(HARTS)
            self.trigger = None if hart in self.ended else hart
        dut.trigger_valid_i.value = int(self.trigger is not None)
        dut.trigger_hart_i.value = self.trigger or 0
        dut.message_ready_i.value = int(draw.random() >= self.stall)
        dut.acknowledge_ready_i.value = int(draw.random() >= self.stall)
        self.outcome = None
        if self.outcomes and draw.random() < 0.1:
            hart = self.outcomes.pop(draw.randrange(len(self.outcomes)))
            roll = draw.random()
            # An end changes the window some cycles later: nobody else does meanwhile.
            busy = hart in self.touched()
            end = NOBODY if roll < self.refusals + 0.1 else DONE
            self.outcome = (hart, REFUSED if roll < self.refusals or busy else end)
        dut.outcome_valid_i.value = int(self.outcome is not None)
        dut.outcome_hart_i.value, dut.outcome_i.value = self.outcome or (0, 0)

    def touched(self) -> set[int | None]:
        """Harts whose windows are being accessed."""
        accesses = [access[1] // 8 for access in (self.access, self.answering) if access is not None]
        return {*accesses, self.trigger, self.triggered}

    def offered(self, port: str, *values: str) -> tuple | None:
        item = tuple(int(getattr(self.dut, value).value) for value in values)
        valid = int(getattr(self.dut, f"{port}_valid_o").value)
        if port in self.kept:
            assert valid and item == self.kept.pop(port), f"{port}: an offer changed"
        if valid and not int(getattr(self.dut, f"{port}_ready_i").value):
            self.kept[port] = item
        return item if valid and port not in self.kept else None

    def rings_now(self, hart: int) -> int:
        """The state that a doorbell gets; an accepted request has a message."""
        self.rings += 1
        if not is_right(self.words[hart]):
            return WRONG
        self.to_send.append(hart)
        return ACCEPTED

    def states(self, hart: int) -> set[int]:
        """What its doorbell may read: an outcome that was given is told some cycles later."""
        return {self.status[hart], *([self.ended[hart]] if hart in self.ended else [])}

    def saw(self) -> None:
        dut = self.dut
        self.look.saw()
        if message := self.offered("message", "message_tile_o", "message_hart_o", "message_word_o", "message_last_o"):
            tile, hart, word, last = message
            assert hart in self.to_send, "a message that nobody asked for"
            words = message_of(self.words[hart])
            assert tile == place_of(self.words[hart][1])["memory_tile"]
            assert word == words[len(self.message)], (hart, len(self.message))
            self.message.append(word)
            assert bool(last) == (len(self.message) == 7)
            if last:
                self.message = []
                self.to_send.remove(hart)
                self.outcomes.append(hart)
                self.sent += 1
        if told := self.offered("acknowledge", "acknowledge_counter_o", "acknowledge_error_o"):
            assert told[1] == BAD_REQUEST
            self.acknowledge.remove(told[0])
        if self.outcome:
            self.outcome_moves(*self.outcome)
        if self.answering is not None and int(dut.answer_valid_o.value):
            self.check_answer()
        if int(dut.triggered_valid_o.value):
            assert self.triggered is not None
            hart, self.triggered = self.triggered, None
            taken = int(dut.triggered_taken_o.value)
            if self.status[hart] == ACCEPTED:
                assert not taken, "a window rang twice"
            else:
                self.status[hart] = self.rings_now(hart)
                assert taken == (self.status[hart] == ACCEPTED)
        if self.trigger is not None and int(dut.trigger_ready_o.value):
            self.triggered, self.trigger = self.trigger, None
        if self.access is not None and int(dut.access_ready_o.value):
            self.answering, self.access = self.access, None

    def outcome_moves(self, hart: int, outcome: int) -> None:
        if outcome == REFUSED:
            self.refused += 1
            self.to_send.append(hart)
            return
        self.ended[hart] = IDLE if outcome == DONE else WRONG
        self.nobody += outcome == NOBODY
        counter = counter_of(self.words[hart][6])
        if outcome == NOBODY and counter:
            self.acknowledge.append(counter)

    def check_answer(self) -> None:
        dut = self.dut
        if not int(dut.answer_ready_i.value):
            return
        writes, register, value = self.answering
        self.answering = None
        hart, index = divmod(register, 8)
        wrong, got = int(dut.answer_wrong_o.value), int(dut.answer_value_o.value)
        assert wrong == (hart >= HARTS)
        if wrong:
            return
        if not writes:
            if index < 7:
                assert got == self.words[hart][index]
            else:
                assert got in self.states(hart), (hart, got, self.states(hart))
                if got != ACCEPTED and hart in self.ended:
                    self.status[hart] = self.ended.pop(hart)
            return
        if self.status[hart] == ACCEPTED:
            return
        if index == DOORBELL:
            self.status[hart] = self.rings_now(hart)
        else:
            self.words[hart][index] = value


async def begin(dut, **about) -> Tile:
    tile = Tile(dut, random.Random(cocotb.RANDOM_SEED), **about)
    tile.drive(asks=False)
    await reset(dut)
    return tile


async def cycle(tile: Tile, *, asks: bool) -> None:
    tile.drive(asks=asks)
    await settle()
    tile.saw()
    await next_cycle(tile.dut)


@cocotb.test()
async def each_doorbell_is_one_message(dut):
    nobody = 0
    for stall in (0.0, 0.4):
        tile = await begin(dut, stall=stall)
        # A window that is being accessed gets no end but a refusal: there are pauses.
        for at in range(12000):
            await cycle(tile, asks=at % 100 < 60)
        for _ in range(4000):
            if tile.ended and tile.access is None and tile.answering is None:
                tile.access = (0, next(iter(tile.ended)) * 8 + DOORBELL, 0)
            await cycle(tile, asks=False)
            if not (tile.to_send or tile.outcomes or tile.acknowledge or tile.ended or tile.answering):
                break
        assert not (tile.to_send or tile.outcomes or tile.acknowledge or tile.ended), "a request was lost"
        assert tile.sent > 20 and tile.refused > 3, (tile.sent, tile.refused)
        nobody += tile.nobody
    assert nobody > 0


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    await interrupted(dut, each_doorbell_is_one_message.func)


@cocotb.test()
async def a_request_takes_its_cycles(dut):
    tile = await begin(dut, stall=0, refusals=0)
    words = some_words(tile.draw)
    words[0:2] = [partition(HERE) + 64, partition(HERE) + 4096]
    words[6] = tlm(1)
    for index, value in [*enumerate(words), (DOORBELL, 1)]:
        tile.access = (1, index, value)
        rings = 0
        while tile.access is not None or tile.answering is not None:
            rings += int(tile.access is None)
            await cycle(tile, asks=False)
    first = None
    for at in range(100):
        if int(dut.message_valid_o.value) and first is None:
            first = at
        await cycle(tile, asks=False)
        if tile.sent:
            break
    # Two fields and two places until the answer; then a place, and a field for each word, three with a place.
    assert (rings, first + 1, at + 1) == (12, 11, 39), (rings, first, at)
