"""nma_arrival: a message with a place in the queue becomes one request with translated addresses, then its response; a
message without one is only refused. The words that are kept are exactly those of messages that are taken.
"""

import random
from collections import Counter, deque

import cocotb
from messages import FROM_BITS, Request, expected_job, some_request
from nma_names import unpack
from places import HERE, Answerer
from streams import interrupted, next_cycle, reset, settle

WORDS = 7
QUESTIONS = 3


class Around:
    """Who sends messages, a queue that has a place or none, and the address map."""

    def __init__(self, dut, draw: random.Random, stall: float, room: float) -> None:
        self.dut, self.draw, self.stall, self.room = dut, draw, stall, room
        dut.tile_i.value = HERE
        self.look = Answerer(dut, draw, stall)
        self.messages: deque[tuple[Request, list[int]]] = deque()  # and their words that are to come
        self.offered = False
        self.inside: Request | None = None
        self.refused = False  # it was
        self.due: list[str] = []  # what it still has: a job, a response
        self.has_room = False
        self.kept: dict[str, tuple] = {}
        self.looks = 0
        self.saw: Counter = Counter()

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        self.look.drive()
        if not self.messages and self.asks:
            request = some_request(draw)
            self.messages.append((request, list(request.words)))
        self.offered = bool(self.messages) and (self.offered or draw.random() >= self.stall)
        dut.message_valid_i.value = int(self.offered)
        request, words = self.messages[0] if self.offered else (None, [draw.getrandbits(64)])
        dut.message_word_i.value = words[0]
        # The sender is that of each word; random bits elsewhere.
        dut.message_from_i.value = request.sender if request else draw.getrandbits(FROM_BITS)
        # Only the first word finds a place or none; later the queue may let the request wait.
        self.has_room = draw.random() < self.room
        dut.job_ready_i.value = int(self.has_room)
        dut.response_ready_i.value = int(draw.random() >= self.stall)

    def moved(self, port: str, *values: str) -> tuple | None:
        """What is accepted at a port; an offer stays until then."""
        item = tuple(int(getattr(self.dut, value).value) for value in values)
        valid = int(getattr(self.dut, f"{port}_valid_o").value)
        assert valid or port not in self.kept, f"{port}: an offer was withdrawn"
        if not valid:
            return None
        assert self.due and self.due[0] == port, f"{port}: nobody waits for it"
        assert self.kept.pop(port, item) == item, f"{port}: an offer changed"
        if int(getattr(self.dut, f"{port}_ready_i").value):
            self.due.pop(0)
            return item
        self.kept[port] = item
        return None

    def check(self) -> None:
        dut = self.dut
        self.look.saw()
        self.looks += int(dut.look_valid_o.value) and int(dut.look_ready_i.value)
        assert int(dut.busy_o.value) == (self.inside is not None), "busy while a message is inside"
        takes = self.offered and int(dut.message_ready_o.value)
        job = self.moved("job", "job_o")
        response = self.moved("response", "response_from_o", "response_refused_o")
        if job:
            said = unpack("job_t", job[0])
            assert self.looks == QUESTIONS
            expected = expected_job(self.inside)
            assert {name: said[name] for name in expected} == expected
            self.saw["sound" if said["sound"] else "unsound"] += 1
        if response:
            assert response == (self.inside.sender, int(self.refused))
            assert self.looks == (0 if self.refused else QUESTIONS)
            self.inside = None
            self.saw["refused" if self.refused else "taken"] += 1
        index = None
        if takes:
            request, words = self.messages[0]
            index = WORDS - len(words)
            assert not self.due, "a word of another message was taken"
            if index == 0:
                assert self.inside is None
                self.inside, self.refused, self.looks = request, not self.has_room, 0
            words.pop(0)
            self.offered = False
            if not words:
                self.messages.popleft()
                self.due = ["response"] if self.refused else ["job", "response"]
        keeps = takes and index != 0 and not self.refused
        assert int(dut.keep_valid_o.value) == bool(keeps)
        if keeps:
            assert int(dut.keep_index_o.value) == index

    async def step(self, *, asks: bool = True) -> None:
        self.asks = asks
        self.drive()
        await settle()
        self.check()
        await next_cycle(self.dut)

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.step()
        self.room = 0.5
        for _ in range(1000):
            if not self.messages and self.inside is None:
                break
            await self.step(asks=False)
        assert not self.messages and self.inside is None, "a message has no response"
        for _ in range(5):
            await self.step(asks=False)


@cocotb.test()
async def each_message_has_its_response(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    saw: Counter = Counter()
    for stall, room in ((0, 1), (0.3, 0.7), (0.1, 0.2)):
        around = Around(dut, draw, stall, room)
        await around.run(1000)
        saw += around.saw
    assert all(saw[what] > 3 for what in ("sound", "unsound", "refused", "taken")), saw


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Around(dut, draw, 0.1, 0.7).run(100)

    await interrupted(dut, some)
