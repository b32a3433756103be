"""trace: `tess run --trace FILE` writes what each PE did when, in the form that Perfetto reads, or no file at all."""

import collections
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TESS = os.environ["TESS"]
PROGRAMS = Path(os.environ["SHMEM_PROGRAMS"])


class Trace(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.file = self.folder / "trace.json"

    def run_program(self, *words: object, pes: int, code: int = 0) -> subprocess.CompletedProcess:
        command = [TESS, "run", "--trace", self.file, "-n", pes, *words]
        ran = subprocess.run([str(w) for w in command], capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran

    def slices(self, pes: int) -> dict[int, list[dict]]:
        """By PE; every event is checked."""
        events = json.loads(self.file.read_text())["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
        self.assertEqual(names, {pe: f"PE {pe}" for pe in range(pes)})
        found = collections.defaultdict(list)
        for event in events:
            self.assertIn(event["ph"], "MXsf")
            self.assertIn(event["pid"], names)
            if event["ph"] == "X":
                self.assertGreaterEqual(event["ts"], 0)
                self.assertGreaterEqual(event["dur"], 0)
                self.assertIn(event["args"].get("pe", 0), names)
                found[event["pid"]].append(event)
        return found

    def arrows(self) -> list[tuple[dict, dict]]:
        events = json.loads(self.file.read_text())["traceEvents"]
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        begins = {e["id"]: e for e in events if e["ph"] == "s"}
        self.assertEqual(set(begins), set(ends))
        return [(begins[number], ends[number]) for number in begins]

    def inside(self, event: dict, slices: list[dict]) -> dict:
        """The slice that an end of an arrow is in; times are rounded to nanoseconds."""
        at = [s for s in slices if s["ts"] - 0.002 <= event["ts"] <= s["ts"] + s["dur"] + 0.002]
        self.assertTrue(at)
        return at[0]

    def test_has_the_calls_of_each_pe_with_bytes_target_and_line(self):
        self.run_program(PROGRAMS / "example_pipeline", pes=3)
        found = self.slices(3)
        puts = [s for s in found[0] if s["name"] == "shmem_long_put_signal_nbi"]
        self.assertEqual(len(puts), 64)
        self.assertEqual({(s["args"]["pe"], s["args"]["bytes"]) for s in puts}, {(1, 4096)})
        self.assertRegex(puts[0]["args"]["line"], r"^pipeline\.c:\d+$")
        waits = [s for s in found[2] if s["name"] == "shmem_signal_wait_until"]
        self.assertEqual(len(waits), 64)
        for of_pe in found.values():
            ends = [(s["ts"], s["ts"] + s["dur"]) for s in of_pe]
            for (_, end), (begin, _) in zip(ends, ends[1:]):
                self.assertLessEqual(end, begin + 0.002)

    def test_has_the_events_and_keys_of_the_page(self):
        page = Path(__file__).parents[2] / "docs" / "use" / "openshmem.md"
        rows = re.findall(r"^\| .* \| `([MXsf])` \| (.*) \| .* \|$", page.read_text(), re.MULTILINE)
        keys = {kind: re.findall(r"`(\w+)`", names) for kind, names in rows}
        self.run_program(PROGRAMS / "example_pipeline", pes=2)
        trace = json.loads(self.file.read_text())
        self.assertEqual(list(trace), ["displayTimeUnit", "traceEvents"])
        self.assertEqual({e["ph"] for e in trace["traceEvents"]}, set("MXsf"))
        for event in trace["traceEvents"]:
            self.assertEqual(list(event), keys[event["ph"]])

    def test_leads_from_a_signal_to_the_wait_that_saw_it(self):
        self.run_program(PROGRAMS / "example_pipeline", pes=2)
        found = self.slices(2)
        forward = [(a, b) for a, b in self.arrows() if (a["pid"], b["pid"]) == (0, 1)]
        self.assertEqual(len(forward), 64)
        for begin, end in forward:
            self.assertLessEqual(begin["ts"], end["ts"])
            self.assertEqual(self.inside(begin, found[0])["name"], "shmem_long_put_signal_nbi")
            self.assertEqual(self.inside(end, found[1])["name"], "shmem_signal_wait_until")

    def test_leads_from_a_word_to_the_wait_that_saw_it(self):
        self.run_program(PROGRAMS / "litmus", 50, pes=2)
        self.assertIn("shmem_long_p", {self.inside(a, self.slices(2)[0])["name"] for a, b in self.arrows()[:100]})

    def test_is_bounded(self):
        self.run_program(PROGRAMS / "litmus", 60000, "ordered", pes=2)
        lengths = {pe: len(of_pe) for pe, of_pe in self.slices(2).items()}
        self.assertEqual(lengths, {0: 1 << 19, 1: 1 << 19})

    def test_works_with_threads_and_static_programs_and_one_pe(self):
        self.run_program(PROGRAMS / "threads", pes=2)
        self.assertGreater(len({s["tid"] for s in self.slices(2)[0]}), 1)
        self.run_program(PROGRAMS / "statics_clang_static", pes=2)
        self.assertIn("shmem_barrier_all", {s["name"] for s in self.slices(2)[1]})
        self.run_program(PROGRAMS / "example_ring", pes=1)
        self.slices(1)

    def test_and_statistics_and_checks_go_together(self):
        statistics = self.folder / "stats.json"
        self.run_program("--stats", statistics, "--fabric", "checked", PROGRAMS / "example_pipeline", pes=2)
        calls = {c["call"]: c["calls"] for c in json.loads(statistics.read_text())["calls"]}
        self.assertEqual(calls["shmem_long_put_signal_nbi"], 64)
        self.assertEqual(len([s for s in self.slices(2)[0] if s["name"] == "shmem_long_put_signal_nbi"]), 64)

    def test_is_not_there_if_a_pe_fails(self):
        for how in ("9", "exit", "global_exit"):
            for after in (1, 100):
                with self.subTest(how=how):
                    code = {"9": 137, "exit": 3, "global_exit": 5}[how]
                    self.run_program(PROGRAMS / "failures", how, 1, after, "wait", pes=3, code=code)
                    self.assertEqual(list(self.folder.iterdir()), [])

    def test_says_so_if_it_cannot_be_written(self):
        self.file = self.folder / "nowhere" / "trace.json"
        ran = self.run_program(PROGRAMS / "example_ring", pes=2, code=2)
        self.assertIn("nowhere", ran.stderr)


if __name__ == "__main__":
    unittest.main()
