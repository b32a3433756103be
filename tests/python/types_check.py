"""types_check: a type checker knows what each function takes and returns.

Usage: types_check.py FOLDER, which has the package tessera with its module and its stubs. Method: mypy, in its strict
mode, takes a script that states the type of each result, and finds the mistake in each line of another; the annotations
of every public function are complete; the stub has the names of the package.
"""

import ast
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, sys.argv[1])
FOLDER = Path(sys.argv.pop(1)).resolve() / "tessera"

try:
    import mypy  # noqa: F401
    import numpy as np  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

import tessera as ts

RIGHT = """
from typing import assert_type
import pandas as pd
import tessera as ts

frame = pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "km": [1.0, 2.0]})
g = ts.from_pandas(frame, "from", "to", "km", directed=True, duplicates="sum")
assert_type(g, ts.Graph)
assert_type(ts.read_csv("trips.csv", weight="km", self_loops="keep"), ts.Graph)
assert_type(ts.from_edges([0, 1], [1, 2], [0.5, 2.0]), ts.Graph)
assert_type(ts.generate("kron:8").vertices, int)
assert_type(ts.pagerank(g, personalization={"a": 1.0}), "pd.Series[float]")
assert_type(ts.bfs(g, "a"), "pd.Series[int]")
assert_type(ts.bfs(g, "a", parents=True), pd.DataFrame)
assert_type(ts.sssp(g, "a"), "pd.Series[float]")
assert_type(ts.components(g), "pd.Series[int]")
assert_type(ts.betweenness(g, k=10), "pd.Series[float]")
assert_type(ts.independent_set(g), "pd.Series[bool]")
assert_type(ts.triangles(g), int)
assert_type(ts.triangles(g, per_vertex=True), "pd.Series[int]")
assert_type(ts.transitivity(g), float)
assert_type(ts.modularity(g, ts.louvain(g)), float)
assert_type(ts.spanning_forest(g), pd.DataFrame)
assert_type(g.to_pandas(), pd.DataFrame)
total = ts.pagerank(g).sum() + ts.assortativity(g)
ts.configure(places=2)
assert_type(ts.sweep("nemesys-4x4", "bfs kron:8", l2_kib=[64, 128]), pd.DataFrame)
assert_type(ts.machine("nemesys-4x4", l2_kib=256).run(ts.bfs, g, "a").cycles, int | None)
if (colours := ts.bipartite(g)) is not None:
    print(colours.max())
"""
# Each line has one mistake.
WRONG = """
ts.pagerank(g, dampening=0.85)
ts.pagerank(g, damping="high")
ts.bfs(g)
ts.bfs("trips.csv", 0)
ts.read_csv("trips.csv", duplicates="all")
ts.from_pandas([1, 2])
ts.triangles(g).mean()
ts.louvain(g, 2.0)
ts.page_rank(g)
ts.configure(places="two")
g.vertices = 5
ts.bipartite(g).max()
"""


# As if the package were installed: what there is to say about itself is not shown.
SETTINGS = "[mypy]\nstrict = True\n[mypy-tessera.*]\nignore_errors = True\n"


def mypy_says(text):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "script.py").write_text(text)
        Path(folder, "mypy.ini").write_text(SETTINGS)
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", folder, "script.py"], cwd=folder,
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "MYPYPATH": str(FOLDER.parent)})
    return done.returncode, done.stdout + done.stderr


class Types(unittest.TestCase):
    def test_results_have_the_types_that_a_script_states(self):
        code, text = mypy_says(RIGHT)
        self.assertEqual(code, 0, text)

    def test_each_mistake_is_found(self):
        head = "import tessera as ts\ng = ts.generate('kron:8')\n"
        code, text = mypy_says(head + WRONG.lstrip())
        lines = {int(line) for line in re.findall(r"(?m)^script\.py:(\d+): error", text)}
        self.assertEqual(code, 1)
        self.assertEqual(lines, set(range(3, 3 + len(WRONG.split("\n")) - 2)), text)

    def test_the_stub_has_the_names_of_the_package(self):
        tree = ast.parse((FOLDER / "__init__.pyi").read_text())
        imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
        named = {name.asname: node.module for node in imports for name in node.names}
        for name in ts.__all__:
            value = getattr(ts, name)
            self.assertEqual(getattr(value, "__module__", None), named.pop(name), name)
        self.assertEqual(set(named), set(ts._MODULES))

    def test_annotations_are_complete(self):
        missing = []
        for name in ts.__all__:
            value = getattr(ts, name)
            functions = {name: value}
            if inspect.isclass(value):
                functions = {f"{name}.{key}": one for key, one in vars(value).items()
                             if inspect.isfunction(one) and not key.startswith("_")}
            for called, function in functions.items():
                if not inspect.isfunction(function):
                    continue
                signature = inspect.signature(function)
                missing += [f"{called}({one})" for one, parameter in signature.parameters.items()
                            if parameter.annotation is parameter.empty and one != "self"]
                if signature.return_annotation is signature.empty:
                    missing.append(f"{called} ->")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
