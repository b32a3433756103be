"""other: a run that is made otherwise, in another layout or on a changed machine, whose results stand for the run's.

A kind of such runs is a subclass of `Otherwise`, which overrides what differs. A view of an executor lets a paper's
measurements, which know the plan's runs only, read the others instead.
"""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from tessera.simulator.execute import AnyRun, Executor, RunMachine, environment_of


@dataclasses.dataclass(frozen=True)
class Otherwise:
    """A run; a subclass says what differs."""

    run: AnyRun

    @property
    def machine(self) -> RunMachine | None:
        """That of the run; None on this computer."""
        return self.run.machine

    @property
    def weight(self) -> float:
        """Expected duration."""
        return self.run.weight

    @property
    def key(self) -> str:
        """Names the run's files."""
        return f"{self.run.key}_{self.difference}"

    @property
    def difference(self) -> str:
        """What differs, as a part of the key."""
        raise NotImplementedError

    @property
    def binary(self) -> str:
        """The program's name."""
        return self.run.binary

    @property
    def environment(self) -> dict[str, str]:
        """Variables that the run sets."""
        return environment_of(self.run)

    @property
    def inputs(self) -> Sequence[Path]:
        """Further files that the outcome depends on."""
        return getattr(self.run, "inputs", ())

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        return self.run.words(machine)

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole command of a run on this computer."""
        return self.run.command(tess, statistics)

    def files(self, tree: Path) -> list[Path]:
        """Files that the results of a run on this computer depend on."""
        return self.run.files(tree)


class View:
    """An executor as a paper's measurements see it: each run stands for another one."""

    def __init__(self, executor: Executor, other: Callable[[AnyRun], AnyRun]) -> None:
        self._executor = executor
        self._other = other

    def is_done(self, run: AnyRun) -> bool:
        """Whether it succeeded."""
        return self._executor.is_done(self._other(run))

    def statistics(self, run: AnyRun) -> dict:
        """Its statistics."""
        return self._executor.statistics(self._other(run))

    def printed(self, run: AnyRun) -> str:
        """Its standard output."""
        return self._executor.printed(self._other(run))
