"""algorithms: what places compute on a graph; results are pandas Series and DataFrames, indexed by vertices' names.

`result.to_numpy()` has the engine's memory, without a copy, in the order of the vertices. All functions take a `places`
argument: the number of places for this call and those after it (see `tessera.configure`). Complexities count n
vertices and m edges. Ctrl-C ends a call with KeyboardInterrupt; the graph stays usable.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from tessera.graphs import Graph
from tessera.session import check_integer, configure
from tessera.session import engine as _engine

if TYPE_CHECKING:
    import pandas
    from numpy.typing import ArrayLike, NDArray

    Vertices = Iterable[Hashable]
    Pairs = Iterable[Sequence[Hashable]] | NDArray[Any] | pandas.DataFrame
    Shares = Mapping[Hashable, float] | pandas.Series[float]

UNREACHED = 2**32 - 1


def _series(graph: Graph, values, name: str):
    import pandas

    return pandas.Series(values, index=graph.index, name=name, copy=False)


def _check_graph(graph):
    if not isinstance(graph, Graph):
        raise TypeError(f"{type(graph).__name__} is no tessera.Graph, as from_pandas and others make it")


def _prepare(graph, places):
    _check_graph(graph)
    if places is not None:
        configure(places)
    return graph._held


def _check_whole(most=2**31 - 1, **numbers):
    for name, number in numbers.items():
        limit = 2**64 - 1 if name == "seed" else most
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number <= limit:
            raise ValueError(f"{name}={number!r}, expected an integer from 0 to {limit}")


def _check_real(**numbers):
    for name, number in numbers.items():
        if not 0 <= number < float("inf"):
            raise ValueError(f"{name}={number!r}, expected a number from 0")


def _check_flags(**flags):
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise TypeError(f"{name}={flag!r}, expected True or False")


def _refuse_negative_weights(graph):
    _check_graph(graph)
    if graph.weighted and (graph._held.weights() < 0).any():
        raise ValueError("a weight is negative, expected weights from 0")


def _sources(graph, source):
    """The numbers of one vertex, or of those of a list, set, array, Series or Index."""
    import collections.abc as kinds

    several = isinstance(source, (list, set, frozenset, np.ndarray)) or (
        hasattr(source, "to_numpy") and isinstance(source, kinds.Iterable))
    return np.unique(graph.numbers(source)) if several else np.array([graph.number(source)], np.uint32)


def _with_parents(graph, series, before):
    known = (before != UNREACHED) & (before != np.arange(len(before), dtype=np.uint32))
    called = graph.index.take(np.where(known, before, 0)).to_series(index=graph.index)
    if called.dtype.kind == "i":
        called = called.astype("Int64")  # with missing ones; float64 would round names above 2^53
    frame = series.to_frame()
    frame["parent"] = called.where(known)
    return frame


@overload
def bfs(graph: Graph, source: Hashable | Vertices, *, parents: Literal[False] = False,
        places: int | None = None) -> pandas.Series[int]: ...
@overload
def bfs(graph: Graph, source: Hashable | Vertices, *, parents: Literal[True],
        places: int | None = None) -> pandas.DataFrame: ...
def bfs(graph: Graph, source: Hashable | Vertices, *, parents: bool = False,
        places: int | None = None) -> pandas.Series[int] | pandas.DataFrame:
    """Distances from one vertex: a Series of int32 edges, -1 if there is no path.

    A list, set, array or Series of vertices as `source`: distances from the nearest of them. With `parents` a
    DataFrame: `distance`, and `parent`, the name of the vertex before (missing for sources and for vertices that are
    not reached). O(n + m). Beamer, Asanović, Patterson, "Direction-Optimizing Breadth-First Search" (SC 2012).

    >>> import tessera as ts
    >>> path = ts.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> ts.bfs(path, 0).tolist(), ts.bfs(path, [0, 3]).tolist()
    ([0, 1, 2, 3], [0, 1, 1, 0])
    """
    distances, before = _engine.bfs(_prepare(graph, places), _sources(graph, source))
    series = _series(graph, distances.view(np.int32), "distance")
    return _with_parents(graph, series, before) if parents else series


@overload
def sssp(graph: Graph, source: Hashable | Vertices, *, parents: Literal[False] = False, delta: float = 0,
         places: int | None = None) -> pandas.Series[float]: ...
@overload
def sssp(graph: Graph, source: Hashable | Vertices, *, parents: Literal[True], delta: float = 0,
         places: int | None = None) -> pandas.DataFrame: ...
def sssp(graph: Graph, source: Hashable | Vertices, *, parents: bool = False, delta: float = 0,
         places: int | None = None) -> pandas.Series[float] | pandas.DataFrame:
    """Weighted distances from one vertex: a Series of float64, inf if there is no path.

    Several sources and `parents` as for `bfs`; of several parents the result has the one with the smallest number.
    Weights from 0; an edge of a graph without weights weighs 1. `delta` is the width of a bin; 0 chooses it.
    Delta stepping: Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm" (2003).

    >>> import tessera as ts
    >>> g = ts.from_edges([0, 1, 0], [1, 2, 2], [1.0, 1.0, 5.0])
    >>> ts.sssp(g, 0, parents=True)["parent"].tolist()
    [<NA>, 0, 1]
    """
    _refuse_negative_weights(graph)
    _check_real(delta=delta)
    distances, before = _engine.sssp(_prepare(graph, places), _sources(graph, source), delta, parents)
    series = _series(graph, distances, "distance")
    return _with_parents(graph, series, before) if parents else series


def _shares(graph, given, name):
    """A number for each vertex, of a mapping from names, or of a Series."""
    if given is None:
        return None
    shares = np.zeros(graph.vertices, np.float64)
    if not hasattr(given, "items"):
        raise TypeError(f"{name} is a {type(given).__name__}, expected a mapping from vertices to numbers, or a Series")
    for vertex, share in given.items():
        if not (share >= 0 and np.isfinite(share)):
            raise ValueError(f"{name}[{vertex!r}] is {share}, expected a number from 0")
        shares[graph.number(vertex)] = share
    # Their sum is a double, too; what is small beside them counts for nothing.
    return shares * 2.0**-100 if shares.max(initial=0) > 2.0**900 else shares


def pagerank(graph: Graph, *, damping: float = 0.85, tolerance: float = 1e-6, iterations: int = 100,
             weighted: bool = False, personalization: Shares | None = None, dangling: Shares | None = None,
             norm: Literal["l1", "l2"] = "l1", places: int | None = None) -> pandas.Series[float]:
    """The importance of each vertex by the edges that lead to it: a Series of float64, whose sum is 1.

    Ends when the scores change by less than `tolerance` in sum, or in their Euclidean norm if `norm` is "l2" (with no
    other option than damping), or after `iterations`. `weighted`: a vertex gives to
    its neighbours in proportion to the edges' weights. `personalization`: where the rest of the rank goes, as a mapping
    from vertices to numbers from 0; without it, to all vertices alike. `dangling`: the same for the rank of vertices
    without out-edges; without it, as the rest. O(m) an iteration. Page and others (1999).
    """
    if norm not in ("l1", "l2"):
        raise ValueError(f"norm={norm!r}, expected 'l1' or 'l2'")
    if not 0 <= damping <= 1:
        raise ValueError(f"damping={damping}, expected a number from 0 to 1")
    _check_real(tolerance=tolerance)
    _check_whole(iterations=iterations)
    _check_flags(weighted=weighted)
    held = _prepare(graph, places)
    if not weighted and personalization is None and dangling is None:
        scores, _, _ = _engine.pagerank(held, damping, tolerance, iterations, norm == "l2")
    else:
        if norm == "l2":
            raise ValueError("norm='l2' goes with neither weights, personalization nor dangling")
        if weighted:
            _refuse_negative_weights(graph)
        scores, _, _ = _engine.general_pagerank(held, damping, tolerance / max(held.vertices, 1), iterations, weighted,
                                                _shares(graph, personalization, "personalization"),
                                                _shares(graph, dangling, "dangling"))
    return _series(graph, scores, "pagerank")


def _ends(held):
    """The source and the target of each place in the rows."""
    return np.repeat(np.arange(held.vertices), np.diff(held.offsets()).astype(np.int64)), held.targets()


def _numbered(graph, first, name):
    """Groups, each known by its smallest vertex, numbered from 0 in the order of these."""
    numbers = np.cumsum(first == np.arange(len(first), dtype=np.uint32), dtype=np.uint32) - np.uint32(1)
    return _series(graph, numbers[first], name)


def components(graph: Graph, *, places: int | None = None) -> pandas.Series[int]:
    """The connected component of each vertex, ignoring directions: a Series of numbers from 0.

    Components are numbered in the order of their first vertices. About O(n + m). Sutton, Ben-Nun, Barak, "Optimizing
    Parallel Graph Connectivity Computation via Subgraph Sampling" (IPDPS 2018).
    """
    return _numbered(graph, _engine.components(_prepare(graph, places)), "component")


def strong_components(graph: Graph, *, places: int | None = None) -> pandas.Series[int]:
    """The strongly connected component of each vertex: a Series of numbers from 0, as by `components`.

    About O(n + m) for each round of colouring. Slota, Rajamanickam, Madduri, "BFS and Coloring-based Parallel
    Algorithms for Strongly Connected Components and Related Problems" (IPDPS 2014).

    >>> import tessera as ts
    >>> ts.strong_components(ts.from_edges([[0, 1], [1, 0], [1, 2]], directed=True)).tolist()
    [0, 0, 1]
    """
    return _numbered(graph, _engine.strong_components(_prepare(graph, places)), "component")


def core_numbers(graph: Graph, *, places: int | None = None) -> pandas.Series[int]:
    """The core number of each vertex, ignoring directions: a Series of uint32.

    It is the largest k for which the vertex is in a part of the graph where all have k neighbours. O(n + m). Seidman
    (1983); Matula, Beck (1983).

    >>> import tessera as ts
    >>> ts.core_numbers(ts.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]])).tolist()
    [2, 2, 2, 1]
    """
    return _series(graph, _engine.core_numbers(_prepare(graph, places)), "core")


def independent_set(graph: Graph, *, seed: int = 1, places: int | None = None) -> pandas.Series[bool]:
    """A maximal independent set, ignoring directions: a Series of bool. The same for the same seed. Luby (1986)."""
    _check_whole(seed=seed)
    chosen = _engine.independent_set(_prepare(graph, places), seed)
    return _series(graph, chosen.view(np.bool_), "member")


def spanning_forest(graph: Graph, *, places: int | None = None) -> pandas.DataFrame:
    """A minimum spanning forest, ignoring directions: a DataFrame with `source`, `target` and `weight` of its edges.

    Edges of equal weight are ordered by their ends, so that there is one result. O(m log n). Boruvka (1926).
    """
    import pandas

    u, v, weights = _engine.spanning_forest(_prepare(graph, places))
    return pandas.DataFrame({"source": graph.index.take(u), "target": graph.index.take(v), "weight": weights})


def bipartite(graph: Graph, *, places: int | None = None) -> pandas.Series[int] | None:
    """A colouring with two colours, ignoring directions: a Series of uint8, or None if there is none. O(n + m)."""
    colours, odd = _engine.two_colours(_prepare(graph, places))
    return None if odd is not None else _series(graph, colours, "colour")


def topological_order(graph: Graph, *, places: int | None = None) -> pandas.Series[int]:
    """The vertices of a directed graph without cycles, each after those that lead to it.

    Returns a Series of uint32 in that order: the generation, which is the number of edges on the longest path to the
    vertex. Raises ValueError with a cycle, if there is one. O(n + m). Kahn (1962).

    >>> import tessera as ts
    >>> ts.topological_order(ts.from_edges([[2, 0], [0, 1]], directed=True)).to_dict()
    {2: 0, 0: 1, 1: 2}
    """
    import pandas

    generations, order, cycle = _engine.topological_order(_prepare(graph, places))
    if len(cycle):
        names = " -> ".join(str(graph.index[v]) for v in [*cycle[:8], *([] if len(cycle) > 8 else cycle[:1])])
        raise ValueError(f"the graph has a cycle: {names}{' -> …' if len(cycle) > 8 else ''}")
    return pandas.Series(generations[order], index=graph.index.take(order), name="generation")


def assortativity(graph: Graph, *, source: Literal["in", "out"] = "out", target: Literal["in", "out"] = "in",
                  places: int | None = None) -> float:
    """Degree assortativity: the correlation of the degrees at both ends of edges, from -1 to 1; NaN if it has none.

    In a directed graph `source` and `target` say which degree counts there, "in" or "out". O(n + m). Newman, "Mixing
    patterns in networks" (2003), equation 21.
    """
    for end in (source, target):
        if end not in ("in", "out"):
            raise ValueError(f"degree {end!r}, expected 'in' or 'out'")
    return _engine.assortativity(_prepare(graph, places), source == "in", target == "in")


def louvain(graph: Graph, *, resolution: float = 1, weighted: bool = True, seed: int = 1,
            places: int | None = None) -> pandas.Series[int]:
    """Communities of high modularity, ignoring directions: a Series of numbers from 0.

    The same for the same seed, for every number of places. Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of
    communities in large networks" (2008).
    """
    _check_real(resolution=resolution)
    _check_whole(seed=seed)
    _check_flags(weighted=weighted)
    if weighted:
        _refuse_negative_weights(graph)
    return _numbered(graph, _engine.louvain(_prepare(graph, places), resolution, seed, weighted), "community")


def label_propagation(graph: Graph, *, weighted: bool = True, seed: int = 1,
                      places: int | None = None) -> pandas.Series[int]:
    """Communities in which each vertex has the label that most of its neighbours have: a Series of numbers from 0.

    Raghavan, Albert, Kumara, "Near linear time algorithm to detect community structures" (2007).
    """
    _check_whole(seed=seed)
    _check_flags(weighted=weighted)
    if weighted:
        _refuse_negative_weights(graph)
    return _numbered(graph, _engine.label_propagation(_prepare(graph, places), seed, weighted), "community")


def modularity(graph: Graph, communities: ArrayLike, *, resolution: float = 1, weighted: bool = True) -> float:
    """The modularity of communities, a number for each vertex in their order, of a graph without directions.

    The share of edge weight within communities, less the share that random edges with the same degrees would have
    there. Newman, "Modularity and community structure in networks" (2006).
    """
    _check_graph(graph)
    _check_flags(weighted=weighted)
    if graph.directed:
        raise ValueError("the graph is directed, expected an undirected one")
    held = graph._held
    labels = np.unique(np.asarray(communities), return_inverse=True)[1]
    if len(labels) != held.vertices:
        raise ValueError(f"{len(labels)} communities for {held.vertices} vertices, expected one for each")
    sources, targets = _ends(held)
    weight = held.weights() if weighted and held.weighted else np.ones(len(sources))
    # A self-loop has two ends at its vertex, and one place in a row.
    if np.abs(weight).max(initial=0) > 2.0**900:
        weight = weight * 2.0**-100  # so that their sum is a double
    weight = np.where(sources == targets, 2 * weight, weight)
    total = weight.sum()
    if total == 0:
        return 0.0
    inside = weight[labels[sources] == labels[targets]].sum()
    degrees = np.bincount(labels[sources], weight)
    return float(inside / total - resolution * np.square(degrees / total).sum())


@overload
def triangles(graph: Graph, *, per_vertex: Literal[False] = False, places: int | None = None) -> int: ...
@overload
def triangles(graph: Graph, *, per_vertex: Literal[True], places: int | None = None) -> pandas.Series[int]: ...
def triangles(graph: Graph, *, per_vertex: bool = False, places: int | None = None) -> int | pandas.Series[int]:
    """The number of triangles, ignoring directions; with `per_vertex` a Series of uint64: those of each vertex.

    O(m^1.5). Schank, Wagner (WEA 2005); Latapy (TCS 2008).

    >>> import tessera as ts
    >>> g = ts.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]])
    >>> ts.triangles(g), ts.triangles(g, per_vertex=True).tolist()
    (1, [1, 1, 1, 0])
    """
    held = _prepare(graph, places)
    return _series(graph, _engine.clustering(held)[0], "triangles") if per_vertex else _engine.triangles(held)


def clustering(graph: Graph, *, places: int | None = None) -> pandas.Series[float]:
    """The clustering coefficient of each vertex, ignoring directions and self-loops: a Series of float64.

    The share of the pairs of its neighbours that are adjacent; 0 with less than two neighbours. Its mean is that of
    networkx.average_clustering. As `triangles`. Watts, Strogatz, "Collective dynamics of 'small-world' networks"
    (1998).

    >>> import tessera as ts
    >>> ts.clustering(ts.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]])).round(3).tolist()
    [1.0, 1.0, 0.333, 0.0]
    """
    return _series(graph, _engine.clustering(_prepare(graph, places))[1], "clustering")


def transitivity(graph: Graph, *, places: int | None = None) -> float:
    """Three times the triangles over the pairs of edges with a common end, ignoring directions and self-loops.

    0 if there are no such pairs. As `triangles`. Newman, Watts, Strogatz, "Random graph models of social networks"
    (2002).
    """
    return _engine.transitivity(_prepare(graph, places))


def _chosen(graph, k, sources, seed):
    """The numbers of the named sources, or of `k` vertices drawn by `seed`; None for all vertices."""
    if sources is not None:
        if k is not None:
            raise ValueError("k and sources exclude each other")
        return np.unique(graph.numbers(sources))
    if k is None:
        return None
    check_integer("k", k, 1, 2**64 - 1)
    if k >= graph.vertices:
        return None
    return np.random.default_rng(seed).choice(graph.vertices, k, replace=False).astype(np.uint32)


def _all(graph):
    return np.arange(graph.vertices, dtype=np.uint32)


def betweenness(graph: Graph, *, k: int | None = None, sources: Vertices | None = None, seed: int = 1,
                normalized: bool = True, endpoints: bool = False, places: int | None = None) -> pandas.Series[float]:
    """Betweenness centrality: which share of shortest paths leads through each vertex. A Series of float64.

    From all vertices, from `k` of them drawn by `seed`, or from the named `sources`; scaled for these as by
    networkx.betweenness_centrality, so that the only source has NaN. `endpoints`: the ends of a path count as well.
    O(m) for each source. Brandes, "A faster algorithm for betweenness centrality" (2001).

    >>> import tessera as ts
    >>> ts.betweenness(ts.from_edges([[0, 1], [1, 2]])).tolist()
    [0.0, 1.0, 0.0]
    """
    _check_flags(normalized=normalized, endpoints=endpoints)
    held = _prepare(graph, places)
    chosen = _chosen(graph, k, sources, seed)
    scores = _engine.betweenness(held, _all(graph) if chosen is None else chosen, endpoints, normalized)
    return _series(graph, scores, "betweenness")


def _reversed(graph):
    """The same edges, each the other way."""
    if not graph.directed:
        return graph
    held = graph._held
    sources = np.repeat(_all(graph), np.diff(held.offsets()).astype(np.int64))
    weight = held.weights() if held.weighted else None
    return Graph(_engine.graph_from_ends(held.vertices, held.targets(), sources, weight, None, True, "smallest",
                                         "keep"))


class _Sums:
    """The wanted vertices' numbers, and sums over paths to each of them from `others` vertices."""

    def __init__(self, graph, vertices, k, sources, seed, weighted, places):
        _check_flags(weighted=weighted)
        held = _prepare(graph, places)
        chosen = _chosen(graph, k, sources, seed)
        if weighted:
            _refuse_negative_weights(graph)
        self.graph, self.wanted = graph, None if vertices is None else graph.numbers(vertices)
        to_wanted = chosen is None and self.wanted is not None
        if to_wanted and weighted:
            held = _reversed(graph)._held
        searched = self.wanted if to_wanted else _all(graph) if chosen is None else chosen
        sums = _engine.distance_sums(held, searched, to_wanted, weighted)
        self.others = np.full(len(sums[0]), float(graph.vertices if chosen is None else len(chosen)))
        self.others[slice(None) if chosen is None else chosen] -= 1
        if self.wanted is not None and not to_wanted:
            sums, self.others = [part[self.wanted] for part in sums], self.others[self.wanted]
        self.reached, self.distances, self.reciprocals = sums

    def series(self, values, name):
        import pandas

        index = self.graph.index if self.wanted is None else self.graph.index.take(self.wanted)
        return pandas.Series(values, index=index, name=name, copy=False)


def closeness(graph: Graph, vertices: Vertices | None = None, *, k: int | None = None, sources: Vertices | None = None,
              seed: int = 1, wf_improved: bool = True, weighted: bool = False,
              places: int | None = None) -> pandas.Series[float]:
    """Closeness centrality of all vertices, or of the named `vertices`: a Series of float64.

    The reciprocal of the mean distance from those vertices that have a path to it, as by networkx.closeness_centrality;
    times their share of all other vertices if `wf_improved` (Wasserman, Faust, 1994); 0 if there are none. With `k`
    drawn by `seed`, or with named `sources`, only distances from these are known, and the result is an estimate
    (Eppstein, Wang, SODA 2001). `weighted`: distances by weights from 0.

    A row is read for up to 256 searches at once: Then and others, "The More the Merrier: Efficient Multi-Source Graph
    Traversal" (VLDB 2014). O(m) for each vertex or source, divided by up to 256; O(m) without dividing if weighted.

    >>> import tessera as ts
    >>> ts.closeness(ts.from_edges([[0, 1], [1, 2]])).round(3).tolist()
    [0.667, 1.0, 0.667]
    """
    sums = _Sums(graph, vertices, k, sources, seed, weighted, places)
    near = np.divide(sums.reached, sums.distances, out=np.zeros(len(sums.reached)), where=sums.distances > 0)
    if wf_improved:
        near *= np.divide(sums.reached, sums.others, out=np.zeros(len(near)), where=sums.others > 0)
    return sums.series(near, "closeness")


def harmonic(graph: Graph, vertices: Vertices | None = None, *, k: int | None = None, sources: Vertices | None = None,
             seed: int = 1, weighted: bool = False, places: int | None = None) -> pandas.Series[float]:
    """Harmonic centrality of all vertices, or of the named `vertices`: a Series of float64.

    The sum of 1 / distance from all other vertices, or from the named `sources`, as by networkx.harmonic_centrality.
    With `k` sources drawn by `seed` it is an estimate: their sum, scaled to all vertices. Cost and other parameters are
    those of `closeness`.
    """
    sums = _Sums(graph, vertices, k, sources, seed, weighted, places)
    values = sums.reciprocals
    if sources is None and k is not None:
        values = np.divide(values * (graph.vertices - 1), sums.others, out=np.zeros(len(values)), where=sums.others > 0)
    return sums.series(values, "harmonic")


def _pairs(graph, pairs):
    """Two columns of names, and their numbers. Without pairs those of the graph's edges, each once."""
    if pairs is None:
        held = graph._held
        a, b = np.repeat(_all(graph), np.diff(held.offsets()).astype(np.int64)), held.targets()
        if not held.directed:
            a, b = a[once := a <= b], b[once]
        return graph.index.take(a), graph.index.take(b), a, b
    if hasattr(pairs, "columns"):
        if len(pairs.columns) < 2:
            raise ValueError(f"pairs of {len(pairs.columns)} columns, expected two")
        columns = (pairs[name] for name in list(getattr(pairs, "column_names", pairs.columns))[:2])
        first, second = (c.to_pylist() if hasattr(c, "to_pylist") else c.to_list() for c in columns)
    else:
        both = [tuple(pair) for pair in pairs]
        for row, pair in enumerate(both):
            if len(pair) != 2:
                raise ValueError(f"pairs, row {row}: {len(pair)} vertices, expected two")
        first, second = [a for a, _ in both], [b for _, b in both]
    return first, second, graph.numbers(first), graph.numbers(second)


def _similarity(graph, pairs, places, name):
    import pandas

    held = _prepare(graph, places)
    first, second, a, b = _pairs(graph, pairs)
    values = _engine.similarities(held, a, b, name == "overlap")
    return pandas.DataFrame({"source": first, "target": second, name: values})


def jaccard(graph: Graph, pairs: Pairs | None = None, *, places: int | None = None) -> pandas.DataFrame:
    """The Jaccard similarity of pairs of vertices: their common neighbours over the neighbours of either.

    `pairs`: an array [pairs, 2] of names, a list of tuples, or a table of pandas', polars' or Arrow's, whose first two
    columns count; without it the graph's edges. Directions and self-loops are ignored. Returns a DataFrame: source,
    target, jaccard (float64), as by networkx.jaccard_coefficient. Cost for a pair: both rows, or less. Jaccard (1901).

    >>> import tessera as ts
    >>> ts.jaccard(ts.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]]), [(0, 2), (0, 1)])["jaccard"].tolist()
    [1.0, 0.0]
    """
    return _similarity(graph, pairs, places, "jaccard")


def overlap(graph: Graph, pairs: Pairs | None = None, *, places: int | None = None) -> pandas.DataFrame:
    """The overlap of pairs of vertices: their common neighbours over the neighbours of the one that has fewer.

    As `jaccard`, with a column `overlap`; 0 if one has no neighbours. Szymkiewicz (1934), Simpson (1943).
    """
    return _similarity(graph, pairs, places, "overlap")


def random_walks(graph: Graph, *, length: int = 80, walks: int = 10, sources: Vertices | None = None, seed: int = 1,
                 p: float = 1, q: float = 1, weighted: bool = False, names: bool = False,
                 places: int | None = None) -> NDArray[Any]:
    """Random walks along the edges: an array [walks * sources, length + 1] of int32, vertices by number.

    Each of the named `sources` (default: all vertices) starts one walk in every turn, and there are `walks` turns: walk
    j of source i is row j * sources + i. After a vertex without out-edges come -1. With `names` an array of objects,
    the vertices' names, with None at the end. `weighted`: an edge is taken as often as its weight says.

    As node2vec: a step back to the vertex before is taken 1/p times as often, one to a vertex that is no neighbour of
    the vertex before 1/q times (both from 0.001 to 1000). The same for the same seed, for every number of places.
    Expected O(1) a step, O(log degree) if weighted. Grover, Leskovec (KDD 2016), by the rejection of Yang and others,
    "KnightKing: A Fast Distributed Graph Random Walk Engine" (SOSP 2019).

    >>> import tessera as ts
    >>> ts.random_walks(ts.from_edges([[0, 1]]), length=3, walks=1).tolist()
    [[0, 1, 0, 1], [1, 0, 1, 0]]
    """
    _check_whole(length=length, walks=walks, seed=seed)
    for name, number in (("p", p), ("q", q)):
        if not 0.001 <= number <= 1000:
            raise ValueError(f"{name}={number}, expected a number from 0.001 to 1000")
    _check_flags(weighted=weighted)
    held = _prepare(graph, places)
    if weighted:
        _refuse_negative_weights(graph)
    chosen = _all(graph) if sources is None else graph.numbers(sources)
    found = _engine.random_walks(held, np.tile(chosen, walks), length, seed, p, q, weighted)
    found = found.reshape(-1, length + 1)
    if not names:
        return found.view(np.int32)
    called = np.append(np.asarray(graph.index, dtype=object), None)
    return called[np.minimum(found, graph.vertices)]
