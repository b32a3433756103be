"""plan: the runs that the selected items of a report need, each once, the longest first."""

from pathlib import Path
from typing import Protocol


class RunMachine(Protocol):
    """A machine file: a preset, or a file derived from one."""

    preset: str

    def argument(self, presets: Path, folder: Path) -> str:
        """Value of `--machine`; a derived file is written to `folder`."""


class Run(Protocol):
    """One run of a program on the simulated machine. Frozen and hashable."""

    machine: RunMachine
    weight: float  # expected duration, relative to other runs

    @property
    def key(self) -> str:
        """Names the run's files."""

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""


class HostRun(Protocol):
    """One run of a command on this computer."""

    machine: None
    weight: float

    @property
    def key(self) -> str:
        """Names the run's files."""

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole command; it writes the file `statistics`."""

    def files(self, tree: Path) -> list[Path]:
        """Files that the results depend on."""


AnyRun = Run | HostRun


class Plan:
    """The runs of the selected items. The machine is deterministic, so no run is repeated."""

    def __init__(self, items: list[str], *, quick: bool) -> None:
        self.items = items
        self.quick = quick

    def runs_of(self, item: str) -> list[AnyRun]:
        """The runs that one item needs."""
        raise NotImplementedError

    def runs(self) -> list[AnyRun]:
        """All runs, once each; the longest first, so that the last ones end together."""
        wanted = {run for item in self.items for run in self.runs_of(item)}
        return sorted(wanted, key=lambda run: (-run.weight, run.key))

    def programs(self) -> list[str]:
        """The programs that must be built for the simulated machine."""
        return sorted({run.binary for run in self.runs() if run.machine is not None})
