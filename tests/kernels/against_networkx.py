"""against_networkx: programs give what NetworkX defines, on random graphs.

Method: graphs with isolated vertices, repeated edges and weights are written as matrices; the tables of --output are
compared with NetworkX's results, scores within 1e-9. Usage: against_networkx.py TESS.
"""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import networkx
except ImportError:
    networkx = None
try:
    import numpy
    import scipy
except ImportError:
    numpy = scipy = None

VERTICES = 150
SIZES = (60, 200, 900)  # edges


@unittest.skipIf(networkx is None, "NetworkX is not installed")
class AgainstNetworkx(unittest.TestCase):
    tess: str

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="tess-networkx-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def graphs(self, *, directed: bool, acyclic: bool = False):  # noqa: ANN201
        for edges in SIZES:
            draw = random.Random(edges)
            graph = networkx.DiGraph() if directed else networkx.Graph()
            graph.add_nodes_from(range(VERTICES))
            for _ in range(edges):
                a, b = draw.randrange(VERTICES), draw.randrange(VERTICES)
                if acyclic:
                    a, b = sorted((a, b))
                if a != b:
                    graph.add_edge(a, b, weight=draw.randrange(1, 20))
            kind = "general" if directed else "symmetric"
            # A symmetric matrix has its lower half.
            rows = [(*((a, b) if directed else (max(a, b), min(a, b))), w) for a, b, w in graph.edges(data="weight")]
            text = "".join(f"{a + 1} {b + 1} {w}\n" for a, b, w in rows)
            head = f"%%MatrixMarket matrix coordinate integer {kind}\n{VERTICES} {VERTICES} {len(rows)}\n"
            (self.folder / "g.mtx").write_text(head + text)
            with self.subTest(directed=directed, edges=edges):
                yield graph

    def run_tess(self, program: str, *words: str, code: int = 0) -> dict[str, object]:
        """What the program reports."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TESS_")}
        done = subprocess.run(
            [self.tess, "run", program, "g.mtx", "-n", "2", "--stats", "s.json", *words], cwd=self.folder,
            env=environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, code, f"{program} {words}: {done.stdout}{done.stderr}")
        return json.loads((self.folder / "s.json").read_text())["result"]

    def columns(self, program: str, *words: str) -> list[list[str]]:
        self.run_tess(program, *words, "--output", "table.csv")
        rows = list(csv.reader((self.folder / "table.csv").read_text().splitlines()))[1:]
        return [list(column) for column in zip(*rows, strict=True)][1:]

    def test_core_numbers(self) -> None:
        for graph in self.graphs(directed=False):
            expected = networkx.core_number(graph)
            self.assertEqual([int(k) for k in self.columns("core-numbers")[0]], [expected[v] for v in graph])

    def test_strongly_connected_components(self) -> None:
        for graph in self.graphs(directed=True):
            expected = {v: min(part) for part in networkx.strongly_connected_components(graph) for v in part}
            self.assertEqual([int(v) for v in self.columns("scc")[0]], [expected[v] for v in graph])

    def test_clustering(self) -> None:
        for graph in self.graphs(directed=False):
            found = self.run_tess("clustering")
            self.assertAlmostEqual(found["transitivity"], networkx.transitivity(graph), delta=1e-12)
            self.assertAlmostEqual(found["mean"], networkx.average_clustering(graph), delta=1e-12)
            triangles, coefficients = self.columns("clustering")
            expected = networkx.triangles(graph)
            self.assertEqual([int(t) for t in triangles], [expected[v] for v in graph])
            expected = networkx.clustering(graph)
            for v in graph:
                self.assertAlmostEqual(float(coefficients[v]), expected[v], delta=1e-12)

    def test_closeness(self) -> None:
        for directed in (False, True):
            for graph in self.graphs(directed=directed):
                closeness, harmonic, reached, _ = self.columns("closeness", "--sources", str(VERTICES))
                expected = networkx.closeness_centrality(graph), networkx.harmonic_centrality(graph)
                some = self.columns("closeness", "--vertex", "3", "--vertex", "70", "--no-improved")[0]
                plain = networkx.closeness_centrality(graph, wf_improved=False)
                for v in graph:
                    self.assertAlmostEqual(float(closeness[v]), expected[0][v], delta=1e-9)
                    self.assertAlmostEqual(float(harmonic[v]), expected[1][v], delta=1e-9)
                    have_path = networkx.ancestors(graph, v)
                    self.assertEqual(int(reached[v]), len(have_path))
                    if v in (3, 70):
                        self.assertAlmostEqual(float(some[v]), plain[v], delta=1e-9)
                    else:
                        self.assertEqual(some[v], "")

    def test_betweenness(self) -> None:
        for directed in (False, True):
            for graph in self.graphs(directed=directed):
                for words, endpoints in (((), False), (("--endpoints",), True)):
                    sources = [word for v in graph for word in ("--source", str(v))]
                    found = self.columns("bc", "--normalise", *sources, *words)[0]
                    expected = networkx.betweenness_centrality(graph, endpoints=endpoints)
                    for v in graph:
                        self.assertAlmostEqual(float(found[v]), expected[v], delta=1e-9)

    def test_similarity(self) -> None:
        for graph in self.graphs(directed=False):
            pairs = [(a, b) for a in range(0, VERTICES, 7) for b in range(2, VERTICES, 9) if a != b]
            (self.folder / "pairs.csv").write_text("".join(f"{a},{b}\n" for a, b in pairs))
            found = self.columns("similarity", "--pairs", "pairs.csv")[1]
            expected = [value for *_, value in networkx.jaccard_coefficient(graph, pairs)]
            self.assertEqual([float(value) for value in found], expected)

    def test_paths_from_several_sources(self) -> None:
        for graph in self.graphs(directed=True):
            sources = ("--source", "3", "--source", "70")
            for words, weight in ((("bfs",), None), (("sssp", "--parents"), "weight")):
                expected = networkx.multi_source_dijkstra_path_length(graph, {3, 70}, weight=weight)
                table = self.columns(*words, *sources)
                self.assertEqual({v: float(d) for v, d in enumerate(table[0]) if d}, expected)
                if weight is None:
                    continue
                for v, parent in enumerate(table[1]):
                    if v in (3, 70) or v not in expected:
                        self.assertEqual(parent, "")
                    else:
                        self.assertEqual(expected[int(parent)] + graph[int(parent)][v]["weight"], expected[v])

    def test_walks(self) -> None:
        for graph in self.graphs(directed=True):
            self.run_tess("walks", "--length", "9", "--walks", "2", "-q", "2", "--output", "walks.csv")
            walks = [list(map(int, line.split(","))) for line in (self.folder / "walks.csv").read_text().split()]
            self.assertEqual([walk[0] for walk in walks], [*graph, *graph])
            for walk in walks:
                self.assertTrue(all(b in graph[a] for a, b in zip(walk, walk[1:], strict=False)))
                self.assertTrue(len(walk) == 10 or not graph[walk[-1]])

    def test_modularity(self) -> None:
        for graph in self.graphs(directed=False):
            labels = self.columns("communities", "--weighted", "--resolution", "1.5")[0]
            parts = [[v for v in graph if labels[v] == label] for label in set(labels)]
            found = self.run_tess("communities", "--weighted", "--resolution", "1.5")
            expected = networkx.community.modularity(graph, parts, weight="weight", resolution=1.5)
            self.assertAlmostEqual(found["modularity"], expected, delta=1e-9)

    def test_minimum_spanning_forest(self) -> None:
        for graph in self.graphs(directed=False):
            forest = networkx.minimum_spanning_tree(graph)
            found = self.run_tess("spanning-forest")
            self.assertEqual(found["edges"], forest.number_of_edges())
            self.assertEqual(found["weight"], forest.size(weight="weight"))

    def test_independent_set(self) -> None:
        for graph in self.graphs(directed=False):
            members = {v for v, member in enumerate(self.columns("independent-set")[0]) if member == "1"}
            self.assertEqual(graph.subgraph(members).number_of_edges(), 0)
            self.assertTrue(networkx.is_dominating_set(graph, members))

    def test_bipartite(self) -> None:
        for graph in self.graphs(directed=False):
            possible = networkx.is_bipartite(graph)
            self.assertEqual(self.run_tess("bipartite")["bipartite"], possible)
            if possible:
                expected = networkx.bipartite.color(graph)
                self.assertEqual([int(c) for c in self.columns("bipartite")[0]], [expected[v] for v in graph])

    def test_topological_generations(self) -> None:
        for graph in self.graphs(directed=True, acyclic=True):
            expected = {v: k for k, part in enumerate(networkx.topological_generations(graph)) for v in part}
            generations, positions = self.columns("topological-order")
            self.assertEqual([int(k) for k in generations], [expected[v] for v in graph])
            self.assertEqual(sorted(map(int, positions)), list(range(VERTICES)))
        for graph in self.graphs(directed=True):
            acyclic = networkx.is_directed_acyclic_graph(graph)
            self.assertEqual("cycle" in self.run_tess("topological-order", code=0 if acyclic else 1), not acyclic)

    @unittest.skipIf(numpy is None, "numpy or scipy is not installed")
    def test_assortativity(self) -> None:
        for graph in self.graphs(directed=False):
            expected = networkx.degree_assortativity_coefficient(graph)
            self.assertAlmostEqual(self.run_tess("assortativity")["assortativity"], expected, delta=1e-9)
        for graph in self.graphs(directed=True):
            for x in ("out", "in"):
                for y in ("out", "in"):
                    expected = networkx.degree_assortativity_coefficient(graph, x=x, y=y)
                    found = self.run_tess("assortativity", "--source-degree", x, "--target-degree", y)["assortativity"]
                    self.assertAlmostEqual(found, expected, delta=1e-9)

    @unittest.skipIf(scipy is None, "numpy or scipy is not installed")
    def test_pagerank(self) -> None:
        restart, start = {3: 1, 70: 2.5}, {v: v + 1 for v in range(VERTICES)}
        options = {
            (): {},
            ("--weighted",): {"weight": "weight"},
            ("--personalise", "restart.csv"): {"personalization": restart},
            ("--personalise", "restart.csv", "--weighted"): {"personalization": restart, "weight": "weight"},
            ("--personalise", "restart.csv", "--dangling", "uniform"): {
                "personalization": restart,
                "dangling": dict.fromkeys(range(VERTICES), 1),
            },
            ("--personalise", "9", "--start", "start.csv"): {"personalization": {9: 1}, "nstart": start},
        }
        for directed in (False, True):
            for graph in self.graphs(directed=directed):
                (self.folder / "restart.csv").write_text("3\n70,2.5\n")
                (self.folder / "start.csv").write_text(
                    "vertex,score\n" + "".join(f"{v},{x}\n" for v, x in start.items())
                )
                for words, how in options.items():
                    how = {"weight": None, "tol": 1e-13, "max_iter": 1000, **how}
                    expected = networkx.pagerank(graph, **how)
                    tolerance = ("--tolerance-per-vertex", "1e-13", "--iterations", "1000")
                    found = self.columns("pagerank", *tolerance, *words)[0]
                    for v in graph:
                        self.assertAlmostEqual(float(found[v]), expected[v], delta=1e-9, msg=f"{words}, vertex {v}")
                # The same tolerance ends after the same number of iterations.
                ended = self.run_tess("pagerank", "--tolerance-per-vertex", "1e-4")["iterations"]
                networkx.pagerank(graph, weight=None, tol=1e-4, max_iter=ended)
                with self.assertRaises(networkx.PowerIterationFailedConvergence):
                    networkx.pagerank(graph, weight=None, tol=1e-4, max_iter=ended - 1)


if __name__ == "__main__":
    AgainstNetworkx.tess = str(Path(sys.argv[1]).absolute())
    unittest.main(argv=sys.argv[:1])
