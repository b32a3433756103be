"""checks_test: docs/papers/checks.md is what `./tess reproduce checks` makes of reference/ and docs/results; every link
of the reports leads to a file, and to a place in it.
"""

import re
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

    def test_links_of_the_reports_lead_somewhere(self):
        texts = {page: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "results").rglob("*.html")}
        self.assertTrue(texts)
        for page, text in texts.items():
            for link in set(re.findall(r'href="([^"]+)"', text)):
                file, _, place = link.partition("#")
                aim = (page.parent / file).resolve() if file else page
                with self.subTest(page=str(page.relative_to(ROOT)), link=link):
                    self.assertTrue(aim.is_file())
                    if place:
                        self.assertRegex(texts[aim], rf'id="?{place}[ ">]')


if __name__ == "__main__":
    unittest.main()
