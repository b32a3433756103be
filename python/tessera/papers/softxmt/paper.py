"""paper: the experiments of SoftXMT (HotPar 2011): lists in a loop, by tasks, under a delay, and with private work."""

import argparse
from pathlib import Path

from tessera.papers.softxmt import checks, figures
from tessera.papers.softxmt.measures import Results
from tessera.papers.softxmt.plan import ITEMS, Plan
from tessera.reproduce.claims import Claims
from tessera.reproduce.paper import Paper
from tessera.simulator.execute import Executor

CLAIMS = "softxmt_claims.csv"


def plan_of(items: list[str], options: argparse.Namespace) -> Plan:
    """The run of the figures."""
    delay_us = Claims(options.reference / CLAIMS)["delay_us"].low if options.reference else 0.0
    return Plan(items, quick=options.quick, delay_us=delay_us)


def measure(plan: Plan, executor: Executor, reference: Path) -> Results:
    """The measurements of the run, with the paper's numbers."""
    return Results(plan, executor, Claims(reference / CLAIMS))


SOFTXMT = Paper(
    name="softxmt",
    title="SoftXMT (HotPar 2011)",
    about="Everything is measured on this computer, and a layout is a repetition. The paper has two Xeon X5650 of six "
    "cores at 2.66 GHz; its rates are mostly those of a chip, ours are of one core, with a delay of two.",
    quick="lists that fit the cache and few points: the rates mean nothing",
    items=ITEMS,
    plan=plan_of,
    measure=measure,
    makers=figures.MAKERS,
    measures=checks.MEASURES,
    jobs_most=1,
)
