"""command: what every `tess reproduce` does by runs of the simulator: runs them, and writes what was found."""

import argparse
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from nemesys import report
from nemesys.execute import Executor, say
from nemesys.items import Check, Item
from nemesys.plan import Run


def parser(paper: str) -> argparse.ArgumentParser:
    """Of the options that every paper has, but for --quick, whose meaning is its own."""
    made = argparse.ArgumentParser(prog=f"tess reproduce {paper}")
    made.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="runs at a time")
    made.add_argument("--output", type=Path, default=Path(paper), help="folder for what is written")
    made.add_argument("--tess", type=Path, help="the command `tess`")
    made.add_argument("--reference", type=Path, help="folder with the paper's numbers")
    made.add_argument("--programs", action="store_true", help="print the programs that it would run, and end")
    return made


def asked(words: list[str]) -> list[str]:
    """Without what `tess` itself adds."""
    kept = []
    rest = iter(words)
    for word in rest:
        if word in ("--tess", "--reference"):
            next(rest, None)
        else:
            kept.append(word)
    return kept


def reproduce(
    options: argparse.Namespace,
    words: list[str],
    runs: list[Run],
    title: str,
    about: str,
    judge: Callable[[Executor], tuple[list[Item], list[Check]]],
) -> int:
    """0: all runs ended well; what must be reached is reported, not judged by the exit code.

    `judge` makes items and checks of what the executor has.
    """
    options.output.mkdir(parents=True, exist_ok=True)
    executor = Executor(options.tess, options.output / "runs", max(options.jobs, 1))
    begin = time.monotonic()
    # Whoever ends this ends its runs, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        failed = executor.execute(runs)
    except KeyboardInterrupt:
        say("stopped; the same command goes on from here")
        return 130
    facts = {
        "command": " ".join(["tess reproduce", title.split()[0].lower(), *asked(words)]),
        "commit": report.commit(),
        "form": "quick: shows that it works" if options.quick else "full",
        "this time it took": f"{(time.monotonic() - begin) / 60:.1f} minutes, {options.jobs} runs at a time",
    }
    items, checks = judge(executor)
    whys = [f"{run.key}: {why}" for run, why in failed]
    report.write_all(title, about, items, checks, facts, whys, options.output)
    return 1 if failed else 0
