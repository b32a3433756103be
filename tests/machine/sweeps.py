"""sweeps: `tess sweep` measures what `tess run` does, once for each combination, and says what is wrong.

Method: a small program on nemesys-2x2, combinations of two keys. Cycles are compared with those of `tess run` on
machine files written by hand; sweeps are repeated, interrupted, and given wrong words, machines and programs.
Usage: sweeps.py TESS PROGRAMS, a folder with hash and hostile
"""

import csv
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SECONDS_MAX = 100
WITHOUT_PYTHON = {name: value for name, value in os.environ.items() if name != "TESS_PYTHON"}


class Sweeps(unittest.TestCase):
    """Each test has a folder and a cache of its own."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.program = str(self.folder / "hash")
        shutil.copy(PROGRAMS / "hash", self.program)

    def command(self, *words: str) -> list[str]:
        return [TESS, "sweep", "--cache", str(self.folder / "cache"), "--output", str(self.folder / "out"), *words]

    def sweep(self, *words: str, code: int = 0, python: str = "") -> subprocess.CompletedProcess:
        # The system's Python has no matplotlib, whose import takes longer than the runs.
        done = subprocess.run(self.command(*words), cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=SECONDS_MAX, stdin=subprocess.DEVNULL,
                              env=WITHOUT_PYTHON | ({"TESS_PYTHON": python} if python else {}))  # fmt: skip
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def rows(self) -> list[dict[str, str]]:
        with (self.folder / "out/sweep.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def measured(self, changes: str, *options: str) -> int:
        """Cycles of `tess run` on nemesys-2x2 with these lines."""
        machine, stats = self.folder / "by_hand.toml", self.folder / "s.json"
        machine.write_text(f'extends = "nemesys-2x2"\n{changes}', encoding="utf-8")
        subprocess.run([TESS, "run", "--machine", machine, *options, "--stats", stats, self.program], check=True,
                       capture_output=True, timeout=SECONDS_MAX, env=WITHOUT_PYTHON)  # fmt: skip
        return json.loads(stats.read_text(encoding="utf-8"))["measured"]["cycles"]

    def test_every_combination_is_run_once(self) -> None:
        words = ["--machine", "nemesys-2x2", "--set", "l2.kib=64,512", "--set", "l2.hit_cycles=10,20"]
        first = self.sweep(*words, "--", self.program)
        rows = self.rows()
        self.assertEqual([(row["l2.kib"], row["l2.hit_cycles"]) for row in rows],
                         [("64", "10"), ("64", "20"), ("512", "10"), ("512", "20")])  # fmt: skip
        self.assertEqual(int(rows[1]["cycles"]), self.measured("l2.way_bytes = 16384\n"))
        self.assertEqual(int(rows[2]["cycles"]), self.measured("l2.hit_cycles = 10\n"))
        self.assertIn("[4/4] 0 s left", first.stderr)
        table = first.stdout.splitlines()
        self.assertEqual(table[0].split()[:3], ["l2.kib", "l2.hit_cycles", "cycles"])
        self.assertEqual(len(table), 5)
        kept = json.loads((self.folder / "out/sweep.json").read_text(encoding="utf-8"))
        self.assertEqual([row["cycles"] for row in kept["rows"]], [int(row["cycles"]) for row in rows])
        self.assertEqual(kept["parameters"], {"l2.kib": [64, 512], "l2.hit_cycles": [10, 20]})
        again = self.sweep(*words, "--", self.program)
        self.assertEqual(again.stdout, first.stdout)
        self.assertIn("4 of 4 runs were done before", again.stderr)
        self.assertNotIn("[1/", again.stderr)
        # Another program of the same name is another run; so is another machine.
        with open(self.program, "ab") as file:
            file.write(b"\0")
        self.assertIn("[1/1]", self.sweep(*words[:2], "--", self.program).stderr)
        more = ["--machine", "nemesys-2x2", "--set", "l2.kib=64", "--", self.program]
        self.assertIn("[1/1]", self.sweep(*more).stderr)
        self.assertIn("1 of 1 runs were done before", self.sweep(*more).stderr)

    def test_layouts_give_a_median_and_an_interval(self) -> None:
        self.sweep("--machine", "nemesys-2x2", "--layouts", "3", "--statistic", "l2_hit_rate", "--", self.program)
        (row,) = self.rows()
        cycles = sorted(self.measured("", "--layout", str(layout)) for layout in range(3))
        self.assertEqual([float(row[name]) for name in ("cycles_low", "cycles", "cycles_high")],
                         [cycles[0], statistics.median(cycles), cycles[2]])  # fmt: skip
        self.assertLess(cycles[0], cycles[2])
        self.assertEqual(list(row)[-1], "l2_hit_rate")

    def test_an_interrupted_sweep_continues(self) -> None:
        words = ["--machine", "nemesys-2x2", "--set", "l2.ways=1,2,4,8", "--jobs", "1", "--", self.program]
        with subprocess.Popen(self.command(*words), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                              cwd=self.folder) as child:  # fmt: skip
            while "[1/4]" not in (line := child.stderr.readline()):
                self.assertNotEqual(line, "")
            child.send_signal(signal.SIGINT)
            said = child.communicate(timeout=SECONDS_MAX)[1]
        self.assertEqual(child.returncode, 130, said)
        self.assertIn("interrupted; the same command continues", said)
        self.assertRegex(self.sweep(*words).stderr, "[12] of 4 runs were done before")
        self.assertEqual(len(self.rows()), 4)

    def test_pictures_and_parquet_where_their_packages_are(self) -> None:
        done = self.sweep("--machine", "nemesys-2x2", "--machine", "single-tile", "--", self.program,
                          python=os.environ.get("TESS_PYTHON", ""))  # fmt: skip
        self.assertEqual([row["machine"] for row in self.rows()], ["nemesys-2x2", "single-tile"])
        for name, package in (("sweep.parquet", "pyarrow"), ("sweep.svg", "matplotlib")):
            is_there = f"no {name}, for there is no {package}" not in done.stderr
            self.assertEqual((self.folder / "out" / name).is_file(), is_there, done.stderr)
        # Which Python it was is nothing that the program sees.
        self.assertEqual([int(row["cycles"]) for row in self.rows()][0], self.measured(""))
        if (self.folder / "out/sweep.svg").is_file():
            self.assertIn("single-tile", (self.folder / "out/sweep.svg").read_text(encoding="utf-8"))
        if (self.folder / "out/sweep.parquet").is_file():
            self.assertEqual((self.folder / "out/sweep.parquet").read_bytes()[:4], b"PAR1")

    def test_what_is_wrong_is_said_before_anything_runs(self) -> None:
        machine, program = ("--machine", "nemesys-2x2"), ("--", self.program)
        for words, message in (
            ((*machine, "--set", "l3.ways=1", *program), r"no section \[l3\], expected one of grid"),
            ((*machine, "--set", "l2.way=1", *program), r"no way in \[l2\], expected one of way_bytes"),
            ((*machine, "--set", "l2.ways=4,99", *program), r"l2\.ways=99: .*toml:\d+:\d+: ways = 99 is impossible"),
            ((*machine, "--set", "timing=off", *program), "timing=off is no parameter"),
            ((*machine, "--set", "l2.ways", *program), "expected KEY=VALUE,VALUE"),
            ((*machine, "--set", "l2.ways=1,", *program), "expected KEY=VALUE,VALUE"),
            ((*machine, "--set", "l2.ways=1,2,1", *program), "a value is given twice"),
            ((*machine, "--set", "l2.ways=1", "--set", "l2.ways=2", *program), "given twice"),
            ((*machine, "--layouts", "0", *program), "layouts=0, expected 1 or more"),
            (("--machine", "nemesis", *program), "no machine 'nemesis', expected one of"),
            ((*machine, "--"), "which program"),
            (program, "--machine is required"),
            ((*machine, "--", "{size}"), r"\{size\} in the command has no values"),
            ((*machine, "--", "/nonexistent/a.out"), "1 of 1 runs failed(.|\n)*/nonexistent/a.out"),
        ):
            with self.subTest(words=words):
                done = self.sweep(*words, code=2)
                self.assertRegex(done.stderr, message)
                self.assertNotIn("Traceback", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_parameters_of_a_unit_of_ones_own(self) -> None:
        machine = self.folder / "mine.toml"
        shutil.copy(UNITS / "checksum.so", self.folder / "mine.so")
        machine.write_text('extends = "nemesys-2x2"\n[[unit]]\nname = "checksum"\nfile = "mine.so"\nat = [[0, 0]]\n')
        words = ("--machine", str(machine), "--set", "unit.checksum.bytes_a_cycle=1,16", "--statistic",
                 "units.checksum.bytes", "--", f"{PROGRAMS}/checksum_program", "2000")  # fmt: skip
        self.sweep(*words)
        slow, fast = self.rows()
        self.assertGreater(int(slow["cycles"]), int(fast["cycles"]))
        self.assertEqual([slow["units.checksum.bytes"], fast["units.checksum.bytes"]], ["2000", "2000"])
        self.assertIn("2 of 2 runs were done before", self.sweep(*words).stderr)
        # A unit that was built again is another one.
        with (self.folder / "mine.so").open("ab") as unit:
            unit.write(b"more")
        self.assertNotIn("done before", self.sweep(*words).stderr)
        for setting, message in (
            ("unit.checksum.bytes=1", r'toml:\d+:\d+: unknown key "unit.checksum.bytes"'),
            ("unit.checksum.bytes_a_cycle=65", r"toml:\d+:\d+: bytes_a_cycle = 65 is impossible; expected 1 to 64"),
            ("unit.sum.bytes_a_cycle=1", "no unit sum, expected one of checksum"),
        ):
            refused = self.sweep("--machine", str(machine), "--set", setting, "--", self.program, code=2)
            self.assertRegex(refused.stderr, message)

    def test_a_program_that_fails_leaves_the_others(self) -> None:
        words = ["--machine", "nemesys-2x2", "--set", "what=hostile,hash", "--", f"{PROGRAMS}/{{what}}", "x", "n"]
        done = self.sweep(*words, code=1)
        self.assertRegex(done.stderr, "1 of 2 runs failed:\n  what=hostile: exit code 1(.|\n)*a null pointer")
        self.assertEqual([row["cycles"] == "" for row in self.rows()], [True, False])
        again = self.sweep(*words, code=1)
        self.assertIn("1 of 2 runs were done before", again.stderr)


if __name__ == "__main__":
    TESS, PROGRAMS = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    UNITS = Path(sys.argv[3]).resolve()
    unittest.main(argv=sys.argv[:1])
