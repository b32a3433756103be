"""tasks: throughput of one core with 1 to 64 tasks, each of which issues a remote atomic, yields and takes the answer.

Units: operations per microsecond; cycles of the nodes' clock.
"""

import dataclasses
from typing import TYPE_CHECKING

from tessera.reproduce.items import Cell, Item, Panel, percent, rounded
from tessera.simulator.machines import Machine

if TYPE_CHECKING:
    from tessera.papers.rae.measures import Results

ITEM = "figure tasks"
PROGRAM = "rae-tasks"
MACHINES = ("rae-6", "rae-16", "rae-64", "tessera-4x4")
TARGETS = ("one", "all")
TASKS, QUICK_TASKS = (1, 2, 4, 8, 16, 32, 64), (1, 8, 64)
ALONE = ("wait", "post", "issue")  # forms without a number of tasks
WORD_BYTES = 8


@dataclasses.dataclass(frozen=True, order=True)
class TaskRun:
    """The program on every node of a machine; all nodes but one sleep."""

    form: str
    target: str
    tasks: int  # for the forms `tasks` and `loop`; otherwise 0
    count: int
    machine: Machine
    weight: float = 1
    program: str = PROGRAM
    layouts = False  # beyond the paper: made in one

    @property
    def copies(self) -> int:
        """Number of nodes."""
        name = self.machine.preset
        return int(name.split("-")[1]) if name.startswith("rae") else self.machine.compute_tiles

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([PROGRAM, self.machine.name, *self.arguments])

    @property
    def arguments(self) -> list[str]:
        """Arguments of the program."""
        return [self.form, self.target, str(self.count), *([str(self.tasks)] if self.tasks else [])]

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        return ["--machine", machine, "--copies", str(self.copies), PROGRAM, *self.arguments]


class Grid:
    """The runs of the item, by machine, target, form and tasks."""

    def __init__(self, *, quick: bool) -> None:
        self.machines = [Machine(name) for name in (MACHINES[::3] if quick else MACHINES)]
        self.tasks = QUICK_TASKS if quick else TASKS
        self._count = 640 if quick else 6400

    def run(self, machine: Machine, target: str, form: str, tasks: int = 0) -> TaskRun:
        """One run."""
        weight = 8 if machine.preset == "rae-64" else 1
        if form != "home":
            return TaskRun(form, target, tasks, self._count, machine, weight)
        return TaskRun(form, target, 0, self._count // 10, machine, 3 * weight)

    def runs(self) -> list[TaskRun]:
        """All runs."""
        found = []
        for machine in self.machines:
            found.append(self.run(machine, "one", "home"))
            for target in TARGETS:
                found += [self.run(machine, target, form) for form in ALONE]
                found += [self.run(machine, target, form, tasks) for form in ("tasks", "loop") for tasks in self.tasks]
        return found


def rate(results: "Results", run: TaskRun) -> float | None:
    """Operations per microsecond of all places that add."""
    measured = results.measured(run)
    adding = run.copies - 1 if run.form == "home" else 1
    return adding * run.count / (measured["simulated_ps"] / 1e6) if measured else None


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits that follow from a machine file."""

    link: float  # requests per microsecond over one link, by their flits
    cycles: float  # of a core per microsecond

    @staticmethod
    def of(results: "Results", machine: Machine) -> "Limits":
        """Reads the machine file."""
        file = results.machine_file(machine.preset)
        flits = -(-(file["adapter"]["header_bytes"] + WORD_BYTES) // file["network"]["link_bytes"])
        clocks = file["clocks"]
        return Limits(clocks["network_mhz"] / flits, clocks["tile_mhz"])


def limits(results: "Results", grid: Grid, machine: Machine, target: str) -> dict[str, float | None]:
    """Upper bounds of one core's operations per microsecond, by what imposes them."""
    configured = Limits.of(results, machine)
    found = {
        "the core": rate(results, grid.run(machine, target, "issue")),
        "its link": configured.link,
    }
    if target == "one":
        found["the home"] = rate(results, grid.run(machine, target, "home"))
    return found


def lowest(bounds: dict[str, float | None]) -> tuple[str, float] | None:
    """The lowest limit."""
    measured = {name: value for name, value in bounds.items() if value is not None}
    return min(measured.items(), key=lambda one: one[1]) if len(measured) == len(bounds) else None


def sentences_of(results: "Results", grid: Grid, machine: Machine, target: str) -> list[str]:
    """The lowest limit and the share of it that is reached, as text."""
    bounds = limits(results, grid, machine, target)
    binding = lowest(bounds)
    rates = {tasks: rate(results, grid.run(machine, target, "tasks", tasks)) for tasks in grid.tasks}
    reached = {tasks: value for tasks, value in rates.items() if value is not None}
    alone = rate(results, grid.run(machine, target, "wait"))
    if not binding or not reached or not alone:
        return []
    best = max(reached, key=reached.__getitem__)
    words = ", ".join(f"{name} {value:.4g}" for name, value in bounds.items() if value is not None)
    return [f"{machine.preset}, {target}: {best} tasks reach {reached[best]:.4g} operations per µs, "
            f"{reached[best] / alone:.3g} times the rate of waiting and {100 * reached[best] / binding[1]:.0f} % of "
            f"the lowest limit, {binding[0]} ({words})."]  # fmt: skip


def figure(results: "Results") -> Item:
    """Operations per microsecond by tasks, with the limits."""
    grid = Grid(quick=results.plan.quick)
    columns = ["machine", "words of", "tasks", "operations per µs", "cycles per operation", "times waiting",
               "% of a loop", "% of the lowest limit"]  # fmt: skip
    rows: list[list[Cell]] = []
    series: dict[str, list[tuple[float | str, float | None]]] = {}
    sentences = [
        "One core adds to random words of 2 MiB, of the farthest place (one) or of all others (all); the others sleep. "
        "A task issues an addition (eamoadd.nb), yields, and takes the response (eaget) when it runs again. loop does "
        "the same with as many tickets and no tasks; wait is eamoadd; post is an unrolled loop of additions without "
        "response; issue is the same with precomputed addresses.",
        "The limits: the issue rate of the core; the rate of a link, by the flits of a request; and, where one place "
        "is the home of all words, the rate of the home, measured with all other places posting to it.",
    ]
    for machine in grid.machines:
        cycles = Limits.of(results, machine).cycles
        for target in TARGETS:
            binding = lowest(limits(results, grid, machine, target))
            alone = rate(results, grid.run(machine, target, "wait"))
            asked = [*((form, 0) for form in ALONE), *(("tasks", tasks) for tasks in grid.tasks)]
            if target == "one":
                asked.insert(len(ALONE), ("home", 0))
            for form, tasks in asked:
                found = rate(results, grid.run(machine, target, form, tasks))
                loop = rate(results, grid.run(machine, target, "loop", tasks)) if tasks else None
                rows.append([machine.preset, target, tasks or form, rounded(found, 4),
                             rounded(cycles / found) if found and form != "home" else None,
                             rounded(found / alone) if found and alone else None,
                             percent(found / loop) if found and loop else None,
                             percent(found / binding[1]) if found and binding else None])  # fmt: skip
                if tasks and binding:
                    share = percent(found / binding[1]) if found else None
                    series.setdefault(f"{machine.preset}, {target}", []).append((tasks, share))
            sentences += sentences_of(results, grid, machine, target)
    panel = Panel("one core by tasks", "tasks", "rate, % of the lowest limit", series, "x")
    return Item(ITEM, "Remote atomics of one core by tasks", columns, rows, sentences, [panel])
