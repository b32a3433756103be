"""tiles_reports: what programs on tiles say of themselves: a job that waits for ever, and the runtime's statistics.

Runs a program that hangs on nemesys-2x2, where it must end with 1 and say which task of which place waits where; and
one that ends well, whose statistics and trace must have what all places counted.
Usage: tiles_reports.py TESS_MACHINE STALLING_PROGRAM ITS_SOURCE
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MACHINE, PROGRAM, SOURCE = sys.argv[1:4] if __name__ == "__main__" else ("", "", "")
SECONDS_MAX = 60


def run(*words: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
    command = [MACHINE, "--quiet", "--machine", "nemesys-2x2", *options, "--", PROGRAM, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


def line_with(mark: str) -> int:
    lines = Path(SOURCE).read_text(encoding="utf-8").splitlines()
    return 1 + next(i for i, line in enumerate(lines) if mark in line)


class Tiles(unittest.TestCase):
    def test_a_job_that_waits_for_ever_ends_and_says_where(self) -> None:
        done = run("counter")
        self.assertEqual(done.returncode, 1, done.stderr)
        line = line_with("the line that the report names")
        self.assertRegex(done.stderr, rf"place 2 worker \d: waits for counter at stalling_program.cpp:{line}")
        self.assertRegex(done.stderr, r"place 0 worker \d: waits for at at stalling_program.cpp")
        self.assertIn("every thread waits", done.stderr)
        self.assertIn("tile 0: hart 0, 1, 2, 3: until a word is written", done.stderr)

    def test_statistics_and_trace_are_those_of_all_places(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            stats, trace = f"{folder}/s.json", f"{folder}/t.json"
            done = run("nothing", options=("--stats", stats, "--task-trace", trace))
            self.assertEqual(done.returncode, 0, done.stderr)
            written = json.loads(Path(stats).read_text(encoding="utf-8"))
            events = json.loads(Path(trace).read_text(encoding="utf-8"))["traceEvents"]
        own = written["runtime"]
        self.assertEqual((own["fabric"], own["places"], own["workers"]), ("tile", 3, 4))
        self.assertEqual(len(own["by_place"]), 3)
        self.assertTrue(all(place["polls"] > 0 for place in own["by_place"]), own["by_place"])
        self.assertEqual(own["counters"]["calls"], 0)
        self.assertFalse(written["measured"]["marked"])
        self.assertEqual({event["pid"] for event in events}, {0, 1, 2})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
