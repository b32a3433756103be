"""pages: every link of a page leads to a file of the project, and to a heading that is there; every picture is shown.

Method: all relative links of all tracked Markdown pages; headings become anchors as the usual viewers make them.
"""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def prose_of(page: Path) -> str:
    """Without fenced blocks: a lambda looks like a link, and a comment in a shell like a heading."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_lead_somewhere(self) -> None:
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
                if "://" in target:
                    continue
                with self.subTest(page=page.name, link=target):
                    file, _, anchor = target.partition("#")
                    aim = (page.parent / file).resolve() if file else page
                    self.assertTrue(aim.exists())
                    self.assertTrue(aim.is_relative_to(ROOT))
                    if anchor:
                        self.assertIn(anchor, anchors_of(aim))

    def test_every_package_has_its_reason(self) -> None:
        reasons = (ROOT / "docs" / "internals" / "decisions" / "0003-dependencies.md").read_text(encoding="utf-8")
        for line in (ROOT / "deps" / "packages.txt").read_text(encoding="utf-8").splitlines():
            if package := re.match(r"[a-z0-9][\w.+-]*", line):
                with self.subTest(package=package[0]):
                    self.assertTrue(re.search(rf"(?<![\w-]){re.escape(package[0])}(?![\w-])", reasons) is not None)

    def test_every_picture_is_shown(self) -> None:
        shown = {
            (page.parent / target).resolve()
            for page in PAGES
            for target in re.findall(r"!\[[^]]+\]\(([^)\s]+)\)", prose_of(page))
        }
        for picture in sorted((ROOT / "docs").rglob("*.svg")):
            with self.subTest(picture=picture.name):
                self.assertTrue(picture.resolve() in shown)


if __name__ == "__main__":
    unittest.main()
