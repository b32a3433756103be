"""nma_names: states, operations and structs of nma_pkg.sv as Python has them, and the layout of objects."""

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
PACKAGE = re.sub(r"//[^\n]*", "", (FOLDER / "nma_pkg.sv").read_text(encoding="utf-8"))
REGISTERS = (FOLDER.parent / "registers_pkg.sv").read_text(encoding="utf-8")
WIDTHS = {"word_t": 64, "offset_t": 40, "count_t": 38, "fault_e": 4}
WORD, OFFSET, COUNT = (1 << 64) - 1, (1 << 40) - 1, (1 << 38) - 1


def enumeration(name: str) -> dict[str, int]:
    """Names that have no values, in their order."""
    body = re.search(rf"typedef enum logic \[\d+:0\] {{([^}}]*)}} {name};", PACKAGE)
    return {word.strip(): number for number, word in enumerate(body[1].split(","))}


def fields(name: str) -> list[tuple[str, int]]:
    """A packed struct's fields and their bits, from the highest on."""
    body = re.search(rf"typedef struct packed {{([^}}]*)}} {name};", PACKAGE)
    found = []
    for line in filter(None, (part.strip() for part in body[1].split(";"))):
        kind, field = re.fullmatch(r"(.*\S)\s+(\w+)", line).groups()
        bits = re.fullmatch(r"logic \[(\d+):0\]", kind)
        found.append((field, int(bits[1]) + 1 if bits else WIDTHS.get(kind, 1)))
    return found


def pack(name: str, **values: int) -> int:
    """A struct as a port's value; fields that are not named are 0."""
    value = 0
    for field, bits in fields(name):
        value = value << bits | (values.pop(field, 0) & ((1 << bits) - 1))
    assert not values, f"{name} has no {values}"
    return value


def unpack(name: str, value: int) -> dict[str, int]:
    """The fields of a port's value."""
    found = {}
    for field, bits in reversed(fields(name)):
        found[field] = value & ((1 << bits) - 1)
        value >>= bits
    return found


def register(name: str) -> int:
    """A number of the register map."""
    return int(re.search(rf"\b{name} = \d+'d(\d+)", REGISTERS)[1])


def lanes_of(value: int, lanes: int) -> list[int]:
    """The words of a burst."""
    return [value >> 64 * lane & WORD for lane in range(lanes)]


def burst_of(words: list[int]) -> int:
    """A burst of these words."""
    return sum(word << 64 * lane for lane, word in enumerate(words))


STATES = {name: 1 << number for name, number in enumeration("state_e").items()}  # one bit each, as in states_t
WHATS = enumeration("word_e")
HEADER, INDEX, POSITION, PARENT_DST, PARENT_SRC, ARRAY_BYTES = (
    register(f"Objects{name}") for name in ("Header", "Index", "Position", "ParentDst", "ParentSrc", "ArrayBytes")
)
FRONT, ARRAY_FRONT = register("ObjectsFrontBytes"), register("ObjectsArrayFrontBytes")
OBJECT, DATA_ARRAY, POINTER_ARRAY = 0, 1, 2
DATA, POINTER, TRANSIENT, DESCRIPTOR = 0, 1, 2, 3
