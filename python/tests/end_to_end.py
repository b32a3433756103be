"""end_to_end: base of tests that execute a whole `tess reproduce PAPER`, with runs whose output is made up."""

import contextlib
import io
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from tessera.reproduce import checks, command, hardware, report
from tessera.reproduce.checks import Measure
from tessera.reproduce.paper import Paper
from tessera.reproduce.plan import AnyRun

hardware.available = lambda: True  # whether or not yosys is installed here: nothing is synthesized
REFERENCE = Path(__file__).resolve().parents[2] / "reference"


def circuits(cells: Mapping[str, tuple[int, int]]) -> list[dict]:
    """What the run of a unit's area writes: LUTs and flip-flops of each circuit, and 10 LUTs more that are memory."""
    return [{"name": name, "LUT": luts + 10, "memory LUT": 10, "FF": flops, "BRAM": 0, "bytes": 80.0}
            for name, (luts, flops) in cells.items()]  # fmt: skip


class FakeRuns:
    """Replaces the executor: every run but one succeeds."""

    failing = ""  # key of that run

    def __init__(self, *_: object) -> None:
        pass

    def execute(self, runs: list[AnyRun]) -> list[tuple[AnyRun, str]]:
        return [(run, "exit code 1") for run in runs if run.key == self.failing]

    def is_done(self, run: AnyRun) -> bool:
        return run.key != self.failing


def verdicts(measures: Mapping[str, Measure], results: Any) -> dict[str, str]:
    """The verdict of each claim of a paper, by name."""
    return {one.claim.name: one.verdict.value for one in checks.all_of(measures, [results])}


def measured(measures: Mapping[str, Measure], results: Any, name: str) -> checks.Check:
    """The check of one claim."""
    return next(one for one in checks.all_of(measures, [results]) if one.claim.name == name)


class EndToEnd(unittest.TestCase):
    """A test case that executes the command of a paper, without pictures."""

    def run_report(self, paper: Paper, executor: type, words: tuple[str, ...]) -> tuple[int, str, Path]:
        """Exit code, everything printed, and the output folder, which is removed after the test."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        printed = io.StringIO()
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            mock.patch.object(command, "Executor", executor),
            mock.patch.object(report.pictures, "available", return_value=False),
        ):
            options = ["--tess", "tess", "--reference", str(REFERENCE), "--output", folder.name]
            options += ["--draft", "--layouts", "1"]
            code = command.main(paper, [*options, *words])
        return code, printed.getvalue(), Path(folder.name)
