"""nemesys_report: the evaluation of NEMESYS (MEMSYS 2019), run on the simulated machine and put beside the paper's.

`tess reproduce nemesys` calls it. Its folder has the runs, for going on where one was stopped, and what was found: for
each item CSV, JSON, SVG and PNG, and report.html of all.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from nemesys import beyond, checks, command, kernels, micro, variants
from nemesys.execute import Executor
from nemesys.items import Check, Item, Known
from nemesys.measures import Results
from nemesys.paper import Paper
from nemesys.plan import ITEMS, KERNELS, Plan

MAKERS = {
    "table 2": micro.table2,
    "figure 8": micro.figure8,
    "table 5": kernels.table5,
    "figure 9": kernels.figure9,
    "figure 10": kernels.figure10,
    "table 6": kernels.table6,
    "figure 11": kernels.figure11,
    "figure 12": variants.figure12,
    "figure 13": variants.figure13,
    "overlap": beyond.overlap_item,
    "sweep": beyond.sweep_item,
}
assert set(MAKERS) == set(ITEMS)


def options_of(words: list[str]) -> argparse.Namespace:
    """What was asked for."""
    numbers = {kind: [item.split()[1] for item in ITEMS if item.startswith(kind)] for kind in ("figure", "table")}
    parser = command.parser("nemesys")
    parser.add_argument("--figure", action="append", default=[], choices=numbers["figure"], help="only this figure")
    parser.add_argument("--table", action="append", default=[], choices=numbers["table"], help="only this table")
    parser.add_argument("--overlap", action="store_true", help="only calls that overlap, and calls that do not")
    parser.add_argument("--sweep", action="store_true", help="only the sweep of grids and NMAs")
    parser.add_argument("--kernel", action="append", default=[], choices=list(KERNELS), help="only this kernel")
    parser.add_argument("--quick", action="store_true", help="one small kernel")
    return parser.parse_args(words)


def plan_of(options: argparse.Namespace) -> Plan:
    """Items in the paper's order; all, if none was named."""
    named = [f"figure {n}" for n in options.figure] + [f"table {n}" for n in options.table]
    named += [item for item in ("overlap", "sweep") if getattr(options, item)]
    items = [item for item in ITEMS if not named or item in named]
    return Plan(items, quick=options.quick, only=frozenset(options.kernel))


def main(words: list[str]) -> int:
    """0: all runs ended well; what must be reached is reported, not judged by the exit code."""
    options = options_of(words)
    plan = plan_of(options)
    if options.programs:
        print("\n".join(plan.programs()))
        return 0

    def judge(executor: Executor) -> tuple[list[Item], list[Check]]:
        known = Known(Results(plan, executor), Paper(options.reference))
        return [MAKERS[item](known) for item in plan.items], checks.all_of(known)

    about = "Words have 32 bits in the paper and 64 here."
    return command.reproduce(options, words, plan.runs(), "NEMESYS (MEMSYS 2019)", about, judge)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
