"""command: `tess reproduce` for every paper whose experiments run on the simulator: parse, run, report."""

import argparse
import dataclasses
import functools
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

from tessera.reproduce import checks, layouts, provenance, report, sensitivity
from tessera.simulator.execute import AnyRun, Executor, say
from tessera.reproduce.claims import Fitted, fitted
from tessera.reproduce.items import Item
from tessera.reproduce.paper import Paper
from tessera.reproduce.plan import Plan


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
    if paper.sensitivity is not None:
        meaning = "vary the fitted parameters, too, and say what they do to the main claims"
        made.add_argument("--sensitivity", action="store_true", help=meaning)
    else:
        made.set_defaults(sensitivity=False)
    paper.add_options(made)
    return made


def without_paths(words: list[str]) -> list[str]:
    """The arguments without those that the command `tess` adds."""
    kept = []
    rest = iter(words)
    for word in rest:
        if word in ("--tess", "--reference"):
            next(rest, None)
        elif not word.startswith(("--tess=", "--reference=")):
            kept.append(word)
    return kept


@dataclasses.dataclass
class Request:
    """What one paper's command asks for."""

    paper: Paper
    options: argparse.Namespace
    plan: Plan
    command: str  # as it was typed

    @property
    def layouts(self) -> int:
        """In how many layouts timed runs are made."""
        return self.options.layouts or (layouts.QUICK if self.options.quick else layouts.DEFAULT)

    @property
    def jobs(self) -> int:
        """Runs at the same time."""
        return max(1, min(self.options.jobs, self.paper.jobs_most))

    @property
    def fitted(self) -> list[Fitted]:
        """The parameters that were chosen by a claim."""
        return fitted(self.options.reference, self.paper.name)

    @functools.cached_property
    def varied_plan(self) -> Plan | None:
        """The runs that are made again with other values of the fitted parameters; None if this was not asked for."""
        if not self.options.sensitivity:
            return None
        words = [*self.paper.sensitivity.words, f"--reference={self.options.reference}"]
        options = parser(self.paper).parse_args(words)
        return self.paper.plan(self.paper.selected(options), options)

    def runs(self) -> list[AnyRun]:
        """All runs, in all layouts, and those with other values of the fitted parameters."""
        made = layouts.all_runs(self.plan.runs(), self.layouts)
        if self.varied_plan is not None:
            made += sensitivity.all_runs(self.paper, self.varied_plan, self.fitted)
        return list(dict.fromkeys(made))

    def items(self, executor: Executor, results: list[Any]) -> list[Item]:
        """The items of the report."""
        made = [layouts.merged([self.paper.makers[name](one) for one in results]) for name in self.plan.items]
        if self.varied_plan is not None:
            reference = self.options.reference
            made.append(sensitivity.item(self.paper, self.varied_plan, executor, reference, self.fitted))
        return [dataclasses.replace(one, paper=self.paper.name, small=self.is_small(one.name)) for one in made]

    def is_small(self, name: str) -> bool:
        """Whether an item's intervals are those of small runs that stand for its long ones."""
        return self.layouts > 1 and name in self.plan.items and any(map(layouts.small_of, self.plan.runs_of(name)))

    def checks(self, results: list[Any]) -> list[checks.Check]:
        """The claims; those whose intervals are of small runs say so."""
        made = []
        for check in checks.all_of(self.paper.measures, results):
            if check.interval_text and self.is_small(self.paper.item_of(check.claim.item)):
                note = "; ".join(filter(None, [check.note, f"interval: of runs {self.paper.small}"]))
                check = dataclasses.replace(check, note=note)
            made.append(check)
        return made

    def runs_of(self, name: str) -> list[AnyRun]:
        """The runs of one item, in one layout."""
        if name == sensitivity.NAME:
            return sensitivity.all_runs(self.paper, self.varied_plan, self.fitted)
        return self.plan.runs_of(name)

    def executor(self) -> Executor:
        """Executes them, and keeps their files in the output folder."""
        return Executor(self.options.tess, self.options.output / "runs", self.jobs)


def request(paper: Paper, words: list[str]) -> Request:
    """Parses the words. Ends the process for wrong ones, as argparse does."""
    parsing = parser(paper)
    options = parsing.parse_args(words)
    if options.layouts is not None and options.layouts < 1:
        parsing.error("--layouts: give 1 or more")
    if not options.programs:
        found = options.tess or shutil.which("tess") or parsing.error("no command `tess` in PATH; give --tess FILE")
        options.tess = Path(found)
        options.reference = options.reference or options.tess.resolve().parent.parent / "share/tessera/reference"
    command = " ".join(["tess reproduce", paper.name, *without_paths(words)])
    return Request(paper, options, paper.plan(paper.selected(options), options), command)


def main(paper: Paper, words: list[str]) -> int:
    """0 if all runs succeeded, 2 if a changed tree may not be reported. Claims that are not met are no failure."""
    asked = request(paper, words)
    if asked.options.programs:
        print("\n".join(asked.plan.programs()))
        return 0
    try:
        origin = provenance.origin(asked.options.output, draft=asked.options.draft)
    except provenance.ChangedTree as changed:
        say(str(changed))
        return 2
    return carry_out(asked, origin)


def carry_out(asked: Request, origin: provenance.Origin) -> int:
    """Executes the runs that are missing and writes the report; 0 if all succeeded, 130 if it was stopped."""
    paper, plan, options = asked.paper, asked.plan, asked.options
    options.output.mkdir(parents=True, exist_ok=True)
    executor = asked.executor()
    executor.facts = {"commit": str(origin)}
    begin = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the runs are ended, too
    try:
        failed = executor.execute(asked.runs())
    except KeyboardInterrupt:
        say("stopped; the same command continues from here")
        return 130
    made = provenance.Provenance(origin, asked.command, provenance.now(), provenance.host(), asked.layouts)
    facts = {
        "command": made.command,
        "commit": str(origin),
        "made": f"{made.date}, on {made.host['processor']}, {made.host['system']}",
        "form": "quick: shows that it works" if options.quick else "full",
        "layouts": layouts.explained(asked.layouts),
        "runs": provenance.made_at(executor, asked.runs(), origin),
        "duration": f"{(time.monotonic() - begin) / 60:.1f} minutes, {asked.jobs} runs at the same time",
    }
    results = [
        paper.measure(plan, layouts.View(executor, layout, asked.layouts), options.reference)
        for layout in range(asked.layouts)
    ]
    items = asked.items(executor, results)
    failures = [f"{run.key}: {reason}" for run, reason in failed]
    content = report.Report(
        paper,
        items,
        asked.checks(results),
        facts,
        {item.file: made.of(executor, asked.runs_of(item.name)) for item in items},
        made.of(executor, plan.runs()),
        failures,
        asked.fitted,
    )
    report.write_all(content, options.output)
    return 1 if failed else 0
