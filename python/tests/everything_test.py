"""everything_test: `all` forecasts, runs all papers and continues after a failure; the pages of all claims have a row
for each, link to what exists, and are made anew when a band changes.

Method: two papers whose runs are made up; what runs took is written as the executor writes it.
"""

import contextlib
import io
import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tessera.papers.rmem.paper import RMEM
from tessera.papers.softxmt.paper import SOFTXMT
from tessera.reproduce import command, everything, provenance, report, site
from tessera.reproduce.__main__ import PAPERS
from tessera.reproduce.claims import Claims, rows
from tessera.reproduce.layouts import Laid
from tessera.reproduce.paper import Paper
from tessera.simulator.execute import AnyRun

from . import rmem_test, softxmt_test
from .end_to_end import REFERENCE


class FakeExecutor(rmem_test.FakeExecutor):
    """Runs of both papers; those in `done` were made before and took ten seconds."""

    done: frozenset[str] = frozenset()
    failing_paper = ""

    def __init__(self, tess: Path, folder: Path, workers: int) -> None:
        super().__init__()
        self.tess, self.folder = tess, folder
        self._softxmt = softxmt_test.FakeExecutor()

    def execute(self, runs: list[AnyRun]) -> list[tuple[AnyRun, str]]:
        return [(runs[0], "exit code 1")] if self.folder.parent.name == self.failing_paper else []

    def seconds(self, run: AnyRun) -> float | None:
        return 10.0 if run.key in self.done else None

    def printed(self, run: AnyRun) -> str:
        return super().printed(run.run if isinstance(run, Laid) else run)

    def statistics(self, run: AnyRun) -> dict:
        return self._softxmt.statistics(run)


class Everything(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_all(self, *words: str, failing: str = "") -> tuple[int, str]:
        printed = io.StringIO()
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            mock.patch.object(command, "Executor", FakeExecutor),
            mock.patch.object(FakeExecutor, "failing_paper", failing),
            mock.patch.object(report.pictures, "available", return_value=False),
            mock.patch.object(provenance, "hashes", return_value=({}, {})),
        ):
            options = ["--tess", "tess", "--reference", str(REFERENCE), "--output", str(self.folder), "--draft"]
            code = everything.main([SOFTXMT, RMEM], [*options, "--layouts", "1", *words])
        return code, printed.getvalue()

    def test_a_report_of_each_paper_and_a_page_of_all_claims(self):
        code, printed = self.run_all()
        self.assertEqual(code, 0, printed)
        page = (self.folder / "index.html").read_text(encoding="utf-8")
        for name in ("softxmt", "rmem"):
            self.assertTrue((self.folder / name / "report.html").is_file())
            for claim in Claims(REFERENCE / f"{name}_claims.csv"):
                self.assertIn(f'id="{name}_{claim.name}"', page)
        for link in set(re.findall(r'href="([^"#]+)', page)):
            self.assertTrue((self.folder / link).is_file(), link)
        for link in set(re.findall(r'href="([^"]*)#([\w-]+)"', page)):
            where = (self.folder / link[0]).read_text(encoding="utf-8") if link[0] else page
            self.assertRegex(where, f'id="?{link[1]}')

    def test_one_layout_of_all_papers_comes_first(self):
        counts = []
        written = site.write

        def noted(*words: object) -> list[Path]:
            content = json.loads((self.folder / "rmem" / "rmem_checks.json").read_text(encoding="utf-8"))
            counts.append(content["provenance"]["layouts"])
            return written(*words)

        with mock.patch.object(site, "write", noted):
            self.run_all("--layouts", "3")
        self.assertEqual(counts, [1, 3])

    def test_a_failure_does_not_stop_the_next_paper(self):
        code, _ = self.run_all(failing="softxmt")
        self.assertEqual(code, 1)
        self.assertTrue((self.folder / "rmem" / "report.html").is_file())

    def test_a_stop_ends_all(self):
        with mock.patch.object(FakeExecutor, "execute", side_effect=KeyboardInterrupt):
            self.assertEqual(self.run_all()[0], 130)
        self.assertFalse((self.folder / "index.html").exists())

    def test_the_forecast_follows_what_runs_took(self):
        asked = everything.requests([RMEM], self.options())[0]
        runs = asked.runs()
        half = runs[: len(runs) // 2]
        with (
            mock.patch.object(command, "Executor", FakeExecutor),
            mock.patch.object(FakeExecutor, "done", frozenset(run.key for run in half)),
        ):
            missing, seconds = everything.expected(asked)
        self.assertEqual(missing, len(runs) - len(half))
        left = sum(run.weight for run in runs[len(half) :])
        self.assertAlmostEqual(seconds, 10 * len(half) / sum(run.weight for run in half) * left / 2)

    def test_every_paper_has_a_forecast_before_anything_was_run(self):
        known = {(row["paper"], row["form"]) for row in rows(REFERENCE / "durations.csv")}
        self.assertEqual(known, {(name, form) for name in PAPERS for form in ("quick", "full")})

    def test_the_forecast_is_printed_first(self):
        _, printed = self.run_all("--forecast")
        self.assertIn("rmem", printed)
        self.assertIn("the same command continues", printed)
        self.assertFalse((self.folder / "rmem").exists())
        self.assertEqual(everything.duration(45), "45 s")
        self.assertEqual(everything.duration(7800), "2 h 10 min")

    def options(self):
        return everything.parser().parse_args(["--tess", "tess", "--reference", str(REFERENCE), "--jobs", "2",
                                               "--output", str(self.folder)])  # fmt: skip


class Site(Everything):
    def markdown(self, reference: Path = REFERENCE) -> str:
        return site.markdown(site.outcomes([SOFTXMT, RMEM], self.folder, reference), self.folder)

    def test_every_claim_of_every_paper_has_a_row(self):
        page = site.markdown(site.outcomes(list(PAPERS.values()), self.folder, REFERENCE), self.folder)
        sections = page.partition("\n## ")[2]
        shown = [line for line in sections.splitlines() if line.startswith("| ") and line.count(" | ") == 7]
        wanted = sum(len(list(Claims(REFERENCE / f"{name}_claims.csv"))) for name in PAPERS)
        self.assertEqual(len(shown) - len(PAPERS), wanted)
        # Nothing was run: every row says with which command it is.
        self.assertEqual(sum("| not run |" in row and "`./tess reproduce " in row for row in shown)
                         + sum("| not reproduced |" in row for row in shown), wanted)  # fmt: skip
        self.assertIn("`./tess reproduce cni --figure 11a`", page)
        self.assertIn("`./tess reproduce nemesys --table 6`", page)

    def test_a_click_leads_from_every_claim_to_its_numbers_and_its_command(self):
        self.run_all()
        for page, at in ((self.folder / "index.html", self.folder),
                         (self.folder / "rmem" / "report.html", self.folder / "rmem"),
                         (self.folder / "softxmt" / "report.html", self.folder / "softxmt")):  # fmt: skip
            text = page.read_text(encoding="utf-8")
            found = re.findall(r'<tr id="([a-z]+)_(\w+)">(.*?)</tr>', text, re.DOTALL)
            self.assertTrue(found)
            for paper, claim, row in found:
                with self.subTest(page=page.name, claim=claim):
                    self.check_row(PAPERS[paper], row, at)

    def check_row(self, paper: Paper, row: str, at: Path) -> None:
        words = re.search(r"<code>tess reproduce (.*?)</code>", row)
        if "not reproduced" in row:
            self.assertIsNone(words)
            return
        name, *options = words[1].split()
        self.assertEqual(name, paper.name)
        command.parser(paper).parse_args(options)
        if "not run" in row:
            return
        (numbers,) = re.findall(r'href="([^"]*\.csv)"', row)
        self.assertTrue((at / numbers).is_file(), numbers)
        (shown,) = re.findall(r'href="([^"]*#\w+)"', row)
        self.assertTrue(shown)

    def test_what_was_run_has_its_verdict_and_origin(self):
        self.run_all()
        page = self.markdown()
        row = next(line for line in page.splitlines() if "of the bare portal (the less" in line)
        self.assertIn("| **better** |", row)
        self.assertIn("cause: a message costs less here", row)
        self.assertIn("](../results/rmem/rmem_figure_3.csv)", row)
        self.assertIn("A DRAFT" if "A DRAFT" in page else "at commit", page)

    def test_a_band_that_changes_shows_without_a_run(self):
        self.run_all()
        before = self.markdown()
        with tempfile.TemporaryDirectory() as name:
            for file in REFERENCE.glob("*.csv"):
                shutil.copy(file, name)
            claims = Path(name) / "rmem_claims.csv"
            claims.write_text(claims.read_text(encoding="utf-8").replace(",1,± 0.05,", ",,± 0.2,"),
                              encoding="utf-8")  # fmt: skip
            after = self.markdown(Path(name))
        row = next(line for line in after.splitlines() if "of the bare portal (the less" in line)
        self.assertIn("| met |", row)
        self.assertNotEqual(before, after)

    def test_parts_that_were_not_judged_stay_so(self):
        self.run_all("--quick")
        content = json.loads((self.folder / "rmem" / "rmem_checks.json").read_text(encoding="utf-8"))
        measured = [one for one in content["checks"] if one["median"] is not None and one["verdict"] != "fitted"]
        self.assertEqual({one["judged"] for one in measured}, {False})
        row = next(line for line in self.markdown().splitlines() if "of the bare portal (the less" in line)
        self.assertIn("| not run |", row)


class CommandInReports(unittest.TestCase):
    def test_paths_of_this_computer_are_left_out(self):
        """Both forms in which `tess` and `all` pass them."""
        words = ["--jobs=2", "--tess=/x/tess", "--reference", "/x/reference", "--output=docs/results/rmem"]
        self.assertEqual(command.without_paths(words), ["--jobs=2", "--output=docs/results/rmem"])
        words = ["--tess", "/x/tess", "--reference=/x/reference", "--quick"]
        self.assertEqual(command.without_paths(words), ["--quick"])


if __name__ == "__main__":
    unittest.main()
