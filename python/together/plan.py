"""plan: which programs run on tessera-4x4, and with which mechanisms on and off: a run is one program in one row."""

import dataclasses

from nemesys.machines import Machine
from nemesys.plan import KERNELS, ONE_CALL

MACHINE = Machine("tessera-4x4")
NEMESYS, CNI, RAE, TASKS = "nemesys", "cni", "rae", "tasks"
MECHANISMS = (NEMESYS, CNI, RAE, TASKS)
NAMES = {NEMESYS: "NEMESYS", CNI: "CNI", RAE: "RAE", TASKS: "tasks"}
SUITES = ("imsuite", "gap", "circustent")
TITLES = {"imsuite": "IMSuite", "gap": "GAP", "circustent": "CircusTent"}
PATTERNS = ("RAND", "STRIDE1", "STRIDEN", "PTRCHASE", "CENTRAL", "SG", "SCATTER", "GATHER")
CIRCUSTENT = "circustent"
# One run of the program measures all of them.
CIRCUS_KERNELS = tuple(f"{pattern}_{by}" for by in ("ADD", "CAS") for pattern in PATTERNS)


@dataclasses.dataclass(frozen=True, order=True)
class Row:
    """What is on."""

    on: tuple[str, ...]

    @property
    def name(self) -> str:
        """As in the table."""
        off = [NAMES[one] for one in MECHANISMS if one not in self.on]
        if len(off) == len(MECHANISMS):
            return "none"
        if not off:
            return "all"
        return f"all but {off[0]}" if len(off) == 1 else " + ".join(NAMES[one] for one in self.on)


def but(mechanism: str) -> Row:
    """All others."""
    return Row(tuple(one for one in MECHANISMS if one != mechanism))


NONE, ALL = Row(()), Row(MECHANISMS)
ROWS = (NONE, *(Row((one,)) for one in MECHANISMS), *(but(one) for one in MECHANISMS), ALL)


@dataclasses.dataclass(frozen=True, order=True)
class Program:
    """One program with its words, some of which depend on whether tasks hide latency."""

    suite: str
    name: str
    given: tuple[str, ...]
    waiting: tuple[str, ...] = ()  # more of them without
    overlapping: tuple[str, ...] = ()  # and with
    options: tuple[str, ...] = ()  # of `tess run`
    weight: float = 1

    @property
    def label(self) -> str:
        """In the table."""
        return self.name.removeprefix("imsuite-").upper() if self.suite == "imsuite" else self.name


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """One run of the simulator."""

    of: Program
    row: Row
    machine: Machine = MACHINE

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([self.of.name, self.row.name.replace(" ", "-").lower()])

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.of.name

    @property
    def weight(self) -> float:
        """How long it takes, in proportion to others."""
        return self.of.weight

    @property
    def environment(self) -> dict[str, str]:
        """The switches that are no options: both are said, whatever the caller's environment has."""
        return {
            "TESS_INTERFACES": "1" if CNI in self.row.on else "0",
            "TESS_WORDS": "instructions" if RAE in self.row.on else "messages",
        }

    def words(self, machine: str) -> list[str]:
        """What stands behind `tess run --stats FILE`."""
        copier = () if NEMESYS in self.row.on else ("--copier", "message_passing")
        tasks = TASKS in self.row.on
        calls = () if tasks else ONE_CALL
        more = self.of.overlapping if tasks else self.of.waiting
        return ["--machine", machine, *copier, *calls, *self.of.options, self.of.name, *self.of.given, *more]


# The quick form takes the first tiles only.
QUICK_OPTIONS = ("--places", "4")
# How long a kernel of the suite takes, beside others of it.
HEAVY = {"by": 4, "dp": 4, "ds": 4, "hs": 4, "kc": 3, "mst": 6, "lcr": 2}
QUICK_KERNELS = ("bf", "vc")


def placed(programs: list[Program], *, quick: bool) -> list[Program]:
    """On all tiles, or on some."""
    more = QUICK_OPTIONS if quick else ()
    return [dataclasses.replace(one, options=(*one.options, *more)) for one in programs]


def imsuite(*, quick: bool) -> list[Program]:
    """Its kernels, on small inputs."""
    kernels, size = (QUICK_KERNELS, "6") if quick else (tuple(KERNELS), "16")
    made = [Program("imsuite", f"imsuite-{k}", ("--size", size), weight=2 * HEAVY.get(k, 1)) for k in kernels]
    return placed(made, quick=quick)


def gap(*, quick: bool) -> list[Program]:
    """Its kernels; those that have a form in words, in that one."""
    graph = "kron:8" if quick else "kron:12,8"  # places have blocks of 64 vertices: 13 of 14 have some
    more = {"bc": ("--sources", "1"), "pagerank": ("--iterations", "2", "--tolerance", "0")}
    made = [
        Program("gap", name, (graph, *more.get(name, ()), "--form", "words"), waiting=("--each-awaited",), weight=5)
        for name in ("bfs", "sssp", "bc", "pagerank")
    ]
    made += [Program("gap", name, (graph,), weight=4) for name in ("components", "triangles")]
    return placed(made, quick=quick)


def circustent(*, quick: bool) -> list[Program]:
    """All its kernels in one run, one worker a place: one hart issues, one operation, or one of each of its tasks."""
    size, count = ("16384", "64") if quick else ("65536", "512")
    given = ("-a", "-m", size, "-i", count, "-s", "9")
    made = [Program("circustent", CIRCUSTENT, given, ("--tasks", "1"), ("--tasks", "8"), ("--workers", "1"), 8)]
    return placed(made, quick=quick)


OF_SUITES = {"imsuite": imsuite, "gap": gap, "circustent": circustent}


class Plan:
    """The runs of some suites. The machine is deterministic: a run more would measure the same cycles again."""

    def __init__(self, suites: list[str], *, quick: bool) -> None:
        self.suites = suites
        self.quick = quick
        self._programs = {suite: OF_SUITES[suite](quick=quick) for suite in suites}

    def programs(self, suite: str) -> list[Program]:
        """Of a suite."""
        return self._programs[suite]

    def labels(self, suite: str) -> list[str]:
        """Columns of its table: a program may measure several kernels."""
        return list(CIRCUS_KERNELS) if suite == "circustent" else [one.label for one in self.programs(suite)]

    def runs(self) -> list[Run]:
        """All, the longest first."""
        wanted = [Run(one, row) for suite in self.suites for one in self.programs(suite) for row in ROWS]
        return sorted(wanted, key=lambda run: (-run.weight, run))
