"""command: `python3 -m tessera.simulator.report.command`, which `tess report` and `tess run --report` run.

    compare OUTPUT RUN...       a report of these runs
    run OUTPUT WORDS...         `tess run WORDS`, and a report of it

Exit code of the program, or 0; 2 for wrong arguments or files.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tessera.simulator.report import page, recorded


def value_of(words: Sequence[str], option: str) -> str:
    """The value of an option of `tess run`; empty: it is not given."""
    for number, word in enumerate(words):
        if word == option and number + 1 < len(words):
            return words[number + 1]
        if word.startswith(option + "="):
            return word.partition("=")[2]
    return ""


def values_of(words: Sequence[str], option: str) -> list[str]:
    """The values of an option that may be repeated."""
    found = [words[number + 1] for number, word in enumerate(words[:-1]) if word == option]
    return found + [word.partition("=")[2] for word in words if word.startswith(option + "=")]


def label_of(words: Sequence[str], statistics: dict) -> str:
    """A short name of a run."""
    return f"{Path(statistics['program']).name} on {statistics['machine']}"


def run(output: Path, ours: Sequence[str], rest: Sequence[str]) -> int:
    """`ours` are the options of `tess run`, `rest` the program and its words."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        machine = value_of(ours, "--machine")
        timed = value_of(ours, "--timing") != "off" and (machine != "single-tile" or value_of(ours, "--timing") == "on")
        statistics = Path(value_of(ours, "--stats") or folder / "s.json")
        words = [*ours] if value_of(ours, "--stats") else [*ours, "--stats", str(statistics)]
        sampled = bool(value_of(ours, "--sample"))
        if timed and not sampled and not value_of(ours, "--fast-forward-to"):
            words += ["--stats-over-time", str(folder / "t.csv"), "--stats-over-time", str(folder / "t.svg")]
        profiled = timed and not sampled and bool(values_of(ours, "--profile"))
        if profiled:
            words += ["--profile", str(folder / "p.harts")]
        # The program's group gets Ctrl-C, ends with its reports, and then there is one of ours.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = subprocess.run([os.environ["TESSERA_TESS"], "run", *words, *rest], check=False,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)).returncode  # fmt: skip
        if not statistics.exists():
            return code  # it has said why
        known = recorded.checked(json.loads(statistics.read_text(encoding="utf-8")), str(statistics))
        made_run = recorded.Recorded(known, words=[*ours, *rest])
        made_run.label = label_of(words, known)
        recorded.with_machine(made_run, machine)
        if timed and (folder / "t.csv").exists():
            made_run.rows = recorded.rows_of(folder / "t.csv")
            made_run.timeline = (folder / "t.svg").read_text(encoding="utf-8")
        if profiled and (folder / "p.harts").exists():
            made_run.spent = recorded.rows_of(folder / "p.harts")
        flames = [Path(name) for name in values_of(ours, "--profile") if name.endswith(".svg")]
        if flames and flames[0].exists():
            made_run.flame = flames[0].read_text(encoding="utf-8")
        output.write_text(page.page([made_run]), encoding="utf-8")
        return code if code >= 0 else 128 - code


def compare(output: Path, files: Sequence[Path]) -> int:
    """A report of all runs in these files."""
    runs = [one for file in files for one in recorded.read(file)]
    labels = [one.label for one in runs]
    for number, one in enumerate(runs):
        if labels.count(one.label) > 1:
            one.label = f"{one.label} ({number + 1})"
    output.write_text(page.page(runs), encoding="utf-8")
    print(f"tess: report: {output}: {len(runs)} run{'s' if len(runs) > 1 else ''}", file=sys.stderr)
    return 0


def main(words: Sequence[str]) -> int:
    """The exit code."""
    verb, output, *others = words
    try:
        if verb == "run":
            split = others.index("--")
            return run(Path(output), others[:split], others[split + 1 :])
        return compare(Path(output), [Path(one) for one in others])
    except (ValueError, OSError) as wrong:
        print(f"tess: report: {wrong}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
