"""rae_test: the plan's runs are those that the figures need; measures, figures and checks say what their numbers say;
callgrind's output is read as it is written; the whole of it writes every file.

Method: instead of programs simple laws, which meet every check; then one law at a time is changed.
"""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import rae_report
from nemesys.execute import Executor
from nemesys.paper import Claims
from rae import checks, figures, library, tasks
from rae.measures import Known, atomics_of
from rae.plan import ITEMS, UNIFORM, WAYS, HereRun, LibraryRun, Plan, Run
from whole_report import MadeUp, WholeReport

ROOT = Path(__file__).resolve().parent.parent


class FakeExecutor(MadeUp):
    """By laws."""

    taken, loading, each = 6400, 50_000, 20  # atomics, and instructions
    bias = 0.0  # of remote ones

    def work(self, run: Run | HereRun) -> int:
        """How often the kernel was run."""
        if run.program != UNIFORM:
            return int(run.given[-1]) if isinstance(run, Run) else 1
        return int(run.given[run.given.index("--updates") + 1]) // (1 << 20)

    latency_ps, turn_ps = 100_000, 20_000  # of an operation of one core

    def time_ps(self, run: tasks.TaskRun) -> float:
        """Of a run of tasks."""
        under_way = 1 if run.form == "wait" else run.tasks or 1000
        turn = self.turn_ps * (2 if run.form == "tasks" else 1)
        return run.count * max(self.latency_ps / under_way, turn)

    def printed(self, run: Run | HereRun) -> str:
        places = getattr(run, "places", 1)
        remote = round(self.taken * min(1 - 1 / places + (self.bias if places > 1 else 0), 1))
        if run.program == UNIFORM:
            return f"time: 1 s\noperations: {self.taken - remote} local and {remote} remote words, 0 bytes\n"
        return f"reached\natomics: {self.taken}, {remote} of them on words of other places\n"

    def statistics(self, run: Run | LibraryRun) -> dict:
        if isinstance(run, LibraryRun):
            asks = {"put": 200, "add": 300}
            return {"library": "a library", "asks": asks, "has": dict.fromkeys(asks, 0)}
        if isinstance(run, tasks.TaskRun):
            return {"measured": {"simulated_ps": self.time_ps(run)}}
        return {"instructions": self.loading + self.work(run) * self.taken * self.each}


def known(*, items: tuple[str, ...] = ITEMS, quick: bool = False, failing: str = "", without: tuple[str, ...] = (),
          **laws: float) -> Known:  # fmt: skip
    executor = FakeExecutor()
    executor.failing = failing
    for name, value in laws.items():
        setattr(executor, name, value)
    return Known(Plan(list(items), quick=quick, without=without), executor,
                 Claims(ROOT / "reference" / "rae_claims.csv"))  # fmt: skip


class Runs(unittest.TestCase):
    def test_an_item_needs_its_runs_only(self):
        self.assertEqual(len(Plan(["figure 1"], quick=False).runs()), 2 * 9)
        self.assertEqual(len(Plan(["figure 2"], quick=False).runs()), 7 * 9)
        self.assertEqual([run.way for run in Plan(["figure 3"], quick=False).runs()], list(WAYS))
        self.assertEqual(Plan(["figure 3"], quick=False, without=("oshrun",)).runs(), [])

    def test_runs_have_keys_of_their_own(self):
        runs = Plan(list(ITEMS), quick=False).runs()
        self.assertEqual(len({run.key for run in runs}), len(runs))

    def test_the_words_of_a_run(self):
        of = Plan(["figure 1"], quick=True)
        few, _ = of.counted("bfs", ("kron:12", "--form", "words"))
        words = "--machine single-tile --timing off -n 1 --workers 1 bfs kron:12 --form words --trials 1"
        self.assertEqual(" ".join(few.words("single-tile")), words)
        here = Executor(Path("/t/bin/tess"), Path("/o"), 1).command(of.spread("gups", ("--updates", "7"), 64))
        self.assertEqual(" ".join(here[4:]), "-n 64 gups --updates 7")

    def test_every_place_has_vertices(self):
        for quick in (True, False):
            self.assertGreaterEqual(1 << int(Plan([], quick=quick).graphs()[0].split(":")[1]), 64 * 64)


class Measures(unittest.TestCase):
    def test_loading_is_not_counted(self):
        for program, given in Plan(["figure 1"], quick=False).programs():
            counted = known().counted(program, given)
            self.assertEqual(counted, (6400, 6400 * 20), program)

    def test_what_a_program_printed(self):
        self.assertEqual(atomics_of("bfs", "x\natomics: 8, 2 of them on words of other places\n").share, 0.25)
        self.assertEqual(atomics_of("gups", "operations: 3 local and 9 remote words, 0 bytes").share, 0.75)
        self.assertIsNone(atomics_of("bfs", "operations: 3 local and 9 remote words, 0 bytes"))

    def test_what_failed_is_not_known(self):
        of = Plan(list(ITEMS), quick=False)
        for run in of.runs():
            found = known(failing=run.key)
            for item in ITEMS:
                rae_report.MAKERS[item](found)
        lost = of.spread(*of.programs()[-1], 64)
        self.assertIsNone(checks.remote_share(known(failing=lost.key)).met)


class Items(unittest.TestCase):
    def test_every_point_has_a_row_as_wide_as_the_head(self):
        rows = {}
        for item in ITEMS:
            found = rae_report.MAKERS[item](known())
            self.assertEqual({len(row) for row in found.rows}, {len(found.columns)}, item)
            rows[item] = len(found.rows)
        self.assertEqual(rows, {"figure 1": 9, "figure 2": 63, "figure 3": 2, tasks.ITEM: 4 * (11 + 10)})

    def test_tasks_reach_what_the_lowest_limit_lets_them(self):
        item = tasks.figure(known(items=(tasks.ITEM,)))
        rows = {tuple(row[:3]): row[3:] for row in item.rows}
        self.assertEqual(rows["rae-16", "one", "wait"], [10, 200, 1, None, 20])
        self.assertEqual(rows["rae-16", "one", 2], [20, 100, 2, 100, 40])
        self.assertEqual(rows["rae-16", "one", 64], [25, 80, 2.5, 50, 50])
        said = [sentence for sentence in item.sentences if sentence.startswith("rae-16, one: 4 tasks")]
        self.assertIn("50 % of the lowest limit, the core, by a loop (the core, by a loop 50, its link 250, ", said[0])
        slow = tasks.figure(known(items=(tasks.ITEM,), turn_ps=1000))
        self.assertTrue(any("lowest limit, its link" in sentence for sentence in slow.sentences))

    def test_what_is_missing_is_said(self):
        item = figures.figure3(known(without=("oshrun", "valgrind")))
        self.assertEqual(item.rows, [])
        self.assertIn("there is no oshrun, valgrind here; ./tess setup rae", item.sentences[0])


class Checks(unittest.TestCase):
    def test_the_remote_share(self):
        self.assertTrue(checks.remote_share(known()).met)
        self.assertIs(checks.remote_share(known(bias=0.015)).met, False)
        self.assertIs(checks.remote_share(known(bias=-0.015)).met, False)
        self.assertEqual(checks.remote_share(known()).ours, "98.438 % at 64, expected 98.438 %")


class Library(unittest.TestCase):
    def test_callgrind_s_parts(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for number, (part, total) in enumerate([("nothing", 2000), ("put, quiet", 402_000)], 1):
                text = f"version: 1\ndesc: Trigger: Client Request: {part}\nevents: Ir\nfn=main\ntotals: {total}\n"
                (folder / f"0.out.{number}").write_text(text)
            (folder / "0.out").write_text("desc: Trigger: Program termination\ntotals: 9\n")
            self.assertEqual(library.each(library.counts(folder, 0)), {"put, quiet": 400})
            self.assertEqual(library.counts(folder, 1), {})

    def test_a_program_that_fails_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as name:
            output = Path(name) / "out.json"
            with mock.patch.object(library, "command", return_value=["false"]), mock.patch("sys.stderr"):
                self.assertEqual(library.main(["p", "memory", str(output)]), 1)
            self.assertFalse(output.exists())

    def test_what_is_missing(self):
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            self.assertEqual(library.missing(Path("/nowhere/operations")), ["oshrun", "valgrind", "operations"])


class Whole(WholeReport):
    def run_it(self, *words: str) -> tuple[int, str, Path]:
        with mock.patch.object(library, "missing", return_value=[]):
            return self.run_report(rae_report.main, FakeExecutor, words)

    def test_every_item_is_written(self):
        code, said, folder = self.run_it("--quick")
        self.assertEqual(code, 0, said)
        page = (folder / "report.html").read_text(encoding="utf-8")
        for item in ITEMS:
            name = f"rae_{item.replace(' ', '_')}"
            self.assertIn(f'id="{name}"', page)
            rows = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["rows"]
            lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), 1 + len(rows))

    def test_only_what_was_named(self):
        code, said, folder = self.run_it("--figure", "2")
        self.assertEqual(code, 0, said)
        self.assertEqual([file.stem for file in folder.glob("*.csv")], ["rae_figure_2"])

    def test_programs_to_be_built(self):
        self.assertEqual(self.run_it("--programs")[:2], (0, "bc\nbfs\ngups\npagerank\nrae-tasks\nsssp\n"))
        self.assertEqual(self.run_it("--programs", "--figure", "2")[:2], (0, "\n"))


if __name__ == "__main__":
    unittest.main()
