"""plan: the runs that the items of NEMESYS need: each has a program, a machine and a copier; items share runs."""

import dataclasses

from tessera.reproduce import hardware, plan
from tessera.simulator.machines import Machine

TWIN, SINGLE, SMALL = Machine("nemesys-4x4"), Machine("nemesys-4x4-single"), Machine("nemesys-2x2")

# Copies of graphs and their mean bytes (the paper's table 5). The duration of a run follows from them, so the total
# time can be forecast from the first runs.
KERNELS = {
    "bf": (2150, 16864),
    "dst": (8492, 16548),
    "by": (7362, 1875),
    "dr": (13550, 2382),
    "ds": (38778, 2571),
    "kc": (58224, 709),
    "lcr": (17370, 670),
    "hs": (46336, 764),
    "dp": (8830, 4582),
    "mis": (6168, 16516),
    "mst": (18486, 3618),
    "vc": (2388, 16725),
}
PAPER_NODES = 64
# Intervals come from runs with so many nodes in several layouts, which take a sixth of the time; their times spread
# more than those of the paper's sizes do (docs/internals/testing.md has measured ones).
SMALL_NODES = 8
# Items beyond the paper compare these only: small and large graphs, and an eighth to a third of the time of all.
SOME_KERNELS = ("bf", "by", "dr", "lcr", "dp", "mis", "vc")
# Cost of a call (messages, tasks, the kernel's own work) and of a run (start of the job, check of the result), in bytes
# of copies. In the simulator's events: 0.75 per byte, 13 000 per call, 5 000 000 per run at 14 places.
BYTES_OF_A_CALL = 17_000
BYTES_OF_A_RUN = 13_000_000
BYTES_OF_COUNTING = 5_000_000  # the same of a run that counts copies

# The paper's conditions: memory of objects is not used again until a collection, and programs with their data are in
# DDR.
COLLECTED, RECYCLED = "collected", "recycled"
MEMORY, TLM = "memory", "tlm"

# Who does T1, T2 and T3: the harts of the programs when they poll, or the system kernel.
POLLED, KERNEL = "polled", "kernel"
AREA = "table 3"
UNITS = ("nma", "nca")  # of table 3, in rtl/

MESSAGES, PEGASUS, NEMESYS, BARE, NO_NCA = "message_passing", "pegasus", "nemesys", "nemesys-bare", "no_nca"
WAYS = (MESSAGES, PEGASUS, NEMESYS, BARE)
# Options of `tess run` for each.
# Section 6.1: after each copy by accelerators as many objects are allocated as it has, always. BARE is without.
OPTIONS_OF = {way: ("--copier", way) for way in (MESSAGES, PEGASUS)}
OPTIONS_OF |= {way: ("--copier", way, "--dummy-allocations") for way in (NEMESYS, NO_NCA)}
OPTIONS_OF[BARE] = ("--copier", NEMESYS)

# A kernel counts the graphs that leave their place.
COUNT = "--count-copies"

# A worker starts no task while one of its own waits for an `at`: one outstanding call per hart.
ONE_CALL = ("--overlap-calls", "0")
NO_TIME = ("--timing", "off")


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """One run of the simulator."""

    program: str  # a kernel's code, or a program's name
    machine: Machine
    copier: str = ""
    places: int = 0  # 0: one on each compute tile
    size: int = 0  # nodes; 0: the paper's input
    arguments: tuple[str, ...] = ()  # further ones, of the program
    options: tuple[str, ...] = ()  # further ones, of `tess run`
    heap: str = COLLECTED  # of a kernel
    image: str = MEMORY  # where a kernel's image is
    system: str = POLLED  # what the system's harts run beside a kernel

    @property
    def layouts(self) -> bool:
        """Whether a layout can change what is measured, and the item is one of the paper's; others are made in one."""
        paper = (self.heap, self.image) == (COLLECTED, MEMORY) and not self.machine.width
        return paper and not self.counts and ONE_CALL[0] not in self.options and self.copier != BARE

    @property
    def small(self) -> "Run | None":
        """The run that is made in several layouts in place of one of a kernel in the paper's size."""
        small = self.is_kernel and self.layouts and not self.size
        return dataclasses.replace(self, size=SMALL_NODES) if small else None

    @property
    def counts(self) -> bool:
        """Whether it counts copies, which no time and no copier changes, so that it runs without either."""
        return COUNT in self.arguments

    @property
    def is_kernel(self) -> bool:
        """Whether it is a kernel of the suite."""
        return self.program in KERNELS

    @property
    def key(self) -> str:
        """Names the run's files."""
        parts = [self.program, self.machine.name, self.copier]
        parts += [f"p{self.places}" if self.places else "", f"n{self.size}" if self.size else ""]
        parts += [self.heap if self.heap != COLLECTED else "", self.image if self.image != MEMORY else ""]
        parts += [self.system if self.system != POLLED else ""]
        return "_".join(part.strip("-").replace(",", "-") for part in [*parts, *self.arguments, *self.options] if part)

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return f"imsuite-{self.program}" if self.is_kernel else self.program

    @property
    def weight(self) -> float:
        """Expected duration."""
        if not self.is_kernel:
            return BYTES_OF_A_RUN
        if self.counts:
            return BYTES_OF_COUNTING
        copies, bytes_each = KERNELS[self.program]
        nodes = (self.size or PAPER_NODES) / PAPER_NODES
        tiles = self.places or self.machine.compute_tiles
        return copies * nodes * (bytes_each * nodes + BYTES_OF_A_CALL) + BYTES_OF_A_RUN * (0.2 + tiles / 14)

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        copier = OPTIONS_OF.get(self.copier, ())
        places = ("--places", str(self.places)) if self.places else ()
        size = ("--size", str(self.size)) if self.size else ()
        where = ("--heap", self.heap, "--image", self.image) if self.is_kernel and not self.counts else ()
        if self.system != POLLED:
            where += ("--system", self.system)
        return ["--machine", machine, *places, *copier, *where, *self.options, self.binary, *size, *self.arguments]


def kernels(machine: Machine, ways: tuple[str, ...]) -> list[Run]:
    """Each kernel with each copier."""
    return [Run(kernel, machine, way) for kernel in KERNELS for way in ways]


# Figure 12: the paper varies the size of each way of an L2, which it calls a set.
WAYS_KIB = (8, 16, 128)
# Beyond the paper: grids with their number of NMAs, and the kernels with the highest load of an NMA.
SWEEP = ((2, 1), (3, 1), (4, 1), (4, 2), (6, 1), (6, 2), (6, 4), (8, 1), (8, 2), (8, 4))
SWEEP_KERNELS = ("dr", "bf")
COMPUTE_TILES_4X4 = (0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14)


def one_call(run: Run) -> Run:
    """The same run without overlapping calls."""
    return dataclasses.replace(run, options=(*run.options, *ONE_CALL))


def overlapping() -> list[Run]:
    """Runs that are made with and without overlapping calls."""
    return [run for run in kernels(SINGLE, (PEGASUS, NEMESYS)) if run.program in SOME_KERNELS]


def sweep() -> list[Run]:
    """Grids of several sizes with several numbers of NMAs."""
    machines = [Machine("nemesys-4x4-single", width=width, memories=memories) for width, memories in SWEEP]
    return [Run(kernel, machine, NEMESYS) for machine in machines for kernel in SWEEP_KERNELS]


def ours(run: Run) -> Run:
    """The same run with memory used again at once and images in tile-local memory, as programs of Tessera run."""
    return dataclasses.replace(run, heap=RECYCLED, image=TLM)


def conditions() -> list[Run]:
    """Runs that are made under the paper's conditions and under ours."""
    small_cache = dataclasses.replace(SINGLE, way_kib=WAYS_KIB[0])
    return [run for machine in (SINGLE, TWIN, small_cache) for run in kernels(machine, (PEGASUS, NEMESYS))
            if run.program in SOME_KERNELS]  # fmt: skip


def probes() -> list[Run]:
    """All probes from one tile, and the latency of memory from every tile."""
    whole = Run("nemesys-probes", TWIN, options=("--tile", "0"))
    far = [Run("nemesys-probes", TWIN, arguments=("latency",), options=("--tile", str(t))) for t in COMPUTE_TILES_4X4]
    return [whole, *far]


def copies() -> list[Run]:
    """Figure 8: copies by the accelerators, and by our software on the same hart, that of a memory tile."""
    software = Run("nemesys-software", TWIN, places=1, options=("--tile", "1,1", "--workers", "1"))
    return [Run("nemesys-copies", TWIN, options=("--tile", "1,1")), software]


# The last of the first four places of nemesys-4x4 has another memory than the first.
ONE_MEMORY, TWO_MEMORIES = 1, 3


def system_calls(target: int, kind: str) -> Run:
    """Calls of place 0 at another one, one after another, with the system kernel; kind: "graph" or "nothing"."""
    return Run("nemesys-system", TWIN, places=4, arguments=(str(target), kind),
               options=("--workers", "1", "--system", KERNEL))  # fmt: skip


def system() -> list[Run]:
    """Calls with one object and without, within a memory and between two."""
    return [system_calls(target, kind) for target in (ONE_MEMORY, TWO_MEMORIES) for kind in ("graph", "nothing")]


def runs_of(item: str) -> list[Run]:
    """The runs of the full form that an item needs."""
    both = kernels(SINGLE, WAYS) + kernels(TWIN, WAYS)
    counted = [Run(kernel, SINGLE, places=len(COMPUTE_TILES_4X4), arguments=(COUNT, "--no-verify"), options=NO_TIME)
               for kernel in KERNELS]  # fmt: skip
    small_caches = [dataclasses.replace(SINGLE, way_kib=kib) for kib in WAYS_KIB]
    return {
        "table 2": probes(),
        "figure 8": copies() + system(),
        "table 5": counted,
        "figure 9": both,
        "figure 10": both,
        "table 6": [run for run in both if run.copier in (PEGASUS, NEMESYS)],
        "figure 11": kernels(SMALL, (MESSAGES, PEGASUS, NEMESYS)) + kernels(SINGLE, WAYS),
        "figure 12": [run for machine in small_caches for run in kernels(machine, (PEGASUS, NEMESYS))],
        "figure 13": kernels(SINGLE, (PEGASUS, NO_NCA, NEMESYS)),
        "conditions": [form for run in conditions() for form in (run, ours(run))],
        "overlap": [form for run in overlapping() for form in (run, one_call(run))],
        "sweep": sweep(),
    }[item]


ITEMS = (
    "table 2",
    AREA,
    "figure 8",
    "table 5",
    "figure 9",
    "figure 10",
    "table 6",
    "figure 11",
    "figure 12",
    "figure 13",
    "conditions",
    "overlap",
    "sweep",
)
# The quick form: one small kernel for each item, on the first tiles of a machine.
QUICK_KERNEL, QUICK_SIZE, QUICK_PLACES = "bf", 8, 4
QUICK_SWEEP = ((2, 1), (3, 1))
QUICK_ARGUMENTS = {"nemesys-software": ("short",)}


def quick_form(run: Run) -> Run | None:
    """The small run that replaces a run; None if the quick form omits it."""
    if run.program == "nemesys-probes" and run.options != ("--tile", "0"):
        return None
    if run.machine.width and (run.machine.width, run.machine.memories) not in QUICK_SWEEP:
        return None
    if not run.is_kernel:
        return dataclasses.replace(run, arguments=QUICK_ARGUMENTS.get(run.program, run.arguments))
    if run.program != QUICK_KERNEL:
        return None
    return dataclasses.replace(run, size=QUICK_SIZE, places=min(QUICK_PLACES, run.machine.compute_tiles))


class Plan(plan.Plan):
    """The runs of the selected items. Items name runs of the full form, which the quick form replaces by small ones."""

    def __init__(self, items: list[str], *, quick: bool, only: frozenset[str] = frozenset(), heap: str = COLLECTED,
                 image: str = MEMORY, system: str = POLLED) -> None:  # fmt: skip
        super().__init__(items, quick=quick)
        self._only = only
        self._conditions = heap, image
        self._system = system

    @property
    def is_whole(self) -> bool:
        """Whether it has all kernels, with the paper's input and under its conditions."""
        usual = self._conditions == (COLLECTED, MEMORY) and self._system == POLLED
        return not self.quick and not self._only and usual

    def form(self, run: Run) -> Run | None:
        """The run that is made for a run of the full form; None if none is made."""
        if run.is_kernel and self._only and run.program not in self._only:
            return None
        # Without time there is neither memory nor a system's hart.
        if run.counts:
            return quick_form(run) if self.quick else run
        heap, image = self._conditions
        if run.is_kernel and (run.heap, run.image) == (COLLECTED, MEMORY):
            run = dataclasses.replace(run, heap=heap, image=image)
        if run.is_kernel:
            run = dataclasses.replace(run, system=self._system)
        return quick_form(run) if self.quick else run

    def runs_of(self, item: str) -> list[Run] | list[hardware.AreaRun]:
        """The runs that one item needs."""
        if item == AREA:
            return [] if self.quick else hardware.runs(*UNITS)
        return [form for run in runs_of(item) if (form := self.form(run)) is not None]
