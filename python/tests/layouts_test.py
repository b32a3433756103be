"""layouts_test: a run is made once in each layout, and its numbers become medians with intervals, in rows, pictures and
claims; a report says where its numbers come from, and none is written of a changed tree but as a draft.

Method: the runs of CNI, whose made-up cycles depend on the layout; trees of git in a temporary folder.
"""

import csv
import dataclasses
import json
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tessera.papers.cni.paper import CNI
from tessera.papers.cni.plan import Plan
from tessera.papers.nemesys import plan as nemesys
from tessera.papers.rae.plan import Plan as RaePlan
from tessera.papers.together.plan import Plan as Together
from tessera.reproduce import layouts, provenance
from tessera.reproduce.items import Item, Panel
from tessera.reproduce.layouts import Laid, View, laid, merged
from tessera.simulator.execute import AnyRun

from .cni_test import FakeExecutor
from .end_to_end import EndToEnd

FACTORS = (1.0, 1.01, 0.99, 1.02, 1.03)


class Varied(FakeExecutor):
    """Cycles that depend on the layout; one layout of the barriers fails."""

    made: list[AnyRun]

    def execute(self, runs: list[AnyRun]) -> list[tuple[AnyRun, str]]:
        Varied.made = runs
        return []

    def is_done(self, run: AnyRun) -> bool:
        return not (isinstance(run, Laid) and run.layout == 2 and run.binary == "cni-barriers")

    def printed(self, run: AnyRun) -> str:
        plain, layout = (run.run, run.layout) if isinstance(run, Laid) else (run, 0)
        lines = [json.loads(line) for line in super().printed(plain).splitlines()]
        for line in lines:
            if "end" in line:
                line["end"] = line["begin"] + round(FACTORS[layout] * (line["end"] - line["begin"]))
        return "".join(json.dumps(line) + "\n" for line in lines)


class Runs(unittest.TestCase):
    def test_each_layout_once_and_the_usual_one_first(self):
        runs = Plan(["table 1b"], quick=True).runs()
        made = layouts.all_runs(runs, 3)
        self.assertEqual(len(made), 3 * len(runs))
        self.assertEqual(made[: len(runs)], runs)
        self.assertEqual(len({run.key for run in made}), len(made))

    def test_the_words_of_a_layout(self):
        run = Plan(["figure 9"], quick=False).blocks("bitonic", "stores", 4)
        words = laid(run, 3).words("cni-4")
        self.assertEqual(" ".join(words), "--layout 3 --machine cni-4 --copies 4 cni-bitonic stores 4 8192 1")
        self.assertIs(laid(run, 0), run)

    def test_counts_are_not_repeated(self):
        runs = RaePlan(["figure 1", "figure 2"], quick=True).runs()
        made = layouts.all_runs(runs, 5)
        self.assertEqual(made[: len(runs)], runs)
        # Timed are only the kernels that figure 7 needs, too.
        self.assertEqual({run.binary for run in made[len(runs) :]}, {"gap_shmem"})
        self.assertEqual(len(made) - len(runs), 4 * 5)

    def test_the_environment_of_a_run_is_kept(self):
        from tessera.papers.together.plan import NONE, Run

        run = Run(Together(["circustent"], quick=True).programs_of("circustent")[0], NONE)
        self.assertEqual(laid(run, 2).environment, run.environment)
        self.assertTrue(run.environment)


FACTORS_OF_SMALL = (1.0, 1.04, 0.96, 1.02, 0.99)


class SmallRuns:
    """Statistics of a long run, and of its small one, which depend on the layout."""

    def __init__(self, failing: int = -1) -> None:
        self.failing = failing

    def is_done(self, run: AnyRun) -> bool:
        return not (isinstance(run, Laid) and run.layout == self.failing)

    def statistics(self, run: AnyRun) -> dict:
        plain, layout = (run.run, run.layout) if isinstance(run, Laid) else (run, 0)
        if not plain.size:
            return {"ps": 1000, "count": 7, "loads": [0.5, 0.0], "result": {"sum": 3}, "name": "long", "only": 4}
        factor = FACTORS_OF_SMALL[layout]
        return {"ps": round(200 * factor), "count": 2, "loads": [0.1 * factor, 0.2 * layout],
                "result": {"sum": layout}, "name": "small"}  # fmt: skip

    def printed(self, run: AnyRun) -> str:
        return run.key


class Small(unittest.TestCase):
    """Long runs are made once; their intervals are those of small ones."""

    def run_of_kernel(self, copier: str = nemesys.NEMESYS) -> nemesys.Run:
        return nemesys.Run("bf", nemesys.SINGLE, copier)

    def test_a_long_run_is_made_once_and_its_small_one_in_each_layout(self):
        run = self.run_of_kernel()
        made = layouts.all_runs([run], 5)
        self.assertEqual(made, [run, *(laid(run.small, layout) for layout in range(5))])
        self.assertEqual(layouts.all_runs([run], 1), [run])
        words = run.small.words("m")
        self.assertEqual([one for one in words if one not in run.words("m")], ["--size", "8"])
        self.assertEqual(words[:2], ["--machine", "m"])

    def test_small_runs_take_a_part_of_the_time(self):
        runs = nemesys.Plan(list(nemesys.ITEMS), quick=False).runs()
        alone = sum(run.weight for run in layouts.all_runs(runs, 1))
        five = sum(run.weight for run in layouts.all_runs(runs, 5))
        self.assertLess(five, 1.9 * alone)
        self.assertEqual(len({run.key for run in layouts.all_runs(runs, 5)}), len(layouts.all_runs(runs, 5)))

    def test_every_timed_figure_of_the_paper_has_layouts_of_every_kernel(self):
        for name in ("figure 9", "figure 10", "figure 11", "figure 12", "figure 13", "table 6"):
            for run in nemesys.Plan([name], quick=False).runs():
                self.assertEqual(run.small is not None, run.copier != nemesys.BARE, run.key)

    def test_numbers_are_those_of_the_long_run_times_the_factor_of_a_layout(self):
        run, executor = self.run_of_kernel(), SmallRuns()
        found = [View(executor, layout, 5).statistics(run) for layout in range(5)]
        self.assertEqual([one["ps"] for one in found], [1000, 1040, 960, 1020, 990])
        self.assertEqual([one["count"] for one in found], [7] * 5)
        self.assertAlmostEqual(found[1]["loads"][0], 0.52)
        # A second load is 0 in the long run, the result depends on order, and a number is missing in the small one.
        self.assertEqual({(one["loads"][1], one["result"]["sum"], one["name"], one["only"]) for one in found},
                         {(0.0, 3, "long", 4)})  # fmt: skip
        self.assertEqual(View(executor, 0, 1).statistics(run), executor.statistics(run))
        self.assertEqual(View(executor, 3, 5).printed(run), run.key)

    def test_a_layout_that_failed_leaves_no_interval_that_is_too_small(self):
        run = self.run_of_kernel()
        self.assertTrue(View(SmallRuns(), 1, 5).is_done(run))
        self.assertFalse(View(SmallRuns(failing=3), 1, 5).is_done(run))
        self.assertTrue(View(SmallRuns(failing=3), 0, 1).is_done(run))

    def test_kernels_on_the_same_tiles(self):
        made = Together(["imsuite", "gap", "circustent"], quick=False).runs()
        for run in made:
            self.assertEqual(run.small is None, run.program.suite == "circustent")
            if run.small is not None:
                self.assertEqual((run.small.program.options, run.small.small), (run.program.options, None))
        every = layouts.all_runs(made, 5)
        self.assertEqual(len({run.key for run in every}), len(every))


def item(*values: float | None, name: str = "a") -> Item:
    rows = [[name, 4, value] for value in values]
    panel = Panel("p", "x", "y", {"s": [(i, value) for i, value in enumerate(values)]})
    return Item("figure 1", "t", ["what", "N", "cycles"], rows, ["first"], [panel])


class Merging(unittest.TestCase):
    def test_medians_and_intervals(self):
        found = merged([item(10.0, 7.0), item(30.0, 7.0), item(20.0, 7.0)])
        self.assertEqual(found.rows, [["a", 4, 20.0], ["a", 4, 7.0]])
        self.assertEqual([(one.low, one.high) for one in found.intervals[0][2:]], [(10, 30)])
        self.assertEqual(found.intervals[1], [None, None, None])
        self.assertEqual(found.panels[0].series, {"s": [(0, 20.0), (1, 7.0)]})
        self.assertEqual(found.panels[0].errors, {"s": [(10.0, 30.0), None]})
        self.assertEqual(found.layouts, 3)

    def test_counts_stay_whole(self):
        made = [dataclasses.replace(item(1.0), rows=[["a", count, 1.0]]) for count in (4, 5, 7)]
        self.assertEqual(merged(made).rows, [["a", 5, 1.0]])
        self.assertIsInstance(merged(made).rows[0][1], int)

    def test_a_layout_without_some_runs_is_left_out(self):
        found = merged([item(10.0), item(None), item(20.0)])
        self.assertEqual((found.rows, found.layouts), ([["a", 4, 15.0]], 2))
        self.assertIn("1 of 3 layouts", found.sentences[-1])

    def test_one_layout_is_as_it_is(self):
        self.assertEqual(merged([item(10.0)]), item(10.0))


class Whole(EndToEnd):
    def run_it(self, *words: str) -> tuple[int, str, Path]:
        return self.run_report(CNI, Varied, words)

    def test_a_report_of_five_layouts(self):
        code, printed, folder = self.run_it("--table", "1a", "--table", "1b", "--layouts", "5")
        self.assertEqual(code, 0, printed)
        self.assertEqual(sum(isinstance(run, Laid) for run in Varied.made), 4 * len(Varied.made) // 5)
        with (folder / "cni_checks.csv").open(encoding="utf-8") as stream:
            claims = {row["claim"]: row for row in csv.DictReader(stream)}
        # 200 cycles by the law, times the factors.
        self.assertEqual(claims["mr_queue_total_4"]["ours"], "202 cycles")
        self.assertEqual(claims["mr_queue_total_4"]["interval"], "198 to 206 cycles (5 layouts)")
        self.assertEqual(claims["counter_4"]["interval"].rpartition("(")[2], "4 layouts)")
        made = json.loads((folder / "cni_table_1a.json").read_text(encoding="utf-8"))
        row = next(row for row in made["rows"] if (row["lock"], row["CPUs"]) == ("mr-queue", 4))
        self.assertEqual((row["both"], row["both: low"], row["both: high"]), (202, 198, 206))
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("93.75 %", page)
        self.assertIn("202.0 [198, 206]", page)

    def test_where_the_numbers_come_from(self):
        _, _, folder = self.run_it("--table", "1b")
        for name in ("cni_table_1b.json", "cni_checks.json"):
            made = json.loads((folder / name).read_text(encoding="utf-8"))["provenance"]
            self.assertRegex(made["command"], "^tess reproduce cni .*--table 1b$")
            self.assertRegex(made["date"], r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC$")
            self.assertIn("processor", made["host"])
            self.assertIn("system", made["host"])
            self.assertTrue(made["installed"] or len(made["commit"]) == 40)


    def test_a_changed_tree_writes_nothing(self):
        refused = provenance.ChangedTree("3 files of /t are not those of commit 012")
        with mock.patch.object(provenance, "origin", side_effect=refused):
            code, printed, folder = self.run_it("--table", "1b")
        self.assertEqual(code, 2)
        self.assertIn("not those of commit 012", printed)
        self.assertEqual(list(folder.iterdir()), [])


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.git("init", "-q")
        (self.root / "docs" / "results").mkdir(parents=True)
        (self.root / "reference").mkdir()
        for name in ("main.cpp", "docs/results/old.json", "reference/fitted.csv"):
            (self.root / name).write_text("1", encoding="utf-8")
        self.git("add", "-A")
        self.git("-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "first")

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-C", str(self.root), *words], check=True)

    def origin(self, *, draft: bool = False, output: str = "out") -> provenance.Origin:
        return provenance.origin(self.root / output, draft=draft, root=self.root)

    def test_a_clean_tree_is_its_commit(self):
        made = self.origin()
        self.assertRegex(made.commit, "^[0-9a-f]{40}$")
        self.assertFalse(made.draft)
        self.assertEqual(str(made), made.commit)

    def test_a_changed_tree_is_refused_but_as_a_draft(self):
        for name in ("main.cpp", "added.cpp"):
            with self.subTest(name):
                (self.root / name).write_text("2", encoding="utf-8")
                with self.assertRaisesRegex(provenance.ChangedTree, rf"{name}.*--draft"):
                    self.origin()
                made = self.origin(draft=True)
                self.assertTrue(made.draft)
                self.assertIn(name, made.changed)
                self.assertIn("a draft", str(made))

    def test_what_the_command_writes_is_no_change(self):
        (self.root / "docs" / "results" / "old.json").write_text("2", encoding="utf-8")
        (self.root / "out").mkdir()
        (self.root / "out" / "report.html").write_text("2", encoding="utf-8")
        self.assertFalse(self.origin().draft)
        self.assertFalse(self.origin(output="elsewhere").draft)  # another report beside it
        (self.root / "folder").mkdir()
        (self.root / "folder" / "added.cpp").write_text("2", encoding="utf-8")
        with self.assertRaises(provenance.ChangedTree):
            self.origin()

    def test_a_tree_that_git_does_not_know_can_be_a_draft(self):
        folder = self.root / "out"
        with mock.patch.object(provenance, "git", side_effect=OSError("no git")):
            with self.assertRaisesRegex(provenance.ChangedTree, "no git.*--draft"):
                provenance.origin(folder, draft=False, root=self.root)
            self.assertTrue(provenance.origin(folder, draft=True, root=self.root).draft)

    def test_an_installed_package_has_a_version(self):
        package = self.root / "lib" / "python" / "tessera"
        self.assertIsNone(provenance.source_root(package))
        with mock.patch.object(provenance, "source_root", return_value=None):
            made = provenance.origin(self.root, draft=False)
        self.assertEqual((made.commit, made.draft), ("", False))
        self.assertIn(", installed", str(made))

    def test_a_build_names_its_source(self):
        package = self.root / "build" / "share" / "tessera" / "python" / "tessera"
        package.mkdir(parents=True)
        (package.parents[1] / "source.txt").write_text(f"{self.root}\n", encoding="utf-8")
        self.assertEqual(provenance.source_root(package), self.root)
        (self.root / ".git").rename(self.root / "elsewhere")
        self.assertIsNone(provenance.source_root(package))
        self.assertEqual(provenance.source_tree(package), self.root)


if __name__ == "__main__":
    unittest.main()
