"""softxmt_test: the run's command; figures and claims say what the points say; the whole of it writes every file.

Method: a law replaces the processor: a core has so many references under way, each of which takes a latency.
"""

import unittest
from pathlib import Path

from tessera.papers.softxmt import checks, figures
from tessera.papers.softxmt.measures import Results
from tessera.papers.softxmt.paper import SOFTXMT
from tessera.papers.softxmt.plan import ITEMS, Plan, Run
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor

from .end_to_end import REFERENCE, EndToEnd, FakeRuns, measured, verdicts

LISTS = (1, 2, 4, 8, 10, 16, 32)
TASKS = (1, 4, 8, 10, 64, 1024)
DELAYED = (2, 106, 188, 1024)


class FakeExecutor(FakeRuns):
    """Rates by simple laws."""

    buffers, latency_us = 10, 0.095
    tasks_loss = 1.0  # factor of the rate by tasks
    late = 1.0  # factor of the rate under the delay
    updates_loss = 0.0  # for each update

    def loop(self, n: float) -> float:
        return min(n, self.buffers) / self.latency_us

    def statistics(self, _: Run) -> dict:
        points = [("lists", "loop", n, self.loop(n)) for n in LISTS]
        decline = {n: 0.9 if n > 10 else 1.0 for n in TASKS}
        points += [("tasks", "tasks", n, self.tasks_loss * decline[n] * self.loop(n)) for n in TASKS]
        points += [("delay", "tasks", n, self.late * min(n / 3, 57.6)) for n in DELAYED]
        for tasks in (8, 48):
            for count in (0, 2, 4, 8):
                rate = 100 * (1 - count * self.updates_loss)
                points += [("cache", f"{tasks} tasks, {count} updates", size, rate) for size in (64, 32768)]
        return {"points": [dict(zip(("figure", "series", "x", "rate"), one, strict=True)) for one in points]}


def results(*, quick: bool = False, **laws: float) -> Results:
    executor = FakeExecutor()
    for name, value in laws.items():
        setattr(executor, name, value)
    claims = Claims(REFERENCE / "softxmt_claims.csv")
    return Results(Plan(list(ITEMS), quick=quick, delay_us=3.0), executor, claims)


class Runs(unittest.TestCase):
    def test_all_figures_need_the_same_run(self):
        self.assertEqual(len(Plan(list(ITEMS), quick=False, delay_us=3.0).runs()), 1)

    def test_the_words_of_the_run(self):
        executor = Executor(Path("/t/bin/tess"), Path("/o"), 1)
        command = executor.command(Plan(["lists"], quick=True, delay_us=3.0).run())
        program = "/t/libexec/tessera/reproduce/softxmt"
        self.assertEqual(" ".join(command), f"{program} --output /o/softxmt_quick.json --delay-us 3 --quick")

    def test_repetitions_do_not_disturb_each_other(self):
        self.assertEqual(SOFTXMT.jobs_most, 1)


class Items(unittest.TestCase):
    def test_every_point_has_a_row(self):
        rows = {name: len(figures.MAKERS[name](results()).rows) for name in ITEMS}
        self.assertEqual(rows, {"lists": len(LISTS), "tasks": len(TASKS), "delay": len(DELAYED), "cache": 16})

    def test_tasks_with_private_sets_have_a_panel_each(self):
        panels = figures.MAKERS["cache"](results()).panels
        self.assertEqual([panel.title for panel in panels], ["8 tasks", "48 tasks"])
        self.assertEqual(list(panels[0].series), ["0 updates", "2 updates", "4 updates", "8 updates"])


class Checks(unittest.TestCase):
    def of(self, **laws: float) -> dict[str, str]:
        return verdicts(checks.MEASURES, results(**laws))

    def test_the_law_meets_all(self):
        self.assertEqual({one for one in self.of().values() if one != "not reproduced"}, {"met"})
        self.assertEqual(measured(checks.MEASURES, results(), "core_references").ours.median, 10)

    def test_each_changes_with_what_it_measures(self):
        changes = {
            "core_best": ("worse", {"latency_us": 0.2}),
            "tasks_over_loop": ("worse", {"tasks_loss": 0.5}),
            "core_references": ("worse", {"buffers": 32}),
            "tasks_decline": ("reversed", {"buffers": 32}),
            "delay_share": ("worse", {"late": 0.5}),
            "delay_best": ("worse", {"late": 0.5}),
            "cache_two": ("worse", {"updates_loss": 0.15}),
            "cache_small": ("worse", {"updates_loss": 0.1}),
            "cache_eight": ("worse", {"updates_loss": 0.1}),
        }
        for name, (verdict, change) in changes.items():
            with self.subTest(claim=name):
                self.assertEqual(self.of(**change)[name], verdict)

    def test_the_quick_form_is_not_judged(self):
        self.assertEqual(set(self.of(quick=True).values()), {"not run", "not reproduced"})


class Whole(EndToEnd):
    def test_every_figure_is_written(self):
        code, printed, folder = self.run_report(SOFTXMT, FakeExecutor, ())
        self.assertEqual(code, 0, printed)
        page = (folder / "report.html").read_text(encoding="utf-8")
        for name in ITEMS:
            self.assertIn(f'id="softxmt_{name}"', page)
            self.assertTrue((folder / f"softxmt_{name}.csv").is_file())
        self.assertIn("360 M/s", page)
        self.assertIn("175 M/s", page)


if __name__ == "__main__":
    unittest.main()
