"""errors: each misuse ends the program with 2 and names the call, its line in the program and what was expected.

`programs/errors.c` makes the misuse that its argument says, compiled without and with optimisation, where words are
inlined.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["SHMEM_PROGRAMS"])
SOURCE = Path(__file__).parent / "programs" / "errors.c"
BETWEEN = "a call between them"
SYMMETRIC = r"memory of shmem_malloc \(0x\w+ to 0x\w+\) or a static of the program \(0x\w+ to 0x\w+\)"
CONTEXT = "SHMEM_CTX_DEFAULT, or a context that was made and not destroyed"
TEAM = "SHMEM_TEAM_WORLD, or a team that was made and not destroyed"
# The misuse: the call, what was wrong, what was expected.
MISUSES = {
    "before init": ("shmem_long_put", "outside of shmem_init", BETWEEN),
    "a word before init": ("shmem_long_p", "outside of shmem_init", BETWEEN),
    "my_pe before init": ("shmem_my_pe", "outside of shmem_init", BETWEEN),
    "barrier before init": ("shmem_barrier_all", "outside of shmem_init", BETWEEN),
    "malloc before init": ("shmem_malloc", "outside of shmem_init", BETWEEN),
    "finalize before init": ("shmem_finalize", "outside of shmem_init", "a shmem_init for each shmem_finalize"),
    "thread level": ("shmem_init_thread", "thread level 17", "SHMEM_THREAD_SINGLE to SHMEM_THREAD_MULTIPLE"),
    "PE too large": ("shmem_long_put", "there is no PE 3", "0 to 2"),
    "negative PE": ("shmem_long_get", "there is no PE -1", "0 to 2"),
    "PE of a word": ("shmem_long_p", "there is no PE 3", "0 to 2"),
    "PE of an atomic": ("shmem_long_atomic_inc", "there is no PE -3", "0 to 2"),
    "PE of a quiet": ("shmem_pe_quiet", "there is no PE 3", "0 to 2"),
    "negative PE of a quiet": ("shmem_pe_quiet", "there is no PE -1", "0 to 2"),
    "stack": ("shmem_long_put", r"32 bytes at 0x\w+ are not symmetric", SYMMETRIC),
    "stack of a word": ("shmem_long_p", r"8 bytes at 0x\w+ are not symmetric", SYMMETRIC),
    "null": ("shmem_int_get", "16 bytes at 0x0 are not symmetric", SYMMETRIC),
    "malloc": ("shmem_putmem", r"8 bytes at 0x\w+ are not symmetric", SYMMETRIC),
    "beyond the heap": ("shmem_putmem", r"4611686018427387904 bytes at 0x\w+ are not symmetric", SYMMETRIC),
    "negative size": ("shmem_long_put", r"bytes at 0x\w+ are not symmetric", SYMMETRIC),
    "misaligned atomic": ("shmem_long_atomic_inc", "a word that is not aligned", "a multiple of 8"),
    "misaligned signal": ("shmem_putmem_signal", "a word that is not aligned", "a multiple of 8"),
    "signal operation": ("shmem_putmem_signal", "signal operation 7", "SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD"),
    "stride": ("shmem_long_iput", "strides of 0 and 1", "at least 1"),
    "comparison": ("shmem_long_wait_until", "comparison 9", "SHMEM_CMP_EQ, NE, GT, LE, LT or GE"),
    "free of a wrong address": ("shmem_free", "an address that no object has", "one that shmem_malloc returned"),
    "free of a static": ("shmem_free", "an address that no object has", "one that shmem_malloc returned"),
    "realloc of a wrong address": ("shmem_realloc", "an address that no object has", "one that shmem_malloc returned"),
    "clear of a free lock": ("shmem_clear_lock", "a lock that nobody has", "shmem_set_lock first"),
    "lock on the stack": ("shmem_set_lock", r"8 bytes at 0x\w+ are not symmetric", SYMMETRIC),
    "invalid context": ("shmem_ctx_long_put", "an invalid context", CONTEXT),
    "used after its destruction": ("shmem_ctx_long_put", "an invalid context", CONTEXT),
    "a word after its context's destruction": ("shmem_ctx_long_p", "an invalid context", CONTEXT),
    "quiet after its context's destruction": ("shmem_ctx_quiet", "an invalid context", CONTEXT),
    "destroyed twice": ("shmem_ctx_destroy", "a context that was destroyed", "a context of shmem_ctx_create"),
    "destroyed context": ("shmem_ctx_destroy", "a context that was destroyed", "a context of shmem_ctx_create"),
    "default context": ("shmem_ctx_destroy", "the default context", "a context of shmem_ctx_create"),
    "invalid team": ("shmem_team_sync", "an invalid team", TEAM),
    "team used after its destruction": ("shmem_team_sync", "an invalid team", TEAM),
    "reduction by a destroyed team": ("shmem_long_sum_reduce", "an invalid team", TEAM),
    "context of a destroyed team": ("shmem_team_create_ctx", "an invalid team", TEAM),
    "team destroyed twice": ("shmem_team_destroy", "a team that was destroyed", "a team of shmem_team_split_"),
    "world destroyed": ("shmem_team_destroy", "a team that the library made", "a team of shmem_team_split_"),
    "active set too large": ("shmem_barrier", "the active set of PE_start 0, .*PE_size 4", "PEs of the job"),
    "active set without this PE": ("shmem_barrier", "the active set of .* PE_size 2", "this one among them"),
    "negative stride": ("shmem_barrier", "the active set of .*logPE_stride -1", "PEs of the job"),
    "pSync on the stack": ("shmem_barrier", r"8 bytes at 0x\w+ are not symmetric", SYMMETRIC),
    "negative count": ("shmem_long_sum_to_all", "-5 items", "0 or more"),
    "root": ("shmem_long_broadcast", "there is no root 3", "0 to 2"),
    "stack in a collective": ("shmem_long_fcollect", r"8 bytes at 0x\w+ are not symmetric", SYMMETRIC),
    "PE of a team's context": ("shmem_ctx_long_p", "there is no PE 1 in the team", "0 to 0"),
    "after finalize": ("shmem_long_put", "outside of shmem_init and shmem_finalize", BETWEEN),
    "a word after finalize": ("shmem_long_p", "outside of shmem_init and shmem_finalize", BETWEEN),
    "atomic after finalize": ("shmem_long_atomic_inc", "outside of shmem_init and shmem_finalize", BETWEEN),
    "finalize twice": ("shmem_finalize", "outside of shmem_init", "a shmem_init for each shmem_finalize"),
}


def run(program: str, *words: str, pes: int = 3, **environment: str) -> subprocess.CompletedProcess:
    command = [str(Path(os.environ["TESS"]).parent / "oshrun"), "-np", str(pes), str(PROGRAMS / program), *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ, **environment)
    )


def line_of(misuse: str) -> int:
    """The last line of the source that names it has the call."""
    return max(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if f'"{misuse}"' in line)


class Misuse(unittest.TestCase):
    def is_reported_by(self, program: str, inlined: bool) -> None:
        for misuse, (call, what, expected) in MISUSES.items():
            # The processor's own instruction works at any address.
            if inlined and misuse == "misaligned atomic":
                continue
            with self.subTest(misuse=misuse):
                ran = run(program, misuse)
                line = rf" \(errors\.c:{line_of(misuse)}\)"
                # Two equal calls that are not of words may have become one, whose line the compiler does not know.
                if inlined and misuse == "finalize twice":
                    line = f"({line})?"
                self.assertRegex(ran.stderr, rf"shmem: (PE \d: )?{call}{line}: [^;]*{what}[^;]*; expected .*{expected}")
                self.assertEqual(ran.returncode, 2, ran.stderr)

    def test_names_the_call_and_its_line(self):
        self.is_reported_by("errors", False)

    def test_names_the_call_where_words_are_inlined(self):
        self.is_reported_by("errors_optimized", True)

    def test_of_an_inlined_atomic_is_noticed_where_calls_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = run("errors_optimized", "misaligned atomic", TESS_STATS=f"{folder}/counts.json")
        self.assertRegex(ran.stderr, "shmem_long_atomic_inc.*: a word that is not aligned; expected a multiple of 8")
        self.assertEqual(ran.returncode, 2)

    def test_has_a_case_for_each_in_the_program(self):
        self.assertEqual(set(re.findall(r'CASE\("([^"]+)"\)', SOURCE.read_text())), set(MISUSES) | {"heap exhausted"})


class TheHeap(unittest.TestCase):
    def test_returns_null_at_the_size_that_was_set(self):
        for size, bytes_ in (("10M", 10 << 20), ("3000000", 3000000), ("0.5m", 1 << 19), ("2G", 2 << 30)):
            ran = run("errors", "heap exhausted", SHMEM_SYMMETRIC_SIZE=size)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            objects = int(ran.stdout.split()[0])
            self.assertTrue(bytes_ / 300000 * 0.9 - 1 <= objects <= bytes_ / 300000 * 1.02, (size, objects))

    def test_has_no_limit_where_the_size_is_empty(self):
        ran = run("errors", "heap exhausted", SHMEM_SYMMETRIC_SIZE="", SMA_SYMMETRIC_SIZE="1.5m")
        self.assertEqual((ran.returncode, ran.stdout.split()[0]), (0, "5"))
        self.assertEqual(run("errors", "none", SHMEM_SYMMETRIC_SIZE="", SMA_SYMMETRIC_SIZE="").returncode, 0)

    def test_refuses_a_wrong_size(self):
        for size in ("much", "10X", "-5", "10MB", "0", "nan", "1e400"):
            ran = run("errors", "none", SHMEM_SYMMETRIC_SIZE=size)
            self.assertEqual(ran.returncode, 2, size)
            self.assertRegex(
                ran.stderr,
                rf"shmem_init \(errors\.c:\d+\): SHMEM_SYMMETRIC_SIZE is `{re.escape(size)}`; expected a number",
            )


class DifferentPrograms(unittest.TestCase):
    def test_in_one_job_are_refused(self):
        for other in ("example_ring", "errors_optimized"):
            first, second = str(PROGRAMS / "errors"), str(PROGRAMS / other)
            ran = run("other_program", first, second)
            self.assertEqual(ran.returncode, 2, ran.stderr)
            self.assertRegex(ran.stderr, r"shmem: PE [12]: shmem_init.*: this PE runs another program than PE 0")
            self.assertIn("expected the same program for all", ran.stderr)


if __name__ == "__main__":
    unittest.main()
