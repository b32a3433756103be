"""rae_report: table 1 and figures 1 to 3 and 7 to 10 of RAE (Remote Atomic Extension, 2020), measured and put beside
the paper's; and what one core reaches with tasks.

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
from rae import checks, figures, library, nodes, tasks
from rae.measures import Known
from rae.plan import FIGURES, ITEMS, SWEEP, TABLE, NodeRun, Plan, Run, library_program

MAKERS = figures.MAKERS | nodes.MAKERS | {tasks.ITEM: tasks.figure}
ABOUT = (
    "Table 1, figures 7 to 10, tasks and a part of figure 3 are of the machines rae-6, rae-16 and rae-64 (tasks of "
    "tessera-4x4, too); figure 1 is counted on one place of a simulated machine; figure 2 on places of this computer; "
    "the rest of figure 3 is of a real OpenSHMEM library here. The machines are deterministic, so there are no "
    "confidence intervals."
)


def options_of(words: list[str]) -> argparse.Namespace:
    """What was asked for."""
    parser = command.parser("rae")
    parser.add_argument("--figure", action="append", default=[], choices=FIGURES, help="only this figure")
    parser.add_argument("--table", action="append", default=[], choices=[TABLE.split()[1]], help="only this table")
    parser.add_argument("--sweep", action="store_true", help="only the interface by requests under way, and merging")
    parser.add_argument("--quick", action="store_true", help="small graphs and arrays, one machine, few places")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """0: all runs ended well; what must be reached is reported, not judged by the exit code."""
    options = options_of(words)
    named = [f"figure {name}" for name in options.figure] + [f"table {name}" for name in options.table]
    named += SWEEP if options.sweep else ()
    items = [item for item in ITEMS if not named or item in named]
    without = tuple(library.missing(library_program(options.tess))) if options.tess else ()
    plan = Plan(items, quick=options.quick, without=without)
    if options.programs:
        print(*sorted({run.binary for run in plan.runs() if isinstance(run, Run | NodeRun | tasks.TaskRun)}), sep="\n")
        return 0

    def judge(executor: Executor) -> tuple[list[Item], list[Check]]:
        machine = options.reference.parent / "machines" / "rae-6.toml"
        known = Known(plan, executor, Claims(options.reference / "rae_claims.csv"), machine)
        return [MAKERS[item](known) for item in plan.items], checks.all_of(known)

    return command.reproduce(options, words, plan.runs(), "RAE (2020)", ABOUT, judge)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
