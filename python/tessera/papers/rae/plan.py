"""plan: the runs that the items of RAE need: programs on simulated machines, on this computer, and on a library."""

import dataclasses
import sys
from pathlib import Path

from tessera.papers.rae import saving, tasks
from tessera.reproduce import hardware, plan
from tessera.simulator.machines import Machine, variant_text, write_derived

FIGURES = ("1", "2", "3", "7", "8", "9", "10", *(item.split()[1] for item in (tasks.ITEM, saving.ITEM)))
TABLE, CURVE, MERGING = "table 1", "interface", "merging"
HARDWARE = "hardware"
ITEMS = (*(f"figure {name}" for name in FIGURES), TABLE, CURVE, MERGING, HARDWARE)
SWEEP = (CURVE, MERGING)  # beyond the paper's figures
ONE = Machine("single-tile")
PLACES, QUICK_PLACES = (1, 2, 4, 8, 16, 32, 64), (1, 4, 64)
WAYS = ("memory", "messages")
LIBRARY = "openshmem_operations"
WORDS = ("--form", "words", "--no-verify")
GAP = ("bfs", "sssp", "bc", "pagerank")  # in their form on single words
UNIFORM = "gups"  # its atomics hit all words with equal probability
TRIALS = (1, 3)
TIMED_SCALE = 12  # of graphs whose memory operations are counted; timed simulation is slow
POLICIES = ("retain", "free-at-once")
PATTERNS = ("CENTRAL", "STRIDE1", "RAND")
REGULAR = ("CENTRAL", "STRIDE1", "STRIDEN")
IRREGULAR = ("RAND", "PTRCHASE", "SG", "SCATTER", "GATHER")
KERNELS = (*REGULAR, *IRREGULAR)
OPERATIONS = ("ADD", "CAS")
GAP_NODES = 6  # the paper's machine: where GAP's kernels run in OpenSHMEM
GAP_KERNELS = ("bfs", "sssp", "cc", "bc", "pr")  # those that have atomics
GAP_DEGREE = 4
SHMEM_WAYS = ("instructions", "messages")
STRIDE = 7  # words, for STRIDEN; a line has eight
SAMPLES = 10_000  # of figure 9
# Words of each PE that PTRCHASE follows, on every machine: 512 KiB, eight times the interface cache.
CHASE_WORDS = 65536
# Other sizes of figure 10: vertices of pr's graph, as powers of two; and bytes of the arrays of SCATTER and GATHER of
# which no words at the same place of both share a line of the interface cache.
PR_SCALES, QUICK_PR_SCALES = (15, 17), (10,)
APART_BYTES = 1_081_344


@dataclasses.dataclass(frozen=True)
class Sizes:
    """CircusTent's sizes."""

    kib: int  # array of each PE
    iterations: int
    chase: int  # iterations of PTRCHASE, which fill the interface cache several times


# By nodes. The interface cache has 64 KiB. Each node does less on larger machines, since all nodes are simulated.
SIZES = {6: Sizes(1024, 8192, 16384), 16: Sizes(512, 4096, 16384), 64: Sizes(256, 512, 4096)}
QUICK_SIZES = {6: Sizes(128, 512, 4096)}


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """A program on one place of the simulated machine, to count instructions, or, timed, memory accesses."""

    program: str
    arguments: tuple[str, ...]
    machine: Machine = ONE
    weight: float = 1
    timed: bool = False
    layouts = False  # instructions and accesses are counted

    @property
    def key(self) -> str:
        """Names the run's files."""
        kind = ["timed"] if self.timed else []
        return "_".join([self.program, self.machine.name, *kind, *self.arguments]).replace(":", "")

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        timing = "on" if self.timed else "off"
        return ["--machine", machine, "--timing", timing, "-n", "1", "--workers", "1", self.program, *self.arguments]


@dataclasses.dataclass(frozen=True, order=True)
class Nodes:
    """A machine of RAE: its preset, or the preset with another configuration of the interface."""

    count: int
    policy: str = "retain"
    merge: bool = True

    @property
    def preset(self) -> str:
        """Name of the preset."""
        return f"rae-{self.count}"

    @property
    def name(self) -> str:
        """Name of the machine and of its file."""
        return self.preset + ("" if self.policy == "retain" else f"-{self.policy}") + ("" if self.merge else "-apart")

    def argument(self, presets: Path, folder: Path) -> str:
        """Value of `--machine`: a preset's name, or a derived file, which is written to `folder`."""
        if self.name == self.preset:
            return self.preset
        values = {"rae.policy": f'"{self.policy}"', "rae.merge": str(self.merge).lower()}
        text = variant_text(self.preset, self.name, values)
        return write_derived(folder, self.name, text)


@dataclasses.dataclass(frozen=True, order=True)
class NodeRun:
    """A bare program, without the runtime, on every node of a machine."""

    program: str
    arguments: tuple[str, ...]
    machine: Nodes
    weight: float = 4
    layouts: bool = True  # False: what it prints does not depend on time, or its item is beyond the paper

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([self.program, self.machine.name, *(word.removeprefix("--") for word in self.arguments)])

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        return ["--machine", machine, "--copies", str(self.machine.count), self.program, *self.arguments]


@dataclasses.dataclass(frozen=True, order=True)
class HostRun:
    """A program on places of this computer."""

    program: str
    arguments: tuple[str, ...]
    places: int
    weight: float = 1
    machine: None = None
    layouts = False  # atomics are counted

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([self.program, f"x{self.places}", *self.arguments]).replace(":", "")

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole command."""
        return [str(tess), "run", "--stats", str(statistics), "-n", str(self.places), self.program, *self.arguments]

    def files(self, tree: Path) -> list[Path]:
        """The files that the result depends on."""
        return [tree / "bin" / "tess", tree / "libexec" / "tessera" / self.program]


@dataclasses.dataclass(frozen=True, order=True)
class LibraryRun:
    """All operations of this computer's OpenSHMEM library, over one transport."""

    way: str
    weight: float = 40
    machine: None = None
    layouts = False  # instructions are counted

    @property
    def key(self) -> str:
        """Names the run's files."""
        return f"library_{self.way}"

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole command."""
        script = Path(__file__).with_name("library.py")
        return [sys.executable, str(script), str(library_program(tess)), self.way, str(statistics)]

    def files(self, tree: Path) -> list[Path]:
        """The files that the result depends on."""
        return [library_program(tree / "bin" / "tess"), Path(__file__).with_name("library.py")]


AnyRun = Run | HostRun | LibraryRun | NodeRun | tasks.TaskRun | saving.SavingRun | hardware.AreaRun


def library_program(tess: Path) -> Path:
    """The program that calls the library."""
    return tess.parent.parent / "libexec" / "tessera" / "reproduce" / LIBRARY


class Plan(plan.Plan):
    """The runs of the selected items."""

    def __init__(self, items: list[str], *, quick: bool, missing: tuple[str, ...] = ()) -> None:
        super().__init__(items, quick=quick)
        self.missing = missing  # programs that the measurement of the library needs and that are not installed
        self.places = QUICK_PLACES if quick else PLACES
        self.sizes = QUICK_SIZES if quick else SIZES
        self._scale = 12 if quick else 14  # so that each of 64 places has at least 64 vertices
        self._count = 64 if quick else 256  # operations of each place for one pattern
        self.gap_scale = 9 if quick else 13

    def graphs(self) -> tuple[str, ...]:
        """A graph with skewed degrees, and a uniform one."""
        return (f"kron:{self._scale}", f"uniform:{self._scale}")

    def counted_programs(self) -> list[tuple[str, tuple[str, ...]]]:
        """Programs whose atomics are counted: kernels of GAP that have atomics, and one that has nothing else."""
        more = {"bc": ("--sources", "2"), "pagerank": ("--iterations", "5", "--tolerance", "0")}
        kernels = [(name, (graph, *more.get(name, ()), *WORDS)) for graph in self.graphs() for name in GAP]
        return [*kernels, (UNIFORM, ("--log2-words", "14", "--updates", str(1 << 20), "--no-verify"))]

    def counted(self, program: str, given: tuple[str, ...], *, timed: bool = False) -> tuple[Run, Run]:
        """Two runs of figure 1: with one trial, or one unit of work, and with three."""
        if program != UNIFORM:
            words = [(*given, "--trials", str(count)) for count in TRIALS]
        else:
            updates = given.index("--updates") + 1
            words = [(*given[:updates], str(int(given[updates]) * count), *given[updates + 1 :]) for count in TRIALS]
        few, many = (Run(program, one, weight=20 if timed else 1, timed=timed) for one in words)
        return few, many

    def timed(self, program: str, given: tuple[str, ...]) -> tuple[Run, Run]:
        """The same two runs, timed, on a smaller graph or with less work."""
        if program != UNIFORM:
            graph = f"{given[0].split(':')[0]}:{TIMED_SCALE}"
            return self.counted(program, (graph, *given[1:]), timed=True)
        at = given.index("--updates") + 1
        return self.counted(program, (*given[:at], str(int(given[at]) >> 2), *given[at + 1 :]), timed=True)

    def spread(self, program: str, given: tuple[str, ...], places: int) -> HostRun:
        """A run of figure 2."""
        return HostRun(program, given, places, weight=1 + places / 8)

    def library(self, way: str) -> LibraryRun:
        """The library, for figure 3."""
        return LibraryRun(way)

    def costs(self, way: str) -> NodeRun:
        """The same operations on the machine, for figure 3."""
        return NodeRun("shmem_costs" + ("" if way == "instructions" else "_messages"), (), Nodes(6), weight=1)

    def kernel(self, nodes: int, kernel: str, way: str = "instructions", policy: str = "retain") -> NodeRun:
        """A kernel of CircusTent, e.g. RAND_ADD, or of GAP, e.g. pr, for figures 7, 8 and 10."""
        if kernel in GAP_KERNELS:
            return self.gap(kernel, way, policy)
        size = self.sizes[nodes]
        chases = kernel.startswith("PTRCHASE")
        # PTRCHASE uses no word of the other array.
        memory, iterations = (64, size.chase) if chases else (size.kib * 1024, size.iterations)
        given = ("--bench", kernel, "--memsize", str(memory), "--iters", str(iterations))
        given += ("--chase", str(CHASE_WORDS)) if chases else ()
        given += ("--stride", str(STRIDE)) if kernel.startswith("STRIDEN") else ()
        program = "circustent_shmem" + ("" if way == "instructions" else "_messages")
        return NodeRun(program, given, Nodes(nodes, policy), weight=nodes if way == "instructions" else 2 * nodes)

    def kernels(self) -> list[str]:
        """Names of all sixteen kernels of CircusTent."""
        return [f"{kernel}_{operation}" for kernel in KERNELS for operation in OPERATIONS]

    def other_sizes(self) -> list[tuple[str, NodeRun]]:
        """What figure 10 shows in addition: kernels with other sizes, on the paper's machine."""
        given = [str(scale) for scale in (QUICK_PR_SCALES if self.quick else PR_SCALES)]
        words = [("--kernel", "pr", "--scale", scale, "--degree", str(GAP_DEGREE)) for scale in given]
        found = [(f"pr, 2^{scale} vertices", NodeRun("gap_shmem", one, Nodes(GAP_NODES), weight=40, layouts=False))
                 for scale, one in zip(given, words, strict=True)]  # fmt: skip
        for kernel in ("SCATTER_ADD", "GATHER_ADD"):
            count = str(self.sizes[GAP_NODES].iterations)
            arrays = ("--bench", kernel, "--memsize", str(APART_BYTES), "--iters", count)
            one = NodeRun("circustent_shmem", arrays, Nodes(GAP_NODES), layouts=False)
            found.append((f"{kernel}, other size", one))
        return found

    def gap(self, kernel: str, way: str = "instructions", policy: str = "retain", *, counts: bool = False) -> NodeRun:
        """A kernel of GAP in OpenSHMEM; `counts`: with a count of its atomics, which takes instructions, too."""
        given = ("--kernel", kernel, "--scale", str(self.gap_scale), "--degree", str(GAP_DEGREE))
        given += ("--count", "yes") if counts else ()
        program = "gap_shmem" + ("" if way == "instructions" else "_messages")
        return NodeRun(program, given, Nodes(GAP_NODES, policy), weight=GAP_NODES, layouts=not counts)

    def kernels_on(self, nodes: int) -> list[str]:
        """The kernels that run on a machine: CircusTent's, and GAP's on the paper's."""
        return [*self.kernels(), *(GAP_KERNELS if nodes == GAP_NODES else ())]

    def addresses(self) -> NodeRun:
        """The run of figure 9: figure 7's SCATTER_CAS, or as long as the sample needs; an iteration is 3 operations."""
        size = self.sizes[6]
        count = max(size.iterations, -(-SAMPLES // 3))
        given = ("--bench", "SCATTER_CAS", "--memsize", str(size.kib * 1024), "--iters", str(count))
        return NodeRun("circustent_shmem", (*given, "--note", str(SAMPLES)), Nodes(6), layouts=False)

    def latencies(self) -> NodeRun:
        """The run of table 1."""
        return NodeRun("rae-latencies", (), Nodes(6))

    def pattern(self, name: str, places: int, policy: str, *, merge: bool = True) -> NodeRun:
        """A number of places that operate on words of place 0."""
        words = (name, str(self._count), str(places))
        return NodeRun("rae-patterns", words, Nodes(64, policy, merge), weight=30, layouts=False)

    def curve(self) -> list[tuple[str, str, int]]:
        """Policy, pattern and number of places of each point."""
        return [(policy, which, places) for policy in POLICIES for which in PATTERNS for places in self.places]

    def merging(self) -> list[tuple[str, bool, NodeRun]]:
        """Policy, whether requests merge, and the run, in which all places use one word."""
        return [(policy, merge, self.pattern("CENTRAL", max(self.places), policy, merge=merge))
                for policy in reversed(POLICIES) for merge in (False, True)]  # fmt: skip

    def kernel_runs(self, ways: tuple[str, ...], policies: tuple[str, ...] = ("retain",)) -> list[NodeRun]:
        """Runs of all kernels on all machines."""
        return [self.kernel(nodes, kernel, way, policy) for nodes in self.sizes for kernel in self.kernels_on(nodes)
                for way in ways for policy in policies]  # fmt: skip

    def runs_of(self, item: str) -> list[AnyRun]:
        """The runs that one item needs."""
        if item == "figure 1":
            shmem = [self.gap(kernel, counts=counts) for kernel in GAP_KERNELS for counts in (False, True)]
            pairs = [pair(*one) for one in self.counted_programs() for pair in (self.counted, self.timed)]
            return [*(run for pair in pairs for run in pair), *shmem]
        if item == "figure 2":
            return [self.spread(*one, places) for one in self.counted_programs() for places in self.places]
        if item == tasks.ITEM:
            return tasks.Grid(quick=self.quick).runs()
        if item == "figure 3":
            machine = [self.costs(way) for way in SHMEM_WAYS]
            return [*machine, *([] if self.missing else [self.library(way) for way in WAYS])]
        if item in ("figure 7", "figure 8"):
            return self.kernel_runs(SHMEM_WAYS)
        if item == "figure 10":
            return [*self.kernel_runs(("instructions",), POLICIES), *(run for _, run in self.other_sizes())]
        if item == CURVE:
            return [self.pattern(which, places, policy) for policy, which, places in self.curve()]
        if item == saving.ITEM:
            return saving.runs(quick=self.quick)
        if item == HARDWARE:
            return [] if self.quick else hardware.runs("rae")
        if item == MERGING:
            return [run for _, _, run in self.merging()]
        return [self.addresses() if item == "figure 9" else self.latencies()]
