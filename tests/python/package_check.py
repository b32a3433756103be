"""package_check: graphs made of Python's data are the right ones, results are NetworkX's, and bad input is refused.

Usage: package_check.py FOLDER, which has the package tessera with its module. Method: random graphs against NetworkX,
on one place and on three; each kind of bad input with the words of its exception; the examples in the docstrings.
"""

import copy
import doctest
import importlib
import os
import pickle
import pkgutil
import re
import signal
import sys
import tempfile
import threading
import time
import unittest
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from unittest import mock

sys.path.insert(0, sys.argv.pop(1))

try:
    import networkx as nx
    import numpy as np
    import pandas
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

import tessera as ts


def random_graph(seed, *, directed=False):
    made = nx.gnp_random_graph(120, 0.03, seed=seed, directed=directed)
    for i, (u, v) in enumerate(made.edges):
        made[u][v]["weight"] = 1 + i % 7 / 4
    return made


def adopted(made, *, weighted=False):
    ends = np.array(list(made.edges)).reshape(-1, 2)
    weights = [w for *_, w in made.edges(data="weight")] if weighted else None
    return ts.from_edges(ends[:, 0], ends[:, 1], weights, vertices=len(made), directed=made.is_directed())


def groups(series):
    """The sets of vertices with the same value."""
    return {frozenset(index) for index in series.groupby(series).groups.values()}


class Results(unittest.TestCase):
    def each_graph(self):
        for places in (1, 3):
            ts.configure(places)
            for seed in (1, 2):
                for directed in (False, True):
                    yield random_graph(seed, directed=directed)
        ts.configure()

    def test_paths_are_those_of_networkx(self):
        for made in self.each_graph():
            found = ts.bfs(adopted(made), 3, parents=True)
            self.assertTrue((found["distance"] == ts.bfs(adopted(made), 3)).all())
            right = nx.single_source_shortest_path_length(made, 3)
            self.assertEqual({v: d for v, d in found["distance"].items() if d >= 0}, right)
            for v, parent in found["parent"].dropna().items():
                self.assertTrue(made.has_edge(int(parent), v))
            lengths = ts.sssp(adopted(made, weighted=True), 3)
            right = nx.single_source_dijkstra_path_length(made, 3)
            self.assertEqual(lengths[np.isfinite(lengths)].to_dict(), right)

    def test_paths_from_several_vertices_are_those_of_networkx(self):
        for made in self.each_graph():
            some, g = [3, 50, 9], adopted(made, weighted=True)
            right = nx.multi_source_dijkstra_path_length(made, set(some), weight=None)
            found = ts.bfs(g, some)
            self.assertEqual({v: d for v, d in found.items() if d >= 0}, right)
            right = nx.multi_source_dijkstra_path_length(made, set(some))
            found = ts.sssp(g, np.array(some), parents=True)
            lengths, parents = found["distance"], found["parent"].dropna().astype(int)
            self.assertEqual(lengths[np.isfinite(lengths)].to_dict(), right)
            self.assertEqual(set(parents.index), right.keys() - set(some))
            for v, parent in parents.items():
                self.assertEqual(lengths[v], lengths[parent] + made[parent][v]["weight"])
        self.assertEqual(len(ts.bfs(g, [])), len(made))
        with self.assertRaisesRegex(KeyError, "no vertex 500"):
            ts.bfs(g, [3, 500])

    def test_parents_with_large_numbers_keep_their_names(self):
        large = 2**62 + 1
        g = ts.from_edges([[large, 5], [5, large + 2], [9, 8]], names=True)
        for parents in (ts.bfs(g, large, parents=True)["parent"], ts.sssp(g, large, parents=True)["parent"]):
            self.assertEqual(parents.dropna().to_dict(), {5: large, large + 2: 5})

    def test_edges_of_no_length_have_no_circles_of_parents(self):
        for places in (1, 3):
            ts.configure(places)
            ends = [(v, (v + 1) % 200) for v in range(200)]
            g = ts.from_edges(np.array(ends)[:, 0], np.array(ends)[:, 1], np.zeros(200))
            parents = ts.sssp(g, 5, parents=True)["parent"]
            for v in range(200):
                for _ in range(100):
                    v = v if v == 5 else int(parents[v])
                self.assertEqual(v, 5)
        ts.configure()

    def test_centralities_are_those_of_networkx(self):
        for made in self.each_graph():
            g = adopted(made)
            pairs = [(ts.pagerank(g, tolerance=1e-12, iterations=1000),
                      nx.pagerank(made, tol=1e-14, max_iter=1000, weight=None)),
                     (ts.betweenness(g), nx.betweenness_centrality(made)),
                     (ts.betweenness(g, normalized=False), nx.betweenness_centrality(made, normalized=False))]
            for found, right in pairs:
                for v, value in right.items():
                    self.assertAlmostEqual(found[v], value, delta=1e-9)

    def test_pagerank_takes_weights_restarts_and_dangling_vertices(self):
        for made in self.each_graph():
            g, restart, dangling = adopted(made, weighted=True), {3: 1.0, 7: 2.5}, {0: 1.0}
            rules = {"tolerance": 1e-12, "iterations": 1000, "weighted": True}
            for ours, theirs in (({}, {}), ({"personalization": restart}, {"personalization": restart}),
                                 ({"personalization": restart, "dangling": dangling},
                                  {"personalization": restart, "dangling": dangling})):
                found = ts.pagerank(g, **rules, **ours)
                for v, value in nx.pagerank(made, tol=1e-14, max_iter=1000, **theirs).items():
                    self.assertAlmostEqual(found[v], value, delta=1e-9)
        with self.assertRaisesRegex(ValueError, "not all of them 0"):
            ts.pagerank(g, personalization={0: 0.0})

    def test_pagerank_ends_by_the_norm_that_is_asked_for(self):
        for made in self.each_graph():
            steps = nx.to_numpy_array(made, weight=None)
            edges = steps.sum(1, keepdims=True)
            steps = np.where(edges > 0, steps / np.maximum(edges, 1), 0)
            given_back = np.where(edges[:, 0] > 0, 0.15, 1)  # from each vertex to all
            for norm, order in (("l1", 1), ("l2", 2)):
                for tolerance in (1e-2, 1e-4, 1e-11):
                    scores, change, rest = np.full(120, 1 / 120), 1, 0.15 / 120
                    while change >= tolerance:
                        before = scores.copy()
                        for group in (slice(64), slice(64, 120)):  # the second one sees the scores of the first one
                            scores[group] = rest + 0.85 * (scores @ steps)[group]
                        change = np.linalg.norm(scores - before, order) / scores.sum()
                        rest = scores @ given_back / 120
                    scores /= scores.sum()
                    found = ts.pagerank(adopted(made), tolerance=tolerance, norm=norm, iterations=1000)
                    # With a tolerance from 2^-16 on shares are floats: 0.85 / 0.15 of half a unit of their last place.
                    error = 4e-7 * scores.max() if tolerance > 2**-16 else 1e-15
                    self.assertLess(np.abs(found.to_numpy() - scores).max(), error)

    def test_parts_are_those_of_networkx(self):
        for made in self.each_graph():
            g, undirected = adopted(made), made.to_undirected()
            self.assertEqual(groups(ts.components(g)), set(map(frozenset, nx.connected_components(undirected))))
            self.assertEqual(ts.core_numbers(g).to_dict(), nx.core_number(undirected))
            self.assertEqual(ts.triangles(g), sum(nx.triangles(undirected).values()) // 3)
            self.assertEqual(ts.bipartite(g) is not None, nx.is_bipartite(undirected))
            if made.is_directed():
                right = set(map(frozenset, nx.strongly_connected_components(made)))
                self.assertEqual(groups(ts.strong_components(g)), right)
            right = nx.degree_pearson_correlation_coefficient(made)
            self.assertAlmostEqual(ts.assortativity(g), right, delta=1e-9)

    def assert_near(self, found, right):
        self.assertEqual(len(found), len(right))
        for v, value in right.items():
            self.assertAlmostEqual(found[v], value, delta=1e-9)

    def test_betweenness_of_some_sources_is_that_of_networkx(self):
        for made in self.each_graph():
            g = adopted(made)
            for endpoints in (False, True):
                for normalized in (False, True):
                    rules = {"endpoints": endpoints, "normalized": normalized}
                    self.assert_near(ts.betweenness(g, **rules), nx.betweenness_centrality(made, **rules))
                    with mock.patch("random.Random.sample", lambda *_: [3, 5, 8, 70]):
                        right = nx.betweenness_centrality(made, k=4, seed=1, **rules)
                    self.assert_near(ts.betweenness(g, sources=[3, 5, 8, 70], **rules), right)
            self.assertTrue((ts.betweenness(g, k=7, seed=2) == ts.betweenness(g, k=7, seed=2)).all())

    def test_closeness_is_that_of_networkx(self):
        for made in self.each_graph():
            g, weighted = adopted(made), adopted(made, weighted=True)
            some = [80, 3, 7]
            for improved in (True, False):
                right = nx.closeness_centrality(made, wf_improved=improved)
                self.assert_near(ts.closeness(g, wf_improved=improved), right)
                self.assert_near(ts.closeness(g, some, wf_improved=improved), {v: right[v] for v in some})
            right = nx.closeness_centrality(made, distance="weight")
            self.assert_near(ts.closeness(weighted, weighted=True), right)
            self.assert_near(ts.closeness(weighted, some, weighted=True), {v: right[v] for v in some})
            self.assert_near(ts.harmonic(g), nx.harmonic_centrality(made))
            self.assert_near(ts.harmonic(weighted, some, weighted=True),
                             nx.harmonic_centrality(made, some, distance="weight"))
            self.assert_near(ts.harmonic(g, sources=some), nx.harmonic_centrality(made, sources=some))
            self.assert_near(ts.harmonic(g, some[:1], sources=some),
                             nx.harmonic_centrality(made, some[:1], sources=some))
            # All vertices but one as sources are nearly all.
            self.assertLess((ts.closeness(g, k=119) - ts.closeness(g)).abs().max(), 0.01)
            self.assertLess((ts.harmonic(g, k=119) - ts.harmonic(g)).abs().max(), 1)

    def test_similarities_are_those_of_networkx(self):
        for made in self.each_graph():
            undirected, g = made.to_undirected(), adopted(made)
            pairs = [(a, b) for a in range(0, 120, 7) for b in range(3, 120, 11) if a != b]
            found = ts.jaccard(g, pairs)
            right = [(a, b, value) for a, b, value in nx.jaccard_coefficient(undirected, pairs)]
            self.assertEqual(list(found.itertuples(index=False, name=None)), right)
            for a, b, value in ts.overlap(g, found).itertuples(index=False, name=None):
                fewer = min(undirected.degree(a), undirected.degree(b))
                self.assertEqual(value, len(set(undirected[a]) & set(undirected[b])) / fewer if fewer else 0)
            edges = ts.jaccard(adopted(undirected))
            self.assertEqual(len(edges), undirected.number_of_edges())
            right = nx.jaccard_coefficient(undirected, list(zip(edges["source"], edges["target"])))
            self.assertEqual(edges["jaccard"].tolist(), [value for *_, value in right])

    def test_walks_are_along_edges_and_the_same_on_all_places(self):
        found = {}
        for i, made in enumerate(self.each_graph()):
            g = adopted(made, weighted=True)
            for weighted, p, q in ((False, 1, 1), (True, 1, 1), (True, 0.3, 2), (False, 4, 0.5)):
                walks = ts.random_walks(g, length=15, walks=3, p=p, q=q, seed=5, weighted=weighted)
                self.assertEqual(walks.shape, (360, 16))
                self.assertEqual(walks[:, 0].tolist(), 3 * list(range(120)))
                for row in walks.tolist():
                    for a, b in zip(row, row[1:]):
                        self.assertTrue(b in made[a] if b >= 0 else a == -1 or not made[a])
                first = found.setdefault((i % 4, weighted, p), walks)
                self.assertTrue((first == walks).all())
            self.assertFalse((ts.random_walks(g, seed=6) == ts.random_walks(g, seed=7)).all())
        g = ts.from_pandas(pandas.DataFrame({"source": ["a"], "target": ["b"]}), directed=True)
        self.assertEqual(ts.random_walks(g, length=2, walks=1, sources=["a"], names=True).tolist(), [["a", "b", None]])

    def test_clustering_is_that_of_networkx_without_self_loops(self):
        for made in self.each_graph():
            undirected = made.to_undirected()
            ends = np.array([*made.edges, (3, 3), (5, 5)])
            loops = ts.from_edges(ends, vertices=len(made), directed=made.is_directed(), self_loops="keep")
            for g in (adopted(made), loops):
                self.assertEqual(ts.triangles(g, per_vertex=True).to_dict(), nx.triangles(undirected))
                found = ts.clustering(g)
                for v, value in nx.clustering(undirected).items():
                    self.assertAlmostEqual(found[v], value, delta=1e-12)
                self.assertAlmostEqual(ts.transitivity(g), nx.transitivity(undirected), delta=1e-12)

    def test_forests_sets_and_communities_keep_their_definitions(self):
        for made in self.each_graph():
            undirected = made.to_undirected()
            forest = ts.spanning_forest(adopted(undirected, weighted=True))
            right = nx.minimum_spanning_tree(undirected).size("weight")
            self.assertAlmostEqual(forest["weight"].sum(), right)
            member = ts.independent_set(adopted(made))
            for v in made:
                beside = any(member[u] for u in nx.all_neighbors(made, v))
                self.assertNotEqual(member[v], beside)
            g = adopted(undirected)
            labels = ts.louvain(g)
            sets = [set(index) for index in labels.groupby(labels).groups.values()]
            self.assertAlmostEqual(ts.modularity(g, labels), nx.community.modularity(undirected, sets, weight=None))
            theirs = nx.community.louvain_communities(undirected, weight=None, seed=1)
            theirs = nx.community.modularity(undirected, theirs, weight=None)
            self.assertGreater(ts.modularity(g, labels), theirs - 0.02)

    def test_self_loops_that_were_kept_are_no_neighbours_and_no_forest(self):
        for made in self.each_graph():
            undirected = made.to_undirected()
            ends = np.array([*undirected.edges, *((v, v) for v in range(0, 120, 2))])
            weights = [*(w for *_, w in undirected.edges(data="weight")), *[0.5] * 60]
            g = ts.from_edges(ends[:, 0], ends[:, 1], weights, vertices=120, self_loops="keep")
            bare = adopted(undirected, weighted=True)
            self.assertTrue(ts.spanning_forest(g).equals(ts.spanning_forest(bare)))
            self.assertEqual(ts.core_numbers(g).to_dict(), nx.core_number(undirected))
            # Vertices that waited for themselves would be waited for without end.
            self.assertTrue(ts.independent_set(g).equals(ts.independent_set(bare)))
            looped = nx.empty_graph(120)
            looped.add_weighted_edges_from((u, v, w) for (u, v), w in zip(ends.tolist(), weights, strict=True))
            labels = ts.louvain(g)
            sets = [set(index) for index in labels.groupby(labels).groups.values()]
            self.assertAlmostEqual(ts.modularity(g, labels), nx.community.modularity(looped, sets))
            self.assertAlmostEqual(ts.assortativity(g), nx.degree_pearson_correlation_coefficient(looped))

    def test_an_order_has_each_vertex_after_those_before_it(self):
        made = nx.DiGraph([(u, v) for u, v in random_graph(4).edges if u < v])
        order = ts.topological_order(ts.from_edges(list(made.edges), directed=True))
        position = {v: i for i, v in enumerate(order.index)}
        self.assertTrue(all(position[u] < position[v] for u, v in made.edges))
        with self.assertRaisesRegex(ValueError, "cycle: .* -> "):
            ts.topological_order(ts.from_edges([[0, 1], [1, 2], [2, 0]], directed=True))

    def test_graphs_without_edges_have_results(self):
        for places in (1, 2):
            ts.configure(places)
            for vertices in (0, 1, 70):
                g = ts.from_edges([], vertices=vertices)
                for f in (ts.pagerank, ts.components, ts.betweenness, ts.core_numbers, ts.independent_set, ts.louvain,
                          ts.clustering, ts.closeness, ts.harmonic):
                    self.assertEqual(len(f(g)), vertices)
                self.assertEqual(ts.triangles(g), 0)
        ts.configure()


class Inputs(unittest.TestCase):
    frame = pandas.DataFrame({"from": ["a", "b", "c", "a"], "to": ["b", "c", "a", "d"], "km": [1.5, 2, 3, 10]})

    def test_names_and_weights_come_back(self):
        g = ts.from_pandas(self.frame, "from", "to", "km")
        self.assertEqual(list(g.index), ["a", "b", "c", "d"])
        self.assertEqual(ts.sssp(g, "d").to_dict(), {"a": 10, "b": 11.5, "c": 13, "d": 0})
        back = ts.from_pandas(g.to_pandas(), weight="weight")
        self.assertEqual((g.to_scipy() != back.to_scipy()).nnz, 0)

    def test_all_kinds_of_columns_make_the_same_graph(self):
        right = ts.from_pandas(self.frame, "from", "to").to_scipy()
        for kind in ("object", "string", "category"):
            with self.subTest(kind):
                frame = self.frame.astype({"from": kind, "to": kind})
                self.assertEqual((ts.from_pandas(frame, "from", "to").to_scipy() != right).nnz, 0)
        ends = self.frame[["from", "to"]].to_numpy()
        self.assertEqual((ts.from_edges(ends, names=True).to_scipy() != right).nnz, 0)
        try:
            import pyarrow
        except ImportError:
            return
        table = pyarrow.Table.from_pandas(self.frame)
        self.assertEqual((ts.from_arrow(table, "from", "to").to_scipy() != right).nnz, 0)

    def test_columns_of_other_libraries_make_the_same_graph(self):
        try:
            import pyarrow as pa
        except ImportError:
            self.skipTest("no pyarrow")
        right = ts.from_pandas(self.frame, "from", "to", "km")
        texts = pa.array(["a", "b", "c"])
        for kind in (pa.string(), pa.large_string(), pa.string_view()):
            ends = {name: pa.DictionaryArray.from_arrays([ord(x) - ord("a") for x in self.frame[name]],
                                                         pa.array(["a", "b", "c", "d"], kind))
                    for name in ("from", "to")}
            made = ts.from_arrow(pa.table({**ends, "km": self.frame["km"]}), "from", "to", "km")
            self.assertEqual((made.to_scipy() != right.to_scipy()).nnz, 0)
        ends = {"s": pa.DictionaryArray.from_arrays([0, 1, 3], pa.array(["a", "b", None, None])), "t": texts}
        with self.assertRaisesRegex(ValueError, "from_arrow, sources, row 2: no name, expected an integer or a text"):
            ts.from_arrow(pa.table(ends), "s", "t")
        pairs = self.frame[["from", "to"]]
        found = ts.jaccard(right, pairs)
        self.assertTrue(ts.jaccard(right, pa.Table.from_pandas(pairs)).equals(found))
        try:
            import polars as pl
        except ImportError:
            return
        frame = pl.DataFrame(self.frame.to_dict("list"))
        self.assertTrue(ts.jaccard(right, frame).equals(found))
        for kind in (pl.String, pl.Categorical, pl.Enum(["a", "b", "c", "d"])):
            other = frame.with_columns(pl.col("from", "to").cast(kind))
            for made in (ts.from_arrow(other, "from", "to", "km"), ts.from_pandas(other, "from", "to", "km"),
                         ts.from_edges(other["from"], other["to"], other["km"], names=True)):
                self.assertEqual((made.to_scipy() != right.to_scipy()).nnz, 0)
        made = ts.from_edges(pl.Series([7, 9]), pl.Series([9, 11]), names=True)
        self.assertEqual(made.index.tolist(), [7, 9, 11])
        with self.assertRaisesRegex(ValueError, "targets, row 1: no name"):
            ts.from_edges(pl.Series([7, 9]), pl.Series([9, None]), names=True)

    def test_weights_near_the_end_of_the_range_of_doubles(self):
        ends, high = ([0, 1, 2, 3], [1, 2, 0, 3]), 1.7e308
        for loops in ("drop", "keep"):
            same, high_ones = (ts.from_edges(*ends, [w] * 4, self_loops=loops) for w in (1.0, high))
            self.assertAlmostEqual(ts.modularity(high_ones, [0, 0, 1, 1]), ts.modularity(same, [0, 0, 1, 1]))
            for name in ("personalization", "dangling"):
                found = ts.pagerank(high_ones, **{name: {0: high, 1: high, 2: high}})
                right = ts.pagerank(same, **{name: {0: 1.0, 1: 1.0, 2: 1.0}})
                self.assertLess(np.abs(found - right).max(), 1e-12)

    def test_files_have_the_same_graph(self):
        with tempfile.TemporaryDirectory() as folder:
            table, saved = Path(folder, "trips.csv"), Path(folder, "trips.tgr")
            self.frame.to_csv(table, index=False)
            right = ts.from_pandas(self.frame, "from", "to", "km")
            for directed in (False, True):
                made = ts.read_csv(table, weight="km", directed=directed)
                made.save(saved, with_in_edges=directed)
                for g in (made, ts.read(saved)):
                    self.assertEqual((g.directed, list(g.index)), (directed, list(right.index)))
                self.assertEqual((ts.read(saved).to_scipy() != made.to_scipy()).nnz, 0)
                self.assertTrue((ts.pagerank(ts.read(saved)) == ts.pagerank(made)).all())
            self.assertEqual((ts.read_csv(table, weight="km").to_scipy() != right.to_scipy()).nnz, 0)
            saved.write_bytes(saved.read_bytes()[:5000])
            cases = [
                (lambda: ts.read(saved), ValueError, "trips.tgr: "),
                (lambda: ts.read_csv(table, weight="miles"), ValueError, "miles.*from, to, km"),
                (lambda: ts.read(Path(folder, "none.tgr")), FileNotFoundError, "none.tgr"),
                (lambda: right.save(Path(folder, "none", "x.tgr")), OSError, "x.tgr"),
                (lambda: right.save(table), ValueError, ".tgr"),
                (lambda: ts.generate("tree:3"), ValueError, "kron:SCALE"),
            ]
            for call, kind, words in cases:
                with self.subTest(words), self.assertRaisesRegex(kind, words):
                    call()
            self.assertEqual(sorted(os.listdir(folder)), ["trips.csv", "trips.tgr"])

    def test_sparse_matrices_keep_their_entries(self):
        from scipy.sparse import random_array

        matrix = random_array((50, 50), density=0.05, rng=np.random.default_rng(1)).tocsr()
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        self.assertEqual((ts.from_scipy(matrix).to_scipy() != matrix).nnz, 0)

    def test_sparse_matrices_without_directions_keep_their_weights(self):
        from scipy.sparse import coo_array, csgraph, random_array

        matrix = random_array((60, 60), density=0.04, rng=np.random.default_rng(3))
        for loops in ("keep", "drop"):
            g = ts.from_scipy(matrix, directed=False, self_loops=loops)
            again = ts.from_scipy(g.to_scipy(), directed=False, self_loops=loops, duplicates="refuse")
            self.assertEqual(((again.to_scipy() != g.to_scipy()).nnz, again.edges), (0, g.edges))
        right = csgraph.dijkstra(matrix, directed=False, indices=7)
        self.assertTrue(np.allclose(ts.sssp(g, 7), right))
        # Equal positions are one entry before both directions are one edge.
        entries = coo_array(([1.0, 2.0, 5.0, 4.0], ([0, 0, 1, 2], [1, 1, 0, 1])), shape=(3, 3))
        for rule, weights in (("sum", [3, 4]), ("smallest", [1, 4]), ("last", [2, 4])):
            found = ts.from_scipy(entries, directed=False, duplicates=rule).to_pandas()
            self.assertEqual(found["weight"].tolist(), weights)
        self.assertEqual(ts.from_scipy(entries).to_pandas()["weight"].tolist(), [3, 5, 4])
        self.assertEqual(ts.from_scipy(entries, directed=False, weighted=False).edges, 2)
        with self.assertRaisesRegex(ValueError, "edge:2: an edge"):
            ts.from_scipy(entries, directed=False, duplicates="refuse")
        with self.assertRaisesRegex(ValueError, r"3.0 at \(0, 1\) and 5.0 at \(1, 0\), expected one weight"):
            ts.from_scipy(entries.tocsr(), directed=False, duplicates="refuse")

    def test_numbers_of_all_kinds_are_weights(self):
        right = [1.0, 0.0, 1.0]
        columns = [[1, 0, 1], [True, False, True], [Fraction(1), 0, Decimal(1)], np.array([1, 0, 1], np.float16),
                   np.array([1, 0, 1], np.uint8), np.array([1, 0, 1], bool), np.array([1, 0.0, np.int8(1)], object),
                   np.ma.array([1, 0, 1], mask=False), (1, 0, 1), pandas.Series([1, 0, 1], dtype="Int64"),
                   pandas.Series([1, 0, 1], dtype="boolean"), pandas.Series([1, 0, 1], dtype="category"),
                   np.array([1, 0, 1], np.longdouble), [np.float32(1), np.bool_(0), 1]]
        for column in columns:
            with self.subTest(column):
                self.assertEqual(ts.from_edges([0, 1, 2], [1, 2, 3], column).to_pandas()["weight"].tolist(), right)

    def test_what_is_no_weight_is_refused_with_its_row(self):
        columns = [
            ([1, 1j], "row 1: the weight 1j"),
            (np.array([1, 1j]), "complex128"), (np.array([1, 1j], object), "row 1: .*1j"),
            (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), "datetime64"), (np.array([1, 2], "m8[s]"), "timedelta64"),
            (pandas.Series(pandas.to_datetime(["2020-01-01", "2020-01-02"], utc=True)), "numbers?$"),
            (np.ma.array([1.0, 2.0], mask=[False, True]), "row 1: no weight"), ([1, 10**400], "row 1: .*finite"),
            ([1, Decimal("1e400")], "row 1: .*inf.*finite"), ([1, Decimal("sNaN")], "row 1: .*finite"),
            (np.array([1, np.longdouble(2) ** 5000]), "row 1: .*inf"), (["1", "2"], "row 0: the weight '1'"),
            ([1, "2"], "row [01]: the weight"), (np.array(["1", "2"]), "a column of <U1"),
            ([1, None], "row 1: no weight"),
            (pandas.Series([1, None], dtype="Int64"), "row 1: no weight"), ([1, np.nan], "row 1: the weight nan"),
            ([[1, 2], [3, 4]], "2 dimensions"), (np.ones((2, 2)), "2 dimensions"), (1.0, "0 dimensions"),
            (np.array([1, np.timedelta64(3, "s")], object), "row 1: the weight"),
            ([[1], [1, 2]], "expected numbers"), ([b"1", b"2"], "row 0: the weight"),
        ]
        for column, words in columns:
            with self.subTest(words, column=column), self.assertRaisesRegex(ValueError, f"weights.*{words}"):
                ts.from_edges([0, 1], [1, 2], column)
        with self.assertRaisesRegex(ValueError, "values: a column of complex128"):
            from scipy.sparse import csr_array

            ts.from_scipy(csr_array([[0, 1j], [0, 0]]))
        names = np.ma.array([1, 2], mask=[True, False])
        for options in ({}, {"names": True}):
            with self.assertRaisesRegex(ValueError, "targets, row 0: no"):
                ts.from_edges([3, 4], names, **options)

    def test_graphs_can_be_pickled_and_copied(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = Path(folder, "saved.tgr")
            ts.from_pandas(self.frame, "from", "to", "km").save(saved)
            made = [ts.from_pandas(self.frame, "from", "to", "km", directed=True), ts.read(saved),
                    ts.generate("grid:4x3"),
                    ts.from_edges([[10**12, -5], [-5, -5]], names=True, self_loops="keep"), ts.from_edges([]),
                    ts.from_networkx(nx.Graph([("a", (1, 2)), ((1, 2), 3)])), ts.from_edges([], vertices=3)]
            for g in made:
                self.assertIs(copy.deepcopy(g), g)
                self.assertIs(copy.copy(g), g)
                for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                    other = pickle.loads(pickle.dumps(g, protocol))
                    self.assertEqual((repr(other), list(other.index)), (repr(g), list(g.index)))
                    self.assertEqual((other.to_scipy() != g.to_scipy()).nnz, 0)
                    self.assertTrue(ts.components(other).equals(ts.components(g)))
                    self.assertEqual([other.number(v) for v in other.index], list(range(len(g))))

    def test_arrays_are_not_copied(self):
        g = ts.from_edges([[0, 1], [1, 2]])
        series = ts.pagerank(g)
        self.assertTrue(np.shares_memory(series.to_numpy(), series.array))
        self.assertTrue(np.shares_memory(g._held.targets(), g._held.targets()))

    def test_bad_input_is_refused_in_words(self):
        from scipy.sparse import coo_array

        frame = self.frame
        cases = [
            (lambda: ts.from_pandas(frame, "x", "to"), ValueError, "no column 'x', expected one of 'from', 'to', 'km'"),
            (lambda: ts.from_pandas(frame.assign(km=[1, np.nan, 2, 3]), "from", "to", "km"), ValueError, "row 1.*nan"),
            (lambda: ts.from_pandas(frame.assign(x="3"), "from", "to", "x"), ValueError, "column 'x', row 0.*a number"),
            (lambda: ts.from_pandas(frame, "from", "km"), ValueError, "the name 1.5, expected an integer or a text"),
            (lambda: ts.from_pandas(frame.assign(to=["a", None, "b", "c"]), "from", "to"), ValueError, "row 1.*name"),
            (lambda: ts.from_pandas(pandas.DataFrame({"s": [1, "a"], "t": [1, 2]}), "s", "t"), ValueError, "mixed"),
            (lambda: ts.from_edges([[1, "a"], ["b", 2]], names=True), ValueError, "mixed names: 1 and 'b'"),
            (lambda: ts.from_edges([(1, "a"), (2, "b")], names=True), ValueError, "an integer and the other a text"),
            (lambda: ts.from_pandas(pandas.DataFrame({"s": pandas.array([1, 2**63 + 5], "UInt64"), "t": [1, 2]}), "s",
                                    "t"), ValueError, "row 1: the name 9223372036854775813.*an integer of 64 bits"),
            (lambda: ts.from_edges([[0, 1]], vertices=-1), ValueError, "vertices=-1, expected a number from 0"),
            (lambda: ts.from_edges([[0, 1]], vertices=2.5), TypeError, "vertices=2.5, expected an integer"),
            (lambda: ts.from_edges([[0, 1]], vertices=True), TypeError, "vertices=True, expected an integer"),
            (lambda: ts.configure(places=1.5), TypeError, "places=1.5, expected an integer"),
            (lambda: ts.configure(workers="2"), TypeError, "workers='2', expected an integer"),
            (lambda: ts.bfs(g, 0, places=1.5), TypeError, "places=1.5, expected an integer"),
            (lambda: ts.closeness(g, k=1.5), TypeError, "k=1.5, expected an integer"),
            (lambda: ts.betweenness(ts.from_edges(layers, directed=True), sources=[0]), ValueError,
             "more than 1.8e308 shortest paths"),
            (lambda: ts.pagerank(ts.generate("grid:3x3"), damping=1.5), ValueError, "damping=1.5"),
            (lambda: ts.pagerank(ts.generate("grid:3x3"), damping=np.nan), ValueError, "damping=nan"),
            (lambda: ts.pagerank(ts.generate("grid:3x3"), iterations=2**40), ValueError, "iterations=1099511627776"),
            (lambda: ts.pagerank(ts.generate("grid:3x3"), tolerance=-1), ValueError, "tolerance=-1"),
            (lambda: ts.pagerank(ts.generate("grid:3x3"), personalization=[1]), TypeError, "personalization is a list"),
            (lambda: ts.louvain(ts.generate("grid:3x3"), seed=-1), ValueError, "seed=-1, expected an integer from 0"),
            (lambda: ts.louvain(ts.generate("grid:3x3"), resolution=np.inf), ValueError, "resolution=inf"),
            (lambda: ts.sssp(ts.generate("grid:3x3"), 0, delta=-1), ValueError, "delta=-1, expected a number from 0"),
            (lambda: ts.random_walks(ts.generate("grid:3x3"), length=2.5), ValueError, "length=2.5"),
            (lambda: ts.from_edges([[0, 10**9]]), ValueError, "names=True"),
            (lambda: ts.from_edges([[0, -1]]), ValueError, "row 0: vertex -1"),
            (lambda: ts.from_edges([0, 1], [1]), ValueError, "2 sources and 1 targets"),
            (lambda: ts.from_edges([[0, 1]], vertices=1), ValueError, "numbers below 1"),
            (lambda: ts.from_edges([["a", "\ud800"]], names=True), ValueError, "UTF-8"),
            (lambda: ts.from_edges([[0, 1], [0, 1]], duplicates="refuse"), ValueError, "edge:2: an edge"),
            (lambda: ts.from_edges([[0, 1]], duplicates="other"), ValueError, "expected smallest, first"),
            (lambda: ts.bfs(ts.from_edges([[0, 1]]), 2), KeyError, "no vertex 2"),
            (lambda: ts.bfs(nx.path_graph(3), 0), TypeError, "no tessera.Graph"),
            (lambda: ts.sssp(ts.from_edges([0], [1], [-1.0]), 0), ValueError, "negative"),
            (lambda: ts.louvain(ts.from_edges([0], [1], [-1.0])), ValueError, "negative"),
            (lambda: ts.label_propagation(ts.from_edges([0], [1], [-1.0])), ValueError, "negative"),
            (lambda: ts.pagerank(ts.from_edges([0], [1], [-1.0]), weighted=True), ValueError, "negative"),
            (lambda: ts.closeness(ts.from_edges([[0, 1]]), k=0), ValueError, "k=0"),
            (lambda: ts.betweenness(ts.from_edges([[0, 1]]), k=1, sources=[0]), ValueError, "exclude"),
            (lambda: ts.harmonic(ts.from_edges([[0, 1]]), [7]), KeyError, "no vertex 7"),
            (lambda: ts.closeness(ts.from_edges([0], [1], [-1.0]), weighted=True), ValueError, "negative"),
            (lambda: ts.jaccard(ts.from_edges([[0, 1]]), [(0, 1, 2)]), ValueError, "row 0: 3 vertices"),
            (lambda: ts.overlap(ts.from_edges([[0, 1]]), [(0, 9)]), KeyError, "no vertex 9"),
            (lambda: ts.random_walks(ts.from_edges([[0, 1]]), p=0), ValueError, "p=0"),
            (lambda: ts.random_walks(ts.from_edges([[0, 1]]), length=-1), ValueError, "length=-1"),
            (lambda: ts.pagerank(ts.from_edges([[0, 1]]), norm="max"), ValueError, "norm='max'"),
            (lambda: ts.configure(places=0), ValueError, "places=0"),
            (lambda: ts.from_pandas(frame, "from", "from"), ValueError, "column 'from' twice, expected different"),
            (lambda: ts.from_pandas(frame, "from", "to", "to"), ValueError, "from_pandas: the column 'to' twice"),
            (lambda: ts.read_csv("none.csv", "a", "b", "a"), ValueError, "read_csv: the column 'a' twice"),
            (lambda: ts.read_parquet("none.parquet", "a", "a"), ValueError, "read_parquet: the column 'a' twice"),
            (lambda: ts.from_networkx(g), TypeError, "from_networkx: a Graph, expected a graph of NetworkX"),
            (lambda: ts.from_scipy(np.eye(3)), TypeError, "from_scipy: a ndarray, expected a sparse"),
            (lambda: ts.from_scipy(coo_array(np.ones(3))), TypeError, "an array of 1 dimensions, expected two"),
            (lambda: ts.from_scipy(coo_array((2, 3))), ValueError, "a matrix of 2 x 3"),
            (lambda: ts.from_edges([[0, 1]], directed=None), TypeError, "directed=None, expected True or False"),
            (lambda: ts.from_pandas(frame, "from", "to", directed=1), TypeError, "directed=1, expected True or False"),
            (lambda: ts.from_scipy(coo_array((2, 2)), weighted="no"), TypeError, "weighted='no', expected True"),
            (lambda: ts.generate("grid:3x3", weighted=None), TypeError, "weighted=None, expected True or False"),
            (lambda: ts.from_edges([[0, 1]], duplicates=None), ValueError, "duplicates=None, expected smallest, first"),
            (lambda: ts.from_edges([[0, 1]], self_loops=True), ValueError, "self_loops=True, expected drop, keep or"),
        ]
        g = ts.from_edges([[0, 1]])
        # Layers of 8 vertices, each joined to all of the next one: 8^349 paths.
        layers = [[8 * i + j, 8 * i + 8 + k] for i in range(350) for j in range(8) for k in range(8)]
        for f in (ts.pagerank, ts.louvain, ts.label_propagation, ts.closeness, ts.harmonic, ts.random_walks):
            cases.append((lambda f=f: f(g, weighted="yes"), TypeError, "weighted='yes', expected True or False"))
        cases.append((lambda: ts.betweenness(g, normalized=1), TypeError, "normalized=1, expected True or False"))
        cases.append((lambda: ts.modularity(g, [0, 0], weighted=1), TypeError, "weighted=1, expected True or False"))
        for f in (ts.sssp, ts.bfs, ts.louvain, ts.modularity, ts.label_propagation, ts.pagerank, ts.components,
                  ts.closeness, ts.harmonic, ts.betweenness, ts.jaccard, ts.random_walks, ts.spanning_forest):
            more = ([0],) if f in (ts.sssp, ts.bfs, ts.modularity) else ()
            for other in (nx.path_graph(3), None, "trips.csv"):
                cases.append((lambda f=f, other=other, more=more: f(other, *more), TypeError, "is no tessera.Graph"))
        for call, kind, words in cases:
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()


class Process(unittest.TestCase):
    def test_ctrl_c_ends_a_call_and_the_graph_stays(self):
        random = np.random.default_rng(1)
        g = ts.from_edges(random.integers(0, 1 << 16, 1 << 20), random.integers(0, 1 << 16, 1 << 20))
        before = ts.pagerank(g)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            ts.betweenness(g)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertTrue((ts.pagerank(g) == before).all())

    def test_ctrl_c_ends_walks(self):
        g = ts.generate("kron:12")
        ts.random_walks(g, length=2, walks=1)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            ts.random_walks(g, length=500_000, walks=1, sources=range(64))
        self.assertLess(time.monotonic() - begin, 2)

    def test_long_walks_are_the_same_on_all_places(self):
        g, found = ts.generate("kron:8"), []
        for places in (1, 3):
            found.append(ts.random_walks(g, length=5000, walks=1, sources=range(50), seed=3, places=places))
        ts.configure()
        self.assertTrue((found[0] == found[1]).all())

    def test_handlers_of_signals_run_during_a_call(self):
        class Over(Exception):
            pass

        def heard(number, frame):
            came.append((number, time.monotonic() - begin))
            if number == signal.SIGINT:
                with self.assertRaisesRegex(RuntimeError, "handler while another call"):
                    ts.places()
            if number == signal.SIGALRM:
                raise Over

        g = ts.generate("kron:15")
        before = ts.bfs(g, 0)
        kept = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
        timers = [threading.Timer(after, lambda number=number: os.kill(os.getpid(), number))
                  for after, number in ((0.2, signal.SIGTERM), (0.3, signal.SIGINT), (0.6, signal.SIGALRM))]
        came, begin = [], time.monotonic()
        try:
            for timer in timers:
                timer.start()
            with self.assertRaises(Over):
                ts.betweenness(g)
            for timer in timers:
                timer.join()
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual([number for number, _ in came], [signal.SIGTERM, signal.SIGINT, signal.SIGALRM])
        self.assertLess(came[0][1], 0.6)
        self.assertTrue((ts.bfs(g, 0) == before).all())

    def test_ctrl_c_while_places_start_is_not_lost(self):
        g = ts.generate("grid:150x150")
        for i in range(16):
            ts.configure(places=2 + i % 2, workers=1)
            begin = time.monotonic()
            timer = threading.Timer(i * 0.0002, lambda: os.kill(os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                timer.start()
                ts.betweenness(g)
            timer.join()
            self.assertLess(time.monotonic() - begin, 5)
        ts.configure()

    def test_threads_take_turns(self):
        g = adopted(random_graph(1))
        found = []
        threads = [threading.Thread(target=lambda: found.append(ts.pagerank(g))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all((f == found[0]).all() for f in found))
        self.assertEqual(len(found), 4)

    def test_a_forked_process_is_told_what_to_do(self):
        ts.places()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                ts.places()
            except RuntimeError as refused:
                os.write(writer, str(refused).encode())
            os._exit(0)
        os.close(writer)
        self.assertIn("spawn", os.read(reader, 1000).decode())
        os.waitpid(child, 0)
        os.close(reader)


def load_tests(loader, tests, pattern):
    """With the examples in the docstrings of all modules; those of simulated machines are in machine_check.py."""
    for module in pkgutil.walk_packages(ts.__path__, "tessera."):
        if not re.search(r"\.(simulator|plot|__main__)\b", module.name):
            tests.addTests(doctest.DocTestSuite(importlib.import_module(module.name)))
    return tests


if __name__ == "__main__":
    unittest.main()
