"""measures: cycles of each kernel in each row, counters of the mechanisms, and results of the programs.

Units: cycles of the tiles' clock, of a kernel; bytes and counts of whole runs.
"""

import dataclasses
import math
import re

from tessera.papers.together.plan import CIRCUSTENT, NONE, PATTERNS, TASKS, Plan, Row, Run
from tessera.reproduce import results
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor

TIMING = re.compile(r"^(\w+)\nTiming \(secs\) +: ([\d.]+)$", re.MULTILINE)
# With several tasks per place, the sums of these kernels depend on the order of operations.
ORDERED = tuple(f"{pattern}_{by}" for pattern in PATTERNS[5:] for by in ("ADD", "CAS"))
# Kernels whose input may have several correct results.
SEVERAL_RESULTS: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class Counts:
    """Sums over all runs of a suite in one row."""

    graphs: int = 0  # copied by accelerators
    graph_bytes: int = 0
    commands: int = 0  # of network interfaces
    events: int = 0  # at them: notifications, responses, additions
    copied_bytes: int = 0  # by them
    requests: int = 0  # for words, at the interfaces of RAE; includes those of CNI's copies and counters
    remote_words: int = 0  # requested by the programs
    messages: int = 0
    instructions: int = 0

    @property
    def jobs(self) -> int:
        """Commands and events of the network interfaces."""
        return self.commands + self.events

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))


def counts_of(statistics: dict) -> Counts:
    """The counters of one run."""
    tiles, memories, counters = statistics["tiles"], statistics["memories"], statistics["runtime"]["counters"]

    def total(units: list[dict], name: str) -> int:
        return sum(unit[name] for unit in units)

    return Counts(
        graphs=total(memories, "nma_requests"),
        graph_bytes=total(memories, "nma_bytes"),
        commands=total(tiles, "cni_commands"),
        events=total(tiles, "cni_events"),
        copied_bytes=total(tiles, "cni_copied_bytes"),
        requests=total(tiles, "rae_requests"),
        remote_words=counters["words_remote"],
        messages=counters["messages"],
        instructions=statistics["instructions"],
    )


def cycles_of(label: str, binary: str, statistics: dict, printed: str) -> dict[str, float]:
    """Cycles by kernel. Programs mark the measured part; circustent, which measures several parts, prints seconds."""
    each_ps = statistics["simulated_ps"] / statistics["cycles"]
    if binary == CIRCUSTENT:
        return {name: float(seconds) * 1e12 / each_ps for name, seconds in TIMING.findall(printed)}
    return {label: statistics["measured"]["simulated_ps"] / each_ps} if statistics["measured"]["marked"] else {}


def comparable(run: Run, result: dict) -> dict:
    """The results that must be equal in every row."""
    if run.program.name in SEVERAL_RESULTS:
        return {"verified": result["verified"]}
    free = ORDERED if run.binary == CIRCUSTENT and TASKS in run.row.on else ()
    return {name: value for name, value in result.items() if name not in free}


def geometric_mean(values: list[float]) -> float | None:
    """None for an empty list."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


class Results(results.Results):
    """Measurements of the plan's runs."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims) -> None:
        super().__init__(plan, executor)
        self.paper = paper  # our targets
        self._cycles: dict[tuple[str, Row], dict[str, float]] = {}
        self._counts: dict[tuple[str, Row], Counts] = {}
        self._results: dict[Run, dict] = {}
        for run in plan.runs():
            if self.has(run):
                self._add(run)

    def _add(self, run: Run) -> None:
        statistics = self.executor.statistics(run)
        at = (run.program.suite, run.row)
        self._cycles.setdefault(at, {}).update(
            cycles_of(run.program.label, run.binary, statistics, self.executor.printed(run))
        )
        self._counts[at] = self._counts.get(at, Counts()) + counts_of(statistics)
        self._results[run] = statistics["runtime"]["result"]

    def cycles(self, suite: str, label: str, row: Row) -> float | None:
        """Cycles of a kernel."""
        return self._cycles.get((suite, row), {}).get(label)

    def relative(self, suite: str, label: str, row: Row, to: Row = NONE) -> float | None:
        """Cycles of a kernel relative to another row; below 1 is faster."""
        ours, theirs = self.cycles(suite, label, row), self.cycles(suite, label, to)
        return ours / theirs if ours and theirs else None

    def mean(self, suite: str, row: Row, to: Row = NONE) -> float | None:
        """Geometric mean over the kernels of a suite; None if one was not measured."""
        values = [self.relative(suite, label, row, to) for label in self.plan.labels(suite)]
        return None if None in values else geometric_mean(values)

    def counts(self, suite: str, row: Row) -> Counts | None:
        """Counters of a suite; None if one of its runs is missing."""
        missing = any(Run(one, row) not in self._results for one in self.plan.programs_of(suite))
        return None if missing else self._counts[suite, row]

    def program_results(self) -> dict[Run, dict]:
        """Results of the programs of all runs that succeeded."""
        return self._results
