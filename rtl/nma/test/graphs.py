"""graphs: object graphs in a memory, sound or damaged, and what a copy is, by the rules of docs/machine/nemesys.md.

The copier here is recursive and knows nothing of states: it is what the accelerator must agree with.
"""

import random
import sys
from dataclasses import dataclass, field

from nma_names import (
    ARRAY_BYTES,
    ARRAY_FRONT,
    DATA,
    DATA_ARRAY,
    DESCRIPTOR,
    FRONT,
    HEADER,
    OBJECT,
    POINTER,
    POINTER_ARRAY,
    TRANSIENT,
    WORD,
    register,
)

MAP, ENTRIES = 4096, 64
SOURCE, SOURCE_BYTES, BASE = 16384, 1 << 16, 0x200_1000_0000
SHIFT = (SOURCE - BASE) & (1 << 40) - 1
TARGET, TARGET_BYTES = SOURCE + SOURCE_BYTES + 192, 1 << 15
TYPES, RECORD = 0x1000, register("ObjectsRecordBytes")
NONE, BAD_REQUEST, NULL_POINTER, WILD_POINTER, BAD_DESCRIPTOR, BUFFER_FULL, MAP_FULL = range(7)
MEMORY_ERROR = register("GraphFaultMemoryError")


class Fault(Exception):
    """A copy ends with it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass
class Type:
    """A record of the section of types."""

    kind: int
    size: int = 0
    alignment: int = 8
    mask: list[int] = field(default_factory=list)
    mask_at: int = 0

    def code(self, at: int) -> int:
        return self.mask[at // 32] >> at % 32 * 2 & 3

    @property
    def sound(self) -> bool:
        return self.kind <= POINTER_ARRAY and self.alignment in (8, 16) and (self.kind != OBJECT or self.size % 8 == 0)


@dataclass
class Job:
    """A request, with what the translation of its addresses gives."""

    root: int
    begins: int
    ends: int
    final_shift: int
    objects: int
    hashed: int = 0
    sound: int = 1


class Memory:
    """Words by their offsets; the section of types."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.words: dict[int, int] = {}
        self.types: list[Type] = []
        self.next = BASE + 8 * draw.randrange(8)
        self.objects: list[tuple[int, int]] = []

    def at(self, offset: int) -> int:
        return self.words.setdefault(offset, self.draw.getrandbits(64))

    def original(self, address: int) -> int:
        return self.at(address - BASE + SOURCE)

    def set_original(self, address: int, value: int) -> None:
        self.words[address - BASE + SOURCE] = value & WORD

    def add_type(self, kind: int, codes: list[int] | None = None, alignment: int = 8) -> int:
        """A type of objects, whose words have these codes, or of arrays; its number."""
        codes = codes or []
        mask = [0] * (len(codes) // 32 + 1)
        for at, code in enumerate(codes):
            mask[at // 32] |= code << at % 32 * 2
        behind = TYPES + 64 * RECORD + 8 * sum(len(one.mask) for one in self.types)
        self.types.append(Type(kind, 8 * len(codes), alignment, mask, behind))
        return len(self.types) - 1

    def add_object(self, number: int, elements: int = 0) -> int:
        """Its address; its words are not set."""
        of = self.types[number]
        size = of.size if of.kind == OBJECT else elements
        front = FRONT if of.kind == OBJECT else ARRAY_FRONT
        address = (self.next + front + 15) // 16 * 16
        if of.alignment == 8 and self.draw.random() < 0.5:
            address += 8
        assert address + size <= BASE + SOURCE_BYTES
        self.set_original(address - HEADER, number | self.draw.getrandbits(32) << 32)
        if of.kind != OBJECT:
            self.set_original(address - ARRAY_BYTES, elements)
        self.objects.append((address, number))
        self.next = address + (size + 7) // 8 * 8
        return address

    def any_object(self, *, array: bool = False) -> int:
        """The address of one of them; null, if there is none."""
        fits = [address for address, number in self.objects if not array or self.types[number].kind != OBJECT]
        return self.draw.choice(fits) if fits else 0


def random_graph(draw: random.Random, *, damaged: bool) -> Memory:
    """Objects of several types, whose pointers point anywhere."""
    memory = Memory(draw)
    for _ in range(8):
        codes: list[int] = []
        while len(codes) < draw.choice([0, 2, 5, 40]):
            code = draw.choice([DATA, DATA, POINTER, TRANSIENT, DESCRIPTOR])
            codes += [code] if code != DESCRIPTOR else [DESCRIPTOR, draw.randrange(4), draw.randrange(4)]
        memory.add_type(OBJECT, codes, draw.choice([8, 16]))
    for kind in (DATA_ARRAY, POINTER_ARRAY) * 2:
        memory.add_type(kind, alignment=draw.choice([8, 16]))
    for _ in range(draw.choice([1, 8, 40])):
        number = draw.randrange(len(memory.types))
        of = memory.types[number]
        elements = draw.choice([0, 8, 24, 13, 200]) if draw.random() < 0.9 else draw.randrange(1200)
        memory.add_object(number, elements // 8 * 8 if of.kind == POINTER_ARRAY else elements)
    for address, number in memory.objects:
        fill(memory, address, memory.types[number])
    if damaged:
        damage(memory)
    return memory


def fill(memory: Memory, address: int, of: Type) -> None:
    """Words as the type says."""
    draw = memory.draw
    size = of.size if of.kind == OBJECT else memory.original(address - ARRAY_BYTES)
    at = 0
    while at < size // 8:
        code = of.code(at) if of.kind == OBJECT else POINTER if of.kind == POINTER_ARRAY else DATA
        word = draw.getrandbits(64) if code in (DATA, TRANSIENT) else 0 if draw.random() < 0.2 else memory.any_object()
        if code == DESCRIPTOR:
            word = memory.any_object(array=True)
            memory.set_original(address + 8 * at + 8, draw.randrange(9))
            memory.set_original(address + 8 * at + 16, draw.randrange(1, 9) if word else 0)
            memory.set_original(address + 8 * at, word)
            at += 3
            continue
        memory.set_original(address + 8 * at, word)
        at += 1


def damage(memory: Memory) -> None:
    """One thing is wrong."""
    draw = memory.draw
    address, number = draw.choice(memory.objects)
    of = memory.types[number]
    size = of.size if of.kind == OBJECT else memory.original(address - ARRAY_BYTES)
    wild = draw.choice(
        [draw.getrandbits(64), BASE + FRONT, BASE, BASE + SOURCE_BYTES - 8, BASE + SOURCE_BYTES, address + 4]
    )
    # An array right at the begin of the partition has no room for its front.
    memory.set_original(BASE + FRONT - HEADER, draw.choice([n for n, one in enumerate(memory.types) if one.kind]))
    for _ in range(3):
        what = draw.randrange(7)
        if what == 0 and size >= 8:
            memory.set_original(address + 8 * draw.randrange(size // 8), wild)
        elif what == 1:
            memory.set_original(address - HEADER, draw.choice([99, draw.getrandbits(32), len(memory.types)]))
        elif what == 2 and of.kind != OBJECT:
            memory.set_original(address - ARRAY_BYTES, draw.choice([13, 1 << 15, draw.getrandbits(64)]))
        elif what == 3:
            of.alignment = draw.choice([0, 4, 32])
        elif what == 4:
            of.kind = 3
        elif what == 5 and of.kind == OBJECT:
            of.size += draw.choice([4, -8, 8]) if of.size else 4
        elif what == 6 and of.kind == OBJECT:
            for at in range(of.size // 8 - 2):
                if of.code(at) == DESCRIPTOR:
                    memory.set_original(address + 8 * at, 0)
                    memory.set_original(address + 8 * at + 16, 5)


class Copier:
    """Copies depth first; the words of the copies, but for the transition structure."""

    def __init__(self, memory: Memory, job: Job, types_count: int) -> None:
        self.memory, self.job, self.types_count = memory, job, types_count
        self.used = job.begins
        self.copies: dict[int, int] = {}
        self.words: dict[int, int] = {}

    def run(self) -> tuple[int, int, int, int]:
        """The result: fault, final address of the root, used bytes, objects."""
        job, fault, root = self.job, NONE, 0
        if not job.sound:
            return BAD_REQUEST, 0, 0, 0
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(10_000)
        try:
            root = self.begin()
        except Fault as found:
            fault = found.number
        sys.setrecursionlimit(limit)
        return fault, 0 if fault else root, self.used - TARGET, len(self.copies_made)

    @property
    def copies_made(self) -> list[int]:
        return list(self.copies) + self.without_entry

    without_entry: list[int] = []

    def begin(self) -> int:
        job = self.job
        self.without_entry = []
        if job.root == 0:
            raise Fault(NULL_POINTER)
        slots = 2 << (job.objects - 1).bit_length() if job.objects else 0
        if job.hashed and (job.objects == 0 or slots > ENTRIES):
            raise Fault(MAP_FULL)
        self.most = slots - 1 if job.hashed else ENTRIES
        return self.copy(job.root)

    def place(self, address: int) -> tuple[Type, int, int]:
        """Checks an original: its type, its size, and where its copy is."""
        memory = self.memory
        if address % 8 or not BASE + FRONT <= address < BASE + SOURCE_BYTES:
            raise Fault(WILD_POINTER)
        number = memory.original(address - HEADER) & 0xFFFFFFFF
        if number >= self.types_count or not memory.types[number].sound:
            raise Fault(BAD_DESCRIPTOR)
        of, size = memory.types[number], memory.types[number].size
        front = FRONT
        if of.kind != OBJECT:
            if address == BASE + FRONT:
                raise Fault(WILD_POINTER)
            size, front = memory.original(address - ARRAY_BYTES), ARRAY_FRONT
            if of.kind == POINTER_ARRAY and size % 8:
                raise Fault(BAD_DESCRIPTOR)
        if size > BASE + SOURCE_BYTES - address:
            raise Fault(WILD_POINTER)
        at = self.used + front
        at = (at + 15) // 16 * 16 if of.alignment == 16 else at
        if at + (size + 7) // 8 * 8 > self.job.ends:
            raise Fault(BUFFER_FULL)
        self.used = at + (size + 7) // 8 * 8
        if len(self.copies) >= self.most:
            self.without_entry.append(address)
            raise Fault(MAP_FULL)
        self.copies[address] = at
        self.words[at - HEADER] = number | (at - TARGET) // 8 << 32
        if of.kind != OBJECT:
            self.words[at - ARRAY_BYTES] = size
        return of, size, at

    def copy(self, address: int) -> int:
        """The final address of its copy."""
        if address in self.copies:
            return self.final(address)
        of, size, at = self.place(address)
        words, number = (size + 7) // 8, 0
        while number < words:
            word = self.memory.original(address + 8 * number)
            code = of.code(number) if of.kind == OBJECT else POINTER if of.kind == POINTER_ARRAY else DATA
            if code == DESCRIPTOR:
                if words - number < 3:
                    raise Fault(BAD_DESCRIPTOR)
                if word == 0 and self.memory.original(address + 8 * number + 16) != 0:
                    raise Fault(NULL_POINTER)
                self.words[at + 8 * number] = self.copy(word) if word else 0
                for further in (1, 2):
                    self.words[at + 8 * (number + further)] = self.memory.original(address + 8 * (number + further))
                number += 3
                continue
            if code == POINTER and word:
                word = self.copy(word)
            self.words[at + 8 * number] = 0 if code == TRANSIENT else word
            number += 1
        return self.final(address)

    def final(self, address: int) -> int:
        return (self.copies[address] + self.job.final_shift) & WORD
