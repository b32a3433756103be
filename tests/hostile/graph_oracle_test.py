"""graph_oracle_test: the oracle itself, on graphs small enough to be computed by hand."""

import gzip
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import graph_oracle  # noqa: E402

MTX = b"%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n4 4 3\n1 2\n2 3\n1 3\n"


class Oracle(unittest.TestCase):
    def test_computes_what_programs_report(self):
        graph = graph_oracle.read("a.mtx", MTX)
        self.assertEqual(graph_oracle.components(*graph), {"components": 2, "largest": [3, 1], "labels_sum": 3})
        self.assertEqual(graph_oracle.bfs(*graph), {"levels": [1, 2], "reached": 3})
        self.assertEqual(graph_oracle.triangles(*graph), {"triangles": 1})

    def test_reads_every_format(self):
        path = (3, [(0, 1, 1.0), (1, 2, 1.0)])
        self.assertEqual(graph_oracle.read("a.el", b"# a\n0 1\r\n\n 1\t2"), path)
        self.assertEqual(graph_oracle.read("a.csv", b"0,1\n1 , 2\n"), path)
        self.assertEqual(graph_oracle.read("a.el.gz", gzip.compress(b"0 1\n1 2\n")), path)
        self.assertEqual(graph_oracle.read("a.gr", b"c a\np sp 2 1\na 1 2 7\n"), (2, [(0, 1, 7.0)]))
        self.assertEqual(graph_oracle.read("a.wel", b"0 1 0.5\n"), (2, [(0, 1, 0.5)]))
        unsigned = MTX.replace(b"pattern", b"unsigned-integer").replace(b"4 4 3\n1 2\n2 3\n1 3\n", b"2 2 1\n2 1 3\n")
        self.assertEqual(graph_oracle.read("a.mtx", unsigned), (2, [(1, 0, 3.0), (0, 1, 3.0)]))

    def test_refuses_what_is_no_graph(self):
        packed = gzip.compress(MTX)
        for name, data in (
            ("a.mtx", MTX.replace(b"4 4 3", b"4 4 4")),
            ("a.mtx", MTX.replace(b"2 3", b"2 5")),
            ("a.mtx", MTX.replace(b"4 4", b"4 5")),
            ("a.el", b"0 1 2\n"),
            ("a.wel", b"0 1 nan\n"),
            ("a.el", b"0 65552\n"),
            ("a.gr", b"a 1 2 7\n"),
            ("a.mtx.gz", packed[:-3]),
            ("a.mtx.gz", packed[:-6] + b"\0" + packed[-5:]),
        ):
            self.assertIsNone(graph_oracle.read(name, data), (name, data))


if __name__ == "__main__":
    unittest.main()
