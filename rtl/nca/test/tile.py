"""tile: what is around the graph write-back, for its bench: a partition with a random graph, types, and a stack; and
what a traversal of that graph must come to.
"""

import random

BASE = 0x4000_0000_0000
SIZE = 0x8000
TYPES = 0x1_0000
RECORD_BYTES = 72
FRONT, ARRAY_FRONT = 40, 48
OBJECT, DATA_ARRAY, POINTER_ARRAY = range(3)
POINTER, DESCRIPTOR = 1, 3
MASK = (1 << 64) - 1


class Type:
    """A type of the program; `codes` says what each word of an object is."""

    def __init__(self, kind: int, alignment: int = 8, codes: list[int] | None = None) -> None:
        self.kind, self.alignment, self.codes = kind, alignment, codes or []
        self.record: tuple[int, int] | None = None  # other words than these, and a fault
        self.size = 8 * len(self.codes)

    def masks(self) -> list[int]:
        return [
            sum(code << 2 * i for i, code in enumerate(self.codes[at : at + 32]))
            for at in range(0, max(len(self.codes), 1), 32)
        ]


def any_codes(draw: random.Random, words: int) -> list[int]:
    """Codes of so many words; a descriptor has its place and two further words, which are data."""
    codes: list[int] = []
    while len(codes) < words:
        code = draw.randrange(4) if draw.random() < 0.6 else 0
        codes += [code, 0, 0] if code == DESCRIPTOR and words - len(codes) >= 3 else [code if code != DESCRIPTOR else 0]
    return codes


class Tile:
    """Objects are numbered by their offset in the partition."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.words = [draw.getrandbits(63) << 1 for _ in range(SIZE // 8)]
        lengths = [0, 1, 5, 12, 31, 33, 70]
        self.types = [Type(OBJECT, draw.choice([8, 16]), any_codes(draw, length)) for length in lengths]
        self.types += [Type(DATA_ARRAY), Type(POINTER_ARRAY, 16)]
        self.objects: dict[int, tuple[Type, int]] = {}  # type and bytes
        self.next = 0

    def word(self, offset: int) -> int:
        return self.words[offset // 8]

    def put(self, offset: int, value: int) -> None:
        self.words[offset // 8] = value & MASK

    def add(self, number: int, bytes_: int | None = None) -> int:
        """An object of this type, with null pointers; its offset."""
        of = self.types[number]
        size = of.size if bytes_ is None else bytes_
        at = self.next + (FRONT if of.kind == OBJECT else ARRAY_FRONT)
        assert at + size <= SIZE
        self.put(at - 8, number | self.draw.getrandbits(32) << 32)
        if of.kind != OBJECT:
            self.put(at - 48, size)
        self.objects[at] = (of, size)
        for word in self.pointers(at):
            self.put(at + 8 * word, 0)
        self.next = (at + size + 7) // 8 * 8
        return at

    def pointers(self, at: int) -> list[int]:
        """Words of the object that are pointers."""
        of, size = self.objects[at]
        if of.kind == OBJECT:
            return [i for i, code in enumerate(of.codes) if code in (POINTER, DESCRIPTOR)]
        return list(range(size // 8)) if of.kind == POINTER_ARRAY else []

    def point(self, at: int, word: int, to: int) -> None:
        self.put(at + 8 * word, BASE + to)

    def random_graph(self, objects: int) -> None:
        draw = self.draw
        for _ in range(objects):
            number = draw.randrange(len(self.types))
            is_array = self.types[number].kind != OBJECT
            size = draw.randrange(30) * (8 if self.types[number].kind == POINTER_ARRAY else 3) if is_array else None
            if self.next + 700 > SIZE:
                break
            self.add(number, size)
        all_objects = list(self.objects)
        for at in all_objects:
            for word in self.pointers(at):
                self.point(at, word, draw.choice(all_objects)) if draw.random() < 0.6 else self.put(at + 8 * word, 0)

    def reached(self, root: int) -> set[int]:
        """All objects of the graph."""
        seen, todo = set(), [root]
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            todo += [self.word(at + 8 * word) - BASE for word in self.pointers(at) if self.word(at + 8 * word)]
        return seen

    def bytes_of(self, at: int) -> int:
        of, size = self.objects[at]
        front = FRONT if of.kind == OBJECT else ARRAY_FRONT
        return front + (size + 7) // 8 * 8 + of.alignment - 8

    def lines_of(self, at: int, line_bytes: int) -> set[int]:
        of, size = self.objects[at]
        begin = at - (FRONT if of.kind == OBJECT else ARRAY_FRONT)
        return set(range(begin // line_bytes * line_bytes, at + (size + 7) // 8 * 8, line_bytes))

    def record(self, address: int, whole: bool) -> tuple[list[int], int]:
        """Three words, or one, and a fault."""
        noise = self.draw.getrandbits
        if whole:
            number = (address - TYPES) // RECORD_BYTES
            of = self.types[number]
            assert TYPES + number * RECORD_BYTES == address
            if of.record is not None:
                return [of.record[0] & MASK, of.record[0] >> 64, TYPES + 0x10000 * (number + 1)], of.record[1]
            kind = of.kind | of.alignment << 8 | noise(48) << 16
            return [of.size | noise(32) << 32, kind, TYPES + 0x10000 * (number + 1)], 0
        number, at = (address - TYPES) // 0x10000 - 1, (address - TYPES) % 0x10000
        masks = self.types[number].masks()
        return [masks[at // 8] if at // 8 < len(masks) else noise(64), noise(64), noise(64)], 0
