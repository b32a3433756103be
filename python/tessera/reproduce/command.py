"""command: `tess reproduce` for every paper whose experiments run on the simulator: parse, run, report."""

import argparse
import dataclasses
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

from tessera.reproduce import checks, layouts, provenance, report
from tessera.simulator.execute import Executor, say
from tessera.reproduce.claims import fitted
from tessera.reproduce.items import Item
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
    usual = f"default {layouts.DEFAULT}, quick {layouts.QUICK}"
    meaning = f"layouts of stack, heap and mappings in which each timed run is made; {usual}"
    made.add_argument("--layouts", type=int, metavar="N", help=meaning)
    made.add_argument("--draft", action="store_true", help="write results of a changed source tree, marked as a draft")
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


def item_of(paper: Paper, name: str, results: list[Any]) -> Item:
    """An item, measured in each layout."""
    made = layouts.merged([paper.makers[name](one) for one in results])
    return dataclasses.replace(made, paper=paper.name)


def main(paper: Paper, words: list[str]) -> int:
    """0 if all runs succeeded, 2 if a changed tree may not be reported. Claims that are not met are no failure."""
    parsing = parser(paper)
    options = parsing.parse_args(words)
    plan = paper.plan(paper.selected(options), options)
    if options.programs:
        print("\n".join(plan.programs()))
        return 0
    count = options.layouts or (layouts.QUICK if options.quick else layouts.DEFAULT)
    if count < 1:
        parsing.error("--layouts: give 1 or more")
    try:
        origin = provenance.origin(options.output, draft=options.draft)
    except provenance.ChangedTree as changed:
        say(str(changed))
        return 2
    tess = options.tess or Path(shutil.which("tess") or parsing.error("no command `tess` in PATH; give --tess FILE"))
    reference = options.reference or tess.resolve().parent.parent / "share" / "tessera" / "reference"
    options.output.mkdir(parents=True, exist_ok=True)
    executor = Executor(tess, options.output / "runs", max(options.jobs, 1))
    begin = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the runs are ended, too
    try:
        failed = executor.execute(layouts.all_runs(plan.runs(), count))
    except KeyboardInterrupt:
        say("stopped; the same command continues from here")
        return 130
    command = " ".join(["tess reproduce", paper.name, *without_paths(words)])
    made = provenance.Provenance(origin, command, provenance.now(), provenance.host(), count)
    facts = {
        "command": made.command,
        "commit": str(origin),
        "made": f"{made.date}, on {made.host['processor']}, {made.host['system']}",
        "form": "quick: shows that it works" if options.quick else "full",
        "layouts": layouts.explained(count),
        "duration": f"{(time.monotonic() - begin) / 60:.1f} minutes, {options.jobs} runs at the same time",
    }
    results = [paper.measure(plan, layouts.View(executor, layout), reference) for layout in range(count)]
    items = [item_of(paper, item, results) for item in plan.items]
    failures = [f"{run.key}: {reason}" for run, reason in failed]
    content = report.Report(
        paper.name,
        paper.title,
        paper.about,
        items,
        checks.all_of(paper.measures, results),
        facts,
        {item.file: made.of(executor, plan.runs_of(item.name)) for item in items},
        made.of(executor, plan.runs()),
        failures,
        fitted(reference, paper.name),
    )
    report.write_all(content, options.output)
    return 1 if failed else 0
