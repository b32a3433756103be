"""tiles: how PEs on the tiles of a simulated machine end, and what misuse says there.

Programs that were compiled without optimisation call the library for each word, which checks; with it, a word is an
instruction, and the machine reports what it may not do.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["SHMEM_PROGRAMS"])
EXAMPLE = Path(__file__).parent / "examples" / "ring.c"
MACHINE = "nemesys-2x2"


def run(program: str, *words: str, options: tuple = (), **environment: str) -> subprocess.CompletedProcess:
    command = [os.environ["TESS"], "run", "--machine", MACHINE, *options, str(PROGRAMS / program), *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=100, check=False, env=dict(os.environ, **environment)
    )


class Misuse(unittest.TestCase):
    def ends(self, program: str, misuse: str, code: int, *texts: str) -> None:
        with self.subTest(program=program, misuse=misuse):
            ran = run(program, misuse)
            self.assertEqual(ran.returncode, code, ran.stderr)
            for text in texts:
                self.assertRegex(ran.stderr, text)

    def test_is_reported_by_the_library(self):
        not_symmetric = r"are not symmetric; expected memory of shmem_malloc \(0x\w+ to 0x\w+\) or a static"
        for misuse, texts in {
            "before init": ("shmem_long_put", "outside of shmem_init"),
            "PE too large": ("PE 2: shmem_long_put", "there is no PE 3; expected 0 to 2"),
            "PE of a word": ("shmem_long_p", "there is no PE 3"),
            "stack": ("shmem_long_put", not_symmetric),
            "malloc": ("shmem_putmem", not_symmetric),
            "misaligned atomic": ("shmem_long_atomic_inc", "a word that is not aligned"),
            "comparison": ("shmem_long_wait_until", "comparison 9"),
            "free of a static": ("shmem_free", "an address that no object has"),
            "clear of a free lock": ("shmem_clear_lock", "a lock that nobody has"),
            "root": ("shmem_long_broadcast", "there is no root 3"),
            "a word after finalize": ("shmem_long_p", "outside of shmem_init and shmem_finalize"),
        }.items():
            self.ends("tiles_errors", misuse, 2, *texts)

    def test_names_the_place_in_the_program(self):
        ran = run("tiles_errors", "PE of a word")
        self.assertRegex(ran.stderr, r"shmem: PE 2: shmem_long_p \(pc 0x[0-9a-f]+\): there is no PE 3")

    def test_of_words_that_are_instructions_traps(self):
        self.ends("tiles_errors_optimized", "PE of a word", 1, "of object 4: the look-aside buffer has no such object")
        self.ends("tiles_errors_optimized", "misaligned atomic", 1, "of object 1: not a multiple of 8")

    def test_of_words_that_are_messages(self):
        self.ends("tiles_errors_messages", "PE of a word", 2, "there is no PE 3; expected 0 to 2")


class TheEnd(unittest.TestCase):
    def test_is_that_of_the_first_that_fails(self):
        for how, code, text in (
            ("exit", 3, "PE 1 of 3 ended with 3; the others are ended"),
            ("global_exit", 5, ""),
            ("6", 134, "SIGABRT"),
        ):
            for activity in ("barrier", "reduce", "lock", "wait"):
                with self.subTest(how=how, activity=activity):
                    ran = run("tiles_failures", how, "1", "3", activity)
                    self.assertEqual(ran.returncode, code, ran.stderr)
                    self.assertIn(text, ran.stderr)
                    self.assertEqual(ran.stdout, "running\n")

    def test_comes_when_all_wait_for_one_that_has_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "leaves.c"
            source.write_text(
                "#include <shmem.h>\n#include <stdlib.h>\n"
                "int main(void) { shmem_init(); if (shmem_my_pe() == 1) exit(0); shmem_barrier_all(); return 0; }\n"
            )
            program = Path(folder) / "leaves"
            compile_ = [os.environ["TESS"], "cc", "--machine", MACHINE, str(source), "-o", str(program)]
            self.assertEqual(subprocess.run(compile_, timeout=100, check=False).returncode, 0)
            ran = run(str(program))
            self.assertEqual(ran.returncode, 1, ran.stderr)
            self.assertIn("every thread waits, and none can wake another", ran.stderr)

    def test_is_good_if_all_finish(self):
        ran = run("tiles_failures", "finish", "0", "5", "reduce")
        self.assertEqual((ran.returncode, ran.stdout), (0, "running\nfinished\n"), ran.stderr)
        self.assertEqual(run("tiles_failures", "code", "2", "5", "barrier").returncode, 3)


class TheHeap(unittest.TestCase):
    def test_has_the_size_that_was_set(self):
        ran = run("tiles_errors", "heap exhausted", SHMEM_SYMMETRIC_SIZE="3000000")
        self.assertEqual((ran.returncode, ran.stdout), (0, "10 objects\n"), ran.stderr)


class WithoutTime(unittest.TestCase):
    def test_there_are_no_PEs(self):
        ran = run("tiles_example_ring", options=("--timing", "off"))
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn("there are no tiles; expected a machine with time", ran.stderr)


class SeveralPEsOnATile(unittest.TestCase):
    def test_are_12_on_three_tiles_of_four_harts(self):
        ran = run("tiles_words_shared", options=("--pes-per-tile", "4"))
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_need_a_program_that_was_compiled_for_them(self):
        for options, program, text in (
            (("--pes-per-tile", "4"), "tiles_example_ring", "is for one PE a tile; compile it with"),
            (("--pes-per-tile", "5"), "tiles_words_shared", "a tile of nemesys-2x2 has 4 harts for programs"),
            (("--pes-per-tile", "2"), "tiles_statics_shared", "2 PEs of this program do not fit into a tile"),
            (("--pes-per-tile", "0"), "tiles_words_shared", "--pes-per-tile"),
            (("--pes-per-tile", "4", "-n", "13"), "tiles_words_shared", "nemesys-2x2 has 12 harts for programs"),
        ):
            with self.subTest(options=options):
                ran = run(program, options=options)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertIn(text, ran.stderr)

    def test_are_compiled_by_one_option(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "ring"
            compile_ = [os.environ["TESS"], "cc", "--machine", MACHINE, "--pes-per-tile", "3", str(EXAMPLE)]
            self.assertEqual(subprocess.run([*compile_, "-o", str(program)], timeout=100, check=False).returncode, 0)
            ran = run(str(program), options=("--pes-per-tile", "3"))
            self.assertEqual((ran.returncode, ran.stdout), (0, "the sum of 9 PEs is 36\n"), ran.stderr)
            # It is still a program with one PE a tile.
            self.assertEqual(run(str(program)).stdout, "the sum of 3 PEs is 3\n")
        for options, text in (
            (["--machine", MACHINE, "--pes-per-tile", "65"], "give a number of PEs from 1 to 64"),
            (["--pes-per-tile", "2"], "is for tiles; give --machine NAME"),
        ):
            command = [os.environ["TESS"], "cc", *options, str(EXAMPLE), "-o", "/dev/null"]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(text, ran.stderr)


class Commands(unittest.TestCase):
    def test_refuse_a_machine_that_does_not_exist(self):
        command = [os.environ["TESS"], "cc", "--machine", "nemesys-9x9", str(EXAMPLE), "-o", "/dev/null"]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn('no machine "nemesys-9x9"', ran.stderr)

    def test_refuse_machines_whose_tiles_share_nothing(self):
        for machine in ("mppa-256", "dir-4"):
            command = [os.environ["TESS"], "run", "--machine", machine, str(PROGRAMS / "tiles_example_ring")]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual(ran.returncode, 2, machine)
            self.assertIn("choose another machine", ran.stderr)


if __name__ == "__main__":
    unittest.main()
