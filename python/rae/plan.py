"""plan: which runs the figures of RAE need: programs on simulated machines, programs here, and the library's."""

import dataclasses
import sys
from pathlib import Path

from nemesys.machines import Machine, replaced
from rae import tasks

FIGURES = ("1", "2", "3", "7", "8", "9", "10", tasks.ITEM.split()[1])
TABLE, CURVE, MERGING = "table 1", "interface", "merging"
ITEMS = (*(f"figure {name}" for name in FIGURES), TABLE, CURVE, MERGING)
SWEEP = (CURVE, MERGING)  # beyond the paper's figures
ONE = Machine("single-tile")
PLACES, QUICK_PLACES = (1, 2, 4, 8, 16, 32, 64), (1, 4, 64)
WAYS = ("memory", "messages")
LIBRARY = "openshmem_operations"
WORDS = ("--form", "words", "--no-verify")
GAP = ("bfs", "sssp", "bc", "pagerank")  # with their form in words
UNIFORM = "gups"  # whose atomics hit all words alike
TRIALS = (1, 3)
TIMED_SCALE = 12  # of the graphs whose memory operations are counted: time takes long
POLICIES = ("retain", "free-at-once")
PATTERNS = ("CENTRAL", "STRIDE1", "RAND")
REGULAR = ("CENTRAL", "STRIDE1", "STRIDEN")
IRREGULAR = ("RAND", "PTRCHASE", "SG", "SCATTER", "GATHER")
KERNELS = (*REGULAR, *IRREGULAR)
OPERATIONS = ("ADD", "CAS")
SHMEM_WAYS = ("instructions", "messages")
STRIDE = 7  # words, of STRIDEN: lines have eight
SAMPLES = 10_000  # of figure 9


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Of CircusTent: of PTRCHASE the array that is followed has as many words as there are iterations."""

    kib: int  # of each PE's array
    iterations: int
    chase_kib: int
    chase: int  # iterations


# The interface's cache has 64 KiB. The more nodes, the less for each: what is simulated is all of them.
SIZES = {6: Sizes(1024, 8192, 512, 65536), 16: Sizes(512, 4096, 256, 32768), 64: Sizes(256, 512, 128, 16384)}
QUICK_SIZES = {6: Sizes(128, 512, 128, 16384)}


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """A program on one place of the simulated machine: what is wanted of it are instructions; with time, accesses."""

    program: str
    given: tuple[str, ...]
    machine: Machine = ONE
    weight: float = 1
    timed: bool = False

    @property
    def key(self) -> str:
        """Names the run's files."""
        kind = ["timed"] if self.timed else []
        return "_".join([self.program, self.machine.name, *kind, *self.given]).replace(":", "")

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    def words(self, machine: str) -> list[str]:
        """What stands behind `tess run --stats FILE`."""
        timing = "on" if self.timed else "off"
        return ["--machine", machine, "--timing", timing, "-n", "1", "--workers", "1", self.program, *self.given]


@dataclasses.dataclass(frozen=True, order=True)
class Nodes:
    """A machine of RAE, as its file has it or with another interface."""

    count: int
    policy: str = "retain"
    merge: bool = True

    @property
    def preset(self) -> str:
        """The file."""
        return f"rae-{self.count}"

    @property
    def name(self) -> str:
        """Of the machine and of its file."""
        return self.preset + ("" if self.policy == "retain" else f"-{self.policy}") + ("" if self.merge else "-apart")

    def argument(self, presets: Path, folder: Path) -> str:
        """What `--machine` is given: a preset's name, or a file that is written for it."""
        if self.name == self.preset:
            return self.preset
        folder.mkdir(parents=True, exist_ok=True)
        text = replaced((presets / f"{self.preset}.toml").read_text(encoding="utf-8"), "", "name", f'"{self.name}"')
        text = replaced(text, "rae", "policy", f'"{self.policy}"')
        text = replaced(text, "rae", "merge", str(self.merge).lower())
        file = folder / f"{self.name}.toml"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        return str(file)


@dataclasses.dataclass(frozen=True, order=True)
class NodeRun:
    """A program without the runtime on every node of a machine."""

    program: str
    given: tuple[str, ...]
    machine: Nodes
    weight: float = 4

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([self.program, self.machine.name, *(word.removeprefix("--") for word in self.given)])

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    def words(self, machine: str) -> list[str]:
        """What stands behind `tess run --stats FILE`."""
        return ["--machine", machine, "--copies", str(self.machine.count), self.program, *self.given]


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


AnyRun = Run | HereRun | LibraryRun | NodeRun | tasks.TaskRun


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
        self.sizes = QUICK_SIZES if quick else SIZES
        self._scale = 12 if quick else 14  # 64 places have blocks of 64 vertices at least
        self._count = 64 if quick else 256  # operations of each place, of one pattern

    def graphs(self) -> tuple[str, ...]:
        """Skewed degrees, and all vertices alike."""
        return (f"kron:{self._scale}", f"uniform:{self._scale}")

    def programs(self) -> list[tuple[str, tuple[str, ...]]]:
        """Those whose atomics are counted: the kernels of GAP that have some, and one that does nothing else."""
        more = {"bc": ("--sources", "2"), "pagerank": ("--iterations", "5", "--tolerance", "0")}
        kernels = [(name, (graph, *more.get(name, ()), *WORDS)) for graph in self.graphs() for name in GAP]
        return [*kernels, (UNIFORM, ("--log2-words", "14", "--updates", str(1 << 20), "--no-verify"))]

    def counted(self, program: str, given: tuple[str, ...], *, timed: bool = False) -> tuple[Run, Run]:
        """Of figure 1: with one trial, or a part of the work, and with three."""
        if program != UNIFORM:
            words = [(*given, "--trials", str(count)) for count in TRIALS]
        else:
            updates = given.index("--updates") + 1
            words = [(*given[:updates], str(int(given[updates]) * count), *given[updates + 1 :]) for count in TRIALS]
        few, many = (Run(program, one, weight=20 if timed else 1, timed=timed) for one in words)
        return few, many

    def timed(self, program: str, given: tuple[str, ...]) -> tuple[Run, Run]:
        """Of figure 1: the same of a smaller graph, or less of the work, with time."""
        if program != UNIFORM:
            graph = f"{given[0].split(':')[0]}:{TIMED_SCALE}"
            return self.counted(program, (graph, *given[1:]), timed=True)
        at = given.index("--updates") + 1
        return self.counted(program, (*given[:at], str(int(given[at]) >> 2), *given[at + 1 :]), timed=True)

    def spread(self, program: str, given: tuple[str, ...], places: int) -> HereRun:
        """Of figure 2."""
        return HereRun(program, given, places, weight=1 + places / 8)

    def library(self, way: str) -> LibraryRun:
        """Of figure 3."""
        return LibraryRun(way)

    def costs(self, way: str) -> NodeRun:
        """Of figure 3: the same operations on the machine."""
        return NodeRun("shmem_costs" + ("" if way == "instructions" else "_messages"), (), Nodes(6), weight=1)

    def kernel(self, nodes: int, kernel: str, way: str = "instructions", policy: str = "retain") -> NodeRun:
        """CircusTent, of figures 7, 8 and 10: RAND_ADD, say."""
        size = self.sizes[nodes]
        chases = kernel.startswith("PTRCHASE")
        kib, iterations = (size.chase_kib, size.chase) if chases else (size.kib, size.iterations)
        given = ("--bench", kernel, "--memsize", str(kib * 1024), "--iters", str(iterations))
        given += ("--stride", str(STRIDE)) if kernel.startswith("STRIDEN") else ()
        program = "circustent_shmem" + ("" if way == "instructions" else "_messages")
        return NodeRun(program, given, Nodes(nodes, policy), weight=nodes if way == "instructions" else 2 * nodes)

    def kernels(self) -> list[str]:
        """All sixteen."""
        return [f"{kernel}_{operation}" for kernel in KERNELS for operation in OPERATIONS]

    def addresses(self) -> NodeRun:
        """Of figure 9: each iteration of SCATTER has three."""
        size = self.sizes[6]
        given = ("--bench", "SCATTER_CAS", "--memsize", str(size.kib * 1024), "--iters", str(-(-SAMPLES // 3)))
        return NodeRun("circustent_shmem", (*given, "--note", str(SAMPLES)), Nodes(6))

    def latencies(self) -> NodeRun:
        """Of table 1."""
        return NodeRun("rae-latencies", (), Nodes(6))

    def pattern(self, which: str, places: int, policy: str, *, merge: bool = True) -> NodeRun:
        """So many places work on the words of one."""
        return NodeRun("rae-patterns", (which, str(self._count), str(places)), Nodes(64, policy, merge), weight=30)

    def curve(self) -> list[tuple[str, str, int]]:
        """Policy, pattern and places of the curves."""
        return [(policy, which, places) for policy in POLICIES for which in PATTERNS for places in self.places]

    def merging(self) -> list[tuple[str, bool, NodeRun]]:
        """Policy, whether requests merge, and the run: all places on one word."""
        return [(policy, merge, self.pattern("CENTRAL", max(self.places), policy, merge=merge))
                for policy in reversed(POLICIES) for merge in (False, True)]  # fmt: skip

    def kernel_runs(self, ways: tuple[str, ...], policies: tuple[str, ...] = ("retain",)) -> list[NodeRun]:
        """Of all kernels and machines."""
        return [self.kernel(nodes, kernel, way, policy) for nodes in self.sizes for kernel in self.kernels()
                for way in ways for policy in policies]  # fmt: skip

    def runs_of(self, item: str) -> list[AnyRun]:
        """What one item needs."""
        if item == "figure 1":
            return [run for one in self.programs() for of in (self.counted, self.timed) for run in of(*one)]
        if item == "figure 2":
            return [self.spread(*one, places) for one in self.programs() for places in self.places]
        if item == tasks.ITEM:
            return tasks.Grid(quick=self.quick).runs()
        if item == "figure 3":
            machine = [self.costs(way) for way in SHMEM_WAYS]
            return [*machine, *([] if self.without else [self.library(way) for way in WAYS])]
        if item in ("figure 7", "figure 8"):
            return self.kernel_runs(SHMEM_WAYS)
        if item == "figure 10":
            return self.kernel_runs(("instructions",), POLICIES)
        if item == CURVE:
            return [self.pattern(which, places, policy) for policy, which, places in self.curve()]
        if item == MERGING:
            return [run for _, _, run in self.merging()]
        return [self.addresses() if item == "figure 9" else self.latencies()]

    def runs(self) -> list[AnyRun]:
        """All, once, the longest first."""
        wanted = {run for item in self.items for run in self.runs_of(item)}
        return sorted(wanted, key=lambda run: (-run.weight, run.key))
