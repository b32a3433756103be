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


    def test_oshcxx_compiles_without_the_runtime(self):
        self.compiles_and_runs(TESS.parent / "oshc++", "mixed.cpp", "-std=c++17")
        command = run(TESS.parent / "oshc++", "-show", "a.cpp").stdout
        self.assertNotIn("libtessera.a", command)

    def test_wrappers_say_what_they_add_as_others_do(self):
        for show in ("-show", "--show", "-showme", "--showme"):
            said = run(TESS.parent / "oshcc", show, "-c", "a.c").stdout
            self.assertRegex(said, r"^clang-19 -O3 -I\S+ .*-c a\.c\n$")
        compiling = run(TESS.parent / "oshcc", "--showme:compile").stdout.split()
        linking = run(TESS.parent / "oshcc", "-showme:link").stdout.split()
        self.assertEqual(run(TESS.parent / "oshcc", "--showme:command").stdout, "clang-19\n")
        with tempfile.TemporaryDirectory() as folder:
            made = run("clang-19", *compiling, HERE / "examples" / "ring.c", "-o", "ring", *linking, folder=folder)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.assertEqual(run(TESS.parent / "oshrun", "-np", 2, "./ring", folder=folder).returncode, 0)
        asked = run(TESS.parent / "oshcc", "--showme:libs")
        self.assertEqual(asked.returncode, 2)
        self.assertIn("give --showme, or with :command, :compile or :link", asked.stderr)
        self.assertEqual(run(TESS.parent / "oshcc", "--version").returncode, 0)


class Launchers(unittest.TestCase):
    def test_take_options_of_other_launchers(self):
        many = "--oversubscribe --allow-run-as-root -np 3 --bind-to none --mca btl self --map-by core -H localhost:4"
        for words in (many, "-n3 --mpi=pmix --ntasks-per-node=3", "-c 3 -q", "--np=3 -genvall", "--host localhost:3"):
            with self.subTest(words=words):
                ran = run(TESS.parent / "oshrun", *words.split(), PROGRAMS / "example_ring")
                self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "the sum of 3 PEs is 3\n", ""))

    def test_pass_variables_and_enter_a_folder(self):
        words = ["-np", 1, "-x", "FIRST=1 2", "-x", "PATH", "-genv", "SECOND", "3", "-wdir", "/"]
        ran = run(TESS.parent / "oshrun", *words, "sh", "-c", "echo $FIRST $SECOND $PWD")
        self.assertEqual((ran.returncode, ran.stdout), (0, "1 2 3 /\n"))

    def test_refuse_what_they_do_not_know(self):
        for words, said in (
            ("-np 2 --hostfile x ./a", "--hostfile is not known here; give --host node1:2,node2:2"),
            ("-np 2 -timeout 3 ./a", "-timeout is not known here; give `timeout SECONDS oshrun ...`"),
            ("-np 1 true : -np 1 true", "`:` would start another program; give one program for all PEs"),
            ("-np 3 -H elsewhere:2 ./a", "the hosts have 2 slots for 3 PEs; give each its share, as node1:3"),
            ("-H elsewhere:x ./a", '"elsewhere:x" will not do as hosts; give node1:2,node2:2'),
            ("-wdir /nowhere ./a", "cannot enter /nowhere: No such file or directory"),
            ("-mca btl", "-mca needs two values"),
        ):
            with self.subTest(words=words):
                ran = run(TESS.parent / "oshrun", *words.split())
                self.assertEqual((ran.returncode, ran.stdout), (2, ""))
                self.assertIn(f"tess: oshrun: {said}", ran.stderr)
        ran = run(TESS, "run", "--bind-to", "none", PROGRAMS / "example_ring")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--bind-to is an option of other launchers; oshrun takes it", ran.stderr)

    def test_refuse_what_only_tasks_have(self):
        for words in ("--delay 3us", "--workers 2", "--fabric hostile", "--fabric ucx --delay=3us"):
            with self.subTest(words=words):
                option = "--delay" if "--delay" in words else words.replace(" 2", "")
                for command in (["tess", "run"], ["oshrun"]):
                    ran = run(TESS.parent / command[0], *command[1:], *words.split(), PROGRAMS / "example_ring")
                    self.assertEqual((ran.returncode, ran.stdout), (2, ""))
                    self.assertIn(f"{option} would do nothing: {PROGRAMS / 'example_ring'} is a program", ran.stderr)
        # Each PE has a job of its own there.
        ran = run(TESS, "run", "-n", 2, "--workers", 2, "--delay", "3us", PROGRAMS / "with_tessera")
        self.assertEqual(ran.returncode, 0, ran.stderr)

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

    def test_print_the_version_and_the_variables_where_asked(self):
        ran = run(TESS.parent / "oshrun", "-np", 2, PROGRAMS / "example_ring", SHMEM_VERSION="1", SMA_INFO="")
        self.assertEqual(ran.returncode, 0)
        self.assertRegex(ran.stderr, r"^Tessera: OpenSHMEM 1\.6\nSHMEM_VERSION  .*\nSHMEM_INFO  .*\n")

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
