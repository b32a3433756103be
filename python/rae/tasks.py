"""tasks: what one core reaches with 1 to 64 tasks that begin a remote atomic, yield, and take its answer, as an item.

Units: operations a microsecond; cycles of the nodes' clock.
"""

import dataclasses
import functools
import tomllib
from pathlib import Path

from nemesys.items import Cell, Item, Panel, percent, rounded
from nemesys.machines import Machine

ITEM = "figure tasks"
PROGRAM = "rae-tasks"
MACHINES = ("rae-6", "rae-16", "rae-64", "tessera-4x4")
TARGETS = ("one", "all")
TASKS, QUICK_TASKS = (1, 2, 4, 8, 16, 32, 64), (1, 8, 64)
ALONE = ("wait", "post", "issue")  # forms without a number
FOLDER = Path(__file__).resolve().parents[2] / "machines"
WORD_BYTES = 8


@dataclasses.dataclass(frozen=True, order=True)
class TaskRun:
    """The program on every node of a machine, all but one of which sleep."""

    form: str
    target: str
    tasks: int  # of `tasks` and `loop`; otherwise 0
    count: int
    machine: Machine
    weight: float = 1
    program: str = PROGRAM

    @property
    def copies(self) -> int:
        """Places."""
        name = self.machine.preset
        return int(name.split("-")[1]) if name.startswith("rae") else self.machine.compute_tiles

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([PROGRAM, self.machine.name, *self.given])

    @property
    def given(self) -> list[str]:
        """The program's words."""
        return [self.form, self.target, str(self.count), *([str(self.tasks)] if self.tasks else [])]

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    def words(self, machine: str) -> list[str]:
        """What stands behind `tess run --stats FILE`."""
        return ["--machine", machine, "--copies", str(self.copies), PROGRAM, *self.given]


class Grid:
    """The runs, by what they are asked for."""

    def __init__(self, *, quick: bool) -> None:
        self.machines = [Machine(name) for name in (MACHINES[::3] if quick else MACHINES)]
        self.tasks = QUICK_TASKS if quick else TASKS
        self._count = 640 if quick else 6400

    def run(self, machine: Machine, target: str, form: str, tasks: int = 0) -> TaskRun:
        """One."""
        weight = 8 if machine.preset == "rae-64" else 1
        if form != "home":
            return TaskRun(form, target, tasks, self._count, machine, weight)
        return TaskRun(form, target, 0, self._count // 10, machine, 3 * weight)

    def runs(self) -> list[TaskRun]:
        """All."""
        found = []
        for machine in self.machines:
            found.append(self.run(machine, "one", "home"))
            for target in TARGETS:
                found += [self.run(machine, target, form) for form in ALONE]
                found += [self.run(machine, target, form, tasks) for form in ("tasks", "loop") for tasks in self.tasks]
        return found


def rate(known, run: TaskRun) -> float | None:  # noqa: ANN001
    """Operations a microsecond, of all places that add."""
    measured = known.measured(run)
    adding = run.copies - 1 if run.form == "home" else 1
    return adding * run.count / (measured["simulated_ps"] / 1e6) if measured else None


@dataclasses.dataclass(frozen=True)
class Machinery:
    """What the file of a machine says."""

    link: float  # requests a microsecond over one link, by their flits
    cycles: float  # of a core, in a microsecond

    @staticmethod
    @functools.cache
    def of(machine: Machine) -> "Machinery":
        """From its file."""
        read = tomllib.loads((FOLDER / f"{machine.preset}.toml").read_text(encoding="utf-8"))
        flits = -(-(read["adapter"]["header_bytes"] + WORD_BYTES) // read["network"]["link_bytes"])
        clocks = read["clocks"]
        return Machinery(clocks["network_mhz"] / flits, clocks["tile_mhz"])


def limits(known, grid: Grid, machine: Machine, target: str) -> dict[str, float | None]:  # noqa: ANN001
    """Operations a microsecond that one core's requests cannot exceed, by what does not let them."""
    made_of = Machinery.of(machine)
    found = {
        "the core": rate(known, grid.run(machine, target, "issue")),
        "its link": made_of.link,
    }
    if target == "one":
        found["the home"] = rate(known, grid.run(machine, target, "home"))
    return found


def lowest(of: dict[str, float | None]) -> tuple[str, float] | None:
    """Which limit binds."""
    known = {name: value for name, value in of.items() if value is not None}
    return min(known.items(), key=lambda one: one[1]) if len(known) == len(of) else None


def sentences_of(known, grid: Grid, machine: Machine, target: str) -> list[str]:  # noqa: ANN001
    """What binds, and what is reached of it."""
    of = limits(known, grid, machine, target)
    binding = lowest(of)
    rates = {tasks: rate(known, grid.run(machine, target, "tasks", tasks)) for tasks in grid.tasks}
    reached = {tasks: value for tasks, value in rates.items() if value is not None}
    alone = rate(known, grid.run(machine, target, "wait"))
    if not binding or not reached or not alone:
        return []
    best = max(reached, key=reached.__getitem__)
    words = ", ".join(f"{name} {value:.4g}" for name, value in of.items() if value is not None)
    return [f"{machine.preset}, {target}: {best} tasks reach {reached[best]:.4g} operations a µs, "
            f"{reached[best] / alone:.3g} times what waiting does and {100 * reached[best] / binding[1]:.0f} % of the "
            f"lowest limit, {binding[0]} ({words})."]  # fmt: skip


def figure(known) -> Item:  # noqa: ANN001
    """Operations a microsecond by tasks, beside the limits."""
    grid = Grid(quick=known.plan.quick)
    columns = ["machine", "words of", "tasks", "operations a µs", "cycles an operation", "times waiting",
               "of a loop's %", "of the lowest limit %"]  # fmt: skip
    rows: list[list[Cell]] = []
    series: dict[str, list[tuple[float | str, float | None]]] = {}
    sentences = [
        "One core adds to random words of 2 MiB, of the farthest place (one) or of all others (all); the others sleep. "
        "A task begins an addition (eamoadd.nb), gives its turn to the next, and takes the answer (eaget) when it is "
        "its turn again. The loop does the same with as many tickets and no tasks; wait is eamoadd; post an unrolled "
        "loop of additions without answers, issue the same to words whose addresses lie ready.",
        "The limits: what the core issues, a link's, by the flits of a request, and, where there is one home, the "
        "home's, measured with all other places posting to it.",
    ]
    for machine in grid.machines:
        cycles = Machinery.of(machine).cycles
        for target in TARGETS:
            binding = lowest(limits(known, grid, machine, target))
            alone = rate(known, grid.run(machine, target, "wait"))
            asked = [*((form, 0) for form in ALONE), *(("tasks", tasks) for tasks in grid.tasks)]
            if target == "one":
                asked.insert(len(ALONE), ("home", 0))
            for form, tasks in asked:
                found = rate(known, grid.run(machine, target, form, tasks))
                loop = rate(known, grid.run(machine, target, "loop", tasks)) if tasks else None
                rows.append([machine.preset, target, tasks or form, rounded(found, 4),
                             rounded(cycles / found) if found and form != "home" else None,
                             rounded(found / alone) if found and alone else None,
                             percent(found / loop) if found and loop else None,
                             percent(found / binding[1]) if found and binding else None])  # fmt: skip
                if tasks and binding:
                    share = percent(found / binding[1]) if found else None
                    series.setdefault(f"{machine.preset}, {target}", []).append((tasks, share))
            sentences += sentences_of(known, grid, machine, target)
    panel = Panel("one core by tasks", "tasks", "% of the lowest limit", series, "x")
    return Item(ITEM, "Remote atomics of one core by tasks", columns, rows, sentences, [panel], of="rae")
