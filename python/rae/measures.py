"""measures: numbers of a run, from what its program printed and from its statistics.

Units: instructions; atomics, as operations of the program, whatever instructions each takes.
"""

import dataclasses
import re

from nemesys.execute import Executor
from nemesys.paper import Claims
from rae.plan import TRIALS, UNIFORM, HereRun, LibraryRun, Plan, Run
from rae.tasks import TaskRun

ATOMICS = re.compile(r"^atomics: (\d+), (\d+) of them on words of other places$", re.MULTILINE)
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


def atomics_of(program: str, text: str) -> Atomics | None:
    """What a program printed; the words of gups are atomics, all of them."""
    if program == UNIFORM:
        found = OPERATIONS.search(text)
        return Atomics(int(found[1]) + int(found[2]), int(found[2])) if found else None
    found = ATOMICS.search(text)
    return Atomics(int(found[1]), int(found[2])) if found else None


class Known:
    """Runs that have been made, and the paper."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims) -> None:
        self.plan = plan
        self.paper = paper
        self._executor = executor
        self._asked = set(plan.runs())

    def _made(self, run: Run | HereRun | LibraryRun | TaskRun) -> bool:
        return run in self._asked and self._executor.is_done(run)

    def counted(self, program: str, given: tuple[str, ...]) -> tuple[int, float] | None:
        """Atomics and instructions of a kernel's run: loading and all else is in both runs, and goes."""
        few, many = self.plan.counted(program, given)
        if not self._made(few) or not self._made(many):
            return None
        taken = atomics_of(program, self._executor.printed(few))
        more = self._executor.statistics(many)["instructions"] - self._executor.statistics(few)["instructions"]
        return (taken.all, more / (TRIALS[1] - TRIALS[0])) if taken and more > 0 else None

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
