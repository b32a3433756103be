"""mismatches: a checked job ends with 2 when PEs call collectives differently, and names both calls and their lines.

`programs/mismatches.c` has a case for each.
"""

import os
import re
import subprocess
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["SHMEM_PROGRAMS"])
SOURCE = Path(__file__).parent / "programs" / "mismatches.c"
ANOTHER = r"another call than PE \d of all PEs; expected the same collectives in the same order"
# The case: a pattern of what is said, and a call of each side.
CASES = {
    "nelems": (r"nelems is [45], but at PE \d [45]; expected the same nelems at all PEs", "shmem_long_fcollect", None),
    "root": (r"PE_root is [01], but at PE \d [01]; expected the same PE_root", "shmem_long_broadcast", None),
    "type": (ANOTHER, "shmem_int_sum_reduce", "shmem_long_sum_reduce"),
    "operation": (ANOTHER, "shmem_long_max_reduce", "shmem_long_sum_reduce"),
    "order": (ANOTHER, "shmem_barrier_all", "shmem_long_alltoall"),
    "malloc": (r"size is 1000?, but at PE \d 1000?; expected the same size", "shmem_malloc", None),
    "malloc at some": (ANOTHER, "shmem_malloc", "shmem_barrier_all"),
    "free": (r"another ptr than PE \d; expected the same ptr", "shmem_free", None),
    # Two of three PEs meet, and may have come to the end when the third calls them.
    "active set": (
        rf"(with (all PEs|2 PEs from 0), but PE \d waits for it with (all PEs|2 PEs from 0)|{ANOTHER})",
        "shmem_(barrier|finalize)",
        None,
    ),
    "teams in another order": (
        r"with (all PEs|2 PEs from 1), but PE \d waits for it with (all PEs|2 PEs from 1)",
        "shmem_team_sync",
        "shmem_sync_all",
    ),
    "split": (r"size is [23], but at PE \d [23]; expected the same size", "shmem_team_split_strided", None),
    "stride": (r"sst is [12], but at PE \d [12]; expected the same sst", "shmem_long_alltoalls", None),
    "dest": (r"another dest than PE \d; expected the same dest", "shmem_long_sum_reduce", None),
    "dest on the stack": ("dest is not symmetric; expected memory of shmem_malloc or a", "shmem_long_sum_reduce", None),
    "finalize": (ANOTHER, "shmem_barrier_all", "shmem_finalize"),
    "overlap": ("source and dest overlap by 16 bytes; expected buffers that are the same or", "shmem_long_sum", None),
    "overlap of a put": ("source and dest overlap by 16 bytes", "shmem_long_put", None),
    "misaligned": ("a word that is not aligned; expected a multiple of 8", "shmem_long_atomic_inc", None),
}
ALONE = {"dest on the stack", "overlap", "overlap of a put", "misaligned"}


def run(case: str) -> subprocess.CompletedProcess:
    command = [os.environ["TESS"], "run", "--fabric", "checked", "-n", "3", str(PROGRAMS / "mismatches"), case]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


class Mismatches(unittest.TestCase):
    def test_are_reported_with_both_calls(self):
        for case, (what, call, other) in CASES.items():
            with self.subTest(case=case):
                ran = run(case)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                line = r" \(mismatches\.c:\d+\)"
                calls = f"({call}|{other or call})\\w*{line}"
                end = "" if case in ALONE else rf".*; PE \d calls {calls}"
                self.assertRegex(ran.stderr, rf"shmem: PE \d: {calls}: {what}{end}")
                if other is not None:
                    self.assertIn(call, ran.stderr)
                    self.assertIn(other, ran.stderr)

    def test_have_a_case_for_each_in_the_program(self):
        self.assertEqual(set(re.findall(r'CASE\("([^"]+)"\)', SOURCE.read_text())), set(CASES))


if __name__ == "__main__":
    unittest.main()
