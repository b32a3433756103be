"""paper: the experiments of RAE (2020): table 1, figures 1 to 3 and 7 to 10, and atomics of one core by tasks."""

import argparse
from pathlib import Path

from tessera.papers.rae import area, checks, figures, library, nodes, saving, tasks
from tessera.papers.rae.measures import Results
from tessera.papers.rae.plan import HARDWARE, ITEMS, SWEEP, Plan, library_program
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor
from tessera.reproduce.paper import Paper, Selection


def plan_of(items: list[str], options: argparse.Namespace) -> Plan:
    """The runs of the items."""
    missing = tuple(library.missing(library_program(options.tess))) if options.tess else ()
    return Plan(items, quick=options.quick, missing=missing)


def measure(plan: Plan, executor: Executor, reference: Path) -> Results:
    """The measurements of the runs, with the paper's numbers."""
    return Results(plan, executor, Claims(reference / "rae_claims.csv"), reference.parent / "machines")


RAE = Paper(
    name="rae",
    title="RAE (2020)",
    about="Table 1, figures 7 to 10, the item on tasks and a part of figure 3 are measured on the machines rae-6, "
    "rae-16 and rae-64 (tasks on tessera-4x4, too); figure 1 is counted on one place of a simulated machine; figure 2 "
    "on places of this computer; the rest of figure 3 is measured on a real OpenSHMEM library on this computer.",
    quick="small graphs and arrays, one machine, few places; no hardware",
    items=ITEMS,
    selections={
        "sweep": Selection(SWEEP, "only the interface by outstanding requests, and merging"),
        "hardware": Selection((HARDWARE,), "only the memories and comparators of the circuit"),
    },
    plan=plan_of,
    measure=measure,
    makers=figures.MAKERS | nodes.MAKERS | {tasks.ITEM: tasks.figure, saving.ITEM: saving.figure,
    HARDWARE: area.figure},
    measures=checks.MEASURES,
)
