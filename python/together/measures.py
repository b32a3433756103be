"""measures: cycles of each kernel in each row, what the mechanisms counted, and the programs' results.

Units: cycles of the tiles' clock; bytes; counts of the whole run, of which a kernel's cycles are a part.
"""

import dataclasses
import math
import re

from nemesys.execute import Executor
from together.plan import CIRCUSTENT, NONE, PATTERNS, TASKS, Plan, Row, Run

TIMING = re.compile(r"^(\w+)\nTiming \(secs\) +: ([\d.]+)$", re.MULTILINE)
# With several tasks of a place, what these add depends on who comes first.
ORDERED = tuple(f"{pattern}_{by}" for pattern in PATTERNS[5:] for by in ("ADD", "CAS"))
# An input of these kernels may have several right results.
SEVERAL_RESULTS: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class Counts:
    """Of all runs of a suite in one row."""

    graphs: int = 0  # copied by accelerators
    graph_bytes: int = 0
    commands: int = 0  # of network interfaces
    events: int = 0  # at them: notifications, answers, additions
    copied_bytes: int = 0  # by them
    requests: int = 0  # of words, at interfaces of RAE; those of CNI's copies and counters as well
    remote_words: int = 0  # that the programs asked for
    messages: int = 0
    instructions: int = 0

    @property
    def jobs(self) -> int:
        """All that network interfaces did."""
        return self.commands + self.events

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))


def counts_of(statistics: dict) -> Counts:
    """Of one run."""
    tiles, memories, counters = statistics["tiles"], statistics["memories"], statistics["runtime"]["counters"]

    def total(of: list[dict], name: str) -> int:
        return sum(one[name] for one in of)

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
    """By kernel. The programs mark what they measure; circustent, which measures several times, prints seconds."""
    each_ps = statistics["simulated_ps"] / statistics["cycles"]
    if binary == CIRCUSTENT:
        return {name: float(seconds) * 1e12 / each_ps for name, seconds in TIMING.findall(printed)}
    return {label: statistics["measured"]["simulated_ps"] / each_ps} if statistics["measured"]["marked"] else {}


def comparable(run: Run, result: dict) -> dict:
    """What must be the same in every row."""
    if run.of.name in SEVERAL_RESULTS:
        return {"verified": result["verified"]}
    free = ORDERED if run.binary == CIRCUSTENT and TASKS in run.row.on else ()
    return {name: value for name, value in result.items() if name not in free}


def geometric_mean(values: list[float]) -> float | None:
    """None: there are none."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


class Known:
    """Runs that have been made."""

    def __init__(self, plan: Plan, executor: Executor) -> None:
        self.plan = plan
        self._executor = executor
        self._cycles: dict[tuple[str, Row], dict[str, float]] = {}
        self._counts: dict[tuple[str, Row], Counts] = {}
        self._results: dict[Run, dict] = {}
        for run in plan.runs():
            if executor.is_done(run):
                self._take(run)

    def _take(self, run: Run) -> None:
        statistics = self._executor.statistics(run)
        at = (run.of.suite, run.row)
        self._cycles.setdefault(at, {}).update(
            cycles_of(run.of.label, run.binary, statistics, self._executor.printed(run))
        )
        self._counts[at] = self._counts.get(at, Counts()) + counts_of(statistics)
        self._results[run] = statistics["runtime"]["result"]

    def cycles(self, suite: str, label: str, row: Row) -> float | None:
        """Of a kernel."""
        return self._cycles.get((suite, row), {}).get(label)

    def relative(self, suite: str, label: str, row: Row, to: Row = NONE) -> float | None:
        """Its cycles beside those of another row: below 1 is faster."""
        ours, theirs = self.cycles(suite, label, row), self.cycles(suite, label, to)
        return ours / theirs if ours and theirs else None

    def mean(self, suite: str, row: Row, to: Row = NONE) -> float | None:
        """Geometric, of a suite; None if a kernel of it is not known."""
        values = [self.relative(suite, label, row, to) for label in self.plan.labels(suite)]
        return None if None in values else geometric_mean(values)

    def counts(self, suite: str, row: Row) -> Counts | None:
        """Of a suite; None if a run of it is missing."""
        missing = any(Run(one, row) not in self._results for one in self.plan.programs(suite))
        return None if missing else self._counts[suite, row]

    def results(self) -> dict[Run, dict]:
        """Of all runs that were made."""
        return self._results
