"""figures: figures 3 and 4 of RMem as items, from the cycles between which each transfer took place.

Units: MB/s of 10^6 bytes; cycles of 400 MHz.
"""

import dataclasses
from collections.abc import Callable, Sequence

from nemesys.execute import Executor
from nemesys.items import Cell, Item, Panel, ratio, rounded
from nemesys.paper import Claims
from rmem.plan import DIRECTIONS, KIB, PEERS_BYTES, WAYS, Plan, Run

MHZ = 400
NAMES = {"rmem": "rmem", "bare": "bare portal, single-step", "overlapped": "bare portal, overlapped"}


@dataclasses.dataclass(frozen=True)
class Transfer:
    """One line of the program."""

    cluster: int
    number: int
    begun: int  # cycle
    ended: int


def transfers(text: str) -> list[Transfer]:
    """What a run printed."""
    return [Transfer(*(int(word) for word in line.split())) for line in text.splitlines()]


class Known:
    """Runs that have been made, and the paper."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims) -> None:
        self.plan = plan
        self.paper = paper
        self._executor = executor

    def transfers(self, run: Run) -> list[Transfer]:
        """Of a run; none if it was not made."""
        return transfers(self._executor.printed(run)) if self._executor.is_done(run) else []

    def cycles(self, way: str, direction: str, size_bytes: int) -> float | None:
        """Of a transfer with one peer, mean."""
        found = self.transfers(self.plan.of_size(way, direction, size_bytes)) if size_bytes in self.plan.sizes else []
        return sum(one.ended - one.begun for one in found) / len(found) if found else None

    def throughput(self, way: str, direction: str, size_bytes: int) -> float | None:
        """With one peer."""
        cycles = self.cycles(way, direction, size_bytes)
        return size_bytes * MHZ / cycles if cycles else None

    def total(self, way: str, direction: str, peers: int) -> float | None:
        """Of all peers together, from the first begin to the last end."""
        found = self.transfers(self.plan.of_peers(way, direction, peers)) if peers in self.plan.peers else []
        if not found:
            return None
        span = max(one.ended for one in found) - min(one.begun for one in found)
        return len(found) * PEERS_BYTES * MHZ / span


def compared(
    direction: str,
    points: Sequence[int],
    measured: Callable[[str, str, int], float | None],
    paper: Callable[[int], Cell],
) -> tuple[list[list[Cell]], dict[str, list[float | None]]]:
    """Rows of the ways beside each other, one a point; and each way's values, by its name."""
    values = {way: [measured(way, direction, point) for point in points] for way in WAYS}
    rows: list[list[Cell]] = []
    for i, point in enumerate(points):
        each = [values[way][i] for way in WAYS]
        rows.append([direction, point, *(rounded(v, 4) for v in each), rounded(ratio(each[0], each[1])), paper(point)])
    return rows, {NAMES[way]: of_way for way, of_way in values.items()}


def figure3(known: Known) -> Item:
    """Throughput over size."""
    columns = ["direction", "bytes", *(f"{NAMES[way]} MB/s" for way in WAYS), "rmem / single-step", "paper"]
    paper = {"write": {128 * KIB: str(known.paper["write_share"].low)}}
    paper["read"] = {64 * KIB: f"up to {known.paper['read_gain'].low}"}
    rows = []
    panels = []
    for direction in DIRECTIONS:
        more, values = compared(direction, known.plan.sizes, known.throughput, paper[direction].get)
        rows += more
        kib = [size / KIB for size in known.plan.sizes]
        named = {name: list(zip(kib, of_way, strict=True)) for name, of_way in values.items()}
        panels.append(Panel(f"3{'ab'[DIRECTIONS.index(direction)]}: {direction}", "KiB", "MB/s", named, "x"))
    return Item("figure 3", "Throughput with one peer", columns, rows, reasons(known), panels, of="rmem")


def figure4(known: Known) -> Item:
    """Throughput over peers."""
    columns = ["direction", "peers", *(f"{NAMES[way]} MB/s" for way in WAYS), "rmem / single-step", "paper"]
    rows = []
    panels = []
    for direction in DIRECTIONS:
        more, values = compared(direction, known.plan.peers, known.total, lambda _: "constant")
        rows += more
        named = {name: list(zip(known.plan.peers, of_way, strict=True)) for name, of_way in values.items()}
        panels.append(Panel(f"4: {direction}", "peers", "MB/s of all", named, "x"))
    sentences = [
        "All peers together, 64 KiB a transfer, one server: what limits is the one link into its cluster, or out of "
        "it, and 8 bytes of header for 64 of data leave 1422 of its 1600 MB/s. One peer alone waits for the server "
        "between its transfers; from two on the messages of one travel while another's data do, so the first point is "
        "the lowest."
    ]
    return Item("figure 4", "Throughput over peers", columns, rows, sentences, panels, of="rmem")


def reasons(known: Known) -> list[str]:
    """Why ours differ from the paper's, in measured cycles."""
    sentences = [
        "The baseline of the paper is NodeOS, whose calls are system calls of an operating system; ours is the same "
        "protocol on the adapter's registers, from a program that has its cluster for itself. A message costs less "
        "here, and everything that hangs on it moves to smaller sizes: so there are four sizes below the paper's."
    ]
    size, full = known.plan.sizes[0], 128 * KIB
    cycles = {(way, direction): known.cycles(way, direction, size) for way in WAYS for direction in DIRECTIONS}
    if all(cycles.values()):
        write = cycles["rmem", "write"] - cycles["bare", "write"]
        paper = (1 / known.paper["write_share"].low - 1) * (known.cycles("bare", "write", full) or 0)
        sentences.append(
            f"Write: header and answer take {write:.0f} cycles more than a window that is open already, whatever the "
            f"size; with the paper's share at 128 KB it would be {paper:.0f}."
        )
        check = cycles["rmem", "read"] - cycles["overlapped", "read"]
        step = cycles["bare", "read"] - cycles["overlapped", "read"]
        paper = (known.paper["read_gain"].low - 1) * (known.cycles("rmem", "read", 64 * KIB) or 0)
        sentences.append(
            f"Read: the overlap saves the {step:.0f} cycles of a second exchange of messages, and the server's look "
            f"at bounds and rights takes {check:.0f} of them; the gain is what is left, of the whole, so it is largest "
            f"for the smallest sizes. With the paper's gain at 64 KB the exchange would take {paper:.0f} cycles, as "
            "opening a portal through an operating system may; here it is a few stores. The paper's fall beyond 64 KB "
            "has no counterpart: nothing here is slower for large sizes."
        )
    return sentences
