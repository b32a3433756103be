"""contract: every test that the contract and the page of the machine name exists under that name.

Method: `*file: case, case*` behind a promise names a file under tests/ and words that must stand in it.
"""

import re
import unittest
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGES = [TESTS.parent / "docs" / "internals" / page for page in ("contract.md", "machine.md")]
CASE = re.compile(r"\b[a-z0-9]+(?:_[a-z0-9]+){2,}\b")


def references() -> list[tuple[str, list[str]]]:
    """Pairs of a file and the cases that the pages say are in it."""
    found = []
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for italic in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):
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
