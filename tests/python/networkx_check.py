"""networkx_check: the backend gives NetworkX's results, orders, types and errors, and graphs come over as they are.

Usage: networkx_check.py FOLDER, which has the package tessera with its module. Method: each function on random and odd
graphs with and without backend; conversions against the dicts themselves; what the rules say against what happens.
"""

import copy
import itertools
import math
import os
import pickle
import random
import subprocess
import sys
import tempfile
import unittest
import warnings
from decimal import Decimal
from fractions import Fraction

sys.path.insert(0, sys.argv.pop(1))

try:
    import networkx as nx
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

import tessera as ts
from tessera import _engine
from tessera.networkx import rules
from tessera.networkx.rows import Rows

nx.config.warnings_to_ignore.add("cache")

NAMES = {
    "numbers": lambda i: i,
    "numbers in another order": lambda i: (i * 7) % 60,
    "numbers with gaps": lambda i: 3 * i + 100,
    "large numbers": lambda i: 10**15 + i * 10**9,
    "huge numbers": lambda i: 2**61 - 1 + i,
    "numbers below zero": lambda i: -i,
    "texts": lambda i: f"v{i}",
    "tuples": lambda i: (i % 5, i // 5),
    "mixed": lambda i: [i, f"v{i}", (i, None), i + 0.5, frozenset([i])][i % 5],
    "bytes": lambda i: str(i).encode(),
}


class Same:
    """A name whose hash is that of others."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return self.value % 3

    def __eq__(self, other):
        return isinstance(other, Same) and self.value == other.value


NAMES["names with the same hash"] = Same


def odd_graph(kind, name, seed, *, loops=True, weights="mixed"):
    """60 vertices in parts, some alone, some at themselves, with weights here and there."""
    draw = random.Random(seed)
    graph = kind()
    graph.add_nodes_from(name(i) for i in range(60))
    for _ in range(110):
        u, v = draw.randrange(25), draw.randrange(25)
        if draw.random() < 0.4:
            u, v = u + 28, v + 28
        if u == v and not loops:
            continue
        weight = {"mixed": draw.choice([{}, {"weight": draw.randrange(1, 5)}, {"weight": draw.random()}]),
                  "integers": {"weight": draw.randrange(6)}, "none": {"colour": "red"}}[weights]
        graph.add_edge(name(u), name(v), **weight)
    return graph


def graphs(*, kinds=(nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph), **rules_of):
    for (_, name), kind, seed in itertools.product(NAMES.items(), kinds, (1, 2)):
        yield odd_graph(kind, name, seed, **rules_of)


SIMPLE = (nx.Graph,)
UNDIRECTED = (nx.Graph, nx.MultiGraph)
DIRECTED = (nx.DiGraph, nx.MultiDiGraph)


class Conversions(unittest.TestCase):
    def expected(self, graph, weight, combine):
        number = {name: i for i, name in enumerate(graph)}
        rows = []
        for u in graph:
            row = {}
            for v, data in graph._adj[u].items():
                edges = data.values() if graph.is_multigraph() else [data]
                row[number[v]] = combine(1 if weight is None else edge.get(weight, 1) for edge in edges)
            rows.append(dict(sorted(row.items())))
        return rows

    def test_rows_are_those_of_the_dicts(self):
        for graph in graphs():
            for weight, lent in itertools.product((None, "weight", "colour of none"), (True, False)):
                offsets, targets, as_added, sums, least, integers, loops, numbers = _engine.dict_rows(
                    graph._node, graph._adj, weight, 1.0, graph.is_directed(), graph.is_multigraph(), lent)
                for values, combine in ((sums, sum), (least if least is not None else sums, min)):
                    right = self.expected(graph, weight, combine)
                    values = np.ones(len(targets)) if values is None else values
                    found = [dict(zip(targets[a:b].tolist(), values[a:b].tolist()))
                             for a, b in itertools.pairwise(offsets.tolist())]
                    self.assertEqual(found, right)
                    self.assertEqual([list(row) for row in found], [list(row) for row in right])
                self.assertEqual(loops, nx.number_of_selfloops(nx.Graph(graph)))
                self.assertEqual(numbers, list(graph) == list(range(60)) and not isinstance(next(iter(graph)), Same))
                weights_of = [data.get(weight, 1) for *_, data in graph.edges(data=True)]
                self.assertEqual(integers, all(isinstance(value, int) for value in weights_of))
                if graph.is_directed():
                    number = {name: i for i, name in enumerate(graph)}
                    order = targets if as_added is None else as_added
                    self.assertEqual(order.tolist(), [number[v] for u in graph for v in graph._adj[u]])

    def test_small_graphs_have_rows(self):
        for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph):
            for nodes, edges in (([], []), ([0], []), (["a", "b"], []), ([1], [(1, 1)]), ([True, 2], [(1, 2)])):
                graph = kind(edges)
                graph.add_nodes_from(nodes)
                rows = Rows.read(graph, "weight")
                self.assertEqual((rows.vertices, list(rows.all_names())), (len(graph), list(graph)))
                self.assertEqual(_engine.components(rows.form()).tolist(), [0] * len(graph) if edges or len(graph) < 2
                                 else [0, 1])

    def test_weights_that_are_no_finite_numbers_are_refused(self):
        for weight in (math.nan, math.inf, None, "3", [1], 2**60, 2**53 + 1, 10**400, 1j, np.complex64(1),
                       np.float32("inf"), np.int64(2**60), Fraction(10**400), Decimal("NaN"), Decimal("sNaN"),
                       np.datetime64("2020-01-01"), np.timedelta64(1, "s")):
            graph = nx.Graph([(0, 1, {"weight": weight})])
            with self.subTest(weight):
                with self.assertRaises(NotImplementedError):
                    Rows.read(graph, "weight")
                # Graphs of the package have the nearest double.
                if type(weight) in (int, np.int64) and weight <= 2**60:
                    self.assertEqual(ts.from_networkx(graph, "weight").to_pandas()["weight"].tolist(), [float(weight)])
                else:
                    with self.assertRaisesRegex(ValueError, "from_networkx, edge 0 to 1: .*weight"):
                        ts.from_networkx(graph, "weight")
                with self.assertRaises(NotImplementedError):
                    nx.pagerank(graph, backend="tessera")
        graph = nx.Graph([(0, 1, {"weight": np.float64(2)}), (1, 2, {"weight": True})])
        self.assertEqual(nx.single_source_dijkstra_path_length(graph, 0, backend="tessera"), {0: 0, 1: 2, 2: 3})

    def test_the_edge_of_a_wrong_weight_is_named(self):
        for kind in (nx.Graph, nx.MultiDiGraph):
            graph = kind([("a", "b"), ("b", (1, 2), {"weight": "3"}), ("a", "c", {"weight": "4"})])
            for made in (graph, graph.subgraph(list(graph))):
                with self.assertRaisesRegex(ValueError, r"^from_networkx, edge '.*: the weight '[34]', expected a num"):
                    ts.from_networkx(made, "weight")
        graph = nx.Graph([("a", "b"), ("b", (1, 2), {"km": math.inf})])
        with self.assertRaisesRegex(ValueError, r"edge 'b' to \(1, 2\): the weight inf, expected a finite number"):
            ts.from_networkx(graph, "km")

    def test_broken_graphs_are_refused(self):
        graph = nx.path_graph(3)
        for nodes, adjacency in (({0: {}}, {0: {1: {}}}), ({0: {}, 1: {}}, {0: {1: {}}, 1: {}}), ({0: {}}, {0: []}),
                                 ({0: {}, 1: {}}, {0: {1: 3}, 1: {0: 3}}), ({0: {}, 1: {}}, {0: {}}),
                                 ({"a": {}}, {"b": {}}), ({"a": {}}, {"a": {"b": {}}})):
            with self.subTest(adjacency), self.assertRaises(_engine.AdjacencyError):
                _engine.dict_rows(nodes, adjacency, "weight", 1.0, False, False)
        view = graph.subgraph([0, 1])
        self.assertEqual(nx.number_connected_components(view), 1)
        self.assertEqual(ts.from_networkx(view).vertices, 2)

    def test_graphs_of_the_package(self):
        for graph in graphs(weights="integers"):
            if isinstance(next(iter(graph)), Same):
                continue
            plain = nx.DiGraph(graph) if graph.is_directed() else nx.Graph(graph)
            plain.remove_edges_from(list(nx.selfloop_edges(plain)))
            made = ts.from_networkx(graph)
            self.assertEqual((made.vertices, made.edges, made.directed),
                             (len(graph), plain.number_of_edges(), graph.is_directed()))
            self.assertEqual(list(made.index), list(graph))
            back = made.to_networkx()
            self.assertEqual(*({u: set(row) for u, row in one.adjacency()} for one in (back, plain)))
            kept = ts.from_networkx(graph, "weight", duplicates="sum", self_loops="keep").to_networkx()
            total = sum(weight for *_, weight in graph.edges(data="weight"))
            self.assertEqual(kept.size("weight"), total)
        for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph):
            large = kind([(0, 1, {"weight": 2**53 + 3}), (1, 2, {"weight": -(2**70) - 1}), (2, 3, {"weight": 3}),
                          (3, 3, {"weight": np.uint64(2**64 - 1)})])
            found = ts.from_networkx(large, "weight", self_loops="keep").to_pandas()["weight"].tolist()
            self.assertEqual(found, [2.0**53 + 4, -(2.0**70), 3, 2.0**64])
            # Where weights are asked for there are some, as by from_edges.
            for edges in ([(0, 1, {"weight": 1}), (1, 1)], [(0, 1), (1, 2)]):
                for loops in ("drop", "keep"):
                    made = ts.from_networkx(kind(edges), "weight", self_loops=loops)
                    self.assertTrue(made.weighted)
                    self.assertTrue((made.to_pandas()["weight"] == 1).all())
                    self.assertFalse(ts.from_networkx(kind(edges), self_loops=loops).weighted)
        with self.assertRaisesRegex(ValueError, "several edges from 0 to 1"):
            ts.from_networkx(nx.MultiGraph([(0, 1), (0, 1)]), duplicates="refuse")
        with self.assertRaisesRegex(ValueError, "self-loop"):
            ts.from_networkx(nx.Graph([(0, 0)]), self_loops="refuse")
        with self.assertRaisesRegex(ValueError, "self_loops='x', expected drop, keep or refuse"):
            ts.from_networkx(nx.Graph([(0, 0)]), self_loops="x")


class Results(unittest.TestCase):
    def same(self, function, graph, *arguments, order=True, delta=0.0, types=True, **options):
        right = function(graph, *arguments, **options, backend="networkx")
        found = function(graph, *arguments, **options, backend="tessera")
        if isinstance(right, dict):
            self.assertEqual(list(found) if order else set(found), list(right) if order else set(right))
            for name, value in right.items():
                if not (math.isnan(value) and math.isnan(found[name])):
                    self.assertAlmostEqual(found[name], value, delta=delta)
                self.assertNotIsInstance(found[name], np.generic)
                if types:
                    self.assertIs(type(found[name]), type(value))
        elif isinstance(right, float):
            self.assertTrue(math.isclose(found, right, abs_tol=max(delta, 1e-12)) or math.isnan(found + right))
        else:
            self.assertEqual((type(found), found), (type(right), right))

    def test_paths(self):
        for graph in graphs():
            for source, cutoff in itertools.product(list(graph)[:60:17], (None, 0, 1, 1.5, 2, -1, math.inf, math.nan)):
                for function in (nx.single_source_shortest_path_length, nx.single_target_shortest_path_length):
                    self.same(function, graph, source, cutoff=cutoff, order=False)
                self.same(nx.single_source_dijkstra_path_length, graph, source, cutoff=cutoff, order=False, delta=1e-12,
                          types=False)
            found = nx.single_source_shortest_path_length(graph, source, backend="tessera")
            self.assertEqual(list(found.values()), sorted(found.values()))
            self.same(nx.shortest_path_length, graph, source, order=False)
            self.same(nx.shortest_path_length, graph, source, weight="weight", order=False, delta=1e-12, types=False)
            found = nx.shortest_path_length(graph, source, weight="weight", backend="tessera")
            self.assertIs(type(found[source]), int)
        for graph in graphs(weights="integers"):
            found = nx.single_source_dijkstra_path_length(graph, source := next(iter(graph)), backend="tessera")
            self.assertTrue(all(type(length) is int for length in found.values()))
            self.same(nx.single_source_dijkstra_path_length, graph, source, order=False)
            self.same(nx.single_source_dijkstra_path_length, graph, source, cutoff=math.inf, order=False)
        graph = nx.path_graph(4)
        nx.set_edge_attributes(graph, 1e308, "weight")
        with self.assertRaises(NotImplementedError):  # NetworkX has vertices at the distance inf
            nx.single_source_dijkstra_path_length(graph, 0, backend="tessera")

    def test_a_source_is_called_as_it_was_given(self):
        for kind, source in itertools.product((nx.Graph, nx.DiGraph), (1, True, 1.0, np.int64(1))):
            for graph in (nx.path_graph(4, create_using=kind), nx.relabel_nodes(nx.path_graph(4, kind), {3: "end"})):
                graph.add_edge(1, 1, weight=0.5)
                for function in (nx.single_source_shortest_path_length, nx.single_target_shortest_path_length,
                                 nx.single_source_dijkstra_path_length, nx.shortest_path_length,
                                 nx.node_connected_component):
                    if kind is nx.DiGraph and function is nx.node_connected_component:
                        continue
                    ours, theirs = (function(graph, source, backend=b) for b in ("tessera", "networkx"))
                    self.assertEqual({(repr(v), type(v)) for v in ours}, {(repr(v), type(v)) for v in theirs})

    def test_views_have_results(self):
        functions = (nx.single_source_dijkstra_path_length, nx.single_target_shortest_path_length)
        for graph in itertools.islice(graphs(), 0, None, 3):
            some = list(graph)[::3] + list(graph)[:20]
            views = [graph.subgraph(some), graph.edge_subgraph(list(graph.edges)[::2]), nx.subgraph_view(graph)]
            if graph.is_directed():
                views.append(graph.to_undirected(as_view=True))
            else:
                views.append(graph.to_directed(as_view=True))
            for view in views:
                weights = None if graph.is_directed() and not view.is_directed() else "weight"
                self.same(nx.pagerank, view, weight=weights, delta=1e-9)
                self.same(nx.closeness_centrality, view, delta=1e-12)
                source = next(iter(view))
                self.same(functions[0], view, source, weight=weights, order=False, delta=1e-12, types=False)
                self.same(functions[1], view, source, order=False)
                if view.is_directed():
                    found = list(nx.strongly_connected_components(view, backend="tessera"))
                    self.assertEqual(found, list(nx.strongly_connected_components(view, backend="networkx")))
        both = nx.DiGraph([(0, 1, {"weight": 2}), (1, 0, {"weight": 3}), (1, 2, {"weight": 4})])
        view = both.to_undirected(as_view=True)
        self.same(nx.pagerank, view, weight=None, delta=1e-9)
        with self.assertRaises(NotImplementedError):  # each end of an edge has a weight of its own
            nx.pagerank(view, backend="tessera")
        one_way = nx.subgraph_view(nx.path_graph(3), filter_edge=lambda u, v: u < v)
        for weight in ("weight", None):
            with self.assertRaises(NotImplementedError):
                nx.pagerank(one_way, weight=weight, backend="tessera")
        both[1][0]["weight"] = 2
        self.same(nx.pagerank, view, delta=1e-9)

    def test_weights_are_numbers_of_numpy_and_of_python(self):
        kinds = {np.int64: True, np.uint8: True, np.bool_: True, np.float32: False, np.float16: False,
                 np.longdouble: False, Fraction: False, Decimal: False}
        for graph in itertools.islice(graphs(weights="integers", kinds=(nx.Graph, nx.MultiDiGraph)), 0, None, 5):
            for kind, whole in kinds.items():
                other = graph.copy()
                for *_, data in itertools.islice(other.edges(data=True), 0, None, 2):
                    data["weight"] = kind(data["weight"])
                plain = graph.copy()
                for *_, data in itertools.islice(plain.edges(data=True), 0, None, 2):
                    data["weight"] = float(kind(data["weight"]))
                ours, theirs = nx.pagerank(other, backend="tessera"), nx.pagerank(plain, backend="tessera")
                self.assertEqual(ours, theirs)
                self.assertEqual(*((ts.from_networkx(g, "weight").to_scipy() != 0).nnz for g in (other, plain)))
                found = [ts.from_networkx(g, "weight", duplicates="sum").to_scipy() for g in (other, plain)]
                self.assertEqual((found[0] != found[1]).nnz, 0)
                source = next(iter(other))
                if whole:
                    self.same(nx.shortest_path_length, other, source, weight="weight", order=False, types=False)
                else:
                    with self.assertRaises(NotImplementedError):
                        nx.shortest_path_length(other, source, weight="weight", backend="tessera")

    def test_pagerank_of_weights_without_sums_is_left_to_networkx(self):
        for weights, done in (((1e-310, 1), False), ((1e308, 1e308), False), ((1e-300, 1e300), True)):
            graph = nx.path_graph(40)
            nx.set_edge_attributes(graph, dict(zip(graph.edges, itertools.cycle(weights))), "weight")
            if done:
                self.same(nx.pagerank, graph, delta=1e-9)
            else:
                with self.assertRaises(NotImplementedError):
                    nx.pagerank(graph, backend="tessera")

    def test_pagerank(self):
        for graph in graphs():
            some = list(graph)
            for options in ({}, {"weight": None}, {"alpha": 0.5}, {"personalization": {some[3]: 1, some[40]: 2.5}},
                            {"dangling": {some[7]: 1}}, {"nstart": {name: i for i, name in enumerate(some)}},
                            {"personalization": {some[1]: 3}, "dangling": {some[2]: 1, some[1]: 1}, "tol": 1e-9}):
                with self.subTest(options):
                    self.same(nx.pagerank, graph, delta=1e-9, **options)

    def test_betweenness(self):
        for graph in graphs():
            for options in ({}, {"normalized": False}, {"k": 7, "seed": 3}, {"k": 1, "seed": 3},
                            {"k": 9, "seed": 1, "normalized": False}, {"k": 60}):
                self.same(nx.betweenness_centrality, graph, delta=1e-9, **options)
                self.same(nx.betweenness_centrality, graph, endpoints=True, delta=1e-9, **options)
        for n in (1, 2, 3):
            for endpoints in (False, True):
                self.same(nx.betweenness_centrality, nx.path_graph(n), endpoints=endpoints, delta=1e-12)

    def test_closeness(self):
        for graph in graphs():
            for improved in (True, False):
                self.same(nx.closeness_centrality, graph, wf_improved=improved, delta=1e-12)
                self.same(nx.closeness_centrality, graph, u=list(graph)[31], wf_improved=improved, delta=1e-12)
            self.same(nx.harmonic_centrality, graph, delta=1e-12)
        for n in (0, 1, 2):
            self.same(nx.closeness_centrality, nx.path_graph(n))
            self.same(nx.harmonic_centrality, nx.path_graph(n))

    def test_components(self):
        for graph in graphs():
            connected, strong = ("weakly_connected", True) if graph.is_directed() else ("connected", False)
            self.same(getattr(nx, f"number_{connected}_components"), graph)
            self.same(getattr(nx, f"is_{connected}"), graph)
            function = getattr(nx, f"{connected}_components")
            self.assertEqual(list(function(graph, backend="tessera")), list(function(graph, backend="networkx")))
            if not strong:
                self.same(nx.node_connected_component, graph, list(graph)[30])
                continue
            self.same(nx.number_strongly_connected_components, graph)
            self.same(nx.is_strongly_connected, graph)
            found = list(nx.strongly_connected_components(graph, backend="tessera"))
            self.assertEqual(found, list(nx.strongly_connected_components(graph, backend="networkx")))
        for n in (1, 5):
            self.same(nx.is_connected, nx.cycle_graph(n))
            self.same(nx.is_strongly_connected, nx.cycle_graph(n, create_using=nx.DiGraph))

    def test_structure(self):
        for graph in graphs(kinds=UNDIRECTED):
            self.same(nx.is_bipartite, graph)
            self.same(nx.triangles, graph)
        for graph in graphs(kinds=SIMPLE):
            for function in (nx.clustering, nx.average_clustering, nx.transitivity):
                self.same(function, graph, delta=1e-15)
            self.same(nx.average_clustering, graph, count_zeros=False, delta=1e-15)
        for graph in graphs(kinds=SIMPLE, loops=False):
            self.same(nx.core_number, graph)
            self.same(nx.is_bipartite, graph)
        for graph in itertools.chain(graphs(kinds=SIMPLE), graphs(kinds=(nx.DiGraph,)),
                                     graphs(kinds=(nx.Graph, nx.DiGraph), loops=False)):
            for x, y in itertools.product(("in", "out"), repeat=2) if graph.is_directed() else [("out", "in")]:
                self.same(nx.degree_assortativity_coefficient, graph, x=x, y=y, delta=1e-9)
                self.same(nx.degree_pearson_correlation_coefficient, graph, x=x, y=y, delta=1e-9)
        for graph in (nx.complete_bipartite_graph(3, 4), nx.path_graph(9), nx.cycle_graph(8), nx.empty_graph(3)):
            self.same(nx.is_bipartite, graph)

    def test_communities(self):
        for graph in graphs(kinds=UNDIRECTED, loops=False):
            for weight in (None, "weight"):
                parts = nx.community.louvain_communities(graph, weight=weight, backend="tessera")
                self.assertTrue(nx.community.is_partition(graph, parts))
                theirs = nx.community.louvain_communities(graph, weight=weight, seed=1, backend="networkx")
                ours, best = (nx.community.modularity(graph, p, weight=weight) for p in (parts, theirs))
                self.assertGreater(ours, best - 0.05)
        for graph in graphs():
            names = list(graph)
            parts = [set(names[:20]), set(names[20:45]), set(names[45:])]
            for options in ({}, {"weight": None}, {"resolution": 0.3}):
                self.same(nx.community.modularity, graph, parts, **options)
        for graph in graphs(kinds=SIMPLE):
            labels = list(nx.community.asyn_lpa_communities(graph, backend="tessera"))
            self.assertTrue(nx.community.is_partition(graph, labels))
            chosen = nx.maximal_independent_set(graph, backend="tessera")
            self.assertTrue(all(name in chosen or set(graph[name]) & set(chosen) for name in graph))
            self.assertFalse(any(set(graph[name]) - {name} & set(chosen) & set(graph[name]) for name in chosen
                                 if set(graph[name]) & set(chosen) - {name}))

    def test_errors_are_those_of_networkx(self):
        graph, directed = nx.path_graph(4), nx.DiGraph([(0, 1)])
        looped = nx.Graph([(0, 0), (0, 1)])
        cases = [
            (nx.single_source_shortest_path_length, graph, (9,), {}),
            (nx.single_source_shortest_path_length, graph, ([1],), {}),
            (nx.single_target_shortest_path_length, graph, ("x",), {}),
            (nx.single_source_dijkstra_path_length, graph, (1.5,), {}),
            (nx.single_source_dijkstra_path_length, graph, ([1],), {}),
            (nx.shortest_path_length, graph, ([1],), {}),
            (nx.shortest_path_length, graph, ([1],), {"weight": "weight"}),
            (nx.node_connected_component, graph, ([1],), {}),
            (nx.closeness_centrality, graph, ([1],), {}),
            (nx.degree_assortativity_coefficient, directed, (), {"x": "foo"}),
            (nx.degree_assortativity_coefficient, directed, (), {"x": "in", "y": None}),
            (nx.degree_pearson_correlation_coefficient, directed, (), {"x": "foo"}),
            (nx.pagerank, graph, (), {"max_iter": 0}),
            (nx.pagerank, graph, (), {"tol": 1e-30, "max_iter": 3}),
            (nx.pagerank, graph, (), {"personalization": {0: 0}}),
            (nx.pagerank, graph, (), {"personalization": {"none": 1}}),
            (nx.closeness_centrality, graph, (9,), {}),
            (nx.is_connected, nx.Graph(), (), {}),
            (nx.is_weakly_connected, nx.DiGraph(), (), {}),
            (nx.is_strongly_connected, nx.DiGraph(), (), {}),
            (nx.connected_components, directed, (), {}),
            (nx.strongly_connected_components, graph, (), {}),
            (nx.node_connected_component, graph, (9,), {}),
            (nx.core_number, looped, (), {}),
            (nx.core_number, nx.MultiGraph(graph), (), {}),
            (nx.triangles, directed, (), {}),
            (nx.average_clustering, nx.Graph(), (), {}),
            (nx.community.modularity, graph, ([{0, 1}],), {}),
            (nx.community.modularity, graph, ([{0, 1}, {1, 2, 3}],), {}),
            (nx.community.modularity, nx.empty_graph(2), ([{0}, {1}],), {}),
            (nx.betweenness_centrality, graph, (), {"k": 5, "seed": 1}),
            (nx.maximal_independent_set, directed, (), {}),
            (nx.degree_pearson_correlation_coefficient, nx.empty_graph(30), (), {}),
            (nx.degree_pearson_correlation_coefficient, directed, (), {}),
        ]
        for function, graph_of, arguments, options in cases:
            with self.subTest(function.__name__, arguments=arguments, options=options):
                errors = []
                for backend in ("networkx", "tessera"):
                    try:
                        result = function(graph_of, *arguments, **options, backend=backend)
                        list(result)
                    except Exception as error:
                        errors.append(type(error))
                self.assertEqual(len(errors), 2)
                if errors[1] is not NotImplementedError or arguments == ([1],) or "x" in options:
                    self.assertIs(*errors)

    def test_empty_graphs_have_results(self):
        for function in (nx.pagerank, nx.core_number, nx.triangles, nx.clustering, nx.transitivity,
                         nx.number_connected_components, nx.is_bipartite):
            self.same(function, nx.Graph())
        self.assertEqual(nx.community.louvain_communities(nx.empty_graph(2), backend="tessera"), [{0}, {1}])


class Dispatch(unittest.TestCase):
    def test_a_changed_graph_is_read_again(self):
        graph = nx.path_graph(5)
        self.assertEqual(nx.number_connected_components(graph, backend="tessera"), 1)
        self.assertIn("tessera", graph.__networkx_cache__["backends"])
        graph.remove_edge(2, 3)
        self.assertEqual(nx.number_connected_components(graph, backend="tessera"), 2)
        graph.add_node("alone")
        self.assertEqual(nx.number_connected_components(graph, backend="tessera"), 3)

    def test_a_view_is_read_at_each_call(self):
        for look in (nx.DiGraph.reverse, nx.DiGraph.copy, nx.DiGraph.to_directed):
            graph = nx.path_graph(5, create_using=nx.DiGraph)
            view = look(graph, False) if look is nx.DiGraph.reverse else look(graph, as_view=True)
            self.assertEqual(nx.number_strongly_connected_components(view, backend="tessera"), 5)
            graph.add_edge(4, 0)
            self.assertEqual(nx.number_strongly_connected_components(view, backend="tessera"), 1)

    def test_a_view_of_a_graph_of_the_backend_is_read_at_each_call(self):
        made = nx.path_graph(6).copy()
        made = ts.networkx.convert_from_nx(made)
        view = made.subgraph([0, 1, 2, 4])
        self.assertEqual((nx.number_connected_components(view), nx.triangles(view)[0]), (2, 0))
        made.add_edge(2, 4)
        made.add_edge(0, 2)
        self.assertEqual((nx.number_connected_components(view), nx.triangles(view)[0]), (1, 1))

    def test_what_the_engine_does_not_have_is_done_for_graphs_of_the_backend(self):
        self.assertFalse(nx.config.fallback_to_nx)
        plain = nx.gnm_random_graph(30, 80, seed=1)
        nx.set_edge_attributes(plain, {edge: 1 + i % 3 for i, edge in enumerate(plain.edges)}, "weight")
        made = ts.networkx.convert_from_nx(plain.copy())
        for function, arguments, options in (
                (nx.shortest_path, (0, 7), {}), (nx.shortest_path_length, (0, 7), {}), (nx.diameter, (), {}),
                (nx.clustering, (), {"weight": "weight"}), (nx.triangles, (3,), {}),
                (nx.eigenvector_centrality, (), {}),
                (nx.community.louvain_communities, (), {"seed": 3}), (nx.is_planar, (), {}),
                (nx.single_source_dijkstra_path_length, (0,), {"weight": lambda u, v, edge: 2})):
            with self.subTest(function.__name__):
                self.assertEqual(function(made, *arguments, **options), function(plain, *arguments, **options))
                if arguments != (3,):
                    with self.assertRaises(NotImplementedError):
                        function(plain, *arguments, **options, backend="tessera")
        for function, *arguments in ((nx.ego_graph, 0), (nx.relabel_nodes, {0: "a"}), (nx.minimum_spanning_tree,)):
            ours, theirs = (function(g, *arguments) for g in (made, plain))
            self.assertEqual((list(ours), list(ours.edges)), (list(theirs), list(theirs.edges)))
        nx.set_edge_attributes(made, 7, "weight")
        self.assertEqual(nx.single_source_dijkstra_path_length(made, 0)[next(iter(made[0]))], 7)
        nx.set_edge_attributes(made, -1, "weight")
        with self.assertRaises(ValueError):  # NetworkX's own, for what the engine refuses
            nx.single_source_dijkstra_path_length(made, 0)
        with nx.config.backend_priority(algos=[], generators=["tessera"]):
            both = nx.compose(made, nx.path_graph(["x", "y", "z"]).subgraph(["x", "y"]))
        self.assertEqual((len(both), both.has_edge("x", "y")), (32, True))
        self.assertEqual(len(both.edges), len(plain.edges) + 1)
        self.assertFalse(hasattr(ts.networkx, "no_such_function") or hasattr(ts.networkx, "graph__new__"))

    def test_weights_are_read_when_they_are_wanted(self):
        graph = nx.MultiGraph([(0, 1, {"km": 2}), (0, 1, {"km": 5}), (1, 2, {"km": 3, "weight": 7})])
        for weight, far in ((None, 2), ("km", 5), ("weight", 8), (None, 2), ("none", 2)):
            found = nx.single_source_dijkstra_path_length(graph, 0, weight=weight, backend="tessera")
            self.assertEqual(found[2], far)
            ours, theirs = (nx.pagerank(graph, weight=weight, backend=b) for b in ("tessera", "networkx"))
            self.assertAlmostEqual(ours[2], theirs[2], delta=1e-9)

    def test_copies_leave_the_cache_behind(self):
        graph = nx.path_graph(5)
        nx.core_number(graph, backend="tessera")
        for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
            self.assertEqual(nx.number_connected_components(other, backend="tessera"), 1)
            self.assertEqual(list(other.edges), list(graph.edges))

    def test_the_engine_is_loaded_when_it_pays(self):
        script = """
import sys, networkx as nx
graph = nx.gnm_random_graph(2000, 8000, seed=1)
calls = 0
while "tessera._engine" not in sys.modules:
    assert "numpy" not in sys.modules
    nx.core_number(graph)
    calls += 1
print(calls)
"""
        environment = {**os.environ, "PYTHONPATH": sys.path[0], "NETWORKX_BACKEND_PRIORITY": "tessera"}
        printed = subprocess.run([sys.executable, "-c", script], env=environment, text=True, capture_output=True)
        self.assertIn(int(printed.stdout), range(10, 31), printed.stderr)

    def test_the_backend_can_be_imported_before_networkx(self):
        script = "import tessera.networkx, networkx; print(*networkx.triangles.backends)"
        printed = subprocess.run([sys.executable, "-W", "error", "-c", script], text=True, capture_output=True,
                                 env={**os.environ, "PYTHONPATH": sys.path[0]})
        self.assertIn("tessera", printed.stdout, printed.stderr)

    def test_a_graph_of_the_backend_is_one_of_networkx(self):
        for graph in graphs(weights="mixed"):
            graph.graph["name"] = "odd"
            made = ts.networkx.convert_from_nx(graph)
            self.assertTrue(isinstance(made, nx.Graph) and made.__networkx_backend__ == "tessera")
            self.assertEqual(nx.pagerank(made), nx.pagerank(graph, backend="tessera"))
            self.assertNotIn("_adj", made.__dict__)
            self.assertTrue(nx.utils.graphs_equal(made.to_networkx(), graph))
            self.assertEqual((list(made), made.graph, list(made.edges)), (list(graph), graph.graph, list(graph.edges)))
            other = made.copy()
            parts = nx.weakly_connected_components if graph.is_directed() else nx.connected_components
            before = len(list(parts(other)))
            other.add_edge("new", "newer")
            self.assertEqual(len(list(parts(other))), before + 1)
            self.assertEqual(type(ts.networkx.convert_to_nx(other)), type(graph))
            made = ts.networkx.convert_from_nx(graph)
            list(made.edges)
            self.assertIs(made.graph, graph.graph)

    def test_attributes_of_a_graph_stay_when_its_dicts_are_made(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        made = nx.from_pandas_edgelist(pandas.DataFrame({"source": [0, 1], "target": [1, 2]}), backend="tessera")
        made.graph["year"], made.name = 2024, "path"
        self.assertEqual(list(made.edges), [(0, 1), (1, 2)])
        made.graph["day"] = 5
        for other in (made, made.copy(), made.to_networkx(), pickle.loads(pickle.dumps(made))):
            self.assertEqual(other.graph, {"year": 2024, "name": "path", "day": 5})

    def test_tables_make_graphs_of_the_backend(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        draw = np.random.default_rng(1)
        for kind, create, attribute in itertools.product((int, str), (None, nx.DiGraph), (None, "km", "hops")):
            ends = draw.integers(-20, 20, (2, 300)).astype(kind)
            frame = pandas.DataFrame({"from": ends[0], "to": ends[1], "km": draw.random(300),
                                      "hops": draw.integers(1, 9, 300)})
            if kind is str:
                frame = frame.astype({"from": "str", "to": "str"})
            words = {"source": "from", "target": "to", "edge_attr": attribute, "create_using": create}
            made = nx.from_pandas_edgelist(frame, **words, backend="tessera")
            right = nx.from_pandas_edgelist(frame, **words, backend="networkx")
            source = next(iter(right))
            frame.loc[0, "from"] = frame.loc[1, "from"]  # the graph keeps what the table had
            for weight in (None, "km", "hops"):
                found, lengths = (nx.single_source_dijkstra_path_length(g, source, weight=weight, backend=b)
                                  for g, b in ((made, "tessera"), (right, "networkx")))
                self.assertEqual(found.keys(), lengths.keys())
                self.assertTrue(all(math.isclose(found[v], lengths[v]) for v in lengths))
            if create is not None:
                self.assertEqual(list(nx.strongly_connected_components(made)),
                                 list(nx.strongly_connected_components(right)))
            self.assertEqual(len(made), len(right))
            self.assertNotIn("_adj", made.__dict__)
            self.assertEqual(*({u: list(row) for u, row in one.adjacency()} for one in (made, right)))
            self.assertEqual((list(made), list(made.edges(data=True))), (list(right), list(right.edges(data=True))))
            plain = ts.networkx.convert_to_nx(made)
            self.assertTrue(nx.utils.graphs_equal(plain, right) and type(plain) is type(right))
        refused = [frame.assign(to=3.5), frame.assign(to=[None] * 300), frame.assign(to=range(300))]
        for table in refused if kind is str else ():
            with self.assertRaises(NotImplementedError):
                nx.from_pandas_edgelist(table, "from", "to", backend="tessera")
        with self.assertRaises(NotImplementedError):
            nx.from_pandas_edgelist(frame, "from", "to", edge_attr=True, backend="tessera")

    def test_files_make_graphs_of_the_backend(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        good = "# a list\n3 1\n\n1 2\n2\t3 # here\n007 3\n1 3\n3 1\n"
        heavy = "a b 1.5\nb c 0.1\nc a 1e3\nb a 2\n"
        cases = [
            (nx.read_edgelist, good, {}, True), (nx.read_edgelist, good, {"nodetype": int}, True),
            (nx.read_edgelist, good, {"nodetype": int, "create_using": nx.DiGraph, "data": False}, True),
            (nx.read_weighted_edgelist, heavy, {}, True),
            (nx.read_weighted_edgelist, heavy, {"create_using": nx.DiGraph}, True),
            (nx.read_edgelist, "1 2 {'weight': 3}\n2 3 {}\n", {}, False),
            (nx.read_edgelist, "1 2\nalone\n3 4\n", {}, False),
            (nx.read_edgelist, "1 2\n\n\n", {"nodetype": float}, False), (nx.read_edgelist, "", {}, False),
            (nx.read_edgelist, "a\u00a0b c\n", {"data": False}, False),
            (nx.read_edgelist, "1,2\n", {"delimiter": ","}, False),
            (nx.read_edgelist, '"a b" c\n', {"data": False}, False),
            (nx.read_weighted_edgelist, "1 2 nan\n", {}, False),
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "edges.txt")
            for function, text, words, done in cases:
                with self.subTest(text, words=words):
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(text)
                    right = function(path, **words, backend="networkx")
                    with nx.config.backend_priority(algos=[], generators=["tessera"]):
                        made = function(path, **words)
                    self.assertEqual(getattr(made, "__networkx_backend__", None), "tessera" if done else "networkx")
                    self.assertEqual(str(list(made.edges(data=True))), str(list(right.edges(data=True))))
                    self.assertEqual((list(made), made.is_directed()), (list(right), right.is_directed()))
                    if done:
                        made = function(path, **words, backend="tessera")
                        source = next(iter(right))
                        self.assertEqual(nx.single_source_dijkstra_path_length(made, source),
                                         nx.single_source_dijkstra_path_length(right, source))

    def test_the_rules_refuse_what_differs(self):
        graph, directed = nx.path_graph(4), nx.DiGraph([(0, 1)])
        multiple = nx.MultiGraph(graph)
        refused = [
            ("betweenness_centrality", graph, {"weight": "weight"}),
            ("single_source_dijkstra_path_length", graph, {"source": 0, "weight": lambda u, v, d: 1}),
            ("shortest_path_length", graph, {"source": 0, "target": 1}),
            ("clustering", directed, {}), ("clustering", graph, {"weight": "weight"}),
            ("triangles", graph, {"nodes": 1}), ("core_number", directed, {}), ("transitivity", multiple, {}),
            ("louvain_communities", graph, {"seed": random.Random(1)}), ("louvain_communities", directed, {}),
            ("maximal_independent_set", graph, {"nodes": [1]}), ("pagerank", graph, {"no such": 1}),
            ("connected_components", type("Other", (nx.Graph,), {"__getitem__": lambda g, n: {}})(), {}),
        ]
        for name, graph_of, options in refused:
            with self.subTest(name, options=options):
                self.assertFalse(rules.can_run(name, (graph_of,), options))
        self.assertTrue(rules.can_run("louvain_communities", (graph,), {"seed": random._inst}))

    def test_small_graphs_stay_where_they_are_and_large_ones_do_not(self):
        small, large = nx.path_graph(10), nx.gnm_random_graph(20000, 60000, seed=1)
        for name in set(rules.FUNCTIONS) - set(rules._MAKERS):
            if name in ("pagerank", "degree_pearson_correlation_coefficient"):  # always scipy, which is slow to begin
                continue
            with self.subTest(name):
                self.assertFalse(rules.should_run(name, (small,), {}))
        self.assertFalse(rules.should_run("single_source_shortest_path_length", (large, [0]), {}))
        alone = nx.union(nx.empty_graph(["alone"]), large)
        self.assertFalse(rules.should_run("is_connected", (alone,), {}))
        self.assertFalse(rules.should_run("single_source_shortest_path_length", (alone, "alone"), {}))
        self.assertTrue(rules.should_run("single_source_shortest_path_length", (alone, 0), {}))
        with nx.config.backend_priority(algos=["tessera"], generators=[]):
            nx.triangles(small)
            self.assertFalse(small.__networkx_cache__.get("backends"))
            nx.pagerank(large)
            self.assertIn("tessera", large.__networkx_cache__["backends"])


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unittest.main()
