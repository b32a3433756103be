"""rmem_test: the plan's runs are those that the figures need; figures and checks say what their numbers say; the whole
of it writes every file.

Method: a law replaces the machine: cycles = set-up + bytes / rate, by way, direction and number of peers.
"""

import dataclasses
import json
import unittest
from pathlib import Path

from tessera.papers.rmem import checks, figures
from tessera.papers.rmem.measures import Results
from tessera.papers.rmem.paper import RMEM
from tessera.papers.rmem.plan import DIRECTIONS, KIB, SYSTEMS, WAYS, Plan, Run
from tessera.reproduce.claims import Claims
from tessera.simulator import machines

from .end_to_end import EndToEnd, FakeRuns, measured, verdicts

ROOT = Path(__file__).resolve().parents[2]
BYTES_A_CYCLE = 3.5
SET_UP = {("rmem", "write"): 800, ("bare", "write"): 350, ("overlapped", "write"): 350}
SET_UP |= {("rmem", "read"): 650, ("bare", "read"): 780, ("overlapped", "read"): 500}
SET_UP |= {("four", "write"): 200, ("four", "read"): 150, ("unaligned", "write"): 5000, ("unaligned", "read"): 4000}


class FakeExecutor(FakeRuns):
    """Transfers of peers in turn."""

    set_up = SET_UP
    slower_by_peers = 0.0

    def printed(self, run: Run) -> str:
        each = self.set_up[run.way, run.direction] + run.size_bytes / BYTES_A_CYCLE
        each = round(each * (1 + self.slower_by_peers * (run.peers - 1)))
        lines = []
        for number in range(run.transfers):
            for peer in range(run.peers):
                begun = 1000 + (number * run.peers + peer) * each
                lines.append(f"{peer} {number} {begun} {begun + each}\n")
        return "".join(lines)


def results(executor: FakeExecutor | None = None, *, quick: bool = False) -> Results:
    plan = Plan(["figure 3", "figure 4"], quick=quick)
    machine = machines.described(ROOT / "machines", "mppa-256")
    return Results(plan, executor or FakeExecutor(), Claims(ROOT / "reference" / "rmem_claims.csv"), machine)


def changed(**values: object) -> FakeExecutor:
    executor = FakeExecutor()
    for name, value in values.items():
        setattr(executor, name, value)
    return executor


class Runs(unittest.TestCase):
    def test_a_figure_needs_its_runs_only(self):
        three = Plan(["figure 3"], quick=False).runs()
        self.assertEqual(len(three), 2 * 10 * 15)
        self.assertEqual({run.peers for run in three}, {1})
        four = Plan(["figure 4"], quick=False).runs()
        self.assertEqual({(run.size_bytes, run.peers) for run in four}, {(64 * KIB, n) for n in (1, 2, 4, 8, 16)})
        # One peer with 64 KiB is a point of both figures.
        self.assertEqual(len(Plan(["figure 3", "figure 4"], quick=False).runs()), len(three) + len(four) - 2 * 6)

    def test_the_order_is_random_and_the_same_again(self):
        first, again = (Plan(["figure 3"], quick=False).runs() for _ in range(2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, sorted(first))
        self.assertNotEqual([run.size_bytes for run in first], sorted(run.size_bytes for run in first))

    def test_runs_have_keys_of_their_own(self):
        runs = Plan(["figure 3", "figure 4"], quick=False).runs()
        self.assertEqual(len({run.key for run in runs}), len(runs))

    def test_the_words_of_a_run(self):
        words = Run("bare", "read", 1024, 4, 8, "polled").words("mppa-256")
        self.assertEqual(
            " ".join(words), "--machine mppa-256 --system polled --copies 20 mppa-rmem bare read 1024 4 8"
        )


class Figures(unittest.TestCase):
    def test_throughput_is_of_the_mean_transfer(self):
        cycles = 800 + round(128 * KIB / BYTES_A_CYCLE)
        self.assertAlmostEqual(results().throughput("rmem", "write", 128 * KIB), 128 * KIB * 400 / cycles, 2)

    def test_transfers_that_overlap_share_their_time(self):
        class Overlapping(FakeRuns):
            def printed(self, run: Run) -> str:
                return "".join(f"0 {i} {1000 + 100 * i} {2000 + 100 * i}\n" for i in range(run.transfers))

        found = results(Overlapping())
        self.assertEqual(found.cycles("rmem", "read", KIB), 1000)
        self.assertEqual(found.cycles("four", "read", KIB), (1000 + 700) / 8)

    def test_a_total_is_from_the_first_begin_to_the_last_end(self):
        one, all_peers = (results().total("rmem", "read", peers) for peers in (1, 16))
        self.assertAlmostEqual(one, all_peers)

    def test_missing_runs_have_no_results(self):
        run = Plan(["figure 3"], quick=False).of_size("rmem", "write", KIB)
        self.assertIsNone(results(changed(failing=run.key)).throughput("rmem", "write", KIB))
        self.assertIsNone(results(quick=True).throughput("rmem", "write", 2 * KIB))
        figures.figure3(results(changed(failing=run.key)))

    def test_every_point_has_a_row(self):
        item = figures.figure3(results())
        self.assertEqual(len(item.rows), 2 * 2 * 15)
        self.assertEqual([row[-1] for row in item.rows if row[:3] == ["kernel", "write", 128 * KIB]], ["0.91"])
        self.assertEqual(len(figures.figure4(results()).rows), 2 * 2 * 5)


class Checks(unittest.TestCase):
    def of(self, executor: FakeExecutor | None = None, *, quick: bool = False) -> dict[str, str]:
        return verdicts(checks.MEASURES, results(executor, quick=quick))

    def test_the_law_differs_from_the_paper_as_it_must(self):
        found = self.of()
        others = {name for name, verdict in found.items() if verdict not in ("met", "not reproduced", "fitted")}
        self.assertEqual(others, {"write_share", "flat_to", "write_linear", "read_gain", "read_peak", "read_top"})
        self.assertEqual(found["link_peak"], "fitted", "a link of the machine carries no more")
        self.assertEqual((found["write_share"], found["read_gain"], found["flat_to"]), ("better", "worse", "worse"))

    def test_values(self):
        of = results()
        full = 128 * KIB / BYTES_A_CYCLE
        share = measured(checks.MEASURES, of, "write_share").ours.median
        self.assertAlmostEqual(share, (350 + full) / (800 + full), 3)
        self.assertAlmostEqual(measured(checks.MEASURES, of, "read_peak").ours.median, 1)
        gain = (780 + 64 * KIB / BYTES_A_CYCLE) / (650 + 64 * KIB / BYTES_A_CYCLE)
        self.assertAlmostEqual(measured(checks.MEASURES, of, "read_gain").ours.median, gain, 3)
        self.assertEqual(measured(checks.MEASURES, of, "read_top").ours.median, 1024)

    def test_each_changes_with_what_it_measures(self):
        dear = SET_UP | {("rmem", "write"): 5000}
        self.assertEqual(self.of(changed(set_up=dear))["write_share"], "met")
        dear = SET_UP | {("rmem", "write"): 12_000}
        self.assertEqual(self.of(changed(set_up=dear))["write_share"], "worse")
        late = SET_UP | {("rmem", "read"): 1200}
        self.assertEqual(self.of(changed(set_up=late))["read_gain"], "reversed")
        wins = SET_UP | {("rmem", "read"): 160, ("bare", "read"): 26_600}
        self.assertEqual(self.of(changed(set_up=wins))["read_gain"], "met")
        late = SET_UP | {("rmem", "read"): 8000}
        self.assertEqual(self.of(changed(set_up=late))["read_after_least"], "worse")
        self.assertEqual(self.of(changed(slower_by_peers=0.01))["peers_write"], "worse")

        class Hidden(FakeExecutor):
            def printed(self, run: Run) -> str:  # two peers hide what RMem adds
                if run.peers == 2 and run.way == "rmem":
                    run = dataclasses.replace(run, way="bare")
                return super().printed(run)

        dear = SET_UP | {("rmem", "write"): 5000}
        self.assertEqual(self.of(changed(set_up=dear))["peers_gap_write"], "met")
        hidden = Hidden()
        hidden.set_up = dear
        self.assertEqual(self.of(hidden)["peers_gap_write"], "worse")
        fast = dict.fromkeys(SET_UP, -30_000)
        self.assertEqual(self.of(changed(set_up=fast))["link_peak"], "better")
        found = measured(checks.MEASURES, results(), "link_peak")
        of = results()
        every = [of.total(way, direction, count, system) for way in WAYS for direction in DIRECTIONS
                 for count in of.plan.peers for system in SYSTEMS]  # fmt: skip
        self.assertGreaterEqual(found.ours.median, max(every))

    def test_the_quick_form_is_not_judged(self):
        self.assertEqual(set(self.of(quick=True).values()), {"not run", "not reproduced", "fitted"})

    def test_nothing_is_met_without_runs(self):
        class Nothing(FakeExecutor):
            def is_done(self, _: Run) -> bool:
                return False

        found = self.of(Nothing())
        self.assertEqual(set(found.values()), {"not run", "not reproduced", "fitted"})
        self.assertEqual((found["write_share"], found["l1_bytes"]), ("not run", "fitted"))


class Whole(EndToEnd):
    def run_it(self, *words: str) -> tuple[int, str, Path]:
        return self.run_report(RMEM, FakeExecutor, words)

    def test_every_figure_is_written(self):
        code, printed, folder = self.run_it("--quick")
        self.assertEqual(code, 0, printed)
        page = (folder / "report.html").read_text(encoding="utf-8")
        for name in ("rmem_figure_3", "rmem_figure_4"):
            self.assertIn(f'id="{name}"', page)
            rows = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["rows"]
            lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), 1 + len(rows))

    def test_programs_to_be_built(self):
        self.assertEqual(self.run_it("--programs")[:2], (0, "mppa-rmem\n"))


if __name__ == "__main__":
    unittest.main()
