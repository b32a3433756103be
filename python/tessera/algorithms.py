"""algorithms: what places compute on a graph; results are pandas Series and DataFrames, indexed by vertices' names.

`result.to_numpy()` has the engine's memory, without a copy, in the order of the vertices. All functions take a `places`
argument: the number of places for this call and those after it (see `tessera.configure`). Complexities count n
vertices and m edges. Ctrl-C ends a call with KeyboardInterrupt; the graph stays usable.
"""

import numpy as np

from tessera import _engine
from tessera.graphs import Graph
from tessera.session import configure

UNREACHED = 2**32 - 1


def _series(graph: Graph, values, name: str):
    import pandas

    return pandas.Series(values, index=graph.index, name=name, copy=False)


def _prepare(graph, places):
    if not isinstance(graph, Graph):
        raise TypeError(f"{type(graph).__name__} is no tessera.Graph, as from_pandas and others make it")
    if places is not None:
        configure(places)
    return graph._held


def _refuse_negative_weights(graph):
    if graph.weighted and (graph._held.weights() < 0).any():
        raise ValueError("a weight is negative, expected weights from 0")


def bfs(graph: Graph, source, *, parents: bool = False, places: int | None = None):
    """Distances from one vertex: a Series of int32 edges, -1 if there is no path.

    With `parents` a DataFrame: `distance`, and `parent`, the name of the vertex before (missing for the source and for
    vertices that are not reached). O(n + m). Beamer, Asanović, Patterson, "Direction-Optimizing Breadth-First Search"
    (SC 2012).

    >>> import tessera as ts
    >>> ts.bfs(ts.from_edges([[0, 1], [1, 2]]), 0).tolist()
    [0, 1, 2]
    """
    distances, before = _engine.bfs(_prepare(graph, places), graph.number(source))
    series = _series(graph, distances.view(np.int32), "distance")
    if not parents:
        return series
    known = (before != UNREACHED) & (before != np.arange(len(before), dtype=np.uint32))
    called = graph.index.take(np.where(known, before, 0))
    frame = series.to_frame()
    frame["parent"] = called.to_series(index=graph.index).where(known)
    return frame


def sssp(graph: Graph, source, *, delta: float = 0, places: int | None = None):
    """Weighted distances from one vertex: a Series of float64, inf if there is no path.

    Weights from 0; an edge of a graph without weights weighs 1. `delta` is the width of a bin; 0 chooses it.
    Delta stepping: Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm" (2003).
    """
    _refuse_negative_weights(graph)
    return _series(graph, _engine.sssp(_prepare(graph, places), graph.number(source), delta), "distance")


def _shares(graph, given, name):
    """A number for each vertex, of a mapping from names, or of a Series."""
    if given is None:
        return None
    shares = np.zeros(graph.vertices, np.float64)
    for vertex, share in given.items():
        if not (share >= 0 and np.isfinite(share)):
            raise ValueError(f"{name}[{vertex!r}] is {share}, expected a number from 0")
        shares[graph.number(vertex)] = share
    return shares


def pagerank(graph: Graph, *, damping: float = 0.85, tolerance: float = 1e-6, iterations: int = 100,
             weighted: bool = False, personalization=None, dangling=None, places: int | None = None):
    """The importance of each vertex by the edges that lead to it: a Series of float64, whose sum is 1.

    Ends when the scores change by less than `tolerance` in sum, or after `iterations`. `weighted`: a vertex gives to
    its neighbours in proportion to the edges' weights. `personalization`: where the rest of the rank goes, as a mapping
    from vertices to numbers from 0; without it, to all vertices alike. `dangling`: the same for the rank of vertices
    without out-edges; without it, as the rest. O(m) an iteration. Page and others (1999).
    """
    held = _prepare(graph, places)
    if not weighted and personalization is None and dangling is None:
        scores, _, _ = _engine.pagerank(held, damping, tolerance, iterations)
    else:
        if weighted:
            _refuse_negative_weights(graph)
        scores, _, _ = _engine.general_pagerank(held, damping, tolerance / max(held.vertices, 1), iterations, weighted,
                                                _shares(graph, personalization, "personalization"),
                                                _shares(graph, dangling, "dangling"))
    return _series(graph, scores, "pagerank")


def _numbered(graph, first, name):
    """Groups, each known by its smallest vertex, numbered from 0 in the order of these."""
    numbers = np.cumsum(first == np.arange(len(first), dtype=np.uint32), dtype=np.uint32) - np.uint32(1)
    return _series(graph, numbers[first], name)


def components(graph: Graph, *, places: int | None = None):
    """The connected component of each vertex, ignoring directions: a Series of numbers from 0.

    Components are numbered in the order of their first vertices. About O(n + m). Sutton, Ben-Nun, Barak, "Optimizing
    Parallel Graph Connectivity Computation via Subgraph Sampling" (IPDPS 2018).
    """
    return _numbered(graph, _engine.components(_prepare(graph, places)), "component")


def strong_components(graph: Graph, *, places: int | None = None):
    """The strongly connected component of each vertex: a Series of numbers from 0, as by `components`.

    About O(n + m) for each round of colouring. Slota, Rajamanickam, Madduri, "BFS and Coloring-based Parallel
    Algorithms for Strongly Connected Components and Related Problems" (IPDPS 2014).

    >>> import tessera as ts
    >>> ts.strong_components(ts.from_edges([[0, 1], [1, 0], [1, 2]], directed=True)).tolist()
    [0, 0, 1]
    """
    return _numbered(graph, _engine.strong_components(_prepare(graph, places)), "component")


def core_numbers(graph: Graph, *, places: int | None = None):
    """The core number of each vertex, ignoring directions: a Series of uint32.

    It is the largest k for which the vertex is in a part of the graph where all have k neighbours. O(n + m). Seidman
    (1983); Matula, Beck (1983).

    >>> import tessera as ts
    >>> ts.core_numbers(ts.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]])).tolist()
    [2, 2, 2, 1]
    """
    return _series(graph, _engine.core_numbers(_prepare(graph, places)), "core")


def independent_set(graph: Graph, *, seed: int = 1, places: int | None = None):
    """A maximal independent set, ignoring directions: a Series of bool. The same for the same seed. Luby (1986)."""
    chosen = _engine.independent_set(_prepare(graph, places), seed)
    return _series(graph, chosen.view(np.bool_), "member")


def spanning_forest(graph: Graph, *, places: int | None = None):
    """A minimum spanning forest, ignoring directions: a DataFrame with `source`, `target` and `weight` of its edges.

    Edges of equal weight are ordered by their ends, so that there is one result. O(m log n). Boruvka (1926).
    """
    import pandas

    u, v, weights = _engine.spanning_forest(_prepare(graph, places))
    return pandas.DataFrame({"source": graph.index.take(u), "target": graph.index.take(v), "weight": weights})


def bipartite(graph: Graph, *, places: int | None = None):
    """A colouring with two colours, ignoring directions: a Series of uint8, or None if there is none. O(n + m)."""
    colours, odd = _engine.two_colours(_prepare(graph, places))
    return None if odd is not None else _series(graph, colours, "colour")


def topological_order(graph: Graph, *, places: int | None = None):
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


def assortativity(graph: Graph, *, source: str = "out", target: str = "in", places: int | None = None) -> float:
    """Degree assortativity: the correlation of the degrees at both ends of edges, from -1 to 1; NaN if it has none.

    In a directed graph `source` and `target` say which degree counts there, "in" or "out". O(n + m). Newman, "Mixing
    patterns in networks" (2003), equation 21.
    """
    for end in (source, target):
        if end not in ("in", "out"):
            raise ValueError(f"degree {end!r}, expected 'in' or 'out'")
    return _engine.assortativity(_prepare(graph, places), source == "in", target == "in")


def louvain(graph: Graph, *, resolution: float = 1, weighted: bool = True, seed: int = 1, places: int | None = None):
    """Communities of high modularity, ignoring directions: a Series of numbers from 0.

    The same for the same seed, for every number of places. Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of
    communities in large networks" (2008).
    """
    if not resolution >= 0:
        raise ValueError(f"resolution={resolution}, expected a number from 0")
    if weighted:
        _refuse_negative_weights(graph)
    return _numbered(graph, _engine.louvain(_prepare(graph, places), resolution, seed, weighted), "community")


def label_propagation(graph: Graph, *, weighted: bool = True, seed: int = 1, places: int | None = None):
    """Communities in which each vertex has the label that most of its neighbours have: a Series of numbers from 0.

    Raghavan, Albert, Kumara, "Near linear time algorithm to detect community structures" (2007).
    """
    if weighted:
        _refuse_negative_weights(graph)
    return _numbered(graph, _engine.label_propagation(_prepare(graph, places), seed, weighted), "community")


def modularity(graph: Graph, communities, *, resolution: float = 1, weighted: bool = True) -> float:
    """The modularity of communities, a number for each vertex in their order, of a graph without directions.

    The share of edge weight within communities, less the share that random edges with the same degrees would have
    there. Newman, "Modularity and community structure in networks" (2006).
    """
    if graph.directed:
        raise ValueError("the graph is directed, expected an undirected one")
    held = graph._held
    labels = np.unique(np.asarray(communities), return_inverse=True)[1]
    if len(labels) != held.vertices:
        raise ValueError(f"{len(labels)} communities for {held.vertices} vertices, expected one for each")
    sources = np.repeat(np.arange(held.vertices), np.diff(held.offsets()).astype(np.int64))
    weight = held.weights() if weighted and held.weighted else np.ones(len(sources))
    total = weight.sum()
    if total == 0:
        return 0.0
    inside = weight[labels[sources] == labels[held.targets()]].sum()
    degrees = np.bincount(labels[sources], weight)
    return float(inside / total - resolution * np.square(degrees / total).sum())


def triangles(graph: Graph, *, per_vertex: bool = False, places: int | None = None):
    """The number of triangles, ignoring directions; with `per_vertex` a Series of uint64: those of each vertex.

    O(m^1.5). Schank, Wagner (WEA 2005); Latapy (TCS 2008).

    >>> import tessera as ts
    >>> g = ts.from_edges([[0, 1], [1, 2], [2, 0], [2, 3]])
    >>> ts.triangles(g), ts.triangles(g, per_vertex=True).tolist()
    (1, [1, 1, 1, 0])
    """
    held = _prepare(graph, places)
    return _series(graph, _engine.clustering(held)[0], "triangles") if per_vertex else _engine.triangles(held)


def clustering(graph: Graph, *, places: int | None = None):
    """The clustering coefficient of each vertex, ignoring directions and self-loops: a Series of float64.

    The share of the pairs of its neighbours that are adjacent; 0 with less than two neighbours. Its mean is that of
    networkx.average_clustering. As `triangles`. Watts, Strogatz, "Collective dynamics of 'small-world' networks" (1998).

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
    return _engine.clustering(_prepare(graph, places))[2]


def betweenness(graph: Graph, *, k: int | None = None, sources=None, seed: int = 1, normalized: bool = True,
                places: int | None = None):
    """Betweenness centrality: which share of shortest paths leads through each vertex. A Series of float64.

    From all vertices, from `k` of them drawn by `seed`, or from the named `sources`; scaled as by
    networkx.betweenness_centrality. O(m) for each source. Brandes, "A faster algorithm for betweenness centrality"
    (2001).
    """
    held = _prepare(graph, places)
    n = held.vertices
    if sources is not None:
        chosen = graph.numbers(sources)
    elif k is None or k >= n:
        chosen = np.arange(n, dtype=np.uint32)
    else:
        chosen = np.random.default_rng(seed).choice(n, k, replace=False).astype(np.uint32)
    scores = _engine.betweenness(held, chosen)
    scale = 1.0 if held.directed or normalized else 0.5
    if normalized:
        scale = 1.0 / ((n - 1) * (n - 2)) if n > 2 else 1.0
    if len(chosen) not in (0, n):
        scale *= n / len(chosen)
    scores *= scale
    return _series(graph, scores, "betweenness")
