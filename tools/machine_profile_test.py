"""machine_profile_test: the profile has no path of one machine, and names the simulator's busiest functions."""

import re
import shutil
import subprocess
import unittest
from pathlib import Path

PROFILE = Path(__file__).parents[1] / "src" / "machine" / "machine.profdata"
SHOW = "llvm-profdata-19"
# In the path of each event, flit, and instruction; one that is renamed is compiled without the profile.
BUSY = ("6router4step", "12flit_network4step", "10timed_hart2go", "6kernel6run_on", "10l2_private7look_up",
        "4tile14execute_posted")  # fmt: skip


@unittest.skipUnless(shutil.which(SHOW), f"{SHOW} is not installed")
class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        show = [SHOW, "show", "--all-functions", "--counts", str(PROFILE)]
        cls.text = subprocess.run(show, capture_output=True, text=True, check=True).stdout
        block = re.compile(r"^  (\S+):\n    Hash: .*\n    Counters: .*\n(?:    Block counts: \[(.*)\])?", re.MULTILINE)
        blocks = block.findall(cls.text)
        cls.counts = {name: [int(n) for n in counts.split(",") if n.strip()] for name, counts in blocks}

    def test_names_have_no_path(self):
        self.assertGreater(len(self.counts), 4000)
        self.assertEqual([name for name in self.counts if "/" in name], [])

    def test_busy_functions_were_counted(self):
        for part in BUSY:
            found = [counts for name, counts in self.counts.items() if f"tess7machine{part}" in name]
            self.assertGreater(max((max(counts, default=0) for counts in found), default=-1), 100_000, part)


if __name__ == "__main__":
    unittest.main()
