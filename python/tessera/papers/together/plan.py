"""plan: the runs on tessera-4x4: one for each program and each row, which says which mechanisms are on."""

import dataclasses

from tessera.papers.nemesys.plan import KERNELS, ONE_CALL
from tessera.reproduce import plan
from tessera.simulator.machines import Machine

MACHINE = Machine("tessera-4x4")
NEMESYS, CNI, RAE, TASKS = "nemesys", "cni", "rae", "tasks"
MECHANISMS = (NEMESYS, CNI, RAE, TASKS)
NAMES = {NEMESYS: "NEMESYS", CNI: "CNI", RAE: "RAE", TASKS: "tasks"}
SUITES = ("imsuite", "gap", "circustent")
ITEMS = ("means", *SUITES, "counts")
TITLES = {"imsuite": "IMSuite", "gap": "GAP", "circustent": "CircusTent"}
PATTERNS = ("RAND", "STRIDE1", "STRIDEN", "PTRCHASE", "CENTRAL", "SG", "SCATTER", "GATHER")
CIRCUSTENT = "circustent"
# One run of the program measures all kernels.
CIRCUS_KERNELS = tuple(f"{pattern}_{by}" for by in ("ADD", "CAS") for pattern in PATTERNS)


@dataclasses.dataclass(frozen=True, order=True)
class Row:
    """A row of the tables: the mechanisms that are on."""

    on: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name in the tables."""
        off = [NAMES[one] for one in MECHANISMS if one not in self.on]
        if len(off) == len(MECHANISMS):
            return "none"
        if not off:
            return "all"
        return f"all but {off[0]}" if len(off) == 1 else " + ".join(NAMES[one] for one in self.on)


def but(mechanism: str) -> Row:
    """The row with all other mechanisms on."""
    return Row(tuple(one for one in MECHANISMS if one != mechanism))


NONE, ALL = Row(()), Row(MECHANISMS)
ROWS = (NONE, *(Row((one,)) for one in MECHANISMS), *(but(one) for one in MECHANISMS), ALL)


@dataclasses.dataclass(frozen=True, order=True)
class Program:
    """One program with its arguments, some of which depend on whether tasks hide latency."""

    suite: str
    name: str
    arguments: tuple[str, ...]
    without_tasks: tuple[str, ...] = ()  # further arguments
    with_tasks: tuple[str, ...] = ()  # further arguments
    options: tuple[str, ...] = ()  # of `tess run`
    weight: float = 1

    @property
    def label(self) -> str:
        """Name in the tables."""
        return self.name.removeprefix("imsuite-").upper() if self.suite == "imsuite" else self.name


# Inputs in full size, and those of the runs that stand for them in several layouts, on the same tiles.
SMALLER = {"16": "8", "kron:12,8": "kron:10,8"}
SMALLER_WEIGHT = 0.4


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """One run of the simulator."""

    program: Program
    row: Row
    machine: Machine = MACHINE

    @property
    def key(self) -> str:
        """Names the run's files."""
        small = [word for word in self.program.arguments if word in SMALLER.values()]
        return "_".join([self.program.name, self.row.name.replace(" ", "-").lower(), *small]).replace(",", "-")

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program.name

    @property
    def weight(self) -> float:
        """Expected duration."""
        return self.program.weight

    @property
    def small(self) -> "Run | None":
        """The run that is made in several layouts in place of one of IMSuite or GAP in full size."""
        arguments = tuple(SMALLER.get(word, word) for word in self.program.arguments)
        if arguments == self.program.arguments or self.program.suite == "circustent":
            return None
        program = dataclasses.replace(self.program, arguments=arguments, weight=self.program.weight * SMALLER_WEIGHT)
        return dataclasses.replace(self, program=program)

    @property
    def environment(self) -> dict[str, str]:
        """Switches that are not options; both are always set, so that the caller's environment has no effect."""
        return {
            "TESS_INTERFACES": "1" if CNI in self.row.on else "0",
            "TESS_WORDS": "instructions" if RAE in self.row.on else "messages",
        }

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        copier = () if NEMESYS in self.row.on else ("--copier", "message_passing")
        tasks = TASKS in self.row.on
        calls = () if tasks else ONE_CALL
        more = self.program.with_tasks if tasks else self.program.without_tasks
        return [
            "--machine",
            machine,
            *copier,
            *calls,
            *self.program.options,
            self.program.name,
            *self.program.arguments,
            *more,
        ]


# The quick form takes the first tiles only.
QUICK_OPTIONS = ("--places", "4")
# Duration of a kernel relative to the others of the suite; 1 if not listed.
HEAVY = {"by": 4, "dp": 4, "ds": 4, "hs": 4, "kc": 3, "mst": 6, "lcr": 2}
QUICK_KERNELS = ("bf", "vc")


def placed(programs: list[Program], *, quick: bool) -> list[Program]:
    """The programs on all tiles, or, quick, on some."""
    more = QUICK_OPTIONS if quick else ()
    return [dataclasses.replace(one, options=(*one.options, *more)) for one in programs]


def imsuite(*, quick: bool) -> list[Program]:
    """The kernels of IMSuite, on small inputs."""
    kernels, size = (QUICK_KERNELS, "6") if quick else (tuple(KERNELS), "16")
    made = [Program("imsuite", f"imsuite-{k}", ("--size", size), weight=2 * HEAVY.get(k, 1)) for k in kernels]
    return placed(made, quick=quick)


def gap(*, quick: bool) -> list[Program]:
    """The kernels of GAP; in their form on single words, if they have one."""
    graph = "kron:8" if quick else "kron:12,8"  # places have blocks of 64 vertices: 13 of 14 places have one or more
    more = {"bc": ("--sources", "1"), "pagerank": ("--iterations", "2", "--tolerance", "0")}
    made = [
        Program(
            "gap", name, (graph, *more.get(name, ()), "--form", "words"), without_tasks=("--each-awaited",), weight=5
        )
        for name in ("bfs", "sssp", "bc", "pagerank")
    ]
    made += [Program("gap", name, (graph,), weight=4) for name in ("components", "triangles")]
    return placed(made, quick=quick)


def circustent(*, quick: bool) -> list[Program]:
    """All kernels of CircusTent in one run, with one worker per place, which issues one operation, or one per task."""
    size, count = ("16384", "64") if quick else ("65536", "512")
    arguments = ("-a", "-m", size, "-i", count, "-s", "9")
    made = [Program("circustent", CIRCUSTENT, arguments, ("--tasks", "1"), ("--tasks", "8"), ("--workers", "1"), 8)]
    return placed(made, quick=quick)


OF_SUITES = {"imsuite": imsuite, "gap": gap, "circustent": circustent}


class Plan(plan.Plan):
    """The runs of the selected suites."""

    def __init__(self, suites: list[str], *, quick: bool) -> None:
        super().__init__(["means", *suites, "counts"], quick=quick)
        self.suites = suites
        self._programs = {suite: OF_SUITES[suite](quick=quick) for suite in suites}

    def programs_of(self, suite: str) -> list[Program]:
        """The programs of a suite."""
        return self._programs[suite]

    def labels(self, suite: str) -> list[str]:
        """Columns of a suite's table; one program may measure several kernels."""
        return list(CIRCUS_KERNELS) if suite == "circustent" else [one.label for one in self.programs_of(suite)]

    def runs_of(self, item: str) -> list[Run]:
        """The runs of a suite; the items that summarise all suites need no others."""
        return [Run(program, row) for program in self._programs.get(item, []) for row in ROWS]
