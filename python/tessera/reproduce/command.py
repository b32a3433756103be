"""command: `tess reproduce` for every paper whose experiments run on the simulator: parse, run, report."""

import argparse
import dataclasses
import os
import shutil
import signal
import time
from pathlib import Path

from tessera.reproduce import checks, report
from tessera.simulator.execute import Executor, say
from tessera.reproduce.claims import fitted
from tessera.reproduce.paper import Paper


def parser(paper: Paper) -> argparse.ArgumentParser:
    """The options of a paper: those that all have, those that select its items, and its own."""
    made = argparse.ArgumentParser(prog=f"tess reproduce {paper.name}")
    made.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="runs at the same time")
    made.add_argument("--output", type=Path, default=Path(paper.name), help="folder for the report and the runs")
    made.add_argument("--tess", type=Path, help="the command `tess`; default: the one in PATH")
    made.add_argument("--reference", type=Path, help="folder with the published numbers; default: that of `tess`")
    made.add_argument("--programs", action="store_true", help="only print the programs that would be run")
    made.add_argument("--quick", action="store_true", help=paper.quick)
    for kind in ("figure", "table"):
        if numbers := paper.numbers(kind):
            made.add_argument(f"--{kind}", action="append", default=[], choices=numbers, help=f"only this {kind}")
        else:
            made.set_defaults(**{kind: []})
    for name, selection in paper.selections.items():
        made.add_argument(f"--{name}", action="store_true", help=selection.meaning)
    paper.add_options(made)
    return made


def without_paths(words: list[str]) -> list[str]:
    """The arguments without those that the command `tess` adds."""
    kept = []
    rest = iter(words)
    for word in rest:
        if word in ("--tess", "--reference"):
            next(rest, None)
        else:
            kept.append(word)
    return kept


def main(paper: Paper, words: list[str]) -> int:
    """0 if all runs succeeded. Claims that are not met are reported and do not change the exit code."""
    parsing = parser(paper)
    options = parsing.parse_args(words)
    plan = paper.plan(paper.selected(options), options)
    if options.programs:
        print("\n".join(plan.programs()))
        return 0
    tess = options.tess or Path(shutil.which("tess") or parsing.error("no command `tess` in PATH; give --tess FILE"))
    reference = options.reference or tess.resolve().parent.parent / "share" / "tessera" / "reference"
    options.output.mkdir(parents=True, exist_ok=True)
    executor = Executor(tess, options.output / "runs", max(options.jobs, 1))
    begin = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the runs are ended, too
    try:
        failed = executor.execute(plan.runs())
    except KeyboardInterrupt:
        say("stopped; the same command continues from here")
        return 130
    facts = {
        "command": " ".join(["tess reproduce", paper.name, *without_paths(words)]),
        "commit": report.commit(),
        "form": "quick: shows that it works" if options.quick else "full",
        "duration": f"{(time.monotonic() - begin) / 60:.1f} minutes, {options.jobs} runs at the same time",
    }
    results = paper.measure(plan, executor, reference)
    items = [dataclasses.replace(paper.makers[item](results), paper=paper.name) for item in plan.items]
    failures = [f"{run.key}: {reason}" for run, reason in failed]
    found = checks.all_of(paper.measures, [results])
    content = report.Report(
        paper.name, paper.title, paper.about, items, found, facts, failures, fitted(reference, paper.name)
    )
    report.write_all(content, options.output)
    return 1 if failed else 0
