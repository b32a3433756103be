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
        raise TypeError(f"{type(graph).__name__} is no tessera.Graph, as from_pandas, from_networkx and others make it")
    if places is not None:
        configure(places)
    return graph._held


def bfs(graph: Graph, source, *, places: int | None = None):
    """Distances in edges from one vertex, and the tree that has them.

    Returns a DataFrame with `distance` (int32 edges; -1 if there is no path) and `parent` (the name of the vertex
    before; missing for the source and for vertices that are not reached). O(n + m). Beamer, Asanović, Patterson,
    "Direction-Optimizing Breadth-First Search" (SC 2012).

    >>> import tessera as ts
    >>> ts.bfs(ts.from_edges([[0, 1], [1, 2]]), 0)["distance"].tolist()
    [0, 1, 2]
    """
    import pandas

    held = _prepare(graph, places)
    distances, parents = _engine.bfs(held, graph.number(source))
    distances = distances.view(np.int32)
    own = parents == np.arange(len(parents), dtype=np.uint32)
    known = (parents != UNREACHED) & ~own
    called = graph.index.take(np.where(known, parents, 0))
    frame = pandas.DataFrame({"distance": distances}, index=graph.index, copy=False)
    frame["parent"] = pandas.Series(called, index=graph.index).where(known)
    return frame


def sssp(graph: Graph, source, *, delta: float = 0, places: int | None = None):
    """Weighted distances from one vertex: a Series of float64, inf if there is no path.

    Weights from 0; an edge of a graph without weights weighs 1. `delta` is the width of a bin; 0 chooses it.
    Delta stepping: Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm" (2003).
    """
    return _series(graph, _engine.sssp(_prepare(graph, places), graph.number(source), delta), "distance")


def pagerank(graph: Graph, *, damping: float = 0.85, tolerance: float = 1e-6, iterations: int = 100,
             places: int | None = None):
    """The importance of each vertex by the edges that lead to it: a Series of float64, whose sum is 1.

    Ends when the scores change by less than `tolerance` in sum, or after `iterations`. The rank of vertices without
    out-edges goes to all vertices alike. O(m) an iteration. Page and others (1999).
    """
    scores, _, _ = _engine.pagerank(_prepare(graph, places), damping, tolerance, iterations)
    return _series(graph, scores, "pagerank")


def components(graph: Graph, *, places: int | None = None):
    """The connected component of each vertex, ignoring directions: a Series of numbers from 0.

    Components are numbered in the order of their first vertices. About O(n + m).
    Sutton, Ben-Nun, Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling"
    (IPDPS 2018).
    """
    first = _engine.components(_prepare(graph, places))
    numbers = np.cumsum(first == np.arange(len(first), dtype=np.uint32), dtype=np.uint32) - np.uint32(1)
    return _series(graph, numbers[first], "component")


def triangles(graph: Graph, *, places: int | None = None) -> int:
    """The number of triangles, ignoring directions. O(m^1.5). Schank, Wagner (WEA 2005); Latapy (TCS 2008)."""
    return _engine.triangles(_prepare(graph, places))


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
