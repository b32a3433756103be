"""pages: every link of a page leads to a file of the project, and to a heading that is there.

Method: all relative links of all tracked Markdown pages; headings become anchors as the usual viewers make them.
"""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_lead_somewhere(self) -> None:
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
                if "://" in target:
                    continue
                with self.subTest(page=page.name, link=target):
                    file, _, anchor = target.partition("#")
                    aim = (page.parent / file).resolve() if file else page
                    self.assertTrue(aim.exists())
                    self.assertTrue(aim.is_relative_to(ROOT))
                    if anchor:
                        self.assertIn(anchor, anchors_of(aim))


if __name__ == "__main__":
    unittest.main()
