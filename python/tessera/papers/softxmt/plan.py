"""plan: the run of SoftXMT's experiments: one program on this computer, which makes the points of all figures."""

import dataclasses
from pathlib import Path

from tessera.reproduce import plan

PROGRAM = "softxmt"
ITEMS = ("lists", "tasks", "delay", "cache")


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """All experiments once."""

    delay_us: float  # of an operation, in the third
    quick: bool
    machine: None = None

    @property
    def weight(self) -> float:
        """Expected duration."""
        return 1 if self.quick else 40

    @property
    def key(self) -> str:
        """Names the run's files."""
        return PROGRAM + ("_quick" if self.quick else "")

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole command."""
        words = ["--output", str(statistics), "--delay-us", f"{self.delay_us:g}"]
        return [str(program(tess.parent.parent)), *words, *(["--quick"] if self.quick else [])]

    def files(self, tree: Path) -> list[Path]:
        """The file that the result depends on."""
        return [program(tree)]


def program(tree: Path) -> Path:
    """The program, in a tree of files as `tess` has it."""
    return tree / "libexec" / "tessera" / "reproduce" / PROGRAM


class Plan(plan.Plan):
    """The run, for any of the figures."""

    def __init__(self, items: list[str], *, quick: bool, delay_us: float) -> None:
        super().__init__(items, quick=quick)
        self._delay_us = delay_us

    def run(self) -> Run:
        """The only one."""
        return Run(self._delay_us, self.quick)

    def runs_of(self, _: str) -> list[Run]:
        """The run that a figure needs."""
        return [self.run()]
