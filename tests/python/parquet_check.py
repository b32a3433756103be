"""parquet_check: .parquet files of programs and of `tess graph` have what their .csv files have.

Method: pyarrow reads both, for every number of places and fabric; columns have the right types, and what is an empty
cell in one is absent in the other. Usage: parquet_check.py TESS.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pandas
import pyarrow
from pyarrow import parquet

TESS = str(Path(sys.argv.pop(1)).absolute())
LAYOUTS = [["-n", "1"], ["-n", "4"], ["-n", "7"], ["-n", "3", "--fabric", "hostile"]]
if shutil.which("mpirun"):
    LAYOUTS += [["-n", "3", "--fabric", "ucx"]]


class Files(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tess-parquet-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        random = np.random.default_rng(1)
        ends = random.integers(0, 300, (2, 700))
        weights = random.integers(1, 99, 700) / 8
        for name, called in (("texts", lambda v: f"v, {v} \u00e9" * (1 + v % 3)), ("integers", lambda v: v - 10**12)):
            frame = pandas.DataFrame({"from": list(map(called, ends[0])), "to": list(map(called, ends[1])),
                                      "km": weights})
            frame.to_csv(self.folder / f"{name}.csv", index=False)

    def tess(self, *words):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TESS_")}
        done = subprocess.run([TESS, *words], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")

    def read(self, name):
        file = parquet.ParquetFile(self.folder / name)
        self.assertEqual(file.metadata.num_rows, sum(
            file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)))
        return file.read()

    def compare(self, name, kinds):
        """The Parquet file with the .csv file beside it, as texts and numbers."""
        table = self.read(f"{name}.parquet")
        self.assertEqual([(field.name, str(field.type), field.nullable) for field in table.schema], kinds)
        types = {"string": str, "int64": "Int64", "double": "float64"}
        expected = pandas.read_csv(self.folder / f"{name}.csv", dtype={field: types[kind] for field, kind, _ in kinds})
        found = table.to_pandas(types_mapper={pyarrow.int64(): pandas.Int64Dtype(),
                                              pyarrow.string(): pandas.StringDtype()}.get)
        for field, kind, _ in kinds:
            if kind == "double":
                np.testing.assert_array_equal(found[field].to_numpy(float), expected[field].to_numpy(float))
            else:
                self.assertEqual(found[field].isna().tolist(), expected[field].isna().tolist())
                self.assertEqual(found[field].dropna().tolist(), expected[field].dropna().tolist())
        return table

    def test_results(self):
        programs = {
            "bfs": (["--source", "0"], [("distance", "int64", True)]),
            "sssp": (["--source", "0", "--weight-column", "km"], [("distance", "double", True)]),
            "pagerank": ([], [("score", "double", True)]),
            "spanning-forest": (["--weight-column", "km"], [("parent", None, True), ("weight", "double", True)]),
        }
        for graph, kind in (("texts", "string"), ("integers", "int64")):
            first = pandas.read_csv(self.folder / f"{graph}.csv")["from"][0]
            for program, (words, columns) in programs.items():
                words = [str(first) if word == "0" else word for word in words]
                columns = [("vertex", kind, False), *((name, of or kind, null) for name, of, null in columns)]
                for layout in LAYOUTS:
                    with self.subTest(graph=graph, program=program, layout=layout):
                        for ending in ("csv", "parquet"):
                            self.tess("run", program, f"{graph}.csv", *words, *layout, "--output", f"out.{ending}")
                        table = self.compare("out", columns)
                        self.assertEqual(len(table), table["vertex"].combine_chunks().unique().__len__())

    def test_vertices_without_names_in_many_pages(self):
        for layout in LAYOUTS[:2]:
            self.tess("run", "bfs", "grid:1500x1500", "--source", "7", *layout, "--output", "out.parquet")
            table = self.read("out.parquet")
            x, y = np.meshgrid(np.arange(1500), np.arange(1500))
            np.testing.assert_array_equal(table["vertex"].to_numpy(), np.arange(1500**2))
            np.testing.assert_array_equal(table["distance"].to_numpy(), (abs(x - 7) + y).ravel())

    def test_more_places_than_vertices(self):
        self.tess("run", "bfs", "grid:2x1", "-n", "9", "--output", "out.parquet")
        self.assertEqual(self.read("out.parquet").to_pydict(), {"vertex": [0, 1], "distance": [0, 1]})

    def test_graphs(self):
        for graph, kind in (("texts", "string"), ("integers", "int64")):
            for weight in ([], ["--weight-column", "km"]):
                for direction in ("--directed", "--undirected"):
                    for ending in ("csv", "parquet"):
                        self.tess("graph", "convert", f"{graph}.csv", f"out.{ending}", *weight, direction)
                    kinds = [("source", kind, False), ("target", kind, False)]
                    self.compare("out", kinds + [("weight", "double", False)] * bool(weight))
        (self.folder / "none.csv").write_text("source,target\n")
        self.tess("graph", "convert", "none.csv", "out.parquet")
        self.assertEqual(len(self.read("out.parquet")), 0)
        self.tess("graph", "convert", "kron:16", "out.parquet")
        self.tess("graph", "convert", "kron:16", "out.csv")
        self.compare("out", [("source", "int64", False), ("target", "int64", False)])


if __name__ == "__main__":
    unittest.main()
