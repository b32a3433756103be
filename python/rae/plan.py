"""plan: which runs the figures of RAE need: programs on the simulated machine, programs here, and the library's."""

import dataclasses
import sys
from pathlib import Path

from nemesys.machines import Machine
from rae import tasks

ITEMS = ("figure 1", "figure 2", "figure 3", tasks.ITEM)
ONE = Machine("single-tile")
PLACES, QUICK_PLACES = (1, 2, 4, 8, 16, 32, 64), (1, 4, 64)
WAYS = ("memory", "messages")
LIBRARY = "openshmem_operations"
WORDS = ("--form", "words", "--no-verify")
GAP = ("bfs", "sssp", "bc", "pagerank")  # with their form in words
UNIFORM = "gups"  # whose atomics hit all words alike
TRIALS = (1, 3)


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """A program on the simulated machine, without time: what is wanted of it are instructions."""

    program: str
    given: tuple[str, ...]
    machine: Machine = ONE
    weight: float = 1

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([self.program, self.machine.name, *self.given]).replace(":", "")

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    def words(self, machine: str) -> list[str]:
        """What stands behind `tess run --stats FILE`."""
        return ["--machine", machine, "--timing", "off", "-n", "1", "--workers", "1", self.program, *self.given]


@dataclasses.dataclass(frozen=True, order=True)
class HereRun:
    """A program on places of this computer."""

    program: str
    given: tuple[str, ...]
    places: int
    weight: float = 1
    machine: None = None

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([self.program, f"x{self.places}", *self.given]).replace(":", "")

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole of it."""
        return [str(tess), "run", "--stats", str(statistics), "-n", str(self.places), self.program, *self.given]

    def files(self, tree: Path) -> list[Path]:
        """What it depends on."""
        return [tree / "bin" / "tess", tree / "libexec" / "tessera" / self.program]


@dataclasses.dataclass(frozen=True, order=True)
class LibraryRun:
    """All operations of the OpenSHMEM library of this computer, in one way."""

    way: str
    weight: float = 40
    machine: None = None

    @property
    def key(self) -> str:
        """Names the run's files."""
        return f"library_{self.way}"

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole of it."""
        script = Path(__file__).with_name("library.py")
        return [sys.executable, str(script), str(library_program(tess)), self.way, str(statistics)]

    def files(self, tree: Path) -> list[Path]:
        """What it depends on."""
        return [library_program(tree / "bin" / "tess"), Path(__file__).with_name("library.py")]


def library_program(tess: Path) -> Path:
    """The one that calls the library."""
    return tess.parent.parent / "libexec" / "tessera" / "reproduce" / LIBRARY


class Plan:
    """The runs of some items."""

    def __init__(self, items: list[str], *, quick: bool, without: tuple[str, ...] = ()) -> None:
        self.items = items
        self.quick = quick
        self.without = without  # what of the library's program is not installed
        self.places = QUICK_PLACES if quick else PLACES
        self._scale = 12 if quick else 14  # 64 places have blocks of 64 vertices at least

    def graphs(self) -> tuple[str, ...]:
        """Skewed degrees, and all vertices alike."""
        return (f"kron:{self._scale}", f"uniform:{self._scale}")

    def programs(self) -> list[tuple[str, tuple[str, ...]]]:
        """Those whose atomics are counted: the kernels of GAP that have some, and one that does nothing else."""
        more = {"bc": ("--sources", "2"), "pagerank": ("--iterations", "5", "--tolerance", "0")}
        kernels = [(name, (graph, *more.get(name, ()), *WORDS)) for graph in self.graphs() for name in GAP]
        return [*kernels, (UNIFORM, ("--log2-words", "14", "--updates", str(1 << 20), "--no-verify"))]

    def counted(self, program: str, given: tuple[str, ...]) -> tuple[Run, Run]:
        """Of figure 1: with one trial, or a part of the work, and with three."""
        if program != UNIFORM:
            few, many = (Run(program, (*given, "--trials", str(count))) for count in TRIALS)
            return few, many
        updates = given.index("--updates") + 1
        few, many = (Run(program, (*given[:updates], str(int(given[updates]) * count), *given[updates + 1 :]))
                     for count in TRIALS)  # fmt: skip
        return few, many

    def spread(self, program: str, given: tuple[str, ...], places: int) -> HereRun:
        """Of figure 2."""
        return HereRun(program, given, places, weight=1 + places / 8)

    def library(self, way: str) -> LibraryRun:
        """Of figure 3."""
        return LibraryRun(way)

    def runs_of(self, item: str) -> list[Run | HereRun | LibraryRun | tasks.TaskRun]:
        """What one item needs."""
        if item == "figure 1":
            return [run for one in self.programs() for run in self.counted(*one)]
        if item == "figure 2":
            return [self.spread(*one, places) for one in self.programs() for places in self.places]
        if item == tasks.ITEM:
            return tasks.Grid(quick=self.quick).runs()
        return [] if self.without else [self.library(way) for way in WAYS]

    def runs(self) -> list[Run | HereRun | LibraryRun | tasks.TaskRun]:
        """All, once, the longest first."""
        wanted = {run for item in self.items for run in self.runs_of(item)}
        return sorted(wanted, key=lambda run: (-run.weight, run.key))
