"""races: `tess run --fabric checked` reports each planted race with both lines, and is silent where they are ordered.

It is silent for the programs of the other tests, too. `programs/races.c` has the cases.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TESS = os.environ["TESS"]
PROGRAMS = Path(os.environ["SHMEM_PROGRAMS"])
HERE = Path(__file__).parent
SOURCE = HERE / "programs" / "races.c"
LINES = SOURCE.read_text().splitlines()
# The case: what both lines do to which memory; `and` stands between the two, in whichever order.
CASES = {
    1: ("put_put", "`target` + 504 of PE 0", "written by PE 1 in shmem_long_put", "written by PE 2 in shmem_long_put"),
    2: ("p_p", "`word` of PE 0", "written by PE 1 in shmem_long_p", "written by PE 2 in shmem_long_p"),
    3: ("put_get", "`target` of PE 0", "written by PE 1 in shmem_long_put", "read by PE 2 in shmem_long_get"),
    4: (
        "atomic_and_p",
        "`word` of PE 0",
        "changed atomically by PE 1 in shmem_long_atomic_add",
        "written by PE 2 in s",
    ),
    5: (
        "put_and_fetch",
        "`target` + 16 of PE 0",
        "written by PE 1 in ",
        "read atomically by PE 2 in shmem_long_atomic_f",
    ),
    6: (
        "flag_without_fence",
        "`target` of PE 0",
        "written by PE 1 in shmem_long_put",
        "read by PE 0 in shmem_long_put",
    ),
    7: ("fence_for_another", "`target` of PE 2", "written by PE 1 in shmem_long_put", "read by PE 0 in shmem_long_get"),
    8: ("signal_after_put", "`target` of PE 0", "written by PE 1 in shmem_long_put", "read by PE 0 in shmem_long_put"),
    9: ("sync_is_no_barrier", "`word` of PE 0", "written by PE 1 in shmem_long_p", "read by PE 2 in shmem_long_g"),
    10: ("without_lock", "`word` of PE 0", "read by PE ", "written by PE "),
    11: ("strides", "`target` of PE 0", "written by PE 1 in shmem_long_iput", "written by PE 2 in shmem_long_iput"),
    12: (
        "bytes_of_a_word",
        "`bytes` + 3 of PE 0",
        "written by PE 1 in shmem_putmem",
        "written by PE 2 in shmem_putmem",
    ),
    13: ("source_of_nbi", "`block` + 56 of PE 1", "shmem_long_put_nbi", "shmem_long_get"),
    14: ("dest_of_nbi", "`block` of PE 1", "shmem_long_get_nbi", "shmem_long_put"),
    15: (
        "buffer_of_collective",
        "`block` + 8 of PE 0",
        "written by PE 1 in shmem_long_p",
        "read by PE 0 in shmem_long_sum",
    ),
    16: ("failed_test", "`target` of PE 0", "written by PE 1 in shmem_long_put", "written by PE 2 in shmem_long_put"),
    17: ("after_broadcast", "`word` of PE 2", "written by PE 1 in shmem_long_p", "written by PE 0 in shmem_long_p"),
    18: ("wait_for_any", "`target` + 16 of PE 0", "written by PE 2 in shmem_long_p", "read by PE 0 in shmem_long_put"),
    19: ("chain_of_atomics", "`target` of PE 0", "written by PE 1 in shmem_long_put", "read by PE 2 in shmem_long_get"),
    20: (
        "in_the_heap",
        "the 160 bytes + 24 of PE 0 that came from shmem_malloc",
        "written by PE 1 in",
        "written by PE 2 in",
    ),
    21: ("ended_context", "`target` of PE 0", "written by PE 1 in shmem_ctx_long_put", "read by PE 2 in shmem_long"),
    22: ("by_way_of_another", "`target` of PE 0", "written by PE 1 in shmem_long_put", "written by PE 2 in shmem_l"),
    23: ("polled_atomic", "`word` of PE 0", "changed atomically by PE 1 in shmem_long_at", "written by PE 0 in "),
    24: ("dest_of_another", "`target` of PE 0", "written by PE 0 in shmem_long_max", "read by PE 2 in shmem_long_get"),
}
INCOMPLETE = {6, 7, 8, 9, 21}


def run(*words: object, pes: int = 3) -> subprocess.CompletedProcess:
    command = [TESS, "run", "--fabric", "checked", "-n", str(pes), *(str(w) for w in words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def line_of(case: int, which: str) -> int:
    return next(n for n, line in enumerate(LINES, 1) if line.endswith(f"// {case} {which}"))


class PlantedRaces(unittest.TestCase):
    def test_are_reported_with_both_lines(self):
        for case, (name, memory, first, second) in CASES.items():
            with self.subTest(case=case, name=name):
                ran = run(PROGRAMS / "races", case)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                reports = [line for line in ran.stderr.splitlines() if line.startswith("shmem: race: ")]
                places = [f"(races.c:{line_of(case, which)})" for which in ("first", "second")]
                both = [r for r in reports if all(p in r for p in places)]
                self.assertTrue(both, ran.stderr)
                for text in (memory, first, second):
                    self.assertIn(text, both[0])
                self.assertRegex(ran.stderr, r"tess: \d+ races?\n")

    def test_say_which_quiet_is_missing(self):
        for case in INCOMPLETE:
            with self.subTest(case=case):
                self.assertIn("expected shmem_quiet at PE 1 before it tells PE ", run(PROGRAMS / "races", case).stderr)

    def test_are_reported_once(self):
        self.assertEqual(run(PROGRAMS / "races", 1).stderr.count("shmem: race: "), 1)

    def test_are_none_where_the_accesses_are_ordered(self):
        for case in CASES:
            with self.subTest(case=case):
                ran = run(PROGRAMS / "races", case, "ordered")
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_have_a_case_for_each_in_the_program(self):
        self.assertEqual(set(re.findall(r"// (\d+) first", SOURCE.read_text())), {str(case) for case in CASES})


class ProgramsOfOtherTests(unittest.TestCase):
    def test_have_none(self):
        names = "rma atomics signals waits collectives reductions active_sets contexts corners locks memory"
        names += " old_names setup teams threads words_clang_O2 atomics_profiling rma_cxx"
        names += " old_halo_clang old_sgi_sums_clang statics_clang_pie statics_clang_static"
        examples = [p.stem for p in (HERE / "examples").iterdir() if p.stem != "with_tessera"]
        for name in names.split() + [f"example_{stem}" for stem in examples]:
            for pes in (2, 3):
                with self.subTest(program=name, pes=pes):
                    ran = run(PROGRAMS / name, pes=pes)
                    self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_have_none_in_the_litmus_programs_that_the_model_allows(self):
        ran = run(PROGRAMS / "litmus", 500, "ordered", pes=4)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))


OWN = """#include <shmem.h>
#include <stdatomic.h>
#include <string.h>
static long word, block[8], flag;
static _Atomic long told;
static struct { char c; long l; } pair;
int main(int argc, char** argv) {
  shmem_init();
  int const me = shmem_my_pe(), ordered = argc > 2;
  switch (argv[1][0]) {
    case '1':
      if (me == 0) word = 1;  // first 1
      if (ordered) shmem_barrier_all();
      if (me == 1) shmem_long_p(&word, 2, 0);  // second 1
      break;
    case '2':
      if (me == 1) shmem_long_put(block, &word, 1, 0);  // first 2
      if (ordered && me == 1) shmem_fence();
      if (me == 1) shmem_long_p(&flag, 1, 0);
      if (me == 0) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
      if (me == 0 && block[0] != 0) return 1;  // second 2
      break;
    case '3':
      if (me == 1) shmem_long_put_nbi(block, block, 8, 0);  // first 3
      if (ordered) shmem_quiet();
      if (me == 1) memset(block, 0, sizeof block);  // second 3
      break;
    case '4': {
      long* const there = shmem_ptr(block, 0);
      if (me == 1) there[3] = 1;  // first 4
      if (ordered) shmem_sync_all();
      if (me == 0 && shmem_long_g(&block[3], 0) == 7) return 1;  // second 4
      break;
    }
    case '5': {
      _Atomic long* const there = shmem_ptr(&told, 0);
      if (me == 1) {
        ((long*)shmem_ptr(block, 0))[0] = 1;  // first 5
        if (ordered) atomic_store(there, 1);
      }
      while (me == 0 && ordered && atomic_load(&told) == 0) {
      }
      if (me == 0) block[0] = 2;  // second 5
      break;
    }
    case '6':
      if (me == 0) {
        if (ordered) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        for (long volatile* seen = &flag; *seen == 0;) {  // first 6
        }
      }
      if (me == 1) shmem_long_p(&flag, 1, 0);  // second 6
      break;
    case '7':
      if (me == 0) pair.c = 1;  // first 7
      if (me == 1) shmem_putmem(ordered ? (void*)&pair.l : (void*)&pair, "abcdefgh", 8, 0);  // second 7
      break;
  }
  shmem_finalize();
  return 0;
}
"""


class OwnAccesses(unittest.TestCase):
    """Loads and stores of programs that `tess cc --races` compiles."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def compile(self, source: Path) -> Path:
        program = self.folder / source.stem
        options = ["--races", "-O0", f"-I{HERE / 'programs'}", f"-I{PROGRAMS.parents[1] / 'tests' / 'shmem'}"]
        command = [TESS, "cc", *options, str(source), "-o", str(program), "-lm", "-pthread"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        return program

    def test_race_with_those_of_other_pes(self):
        source = self.folder / "own.c"
        source.write_text(OWN)
        program = self.compile(source)
        lines = OWN.splitlines()
        for case in range(1, 8):
            with self.subTest(case=case):
                ran = run(program, case, pes=2)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                for which in ("first", "second"):
                    line = next(n for n, text in enumerate(lines, 1) if text.endswith(f"// {which} {case}"))
                    self.assertIn(f"(own.c:{line})", ran.stderr)
                ran = run(program, case, "ordered", pes=2)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_of_a_program_in_c_plus_plus_race(self):
        source = self.folder / "own.cpp"
        source.write_text(
            "#include <shmem.h>\nnamespace here { long word; }\nint main() {\n  shmem_init();\n"
            "  if (shmem_my_pe() == 0) here::word = 1;\n  else shmem_p(&here::word, 2L, 0);\n  shmem_finalize();\n}\n"
        )
        for command in (["-c", "own.cpp", "-o", "own.o"], ["own.o", "-o", "own"]):
            made = subprocess.run([TESS, "c++", "--races", "-O0", *command], cwd=self.folder, check=False)
            self.assertEqual(made.returncode, 0)
        ran = run(self.folder / "own", pes=2)
        for text in ("`here::word` of PE 0", "written by PE 0 in a store (own.cpp:5)", "in shmem_long_p (own.cpp:6)"):
            self.assertIn(text, ran.stderr)

    def test_of_a_job_that_is_not_checked_are_left_alone(self):
        source = self.folder / "own.c"
        source.write_text(OWN)
        program = str(self.compile(source))
        ran = subprocess.run([TESS, "run", "-n", "2", program, "1"], capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_of_other_programs_do_not_race(self):
        # active_sets.c reads words while they are written.
        names = "signals waits collectives contexts locks memory old_names setup teams threads"
        sources = [HERE / "programs" / f"{name}.c" for name in names.split()] + sorted((HERE / "examples").glob("*.c"))
        for source in sources:
            with self.subTest(program=source.stem):
                ran = run(self.compile(source))
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))


class CheckedJobs(unittest.TestCase):
    def test_run_on_many_pes(self):
        ran = run(PROGRAMS / "example_integer_sort", pes=40)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(run(PROGRAMS / "races", 4, pes=40).returncode, 2)

    def test_forget_no_order_when_the_tables_are_full(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "full.c").write_text(
                """#include <shmem.h>
enum { items = 3 << 20 };
static long flag;
int main(void) {
  shmem_init();
  int const me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
  long* const here = shmem_calloc(items, sizeof(long));
  for (int round = 1; round < 3; ++round) {
    shmem_long_put(here, here + items / 2, items / 2, next);
    shmem_fence();
    shmem_long_p(&flag, round, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
    shmem_long_put(here + items / 2, here, items / 2, me);
    shmem_barrier_all();
  }
  for (int i = 0; i < items; i += 4) shmem_long_atomic_add(here + i, 1, next);
  shmem_finalize();
  return 0;
}
"""
            )
            program = str(Path(folder, "full"))
            made = subprocess.run([TESS, "cc", "-g", program + ".c", "-o", program], capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr)
            ran = run(program, pes=2)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
