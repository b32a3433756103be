"""debian_graph: relations become the right edges, equal indexes give equal bytes. Method: an index of six packages."""

import gzip
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "debian_graph.py"

INDEX = """\
Package: libc
Description: the base
 of everything
Breaks: shell

Package: shell
Pre-Depends: libc (>= 2.36)
Recommends: manual

Package: mail-a
Provides: mailer, manual (= 3)
Depends: libc:any (>= 2), libc

Package: mail-b
Provides: mailer

Package: reader
Depends: shell | other-shell, mailer | reader-extras,
 libc

Package: manual
"""

EXPECTED = """\
%%MatrixMarket matrix coordinate pattern general
% Debian 12 main: row -> column says that the column's package depends on the row's.
6 6 6
1 2
1 5
1 6
2 5
3 5
6 5
"""


def make_graph(folder: Path) -> tuple[bytes, bytes]:
    """Runs the tool on INDEX; the two files it wrote."""
    index = folder / "Packages"
    index.write_text(INDEX, encoding="utf-8")
    stem = folder / "small.graph"
    subprocess.run([sys.executable, TOOL, stem, "--index", index], check=True, capture_output=True)
    return Path(f"{stem}.mtx.gz").read_bytes(), Path(f"{stem}.names.gz").read_bytes()


class DebianGraph(unittest.TestCase):
    """The tool as a whole."""

    def test_relations_become_edges_from_what_is_needed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            graph, names = make_graph(Path(folder))
        self.assertEqual(gzip.decompress(names).decode().split(), "libc mail-a mail-b manual reader shell".split())
        self.assertEqual(gzip.decompress(graph).decode(), EXPECTED)

    def test_equal_indexes_give_equal_bytes(self) -> None:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            self.assertEqual(make_graph(Path(one)), make_graph(Path(other)))


if __name__ == "__main__":
    unittest.main()
