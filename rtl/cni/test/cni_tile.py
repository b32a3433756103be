"""cni_tile: what surrounds a tile's interface: lines with events, memory, other tiles; and the jobs that must follow.
"""

import random
from collections import deque
from dataclasses import dataclass, field

COMMAND, COUNTER, QUEUE, MATCH = 2, 3, 4, 5
OTHER, OWN, ACKNOWLEDGEMENT = 0, 1, 2
DONE, FULL, BUSY, WRONG = range(4)
NOT_CONFIGURED, NOT_ALLOWED, WRONG_ACCESS, WRONG_SHAPE, BAD_ACKNOWLEDGEMENT = range(1, 6)
PUT, LOOK, TAKE = range(3)
OF_COMMANDS, OF_EVENTS, OF_COPIES, OF_WORDS = range(4)
COPY, STORE, ADD, TRANSFER = range(4)
LINE, ALL, NONE, NO_WAIT, TAGGED = 64, (1 << 64) - 1, 1 << 63, 1 << 63, 1 << 16
OWN_SCRATCHPAD, REMOTE_SCRATCHPAD, REMOTE_EVENTS, MEMORY = range(1, 5)
# Regions: (first address, bytes, code, way); the first one counts.
REGIONS = [
    (0x2_8000, 0x8000, REMOTE_EVENTS, 0),
    (0x1_0000, 0x10000, OWN_SCRATCHPAD, 2),
    (0x2_0000, 0x10000, REMOTE_SCRATCHPAD, 0),
    (0x8_0000, 0x80000, MEMORY, 0),
]
FORBIDDEN, THIRD, NOWHERE = 0x4_0000, 0x3_0000, 0x2_4000


def code_of(address: int) -> int:
    return next((code for first, size, code, _ in REGIONS if first <= address < first + size), 0)


def may(address: int, size: int, writes: bool) -> bool:
    """What the region table says of a range."""
    lines = range(address // LINE, (address + size - 1) // LINE + 1)
    codes = [code_of(line * LINE) for line in lines]
    return all(code != 0 and (writes or code != REMOTE_EVENTS) for code in codes)


def home_of(address: int) -> tuple[bool, bool, bool]:
    """Is it memory, is it read here, and by lines?"""
    known = 0x1_0000 <= address < NOWHERE or 0x2_8000 <= address < 0x3_0000 or 0x8_0000 <= address < 0x10_0000
    here = 0x1_0000 <= address < 0x2_0000 or 0x8_0000 <= address < 0xC_0000
    return known, here, 0xA_0000 <= address < 0xC_0000


def byte_at(address: int) -> int:
    """What is in memory."""
    return address * 167 + (address >> 8) * 29 & 255


def word_at(address: int) -> int:
    return int.from_bytes(bytes(byte_at(address + i) for i in range(8)), "little")


def little(words: list[int], size: int) -> bytes:
    return b"".join(word.to_bytes(8, "little") for word in words)[:size]


@dataclass(eq=False)
class Job:
    """What must be sent, and what has been."""

    share: int
    kind: int
    address: int
    size: int = 8
    data: bytes = b""
    source: int = 0
    acknowledgement: int = 0
    no_retry: int = 0
    mark: int = 0
    number: int | None = None
    begun: int = 0  # bytes, or 1
    under_way: int = 0
    verdict: tuple[int, int] = (0, 0)
    failed: bool = False
    late: int = 0  # reads after that

    @property
    def complete(self) -> bool:
        whole = self.size if self.kind == COPY else 1
        return self.under_way == 0 and (self.begun == whole or self.failed)

    def piece(self) -> tuple[int, int, int]:
        """Source, destination and size of a copy's next packet."""
        source, to = self.source + self.begun, self.address + self.begun
        size = min(LINE - to % LINE, self.size - self.begun)
        if home_of(self.source)[2]:
            size = min(size, LINE - source % LINE)
        return source, to, size


@dataclass
class Store:
    """A store to a line: it is offered, and then inside."""

    line: "Line"
    number: int
    by: int
    data: list[int]
    item: list[int] = field(default_factory=list)  # that was taken from the ring
    told: bool = False  # its result was offered


class Line:
    """A line with events. Its tag and words become what the results say; what that causes is said here."""

    def __init__(self, draw: random.Random, kind: int, ring: int) -> None:
        self.draw, self.kind, self.tag, self.words = draw, kind, 0, [0] * 8
        self.pending: list[tuple[int, int]] = []
        self.waiting: deque[list[int]] = deque()
        self.requests = False
        if kind == COUNTER:
            self.tag = 1
            targets = [draw.choice([0, remote(draw), remote(draw), FORBIDDEN + 8 * draw.randrange(9)]) for _ in "1234"]
            self.words = [0, 1, draw.getrandbits(64), *targets, 0]
        if kind in (QUEUE, MATCH):
            self.log2_words = draw.randrange(1, 4) if kind == MATCH else draw.randrange(4)
            self.tagged = kind == MATCH and draw.random() < 0.7
            self.words[3] = ring
            self.words[4] = 1 | self.log2_words << 8 | (TAGGED if self.tagged else 0)
            self.words[5] = draw.choice([0, 0x2_8000 + 8 * draw.randrange(8)]) if kind == QUEUE else 0

    def store(self, busy: "Tile") -> Store:
        """What somebody stores next."""
        draw = self.draw
        if self.kind == COMMAND:
            if not self.pending:
                self.pending = self.command(busy)
            return Store(self, self.pending[0][0], OWN, [self.pending[0][1]])
        by = draw.choice([OTHER, OWN, ACKNOWLEDGEMENT])
        if self.kind == COUNTER:
            return Store(self, 0, by, [draw.choice([-self.tag & ALL, -self.tag & ALL, 3])])
        if self.kind == QUEUE and draw.random() < 0.3:
            return Store(self, 1, OWN, [self.words[2]])  # the reader takes all
        if self.kind == MATCH and draw.random() < 0.5:
            address = remote(draw) if draw.random() < 0.9 else FORBIDDEN
            tag = draw.getrandbits(15) << 48 | (NO_WAIT if draw.random() < 0.4 else 0) if self.tagged else 0
            return Store(self, 1, by, [address | tag])
        return Store(self, 0, by, [draw.getrandbits(64) for _ in range(1 << self.log2_words)])

    def command(self, busy: "Tile") -> list[tuple[int, int]]:
        """The stores of a command, in any order."""
        draw = self.draw
        kind = draw.choice([1, 1, 2, 3])
        size = draw.choice([draw.randrange(1, 40), draw.randrange(1, 400)]) if kind == 1 else draw.randrange(1, 41)
        to = remote(draw) + draw.randrange(8) if draw.random() < 0.9 else draw.choice([FORBIDDEN, 0x2_FFF0, 1 << 60])
        counter = draw.choice([0, 0x2_8000 + 8 * draw.randrange(64), 0x1_0000 + 8 * draw.randrange(64)])
        if draw.random() < 0.1:
            counter = draw.choice([FORBIDDEN, counter + 4])
        words = [kind | size << 8, to, counter]
        if kind == 1:
            words.append(busy.source(here=False))
        else:
            words += [draw.getrandbits(64) for _ in range((size + 7) // 8)]
        stores = list(enumerate(words))
        draw.shuffle(stores)
        return stores

    def done(self, store: Store) -> list[Job]:
        """The jobs, some of which the interface must refuse, of a store that was done."""
        if self.kind == COMMAND:
            self.pending.pop(0)
            return [] if self.pending else [self.job_of_command(store)]
        if self.kind == COUNTER:
            targets = [target for target in self.words[3:7] if target and not (self.before + store.data[0]) & ALL]
            return [Job(OF_EVENTS, STORE, target, data=little([self.words[2]], 8)) for target in targets]
        if self.kind == QUEUE:
            adds = store.number == 0 and self.words[5] != 0
            return [Job(OF_EVENTS, ADD, self.words[5], data=little([1], 8))] if adds else []
        return self.answers(store)

    def job_of_command(self, store: Store) -> Job:
        words = list(self.words)
        words[store.number] = store.data[0]
        size = words[0] >> 8
        if words[0] & 255 != 1:
            no_retry = int(words[0] & 255 == 3)
            data = little(words[3:], size)
            return Job(OF_COMMANDS, STORE, words[1], size, data, 0, words[2], no_retry)
        if home_of(words[3])[1]:
            return Job(OF_COMMANDS, COPY, words[1], size, b"", words[3], words[2])
        return Job(OF_COMMANDS, TRANSFER, words[3], size, little([words[1]], 8), words[1], words[2])

    def answers(self, store: Store) -> list[Job]:
        is_request, item = store.number == 1, store.data
        meets = bool(self.waiting) and self.requests != is_request
        if not meets:
            if is_request and self.tagged and item[0] & NO_WAIT:
                return [self.answer(item[0], [0] * (1 << self.log2_words), NONE)]
            self.waiting.append(item)
            self.requests = is_request
            return []
        other = self.waiting.popleft()
        return [self.answer(item[0], other) if is_request else self.answer(other[0], item)]

    def answer(self, request: int, item: list[int], none: int = 0) -> Job:
        item = list(item)
        if self.tagged:
            item[-1] = request >> 48 & 0x7FFF | none
            request &= (1 << 48) - 1
        return Job(OF_EVENTS, STORE, request, 8 * len(item), little(item, 64))


def remote(draw: random.Random) -> int:
    """A word that may be written."""
    return draw.choice([0x1_0000, 0x2_0000, 0x2_8000, 0x8_0000]) + 8 * draw.randrange(64)


def refusal(job: Job) -> tuple[int, int] | None:
    """Why a job of a line never enters the list."""
    if job.kind == ADD:
        return None
    to, source = (job.source, job.address) if job.kind == TRANSFER else (job.address, job.source)
    if not may(to, job.size, writes=True):
        return NOT_ALLOWED, to
    if job.acknowledgement % 8:
        return BAD_ACKNOWLEDGEMENT, job.acknowledgement
    if job.acknowledgement and not may(job.acknowledgement, 8, writes=True):
        return NOT_ALLOWED, job.acknowledgement
    if job.kind in (COPY, TRANSFER):
        if not home_of(source)[0]:
            return NOT_CONFIGURED, source
        if not may(source, job.size, writes=False):
            return NOT_ALLOWED, source
    return None
