"""contract: every test that docs/internals/contract.md names exists under that name.

Method: `*file: case, case*` behind a promise names a file under tests/ and words that must stand in it.
"""

import re
import unittest
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "internals" / "contract.md"
CASE = re.compile(r"\b[a-z0-9]+(?:_[a-z0-9]+){2,}\b")


def references() -> list[tuple[str, list[str]]]:
    """Pairs of a file and the cases that the page finds in it."""
    found = []
    for italic in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", PAGE.read_text(encoding="utf-8")):
        parts = re.split(r"\b([\w/]+\.(?:cpp|hpp|py))\b", italic)
        found += [(file, CASE.findall(text)) for file, text in zip(parts[1::2], parts[2::2], strict=True)]
    return found


@unittest.skipUnless((TESTS / "fabric").is_dir(), "the tests of the fabric are not here")
class Contract(unittest.TestCase):
    def test_finds_references(self) -> None:
        self.assertGreater(sum(len(cases) for _, cases in references()), 20)

    def test_named_cases_exist(self) -> None:
        for file, cases in references():
            with self.subTest(file=file):
                text = (TESTS / file).read_text(encoding="utf-8")
                for case in cases:
                    self.assertRegex(text, rf"\b{case}\b")


if __name__ == "__main__":
    unittest.main()
