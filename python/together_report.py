"""together_report: NEMESYS, CNI, RAE and tasks on one machine, tessera-4x4: IMSuite, GAP and CircusTent with each of
them on and off.

`tess reproduce together` calls it. Its folder has the runs, for going on where one was stopped, and what was found: for
each table CSV, JSON, SVG and PNG, and report.html of all.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from nemesys import command
from nemesys.execute import Executor
from nemesys.items import Check, Item
from together import checks, figures
from together.measures import Known
from together.plan import SUITES, Plan

ABOUT = (
    "The machine is tessera-4x4 in every row; what is off is not used. NEMESYS off: graphs of objects travel by "
    "message passing. CNI off: blocks, barriers and queues by the adapter and messages. RAE off: a word of another "
    "place is asked for by a message and done by a hart there. Tasks off: one call, or one operation on a word, of a "
    "hart is under way. The machine is deterministic, so there are no confidence intervals; no paper has such a table."
)


def options_of(words: list[str]) -> argparse.Namespace:
    """What was asked for."""
    parser = command.parser("together")
    parser.add_argument("--suite", action="append", default=[], choices=SUITES, help="only this suite")
    parser.add_argument("--quick", action="store_true", help="small inputs, two kernels of IMSuite")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """0: all runs ended well; what must be reached is reported, not judged by the exit code."""
    options = options_of(words)
    plan = Plan([suite for suite in SUITES if suite in (options.suite or SUITES)], quick=options.quick)
    if options.programs:
        print(*sorted({run.binary for run in plan.runs()}), sep="\n")
        return 0

    def judge(executor: Executor) -> tuple[list[Item], list[Check]]:
        known = Known(plan, executor)
        return [make(known) for make in figures.makers(plan.suites)], checks.all_of(known)

    return command.reproduce(options, words, plan.runs(), "Together (NEMESYS, CNI, RAE and tasks)", ABOUT, judge)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
