"""saving: time saved by instructions, by the latency of the network, the software's path and the requests under way.

The paper's figure 7 has one number for an unknown network, library and program. Here each of these is varied, and the
picture shows where the paper's number lies.

Units: cycles of a core for each addition; µs for a round trip.
"""

import dataclasses
import math
import re
from typing import TYPE_CHECKING

from tessera.reproduce.items import Cell, Item, Panel, percent, rounded
from tessera.simulator.machines import Machine

if TYPE_CHECKING:
    from tessera.papers.rae.measures import Results

ITEM = "figure saving"
PROGRAM = "rae-saving"
PRESET, NODES = "rae-6", 6
UNDER_WAY = (1, 2, 4, 8, 16, 32, 64)  # what the program measures
DRAWN, QUICK_DRAWN = (1, 4, 16, 64), (1, 16)
# Cycles from a core into the network, and back: adapter.request_cycles and response_cycles. The first are the preset's.
LATENCIES, QUICK_LATENCIES = (8, 100, 300, 1000, 3000, 10_000), (8, 300, 3000)
OUTSTANDING = 128
# Instructions of requester and of handler beyond the shortest path, which has some 25, and what that is like.
EXTRAS = {0: "shortest path", 64: "figure 7's", 304: "a library's, figure 3", 1008: "three times that"}
INSTRUCTIONS = re.compile(r"^instructions (\d+) cycles ([\d.]+)$", re.MULTILINE)
SOFTWARE = re.compile(r"^software (\d+) (\d+) cycles ([\d.]+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True, order=True)
class SavingRun:
    """The program on all nodes, with one latency."""

    latency: int
    count: int
    weight: float = 2
    program: str = PROGRAM
    layouts = False  # a sweep: the differences are far larger than those of layouts

    @property
    def machine(self) -> Machine:
        """The preset with this latency, and with room for 64 requests and as many replies of a tile under way."""
        changed = {"request_cycles": self.latency, "response_cycles": self.latency, "outstanding": OUTSTANDING}
        return Machine(PRESET, changes=tuple((f"adapter.{key}", str(value)) for key, value in changed.items()))

    @property
    def key(self) -> str:
        """Names the run's files."""
        return f"{PROGRAM}_{PRESET}_latency-{self.latency}_{self.count}"

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        return ["--machine", machine, "--copies", str(NODES), PROGRAM, str(self.count), *map(str, EXTRAS)]


@dataclasses.dataclass(frozen=True)
class Measured:
    """What a run printed: cycles for each addition."""

    instructions: dict[int, float]  # by additions under way
    software: dict[tuple[int, int], float]  # by further instructions, and additions under way

    def saved(self, extra: int, under_way: int) -> float | None:
        """Share of the software's time."""
        direct, software = self.instructions.get(under_way), self.software.get((extra, under_way))
        return 1 - direct / software if direct and software else None


def runs(*, quick: bool) -> list[SavingRun]:
    """One run for each latency."""
    return [SavingRun(latency, 100 if quick else 200) for latency in (QUICK_LATENCIES if quick else LATENCIES)]


def measured(printed: str) -> Measured | None:
    """The output of a run; None if there is none."""
    direct = {int(under_way): float(cycles) for under_way, cycles in INSTRUCTIONS.findall(printed)}
    software = {(int(extra), int(under_way)): float(cycles)
                for extra, under_way, cycles in SOFTWARE.findall(printed)}  # fmt: skip
    return Measured(direct, software) if direct and software else None


def crossing(points: list[tuple[float, float]], value: float) -> float | None:
    """The x at which a falling curve of (x, y) has the value, by a line between neighbours, x logarithmic."""
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        if y0 >= value > y1:
            return math.exp(math.log(x0) + (math.log(x1) - math.log(x0)) * (y0 - value) / (y0 - y1))
    return None


def where(points: list[tuple[float, float]], value: float) -> str:
    """The same as text."""
    found = crossing(points, value)
    if found is not None:
        return f"{found:.3g} µs"
    if points and points[0][1] < value:
        return "nowhere, less everywhere"
    return f"beyond {points[-1][0]:.3g} µs"


def figure(results: "Results") -> Item:
    """Time saved, by all three."""
    columns = ["round trip µs", "further instructions, each side", "under way", "instructions: cycles each",
               "software: cycles each", "time saved %"]  # fmt: skip
    paper = results.paper["gain_mean"].low / 100
    us_of_cycle = 1 / results.machine_file(PRESET)["clocks"]["tile_mhz"]
    found = [one for run in runs(quick=results.plan.quick) if (one := measured(results.printed(run)))]
    rows: list[list[Cell]] = []
    curves: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for one in found:
        round_trip = one.instructions[1] * us_of_cycle
        for extra in EXTRAS:
            for under_way in UNDER_WAY:
                saved = one.saved(extra, under_way)
                rows.append([rounded(round_trip, 4), extra, under_way, one.instructions.get(under_way),
                             one.software.get((extra, under_way)), percent(saved)])  # fmt: skip
                if saved is not None:
                    curves.setdefault((under_way, extra), []).append((round_trip, saved))
    panels = []
    for under_way in QUICK_DRAWN if results.plan.quick else DRAWN:
        series = {f"{extra} more: {name}": [(x, percent(y)) for x, y in curves.get((under_way, extra), [])]
                  for extra, name in EXTRAS.items()}  # fmt: skip
        panels.append(Panel(f"time saved, {under_way} under way", "round trip of an instruction, µs", "time saved, %",
                            series, "x", band_name="the paper's mean and maximum",
                            band=(results.paper["gain_mean"].low, results.paper["gain_max"].low)))  # fmt: skip
    sentences = [
        "Every node of rae-6 adds to random words of the next one, which are in its caches or its interface's cache. By"
        " instructions: one that waits, or tickets. By software: a request and a reply of one word each, posted into "
        "rings of the other node's memory, which it polls; requester and handler then execute as many further "
        "instructions as the curve says. The latency is that of the adapters, added to both ways alike.",
        f"The paper: {results.paper['gain_mean']} on average. Its network, its library's path and the requests that "
        "its programs have under way are not said.",
    ]
    sentences += [
        f"{results.paper['gain_mean']} is saved with {under_way} under way at a round trip of: "
        + "; ".join(f"{name}, {where(curves.get((under_way, extra), []), paper)}" for extra, name in EXTRAS.items())
        + "."
        for under_way in UNDER_WAY
        if curves
    ]
    return Item(ITEM, "Time saved by latency, software and requests under way", columns, rows, sentences,
                panels if found else [])  # fmt: skip
