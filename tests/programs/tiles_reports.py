"""tiles_reports: reports of programs on tiles: a job that waits for ever, and the runtime's statistics.

Runs a program that hangs on nemesys-2x2, where it must end with 1 and say which task of which place waits where; and
one that ends well, whose statistics and trace must have what all places counted.
Words that cannot be reached, and ways to them that do not exist, are told of.
Usage: tiles_reports.py TESS_MACHINE STALLING_PROGRAM ITS_SOURCE TILE_WAYS
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MACHINE, PROGRAM, SOURCE, WAYS = sys.argv[1:5] if __name__ == "__main__" else ("", "", "", "")
SECONDS_MAX = 60


def run(*words: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
    harts = ("--env", "TESS_WORKERS=harts")
    command = [MACHINE, "--quiet", "--machine", "nemesys-2x2", *harts, *options, "--", PROGRAM, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


def run_ways(grid: str, what: str, words: str = "") -> subprocess.CompletedProcess:
    command = [MACHINE, "--quiet", "--machine", grid, "--env", "TESS_WORKERS=harts", "--env", f"TESS_WORDS={words}",
               "--", WAYS, what]
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

    def test_a_word_that_is_not_there_is_told_of_by_place_and_offset(self) -> None:
        for grid, last in (("nemesys-2x2", 2), ("rae-6", 5)):
            wrong = (("misaligned", 4100, "not a multiple of 8"), ("outside", 2**40, "no such address"))
            for what, offset, why in wrong:
                done = run_ways(grid, what)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"that is place {last}, offset {offset} in its segment of ", done.stderr)
                self.assertRegex(done.stderr, rf"of object {last + 1}.*{why} \(eamoadd.d ")
            for what, offset, _ in wrong:
                done = run_ways(grid, what, words="messages")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"8 bytes at place {last} offset {offset}", done.stderr)

    def test_a_way_to_words_that_does_not_exist_is_refused(self) -> None:
        done = run_ways("nemesys-2x2", "sums", words="letters")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("TESS_WORDS: `letters`", done.stderr)
        self.assertIn("instructions, addresses or messages", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
