"""checks_test: docs/papers/checks.md, and what the reports say of each claim, are what `./tess reproduce checks` makes
of reference/ and of the measured intervals; every link of the reports leads to a file, and to a place in it.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]


def checks(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "tessera.reproduce", "checks", *words]
    environment = {"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


class Checks(unittest.TestCase):
    def test_no_page_and_no_report_is_stale(self):
        """A report in one layout is a draft, whose causes may be older."""
        done = checks("--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_cause_that_differs_from_reference_is_found_and_mended(self):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder)
            given = ["--output", folder, "--reference", str(ROOT / "reference")]
            shutil.copytree(ROOT / "docs" / "results" / "cni", results / "cni")
            self.assertEqual(checks(*given).returncode, 0)
            self.assertEqual(checks(*given, "--check").returncode, 0)
            for name in ("cni_checks.csv", "report.html"):
                with self.subTest(name):
                    file = results / "cni" / name
                    right = file.read_text(encoding="utf-8")
                    wrong = re.sub("cause: [^;,<]*", "cause: not known", right, count=1)
                    self.assertNotEqual(wrong, right)
                    file.write_text(wrong, encoding="utf-8")
                    done = checks(*given, "--check")
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(f"{name} is stale", done.stdout)
                    self.assertEqual(checks(*given).returncode, 0)
                    self.assertEqual(file.read_text(encoding="utf-8"), right)

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
