"""measures: RAE's measurements, from the output and the statistics of runs.

Units: instructions; atomics, counted as operations of the program, not as instructions.
"""

import dataclasses
import json
import re
from pathlib import Path

from tessera.papers.rae.plan import GAP_NODES, TRIALS, UNIFORM, NodeRun, Plan
from tessera.papers.rae.tasks import TaskRun
from tessera.reproduce import results
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor
from tessera.simulator.machines import described

ATOMICS = re.compile(r"^atomics: (\d+), (\d+) of them on words of other places$", re.MULTILINE)
ATOMIC = re.compile(r"^atomic (\d+) (array|index) (\d+)$", re.MULTILINE)
COST = re.compile(r"^(\w+) asking ([\d.-]+) asked ([\d.-]+) cycles ([\d.]+)$", re.MULTILINE)
KERNEL = re.compile(r"^(\w+) seconds ([\d.]+) gams [\d.]+ instructions (\d+) wrong (\d+) ", re.MULTILINE)
GAP_ATOMICS = re.compile(r"^(\w+) seconds .* wrong 0 atomics (\d+) edges (\d+)$", re.MULTILINE)
OPERATIONS = re.compile(r"^operations: (\d+) local and (\d+) remote words", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Atomics:
    """Atomics of one execution of a kernel."""

    all: int
    remote: int

    @property
    def share(self) -> float:
        """Share on words of other places."""
        return self.remote / self.all


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of CircusTent on all PEs, from the barrier before it to the end of the barrier after it."""

    seconds: float
    instructions: int
    energy_uj: float | None  # of all units, in the measured part; None: the machine has no energies


@dataclasses.dataclass(frozen=True)
class Interface:
    """Work of all network interfaces in the measured part. Main entries are misses; accesses are lines of memory."""

    requests: int
    entries: int
    merged: int
    accesses: int
    seconds: float

    @property
    def misses(self) -> float | None:
        """Misses per request."""
        return self.entries / self.requests if self.requests else None


@dataclasses.dataclass(frozen=True)
class Cost:
    """One operation: instructions of the requesting and of the serving core, and cycles."""

    requesting: float
    serving: float
    cycles: float


@dataclasses.dataclass(frozen=True)
class Counted:
    """One execution of a kernel, and the loads, stores and atomics of one timed execution."""

    atomics: int
    instructions: float
    accesses: float | None = None
    timed_atomics: int = 0

    @property
    def share(self) -> float:
        """Atomics per instruction."""
        return self.atomics / self.instructions

    @property
    def memory_share(self) -> float | None:
        """Atomics as a share of loads, stores and atomics."""
        if self.accesses is None:
            return None
        return self.timed_atomics / (self.accesses + self.timed_atomics)


def accesses_of(statistics: dict) -> int:
    """Loads and stores of all harts, without atomics."""
    return sum(hart["loads"] + hart["stores"] for hart in statistics["harts"])


def atomics_of(program: str, text: str) -> Atomics | None:
    """The atomics that a program printed; all operations of gups are atomics."""
    if program == UNIFORM:
        found = OPERATIONS.search(text)
        return Atomics(int(found[1]) + int(found[2]), int(found[2])) if found else None
    found = ATOMICS.search(text)
    return Atomics(int(found[1]), int(found[2])) if found else None


class Results(results.Results):
    """Measurements of the plan's runs, the paper's numbers, and the machine files."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims, machines: Path) -> None:
        super().__init__(plan, executor)
        self.paper = paper
        self._machines = machines

    def machine_file(self, preset: str) -> dict:
        """Content of a preset's machine file."""
        return described(self._machines, preset)

    def counted(self, program: str, given: tuple[str, ...]) -> Counted | None:
        """One execution of a kernel: the difference of two runs, so that loading is not counted."""
        few, many = self.plan.counted(program, given)
        if not self.has(few) or not self.has(many):
            return None
        atomics = atomics_of(program, self.executor.printed(few))
        more = self.executor.statistics(many)["instructions"] - self.executor.statistics(few)["instructions"]
        if not atomics or more <= 0:
            return None
        timed = [one for one in self.plan.timed(program, given) if self.has(one)]
        if len(timed) < len(TRIALS):
            return Counted(atomics.all, more / (TRIALS[1] - TRIALS[0]))
        accesses = [accesses_of(self.executor.statistics(one)) for one in timed]
        timed_atomics = atomics_of(program, self.executor.printed(timed[0]))
        each = (accesses[1] - accesses[0]) / (TRIALS[1] - TRIALS[0])
        return Counted(atomics.all, more / (TRIALS[1] - TRIALS[0]), each, timed_atomics.all)

    def spread(self, program: str, given: tuple[str, ...], places: int) -> Atomics | None:
        """Atomics of a program on that many places."""
        run = self.plan.spread(program, given, places)
        return atomics_of(program, self.executor.printed(run)) if self.has(run) else None

    def measured(self, run: TaskRun) -> dict | None:
        """Statistics of the measured part of a run of tasks."""
        return self.executor.statistics(run)["measured"] if self.has(run) else None

    def library(self, way: str) -> dict | None:
        """Instructions per operation of the library: `asks` (requesting process) and `has` (target)."""
        return self.statistics(self.plan.library(way))

    def costs(self, way: str) -> dict[str, Cost]:
        """Costs of operations on the machine, by name."""
        run = self.plan.costs(way)
        return {name: Cost(float(requesting), float(serving), float(cycles))
                for name, requesting, serving, cycles in COST.findall(self.printed(run))}  # fmt: skip

    def kernel(self, nodes: int, kernel: str, way: str) -> Kernel | None:
        """A kernel of CircusTent or GAP; None also if the program found wrong words."""
        run = self.plan.kernel(nodes, kernel, way)
        found = KERNEL.search(self.printed(run))
        if not found or found[4] != "0":
            return None
        energy = self.executor.statistics(run)["measured"].get("energy_pj")
        return Kernel(float(found[2]), int(found[3]), energy / 1e6 if energy is not None else None)

    def gap_atomics(self, kernel: str) -> tuple[int, float] | None:
        """Atomics of a kernel of GAP in OpenSHMEM, and its instructions without counting."""
        found = GAP_ATOMICS.search(self.printed(self.plan.gap(kernel, counts=True)))
        plain = self.kernel(GAP_NODES, kernel, "instructions")
        return (int(found[2]), plain.instructions) if found and plain else None

    def interface(self, run: NodeRun) -> Interface | None:
        """Work of the interfaces of all nodes."""
        if not self.has(run):
            return None
        part = self.executor.statistics(run)["measured"]
        counts = (part[f"rae_{name}"] for name in ("requests", "entries", "merged", "memory_accesses"))
        return Interface(*counts, part["simulated_ps"] * 1e-12)

    def misses(self, nodes: int, kernel: str, policy: str) -> float | None:
        """Misses per request of a kernel."""
        found = self.interface(self.plan.kernel(nodes, kernel, policy=policy))
        return found.misses if found else None

    def addresses(self) -> list[tuple[int, str, int]]:
        """Number, array and word of a sample of the atomics on words of PE 0, in program order."""
        run = self.plan.addresses()
        return [(int(number), array, int(word)) for number, array, word in ATOMIC.findall(self.printed(run))]

    def latencies(self) -> dict | None:
        """Measurements for table 1."""
        run = self.plan.latencies()
        return json.loads(self.executor.printed(run)) if self.has(run) else None
