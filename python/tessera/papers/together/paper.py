"""paper: NEMESYS, CNI, RAE and tasks on one machine: IMSuite, GAP and CircusTent with each of the four on and off."""

import argparse
from pathlib import Path

from tessera.papers.together import checks, figures
from tessera.papers.together.measures import Results
from tessera.papers.together.plan import ITEMS, SUITES, Plan
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor
from tessera.reproduce.paper import Paper


def add_options(parser: argparse.ArgumentParser) -> None:
    """--suite."""
    parser.add_argument("--suite", action="append", default=[], choices=SUITES, help="only this suite")


def plan_of(_: list[str], options: argparse.Namespace) -> Plan:
    """The runs of the suites."""
    return Plan([suite for suite in SUITES if suite in (options.suite or SUITES)], quick=options.quick)


def measure(plan: Plan, executor: Executor, reference: Path) -> Results:
    """The measurements of the runs."""
    return Results(plan, executor, Claims(reference / "together_claims.csv"))


TOGETHER = Paper(
    name="together",
    title="Together (NEMESYS, CNI, RAE and tasks)",
    about="The machine is tessera-4x4 in every row; a mechanism that is off is not used. NEMESYS off: object graphs "
    "are copied by message passing. CNI off: blocks, barriers and queues use the network adapter and messages. RAE "
    "off: an operation on a word of another place is a message, executed by a hart there. Tasks off: each hart has "
    "one outstanding call, or one operation on a word. No paper has such a table.",
    states="wanted",
    small="of 8 nodes (IMSuite) and 2^10 vertices (GAP)",
    quick="small inputs, two kernels of IMSuite",
    items=ITEMS,
    add_options=add_options,
    plan=plan_of,
    measure=measure,
    makers=figures.MAKERS,
    measures=checks.MEASURES,
)
