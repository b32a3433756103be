"""figures: figures 3 and 4 of RMem: throughput over the size of a transfer and over the number of peers.

Units: MB/s of 10^6 bytes; cycles of 400 MHz.
"""

from collections.abc import Callable, Sequence

from tessera.papers.rmem.measures import Results
from tessera.papers.rmem.plan import DIRECTIONS, KIB, WAYS
from tessera.reproduce.items import Cell, Item, Panel, ratio, rounded

NAMES = {"rmem": "rmem", "bare": "bare portal, single-step", "overlapped": "bare portal, overlapped"}


def compared(
    direction: str,
    points: Sequence[int],
    measured: Callable[[str, str, int], float | None],
    paper: Callable[[int], Cell],
) -> tuple[list[list[Cell]], dict[str, list[float | None]]]:
    """One row for each point, with all ways; and the values of each way by its name."""
    values = {way: [measured(way, direction, point) for point in points] for way in WAYS}
    rows: list[list[Cell]] = []
    for i, point in enumerate(points):
        each = [values[way][i] for way in WAYS]
        rows.append([direction, point, *(rounded(v, 4) for v in each), rounded(ratio(each[0], each[1])), paper(point)])
    return rows, {NAMES[way]: of_way for way, of_way in values.items()}


def figure3(results: Results) -> Item:
    """Figure 3: throughput over size."""
    columns = ["direction", "bytes", *(f"{NAMES[way]} MB/s" for way in WAYS), "rmem / single-step", "paper"]
    paper = {"write": {128 * KIB: str(results.paper["write_share"].low)}}
    paper["read"] = {64 * KIB: f"up to {results.paper['read_gain'].low}"}
    rows = []
    panels = []
    for direction in DIRECTIONS:
        more, values = compared(direction, results.plan.sizes, results.throughput, paper[direction].get)
        rows += more
        kib = [size / KIB for size in results.plan.sizes]
        named = {name: list(zip(kib, of_way, strict=True)) for name, of_way in values.items()}
        title = f"3{'ab'[DIRECTIONS.index(direction)]}: {direction}"
        panels.append(Panel(title, "bytes of a transfer, KiB", "throughput, MB/s", named, "x"))
    return Item("figure 3", "Throughput with one peer", columns, rows, reasons(results), panels)


def figure4(results: Results) -> Item:
    """Figure 4: throughput over peers."""
    columns = ["direction", "peers", *(f"{NAMES[way]} MB/s" for way in WAYS), "rmem / single-step", "paper"]
    rows = []
    panels = []
    for direction in DIRECTIONS:
        more, values = compared(direction, results.plan.peers, results.total, lambda _: "constant")
        rows += more
        named = {name: list(zip(results.plan.peers, of_way, strict=True)) for name, of_way in values.items()}
        panels.append(Panel(f"4: {direction}", "peers", "throughput of all, MB/s", named, "x"))
    sentences = [
        "Throughput of all peers together, 64 KiB per transfer, one server. The limit is the single link into the "
        "server's cluster, or out of it: with 8 bytes of header per 64 bytes of data, 1422 of its 1600 MB/s remain. A "
        "single peer waits for the server between its transfers; with two or more, the messages of one overlap with "
        "the data of another, so the first point is the lowest."
    ]
    return Item("figure 4", "Throughput over peers", columns, rows, sentences, panels)


def reasons(results: Results) -> list[str]:
    """Why our results differ from the paper's, in measured cycles."""
    sentences = [
        "The paper's baseline is NodeOS, whose calls are system calls of an operating system. Ours is the same "
        "protocol on the adapter's registers, used directly by a program that has its cluster to itself. A message "
        "costs less here, and every effect of that cost moves to smaller sizes; hence the four sizes below the paper's."
    ]
    size, full = results.plan.sizes[0], 128 * KIB
    cycles = {(way, direction): results.cycles(way, direction, size) for way in WAYS for direction in DIRECTIONS}
    if all(cycles.values()):
        write = cycles["rmem", "write"] - cycles["bare", "write"]
        paper = (1 / results.paper["write_share"].low - 1) * (results.cycles("bare", "write", full) or 0)
        sentences.append(
            f"Write: header and reply take {write:.0f} cycles more than a window that is already open, for any size; "
            f"with the paper's share at 128 KB it would be {paper:.0f}."
        )
        check = cycles["rmem", "read"] - cycles["overlapped", "read"]
        step = cycles["bare", "read"] - cycles["overlapped", "read"]
        paper = (results.paper["read_gain"].low - 1) * (results.cycles("rmem", "read", 64 * KIB) or 0)
        sentences.append(
            f"Read: the overlap saves the {step:.0f} cycles of a second exchange of messages; the server's check of "
            f"bounds and rights costs {check:.0f} of them. The rest is the gain, so it is largest for the smallest "
            f"sizes. With the paper's gain at 64 KB the exchange would take {paper:.0f} cycles, which is plausible for "
            "opening a portal through an operating system; here it is a few stores. The paper's drop beyond 64 KB has "
            "no counterpart: nothing here is slower for large sizes."
        )
    return sentences


MAKERS = {"figure 3": figure3, "figure 4": figure4}
