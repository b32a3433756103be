"""nemesys_test: the plan's runs are those that the paper's items need; execution resumes, reports, and stops.

Method: instead of `tess` a script that writes statistics, fails or sleeps, as the kernel's name says.
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from nemesys import execute, plan  # noqa: E402

FAKE_TESS = """#!/bin/sh
# tess run --stats FILE ... PROGRAM
case "$*" in
*imsuite-dr*) echo "no memory"; exit 1 ;;
*imsuite-vc*) exit 0 ;;
esac
echo "$@" >> "$(dirname "$3")/calls"
echo '{"cycles": 7}' > "$3"
"""


class Plan(unittest.TestCase):
    def test_items_share_their_runs(self):
        nine = plan.plan(["figure 9"], quick=False)
        self.assertEqual(len(nine), 12 * 2 * 4)
        self.assertEqual(plan.plan(["figure 9", "figure 10", "table 6", "table 5"], quick=False), nine)

    def test_the_longest_come_first(self):
        weights = [run.weight for run in plan.plan(list(plan.ITEMS), quick=False)]
        self.assertEqual(weights, sorted(weights, reverse=True))

    def test_the_quick_form_has_a_small_run_for_every_item(self):
        for item in plan.ITEMS:
            runs = plan.plan([item], quick=True)
            self.assertTrue(runs, item)
            self.assertEqual({(run.kernel, run.size) for run in runs}, {(plan.QUICK_KERNEL, plan.QUICK_SIZE)})

    def test_keys_name_runs(self):
        runs = plan.plan(list(plan.ITEMS), quick=False)
        self.assertEqual(len({run.key for run in runs}), len(runs))


class Execute(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        tess = self.folder / "tess"
        tess.write_text(FAKE_TESS, encoding="utf-8")
        tess.chmod(0o755)
        self.executor = execute.Executor(str(tess), self.folder / "runs", 2)

    def calls(self) -> int:
        return len((self.folder / "runs" / "calls").read_text(encoding="utf-8").splitlines())

    def test_what_is_done_is_not_repeated(self):
        runs = [plan.Run(kernel, plan.SINGLE, plan.PEGASUS) for kernel in ("bf", "dst", "by")]
        self.assertEqual(self.executor.execute(runs[:2]), [])
        self.assertEqual(self.executor.execute(runs), [])
        self.assertEqual(self.calls(), 3)
        self.assertEqual(self.executor.statistics(runs[0]), {"cycles": 7})

    def test_another_command_is_another_run(self):
        run = plan.Run("bf", plan.SINGLE, plan.PEGASUS)
        self.executor.execute([run])
        (self.folder / "runs" / f"{run.key}.done").write_text(json.dumps(["tess", "run"]), encoding="utf-8")
        self.executor.execute([run])
        self.assertEqual(self.calls(), 2)

    def test_failures_are_told_and_tried_again(self):
        runs = [plan.Run(kernel, plan.TWIN, plan.NEMESYS) for kernel in ("bf", "dr", "vc")]
        for _ in range(2):
            failed = dict(self.executor.execute(runs))
            self.assertEqual({run.kernel for run in failed}, {"dr", "vc"})
            self.assertIn("exit code 1", failed[runs[1]])
            self.assertIn("no statistics", failed[runs[2]])

    def test_the_forecast_follows_the_weights(self):
        runs = plan.plan(["figure 13"], quick=False)
        forecast = execute.Forecast(runs, 2)
        self.assertIn("not yet known", forecast.words())
        total = sum(run.weight for run in runs)
        forecast.took(runs[0], 6000 * runs[0].weight / total)
        left = 6000 * (1 - runs[0].weight / total) / 2 / 60
        self.assertEqual(forecast.words(), f"{round(left)} min left")


if __name__ == "__main__":
    unittest.main()
