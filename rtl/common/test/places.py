"""places: the address map of a small machine, for benches of units with command windows, and who answers questions.

Tiles have a tile-local memory and a partition, of which two share a memory. Addresses below 2^20 are the local window
of tile HERE: its memory, a hole, and the tail of its partition.
"""

import random
import re
from pathlib import Path

PACKAGE = (Path(__file__).resolve().parents[1] / "command_pkg.sv").read_text(encoding="utf-8")
WORD = (1 << 64) - 1
TILES, HERE = 6, 2
TLM_BYTES, PARTITION_BYTES = 1 << 16, 1 << 20
TAIL_WINDOW, TAIL = 0xC0000, 0x8000  # where it begins in the window, and its bytes
IDLE, ACCEPTED, FULL, WRONG = range(4)
DONE, REFUSED, NOBODY = range(3)
ACKNOWLEDGE, WRITE, WRITE_BACK, TRANSFER, MESSAGE = range(5)
WIDTHS = {"word_t": 64, "tile_t": 16, "offset_t": 40, "step_e": 3, "logic": 1, "logic [4:0][63:0]": 320}

Place = dict[str, int]


def fields(name: str) -> list[tuple[str, int]]:
    """A packed struct's fields and their bits, from the highest on."""
    text = re.sub(r"//[^\n]*", "", PACKAGE)
    body = re.search(rf"typedef struct packed {{([^}}]*)}} {name};", text)
    parts = filter(None, (part.strip() for part in body[1].split(";")))
    return [(part.split()[-1], WIDTHS[part[: -len(part.split()[-1])].strip()]) for part in parts]


PLACE, STEP = fields("place_t"), fields("step_t")


def pack_place(place: Place) -> int:
    value = 0
    for name, bits in PLACE:
        value = value << bits | place.get(name, 0) & ((1 << bits) - 1)
    return value


def step_of(value: int) -> tuple[int, int, list[int]]:
    """Kind, tile and words of a step."""
    found = {}
    for name, bits in reversed(STEP):
        found[name] = value & ((1 << bits) - 1)
        value >>= bits
    return found["kind"], found["tile"], [found["words"] >> 64 * at & WORD for at in range(5)]


def tlm(tile: int) -> int:
    return (1 << 41) + (tile << 24)


def partition(tile: int) -> int:
    return (2 << 41) + (tile << 30)


def named(address: int) -> int | None:
    """The global address."""
    if address >= 1 << 20:
        return address
    if address < TLM_BYTES:
        return tlm(HERE) + address
    if TAIL_WINDOW <= address < TAIL_WINDOW + TAIL:
        return partition(HERE) + PARTITION_BYTES - TAIL + address - TAIL_WINDOW
    return None


def place_of(address: int) -> Place:
    """What the address map says of an address."""
    found = named(address)
    if found is None:
        return {}
    place = {"named": 1, "address": found}
    for tile in range(TILES):
        if tlm(tile) <= found < tlm(tile) + TLM_BYTES:
            place |= {"mapped": 1, "local_memory": 1, "tile": tile, "memory_tile": tile}
            place |= {"last": tlm(tile) + TLM_BYTES - 1, "offset": found - tlm(tile), "reached": 1}
        if partition(tile) <= found < partition(tile) + PARTITION_BYTES:
            offset = found - partition(tile) + (tile % 2) * PARTITION_BYTES + 0x4000
            place |= {"mapped": 1, "partition": 1, "tile": tile, "memory_tile": tile // 2 * 2}
            # As in a cluster: words of some others are out of reach.
            place |= {"last": partition(tile) + PARTITION_BYTES - 1, "offset": offset, "reached": tile != TILES - 1}
    return place


def partition_of(tile: int) -> Place:
    """What it says of a tile."""
    return place_of(partition(tile)) if tile < TILES else {"named": 1}


def counter_of(address: int) -> int | None:
    """The global address of a counter; 0: there is none; None: it is wrong."""
    if address == 0:
        return 0
    place = place_of(address)
    return place["address"] if place.get("reached") and place["address"] % 8 == 0 else None


def some_counter(draw: random.Random) -> int:
    """An address for a counter, mostly a right one."""
    right = [0, 8 * draw.randrange(1, 1000), partition(draw.randrange(TILES - 1)) + 8 * draw.randrange(1000)]
    wrong = [0x20000, partition(0) + 4, partition(TILES - 1) + 8, 5 << 44]
    return draw.choice(right if draw.random() < 0.8 else wrong)


class Answerer:
    """Answers the questions of a port `look`, one after another, some time later."""

    def __init__(self, dut, draw: random.Random, stall: float) -> None:
        self.dut, self.draw, self.stall = dut, draw, stall
        self.asked: list[Place] = []
        self.waits: int | None = None
        dut.look_ready_i.value = dut.look_answer_valid_i.value = 0

    def drive(self) -> None:
        answers = bool(self.asked) and self.draw.random() >= self.stall
        self.dut.look_answer_valid_i.value = int(answers)
        place = pack_place(self.asked.pop(0)) if answers else self.draw.getrandbits(sum(bits for _, bits in PLACE))
        self.dut.look_place_i.value = place
        self.dut.look_ready_i.value = int(self.draw.random() >= self.stall)

    def saw(self) -> None:
        valid, address = int(self.dut.look_valid_o.value), int(self.dut.look_address_o.value)
        if self.waits is not None:
            assert valid and address == self.waits, "look: an offer changed"
        self.waits = None
        if not valid:
            return
        if not int(self.dut.look_ready_i.value):
            self.waits = address
            return
        by_tile = hasattr(self.dut, "look_is_tile_o") and int(self.dut.look_is_tile_o.value)
        self.asked.append(partition_of(address) if by_tile else place_of(address))
