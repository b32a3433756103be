"""measures: numbers of a run, from the lines of JSON that its program printed, one for each core and each measurement.

Units: cycles of the tiles' clock, which all of them share; bytes.
"""

import dataclasses
import json
from statistics import fmean

from cni.plan import Plan, Run
from nemesys.execute import Executor
from nemesys.paper import Claims

Line = dict[str, int | str]


def lines_of(text: str) -> list[Line]:
    """What a run printed."""
    return [json.loads(line) for line in text.splitlines()]


@dataclasses.dataclass(frozen=True)
class Lock:
    """Cycles of an acquire and a release, of each core: in a row, and both apart; and what instructions take of it."""

    total: float
    acquire: float
    release: float
    software: float


@dataclasses.dataclass(frozen=True)
class Blocks:
    """Cycles of one run of an algorithm on blocks: of a core, the mean; `total`: until the slowest has ended."""

    total: float
    computing: float
    sending: float
    waiting: float

    @property
    def communicating(self) -> float:
        """All but computing."""
        return self.sending + self.waiting


def span(lines: list[Line]) -> int:
    """From the first begin to the last end."""
    return max(line["end"] for line in lines) - min(line["begin"] for line in lines)


class Known:
    """Runs that have been made, and the paper."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims) -> None:
        self.plan = plan
        self.paper = paper
        self._executor = executor
        self._asked = set(plan.runs())
        self._lines: dict[Run, list[Line]] = {}

    def lines(self, run: Run) -> list[Line]:
        """Of a run; none if it was not made."""
        if run not in self._asked or not self._executor.is_done(run):
            return []
        if run not in self._lines:
            self._lines[run] = lines_of(self._executor.printed(run))
        return self._lines[run]

    def store_one_way(self) -> float | None:
        """Of a remote store, without the poll that sees it: the least."""
        found = self.lines(self.plan.latency())
        return found[0]["least"] if found else None

    def lock(self, run: Run) -> Lock | None:
        """Mean of the cores."""
        found = self.lines(run)
        if not found:
            return None
        mean = {name: fmean(line[name] / line["rounds"] for line in found)
                for name in ("acquiring", "releasing", "software")}  # fmt: skip
        total = fmean((line["end"] - line["begin"]) / line["rounds"] for line in found)
        return Lock(total, mean["acquiring"], mean["releasing"], mean["software"])

    def each(self, run: Run) -> float | None:
        """Cycles of a round of all cores together: of a barrier, or, by the number of cores, of a lock."""
        found = self.lines(run)
        return span(found) / found[0]["rounds"] if found else None

    def barrier_software(self, run: Run) -> float | None:
        """What instructions take of a barrier."""
        found = self.lines(run)
        return fmean(line["software"] / line["rounds"] for line in found) if found else None

    def bandwidths(self, place: str, transport: str, workers: int) -> dict[tuple[int, int], float]:
        """Bytes a cycle, of all workers: by number of buffers and bytes of a block."""
        found: dict[tuple[int, int], list[Line]] = {}
        for line in self.lines(self.plan.triad(place, transport, workers)):
            found.setdefault((line["buffers"], line["bytes"]), []).append(line)
        return {shape: sum(line["moved"] for line in of) / span(of) for shape, of in found.items()}

    def blocks(self, program: str, transport: str, cpus: int, n: int) -> Blocks | None:
        """Of bitonic or fft."""
        found = [line for line in self.lines(self.plan.blocks(program, transport, cpus)) if line["n"] == n]
        if not found:
            return None
        by_core = [[line for line in found if line["core"] == core] for core in range(cpus)]
        rounds = [span(list(of)) for of in zip(*by_core, strict=True)]
        sending, waiting = (fmean(line[name] for line in found) for name in ("sending", "waiting"))
        each = fmean(line["end"] - line["begin"] for line in found)
        return Blocks(fmean(rounds), each - sending - waiting, sending, waiting)

    def speedup(self, program: str, transport: str, cpus: int, n: int) -> float | None:
        """Of so many cores, against one."""
        one = self.blocks(program, transport, 1, n)
        several = self.blocks(program, transport, cpus, n)
        return one.total / several.total if one and several else None

    def stores_gain(self, program: str, cpus: int, n: int) -> tuple[float, float] | None:
        """What stores save against RDMA, of communication and of all: shares, below 0 where RDMA is better."""
        stores, rdma = (self.blocks(program, by, cpus, n) for by in ("stores", "rdma"))
        if not stores or not rdma:
            return None
        return 1 - stores.communicating / rdma.communicating, 1 - stores.total / rdma.total
