"""figures: figures 3 and 4 of RMem: throughput over the size of a transfer and over the number of peers.

Units: MB/s of 10^6 bytes; cycles of 400 MHz.
"""

from collections.abc import Callable, Sequence

from tessera.papers.rmem.measures import Results
from tessera.papers.rmem.plan import BEYOND, DIRECTIONS, KIB, SYSTEMS, WAYS
from tessera.reproduce.items import Cell, Item, Panel, ratio, rounded

NAMES = {
    "rmem": "rmem", "bare": "bare portal, single-step", "overlapped": "bare portal, overlapped",
    "four": "rmem, four at once", "unaligned": "rmem, unaligned",
}  # fmt: skip

# Where the text has a value: KiB of a transfer, and the claim, in times of the bare portal.
PAPER = {"write": (128, "write_share"), "read": (64, "read_gain")}
TITLES = {"kernel": "by the system kernel", "polled": "bare"}


def compared(
    system: str,
    direction: str,
    points: Sequence[int],
    measured: Callable[[str, str, int, str], float | None],
    paper: Callable[[int], Cell],
    ways: Sequence[str] = WAYS,
) -> tuple[list[list[Cell]], dict[str, list[float | None]]]:
    """One row for each point, with all ways; and the values of each way by its name. The first two are compared."""
    values = {way: [measured(way, direction, point, system) for point in points] for way in ways}
    rows: list[list[Cell]] = []
    for i, point in enumerate(points):
        each = [values[way][i] for way in ways]
        share = rounded(ratio(each[0], each[1]))
        rows.append([system, direction, point, *(rounded(v, 4) for v in each), share, paper(point)])
    return rows, {NAMES[way]: of_way for way, of_way in values.items()}


def figure3(results: Results) -> Item:
    """Figure 3: throughput over size; beyond the paper with four requests under way, and unaligned."""
    ways = (*WAYS, *BEYOND)
    columns = ["system", "direction", "bytes", *(f"{NAMES[way]} MB/s" for way in ways), "rmem / single-step", "paper"]
    paper = {"write": {128 * KIB: str(results.paper["write_share"].low)}}
    paper["read"] = {64 * KIB: f"up to {results.paper['read_gain'].low}"}
    rows = []
    panels = []
    for system in SYSTEMS:
        for direction in DIRECTIONS:
            at_sizes = (results.plan.sizes, results.throughput, paper[direction].get, ways)
            more, values = compared(system, direction, *at_sizes)
            rows += more
            kib = [size / KIB for size in results.plan.sizes]
            named = {name: list(zip(kib, of_way, strict=True)) for name, of_way in values.items()}
            title = f"3{'ab'[DIRECTIONS.index(direction)]}: {direction}, {TITLES[system]}"
            at, times = PAPER[direction]
            bare = dict(named[NAMES["bare"]]).get(at)
            share = results.paper[times].low
            stated = {f"the paper: rmem, {share:g} times the bare portal": [(at, bare * share)]} if bare else {}
            panels.append(Panel(title, "bytes of a transfer, KiB", "throughput, MB/s", named, "x", paper=stated))
    return Item("figure 3", "Throughput with one peer", columns, rows, reasons(results), panels)


def figure4(results: Results) -> Item:
    """Figure 4: throughput over peers."""
    columns = ["system", "direction", "peers", *(f"{NAMES[way]} MB/s" for way in WAYS), "rmem / single-step", "paper"]
    rows = []
    panels = []
    for system in SYSTEMS:
        for direction in DIRECTIONS:
            more, values = compared(system, direction, results.plan.peers, results.total, lambda _: "constant")
            rows += more
            named = {name: list(zip(results.plan.peers, of_way, strict=True)) for name, of_way in values.items()}
            title = f"4: {direction}, {TITLES[system]}"
            panels.append(Panel(title, "peers", "throughput of all, MB/s", named, "x"))
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
        "The paper's baseline is NodeOS: a program's calls go to the resource manager of its cluster, which runs the "
        "operating system. Here they go to the system's hart, which runs the system kernel (`--system kernel`): every "
        "call, interrupt, packet and copy of it is executed. `polled` is the same program on the registers of its "
        "cluster, without an operating system."
    ]
    size, full = results.plan.sizes[0], 128 * KIB
    cycles = {
        (system, way, direction): results.cycles(way, direction, size, system)
        for system in SYSTEMS for way in WAYS for direction in DIRECTIONS
    }  # fmt: skip
    if not all(cycles.values()):
        return sentences
    write = {system: cycles[system, "rmem", "write"] - cycles[system, "bare", "write"] for system in SYSTEMS}
    paper = (1 / results.paper["write_share"].low - 1) * (results.cycles("bare", "write", full) or 0)
    sentences.append(
        f"Write: header and reply take {write['kernel']:.0f} cycles more than a window that is already open, for any "
        f"size, and {write['polled']:.0f} bare; with the paper's share at 128 KB it would be {paper:.0f}."
    )
    step = {system: cycles[system, "bare", "read"] - cycles[system, "overlapped", "read"] for system in SYSTEMS}
    check = {system: cycles[system, "rmem", "read"] - cycles[system, "overlapped", "read"] for system in SYSTEMS}
    paper = (results.paper["read_gain"].low - 1) * (results.cycles("rmem", "read", 64 * KIB) or 0)
    sentences.append(
        f"Read: the overlap saves a second exchange of messages, {step['kernel']:.0f} cycles, and {step['polled']:.0f} "
        f"bare; the server's check of bounds and rights takes {check['kernel']:.0f} and {check['polled']:.0f} of them. "
        "The rest is the gain, the same for every size, so it is largest for the smallest. For the paper's gain at 64 "
        f"KB the exchange would have to take {paper:.0f} cycles. The paper's drop beyond 64 KB has no counterpart: "
        "nothing here is slower for large sizes."
    )
    return sentences


MAKERS = {"figure 3": figure3, "figure 4": figure4}
