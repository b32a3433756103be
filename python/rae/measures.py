"""measures: numbers of a run, from what its program printed and from its statistics.

Units: instructions; atomics, as operations of the program, whatever instructions each takes.
"""

import dataclasses
import json
import re
import tomllib
from pathlib import Path

from nemesys.execute import Executor
from nemesys.paper import Claims
from rae.plan import TRIALS, UNIFORM, AnyRun, NodeRun, Plan
from rae.tasks import TaskRun

ATOMICS = re.compile(r"^atomics: (\d+), (\d+) of them on words of other places$", re.MULTILINE)
ATOMIC = re.compile(r"^atomic (array|index) (\d+)$", re.MULTILINE)
COST = re.compile(r"^(\w+) asking ([\d.-]+) asked ([\d.-]+) cycles ([\d.]+)$", re.MULTILINE)
KERNEL = re.compile(r"^(\w+) seconds ([\d.]+) gams [\d.]+ instructions (\d+) wrong (\d+) ", re.MULTILINE)
OPERATIONS = re.compile(r"^operations: (\d+) local and (\d+) remote words", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Atomics:
    """What a kernel took, once."""

    all: int
    remote: int

    @property
    def share(self) -> float:
        """On words of other places."""
        return self.remote / self.all


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One of CircusTent's: from the barrier before it to the end of the barrier behind it, all PEs."""

    seconds: float
    instructions: int


@dataclasses.dataclass(frozen=True)
class Interface:
    """What network interfaces did in the measured part: main entries are misses, accesses are lines of memory."""

    requests: int
    entries: int
    merged: int
    accesses: int
    seconds: float

    @property
    def misses(self) -> float | None:
        """Of each request."""
        return self.entries / self.requests if self.requests else None


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one operation: instructions of the one that asks and of the one that is asked, cycles."""

    asking: float
    asked: float
    cycles: float


@dataclasses.dataclass(frozen=True)
class Counted:
    """A kernel's run, once; loads and stores of the same with time, with the atomics of that."""

    atomics: int
    instructions: float
    accesses: float | None = None
    accesses_atomics: int = 0

    @property
    def share(self) -> float:
        """Of instructions."""
        return self.atomics / self.instructions

    @property
    def memory_share(self) -> float | None:
        """Of loads, stores and atomics."""
        if self.accesses is None:
            return None
        return self.accesses_atomics / (self.accesses + self.accesses_atomics)


def accesses_of(statistics: dict) -> int:
    """Loads and stores of all harts; atomics are neither."""
    return sum(hart["loads"] + hart["stores"] for hart in statistics["harts"])


def atomics_of(program: str, text: str) -> Atomics | None:
    """What a program printed; the words of gups are atomics, all of them."""
    if program == UNIFORM:
        found = OPERATIONS.search(text)
        return Atomics(int(found[1]) + int(found[2]), int(found[2])) if found else None
    found = ATOMICS.search(text)
    return Atomics(int(found[1]), int(found[2])) if found else None


class Known:
    """Runs that have been made, and the paper."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims, machine: Path) -> None:
        self.plan = plan
        self.paper = paper
        self.machine = tomllib.loads(machine.read_text(encoding="utf-8"))
        self._executor = executor
        self._asked = set(plan.runs())

    def _made(self, run: AnyRun) -> bool:
        return run in self._asked and self._executor.is_done(run)

    def counted(self, program: str, given: tuple[str, ...]) -> Counted | None:
        """Of a kernel's run: loading and all else is in both runs, and goes."""
        few, many = self.plan.counted(program, given)
        if not self._made(few) or not self._made(many):
            return None
        taken = atomics_of(program, self._executor.printed(few))
        more = self._executor.statistics(many)["instructions"] - self._executor.statistics(few)["instructions"]
        if not taken or more <= 0:
            return None
        timed = [one for one in self.plan.timed(program, given) if self._made(one)]
        if len(timed) < len(TRIALS):
            return Counted(taken.all, more / (TRIALS[1] - TRIALS[0]))
        accesses = [accesses_of(self._executor.statistics(one)) for one in timed]
        with_time = atomics_of(program, self._executor.printed(timed[0]))
        each = (accesses[1] - accesses[0]) / (TRIALS[1] - TRIALS[0])
        return Counted(taken.all, more / (TRIALS[1] - TRIALS[0]), each, with_time.all)

    def spread(self, program: str, given: tuple[str, ...], places: int) -> Atomics | None:
        """On so many places."""
        run = self.plan.spread(program, given, places)
        return atomics_of(program, self._executor.printed(run)) if self._made(run) else None

    def measured(self, run: TaskRun) -> dict | None:
        """The measured part of a run of tasks."""
        return self._executor.statistics(run)["measured"] if self._made(run) else None

    def library(self, way: str) -> dict | None:
        """Instructions per operation: `asks` and `has`, each by operation."""
        run = self.plan.library(way)
        return self._executor.statistics(run) if self._made(run) else None

    def costs(self, way: str) -> dict[str, Cost]:
        """Of operations on the machine, by their names."""
        run = self.plan.costs(way)
        said = self._executor.printed(run) if self._made(run) else ""
        return {name: Cost(float(asking), float(asked), float(cycles))
                for name, asking, asked, cycles in COST.findall(said)}  # fmt: skip

    def kernel(self, nodes: int, kernel: str, way: str) -> Kernel | None:
        """None, too, if words are wrong."""
        run = self.plan.kernel(nodes, kernel, way)
        found = KERNEL.search(self._executor.printed(run)) if self._made(run) else None
        return Kernel(float(found[2]), int(found[3])) if found and found[4] == "0" else None

    def interface(self, run: NodeRun) -> Interface | None:
        """Of all nodes."""
        if not self._made(run):
            return None
        part = self._executor.statistics(run)["measured"]
        counts = (part[f"rae_{name}"] for name in ("requests", "entries", "merged", "memory_accesses"))
        return Interface(*counts, part["simulated_ps"] * 1e-12)

    def misses(self, nodes: int, kernel: str, policy: str) -> float | None:
        """Main entries for each request."""
        found = self.interface(self.plan.kernel(nodes, kernel, policy=policy))
        return found.misses if found else None

    def addresses(self) -> list[tuple[str, int]]:
        """Array and word of the atomics of PE 0, in their order."""
        run = self.plan.addresses()
        said = self._executor.printed(run) if self._made(run) else ""
        return [(array, int(word)) for array, word in ATOMIC.findall(said)]

    def latencies(self) -> dict | None:
        """What the program of table 1 prints."""
        run = self.plan.latencies()
        return json.loads(self._executor.printed(run)) if self._made(run) else None
