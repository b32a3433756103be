"""races_test: what `tess c++ --races` finds: planted races with both lines, and nothing in programs that are right.

racy.cpp has a race in each of its cases, whose lines bear its name; the cases of ordered_*.cpp order their accesses by
another means each. Both run with several numbers of places and workers, as do the programs of apps/examples.
Usage: races_test.py TESS SOURCES EXAMPLES
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SECONDS_MAX = 120
LAYOUTS = [("1", "1"), ("2", "1"), ("2", "2"), ("4", "2")]  # places, workers


class Races(unittest.TestCase):
    tess: Path
    sources: Path
    examples: Path
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        if not hasattr(cls, "sources"):
            return
        cls.folder = Path(tempfile.mkdtemp(prefix="races"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for source in [*sorted(cls.sources.glob("*.cpp")), *sorted(cls.examples.glob("*.cpp"))]:
            out = cls.call("c++", "--races", str(source), "-o", source.stem)
            assert out.returncode == 0, out.stderr

    def setUp(self) -> None:
        if not hasattr(self, "sources"):
            self.skipTest("CTest runs it with the command that it tests")

    @classmethod
    def call(cls, *words: str) -> subprocess.CompletedProcess:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("TESS_")}
        return subprocess.run(
            [cls.tess, *words],
            cwd=cls.folder,
            env=clean,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )

    def run_program(self, name: str, *words: str, places: str, workers: str) -> subprocess.CompletedProcess:
        return self.call("run", "-n", places, "--workers", workers, f"./{name}", *words)

    def cases(self, program: str) -> list[str]:
        names = self.call("run", f"./{program}").stdout.split()
        self.assertGreater(len(names), 10)
        return names

    def test_planted_races_are_found_with_both_lines(self) -> None:
        text = (self.sources / "racy.cpp").read_text().splitlines()
        for case in self.cases("racy"):
            lines = {n for n, line in enumerate(text, 1) if line.endswith(f"// {case}")}
            for places, workers in LAYOUTS:
                with self.subTest(case=case, places=places, workers=workers):
                    run = self.run_program("racy", case, places=places, workers=workers)
                    self.assertEqual(run.returncode, 1, run.stderr)
                    side = r"^(?:tess: race|      and): .*? at \S*racy\.cpp:(\d+)"
                    found = re.findall(side, run.stderr, re.MULTILINE)
                    self.assertEqual({int(n) for n in found}, lines, run.stderr)
                    self.assertRegex(run.stderr, r"tess: \d+ pairs? of accesses that nothing orders")

    def test_programs_whose_accesses_are_ordered_are_not_reported(self) -> None:
        for program in ("ordered_tasks", "ordered_places"):
            for case in self.cases(program):
                for places, workers in LAYOUTS:
                    with self.subTest(case=case, places=places, workers=workers):
                        run = self.run_program(program, case, places=places, workers=workers)
                        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_examples_are_not_reported(self) -> None:
        (self.folder / "text").write_text("the quick brown fox jumps over the lazy dog\n" * 300)
        programs = {
            "uts": ["T1:6"],
            "word_count": ["text", "4"],
            "k_core": ["1000", "6000"],
            "heat": ["40", "9"],
            "diffusion": ["rod", "40", "9"],
            "sample_sort": ["20000"],
        }
        self.assertEqual(set(programs), {f.stem for f in self.examples.glob("*.cpp")})
        for name, words in programs.items():
            for places, workers in LAYOUTS:
                with self.subTest(program=name, places=places, workers=workers):
                    run = self.run_program(name, *words, places=places, workers=workers)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertNotIn("race", run.stderr)

    def test_a_report_says_whose_memory_it_is_and_who_accesses_it(self) -> None:
        run = self.run_program("racy", "calls_of_two_tasks", places="2", workers="1")
        self.assertRegex(run.stderr, r"write of 8 bytes at \S*racy.cpp:\d+ in operator\(\), by a call from \S*racy.cpp")
        self.assertRegex(run.stderr, r"memory: global variable `.*total`")
        run = self.run_program("racy", "handlers_of_a_place", places="2", workers="1")
        self.assertIn("memory: segment of place 1, offset ", run.stderr)
        run = self.run_program("racy", "heap_of_two_tasks", places="2", workers="1")
        self.assertRegex(run.stderr, r"by a task made at \S*racy.cpp:\d+, at place 0")
        self.assertIn("memory: heap, address 0x", run.stderr)
        run = self.run_program("racy", "vector_of_two_tasks", places="1", workers="1")
        self.assertRegex(run.stderr, r"racy.cpp:\d+ in operator\(\)")

    def test_other_fabrics_and_delays_are_refused(self) -> None:
        for words in (["--fabric", "checked"], ["--fabric", "hostile"], ["--delay", "1us"], ["--no-window"]):
            with self.subTest(words=words):
                run = self.call("run", *words, "-n", "2", "./ordered_places", "by_a_reply")
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn("--races", run.stderr)
                self.assertIn("fabric smp", run.stderr)

    def test_wrong_uses_of_the_option_are_refused(self) -> None:
        source = str(self.sources / "racy.cpp")
        for words in (["--races", "--shared"], ["--races", "--machine", "nemesys-2x2"]):
            run = self.call("c++", *words, source, "-o", "never")
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("--races", run.stderr)
        self.assertEqual(self.call("c++", "-O0", "-c", source, "-o", "plain.o").returncode, 0)
        run = self.call("c++", "--races", "plain.o", "-o", "never")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("plain.o was compiled without --races", run.stderr)


if __name__ == "__main__":
    Races.tess, Races.sources, Races.examples = (Path(word).resolve() for word in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
