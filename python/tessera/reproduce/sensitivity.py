"""sensitivity: what fitted parameters do to the main claims: each is halved and raised by half, the others stay.

A parameter that was chosen so that one claim comes out (reference/fitted.csv) may decide others as well. The claims
are measured as in the report, on machines in which one parameter has another value: half and one and a half times it,
or the nearest that a machine can have. Only a part of the runs is made, and in one layout.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tessera.reproduce import other
from tessera.reproduce.checks import Found
from tessera.reproduce.claims import Fitted
from tessera.reproduce.items import Cell, Item, Panel, rounded
from tessera.reproduce.paper import Paper
from tessera.reproduce.plan import Plan
from tessera.simulator.execute import AnyRun, Executor
from tessera.simulator.machines import Machine

NAME = "sensitivity"
Change = tuple[str, str]  # "section.key" and its value


@dataclasses.dataclass(frozen=True)
class Varied(other.Otherwise):
    """A run on a machine with another value of one parameter."""

    change: Change

    @property
    def machine(self) -> Machine:
        """The changed machine."""
        return dataclasses.replace(self.run.machine, changes=(*self.run.machine.changes, self.change))

    @property
    def difference(self) -> str:
        """The parameter and its value."""
        return f"{self.change[0]}-{self.change[1]}"


def varied(paper: Paper, run: AnyRun, change: Change | None) -> AnyRun:
    """The run on the changed machine; as it is without a change, or where the parameter is that of a unit it lacks."""
    run = paper.sensitivity.form(run)
    if change is None or not isinstance(run.machine, Machine) or not paper.sensitivity.reaches(run, change[0]):
        return run
    return Varied(run, change)


def changes(fitted: Sequence[Fitted]) -> list[Change]:
    """Every parameter with less and with more."""
    return [(one.key, value) for one in fitted for value in (one.less, one.more)]


def all_runs(paper: Paper, plan: Plan, fitted: Sequence[Fitted]) -> list[AnyRun]:
    """The runs that the main claims need, as they are and with each change."""
    runs = [run for run in plan.runs() if paper.sensitivity.keep(run)]
    return list(dict.fromkeys(varied(paper, run, change) for change in (None, *changes(fitted)) for run in runs))


def view(paper: Paper, executor: Executor, change: Change | None) -> other.View:
    """An executor as a paper's measurements see it: each run stands for the same one on the changed machine."""
    return other.View(executor, lambda run: varied(paper, run, change))


def values(paper: Paper, results: Any) -> list[float | None]:
    """The main claims, as measured."""
    found = [paper.measures[name](results) for name in paper.sensitivity.claims]
    return [one.value if isinstance(one, Found) else one for one in found]


def relative(value: float | None, plain: float | None) -> float | None:
    """Change in per cent."""
    return None if value is None or not plain else 100 * (value / plain - 1)


def item(paper: Paper, plan: Plan, executor: Executor, reference: Path, fitted: Sequence[Fitted]) -> Item:
    """A row for each value of each parameter, with the main claims, and what they change by."""
    claims = [results.paper[name] for results in [paper.measure(plan, view(paper, executor, None), reference)]
              for name in paper.sensitivity.claims]  # fmt: skip
    plain = values(paper, paper.measure(plan, view(paper, executor, None), reference))
    words = [claim.observation.replace("all kernels", paper.sensitivity.all_kernels) for claim in claims]
    names = [f"{claim.item}: {one}" for claim, one in zip(claims, words, strict=True)]
    columns = ["parameter", "value", *(f"{name}, {claim.unit}" for name, claim in zip(names, claims, strict=True))]
    rows: list[list[Cell]] = [["as it is", "", *map(rounded, plain)]]
    series: dict[str, list[tuple[float | str, float | None]]] = {claim.name: [] for claim in claims}
    largest: dict[str, tuple[float, str]] = {}
    for key, value in changes(fitted):
        found = values(paper, paper.measure(plan, view(paper, executor, (key, value)), reference))
        rows.append([key, value, *map(rounded, found)])
        for claim, one, before in zip(claims, found, plain, strict=True):
            moved = relative(one, before)
            series[claim.name].append((f"{key}\n= {value}", moved))
            if moved is not None and abs(moved) > abs(largest.get(claim.name, (0.0, ""))[0]):
                largest[claim.name] = (moved, f"{key} = {value}")
    inputs = paper.sensitivity.inputs
    sentences = ["Each fitted parameter is halved and raised by half, or takes the nearest value that a machine can "
                 f"have; all others stay. Measured on a part of the runs{inputs and f', {inputs}'}, in one "
                 "layout."]  # fmt: skip
    sentences += [f"{name}: at most {largest[claim.name][0]:+.1f} %, by {largest[claim.name][1]}."
                  if claim.name in largest else f"{name}: nothing changes it."
                  for name, claim in zip(names, claims, strict=True)]  # fmt: skip
    panel = Panel("fitted parameters, one at a time", "parameter and its value", "change of the claim, %", series)
    return Item(NAME, "Sensitivity of the main claims to fitted parameters", columns, rows, sentences, [panel])
