"""rae_test: the plan's runs are those that the figures need; measures, figures and checks say what their numbers say;
callgrind's output is read as it is written; the whole of it writes every file.

Method: simple laws replace the programs and meet every check; then one law at a time is changed.
"""

import dataclasses
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tessera.papers.rae import area, checks, library, nodes, saving, tasks
from tessera.papers.rae.measures import Results, atomics_of
from tessera.papers.rae.paper import RAE
from tessera.papers.rae.plan import (
    CHASE_WORDS,
    CURVE,
    HARDWARE,
    IRREGULAR,
    ITEMS,
    MERGING,
    SAMPLES,
    SIZES,
    TABLE,
    UNIFORM,
    WAYS,
    HostRun,
    LibraryRun,
    NodeRun,
    Nodes,
    Plan,
    Run,
)
from tessera.reproduce.claims import Claims
from tessera.reproduce.hardware import AreaRun
from tessera.simulator.execute import Executor

from .end_to_end import EndToEnd, FakeRuns, measured, verdicts

ROOT = Path(__file__).resolve().parents[2]
MACHINES = ROOT / "machines"
NOTES = "".join(f"atomic {2 * i} {'index' if i % 3 == 0 else 'array'} {i}\n" for i in range(SAMPLES))


class FakeExecutor(FakeRuns):
    """Output and statistics of runs by simple laws."""

    taken, loading, each = 6400, 50_000, 20  # atomics; instructions of loading and of each atomic
    bias = 0.0  # of the share of remote atomics
    speed, fewer, wrong = 4, 20, 0  # ratios of messages to instructions in time and count; wrong words
    hungry = 5  # ratio of messages to instructions in energy
    direct = 150  # atomics of a kernel of GAP in OpenSHMEM, which has 1000 instructions
    lost = 0.1  # share of hits of irregular kernels
    line_words = 8
    merges = 16  # requests into one

    def work(self, run: Run | HostRun) -> int:
        """Number of executions of the kernel."""
        if run.program != UNIFORM:
            return int(run.arguments[-1]) if isinstance(run, Run) else 1
        return int(run.arguments[run.arguments.index("--updates") + 1]) // (1 << 20)

    comparators, memory_bytes = 66, 13_000
    latency_ps, turn_ps = 100_000, 20_000  # of an operation of one core

    def time_ps(self, run: tasks.TaskRun) -> float:
        """Simulated time of a run of tasks."""
        under_way = 1 if run.form == "wait" else run.tasks or 1000
        turn = self.turn_ps * (2 if run.form == "tasks" else 1)
        return run.count * max(self.latency_ps / under_way, turn)

    def of_nodes(self, run: NodeRun) -> str:
        """Output of a bare program."""
        way = run.program.endswith("_messages")
        if run.program.startswith("shmem_costs"):
            return "add asking 84.00 asked 53.00 cycles 300.0\n" if way else "add asking 3.00 asked 0.00 cycles 80.0\n"
        if run.program == "rae-latencies":
            words = [{"hops": hops, **dict.fromkeys(nodes.WORDS, 80 + 20 * hops)} for hops in (1, 2, 3)]
            names = ("l1_load", "l2_load", "memory_load", "stream_load", "own_add")
            copies = {"copy_within_bytes_per_us": 900, "copy_neighbour_bytes_per_us": 1000}
            return json.dumps({"clock_ps": 500, "nodes": 6, **dict.fromkeys(names, 20), "words": words, **copies})
        if run.program.startswith("gap_shmem") and "--count" in run.arguments:
            return f"{run.arguments[1]} seconds 1.0 gams 0.0 instructions 1 wrong 0 atomics {self.direct} edges 9\n"
        seconds, count = (0.001 * self.speed, 1000 * self.fewer) if way else (0.001, 1000)
        line = f"K seconds {seconds:.9f} gams 1.0 instructions {count} wrong {self.wrong} checksum 7\n"
        return (NOTES if "--note" in run.arguments else "") + line

    def of_sweep(self, run: saving.SavingRun) -> str:
        """Output of the sweep: software takes its further instructions twice more, on both sides."""
        round_trip = 100 + 2 * run.latency
        ways = [f"instructions {n} cycles {round_trip / n:.2f}\n" for n in saving.UNDER_WAY]
        ways += [f"software {extra} {n} cycles {(round_trip + 2 * extra) / n:.2f}\n"
                 for extra in saving.EXTRAS for n in saving.UNDER_WAY]  # fmt: skip
        return "".join(ways)

    def rate(self, run: NodeRun) -> float:
        """Miss rate of a run."""
        words = [word.split("_")[0] for word in run.arguments]
        if run.machine.policy != "retain":
            return 1 / self.merges if run.machine.merge else 1
        if "CENTRAL" in words:
            return 0.001
        irregular = run.program.startswith("gap_shmem") or any(word in IRREGULAR for word in words)
        return 1 - self.lost if irregular else 1 / self.line_words

    def interface(self, run: NodeRun) -> dict:
        """Statistics of the measured part."""
        entries = round(1000 * self.rate(run))
        energy = 10**6 * (self.hungry if run.program.endswith("_messages") else 1)
        return {"energy_pj": energy, "simulated_ps": 10**6, "rae_requests": 1000, "rae_entries": entries,
                "rae_merged": 0, "rae_hits": 1000 - entries, "rae_memory_accesses": 2 * entries}  # fmt: skip

    def printed(self, run: Run | HostRun | NodeRun | saving.SavingRun) -> str:
        if isinstance(run, saving.SavingRun):
            return self.of_sweep(run)
        if isinstance(run, NodeRun):
            return self.of_nodes(run)
        places = getattr(run, "places", 1)
        remote = round(self.taken * min(1 - 1 / places + (self.bias if places > 1 else 0), 1))
        if run.program == UNIFORM:
            return f"time: 1 s\noperations: {self.taken - remote} local and {remote} remote words, 0 bytes\n"
        return f"reached\natomics: {self.taken}, {remote} of them on words of other places\n"

    def statistics(self, run: Run | LibraryRun | NodeRun | tasks.TaskRun) -> dict:
        if isinstance(run, AreaRun):
            counts = {"bytes": 150_000, "comparators": self.comparators, "LUT": 1, "FF": 1, "BRAM": 0}
            return [{"name": area.CIRCUIT, **counts,
                     "memories": dict.fromkeys(area.MEMORIES.values(), self.memory_bytes)}]  # fmt: skip
        if isinstance(run, LibraryRun):
            asks = {"put": 200, "add": 300}
            return {"library": "a library", "asks": asks, "has": dict.fromkeys(asks, 0)}
        if isinstance(run, tasks.TaskRun):
            return {"measured": {"simulated_ps": self.time_ps(run)}}
        if isinstance(run, saving.SavingRun):
            return {}
        if isinstance(run, NodeRun):
            return {"measured": self.interface(run)}
        accesses = self.loading + self.work(run) * self.taken * 3
        if run.program == UNIFORM and run.timed:  # with less work
            accesses = self.loading + int(run.arguments[run.arguments.index("--updates") + 1]) * self.taken * 3 // (
                1 << 18
            )
        harts = [{"loads": accesses - 7, "stores": 7}]
        return {"instructions": self.loading + self.work(run) * self.taken * self.each, "harts": harts}


def results(*, items: tuple[str, ...] = ITEMS, quick: bool = False, failing: str = "", missing: tuple[str, ...] = (),
          **laws: float) -> Results:  # fmt: skip
    executor = FakeExecutor()
    executor.failing = failing
    for name, value in laws.items():
        setattr(executor, name, value)
    return Results(Plan(list(items), quick=quick, missing=missing), executor,
                 Claims(ROOT / "reference" / "rae_claims.csv"), MACHINES)  # fmt: skip


class Runs(unittest.TestCase):
    def test_an_item_needs_its_runs_only(self):
        self.assertEqual(len(Plan(["figure 1"], quick=False).runs()), 2 * 9 + 2 * 9 + 2 * 5)
        self.assertEqual(len(Plan(["figure 2"], quick=False).runs()), 7 * 9)
        library_runs = [run for run in Plan(["figure 3"], quick=False).runs() if isinstance(run, LibraryRun)]
        self.assertEqual([run.way for run in library_runs], list(WAYS))
        self.assertEqual(len(Plan(["figure 3"], quick=False, missing=("mpirun.openmpi",)).runs()), 2)
        self.assertEqual(len(Plan(["figure 7", "figure 8"], quick=False).runs()), 3 * 16 * 2 + 5 * 2)
        self.assertEqual(len(Plan(["figure 7", "figure 10"], quick=False).runs()), 3 * 16 * 3 + 5 * 3 + 4)
        self.assertEqual(len(Plan([CURVE, MERGING], quick=False).runs()), 2 * 3 * 7 + 2)
        self.assertEqual(len(Plan([saving.ITEM], quick=False).runs()), 6)
        self.assertEqual(len(Plan(["figure 9", TABLE], quick=False).runs()), 2)

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
        _, timed = of.timed("bfs", ("kron:14", "--form", "words"))
        words = "--machine single-tile --timing on -n 1 --workers 1 bfs kron:12 --form words --trials 3"
        self.assertEqual(" ".join(timed.words("single-tile")), words)
        words = "--machine rae-6 --copies 6 circustent_shmem_messages --bench STRIDEN_ADD --memsize 131072 --iters 512"
        self.assertEqual(" ".join(of.kernel(6, "STRIDEN_ADD", "messages").words("rae-6")), f"{words} --stride 7")

    def test_arrays_have_the_words_that_kernels_want(self):
        for quick in (True, False):
            for size in Plan([], quick=quick).sizes.values():
                self.assertGreaterEqual(size.kib * 128, size.iterations * 7)
                self.assertGreaterEqual(size.chase, 4 * 1024, "requests fill the interface's cache several times")
        self.assertEqual(list(SIZES), [6, 16, 64])

    def test_a_chase_has_the_same_words_on_every_machine(self):
        found = set()
        for quick in (True, False):
            of = Plan([], quick=quick)
            for nodes in of.sizes:
                for kernel in ("PTRCHASE_ADD", "PTRCHASE_CAS"):
                    words = of.kernel(nodes, kernel).arguments
                    found.add(words[words.index("--chase") + 1])
        self.assertEqual(found, {str(CHASE_WORDS)})
        self.assertEqual(CHASE_WORDS * 8, 8 * 65536, "eight times the interface's cache")
        self.assertNotIn("--chase", Plan([], quick=True).kernel(6, "RAND_ADD").arguments)

    def test_machines_with_another_interface(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.assertEqual(Nodes(6).argument(ROOT / "machines", folder), "rae-6")
            made = Path(Nodes(6, "free-at-once", merge=False).argument(ROOT / "machines", folder)).read_text()
        self.assertIn('name = "rae-6-free-at-once-apart"', made)
        self.assertRegex(made, r'(?m)^policy = "free-at-once"')
        self.assertRegex(made, r"(?m)^merge = false")

    def test_every_place_has_vertices(self):
        for quick in (True, False):
            self.assertGreaterEqual(1 << int(Plan([], quick=quick).graphs()[0].split(":")[1]), 64 * 64)


class Measures(unittest.TestCase):
    def test_loading_is_not_counted(self):
        for program, arguments in Plan(["figure 1"], quick=False).counted_programs():
            counted = results().counted(program, arguments)
            self.assertEqual((counted.atomics, counted.instructions), (6400, 6400 * 20), program)
            self.assertEqual(counted.memory_share, 0.25, program)

    def test_wrong_words_are_no_result(self):
        self.assertEqual(results().kernel(6, "RAND_ADD", "messages").instructions, 20_000)
        self.assertIsNone(results(wrong=1).kernel(6, "RAND_ADD", "messages"))

    def test_what_a_program_printed(self):
        self.assertEqual(atomics_of("bfs", "x\natomics: 8, 2 of them on words of other places\n").share, 0.25)
        self.assertEqual(atomics_of("gups", "operations: 3 local and 9 remote words, 0 bytes").share, 0.75)
        self.assertIsNone(atomics_of("bfs", "operations: 3 local and 9 remote words, 0 bytes"))

    def test_failed_runs_have_no_results(self):
        of = Plan(list(ITEMS), quick=False)
        for item in ITEMS:
            runs = of.runs_of(item)
            for run in (runs[0], runs[-1]):
                RAE.makers[item](results(failing=run.key))
        lost = of.spread(*of.counted_programs()[-1], 64)
        self.assertEqual(verdicts(checks.MEASURES, results(failing=lost.key))["remote_share_64"], "not run")


class Items(unittest.TestCase):
    def test_every_point_has_a_row_as_wide_as_the_head(self):
        rows = {}
        for item in ITEMS:
            found = RAE.makers[item](results())
            self.assertEqual({len(row) for row in found.rows}, {len(found.columns)}, item)
            rows[item] = len(found.rows)
        sizes = {"figure 1": 14, "figure 2": 63, "figure 3": 2, "figure 7": 53, "figure 8": 53, "figure 9": SAMPLES}
        sizes |= {"figure 10": 53 + 4, tasks.ITEM: 4 * (11 + 10), TABLE: 16, CURVE: 42, MERGING: 4}
        self.assertEqual(rows, sizes | {saving.ITEM: 6 * 4 * 7, HARDWARE: 6})

    def test_sentences_have_the_cycles_and_instructions_of_figure_3(self):
        self.assertTrue(any("80 cycles of an addition by an instruction, 300 by messages" in sentence
                            for sentence in nodes.figure7(results()).sentences))  # fmt: skip
        self.assertTrue(any("84 instructions of the requester and 53 of the target" in sentence
                            for sentence in nodes.figure8(results()).sentences))  # fmt: skip

    def test_energies_stand_beside_times(self):
        made = nodes.figure7(results())
        self.assertEqual(made.columns[-3:], ["instructions µJ", "messages µJ", "energy saved %"])
        self.assertEqual({tuple(row[-3:]) for row in made.rows}, {(1.0, 5.0, 80.0)})
        self.assertTrue(any("80.00 % in the mean" in sentence and "Energy" in sentence for sentence in made.sentences))
        without = results()
        counts = dict.fromkeys(("rae_requests", "rae_entries", "rae_merged", "rae_memory_accesses", "simulated_ps"), 1)
        without.executor.interface = lambda run: counts
        self.assertEqual({tuple(row[-3:]) for row in nodes.figure7(without).rows}, {(None, None, None)})

    def test_tasks_reach_what_the_lowest_limit_lets_them(self):
        item = tasks.figure(results(items=(tasks.ITEM,)))
        rows = {tuple(row[:3]): row[3:] for row in item.rows}
        self.assertEqual(rows["rae-16", "one", "wait"], [10, 200, 1, None, 20])
        self.assertEqual(rows["rae-16", "one", 2], [20, 100, 2, 100, 40])
        self.assertEqual(rows["rae-16", "one", 64], [25, 80, 2.5, 50, 50])
        printed = [sentence for sentence in item.sentences if sentence.startswith("rae-16, one: 4 tasks")]
        self.assertIn("50 % of the lowest limit, the core (the core 50, its link 250", printed[0])
        slow = tasks.figure(results(items=(tasks.ITEM,), turn_ps=1000))
        self.assertTrue(any("lowest limit, its link" in sentence for sentence in slow.sentences))

    def test_the_sweep_says_where_the_paper_s_number_lies(self):
        item = saving.figure(results(items=(saving.ITEM,)))
        # 2 e / (t + 2 e) is 17.61 % at t = 9.357 e cycles of 0.5 ns; between the points the curve is not a line.
        sentence = next(one for one in item.sentences if "with 16 under way" in one)
        found = 1000 * float(sentence.split("figure 3, ")[1].split(" µs")[0])
        self.assertAlmostEqual(found / (9.357 * 304 / 2), 1, delta=0.2)
        self.assertIn("shortest path, nowhere, less everywhere", sentence)
        self.assertEqual([panel.band for panel in item.panels], [(17.61, 23.35)] * 4)
        with mock.patch.object(saving, "LATENCIES", (8, 100)):
            beyond = saving.figure(results(items=(saving.ITEM,)))
        self.assertIn("three times that, beyond 0.15 µs", beyond.sentences[-1])

    def test_missing_programs_are_reported(self):
        item = RAE.makers["figure 3"](results(missing=("mpirun.openmpi", "valgrind")))
        self.assertEqual(item.rows, [["add", 3, 80, 84, 53, 300, 97.8, *[None] * 4]])
        self.assertIn("mpirun.openmpi, valgrind missing here; ./tess setup rae", item.sentences[-1])

    def test_a_hop_costs_its_difference(self):
        rows = {row[0]: row[1] for row in RAE.makers[TABLE](results()).rows}
        self.assertEqual((rows["eld, 1 hop"], rows["one more hop, round trip"]), (100, 20))


class Checks(unittest.TestCase):
    def of(self, **laws: float) -> dict[str, str]:
        return verdicts(checks.MEASURES, results(**laws))

    def test_every_claim_is_measured_in_full(self):
        self.assertNotIn("not run", self.of().values())

    def test_the_remote_share(self):
        names = [f"remote_share_{places}" for places in (1, 2, 4, 8, 16, 32, 64)]
        self.assertEqual({self.of()[name] for name in names}, {"fitted"})
        for bias in (0.015, -0.015):
            self.assertEqual({self.of(bias=bias)[name] for name in names[1:]}, {"worse"})

    def test_the_area(self):
        for kib, verdict in ((12.5, "fitted"), (9, "better"), (16, "worse")):
            self.assertEqual(self.of(memory_bytes=1024 * kib)["buffer"], verdict)
        self.assertEqual(self.of(comparators=128)["comparators"], "worse")

    def test_the_share_of_instructions(self):
        self.assertEqual(self.of(each=6)["atomic_share"], "met")
        self.assertEqual(self.of(each=200)["atomic_share"], "worse")
        for direct, verdict in ((150, "met"), (120, "worse"), (300, "worse")):
            self.assertEqual(self.of(direct=direct)["atomic_share_shmem"], verdict)
        self.assertIn("bfs kron:14 5.00", measured(checks.MEASURES, results(), "atomic_share").note)

    def test_time_saved_has_two_sides(self):
        for speed, verdict in ((1.2, "met"), (4, "better"), (1.01, "worse"), (0.9, "reversed")):
            self.assertEqual(self.of(speed=speed)["gain_mean"], verdict)
            self.assertEqual(self.of(speed=speed)["gain_gap"], verdict)
        self.assertEqual(self.of(wrong=3)["gain_mean"], "not run")
        self.assertEqual(self.of(wrong=3)["gain_rank"], "not run")
        self.assertEqual(self.of(wrong=3)["gain_gap"], "not run")
        self.assertIn("rae-16: 75.00 in the mean", measured(checks.MEASURES, results(), "gain_mean").note)

    def test_patterns_above_the_mean_of_all(self):
        for gather, count in ((0.9, 2), (0.1, 1)):
            each = {"GATHER_ADD": gather, "SCATTER_ADD": 0.1, "STRIDE1_ADD": 0.9, "STRIDEN_ADD": 0.2, "RAND_ADD": 0.3}
            with mock.patch.object(checks, "shares", return_value=each):
                self.assertEqual(checks.above_mean(results()).value, count)

    def test_instructions_removed_have_two_sides(self):
        for fewer, verdict in ((10, "met"), (20, "better"), (6, "worse")):
            for name in ("instructions_removed", "instructions_removed_gap"):
                self.assertEqual(self.of(fewer=fewer)[name], verdict)

    def test_misses(self):
        found = self.of()
        self.assertEqual((found["miss_irregular"], found["miss_regular"]), ("met", "worse"))
        self.assertEqual({self.of(lost=lost)["miss_pr"] for lost in (0.1, 0.2)}, {"met"})
        self.assertEqual({self.of(lost=lost)["miss_pr"] for lost in (0.0, 0.4)}, {"worse"})
        self.assertEqual(self.of(lost=0.4)["miss_irregular"], "worse")
        self.assertEqual(self.of(lost=0.0)["miss_irregular"], "worse")

    def test_arrays_of_other_sizes_are_those_of_the_claim(self):
        of = results()
        plain = measured(checks.MEASURES, of, "miss_irregular")
        other = {run for name, run in of.plan.other_sizes() if name.startswith(("SCATTER", "GATHER"))}
        self.assertEqual(len(other), 2)
        whole = of.interface
        of.interface = lambda run: dataclasses.replace(whole(run), entries=0) if run in other else whole(run)
        without = measured(checks.MEASURES, of, "miss_irregular")
        # Two of five patterns miss nothing then; what stands beside is of arrays of 2^n words, as before.
        self.assertAlmostEqual(without.ours.median, 0.6 * plain.ours.median, 0)
        self.assertIn("GATHER 0.00", without.note)
        self.assertEqual(without.note.split("2^n")[1], plain.note.split("2^n")[1])

    def test_merging(self):
        self.assertEqual(self.of()["merging"], "fitted")  # one-sided
        self.assertEqual(self.of(merges=0.5)["merging"], "reversed")

    def test_configured_values_are_no_results(self):
        self.assertEqual({self.of()[name] for name in ("nodes", "l1_bytes", "memory_bytes", "flit_bytes")}, {"fitted"})


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
            self.assertEqual(library.missing(Path("/nowhere/operations")), ["mpirun.openmpi", "valgrind", "operations"])


class Whole(EndToEnd):
    def run_it(self, *words: str) -> tuple[int, str, Path]:
        with mock.patch.object(library, "missing", return_value=[]):
            return self.run_report(RAE, FakeExecutor, words)

    def test_every_item_is_written(self):
        code, printed, folder = self.run_it("--quick")
        self.assertEqual(code, 0, printed)
        page = (folder / "report.html").read_text(encoding="utf-8")
        for item in ITEMS:
            name = f"rae_{item.replace(' ', '_')}"
            self.assertIn(f'id="{name}"', page)
            rows = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["rows"]
            lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), 1 + len(rows))

    def test_only_what_was_named(self):
        code, printed, folder = self.run_it("--figure", "2")
        self.assertEqual(code, 0, printed)
        self.assertEqual({file.stem for file in folder.glob("*.csv")}, {"rae_checks", "rae_figure_2"})
        code, printed, folder = self.run_it("--figure", "tasks")
        self.assertEqual(code, 0, printed)
        self.assertEqual({file.stem for file in folder.glob("*.csv")}, {"rae_checks", "rae_figure_tasks"})
        code, printed, folder = self.run_it("--sweep")
        self.assertEqual(code, 0, printed)
        self.assertEqual({file.stem for file in folder.glob("*.csv")}, {"rae_checks", "rae_interface", "rae_merging"})

    def test_programs_to_be_built(self):
        names = ["bc", "bfs", "circustent_shmem", "circustent_shmem_messages", "gap_shmem",
                 "gap_shmem_messages", "gups", "pagerank", "rae-latencies",
                 "rae-patterns", "rae-saving", "rae-tasks", "shmem_costs", "shmem_costs_messages", "sssp"]  # fmt: skip
        self.assertEqual(self.run_it("--programs")[:2], (0, "\n".join(names) + "\n"))
        self.assertEqual(self.run_it("--programs", "--figure", "2")[:2], (0, "\n"))


if __name__ == "__main__":
    unittest.main()
