"""graph_and_range: the fields of commands of `ranges` and `nca`, which of them are right, and what follows a graph."""

import random

from places import (
    ACKNOWLEDGE,
    HERE,
    MESSAGE,
    PARTITION_BYTES,
    TAIL,
    TAIL_WINDOW,
    TILES,
    TLM_BYTES,
    TRANSFER,
    WRITE,
    WRITE_BACK,
    counter_of,
    named,
    partition,
    place_of,
    some_counter,
    tlm,
)
from streams import parameter

LINE = parameter("LINE_BYTES", 32)
L1S = 4
WORD = (1 << 64) - 1


def some_range(draw: random.Random) -> list[int]:
    """The fields of `ranges`."""
    size = draw.choice([1, LINE, draw.randrange(1, 5000)])
    tile = draw.randrange(TILES)
    address = draw.choice([
        partition(tile) + draw.randrange(PARTITION_BYTES - size), partition(tile) + PARTITION_BYTES - size,
        TAIL_WINDOW + draw.randrange(TAIL - size),
    ])  # fmt: skip
    operation = draw.randrange(1, 5)
    trigger = draw.randrange(2)
    if draw.random() < 0.3:
        address, operation = tlm(tile) + draw.randrange(TLM_BYTES - size), draw.choice([L1S, L1S, 1, 3])
    wrong = draw.randrange(16)
    if wrong == 0:
        operation = draw.choice([0, 5, 1 << 40])
    elif wrong == 1:
        size = draw.choice([0, PARTITION_BYTES + 1, 1 << 63, WORD])
    elif wrong == 2:
        address = draw.choice([0x20000, 5 << 44, partition(tile) + PARTITION_BYTES - size + 1, TLM_BYTES - size + 1])
    elif wrong == 3:
        trigger = draw.choice([2, 1 << 63])
    return [operation, address, size, some_counter(draw), trigger]


def range_of(words: list[int]) -> tuple[int, int, int] | None:
    """Operation, first and last byte of a right command."""
    operation, address, size, counter, trigger = words
    if not 1 <= operation <= 4 or trigger > 1 or counter_of(counter) is None:
        return None
    first, last = named(address), named((address + size - 1) & WORD)
    if size == 0 or size > PARTITION_BYTES or first is None or last is None or last != first + size - 1:
        return None
    place = place_of(address)
    cached = place.get("partition") or (operation == L1S and place.get("local_memory"))
    return (operation - 1, first, last) if cached and last <= place["last"] else None


def some_graph(draw: random.Random) -> list[int]:
    """The fields of `nca`."""
    lines = draw.randrange(1, 5)
    metadata = draw.choice([0, tlm(HERE) + LINE * 7, partition(HERE) + LINE * draw.randrange(100), LINE * 9])
    remote = draw.choice([0, partition(draw.randrange(TILES)) + LINE * 5, tlm(0) + LINE]) if metadata else 0
    root = draw.choice([0, partition(HERE) + 40, TAIL_WINDOW + 64, 0x20000, draw.getrandbits(60)])
    size, tile, spawns = lines * LINE, draw.randrange(TILES), draw.randrange(2)
    wrong = draw.randrange(16)
    if wrong == 0:
        tile = draw.choice([TILES, 0xFFFF])
    elif wrong == 1:
        metadata = draw.choice([tlm(1), partition(HERE) + 8, partition(HERE + 1), 5 << 44, 0x20000])
    elif wrong == 2:
        remote = draw.choice([partition(1) + 8, 5 << 44, tlm(1) + TLM_BYTES - LINE * (lines - 1), 0x20000, tlm(1)])
    elif wrong == 3:
        size += draw.choice([8, -size, PARTITION_BYTES])
    return [root, metadata, remote, size | tile << 32 | spawns << 48, draw.getrandbits(64), some_counter(draw), 0]


def fits(address: int, size: int) -> bool:
    place = place_of(address)
    copied = place.get("partition") or place.get("local_memory")
    return bool(copied and size and place["address"] % LINE == size % LINE == 0
                and place["address"] + size <= place["last"] + 1)  # fmt: skip


def is_graph(words: list[int]) -> bool:
    _, metadata, remote, dispatch, _, counter, _ = words
    size, tile = dispatch & 0xFFFFFFFF, dispatch >> 32 & 0xFFFF
    if counter_of(counter) is None or (dispatch >> 48 & 1 and tile >= TILES):
        return False
    if metadata == 0:
        return remote == 0
    return fits(metadata, size) and place_of(metadata)["tile"] == HERE and (remote == 0 or fits(remote, size))


def steps_of(words: list[int], result: dict[str, int]) -> list[tuple[int, int, list[int]]]:
    """What follows a graph, if no transfer fails."""
    _, metadata, remote, dispatch, task, counter, _ = words
    size, steps = dispatch & 0xFFFFFFFF, []
    m, remote = named(metadata) if metadata else 0, named(remote) if remote else 0
    if result["fault"] == 0:
        if m:
            steps += [(WRITE, 0, [m, result["objects"]]), (WRITE, 0, [m + 8, result["bytes"]])]
        if remote and place_of(metadata).get("partition"):
            steps.append((WRITE_BACK, 0, [m, size]))
        if remote:
            steps.append((TRANSFER, 0, [m, remote, size]))
        if dispatch >> 48 & 1:
            steps.append((MESSAGE, dispatch >> 32 & 0xFFFF, [task, remote or m, result["objects"], result["bytes"], 0]))
    if counter:
        steps.append((ACKNOWLEDGE, 0, [counter_of(counter), result["fault"]]))
    return steps
