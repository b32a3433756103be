"""messages: requests as the words of messages, the job that each becomes, and the steps that follow its result."""

import random
from dataclasses import dataclass, field

from places import (
    ACKNOWLEDGE,
    HERE,
    MESSAGE,
    PARTITION_BYTES,
    TAIL_WINDOW,
    TILES,
    TRANSFER,
    partition,
    place_of,
    tlm,
)
from streams import parameter

LINE = parameter("LINE_BYTES", 32)
FROM_BITS = parameter("FROM_BITS", 16)
WORD, OFFSET = (1 << 64) - 1, (1 << 40) - 1


@dataclass
class Request:
    """The words of a message, and what must follow."""

    words: list[int]
    sender: int
    job: dict[str, int] = field(default_factory=dict)
    steps: list[tuple[int, int, list[int]]] = field(default_factory=list)
    moves: bool = False
    result: dict[str, int] = field(default_factory=dict)


def memory_offset(tile: int, address: int) -> int:
    return address - partition(tile) + tile % 2 * PARTITION_BYTES + 0x4000


def some_request(draw: random.Random) -> Request:
    """Mostly a sound one."""
    source, target, final = (draw.choice([HERE, HERE + 1]) for _ in range(3))
    if draw.random() < 0.4:
        final = draw.randrange(TILES)
    lines = draw.randrange(1, 200)
    destination = partition(target) + LINE * draw.randrange(PARTITION_BYTES // LINE - lines)
    size = lines * LINE
    first = LINE * draw.randrange(lines + 1)
    if draw.random() < 0.3:
        destination = partition(target) + PARTITION_BYTES - size  # up to the end
    end = draw.choice([0, 0, destination, partition(final) + LINE * draw.randrange(PARTITION_BYTES // LINE - lines)])
    if draw.random() < 0.1:
        first += 8 * draw.randrange(-1, 4)
        first = max(first, 0)
    wrong = draw.randrange(20)
    if wrong == 0:
        source = draw.choice([0, 1, TILES, 4095])
    elif wrong == 1:
        places = [partition(0), tlm(HERE), destination + 8, 7 << 44, partition(HERE + 1) + (1 << 20), TAIL_WINDOW]
        destination = draw.choice(places)
    elif wrong == 2:
        beyond = partition(4) + PARTITION_BYTES - LINE * (lines - 1)
        end = draw.choice([tlm(1), destination + 8, 7 << 44, beyond, TAIL_WINDOW + LINE])
    elif wrong == 3:
        size += draw.choice([8, PARTITION_BYTES])
    elif wrong == 4:
        size += LINE
    elif wrong == 5:
        first = size + LINE
    elif wrong == 6:
        size = first = 0
    tile = draw.choice([draw.randrange(TILES), draw.randrange(TILES), TILES, draw.randrange(4096)])
    shape = draw.getrandbits(32) | source << 32 | tile << 44 | draw.randrange(4) << 56
    counter = draw.choice([0, 1]) * (tlm(draw.randrange(TILES)) + 8 * draw.randrange(1000))
    words = [draw.getrandbits(63), destination, size | first << 40, end, shape, draw.getrandbits(64), counter]
    return Request(words, draw.getrandbits(FROM_BITS))


def is_buffer(address: int, size: int) -> bool:
    place = place_of(address)
    # An address of one tile's window is none for others.
    if not place.get("partition") or place["address"] != address:
        return False
    return address + size <= place["last"] + 1 and address % LINE == size % LINE == 0


def expected_job(request: Request) -> dict[str, int]:
    root, destination, room, final, shape, _, _ = request.words
    size, first = room & OFFSET, room >> 40
    final = final or destination
    request.moves = final != destination
    source = shape >> 32 & 0xFFF
    job = {"root": root, "objects": shape & 0xFFFFFFFF, "hashed": shape >> 56 & 1}
    sound = source in (HERE, HERE + 1) and is_buffer(destination, size) and is_buffer(final, size)
    sound = sound and place_of(destination)["memory_tile"] == HERE
    sound = sound and first <= size and first % (LINE if request.moves else 8) == 0
    if not sound:
        return {**job, "sound": 0}
    target = memory_offset(place_of(destination)["tile"], destination)
    base = partition(source)
    return job | {
        "sound": 1,
        "source_base": base,
        "source_end": base + PARTITION_BYTES,
        "source_shift": (memory_offset(source, base) - base) & OFFSET,
        "target": target,
        "begins": target + first,
        "ends": target + size,
        "final_shift": (final - target) & WORD,
    }


def expected_steps(request: Request) -> list[tuple[int, int, list[int]]]:
    """Those of its result, if no transfer fails."""
    _, destination, room, final, shape, task, counter = request.words
    first, result = room >> 40, request.result
    moves = request.moves and result["fault"] == 0
    steps = []
    if moves:
        if counter:
            steps.append((ACKNOWLEDGE, 0, [counter, 0]))
        size = (result["bytes"] - first + LINE - 1) // LINE * LINE
        steps.append((TRANSFER, 0, [destination + first, final + first, size]))
    tile = shape >> 44 & 0xFFF
    if shape >> 57 & 1 and tile < TILES:
        words = [task, result["root"], result["bytes"], result["fault"], result["objects"]]
        steps.append((MESSAGE, tile, words))
    if counter:
        steps.append((ACKNOWLEDGE, 0, [counter + (32 if moves else 0), result["fault"]]))
    return steps
