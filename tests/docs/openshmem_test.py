"""openshmem: the program of docs/use/openshmem.md compiles and prints what the page shows.

TESS names the `tess` to use; without it, skipped.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from listings import blocks_of, commands_of, matches  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "use" / "openshmem.md"
TESS = os.environ.get("TESS")


@unittest.skipUnless(TESS, "TESS does not name a tess command")
class Page(unittest.TestCase):
    def test_shows_what_happens(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / "tess").symlink_to(Path(TESS).resolve())
        programs = [block for block in blocks_of(PAGE) if block.title.endswith(".c")]
        for program in programs:
            (folder / program.title).write_text(program.text)
        commands = commands_of(PAGE)
        self.assertTrue(programs and commands)
        for command in commands:
            done = subprocess.run(
                command.words, shell=True, cwd=folder, capture_output=True, text=True, timeout=100, check=False
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(matches(command.expected, done.stdout + done.stderr), done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
