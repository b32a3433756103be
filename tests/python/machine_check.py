"""machine_check: what runs on simulated machines from Python has the results of this process, and fails as it should.

Usage: machine_check.py FOLDER TESS: the folder with the package tessera, and the command, which has the programs for
the machine. Method: every algorithm on a small graph, on nemesys-2x2 and here; programs of one's own; each error.
"""

import contextlib
import doctest
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, sys.argv.pop(1))
TESS = sys.argv.pop(1)
os.environ["TESSERA_TESS"] = TESS

try:
    import numpy as np
    import pandas
    from pandas.testing import assert_frame_equal, assert_series_equal
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

import tessera as ts
from tessera import plot
from tessera.simulator import machines, sweeps

MACHINE = ts.machine("nemesys-2x2")
# 18 vertices with names, in two parts; weights that are no integers.
EDGES = [(f"v{i}", f"v{j}", 1 + (3 * i + j) % 5 / 4) for i, j in [
    (0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (6, 7), (7, 8), (8, 6), (0, 8), (4, 9), (9, 10),
    (10, 11), (11, 12), (12, 9), (13, 14), (14, 15), (15, 16), (16, 17), (17, 13), (13, 15)]]  # fmt: skip


def graph(*, directed=False, weighted=True, edges=EDGES):
    frame = pandas.DataFrame(edges, columns=["source", "target", "weight"])
    return ts.from_pandas(frame, weight="weight" if weighted else None, directed=directed)


def acyclic():
    return graph(directed=True, edges=[(u, v, w) for u, v, w in EDGES if int(u[1:]) < int(v[1:])])


class Results(unittest.TestCase):
    def same(self, function, g, *arguments, exact=True, **options):
        here = function(g, *arguments, **options)
        run = MACHINE.run(function, g, *arguments, **options)
        self.assertIs(type(run.result), type(here))
        if isinstance(here, pandas.Series):
            assert_series_equal(run.result, here, check_exact=exact, rtol=1e-12)
        elif isinstance(here, pandas.DataFrame):
            assert_frame_equal(run.result, here, check_exact=exact, rtol=1e-12)
        elif isinstance(here, float):
            self.assertAlmostEqual(run.result, here, 12)
        else:
            self.assertEqual(run.result, here)
        self.assertGreater(run.cycles, 0)
        return run

    def test_paths(self):
        self.same(ts.bfs, graph(), "v4")
        self.same(ts.bfs, graph(directed=True, weighted=False), ["v9", "v2"])
        self.same(ts.sssp, graph(), "v4", parents=True)
        self.same(ts.sssp, graph(directed=True, weighted=False), "v9", delta=2)

    def test_parents_are_one_step_nearer(self):
        g = graph()
        tree = MACHINE.run(ts.bfs, g, "v4", parents=True).result
        assert_series_equal(tree["distance"], ts.bfs(g, "v4"))
        self.assertEqual(list(tree.index[tree["parent"].isna()]), ["v4", *(f"v{i}" for i in range(13, 18))])
        known = tree.dropna()
        self.assertTrue((tree["distance"].loc[known["parent"]].to_numpy() == known["distance"] - 1).all())
        adjacent = g.to_scipy().toarray()
        self.assertTrue(all(adjacent[g.number(v), g.number(p)] for v, p in known["parent"].items()))

    def test_importance(self):
        self.same(ts.pagerank, graph(directed=True), exact=False, tolerance=1e-10)
        self.same(ts.pagerank, graph(directed=True), exact=False, weighted=True, personalization={"v0": 1, "v5": 2.5})
        everywhere = dict.fromkeys(graph().index, 1)
        self.same(ts.pagerank, graph(), exact=False, damping=0.5, iterations=3, dangling=everywhere)
        self.same(ts.betweenness, graph(), exact=False)
        self.same(ts.betweenness, graph(directed=True), exact=False, k=3, normalized=False, endpoints=True)
        self.same(ts.betweenness, graph(), exact=False, sources=["v0", "v9"], normalized=False)
        self.same(ts.closeness, graph(directed=True), k=5)
        self.same(ts.closeness, graph(), ["v9", "v0"], wf_improved=False)
        self.same(ts.harmonic, graph(directed=True), exact=False)

    def test_pairs_and_walks(self):
        self.same(ts.jaccard, graph())
        self.same(ts.overlap, graph(), [("v0", "v4"), ("v9", "v2")])
        rules = {"length": 6, "walks": 2, "p": 0.5, "q": 2, "weighted": True}
        run = MACHINE.run(ts.random_walks, graph(directed=True), **rules)
        self.assertTrue((run.result == ts.random_walks(graph(directed=True), **rules)).all())

    def test_parts(self):
        self.same(ts.components, graph())
        self.same(ts.strong_components, graph(directed=True))
        self.same(ts.core_numbers, graph())
        self.same(ts.independent_set, graph(), seed=3)
        self.same(ts.spanning_forest, graph())
        self.same(ts.topological_order, acyclic())
        self.same(ts.bipartite, ts.generate("grid:4x3"))
        self.assertIsNone(MACHINE.run(ts.bipartite, graph()).result)

    def test_communities_and_numbers(self):
        self.same(ts.louvain, graph(), resolution=1.5)
        self.same(ts.label_propagation, graph(), weighted=False, seed=2)
        self.same(ts.triangles, graph())
        self.same(ts.clustering, graph(), exact=False)
        self.same(ts.transitivity, graph())
        self.same(ts.assortativity, graph(directed=True), source="in", target="out")

    def test_self_loops_and_other_names_go_along(self):
        g = ts.from_edges([[5, -7], [-7, -7], [-7, 9]], names=True, self_loops="keep")
        self.assertEqual(self.same(ts.bfs, g, 9).result.to_dict(), {5: 2, -7: 1, 9: 0})

    def test_places_are_tiles(self):
        for places in (1, 3):
            run = MACHINE.run(ts.components, graph(), places=places)
            self.assertEqual(run.statistics["runtime"]["places"], places)
        self.assertEqual(ts.places(), 1)

    def test_runs_repeat_to_the_cycle(self):
        first, second = (MACHINE.run(ts.bfs, graph(), "v0") for _ in range(2))
        self.assertEqual(first.cycles, second.cycles)
        self.assertEqual(first.cycles, first.statistics["measured"]["cycles"])
        self.assertLess(first.cycles, first.statistics["cycles"])


class Refusals(unittest.TestCase):
    def test_errors_are_those_of_the_function(self):
        with self.assertRaisesRegex(KeyError, "no vertex 'x'"):
            MACHINE.run(ts.bfs, graph(), "x")
        with self.assertRaisesRegex(ValueError, "the graph has a cycle: v"):
            MACHINE.run(ts.topological_order, graph(directed=True))
        with self.assertRaisesRegex(ValueError, "undirected"):
            MACHINE.run(ts.topological_order, graph())

    def test_functions_without_a_program(self):
        g = graph()
        with self.assertRaisesRegex(NotImplementedError, "modularity runs no program, expected one of bfs, "):
            MACHINE.run(ts.modularity, g, np.zeros(len(g)))
        with self.assertRaisesRegex(NotImplementedError, "several programs"):
            MACHINE.run(lambda: [ts.bfs(g, "v0"), ts.bfs(g, "v1")])
        with self.assertRaisesRegex(NotImplementedError, "dangling"):
            MACHINE.run(ts.pagerank, graph(directed=True), dangling={"v3": 1})
        with self.assertRaisesRegex(NotImplementedError, "weighted: the program closeness counts edges"):
            MACHINE.run(ts.closeness, g, weighted=True)
        # What failed there leaves this process as it was.
        self.assertEqual(ts.triangles(g), 4)

    def test_a_program_that_fails_says_why(self):
        with self.assertRaises(ts.ProgramError) as failed:
            MACHINE.run("bfs", "/nonexistent.mtx")
        self.assertEqual(failed.exception.exit_code, 2)
        self.assertIn("/nonexistent.mtx", str(failed.exception))
        with self.assertRaisesRegex(ts.ProgramError, "unknown program nonsense"):
            MACHINE.run("nonsense")
        with self.assertRaisesRegex(ts.ProgramError, "places were asked for"):
            MACHINE.run(ts.bfs, graph(), "v0", places=9)

    def test_machines_that_are_none(self):
        with self.assertRaisesRegex(ValueError, "no machine 'nemesis', expected one of .*nemesys-2x2"):
            ts.machine("nemesis")
        with self.assertRaisesRegex(FileNotFoundError, "no machine file mine.toml"):
            ts.machine("mine.toml")
        with self.assertRaisesRegex(ValueError, r"no section \[l3\], expected one of grid, "):
            ts.machine("nemesys-2x2", changes={"l3.ways": 2})
        with self.assertRaisesRegex(ValueError, r"no way_byte in \[l2\], expected one of way_bytes, ways"):
            ts.machine("nemesys-2x2", changes={"l2.way_byte": 2})
        with self.assertRaisesRegex(ValueError, "cannot have another grid"):
            ts.machine("cni-4", width=4)
        with self.assertRaisesRegex(ts.ProgramError, "no power of two"):
            ts.machine("nemesys-2x2", l2_kib=99).run("hello")

    def test_without_the_command(self):
        code = "import tessera as ts; ts.machine('nemesys-2x2')"
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tessera").symlink_to(Path(ts.__file__).parent)
            environment = {"PATH": folder, "PYTHONPATH": folder, "TESSERA_TESS": "/nonexistent/tess"}
            done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        self.assertIn("TESSERA_TESS names /nonexistent/tess", done.stderr)

    def test_interrupts_end_the_simulator(self):
        threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            MACHINE.run("pagerank", "kron:14", "--no-verify")
        self.assertLess(time.monotonic() - begin, 4)
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        self.assertEqual([Path(f"/proc/{child}/comm").read_text() for child in children], [])


class Programs(unittest.TestCase):
    def test_a_bundled_program_with_its_words(self):
        run = MACHINE.run("bfs", "kron:6", "--source", 0, places=2, seed=3)
        self.assertIsNone(run.result)
        self.assertIn("reached 63 of 64 vertices from 0 in 4 levels", run.output)
        self.assertIn("simulated time", run.log)
        self.assertEqual(run.statistics["runtime"]["result"]["verified"], True)
        self.assertEqual(run.statistics["runtime"]["places"], 2)
        self.assertIn("<Run: bfs kron:6 --source 0 on nemesys-2x2: ", repr(run))

    def test_pictures_are_shown(self):
        run = MACHINE.run("hello")
        self.assertEqual(xml.fromstring(run.picture._repr_svg_()).tag, "{http://www.w3.org/2000/svg}svg")
        self.assertIn(run.picture, run._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            run.picture.save(Path(folder) / "grid.svg")
            self.assertEqual((Path(folder) / "grid.svg").read_text(), run.picture)

    def test_on_this_host(self):
        run = ts.run("bfs", "kron:6", "--source", 0, places=2)
        self.assertEqual(run.statistics["result"]["reached"], 63)
        self.assertEqual(run.statistics["places"], 2)
        self.assertIsNone(run.cycles)
        with self.assertRaisesRegex(ts.ProgramError, "exit code 2"):
            ts.run("bfs", "/nonexistent.mtx")

    def test_a_program_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "ring.c"
            source.write_text(RING)
            program = MACHINE.compile(source)
            self.assertEqual(program, f"{folder}/ring")
            run = MACHINE.run(program, 5)
            twice = MACHINE.compile(source, output=source.with_name("twice"), pes_per_tile=2)
            more = MACHINE.run(twice, 5, pes_per_tile=2)
            source.write_text("int main(void) { return nothing; }")
            with self.assertRaisesRegex(ts.ProgramError, "undeclared identifier 'nothing'"):
                MACHINE.compile(source)
        self.assertEqual(sorted(run.output.split()), ["105", "205", "5"])
        self.assertEqual(sorted(more.output.split()), ["105", "205", "305", "405", "5", "505"])
        self.assertGreater(run.cycles, 0)


RING = """
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  static long got;
  shmem_init();
  shmem_long_p(&got, 100 * shmem_my_pe() + atol(argv[1]), (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_barrier_all();
  printf("%ld\\n", got);
  shmem_finalize();
  return 0;
}
"""


class Machines(unittest.TestCase):
    def test_changes_change_the_cycles(self):
        slow = ts.machine("nemesys-2x2", changes={"l2.hit_cycles": 200, "network.speculative": True})
        self.assertGreater(slow.run("bfs", "kron:5").cycles, MACHINE.run("bfs", "kron:5").cycles)

    def test_another_l2(self):
        small = ts.machine("nemesys-2x2", l2_kib=4).run("bfs", "kron:7", "--no-verify")
        usual = MACHINE.run("bfs", "kron:7", "--no-verify")
        self.assertLess(small.statistics["l2_hit_rate"], usual.statistics["l2_hit_rate"])

    def test_another_grid(self):
        run = ts.machine("nemesys-4x4-single", width=3).run("hello")
        self.assertEqual(len(run.statistics["tiles"]), 9)

    def test_places_of_a_large_grid_start(self):
        # While they look whether all have come, none may keep another from its code in the one memory.
        run = ts.machine("nemesys-4x4-single", width=8).run("hello", image="memory", max_cycles=20_000_000)
        self.assertEqual(run.output.count("hello"), 63)

    def test_a_file_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mine.toml"
            file.write_text('extends = "nemesys-2x2"\n')
            self.assertEqual(ts.machine(file).run("hello").statistics["machine"], "mine")
            changed = ts.machine(file, changes={"harts.application": 2})
            self.assertEqual(len(changed.run("hello").statistics["harts"]), 6)


class Sweeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.said = ""

    def sweep(self, *arguments, **parameters):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            try:
                return ts.sweep(*arguments, folder=self.folder, **parameters)
            finally:
                self.said = said.getvalue()

    def test_a_row_for_each_combination(self):
        frame = self.sweep("nemesys-2x2", program="bfs kron:{scale}", l2_kib=[4, 512], scale=[4, 5], places=3)
        rows = [tuple(row) for row in frame[["l2_kib", "scale", "places"]].to_numpy()]
        self.assertEqual(rows, [(4, 4, 3), (4, 5, 3), (512, 4, 3), (512, 5, 3)])
        alone = ts.machine("nemesys-2x2", l2_kib=4).run("bfs", "kron:5", places=3)
        self.assertEqual(frame["cycles"][1], alone.cycles)
        self.assertAlmostEqual(frame["l2_hit_rate"][1], alone.statistics["l2_hit_rate"], 4)

    def test_functions_machines_and_keys_of_the_machine(self):
        g = graph()
        frame = self.sweep(["nemesys-2x2", "tessera-2x2"], ts.sssp, g, "v4", places=[1, 3],
                           statistics=["measured.memory_load"], **{"l2.hit_cycles": [20, 40]})  # fmt: skip
        columns = ["machine", "places", "l2.hit_cycles", "cycles", "seconds", "measured.memory_load"]
        self.assertEqual(frame.columns.tolist(), columns)
        self.assertEqual(len(frame), 8)
        self.assertTrue((frame["cycles"][1::2].to_numpy() > frame["cycles"][::2].to_numpy()).all())

    def test_what_was_run_is_not_run_again(self):
        first = self.sweep("nemesys-2x2", "hello", l2_kib=[256, 512])
        self.assertEqual(self.said.count("tess: sweep: ["), 2)
        again = self.sweep("nemesys-2x2", "hello", l2_kib=[256, 512, 1024])
        self.assertIn("2 of 3 runs were done before", self.said)
        self.assertEqual(self.said.count("tess: sweep: ["), 1)
        assert_frame_equal(first, again[:2])
        # Another graph of the same name is another run.
        file = self.folder / "graph.el"
        for text in ("0 1\n1 2\n", "0 1\n1 0\n"):
            file.write_text(text)
            self.sweep("nemesys-2x2", "bfs {file} --source 0", file=str(file))
            self.assertEqual(self.said.count("tess: sweep: ["), 1)

    def test_an_interrupted_sweep_continues(self):
        script = (
            "import sys, tessera as ts\n"
            "ts.sweep('nemesys-2x2', 'bfs kron:{scale} --no-verify', scale=[4, 5, 14], jobs=1, folder=sys.argv[1])\n"
        )
        path = {"PYTHONPATH": str(Path(ts.__file__).parents[1])}
        with subprocess.Popen([sys.executable, "-c", script, self.folder], env=os.environ | path,
                              stderr=subprocess.PIPE, text=True) as child:  # fmt: skip
            while "[2/3]" not in child.stderr.readline():
                self.assertIsNone(child.poll())
            child.send_signal(signal.SIGINT)
            said = child.communicate(timeout=10)[1]
        self.assertIn("KeyboardInterrupt", said)
        self.sweep("nemesys-2x2", "bfs kron:{scale} --no-verify", scale=[4, 5])
        self.assertEqual(self.said, "tess: sweep: 2 of 2 runs were done before\n")

    def test_what_is_wrong(self):
        with self.assertRaisesRegex(ValueError, r"\{scale\} in the command has no values, expected scale="):
            self.sweep("nemesys-2x2", "bfs kron:{scale}", l2_kib=[4])
        with self.assertRaisesRegex(ValueError, "l2_kib is empty"):
            self.sweep("nemesys-2x2", "hello", l2_kib=[])
        with self.assertRaisesRegex(sweeps.UnknownMachine, "l2_kib=99: (.|\n)*no power of two"):
            self.sweep("nemesys-2x2", "hello", l2_kib=[99, 512])
        self.assertEqual(self.said, "")
        with self.assertRaisesRegex(ts.ProgramError, "1 of 2 runs failed; source=64(.|\n)*64"):
            self.sweep("nemesys-2x2", "bfs kron:5 --source {source}", source=[64, 1])
        self.sweep("nemesys-2x2", "bfs kron:5 --source {source}", source=[1])
        self.assertIn("1 of 1 runs were done before", self.said)
        with self.assertRaisesRegex(KeyError, "no statistics 'cycle'"):
            self.sweep("nemesys-2x2", "hello", statistics=["cycle"])


class Plots(unittest.TestCase):
    FRAME = pandas.DataFrame({"x": [1, 2, 1, 2], "y": [4, 3, 2, 1], "z": [1, 1, 1, 1], "of": ["a", "a", "b", "b"]})

    def lines(self, figure):
        return [{line.get_label(): line.get_xydata().tolist() for line in axes.lines} for axes in figure.axes]

    def test_curves_have_the_points_of_the_frame(self):
        figure = ts.plot.curves(self.FRAME, "x", "y", series="of", logarithmic="x")
        self.assertEqual(self.lines(figure), [{"a": [[1, 4], [2, 3]], "b": [[1, 2], [2, 1]]}])
        self.assertEqual(figure.axes[0].get_xscale(), "log")
        by_panel = ts.plot.curves(self.FRAME, "x", ["y", "z"], panel="of")
        self.assertEqual(self.lines(by_panel)[1], {"y": [[1, 2], [2, 1]], "z": [[1, 1], [2, 1]]})

    def test_bars_have_the_values_of_a_series(self):
        figure = ts.plot.bars(pandas.Series([3, 1], index=["a", "b"], name="packages"))
        self.assertEqual([bar.get_height() for bar in figure.axes[0].patches], [3, 1])
        self.assertEqual([text.get_text() for text in figure.axes[0].get_xticklabels()], ["a", "b"])

    def test_degrees_are_shares_of_the_vertices(self):
        figure = ts.plot.degrees(ts.from_edges([[0, 1], [0, 2], [0, 3], [1, 2]]))
        # One vertex has degree 1, two have 2 and one 3.
        self.assertEqual(list(self.lines(figure)[0].values()), [[[1, 0.25], [2.5, 0.375]]])

    def test_the_same_figure_gives_the_same_file(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("a.svg", "b.svg")]
            for file in files:
                ts.plot.save(ts.plot.curves(self.FRAME, "x", "y", series="of"), file)
            self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_a_column_that_is_not_there(self):
        with self.assertRaisesRegex(ValueError, "no column 'w', expected one of 'x', 'y'"):
            ts.plot.curves(self.FRAME, "x", "w")


class Documentation(unittest.TestCase):
    def test_examples_of_docstrings(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = folder
            for module in (machines, sweeps, plot):
                self.assertEqual(doctest.testmod(module).failed, 0, module.__name__)


if __name__ == "__main__":
    unittest.main()
