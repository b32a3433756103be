"""paper: the experiments of RMem (MultiProg 2019): figures 3 and 4."""

import argparse
from pathlib import Path

from tessera.papers.rmem import checks, figures
from tessera.papers.rmem.measures import Results
from tessera.papers.rmem.plan import ITEMS, Plan
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor
from tessera.simulator.machines import described
from tessera.reproduce.paper import Paper


def plan_of(items: list[str], options: argparse.Namespace) -> Plan:
    """The runs of the items."""
    return Plan(items, quick=options.quick)


def measure(plan: Plan, executor: Executor, reference: Path) -> Results:
    """The measurements of the runs, with the paper's numbers."""
    machine = described(reference.parent / "machines", "mppa-256")
    return Results(plan, executor, Claims(reference / "rmem_claims.csv"), machine)


RMEM = Paper(
    name="rmem",
    title="RMem (MultiProg 2019)",
    about="The machine is mppa-256: 16 compute and 4 I/O clusters, one client on each of the first compute clusters "
    "and the server on a hart of an I/O cluster. The paper's text states no values of single "
    "points other than those shown.",
    quick="fewer sizes and peers",
    items=ITEMS,
    plan=plan_of,
    measure=measure,
    makers=figures.MAKERS,
    measures=checks.MEASURES,
)
