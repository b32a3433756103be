"""cni_intake: each job of a line, and each request, has its questions, its entry with its words, or one refusal.

What must follow is a list of events in their order, made from the job alone. The bench answers the questions.
"""

import random
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field

import cocotb
from cni_structs import (
    ADD,
    BAD_ACKNOWLEDGEMENT,
    COPY,
    COPY_FIELDS,
    ENDED_FIELDS,
    NOT_ALLOWED,
    NOT_CONFIGURED,
    OF_COMMANDS,
    OF_COPIES,
    OF_EVENTS,
    OF_WORDS,
    OWNER_FIELDS,
    PLAN_FIELDS,
    QUESTION_FIELDS,
    STORE,
    TRANSFER,
    line_of,
    packed,
    unpacked,
)
from streams import interrupted, next_cycle, parameter, reset, settle

JOBS = parameter("JOBS", 64)
COMMAND, NOTIFY, INCREMENT, ANSWER = range(4)
ZEROS = 2  # an item without words; the others, 0 and 1, have some
# Words of lines, by the register map.
WHAT, DESTINATION, ACKNOWLEDGEMENT, SOURCE = range(4)
PRESET, TARGETS, TARGETS_END = 2, 3, 7
COMMAND_COPY, COMMAND_MESSAGE, COMMAND_MESSAGE_ONCE = 1, 2, 3
JOB_FIELDS = (2, 64, 7, 2, 1, 1, 15)  # kind, destination, bytes, item, has a tag, none, tag
REQUEST_FIELDS = (2, 64, 64, 64, 17, 16)  # kind, source, destination, acknowledgement, bytes, mark
# What is offered until it is accepted.
OFFERS = ("ask", "home", "put", "refused")

# An event is a tuple that begins with its name; a question is answered by what is sent.
Events = Generator[tuple, tuple[int, ...], None]


@dataclass
class Entry:
    """A job as it enters the list."""

    share: int
    kind: int
    destination: int
    size: int
    source: int | None = None  # of a copy
    no_retry: int = 0
    by_lines: int | None = None  # of a copy, too
    acknowledgement: int = 0
    mark: int = 0
    words: list[int] = field(default_factory=list)

    def events(self) -> Events:
        copy = self.source, self.destination, self.size
        plan = self.kind, self.no_retry, self.by_lines, self.acknowledgement
        yield "put", copy, plan, (self.share, self.kind, self.mark)
        for index, word in enumerate(self.words):
            yield "word", index, word

    def checked(self) -> Generator[tuple, tuple[int, ...], bool]:
        """May its packets be sent, and its acknowledgement?"""
        (allowed,) = yield "ask", self.destination, self.size, 1
        if not allowed:
            yield "refused", self.share, self.mark, NOT_ALLOWED, self.destination
            return False
        if self.acknowledgement % 8:
            yield "refused", self.share, self.mark, BAD_ACKNOWLEDGEMENT, self.acknowledgement
            return False
        if self.acknowledgement:
            (allowed,) = yield "ask", self.acknowledgement, 8, 1
            if not allowed:
                yield "refused", self.share, self.mark, NOT_ALLOWED, self.acknowledgement
                return False
        return True


@dataclass
class Job:
    """A job of the responses, with its line and its item."""

    kind: int
    words: list[int]  # as they are after the store
    stored: int  # the one of them that the line does not have yet
    destination: int
    item: list[int]
    zeros: bool
    has_tag: int
    none: int
    tag: int

    def size(self) -> int:
        return self.words[WHAT] >> 8

    def copies(self) -> bool:
        return self.words[WHAT] & 255 == COMMAND_COPY

    def loads(self) -> int:
        """Words that are collected, one in each cycle; a notification's jobs come in between."""
        if self.kind == COMMAND:
            return SOURCE + (1 if self.copies() else (self.size() + 7) // 8)
        return len(self.item) if self.kind == ANSWER else 1

    def events(self) -> Events:
        """All that must be seen until the module waits again."""
        if self.kind == NOTIFY:
            for target in filter(None, self.words[TARGETS:TARGETS_END]):
                yield "take", OF_EVENTS
                entry = Entry(OF_EVENTS, STORE, target, 8, words=[self.words[PRESET]])
                if (yield from entry.checked()):
                    yield from entry.events()
            yield ("accepted",)
            return
        yield "take", OF_COMMANDS if self.kind == COMMAND else OF_EVENTS
        yield ("accepted",)
        if self.kind == COMMAND:
            yield from self.command()
        elif self.kind == INCREMENT:
            yield from Entry(OF_EVENTS, ADD, self.destination, 8, words=[1]).events()
        else:
            words = [0] * len(self.item) if self.zeros else list(self.item)
            if self.has_tag:
                words[-1] = self.none << 63 | self.tag
            entry = Entry(OF_EVENTS, STORE, self.destination, 8 * len(words), words=words)
            if (yield from entry.checked()):
                yield from entry.events()

    def command(self) -> Events:
        what, destination, acknowledgement, source = self.words[:4]
        entry = Entry(OF_COMMANDS, STORE, destination, self.size(), acknowledgement=acknowledgement)
        if not (yield from entry.checked()):
            return
        if not self.copies():
            entry.no_retry = int(what & 255 == COMMAND_MESSAGE_ONCE)
            entry.words = self.words[SOURCE : self.loads()]
            yield from entry.events()
            return
        memory, here, by_lines = yield "home", source, entry.size
        if not memory:
            yield "refused", OF_COMMANDS, 0, NOT_CONFIGURED, source
            return
        (allowed,) = yield "ask", source, entry.size, 0
        if not allowed:
            yield "refused", OF_COMMANDS, 0, NOT_ALLOWED, source
            return
        if here:
            entry.kind, entry.source, entry.by_lines = COPY, source, by_lines
        else:
            entry.kind, entry.destination, entry.words = TRANSFER, source, [destination]
        yield from entry.events()


@dataclass
class Request:
    """A copy that another tile asks for, or a word."""

    kind: int
    source: int
    destination: int
    acknowledgement: int
    size: int
    mark: int

    def events(self) -> Events:
        share = OF_COPIES if self.kind == COPY else OF_WORDS
        entry = Entry(share, self.kind, self.destination, self.size)
        entry.acknowledgement, entry.mark = self.acknowledgement, self.mark
        yield "take", share
        yield ("requested",)
        if self.kind != COPY:
            entry.words = [self.source]
        else:
            memory, _, entry.by_lines = yield "home", self.source, self.size
            entry.source = self.source
            if not memory:
                yield "refused", share, self.mark, NOT_CONFIGURED, self.source
                return
        yield from entry.events()


class Around:
    """Who offers jobs and requests, answers questions and takes entries."""

    def __init__(self, dut, draw: random.Random, stall: float, rates: tuple[float, float]) -> None:
        self.dut, self.draw, self.stall = dut, draw, stall
        self.job_rate, self.request_rate = rates
        self.job: Job | None = None  # that is offered
        self.request: Request | None = None
        self.inside: Events | None = None
        self.next: tuple | None = None  # event
        self.job_last = False  # a request has the next turn
        self.may_have_begun = False  # a notification, of which the first cycle is not seen
        self.accepted_at = 0
        self.asked: str | None = None  # a question that waits for its answer
        self.answer: tuple[int, ...] | None = None  # is given in this cycle
        self.waiting: dict[str, tuple[int, ...]] = {}  # offers that must stay
        self.number = self.cycles = 0
        self.saw: Counter = Counter()

    def goes(self) -> bool:
        return self.draw.random() >= self.stall

    def address(self) -> int:
        return self.draw.getrandbits(self.draw.choice([20, 64])) | 1 << 16

    def new_job(self) -> Job:
        draw = self.draw
        words = [draw.getrandbits(64) for _ in range(8)]
        kind = draw.choice([COMMAND, COMMAND, NOTIFY, INCREMENT, ANSWER])
        if kind == COMMAND:
            what = draw.choice([COMMAND_COPY, COMMAND_COPY, COMMAND_MESSAGE, COMMAND_MESSAGE_ONCE])
            most = draw.choice([64, 1 << 16]) if what == COMMAND_COPY else 40
            words[:2] = what | draw.choice([1, most, draw.randrange(1, most + 1)]) << 8, self.address()
            words[ACKNOWLEDGEMENT] = draw.choice([0, self.address() & -8, self.address() & -8, self.address()])
        if kind == NOTIFY:
            words[TARGETS:TARGETS_END] = [draw.choice([0, self.address(), self.address()]) for _ in range(4)]
        item = [draw.getrandbits(64) for _ in range(draw.choice([1, 2, 4, 8]))]
        zeros, tag = draw.random() < 0.3, draw.getrandbits(15)
        bits = draw.randrange(2), draw.randrange(2)
        return Job(kind, words, draw.randrange(8), self.address(), item, zeros, *bits, tag)

    def new_request(self) -> Request:
        draw = self.draw
        kind = draw.choice([COPY, STORE, ADD])
        size = draw.randrange(1, (1 << 16) + 1) if kind == COPY else 8
        acknowledgement = draw.choice([0, self.address()])
        return Request(kind, draw.getrandbits(64), self.address(), acknowledgement, size, draw.getrandbits(16))

    def drive(self) -> None:
        dut, draw = self.dut, self.draw
        if self.job is None and draw.random() < self.job_rate:
            self.job = self.new_job()
        if self.request is None and draw.random() < self.request_rate:
            self.request = self.new_request()
        job, request = self.job or self.new_job(), self.request or self.new_request()
        dut.job_valid_i.value, dut.request_valid_i.value = int(self.job is not None), int(self.request is not None)
        words, stored_value = list(job.words), draw.getrandbits(64)
        if job.kind == COMMAND:
            stored_value, words[job.stored] = words[job.stored], stored_value
        dut.words_i.value, dut.stored_number_i.value = line_of(words), job.stored
        dut.stored_value_i.value = stored_value
        item = ZEROS if job.zeros else job.tag & 1
        fields = job.kind, job.destination, 8 * len(job.item), item, job.has_tag, job.none, job.tag
        dut.job_i.value = packed(JOB_FIELDS, *fields)
        number = int(dut.item_number_o.value)
        has_word = number < len(job.item) and not job.zeros
        dut.item_word_i.value = job.item[number] if has_word else draw.getrandbits(64)
        fields = request.kind, request.source, request.destination, request.acknowledgement, request.size, request.mark
        dut.request_i.value = packed(REQUEST_FIELDS, *fields)
        self.may_begin = self.goes()
        dut.may_begin_i.value = int(self.may_begin)
        self.ready = {name: self.goes() for name in OFFERS}
        for name, ready in self.ready.items():
            getattr(dut, f"{name}_ready_i").value = int(ready)
        self.number = draw.randrange(JOBS)
        dut.put_number_i.value = self.number
        answers = self.asked if self.asked and self.goes() else None
        bits = draw.random() < 0.9, int(draw.random() < 0.4), draw.randrange(2)
        self.answer = None if answers is None else bits[:1] if answers == "ask" else bits
        dut.ask_answer_valid_i.value, dut.home_answer_valid_i.value = int(answers == "ask"), int(answers == "home")
        dut.ask_allowed_i.value = dut.home_memory_i.value = int(bits[0])
        dut.home_here_i.value, dut.home_by_lines_i.value = bits[1], bits[2]

    def begin(self, name: str, share: int) -> None:
        """The first event of a job or a request."""
        of_job = name == "accepted" or share in (OF_COMMANDS, OF_EVENTS)
        notifies = of_job and self.job is not None and self.job.kind == NOTIFY
        if notifies:
            assert self.may_have_begun, "it is not this job's turn"
        else:
            may = self.job_may_begin() if of_job else self.request_may_begin()
            assert self.may_begin and may, "it is not its turn"
        self.job_last = of_job
        self.accepted_at = self.cycles + self.job.loads() if of_job and not notifies else 0
        self.inside = (self.job if of_job else self.request).events()
        self.next = next(self.inside)

    def job_may_begin(self) -> bool:
        return self.job is not None and not (self.request is not None and self.job_last)

    def request_may_begin(self) -> bool:
        return self.request is not None and (self.job is None or self.job_last)

    def advance(self, answer: tuple[int, ...] = ()) -> None:
        """To the event that follows; a question's answer decides which one it is."""
        try:
            self.next = self.inside.send(answer)
        except StopIteration:
            self.inside = self.next = None
            self.may_have_begun = False
            self.saw["done"] += 1

    def expect(self, *event: object) -> None:
        assert event == self.next, f"{event} instead of {self.next}"

    def check_offer(self, name: str, fields: tuple, raw: tuple[int, ...]) -> None:
        """An offer is the next event, and stays until it is accepted."""
        self.expect(name, *fields)
        assert self.waiting.get(name, raw) == raw, "an offer changed"
        self.waiting[name] = raw
        if not self.ready[name]:
            return
        del self.waiting[name]
        self.saw[fields[-2] if name == "refused" else name] += 1
        if name in ("ask", "home"):
            assert self.asked is None
            self.asked = name
            return
        if name == "put":
            self.saw["kind", fields[1][0]] += 1
            self.entered = self.number
        self.advance()

    def offers(self) -> dict[str, tuple[tuple, tuple[int, ...]]]:
        """What is offered: its fields, without those that mean nothing, and all bits."""
        dut, found = self.dut, {}
        if int(dut.ask_valid_o.value):
            raw = int(dut.ask_o.value)
            found["ask"] = unpacked(QUESTION_FIELDS, raw), (raw,)
        if int(dut.home_valid_o.value):
            raw = int(dut.home_address_o.value), int(dut.home_bytes_o.value)
            found["home"] = raw, raw
        if int(dut.refused_valid_o.value):
            raw = int(dut.refused_o.value)
            found["refused"] = unpacked(ENDED_FIELDS, raw), (raw,)
        if int(dut.put_valid_o.value):
            raw = int(dut.put_o.value), int(dut.plan_o.value), int(dut.owner_o.value)
            copy, plan = unpacked(COPY_FIELDS, raw[0]), unpacked(PLAN_FIELDS, raw[1])
            if plan[0] != COPY:
                copy, plan = (None, *copy[1:]), (*plan[:2], None, plan[3])
            found["put"] = (copy, plan, unpacked(OWNER_FIELDS, raw[2])), raw
        return found

    async def step(self) -> None:
        dut = self.dut
        self.drive()
        await settle()
        if self.inside is None:
            self.may_have_begun = self.may_have_begun or (self.may_begin and self.job_may_begin())
        job_ready, requested = int(dut.job_ready_o.value), int(dut.request_ready_o.value)
        assert not (job_ready and self.job is None) and not (requested and self.request is None)
        events = [("take", int(dut.take_o.value))] if int(dut.take_valid_o.value) else []
        events += [("accepted",)] * job_ready + [("requested",)] * requested
        word_due = self.next is not None and self.next[0] == "word"
        for event in events:
            if self.inside is None:
                self.begin(event[0], event[-1])
            self.expect(*event)
            self.advance()
        if job_ready:
            assert self.accepted_at in (0, self.cycles), "a word was not collected in its cycle"
            self.job = None
        if requested:
            self.request = None
        offers = self.offers()
        assert self.waiting.keys() <= offers.keys(), "an offer was withdrawn"
        if self.answer is not None:
            assert not offers
            self.asked = None
            self.advance(tuple(int(bit) for bit in self.answer))
        elif self.asked:
            assert not offers
        for name, (fields, raw) in offers.items():
            self.check_offer(name, fields, raw)
        assert int(dut.word_valid_o.value) == word_due, "words follow their entry, one in each cycle"
        if word_due:
            assert int(dut.word_number_o.value) == self.entered
            self.expect("word", int(dut.word_index_o.value), int(dut.word_o.value))
            self.advance()
        self.cycles += 1
        await next_cycle(dut)

    async def run(self, cycles: int) -> None:
        await reset(self.dut)
        for _ in range(cycles):
            await self.step()
        self.job_rate = self.request_rate = 0
        for _ in range(2000):
            if self.inside is None and self.job is None and self.request is None:
                break
            await self.step()
        assert self.inside is None and self.job is None and self.request is None, "a job never ended"
        for _ in range(10):
            await self.step()


@cocotb.test()
async def each_job_becomes_its_entries(dut):
    draw = random.Random(cocotb.RANDOM_SEED)
    saw: Counter = Counter()
    for stall, rates in ((0, (1, 1)), (0.3, (0.2, 0.2)), (0.5, (0.9, 0.1)), (0.2, (0.05, 0.8))):
        around = Around(dut, draw, stall, rates)
        await around.run(1000)
        saw += around.saw
    wanted = [*OFFERS[:3], NOT_CONFIGURED, NOT_ALLOWED, BAD_ACKNOWLEDGEMENT]
    wanted += [("kind", kind) for kind in (COPY, STORE, ADD, TRANSFER)]
    assert all(saw[what] > 0 for what in wanted), saw
    assert saw["done"] > 50


@cocotb.test()
async def nothing_is_left_after_a_reset(dut):
    draw = random.Random(cocotb.RANDOM_SEED)

    async def some(dut) -> None:
        await Around(dut, draw, 0.2, (0.9, 0.9)).run(100)

    await interrupted(dut, some)
