"""rae_report: figures 1, 2 and 3 of RAE (Remote Atomic Extension, 2020), measured and put beside the paper's; and what
one core reaches with tasks.

`tess reproduce rae` calls it. Its folder has the runs, for going on where one was stopped, and what was found: for each
figure CSV, JSON, SVG and PNG, and report.html of all.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from nemesys import command
from nemesys.execute import Executor
from nemesys.items import Check, Item
from nemesys.paper import Claims
from rae import checks, figures, library, tasks
from rae.measures import Known
from rae.plan import ITEMS, Plan, Run, library_program

MAKERS = figures.MAKERS | {tasks.ITEM: tasks.figure}
ABOUT = (
    "Figure 1 is counted on the simulated machine, without time; figure 2 on places of this computer; figure 3 is of a "
    "real OpenSHMEM library here; tasks are on machines with time. The paper's figures of times, misses and addresses "
    "are not among these yet."
)


def options_of(words: list[str]) -> argparse.Namespace:
    """What was asked for."""
    parser = command.parser("rae")
    names = [item.split()[1] for item in ITEMS]
    parser.add_argument("--figure", action="append", default=[], choices=names, help="only this figure")
    parser.add_argument("--quick", action="store_true", help="small graphs, three numbers of places")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """0: all runs ended well; what must be reached is reported, not judged by the exit code."""
    options = options_of(words)
    named = [f"figure {name}" for name in options.figure]
    items = [item for item in ITEMS if not named or item in named]
    without = tuple(library.missing(library_program(options.tess))) if options.tess else ()
    plan = Plan(items, quick=options.quick, without=without)
    if options.programs:
        print(*sorted({run.binary for run in plan.runs() if isinstance(run, Run | tasks.TaskRun)}), sep="\n")
        return 0

    def judge(executor: Executor) -> tuple[list[Item], list[Check]]:
        known = Known(plan, executor, Claims(options.reference / "rae_claims.csv"))
        return [MAKERS[item](known) for item in plan.items], checks.all_of(known)

    return command.reproduce(options, words, plan.runs(), "RAE (2020)", ABOUT, judge)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
