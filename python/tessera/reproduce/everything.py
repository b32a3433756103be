"""everything: `tess reproduce all`: all papers, one after the other, each in a folder of its own; and all claims.

It makes the reports in one layout first, and then in all. It forecasts its time before it starts: the expected duration
of each missing run (`weight`), times the seconds for a weight that runs of that paper took in this folder before, or
else where reference/durations.csv was measured.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from tessera.reproduce import command, provenance, site
from tessera.reproduce.claims import rows
from tessera.reproduce.command import Request
from tessera.reproduce.paper import Paper
from tessera.simulator.execute import say


def parser() -> argparse.ArgumentParser:
    """The options that all papers have."""
    made = argparse.ArgumentParser(prog="tess reproduce all")
    made.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="runs at the same time")
    made.add_argument("--output", type=Path, default=Path("results"), help="folder for a folder of each paper")
    made.add_argument("--tess", type=Path, help="the command `tess`; default: the one in PATH")
    made.add_argument("--reference", type=Path, help="folder with the published numbers; default: that of `tess`")
    made.add_argument("--layouts", type=int, metavar="N", help="layouts in which each timed run is made")
    made.add_argument("--quick", action="store_true", help="the quick form of each paper")
    made.add_argument("--draft", action="store_true", help="write results of a changed source tree, marked as a draft")
    made.add_argument("--forecast", action="store_true", help="only say how long it will take")
    made.add_argument("--programs", action="store_true", help="only print the programs that would be run")
    return made


def requests(papers: Sequence[Paper], options: argparse.Namespace) -> list[Request]:
    """What the command of each paper would be asked."""
    words = [f"--jobs={options.jobs}"]
    words += [f"--{name}={value}" for name in ("tess", "reference", "layouts") if (value := getattr(options, name))]
    words += [f"--{name}" for name in ("quick", "draft", "programs") if getattr(options, name)]
    made = []
    for paper in papers:
        more = ["--sensitivity"] if paper.sensitivity is not None and not options.quick else []
        made.append(command.request(paper, [*words, *more, f"--output={options.output / paper.name}"]))
    return made


def expected(asked: Request) -> tuple[int, float]:
    """How many runs are missing, and the seconds that they will take."""
    executor, runs = asked.executor(), asked.runs()
    done = {run: seconds for run in runs if (seconds := executor.seconds(run)) is not None}
    missing = [run for run in runs if run not in done]
    weight = sum(run.weight for run in done)
    if weight:
        each = sum(done.values()) / weight
    else:
        form = "quick" if asked.options.quick else "full"
        known = {(row["paper"], row["form"]): float(row["seconds_per_weight"])
                 for row in rows(asked.options.reference / "durations.csv")}  # fmt: skip
        each = known.get((asked.paper.name, form), 0.0)
    return len(missing), each * sum(run.weight for run in missing) / min(asked.jobs, max(len(missing), 1))


def duration(seconds: float) -> str:
    """E.g. "1 h 20 min", or "40 s"."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


def forecast(all_asked: Sequence[Request]) -> float:
    """Prints how long each paper and all of them will take; the seconds."""
    total = 0.0
    for asked in all_asked:
        missing, seconds = expected(asked)
        total += seconds
        say(f"{asked.paper.name:>9}: {missing:5} runs, about {duration(seconds)}")
    jobs = max(asked.jobs for asked in all_asked)
    say(f"{'all':>9}: about {duration(total)}, {jobs} runs at the same time; if stopped, the same command continues")
    return total


def main(papers: Sequence[Paper], words: list[str]) -> int:
    """0 if all runs of all papers succeeded; a paper with failures does not stop the next one."""
    options = parser().parse_args(words)
    all_asked = requests(papers, options)
    if options.programs:
        print("\n".join(sorted({program for asked in all_asked for program in asked.plan.programs()})))
        return 0
    try:
        origin = provenance.origin(options.output, draft=options.draft)
    except provenance.ChangedTree as changed:
        say(str(changed))
        return 2
    forecast(all_asked)
    if options.forecast:
        return 0
    # Every paper in one layout first, so that there is a whole site long before all layouts are there.
    wanted = all_asked[0].layouts
    for count in dict.fromkeys((1, wanted)):
        worst = 0
        for asked in all_asked:
            say(f"{asked.paper.name}: {asked.paper.title}, layouts: {count}")
            asked.options.layouts = count
            code = command.carry_out(asked, origin)
            if code == 130:
                return code
            worst = max(worst, code)
        site.write(papers, options.output, all_asked[0].options.reference)
    return worst
