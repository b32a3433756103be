"""sensitivity_test: every fitted parameter is varied alone, on machines that exist, and the item says what that does.

Method: the runs of CNI with made-up cycles that depend on one parameter; machines are derived from the presets.
"""

import json
import tempfile
import unittest
from pathlib import Path

from tessera.papers.cni.paper import CNI
from tessera.reproduce import command, sensitivity
from tessera.reproduce.__main__ import PAPERS
from tessera.reproduce.claims import fitted
from tessera.reproduce.sensitivity import Varied
from tessera.simulator.execute import AnyRun
from tessera.simulator.machines import described

from .cni_test import FakeExecutor, Laws
from .end_to_end import REFERENCE, EndToEnd

MACHINES = REFERENCE.parent / "machines"


class Varying(FakeExecutor):
    """A remote store takes as many cycles more as the L2."""

    made: list[AnyRun]

    def execute(self, runs: list[AnyRun]) -> list[tuple[AnyRun, str]]:
        Varying.made = runs
        return []

    def printed(self, run: AnyRun) -> str:
        laws = Laws()
        if isinstance(run, Varied):
            if run.change[0] == "l2.hit_cycles":
                laws.one_way += int(run.change[1]) - 8
            run = run.run
        return "".join(json.dumps(line) + "\n" for line in laws.words_of(run))


class Runs(unittest.TestCase):
    def asked(self, name: str, *words: str) -> command.Request:
        options = ["--tess", "tess", "--reference", str(REFERENCE), "--layouts", "1", *words]
        return command.request(PAPERS[name], options)

    def test_each_parameter_has_two_other_values(self):
        for name in ("cni", "nemesys"):
            found = fitted(REFERENCE, name)
            self.assertEqual(len(sensitivity.changes(found)), 2 * len(found))
            for one in found:
                self.assertNotEqual(one.more, one.value, one.key)
                # A state cannot take less than one cycle.
                if (one.key, one.value) != ("nma.state_cycles", "1"):
                    self.assertEqual(len({one.less, one.value, one.more}), 3, one.key)

    def test_only_if_it_is_asked_for(self):
        for name in ("cni", "nemesys"):
            plain, more = self.asked(name).runs(), self.asked(name, "--sensitivity").runs()
            self.assertFalse(any(isinstance(run, Varied) for run in plain))
            self.assertTrue(any(isinstance(run, Varied) for run in more))
            self.assertEqual(len({run.key for run in more}), len(more))

    def test_a_parameter_of_a_unit_that_a_run_lacks_does_not_repeat_it(self):
        varied = [run for run in self.asked("nemesys", "--sensitivity").runs() if isinstance(run, Varied)]
        of_nma = {run.run.copier for run in varied if run.change[0].startswith("nma.") and run.run.is_kernel}
        of_caches = {run.run.copier for run in varied if run.change[0].startswith("l2.") and run.run.is_kernel}
        self.assertEqual(of_nma, {"nemesys"})
        self.assertEqual(of_caches, {"nemesys", "pegasus", "message_passing"})

    def test_all_kernels_but_bf_are_made_on_a_smaller_input_also_without_a_change(self):
        added = set(self.asked("nemesys", "--sensitivity").runs()) - set(self.asked("nemesys").runs())
        kernels = {(isinstance(run, Varied), getattr(run, "run", run)) for run in added
                   if getattr(run, "run", run).is_kernel}  # fmt: skip
        sizes = {(varied, run.program, run.size) for varied, run in kernels}
        self.assertEqual(sizes, {(False, "lcr", 16), (True, "lcr", 16), (True, "bf", 0)})

    def test_a_machine_has_one_other_value(self):
        run = next(run for run in self.asked("cni", "--sensitivity").runs() if isinstance(run, Varied))
        with tempfile.TemporaryDirectory() as folder:
            made = described(MACHINES, run.machine.argument(MACHINES, Path(folder)))
        preset = described(MACHINES, run.run.machine.preset)
        section, _, key = run.change[0].partition(".")
        self.assertEqual(str(made[section].pop(key)), run.change[1])
        preset[section].pop(key)
        self.assertEqual({**made, "name": "", "summary": ""}, {**preset, "name": "", "summary": ""})


class Whole(EndToEnd):
    def test_the_item_has_a_row_for_each_value(self):
        code, printed, folder = self.run_report(CNI, Varying, ("--table", "1a", "--sensitivity"))
        self.assertEqual(code, 0, printed)
        rows = json.loads((folder / "cni_sensitivity.json").read_text(encoding="utf-8"))["rows"]
        store = next(name for name in rows[0] if "one-way" in name)
        found = {(row["parameter"], row["value"]): row[store] for row in rows}
        shown = [found[one] for one in (("as it is", ""), ("l2.hit_cycles", "4"), ("l2.hit_cycles", "12"))]
        self.assertEqual(shown, [35, 31, 39])
        self.assertEqual(found["adapter.request_cycles", "7"], 35)
        self.assertEqual(len(rows), 1 + 2 * len(fitted(REFERENCE, "cni")))
        self.assertIn("11.4 %, by l2.hit_cycles", printed)


if __name__ == "__main__":
    unittest.main()
