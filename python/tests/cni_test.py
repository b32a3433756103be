"""cni_test: the plan's runs are those that the tables and figures need; measures, figures and checks say what their
numbers say; the whole of it writes every file.

Method: simple laws replace the programs and meet every check; then one law at a time is changed.
"""

import argparse
import json
import tempfile
import tomllib
import unittest
from pathlib import Path

from tessera.papers.cni import area, checks, figures
from tessera.papers.cni.measures import Results, saved
from tessera.papers.cni.paper import CNI, rounds_of
from tessera.papers.cni.plan import INTERLEAVED, ITEMS, MORE, MORE_ROUNDS, SWEEP, SWEEP_COUNTS, Plan, Run
from tessera.reproduce.claims import Claims
from tessera.reproduce.hardware import AreaRun
from tessera.simulator import machines

from .end_to_end import EndToEnd, FakeRuns, circuits, measured, verdicts

ROOT = Path(__file__).resolve().parents[2]
KIB = 1024


class Laws:
    """Cycles of all operations, as simple laws."""

    one_way = 35
    queue_total, queue_software = 50, 28  # per core
    box_total = 60
    counter_base, counter_level, counter_software = 60, 30, 34  # per level of four
    mutex_total = 150  # per core
    mcs, tree_level = 190, 120
    set_up = {"rdma": 400, "stores": 10}
    rate = {"rdma": 8.0, "stores": 1.2}  # bytes per cycle
    computing = {"bitonic": 1.0, "fft": 6.0}  # per element and stage
    # What circuits add to the command buffers: about in the paper's proportions.
    area = {"CNI: responses, and counters": 2000, "CNI: responses, and single-reader queues": 1600,
            "CNI: responses, and multiple-reader queues": 2250, "CNI: combining buffer": 3500,
            "CNI: region table": 700}  # fmt: skip
    shifter, jobs = 1400, 200
    together = {2: 1.08, 4: 1.35}  # factor of computing on several cores

    def areas(self) -> list[dict]:
        small = {area.ALONE: (100, 50), area.BARELY: (40, 10), "CNI: alignment of data": (40 + self.shifter, 10)}
        small |= {"CNI: list of jobs": (self.jobs, 0), "CNI: copies in packets": (200, 100)}
        small["CNI: acknowledgements"] = (200, 100)
        added = {name: (100 + cells, 50) if "and" in name else (cells, 0) for name, cells in self.area.items()}
        return circuits(small | added)

    def words_of(self, run: Run) -> list[dict]:
        words = {"cores": run.copies}
        law = {"cni-latency": self.latency, "cni-locks": self.locks, "cni-barriers": self.barriers,
               "cni-triad": self.triad, "cni-bitonic": self.blocks, "cni-fft": self.blocks,
               "dir-mcs": self.locks, "dir-tree": self.barriers}[run.program]  # fmt: skip
        return [words | line for line in law(run)]

    def latency(self, run: Run) -> list[dict]:
        times = int(run.arguments[0])
        return [{"times": times, "least": self.one_way, "sum": times * (self.one_way + 2)}]

    def locks(self, run: Run) -> list[dict]:
        rounds = int(run.arguments[-1])
        laws = {"mr-queue": self.queue_total, "called": self.queue_total, "lock-box": self.box_total,
                "called-box": self.box_total}  # fmt: skip
        each = laws.get(run.arguments[0], self.mcs) * run.copies
        line = {"rounds": rounds, "begin": 100, "end": 100 + rounds * each, "acquiring": rounds * (each - 20)}
        return [line | {"core": i, "releasing": rounds * 20, "software": rounds * self.queue_software}
                for i in range(run.copies)]  # fmt: skip

    def barriers(self, run: Run) -> list[dict]:
        rounds = int(run.arguments[-1])
        levels = run.copies.bit_length() - 1
        counter = self.counter_base + self.counter_level * levels
        each = {"counter": counter, "called": counter + 20, "mutex": self.mutex_total * run.copies}
        cycles = each.get(run.arguments[0], self.tree_level * levels + levels * levels * 20)
        return [{"core": i, "rounds": rounds, "begin": 7, "end": 7 + rounds * cycles,
                 "software": rounds * self.counter_software} for i in range(run.copies)]  # fmt: skip

    def triad(self, run: Run) -> list[dict]:
        place, transport = run.arguments[:2]
        workers = run.copies - (place == "chip")
        lines = []
        for buffers in (1, 2, 3, 4):
            for size in (64, 256, KIB, 2 * KIB):
                latency = {"rdma": 2400, "stores": 60}[transport] / buffers
                cycles = max(latency + size / 8, 3 * size * workers / self.rate[transport])
                moved = 300 * size
                lines += [{"core": i, "workers": workers, "buffers": buffers, "bytes": size, "moved": moved,
                           "begin": 50, "end": 50 + round(cycles * 100)} for i in range(workers)]  # fmt: skip
        return lines

    def blocks(self, run: Run) -> list[dict]:
        transport, least, most, rounds = run.arguments
        n = int(least)
        lines = []
        while n <= int(most):
            stages = n.bit_length()
            own = self.computing[run.program[4:]] * n * stages / run.copies * self.together.get(run.copies, 1)
            swaps = (run.copies > 1) * (1 if run.copies == 2 else 3)
            sending = swaps * (self.set_up[transport] / 20 + (n / run.copies if transport == "stores" else 0))
            waiting = swaps * (self.set_up[transport] / 8 + n / run.copies / 2)
            for begin in range(int(rounds)):
                for core in range(run.copies):
                    line = {"core": core, "n": n, "begin": 1000 * begin, "sending": round(sending)}
                    end = line["begin"] + round(own) + round(sending) + round(waiting)
                    lines.append(line | {"end": end, "waiting": round(waiting)})
            n *= 2
        return lines


class FakeExecutor(FakeRuns):
    """Output of runs by the laws."""

    laws = Laws()

    def printed(self, run: Run) -> str:
        return "".join(json.dumps(line) + "\n" for line in self.laws.words_of(run))

    def statistics(self, run: Run | AreaRun) -> dict | list[dict]:
        if isinstance(run, AreaRun):
            return self.laws.areas()
        return {"energy": {"pj": 2_000_000 * run.copies}}


def results(*, quick: bool = False, items: tuple[str, ...] = ITEMS, failing: str = "", **laws: object) -> Results:
    executor = FakeExecutor()
    executor.failing = failing
    executor.laws = Laws()
    for name, value in laws.items():
        setattr(executor.laws, name, value)
    return Results(Plan(list(items), quick=quick), executor, Claims(ROOT / "reference" / "cni_claims.csv"))


class Runs(unittest.TestCase):
    def test_an_item_needs_its_runs_only(self):
        table = Plan(["table 1a"], quick=False).runs()
        self.assertEqual({run.program for run in table}, {"cni-latency", "cni-locks"})
        self.assertEqual(len(table), 1 + 4 * 3)
        self.assertEqual(len(Plan(["figure 8"], quick=False).runs()), 10 + 6)
        # A run on one core is the same for both transports.
        self.assertEqual(len(Plan(["figure 9"], quick=False).runs()), 5)
        eleven = Plan(["figure 11a"], quick=False).runs()
        coherent = [run for run in eleven if run.program == "dir-mcs"]
        self.assertEqual({run.machine.name for run in coherent if not run.machine.changes},
                         {"dir-16", "dir-32", "dir-64", "dir-128"})  # fmt: skip
        changed = {(run.machine.preset, run.machine.changes): run.machine for run in coherent if run.machine.changes}
        self.assertEqual(len(changed), 2 * 4)
        for (_, changes), machine in changed.items():
            with tempfile.TemporaryDirectory() as folder:
                made = machines.described(ROOT / "machines", machine.argument(ROOT / "machines", Path(folder)))
            words = ["forwarding", "interleaved"] if changes == INTERLEAVED else ["blocking", "memory"]
            coherence = made["coherence"]
            self.assertEqual([coherence["protocol"], coherence["homes"]], words)
        self.assertEqual({run.copies for run in eleven}, {4, 16, 32, 64, 128})

    def test_figure_11_has_the_energy_of_each_run(self):
        item = figures.figure11b(results(items=("figure 11b",)))
        self.assertEqual(len(item.columns), len(item.rows[0]))
        self.assertEqual([name for name in item.columns if "µJ" in name][0], "counter µJ of the run")
        for cores, *cells in item.rows:
            self.assertEqual(cells[-4:], [2.0 * cores] * 4)

    def test_rounds_of_figure_11_are_chosen(self):
        few, many = (Plan(["figure 11b"], quick=False, rounds=rounds_of(word)) for word in ("7", "paper"))
        self.assertEqual([few.tree(16).arguments, few.mcs(16).arguments], [("7",), ("7",)])
        self.assertEqual([many.tree(16).arguments, many.mcs(16).arguments], [("10000",), ("1000",)])
        self.assertEqual(many.counter(128).arguments, ("counter", "10000"))
        self.assertEqual(many.barrier("counter", 4), Plan([], quick=False).barrier("counter", 4))
        for wrong in ("0", "-1", "all", "2000000"):
            with self.assertRaisesRegex(argparse.ArgumentTypeError, "expected 1 to 1048576, or paper"):
                rounds_of(wrong)

    def test_runs_have_keys_of_their_own(self):
        runs = Plan(list(ITEMS), quick=False).runs()
        self.assertEqual(len({run.key for run in runs}), len(runs))

    def test_the_words_of_a_run(self):
        words = Plan(["figure 9"], quick=False).blocks("bitonic", "stores", 4).words("cni-4")
        self.assertEqual(" ".join(words), "--machine cni-4 --copies 4 cni-bitonic stores 4 8192 1")


class Measures(unittest.TestCase):
    def test_a_lock_is_a_core_s_and_a_round_is_of_all(self):
        of = results()
        self.assertEqual(of.lock(of.plan.lock("mr-queue", 4)).total, 200)
        self.assertEqual(of.lock(of.plan.lock("mr-queue", 4)).acquire, 180)
        self.assertEqual(of.round_cycles(of.plan.counter(16)), 60 + 4 * 30)

    def test_bandwidth_is_of_all_workers(self):
        found = results().bandwidths("chip", "rdma", 3)
        self.assertAlmostEqual(found[4, KIB], 8, 2)
        self.assertAlmostEqual(found[1, KIB], 3 * 3 * KIB / 2528, 2)

    def test_the_parts_of_a_run_are_all_of_it(self):
        found = results().blocks("bitonic", "rdma", 4, 64)
        self.assertAlmostEqual(found.computing + found.sending + found.waiting, found.total)
        self.assertEqual(found.computing, round(64 * 7 / 4 * 1.35))

    def test_a_round_lasts_until_the_slowest_has_ended(self):
        class Uneven(Laws):
            def blocks(self, run: Run) -> list[dict]:
                return [line | {"end": line["end"] + 10 * line["core"]} for line in super().blocks(run)]

        of = results()
        of.executor.laws = Uneven()
        self.assertEqual(of.blocks("fft", "rdma", 4, 64).total, results().blocks("fft", "rdma", 4, 64).total + 30)

    def test_unplanned_and_failed_runs_have_no_results(self):
        self.assertIsNone(results(items=("figure 8",)).store_one_way())
        run = Plan(["table 1b"], quick=False).barrier("counter", 4)
        of = results(failing=run.key)
        self.assertIsNone(of.round_cycles(run))
        for item in ITEMS:
            figures.MAKERS[item](of)


class Items(unittest.TestCase):
    def test_every_point_has_a_row(self):
        of = results()
        rows = {item: len(figures.MAKERS[item](of).rows) for item in ITEMS}
        self.assertEqual(rows["table 1a"], 12)
        self.assertEqual(rows["figure 8"], (10 + 6) * 16)
        self.assertEqual(rows["table 1b"], 9)
        self.assertEqual(rows["figure 9"], 12 * 5)
        self.assertEqual(rows["figure 10"], 8 * 5)
        self.assertEqual(rows["figure 11b"], 5)
        self.assertEqual(rows[MORE], 2 * sum(len(of) for of in MORE_ROUNDS.values()))

    def test_more_rounds_are_compared_with_the_fewest(self):
        class Warming(Laws):
            """The first rounds of a run take longer."""

            def barriers(self, run: Run) -> list[dict]:
                return [line | {"end": line["end"] + 640} for line in super().barriers(run)]

        of = results(items=(MORE,))
        of.executor.laws = Warming()
        item = figures.MAKERS[MORE](of)
        trees = [row for row in item.rows if row[1] == "tree"]
        self.assertEqual([row[2] for row in trees], [64, 256, 1000, 10_000])
        self.assertEqual(trees[0][4], 1)
        self.assertAlmostEqual(trees[3][4], trees[3][3] / trees[0][3], 2)
        self.assertLess(trees[3][4], trees[2][4])

    def test_the_sweep_goes_on_where_figure_11_ends_with_fewer_rounds(self):
        of = results(items=(SWEEP,))
        self.assertEqual([row[:2] for row in figures.MAKERS[SWEEP](of).rows],
                         [[what, count] for what in ("lock", "barrier") for count in SWEEP_COUNTS])  # fmt: skip
        self.assertEqual(of.plan.mcs(128), Plan(["figure 11a"], quick=False).mcs(128))
        largest = of.plan.mr_queue(1024)
        self.assertEqual((largest.machine.name, largest.arguments), ("cni-1024", ("mr-queue", "2")))
        self.assertEqual(of.plan.tree(256).machine.name, "dir-256")
        self.assertEqual(of.round_cycles(largest), 1024 * Laws.queue_total)

    def test_the_hardware_maximum_is_that_of_the_machine(self):
        machine = tomllib.loads((ROOT / "machines" / "cni-4.toml").read_text(encoding="utf-8"))
        clocks = machine["clocks"]
        port = machine["memory"]["port_bytes"] * clocks["memory_mhz"] / clocks["tile_mhz"]
        self.assertEqual((machine["tile"]["bus_bytes"], port), (figures.HARDWARE_MOST, figures.HARDWARE_MOST))
        line, header, link = machine["l2"]["line_bytes"], machine["adapter"]["header_bytes"], machine["network"]
        payload = line / -(-(line + header) // link["link_bytes"])
        # Two thirds of the bytes leave the arrays' tile, and one third comes back, on another link.
        self.assertGreater(payload * 3 / 2, figures.HARDWARE_MOST)
        *curves, peaks, gains = figures.figure8(results()).panels
        for panel in curves:
            self.assertIn("hardware maximum", panel.series)
        self.assertEqual([len(of) for of in peaks.series.values()], [4, 4])
        self.assertEqual(gains.band, (7, 8))

    def test_rows_are_as_wide_as_their_head(self):
        for item in ITEMS:
            found = figures.MAKERS[item](results())
            self.assertEqual({len(row) for row in found.rows}, {len(found.columns)}, item)


class Checks(unittest.TestCase):
    def of(self, **laws: object) -> dict[str, str]:
        return verdicts(checks.MEASURES, results(**laws))

    def test_every_claim_is_measured_in_full(self):
        self.assertNotIn("not run", self.of().values())

    def test_each_changes_with_what_it_measures(self):
        changes = {
            "store_one_way": ("fitted", "worse", {"one_way": 41}),
            "mr_queue_total_4": ("met", "worse", {"queue_total": 70}),
            "area_shifter": ("fitted", "worse", {"shifter": 700}),
            "area_counters": ("fitted", "worse", {"area": Laws.area | {"CNI: responses, and counters": 2700}}),
            "area_interface": ("fitted", "worse", {"jobs": 3000}),
            "counter_4": ("met", "worse", {"counter_base": 120}),
            "lock_order_4": ("met", "reversed", {"box_total": 49}),
            "barrier_order_4": ("met", "better", {"mutex_total": 300}),
            "barrier_gain_16": ("met", "worse", {"tree_level": 20}),
            "lock_gain_least": ("met", "worse", {"mcs": 120}),
            "lock_gain_most": ("met", "better", {"mcs": 500}),
            "rdma_over_stores": ("fitted", "worse", {"rate": {"rdma": 8.0, "stores": 2.0}}),
            "knee_buffers_chip": ("met", "better", {"rate": {"rdma": 2.0, "stores": 0.3}}),
            "profitable_n": ("met", "worse", {"set_up": {"rdma": 8000, "stores": 8000}}),
            "bitonic_stores_least": ("better", "reversed", {"set_up": {"rdma": 1, "stores": 400}}),
            "bitonic_efficiency_4": ("met", "better", {"together": {2: 1.0, 4: 1.0}}),
            "fft_efficiency_rdma_4": ("met", "worse", {"together": {2: 1.08, 4: 2.0}}),
        }
        plain = self.of()
        for name, (before, after, change) in changes.items():
            with self.subTest(claim=name):
                self.assertEqual((plain[name], self.of(**change)[name]), (before, after))

    def test_what_is_saved_is_a_share_of_the_longer_time(self):
        self.assertAlmostEqual(saved(60, 80), 0.25)
        self.assertAlmostEqual(saved(80, 60), -0.25)
        self.assertEqual(saved(80, 80), 0)

    def test_what_stores_and_rdma_save(self):
        of = results()
        least = measured(checks.MEASURES, of, "bitonic_stores_least")
        gains = [of.stores_gain("bitonic", cpus, n)[0] for n in (4, 8, 16, 32, 64) for cpus in (2, 4)]
        self.assertAlmostEqual(least.ours.median, 100 * min(gains))
        most = measured(checks.MEASURES, of, "fft_rdma_all_most")
        gains = [of.stores_gain("fft", cpus, n)[1] for n in of.plan.sizes("fft") if n >= 128 for cpus in (2, 4)]
        self.assertAlmostEqual(most.ours.median, -100 * min(gains))

    def test_the_quick_form_is_not_judged(self):
        self.assertEqual(set(self.of(quick=True).values()), {"not run", "not reproduced"})

    def test_nothing_is_met_without_runs(self):
        class Nothing(FakeExecutor):
            def is_done(self, _: Run) -> bool:
                return False

        of = results()
        of.executor = Nothing()
        self.assertEqual(set(verdicts(checks.MEASURES, of).values()), {"not run", "not reproduced"})


class Whole(EndToEnd):
    def run_it(self, *words: str) -> tuple[int, str, Path]:
        return self.run_report(CNI, FakeExecutor, words)

    def test_every_item_is_written(self):
        code, printed, folder = self.run_it("--quick")
        self.assertEqual(code, 0, printed)
        page = (folder / "report.html").read_text(encoding="utf-8")
        for item in ITEMS:
            name = f"cni_{item.replace(' ', '_')}"
            self.assertIn(f'id="{name}"', page)
            rows = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["rows"]
            lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), 1 + len(rows))

    def test_only_what_was_named(self):
        code, printed, folder = self.run_it("--table", "1b", "--figure", "11b")
        self.assertEqual(code, 0, printed)
        self.assertEqual({file.stem for file in folder.glob("*.csv")},
                         {"cni_checks", "cni_figure_11b", "cni_table_1b"})  # fmt: skip

    def test_the_sweep_is_made_only_if_it_is_asked_for(self):
        code, printed, folder = self.run_it("--sweep")
        self.assertEqual(code, 0, printed)
        self.assertEqual({file.stem for file in folder.glob("*.csv")}, {"cni_checks", "cni_sweep"})

    def test_programs_to_be_built(self):
        self.assertEqual(self.run_it("--programs", "--figure", "9")[:2], (0, "cni-bitonic\n"))


if __name__ == "__main__":
    unittest.main()
