"""checks_test: docs/papers/checks.md is what `./tess reproduce checks` makes of reference/ and docs/results."""

import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Checks(unittest.TestCase):
    def test_the_page_of_all_claims_is_not_stale(self):
        command = [sys.executable, "-P", "-m", "tessera.reproduce", "checks", "--check"]
        environment = {"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
