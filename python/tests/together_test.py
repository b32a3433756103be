"""together_test: the plan has every row of every program, and switches off what a row says; measures, figures and
checks say what their numbers say; the whole of it writes every file.

Method: simple laws replace the programs and meet every check; then one law at a time is changed. What real programs
print is a kept sample.
"""

import itertools
import json
import unittest
from pathlib import Path

from tessera.papers.together import checks, figures
from tessera.papers.together.measures import ORDERED, Results, cycles_of, geometric_mean
from tessera.papers.together.paper import TOGETHER
from tessera.papers.together.plan import ALL, CIRCUS_KERNELS, MECHANISMS, NONE, ROWS, SUITES, Plan, Row, Run, but
from tessera.reproduce.claims import Claims

from .end_to_end import REFERENCE, EndToEnd, FakeRuns, measured, verdicts

CYCLE_PS = 20_000
SAMPLE = """RAND_ADD
Timing (secs)        : 0.001439
Giga AMOs/sec (GAMS) : 0.002490
operations: 0 local and 3584 remote words, 1976 bytes in blocks, 107 messages of 6864 bytes in all
verified: yes
STRIDE1_ADD
Timing (secs)        : 0.000796
Giga AMOs/sec (GAMS) : 0.002251
"""


class FakeExecutor(FakeRuns):
    """Each mechanism that is on divides the cycles by `gain` and counts work; results are the same."""

    cycles = 1 << 20
    gain = 2.0
    used = 7  # counted by each mechanism that is on
    leak = 0  # counted by each mechanism that is off
    words = 3  # of other places
    wrong = ""  # key of a run whose check fails
    other = ""  # key of a run with another result

    def of_kernel(self, run: Run) -> float:
        return self.cycles / self.gain ** len(run.row.on)

    def printed(self, run: Run) -> str:
        seconds = self.of_kernel(run) * CYCLE_PS / 1e12
        return "".join(f"{name}\nTiming (secs)        : {seconds:.9f}\n" for name in CIRCUS_KERNELS)

    def statistics(self, run: Run) -> dict:
        on = {one: self.used if one in run.row.on else self.leak for one in MECHANISMS}
        result = {"verified": run.key != self.wrong, "sum": 5 if run.key == self.other else 4}
        if run.program.suite == "circustent":  # with tasks, sums depend on order
            result |= {name: len(run.row.on) if "tasks" in run.row.on else 9 for name in ORDERED}
        requests = on["rae"] + (self.used if "cni" in run.row.on else 0)
        tile = {"cni_commands": on["cni"], "cni_events": 0, "cni_copied_bytes": 64 * on["cni"],
                "rae_requests": requests}  # fmt: skip
        return {
            "cycles": 10 * self.cycles,
            "simulated_ps": 10 * self.cycles * CYCLE_PS,
            "measured": {"marked": True, "simulated_ps": self.of_kernel(run) * CYCLE_PS},
            "memories": [{"nma_requests": on["nemesys"], "nma_bytes": 640 * on["nemesys"]}],
            "tiles": [tile, tile],
            "instructions": 1000,
            "runtime": {"result": result, "counters": {"words_remote": self.words, "messages": 5}},
        }


def results(*, suites: tuple[str, ...] = SUITES, quick: bool = True, failing: str = "", **laws: object) -> Results:
    executor = FakeExecutor()
    executor.failing = failing
    for name, value in laws.items():
        setattr(executor, name, value)
    return Results(Plan(list(suites), quick=quick), executor, Claims(REFERENCE / "together_claims.csv"))


class Runs(unittest.TestCase):
    def test_every_program_in_every_row(self):
        plan = Plan(list(SUITES), quick=False)
        runs = plan.runs()
        self.assertEqual(len(runs), (12 + 6 + 1) * 10)
        self.assertEqual(len({run.key for run in runs}), len(runs))
        self.assertEqual(len(set(ROWS)), 2 + 2 * len(MECHANISMS))
        self.assertEqual([len(plan.labels(suite)) for suite in SUITES], [12, 6, 16])

    def test_names_of_rows(self):
        self.assertEqual([row.name for row in ROWS],
                         ["none", "NEMESYS", "CNI", "RAE", "tasks", "all but NEMESYS", "all but CNI", "all but RAE",
                          "all but tasks", "all"])  # fmt: skip
        self.assertEqual(but("cni").on, ("nemesys", "rae", "tasks"))

    def test_a_row_switches_exactly_what_it_says(self):
        for suite in SUITES:
            program = Plan([suite], quick=True).programs_of(suite)[0]

            def command_of(row: Row, program=program) -> tuple[str, dict[str, str]]:
                run = Run(program, row)
                return " ".join(run.words("tessera-4x4")), run.environment

            for mechanism, (words, environment) in itertools.product(MECHANISMS, [command_of(NONE)]):
                one, other = command_of(Row((mechanism,)))
                self.assertEqual(mechanism == "nemesys", "--copier message_passing" not in one)
                self.assertEqual(mechanism == "tasks", "--overlap-calls 0" not in one)
                self.assertEqual(mechanism == "cni", other["TESS_INTERFACES"] == "1")
                self.assertEqual(mechanism == "rae", other["TESS_WORDS"] == "instructions")
                self.assertNotEqual((words, environment), (one, other))

    def test_the_words_of_a_run(self):
        programs = {one.name: one for suite in SUITES for one in Plan([suite], quick=False).programs_of(suite)}
        waiting = "--machine m --copier message_passing --overlap-calls 0"
        for name, words in {
            "sssp": "sssp kron:12,8 --form words --each-awaited",
            "components": "components kron:12,8",
            "circustent": "--workers 1 circustent -a -m 65536 -i 512 -s 9 --tasks 1",
        }.items():
            self.assertEqual(" ".join(Run(programs[name], NONE).words("m")), f"{waiting} {words}")
        self.assertEqual(" ".join(Run(programs["imsuite-bf"], ALL).words("m")), "--machine m imsuite-bf --size 16")


class Measures(unittest.TestCase):
    def test_what_circustent_printed(self):
        statistics = {"cycles": 50, "simulated_ps": 50 * CYCLE_PS}
        found = cycles_of("circustent", "circustent", statistics, SAMPLE)
        self.assertEqual({name: round(value) for name, value in found.items()},
                         {"RAND_ADD": 71_950, "STRIDE1_ADD": 39_800})  # fmt: skip

    def test_without_a_mark_there_are_no_cycles(self):
        statistics = {"cycles": 5, "simulated_ps": 100, "measured": {"marked": False, "simulated_ps": 100}}
        self.assertEqual(cycles_of("bfs", "bfs", statistics, ""), {})
        statistics["measured"]["marked"] = True
        self.assertEqual(cycles_of("bfs", "bfs", statistics, ""), {"bfs": 5})

    def test_means_and_ratios(self):
        found = results()
        self.assertAlmostEqual(geometric_mean([1, 4]), 2)
        for suite in SUITES:
            self.assertAlmostEqual(found.mean(suite, ALL), 1 / 16, places=5)
            self.assertAlmostEqual(found.mean(suite, ALL, but("rae")), 1 / 2, places=5)
            self.assertEqual(found.mean(suite, NONE), 1)

    def test_counts_add_up(self):
        counts = results().counts("gap", ALL)
        self.assertEqual((counts.graphs, counts.commands, counts.requests), (6 * 7, 6 * 14, 6 * 28))
        self.assertEqual(results().counts("gap", NONE).copied_bytes, 0)

    def test_failed_runs_have_no_results(self):
        for run in Plan(list(SUITES), quick=True).runs():
            found = results(failing=run.key)
            self.assertIsNone(found.mean(run.program.suite, run.row), run.key)
            self.assertIsNone(found.counts(run.program.suite, run.row))
            for make in figures.MAKERS.values():
                make(found)
            verdict = verdicts(checks.MEASURES, found)
            self.assertEqual(verdict["verified"], "not run")
            switches = [f"{how}_{one}" for one in ("nemesys", "cni", "rae") for how in ("on", "off")]
            self.assertIn("not run", [verdict[name] for name in switches])


class Items(unittest.TestCase):
    def test_every_row_is_as_wide_as_the_head(self):
        rows = {}
        for make in figures.MAKERS.values():
            item = make(results())
            self.assertEqual({len(row) for row in item.rows}, {len(item.columns)}, item.name)
            rows[item.name] = len(item.rows)
        self.assertEqual(rows, {"means": 10, "imsuite": 10, "gap": 10, "circustent": 10, "counts": 30})

    def test_first_and_last(self):
        self.assertIn("RAE -50.0 % and -50.0 %", " ".join(figures.means(results()).sentences))

    def test_unused_mechanisms_are_reported(self):
        item = figures.counts(results(suites=("gap",), used=0, words=0))
        self.assertIn("GAP: NEMESYS, CNI, RAE not used.", item.sentences)
        self.assertIn("GAP: none not used.", figures.counts(results(suites=("gap",))).sentences)


class Checks(unittest.TestCase):
    def of(self, **laws: object) -> dict[str, str]:
        return verdicts(checks.MEASURES, results(**laws))

    def test_the_laws_meet_all(self):
        self.assertEqual(set(self.of(quick=False).values()), {"met", "fitted"})

    def test_the_quick_form_judges_results_only(self):
        found = self.of()
        self.assertEqual({found[name] for name in ("verified", "same", "off_cni")}, {"met"})
        self.assertEqual(found["on_cni"], "fitted")  # one-sided
        self.assertEqual({found[f"all_{suite}"] for suite in SUITES}, {"not run"})

    def test_a_wrong_result(self):
        key = Plan(["gap"], quick=True).runs()[3].key
        check = measured(checks.MEASURES, results(wrong=key), "verified")
        self.assertEqual(check.verdict.value, "worse")
        self.assertIn(key, check.note)

    def test_another_result(self):
        key = Plan(["gap"], quick=True).runs()[3].key
        check = measured(checks.MEASURES, results(other=key), "same")
        self.assertEqual(check.verdict.value, "worse")
        self.assertIn("sum", check.note)

    def test_a_mechanism_that_is_off_and_counts(self):
        for one in ("nemesys", "cni", "rae"):
            self.assertEqual(self.of(leak=1)[f"off_{one}"], "worse")
            self.assertEqual(self.of(used=0)[f"on_{one}"], "worse")

    def test_a_part_of_the_suites_may_have_no_use_for_one(self):
        for one in ("nemesys", "cni", "rae"):
            self.assertEqual(self.of(suites=("gap",), used=0)[f"on_{one}"], "not run")
            self.assertEqual(self.of(suites=("gap",), used=0, leak=1)[f"off_{one}"], "worse")

    def test_all_on_is_a_loss(self):
        found = self.of(gain=0.9, quick=False)
        self.assertEqual((found["all_gap"], found["best_gap"], found["all_imsuite"]), ("reversed",) * 3)


class Whole(EndToEnd):
    def run_it(self, *words: str) -> tuple[int, str, Path]:
        return self.run_report(TOGETHER, FakeExecutor, words)

    def test_every_item_is_written(self):
        code, printed, folder = self.run_it("--quick")
        self.assertEqual(code, 0, printed)
        page = (folder / "report.html").read_text(encoding="utf-8")
        for item in ("means", *SUITES, "counts"):
            self.assertIn(f'id="together_{item}"', page)
            rows = json.loads((folder / f"together_{item}.json").read_text(encoding="utf-8"))["rows"]
            lines = (folder / f"together_{item}.csv").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), 1 + len(rows))

    def test_only_what_was_named(self):
        code, printed, folder = self.run_it("--suite", "circustent")
        self.assertEqual(code, 0, printed)
        self.assertEqual(sorted(file.stem for file in folder.glob("*.csv")),
                         ["together_checks", "together_circustent", "together_counts", "together_means"])  # fmt: skip

    def test_programs_to_be_built(self):
        self.assertEqual(self.run_it("--programs", "--suite", "circustent")[:2], (0, "circustent\n"))
        self.assertEqual(len(self.run_it("--programs")[1].split()), 19)


if __name__ == "__main__":
    unittest.main()
