"""processes_check: a script under mpirun, where each process is a place, has the results of the script alone.

Usage: processes_check.py FOLDER: the folder with the package tessera. Skipped without mpirun or UCX.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = sys.argv.pop(1)
MPIRUN = [shutil.which("mpirun"), "--oversubscribe", "--bind-to", "none"]
if os.geteuid() == 0:
    MPIRUN.append("--allow-run-as-root")

SCRIPT = """
import hashlib
import numpy as np
import pandas
import tessera as ts

ts.init()
random = np.random.default_rng(1)
ends = random.integers(0, 500, (2, 1200))
frame = pandas.DataFrame({"a": [f"v{u}" for u in ends[0]], "b": [f"v{v}" for v in ends[1]],
                          "w": random.integers(1, 9, 1200) / 4})

def show(name, result):
    values = result.to_numpy() if hasattr(result, "to_numpy") else np.asarray(result)
    if values.dtype.kind == "f":
        values = np.round(values, 9) + 0.0
    if values.dtype.kind == "O":
        values = np.array([str(value) for row in values for value in np.atleast_1d(row)])
    print(name, hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:12], len(np.atleast_1d(values)))

for directed in (False, True):
    g = ts.from_pandas(frame, "a", "b", "w", directed=directed)
    first = frame["a"][0]
    show("bfs", ts.bfs(g, first))
    show("sssp", ts.sssp(g, first, parents=True))
    show("pagerank", ts.pagerank(g, tolerance=1e-12))
    show("pagerank", ts.pagerank(g, weighted=True, personalization={first: 1}, tolerance=1e-12))
    show("components", ts.components(g))
    show("core", ts.core_numbers(g))
    show("triangles", ts.triangles(g))
    show("clustering", ts.clustering(g))
    show("betweenness", ts.betweenness(g, k=20))
    show("closeness", ts.closeness(g))
    show("strong", ts.strong_components(g))
    show("forest", ts.spanning_forest(g)["weight"].sum())
    show("set", ts.independent_set(g))
    show("louvain", ts.louvain(g))
    show("walks", ts.random_walks(g, length=5))
# The graph stays from call to call, and a new one can be made between calls.
show("bfs", ts.bfs(ts.generate("kron:10"), 3))
print("places", ts.places())
"""


class Processes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tess-python-")
        self.addCleanup(scratch.cleanup)
        self.script = Path(scratch.name) / "script.py"

    def run_script(self, text, processes=0, code=0):
        self.script.write_text(text)
        launcher = [*MPIRUN, "-n", str(processes)] if processes else []
        done = subprocess.run([*launcher, sys.executable, self.script], env=os.environ | {"PYTHONPATH": PACKAGE},
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def test_results(self):
        alone = self.run_script(SCRIPT)
        self.assertEqual((len(alone), alone[-1]), (32, "places 1"))
        for processes in (2, 3):
            self.assertEqual(self.run_script(SCRIPT, processes), [*alone[:-1], f"places {processes}"])

    def test_ends(self):
        """The exit code of the script is that of the job, whatever the other places do."""
        begin = "import tessera as ts\nts.init()\nts.components(ts.generate('kron:8'))\n"
        self.run_script(begin + "raise SystemExit(3)\n", 2, code=3)
        self.run_script(begin + "1 / 0\n", 2, code=1)
        self.assertEqual(self.run_script("import tessera as ts\nts.init()\nprint('once')\n", 3), ["once"])


if __name__ == "__main__":
    if MPIRUN[0] is None:
        print("skipped: no mpirun")
        sys.exit()
    probe = subprocess.run([*MPIRUN, "-n", "1", sys.executable, "-c", "import tessera; tessera.init()"],
                           env=os.environ | {"PYTHONPATH": PACKAGE}, capture_output=True, text=True, check=False)
    if "no UCX" in probe.stderr:
        print(f"skipped: {probe.stderr.splitlines()[-1]}")
        sys.exit()
    unittest.main()
