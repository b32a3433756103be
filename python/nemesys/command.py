"""command: what every `tess reproduce` does by runs of the simulator: runs them, and writes what was found."""

import argparse
import signal
import time
from collections.abc import Callable

from nemesys import report
from nemesys.execute import Executor, say
from nemesys.items import Check, Item
from nemesys.plan import Run


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
        "form": "quick: shows that it works, measures nothing" if options.quick else "full",
        "this time it took": f"{(time.monotonic() - begin) / 60:.1f} minutes, {options.jobs} runs at a time",
    }
    items, checks = judge(executor)
    whys = [f"{run.key}: {why}" for run, why in failed]
    report.write_all(title, about, items, checks, facts, whys, options.output)
    return 1 if failed else 0
