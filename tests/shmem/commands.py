"""commands: programs are compiled and run by the names that other people's makefiles and scripts use."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TESS = Path(os.environ["TESS"])
PROGRAMS = Path(os.environ["SHMEM_PROGRAMS"])
HERE = Path(__file__).parent


def run(*words: object, folder: str | None = None, **environment: str) -> subprocess.CompletedProcess:
    command = [str(w) for w in words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, env=dict(os.environ, **environment)
    )


class Compilers(unittest.TestCase):
    def compiles_and_runs(self, compiler: Path, source: str, *options: str) -> None:
        with tempfile.TemporaryDirectory() as folder, self.subTest(source=source, options=options):
            made = run(compiler, *options, HERE / "examples" / source, "-o", "program", folder=folder)
            self.assertEqual(made.returncode, 0, made.stderr)
            # The static library loads PMIx where it is there, which the linker warns of.
            if "-static" not in options and "-static-pie" not in options:
                self.assertEqual(made.stderr, "")
            ran = run(TESS.parent / "oshrun", "-np", 3, "./program", folder=folder)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_oshcc(self):
        self.compiles_and_runs(TESS.parent / "oshcc", "ring.c")
        self.compiles_and_runs(TESS.parent / "oshcc", "ring.c", "-O0", "-g", "-Wall", "-Werror")
        self.compiles_and_runs(TESS.parent / "oshcc", "integer_sort.c", "-static")
        self.compiles_and_runs(TESS.parent / "oshcc", "integer_sort.c", "-static-pie")

    def test_oshcc_compiles_and_links_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "Makefile").write_text("ring: ring.o\n\t$(CC) $^ -o $@\nring.o: ring.c\n\t$(CC) -c $<\n")
            Path(folder, "ring.c").write_text((HERE / "examples" / "ring.c").read_text())
            made = run("make", f"CC={TESS.parent / 'oshcc'}", folder=folder)
            self.assertEqual(made.returncode, 0, made.stderr)
            ran = run(TESS.parent / "oshrun", "-n", 4, "./ring", folder=folder)
            self.assertEqual((ran.returncode, ran.stdout), (0, "the sum of 4 PEs is 6\n"))


class Launchers(unittest.TestCase):
    def test_take_the_number_of_pes_as_others_do(self):
        for words in (["oshrun", "-np", 5], ["oshrun", "-n", 5], ["tess", "run", "-n", 5]):
            ran = run(TESS.parent / words[0], *words[1:], PROGRAMS / "example_ring")
            self.assertEqual((ran.returncode, ran.stdout), (0, "the sum of 5 PEs is 10\n"), ran.stderr)

    def test_a_program_alone_is_one_pe(self):
        ran = run(PROGRAMS / "example_ring")
        self.assertEqual((ran.returncode, ran.stdout), (0, "the sum of 1 PEs is 0\n"))

    def test_pass_arguments_and_input_to_the_program(self):
        ran = run(TESS.parent / "oshrun", "-np", 2, PROGRAMS / "failures", "finish", 0, 3, "barrier")
        self.assertEqual((ran.returncode, ran.stdout), (0, "running\nfinished\n"))

    def test_many_pes_on_few_processors(self):
        ran = run(TESS.parent / "oshrun", "-np", 48, PROGRAMS / "example_lock")
        self.assertEqual((ran.returncode, ran.stdout), (0, "9600 turns\n"), ran.stderr)


class ATool(unittest.TestCase):
    def compile(self, folder: str, *words: object) -> None:
        made = run(TESS.parent / "oshcc", "-O2", "-DSHMEM_PROFILING", *words, folder=folder)
        self.assertEqual((made.returncode, made.stderr), (0, ""))

    def counts(self, ran: subprocess.CompletedProcess) -> None:
        self.assertEqual(ran.returncode, 0, ran.stderr)
        expected = [f"PE {pe}: 5 words, 1 atomics" for pe in range(2)]
        self.assertEqual(sorted(ran.stdout.splitlines()), expected)

    def test_that_is_linked_takes_the_place_of_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            sources = [HERE / "programs" / name for name in ("profiled.c", "profiling_tool.c")]
            header = PROGRAMS.parents[1] / "tests" / "shmem"
            self.compile(folder, *sources, f"-I{header}", "-o", "program")
            self.counts(run(TESS, "run", "-n", 2, "./program", folder=folder))

    def test_that_is_preloaded_takes_the_place_of_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            self.compile(folder, "-shared", "-fPIC", HERE / "programs" / "profiling_tool.c", "-o", "libtool.so")
            tool = str(Path(folder, "libtool.so"))
            self.counts(run(TESS, "run", "-n", 2, PROGRAMS / "profiled", folder=folder, LD_PRELOAD=tool))


if __name__ == "__main__":
    unittest.main()
