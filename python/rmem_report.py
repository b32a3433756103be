"""rmem_report: figures 3 and 4 of RMem (MultiProg 2019), run on the simulated machine and put beside the paper's.

`tess reproduce rmem` calls it. Its folder has the runs, for going on where one was stopped, and what was found: for
each figure CSV, JSON, SVG and PNG, and report.html of both.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from nemesys import command
from nemesys.execute import Executor
from nemesys.items import Check, Item
from nemesys.paper import Claims
from rmem import checks, figures
from rmem.plan import ITEMS, PROGRAM, Plan

MAKERS = {"figure 3": figures.figure3, "figure 4": figures.figure4}
ABOUT = (
    "The machine is mppa-256: 16 compute and 4 I/O clusters, a client on each of the first compute clusters and the "
    "server on an I/O cluster's hart. It is deterministic, so there are no confidence intervals. The paper's text has "
    "no values of single points beside those shown."
)


def options_of(words: list[str]) -> argparse.Namespace:
    """What was asked for."""
    parser = command.parser("rmem")
    parser.add_argument("--figure", action="append", default=[], choices=["3", "4"], help="only this figure")
    parser.add_argument("--quick", action="store_true", help="some sizes and peers")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """0: all runs ended well; what must be reached is reported, not judged by the exit code."""
    options = options_of(words)
    if options.programs:
        print(PROGRAM)
        return 0
    named = [f"figure {number}" for number in options.figure]
    plan = Plan([item for item in ITEMS if not named or item in named], quick=options.quick)

    def judge(executor: Executor) -> tuple[list[Item], list[Check]]:
        known = figures.Known(plan, executor, Claims(options.reference / "rmem_claims.csv"))
        return [MAKERS[item](known) for item in plan.items], checks.all_of(known)

    return command.reproduce(options, words, plan.runs(), "RMem (MultiProg 2019)", ABOUT, judge)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
