"""paper: the experiments of CNI (IJPP 2012): tables 1a and 1b and figures 7 to 11b, and a sweep to 1024 cores."""

import argparse
from pathlib import Path

from tessera.papers.cni import checks, figures
from tessera.papers.cni.measures import Results
from tessera.papers.cni.plan import ITEMS, PAPER_ROUNDS, ROUNDS, SWEEP, Plan
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor
from tessera.reproduce.paper import Paper, Selection, Sensitivity


def rounds_of(word: str) -> dict[str, int]:
    """The value of --rounds."""
    if word == "paper":
        return PAPER_ROUNDS
    if not word.isdecimal() or not 1 <= int(word) <= 1 << 20:
        raise argparse.ArgumentTypeError(f"{word!r}, expected 1 to 1048576, or paper")
    return dict.fromkeys(PAPER_ROUNDS, int(word))


def add_options(parser: argparse.ArgumentParser) -> None:
    """--rounds."""
    parser.add_argument(
        "--rounds",
        type=rounds_of,
        metavar="N",
        help=f"rounds of figure 11: {ROUNDS}, or N, or `paper`: {PAPER_ROUNDS['lock']} acquisitions of each core and "
        f"{PAPER_ROUNDS['barrier']} episodes, which take hours",
    )


def plan_of(items: list[str], options: argparse.Namespace) -> Plan:
    """The runs of the items."""
    return Plan(items, quick=options.quick, rounds=getattr(options, "rounds", None))


def measure(plan: Plan, executor: Executor, reference: Path) -> Results:
    """The measurements of the runs, with the paper's numbers."""
    return Results(plan, executor, Claims(reference / "cni_claims.csv"))


CNI = Paper(
    name="cni",
    title="CNI (IJPP 2012)",
    about="The machines are cni-4, four cores on a crossbar, and cni-16 and larger, meshes with one core per tile; "
    "dir-16 and larger are the same meshes with coherent caches. The paper's "
    "text states no values of single points other than those shown.",
    quick="small sizes, few cores; no hardware",
    items=ITEMS,
    extra_items=(SWEEP,),
    selections={"sweep": Selection((SWEEP,), "only figure 11 beyond the paper, to 1024 cores")},
    plan=plan_of,
    measure=measure,
    makers=figures.MAKERS,
    measures=checks.MEASURES,
    sensitivity=Sensitivity(
        ("--quick", "--table", "1a", "--table", "1b", "--figure", "8", "--figure", "11a", "--figure", "11b"),
        ("store_one_way", "mr_queue_total_4", "counter_4", "rdma_over_stores", "rdma_over_stores_copy",
         "lock_gain_least", "barrier_gain_16"),  # fmt: skip
        lambda run: run.copies <= 16,
    ),
    add_options=add_options,
)
