"""package_test: the package has the project's version, and its entry knows every paper and refuses other names."""

import contextlib
import importlib
import io
import pkgutil
import re
import tomllib
import unittest
from pathlib import Path

import tessera
from tessera.reproduce import __main__ as entry

ROOT = Path(__file__).resolve().parents[2]


class Package(unittest.TestCase):
    def test_the_version_is_that_of_the_project(self):
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        (version,) = settings["tool"]["dynamic-metadata"]
        found = re.search(version["regex"], (ROOT / version["input"]).read_text(encoding="utf-8"))
        self.assertRegex(found["value"], r"^\d+\.\d+\.\d+$")

    def test_every_module_can_be_imported(self):
        names = [module.name for module in pkgutil.walk_packages(tessera.__path__, "tessera.")]
        for name in names:
            # Graphs need what a plain Python lacks; tests/python tests them.
            if name.split(".")[1] in ("papers", "reproduce"):
                importlib.import_module(name)
        papers = {name.split(".")[2] for name in names if name.startswith("tessera.papers.")}
        self.assertEqual(papers, set(entry.PAPERS))

    def test_an_unknown_paper_is_refused(self):
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            self.assertEqual(entry.main(["other"]), 2)
        self.assertIn("{softxmt,rmem,cni,together,rae,nemesys,all,checks}", printed.getvalue())

    def test_every_item_has_a_maker(self):
        for paper in entry.PAPERS.values():
            self.assertEqual(set(paper.makers), {*paper.items, *paper.extra_items}, paper.name)


if __name__ == "__main__":
    unittest.main()
