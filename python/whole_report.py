"""whole_report: for tests: a reproduction from its words to its files, with runs that an executor makes up."""

import contextlib
import io
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from nemesys import command
from nemesys.plan import Run

REFERENCE = Path(__file__).resolve().parent.parent / "reference"


class MadeUp:
    """In the place of the executor: every run but one has been made."""

    failing = ""  # its key

    def __init__(self, *_: object) -> None:
        pass

    def execute(self, runs: list[Run]) -> list[tuple[Run, str]]:
        return [(run, "exit code 1") for run in runs if run.key == self.failing]

    def is_done(self, run: Run) -> bool:
        return run.key != self.failing


class WholeReport(unittest.TestCase):
    """A test that runs one, without pictures."""

    def run_report(
        self, main: Callable[[list[str]], int], executor: type, words: tuple[str, ...]
    ) -> tuple[int, str, Path]:
        """Exit code, what was said, and the folder of the files, which goes with the test."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        said = io.StringIO()
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
            mock.patch.object(command, "Executor", executor),
            mock.patch.object(command.report.figures, "available", return_value=False),
        ):
            code = main(["--tess", "tess", "--reference", str(REFERENCE), "--output", folder.name, *words])
        return code, said.getvalue(), Path(folder.name)
