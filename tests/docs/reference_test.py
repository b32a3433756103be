"""reference: every public name of include/tess has a comment, and every page can become a page of the site.

Method: Doxygen's own warnings for the headers, read as `tess docs` reads them; skipped where Doxygen is not installed.
The pages are converted without it, and each link of the result leads to a label or a file.
"""

import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import docs  # noqa: E402


class Reference(unittest.TestCase):
    @unittest.skipUnless(shutil.which("doxygen"), "Doxygen is not installed: ./tess setup docs")
    def test_every_public_name_has_a_comment(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            missing = docs.undocumented(Path(folder))
        self.assertEqual(missing, [], "\n" + "\n".join(missing))

    def test_a_comment_above_several_declarations_is_of_each(self) -> None:
        lines = ["  /// Both ends.", "  int first() const;", "  int last() const;", "", "  int other() const;"]
        self.assertEqual(
            docs.grouped(lines),
            ["  /// @{", "  /// Both ends.", "  int first() const;", "  int last() const;", "  /// @}", *lines[3:]],
        )
        self.assertEqual(docs.grouped(lines[:2] + lines[3:]), lines[:2] + lines[3:])


class Pages(unittest.TestCase):
    def test_links_lead_to_labels_and_files(self) -> None:
        made = {docs.page_id(page): docs.as_page(page) for page in docs.all_pages()}
        labels = {label for text in made.values() for label in re.findall(r"\{#(\w+)\}$", text, re.MULTILINE)}
        for name, text in made.items():
            for file, label in re.findall(r'href="(?!http)([^"#]+)(?:#(\w+))?"', text):
                with self.subTest(page=name, link=file):
                    if file.endswith(".html") and "/" not in file:
                        self.assertTrue(file == "index.html" or file.removesuffix(".html") in made)
                        self.assertTrue(not label or label in labels)
                    else:
                        self.assertTrue((ROOT / file).exists())


if __name__ == "__main__":
    unittest.main()
