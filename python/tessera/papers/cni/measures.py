"""measures: CNI's measurements, from the JSON lines that a program prints, one for each core and each measurement.

Units: cycles of the tiles' common clock; bytes.
"""

import dataclasses
import json
from statistics import fmean

from tessera.papers.cni.plan import STREAMS, Plan, Run
from tessera.reproduce import results
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor

Line = dict[str, int | str]


def lines_of(text: str) -> list[Line]:
    """The lines that a run printed."""
    return [json.loads(line) for line in text.splitlines()]


@dataclasses.dataclass(frozen=True)
class Lock:
    """Cycles of an acquire and a release of each core: together, apart, and the part spent on instructions."""

    total: float
    acquire: float
    release: float
    software: float


@dataclasses.dataclass(frozen=True)
class Blocks:
    """Cycles of an algorithm on blocks, means over cores; `total`: until the slowest core has ended."""

    total: float
    computing: float
    sending: float
    waiting: float

    @property
    def communicating(self) -> float:
        """All but computing."""
        return self.sending + self.waiting


def span(lines: list[Line]) -> int:
    """Cycles from the first begin to the last end."""
    return max(line["end"] for line in lines) - min(line["begin"] for line in lines)


def saved(stores: float, rdma: float) -> float:
    """Share of the longer time that the shorter one saves: positive if stores take less, negative if RDMA does."""
    return 1 - stores / rdma if stores <= rdma else rdma / stores - 1


class Results(results.Results):
    """Measurements of the plan's runs, and the paper's numbers."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims) -> None:
        super().__init__(plan, executor)
        self.paper = paper
        self._lines: dict[Run, list[Line]] = {}

    def lines(self, run: Run) -> list[Line]:
        """The lines of a run; none without one."""
        if run not in self._lines:
            self._lines[run] = lines_of(self.printed(run))
        return self._lines[run]

    def store_one_way(self) -> float | None:
        """Lowest latency of a remote store, without the poll that detects it."""
        found = self.lines(self.plan.latency())
        return found[0]["least"] if found else None

    def lock(self, run: Run) -> Lock | None:
        """Means over the cores."""
        found = self.lines(run)
        if not found:
            return None
        mean = {name: fmean(line[name] / line["rounds"] for line in found)
                for name in ("acquiring", "releasing", "software")}  # fmt: skip
        total = fmean((line["end"] - line["begin"]) / line["rounds"] for line in found)
        return Lock(total, mean["acquiring"], mean["releasing"], mean["software"])

    def round_cycles(self, run: Run) -> float | None:
        """Cycles of one round of all cores: one barrier, or one acquisition of a lock by each core."""
        found = self.lines(run)
        return span(found) / found[0]["rounds"] if found else None

    def energy_uj(self, run: Run) -> float | None:
        """Microjoules of a whole run, its start included; None without a run, or on a machine without energies."""
        found = (self.statistics(run) or {}).get("energy", {}).get("pj")
        return found / 1e6 if found else None

    def barrier_software(self, run: Run) -> float | None:
        """Cycles of a barrier that are spent on instructions."""
        found = self.lines(run)
        return fmean(line["software"] / line["rounds"] for line in found) if found else None

    def bandwidths(
        self, place: str, transport: str, workers: int, stream: tuple[str, str] = STREAMS[0]
    ) -> dict[tuple[int, int], float]:
        """Bytes per cycle of all workers together, by number of buffers and bytes per block."""
        found: dict[tuple[int, int], list[Line]] = {}
        for line in self.lines(self.plan.triad(place, transport, workers, stream)):
            found.setdefault((line["buffers"], line["bytes"]), []).append(line)
        return {shape: sum(line["moved"] for line in of) / span(of) for shape, of in found.items()}

    def blocks(self, program: str, transport: str, cpus: int, n: int) -> Blocks | None:
        """Bitonic sort or FFT of size n."""
        found = [line for line in self.lines(self.plan.blocks(program, transport, cpus)) if line["n"] == n]
        if not found:
            return None
        by_core = [[line for line in found if line["core"] == core] for core in range(cpus)]
        rounds = [span(list(of)) for of in zip(*by_core, strict=True)]
        sending, waiting = (fmean(line[name] for line in found) for name in ("sending", "waiting"))
        each = fmean(line["end"] - line["begin"] for line in found)
        return Blocks(fmean(rounds), each - sending - waiting, sending, waiting)

    def speedup(self, program: str, transport: str, cpus: int, n: int) -> float | None:
        """Speed-up over one core."""
        one = self.blocks(program, transport, 1, n)
        several = self.blocks(program, transport, cpus, n)
        return one.total / several.total if one and several else None

    def stores_gain(self, program: str, cpus: int, n: int) -> tuple[float, float] | None:
        """Shares of communication and of all time of the slower way that stores save; negative: that RDMA saves."""
        stores, rdma = (self.blocks(program, by, cpus, n) for by in ("stores", "rdma"))
        if not stores or not rdma:
            return None
        return saved(stores.communicating, rdma.communicating), saved(stores.total, rdma.total)
