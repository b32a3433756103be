"""nemesys_test: the plan's runs are those that the items need; execution resumes and reports; items and checks say what
their numbers say; the whole of it writes every file.

Method: instead of `tess` a script that writes statistics, fails or writes none, as the kernel's name says; for what is
made of many runs, their outcome by a simple law, without processes.
"""

import contextlib
import io
import json
import tempfile
import tomllib
import unittest
from pathlib import Path
from unittest import mock

from tessera.papers.nemesys import beyond, checks, conditions, kernels, micro, plan, system, variants
from tessera.papers.nemesys.measures import Results
from tessera.papers.nemesys.paper import NEMESYS
from tessera.papers.nemesys.published import Published
from tessera.reproduce import provenance
from tessera.reproduce.hardware import AreaRun
from tessera.simulator import execute, machines

from .end_to_end import EndToEnd, circuits, measured, verdicts

ROOT = Path(__file__).resolve().parents[2]

FAMILIES = ("object", "array", "list", "objects")
PROBED = {"tile": 0, "tile_mhz": 50.0, "l1_cycles": 1.0, "l2_cycles": 20.0, "tlm_cycles": 20.0, "memory_cycles": 130.0}
PROBED |= {"l1_data_bytes": 32768, "l1_data_line_bytes": 16, "l1_instruction_bytes": 32768, "l2_bytes": 524288}
PROBED |= {"l2_line_bytes": 32, "tlm_bytes": 8388608, "partition_bytes": 1 << 25}
SECONDS = {plan.MESSAGES: 4.0, plan.PEGASUS: 2.0, plan.NO_NCA: 1.2, plan.NEMESYS: 1.1, plan.BARE: 1.0}
# Loads of two memories, one of which is unused.
LOADS = {"memory_load": 0.3, "memory_load_nma": 0.1, "memory_load_adapters": 0.2, "nma_load": 0.25, "bus_load": 0.05}
LOADS |= {"adapter_load": 0.1, "memory_bytes": 8e6, "nma_load_peak": 0.9, "nma_requests": 100}
LOADS |= {"remote_load_cycles": 300.0, "remote_store_cycles": 200.0, "energy_pj": 2.5e6}


def copied(family: str, kind: str) -> dict:
    """Linear: a part grows with the size; the curves cross where it is 1, at 80."""
    each = {"linear": lambda n: 2 + n / 80, "hashed": lambda _: 3}[kind]
    us = [[n, n * each(n)] for n in (1, 16, 24, 32, 40, 64, 128, 256)]
    slope = 0.04 if family == "array" else 0.12
    return {"family": family, "map": kind, "setup_us": 3.0, "slope_us": slope, "us": us}


def by_software(family: str, copier: str, source: str) -> dict:
    slope = {"cache": 0.62, "memory": 1.0}[source]
    line = {"setup_us": 1.0, "slope_us": slope, "setup_instructions": 900.0, "slope_instructions": 5.0}
    return {"family": family, "copier": copier, "from": source, "us": [[1, 1.5, 905]]} | line


def outcome(run: plan.Run) -> tuple[str, dict]:
    """Output and statistics of a run, by a simple law."""
    if run.program == "nemesys-probes":
        return json.dumps(PROBED), {}
    if run.program == "nemesys-copies":
        return json.dumps({"copies": [copied(f, kind) for f in FAMILIES for kind in ("linear", "hashed")]}), {}
    if run.program == "nemesys-software":
        ways = [(c, source) for c in (plan.PEGASUS, "masks", plan.MESSAGES) for source in ("cache", "memory")]
        return json.dumps({"copies": [by_software(f, *way) for f in FAMILIES for way in ways]}), {}
    if run.program == "nemesys-system":
        # 6000 cycles for a graph between two memories, 4000 within one, 2000 for a call without one.
        each = {("1", "graph"): 4000, ("3", "graph"): 6000}.get(run.arguments, 2000)
        return json.dumps({"calls": 10}), {"measured": {"system_cycles": 10 * each}}
    if run.counts:
        return "  here     2150 copies, mean 10.0 objects, 16717 bytes\n", {}
    seconds = SECONDS[run.copier] * (1.5 if run.options else 1)
    seconds *= 1.1 if run.machine.way_kib == 8 and run.copier == plan.PEGASUS else 1
    text = "verified: yes\n"
    counters = {"calls": 100, "call_ns": int(seconds * 5e9), "function_ns": 10**9, "graphs": 100}
    counters |= {"graph_objects": 1000, "graph_bytes": 10**6}
    statistics = {"simulated_ps": int(seconds * 2e12), "instructions": 10**9, "host": {"seconds": 1.0}}
    statistics["memories"] = [{"bytes": share, "nma_faults": 0, "nma_queued_max": 3} for share in (8e6, 8e4)]
    statistics["measured"] = LOADS | {"simulated_ps": int(seconds * 1e12)}
    if run.heap == plan.RECYCLED and run.copier == plan.PEGASUS:
        statistics["measured"]["memory_bytes"] = 4e6
    # The load of an NMA grows with its number of tiles.
    if run.machine.width:
        statistics["measured"]["nma_load"] = run.machine.compute_tiles / run.machine.memories / 130
    return text, statistics | {"runtime": {"counters": counters}}


# LUTs, but for the 10 that are memory, and registers.
AREAS = {
    "nma": {"NMA, all": (7480, 3000), "NMA: graph copy, linear map": (6000, 1200),
            "NMA: FIFO and trigger": (1260, 1200), "NMA: FIFO of requests": (370, 20)},
    "nca": {"NCA: graph write-back": (1490, 766), "NCA: range operations": (415, 500)},
}


class FakeExecutor:
    """Every run but those of one kernel succeeds."""

    failing = "mst"
    last: list[plan.Run]  # the runs of the last call

    def __init__(self, *_: object) -> None:
        pass

    def execute(self, runs: list[plan.Run]) -> list[tuple[plan.Run, str]]:
        FakeExecutor.last = runs
        return [(run, "exit code 1") for run in runs if not self.is_done(run)]

    def is_done(self, run: plan.Run | AreaRun) -> bool:
        return isinstance(run, AreaRun) or run.program != self.failing

    def statistics(self, run: plan.Run | AreaRun) -> dict | list[dict]:
        return circuits(AREAS[run.unit]) if isinstance(run, AreaRun) else outcome(run)[1]

    def printed(self, run: plan.Run) -> str:
        return outcome(run)[0]


class Conditions(unittest.TestCase):
    def test_kernels_have_the_papers_heap_and_images_unless_told_otherwise(self):
        run = plan.Run("bf", plan.SINGLE, plan.NEMESYS)
        told = " ".join(run.words("m"))
        self.assertIn("--dummy-allocations --heap collected --image memory imsuite-bf", told)
        self.assertIn("--heap recycled --image tlm", " ".join(plan.ours(run).words("m")))
        self.assertNotIn("--heap", plan.copies()[1].words("m"))
        counting = plan.runs_of("table 5")[0]
        self.assertEqual(" ".join(counting.words("m")),
                         "--machine m --places 14 --timing off imsuite-bf --count-copies --no-verify")  # fmt: skip
        self.assertFalse(counting.layouts)
        elsewhere = plan.Plan(["table 5"], quick=False, heap=plan.RECYCLED, image=plan.TLM, system=plan.KERNEL)
        self.assertEqual(elsewhere.form(counting), counting)
        self.assertTrue(run.layouts)
        self.assertFalse(plan.ours(run).layouts)
        self.assertNotEqual(run.key, plan.ours(run).key)
        chosen = plan.Plan(["figure 9"], quick=False, heap=plan.RECYCLED, image=plan.TLM)
        self.assertEqual(chosen.form(run), plan.ours(run))
        self.assertFalse(chosen.is_whole)

    def test_kernels_run_with_the_system_kernel_if_told(self):
        run = plan.Run("bf", plan.SINGLE, plan.NEMESYS)
        chosen = plan.Plan(["figure 9"], quick=False, system=plan.KERNEL)
        self.assertIn("--system kernel", " ".join(chosen.form(run).words("m")))
        self.assertNotIn("--system", " ".join(run.words("m")))
        self.assertNotEqual(chosen.form(run).key, run.key)
        self.assertFalse(chosen.is_whole)

    def test_the_systems_work_is_that_of_a_call_less_its_answer(self):
        made = plan.Plan(["figure 8"], quick=False)
        results = Results(made, FakeExecutor(), Published(ROOT / "reference"))
        # 4000 and 6000 cycles less half of 2000, at 50 MHz.
        self.assertEqual(system.work(results, plan.ONE_MEMORY), (60.0, 20.0))
        self.assertEqual(system.work(results, plan.TWO_MEMORIES), (100.0, 20.0))
        self.assertIn("60.0 µs (T1 and T2)", system.sentences(results)[0])

    def test_both_are_compared(self):
        made = plan.Plan(["conditions"], quick=False, only=frozenset({"bf", FakeExecutor.failing}))
        results = Results(made, FakeExecutor(), Published(ROOT / "reference"))
        item = conditions.conditions_item(results)
        # Under ours 4 MB instead of 8 by Pegasus; its L2 of 4 x 8 KB makes it 1.1 times as slow.
        self.assertEqual([row[:7] for row in item.rows], [
            ["paper", "BF", 2000.0, 1100.0, 1.82, 1.82, 2.0], ["ours", "BF", 2000.0, 1100.0, 1.82, 1.82, 2.0]
        ])  # fmt: skip
        self.assertEqual([row[7:9] for row in item.rows], [[8.0, 8.0], [4.0, 8.0]])
        self.assertIn("moves 1.00 times", item.sentences[0])
        self.assertIn("moves 2.00 times", item.sentences[1])


class Machines(unittest.TestCase):
    def test_every_share_of_a_memory_has_room(self):
        for width, memories in plan.SWEEP:
            at = machines.memory_tiles(width, memories)
            given = machines.shares(width, at)
            self.assertEqual(len(given), width * width)
            counts = [sum(memory == one for _, memory in given) for one in at]
            self.assertLessEqual(max(counts), -(-width * width // memories))

    def test_partitions_of_the_preset_are_those_of_a_derived_grid(self):
        twin = tomllib.loads((ROOT / "machines" / "nemesys-4x4.toml").read_text(encoding="utf-8"))
        expected = [(tuple(one["tile"]), tuple(one["memory"])) for one in twin["partition"]]
        self.assertEqual(machines.shares(4, machines.memory_tiles(4, 2)), expected)

    def test_a_derived_file_says_what_it_was_derived_for(self):
        with tempfile.TemporaryDirectory() as folder:
            machine = machines.Machine("nemesys-4x4-single", way_kib=8, width=6, memories=2)
            made = machines.described(ROOT / "machines", machine.argument(ROOT / "machines", Path(folder)))
        self.assertEqual((made["grid"]["width"], made["grid"]["height"]), (6, 6))
        self.assertEqual(made["l2"]["way_bytes"], 8192)
        self.assertEqual(made["l1_data"]["way_bytes"], 16384)
        self.assertEqual(len(made["partition"]), 36)
        self.assertEqual(made["memory"]["tiles"], [[1, 1], [4, 4]])


class Plan(unittest.TestCase):
    def test_items_share_their_runs(self):
        nine = plan.Plan(["figure 9"], quick=False).runs()
        self.assertEqual(len(nine), 12 * 2 * 4)
        self.assertEqual(plan.Plan(["figure 9", "figure 10", "table 6"], quick=False).runs(), nine)

    def test_the_longest_come_first(self):
        weights = [run.weight for run in plan.Plan(list(plan.ITEMS), quick=False).runs()]
        self.assertEqual(weights, sorted(weights, reverse=True))

    def test_the_quick_form_has_a_small_run_for_every_item(self):
        for item in plan.ITEMS:
            runs = plan.Plan([item], quick=True).runs()
            self.assertEqual(bool(runs), item != plan.AREA, item)  # hardware has no small form
            for run in runs:
                self.assertTrue(not run.is_kernel or (run.program, run.size) == (plan.QUICK_KERNEL, plan.QUICK_SIZE))

    def test_keys_name_runs(self):
        runs = plan.Plan(list(plan.ITEMS), quick=False).runs()
        self.assertEqual(len({run.key for run in runs}), len(runs))


FAKE_TESS = """#!/bin/sh
# tess run --stats FILE ... PROGRAM
case "$*" in
*imsuite-dr*) echo "no memory"; exit 1 ;;
*imsuite-vc*) exit 0 ;;
esac
echo "$@" >> "$(dirname "$3")/calls"
echo '{"cycles": 7}' > "$3"
"""


class Execute(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        tess = self.folder / "bin" / "tess"
        tess.parent.mkdir()
        tess.write_text(FAKE_TESS, encoding="utf-8")
        tess.chmod(0o755)
        self.executor = execute.Executor(tess, self.folder / "runs", 2)

    def calls(self) -> int:
        return len((self.folder / "runs" / "calls").read_text(encoding="utf-8").splitlines())

    def execute(self, runs: list[plan.Run]) -> dict[plan.Run, str]:
        with contextlib.redirect_stderr(io.StringIO()):
            return dict(self.executor.execute(runs))

    def test_what_is_done_is_not_repeated(self):
        runs = [plan.Run(kernel, plan.SINGLE, plan.PEGASUS) for kernel in ("bf", "dst", "by")]
        self.assertEqual(self.execute(runs[:2]), {})
        self.assertEqual(self.execute(runs), {})
        self.assertEqual(self.calls(), 3)
        self.assertEqual(self.executor.statistics(runs[0]), {"cycles": 7})

    def test_a_run_records_where_it_was_made(self):
        runs = [plan.Run(kernel, plan.SINGLE, plan.PEGASUS) for kernel in ("bf", "dst")]
        for run, commit in zip(runs, ("a" * 40, "b" * 40), strict=True):
            self.executor.facts = {"commit": commit}
            self.execute([run])
        self.assertEqual(self.executor.record(runs[0])["commit"], "a" * 40)
        text = provenance.made_at(self.executor, runs, provenance.Origin("b" * 40, "1"))
        self.assertEqual(text, "1 of 2 made at this commit; kept, with equal hashes of simulator, program and machine: "
                         f"1 at {'a' * 40}")  # fmt: skip
        self.assertIsNone(self.executor.record(plan.Run("hs", plan.SINGLE, plan.PEGASUS)))

    def test_another_command_or_another_machine_is_another_run(self):
        run = plan.Run("bf", plan.SINGLE, plan.PEGASUS)
        self.execute([run])
        done = self.executor.file(run, "done")
        for other in ({"command": ["run"]}, {"inputs": ["0", "0", "0"]}):
            done.write_text(json.dumps(json.loads(done.read_text()) | other), encoding="utf-8")
            self.execute([run])
        self.assertEqual(self.calls(), 3)

    def test_a_run_under_another_system_kernel_is_another_run(self):
        polled = plan.Run("bf", plan.SINGLE, plan.NEMESYS)
        runs = [polled, plan.Plan(["figure 9"], quick=False, system=plan.KERNEL).form(polled)]
        kernel = self.folder / "libexec" / "tessera" / "machine" / "system-kernel"
        kernel.parent.mkdir(parents=True)
        for text, calls in (("one", 2), ("one", 2), ("another", 3)):
            kernel.write_text(text, encoding="utf-8")
            self.execute(runs)
            self.assertEqual(self.calls(), calls)
        _, programs = provenance.hashes(self.executor, runs)
        self.assertEqual(programs["system-kernel"], execute.file_hash(kernel))
        self.assertNotIn("system-kernel", provenance.hashes(self.executor, [polled])[1])

    def test_failures_are_told_and_tried_again(self):
        runs = [plan.Run(kernel, plan.TWIN, plan.NEMESYS) for kernel in ("bf", "dr", "vc")]
        for _ in range(2):
            failed = self.execute(runs)
            self.assertEqual({run.program for run in failed}, {"dr", "vc"})
            self.assertIn("exit code 1", failed[runs[1]])
            self.assertIn("no statistics", failed[runs[2]])

    def test_the_forecast_follows_the_weights(self):
        runs = plan.Plan(["figure 13"], quick=False).runs()
        forecast = execute.Forecast(runs, 2)
        self.assertIn("not yet known", str(forecast))
        total = sum(run.weight for run in runs)
        forecast.add(runs[0], 6000 * runs[0].weight / total)
        left = 6000 * (1 - runs[0].weight / total) / 2 / 60
        self.assertEqual(str(forecast), f"{round(left)} min left")


class Items(unittest.TestCase):
    def results(self, items: list[str]) -> Results:
        made = plan.Plan(items, quick=False, only=frozenset({"bf", "lcr", FakeExecutor.failing}))
        return Results(made, FakeExecutor(), Published(ROOT / "reference"))

    def test_run_times_and_gains(self):
        results = self.results(["figure 9"])
        item = kernels.figure9(results)
        row = next(row for row in item.rows if row[:2] == ["single", "BF"])
        # The headline has dummy allocations; NEMESYS without them is beside it.
        self.assertEqual(row[2:6], [4000.0, 2000.0, 1100.0, 1000.0])
        self.assertEqual(row[-4:], [3.64, 1.82, 4.0, 2.0])
        self.assertNotIn("MST", [row[1] for row in item.rows])  # it failed
        self.assertTrue(any("1.82 to 1.82 times as fast" in sentence for sentence in item.sentences))

    def test_communication_is_what_of_a_call_is_no_function(self):
        results = self.results(["figure 10"])
        # (5.5 - 1) s against (10 - 1) s
        self.assertAlmostEqual(kernels.communication_change(results, "bf"), 4.5 / 9 - 1)

    def test_loads_exclude_an_unused_memory(self):
        found = kernels.measured(self.results(["table 6"]), "bf", plan.SINGLE, plan.NEMESYS)
        self.assertEqual((found.memory, found.nma), (0.6, 0.5))
        self.assertEqual((found.memory_by_nma, found.nma_peak, found.load_cycles), (0.2, 0.9, 300.0))

    def test_cells_of_table_6_within_their_bands(self):
        of = self.results(["table 6"])

        def cell(_: Published, variant: str, kernel: str, column: str) -> float | None:
            found = kernels.measured(of, kernel, *kernels.VARIANTS[variant])
            return factor * float(kernels.TABLE6[column][1](found)) if found else None

        for factor, share in ((1.0, 100), (1.3, 0), (0.75, 0), (3.0, 0)):
            with mock.patch.object(Published, "table6", cell):
                judged = checks.cells_in_bands(of)
            everywhere = {name for name in judged.note.split("outside: ")[1].split(", ") if not name.endswith(" 0")}
            self.assertEqual(judged.value if share else bool(everywhere), share or True, factor)
            self.assertIs(judged.judged, False, "two kernels")

    def test_variants_have_their_energy_beside_the_papers_columns(self):
        made = kernels.table6(self.results(["table 6"]))
        self.assertEqual(made.columns[-1], "energy, uJ, ours")
        self.assertEqual({row[-1] for row in made.rows}, {2.5})

    def test_caches_and_nca(self):
        results = self.results(["figure 12", "figure 13"])
        self.assertAlmostEqual(variants.slowdown(results, plan.PEGASUS, 8), 1.1)
        self.assertAlmostEqual(variants.remaining_gain(results, "bf"), 8 / 9)

    def test_single_graphs(self):
        results = self.results(["figure 8", "table 2"])
        self.assertEqual(micro.Copies(results).crossing("list"), (64, 128))
        self.assertAlmostEqual(micro.Copies(results).software_wins_below(), 4.0)
        said = " ".join(micro.figure8(results).sentences)
        self.assertIn("looks up each word's mask", said)
        self.assertIn("takes 77.5 ns and 5 instructions a word of 8 bytes", said)
        printed = micro.table2(results).sentences
        self.assertTrue(any(sentence.startswith("memory_cycles: +44 %") for sentence in printed), printed)


class Beyond(unittest.TestCase):
    def test_calls_that_overlap_are_compared_with_those_that_do_not(self):
        made = plan.Plan(["overlap"], quick=False, only=frozenset({"bf", FakeExecutor.failing}))
        item = beyond.overlap_item(Results(made, FakeExecutor(), Published(ROOT / "reference")))
        # Without overlap, runs take 1.5 times as long.
        self.assertEqual([row[:5] for row in item.rows], [
            ["Pegasus", "BF", 3000.0, 2000.0, 1.5], ["NEMESYS", "BF", 1650.0, 1100.0, 1.5]
        ])  # fmt: skip

    def test_an_nma_that_is_always_busy_is_named(self):
        made = plan.Plan(["sweep"], quick=False)
        item = beyond.sweep_item(Results(made, FakeExecutor(), Published(ROOT / "reference")))
        self.assertEqual(len(item.rows), 2 * len(plan.SWEEP))
        self.assertTrue(any("it is the bottleneck from 63 tiles on" in text for text in item.sentences))


class Everything(FakeExecutor):
    """No run fails."""

    failing = ""


class Checks(unittest.TestCase):
    def results(self, *, only: frozenset[str] = frozenset(), items: tuple[str, ...] = plan.ITEMS) -> Results:
        return Results(plan.Plan(list(items), quick=False, only=only), Everything(), Published(ROOT / "reference"))

    def test_every_claim_is_measured_in_full(self):
        self.assertNotIn("not run", verdicts(checks.MEASURES, self.results()).values())

    def test_the_headline_has_dummy_allocations(self):
        # 4 s and 2 s against 1.1 s, where NEMESYS without them takes 1 s.
        least = measured(checks.MEASURES, self.results(), "run_time_gain_least")
        self.assertAlmostEqual(least.ours.median, 2 / 1.1)
        most = measured(checks.MEASURES, self.results(), "run_time_gain_most")
        self.assertAlmostEqual(most.ours.median, 4 / 1.1)
        # (5.5 - 1) s against (10 - 1) s
        saved = measured(checks.MEASURES, self.results(), "communication_gain_most")
        self.assertAlmostEqual(saved.ours.median, 50)

    def test_a_part_of_the_kernels_is_not_judged(self):
        found = verdicts(checks.MEASURES, self.results(only=frozenset({"bf", "lcr"})))
        for name in ("run_time_gain_least", "faster_kernels", "small_caches_kernels", "nma_single_peak",
                     "memory_mb_ratio"):  # fmt: skip
            self.assertEqual(found[name], "not run", name)
        self.assertEqual((found["port_bf"], found["port_dr"]), ("met", "not run"))
        self.assertEqual(found["copies_bf"], "fitted")

    def test_verdicts_of_the_laws(self):
        found = verdicts(checks.MEASURES, self.results())
        self.assertEqual(found["memory_cycles"], "worse")  # 130 beside 90
        self.assertEqual(found["memory_mhz"], "fitted")
        self.assertEqual(found["array_slope"], "fitted")
        # 0.62 us for a word of 8 bytes from the L2, beside 0.04; from memory it is a note
        beside = measured(checks.MEASURES, self.results(), "software_over_nma_array")
        self.assertAlmostEqual(beside.ours.median, 15.5)
        software = measured(checks.MEASURES, self.results(), "software_array_slope")
        self.assertAlmostEqual(software.ours.median, 77.5)
        self.assertIn("125 from memory", software.note)
        self.assertEqual(found["maps_cross_list"], "met")
        # Two memories change nothing, and each copier moves as many bytes.
        self.assertEqual((found["twin_nemesys"], found["memory_mb_ratio"]), ("met", "worse"))
        self.assertEqual((found["faster_kernels"], found["faster_kernels_twin"]), ("met", "met"))
        self.assertEqual(found["small_caches_kernels"], "met")
        # 6010 beside 6078; 7490 less 6010 and 380 is 1100, beside 1273; 1500 is 27 % less than 2064.
        self.assertEqual((found["graph_copy_luts"], found["hash_map_luts"]), ("met", "met"))
        self.assertEqual(measured(checks.MEASURES, self.results(), "hash_map_luts").ours.median, 1100)
        # The trigger stands beside the NMA, which has a FIFO only.
        self.assertEqual(measured(checks.MEASURES, self.results(), "hash_map_registers").ours.median, 3000 - 1200 - 20)
        self.assertEqual((found["graph_writeback_luts"], found["range_operations_registers"]), ("better", "worse"))

    def test_the_kernels_that_gain_least(self):
        self.assertEqual(checks.of_least({"bf": 3.0, "hs": 1.1, "lcr": 1.2}), 2)
        self.assertEqual(checks.of_least({"bf": 1.0, "hs": 1.1, "lcr": 1.2}), 1)
        self.assertEqual(checks.rank_of_dr({"bf": 0.9, "dr": 0.8, "hs": 0.1}), 2)


class Whole(EndToEnd):
    def run_it(self, *words: str) -> tuple[int, str, Path]:
        return self.run_report(NEMESYS, FakeExecutor, words)

    def test_the_quick_form_writes_every_item(self):
        code, printed, folder = self.run_it("--quick")
        self.assertEqual(code, 0, printed)
        page = (folder / "report.html").read_text(encoding="utf-8")
        for item in plan.ITEMS:
            name = f"nemesys_{item.replace(' ', '_')}"
            self.assertIn(f'id="{name}"', page)
            rows = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["rows"]
            self.assertEqual(bool(rows), item != plan.AREA, item)
            lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(lines), 1 + len(rows))
        self.assertNotIn('src="http', page)

    def test_a_failure_is_in_the_report_and_in_the_exit_code(self):
        code, _, folder = self.run_it("--figure", "9")
        self.assertEqual(code, 1)
        self.assertIn("mst_nemesys-4x4_pegasus: exit code 1", (folder / "report.html").read_text(encoding="utf-8"))

    def test_one_figure_needs_its_runs_only(self):
        self.run_it("--figure", "13", "--kernel", "bf")
        self.assertEqual({run.copier for run in FakeExecutor.last}, {plan.PEGASUS, plan.NO_NCA, plan.NEMESYS})
        self.assertEqual(len(FakeExecutor.last), 3)

    def test_programs_to_be_built(self):
        code, printed, _ = self.run_it("--programs", "--figure", "13", "--kernel", "by")
        self.assertEqual((code, printed), (0, "imsuite-by\n"))


if __name__ == "__main__":
    unittest.main()
