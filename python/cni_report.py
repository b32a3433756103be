"""cni_report: tables 1a and 1b and figures 8 to 11b of CNI (IJPP 2012), run on the simulated machine and put beside the
paper's.

`tess reproduce cni` calls it. Its folder has the runs, for going on where one was stopped, and what was found: for each
table and figure CSV, JSON, SVG and PNG, and report.html of all.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cni import checks, figures
from cni.measures import Known
from cni.plan import ITEMS, SWEEP, Plan
from nemesys import command
from nemesys.execute import Executor
from nemesys.items import Check, Item
from nemesys.paper import Claims

ABOUT = (
    "The machines are cni-4, four cores at a crossbar, and cni-16 and more, a core a tile of a mesh; dir-16 and "
    "more are the same mesh with coherent caches. They are deterministic, so there are no confidence intervals. The "
    "paper's text has no values of single points beside those shown."
)


def options_of(words: list[str]) -> argparse.Namespace:
    """What was asked for."""
    parser = command.parser("cni")
    figure_names = ["8", "9", "10", "11a", "11b"]
    parser.add_argument("--figure", action="append", default=[], choices=figure_names, help="only this figure")
    parser.add_argument("--table", action="append", default=[], choices=["1a", "1b"], help="only this table")
    parser.add_argument("--sweep", action="store_true", help="only figure 11 beyond the paper, to 1024 cores")
    parser.add_argument("--quick", action="store_true", help="small sizes, few cores")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """0: all runs ended well; what must be reached is reported, not judged by the exit code."""
    options = options_of(words)
    named = [f"figure {name}" for name in options.figure] + [f"table {name}" for name in options.table]
    named += [SWEEP] if options.sweep else []
    items = [item for item in (*ITEMS, SWEEP) if item in (named or ITEMS)]
    plan = Plan(items, quick=options.quick)
    if options.programs:
        print(*sorted({run.binary for run in plan.runs()}), sep="\n")
        return 0

    def judge(executor: Executor) -> tuple[list[Item], list[Check]]:
        known = Known(plan, executor, Claims(options.reference / "cni_claims.csv"))
        return [figures.MAKERS[item](known) for item in plan.items], checks.all_of(known)

    return command.reproduce(options, words, plan.runs(), "CNI (IJPP 2012)", ABOUT, judge)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
