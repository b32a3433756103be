"""rules: which functions of NetworkX the backend has, with which arguments, and from which size it is the faster one.

`can_run` says whether a call has the result that NetworkX gives it, in its own types; `should_run` whether it gets
there sooner, with what the conversion of the graph costs. Sizes were measured by bench/python/networkx_sizes.py.
"""

import itertools
import random
import sys

import networkx as nx  # which may be under way itself

# Where each function lies.
FUNCTIONS = {
    "single_source_shortest_path_length": "paths",
    "single_target_shortest_path_length": "paths",
    "single_source_dijkstra_path_length": "paths",
    "shortest_path_length": "paths",
    "betweenness_centrality": "centrality",
    "closeness_centrality": "centrality",
    "harmonic_centrality": "centrality",
    "pagerank": "centrality",
    "connected_components": "components",
    "number_connected_components": "components",
    "is_connected": "components",
    "node_connected_component": "components",
    "weakly_connected_components": "components",
    "number_weakly_connected_components": "components",
    "is_weakly_connected": "components",
    "strongly_connected_components": "components",
    "number_strongly_connected_components": "components",
    "is_strongly_connected": "components",
    "core_number": "structure",
    "is_bipartite": "structure",
    "triangles": "structure",
    "clustering": "structure",
    "average_clustering": "structure",
    "transitivity": "structure",
    "degree_assortativity_coefficient": "structure",
    "degree_pearson_correlation_coefficient": "structure",
    "maximal_independent_set": "structure",
    "louvain_communities": "communities",
    "asyn_lpa_communities": "communities",
    "modularity": "communities",
    "from_pandas_edgelist": "generators",
    "read_edgelist": "generators",
    "read_weighted_edgelist": "generators",
}


def _key(weight) -> bool:
    """A key of edges' dicts, or none; a function of edges is not one of the engine."""
    return weight is None or not callable(weight)


# For each function its arguments, and whether it can be done.
_CAN = {
    "single_source_shortest_path_length": lambda G, source, cutoff=None: True,
    "single_target_shortest_path_length": lambda G, target, cutoff=None: True,
    "single_source_dijkstra_path_length": lambda G, source, cutoff=None, weight="weight": _key(weight),
    "shortest_path_length": lambda G, source=None, target=None, weight=None, method="dijkstra": (
        source is not None and target is None and _key(weight) and method == "dijkstra"),
    "betweenness_centrality": lambda G, k=None, normalized=True, weight=None, endpoints=False, seed=None: (
        weight is None and (k is None or 0 < k <= len(G))),
    "closeness_centrality": lambda G, u=None, distance=None, wf_improved=True: distance is None,
    "harmonic_centrality": lambda G, nbunch=None, distance=None, sources=None: nbunch is distance is sources is None,
    "pagerank": lambda G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight",
    dangling=None: _key(weight),
    "node_connected_component": lambda G, n: True,
    **{name: lambda G: True for name, home in FUNCTIONS.items() if home == "components" and "node" not in name},
    "core_number": lambda G: not G.is_directed(),
    "is_bipartite": lambda G: True,
    "triangles": lambda G, nodes=None: nodes is None,
    "clustering": lambda G, nodes=None, weight=None: nodes is None and weight is None and _simple(G),
    "average_clustering": lambda G, nodes=None, weight=None, count_zeros=True: (
        nodes is None and weight is None and _simple(G)),
    "transitivity": lambda G: _simple(G),
    "degree_assortativity_coefficient": lambda G, x="out", y="in", weight=None, nodes=None: (
        weight is None and nodes is None and not G.is_multigraph()),
    "degree_pearson_correlation_coefficient": lambda G, x="out", y="in", weight=None, nodes=None: (
        weight is None and nodes is None and not G.is_multigraph()),
    "maximal_independent_set": lambda G, nodes=None, seed=None: nodes is None and len(G) > 0 and _unseeded(seed),
    "louvain_communities": (
        lambda G, weight="weight", resolution=1, threshold=0.0000001, max_level=None, seed=None: (
            max_level is None and not G.is_directed() and _key(weight) and _unseeded(seed))),
    "asyn_lpa_communities": lambda G, weight=None, seed=None: _key(weight) and _simple(G) and _unseeded(seed),
    "modularity": lambda G, communities, weight="weight", resolution=1: _key(weight) and len(G) > 0,
}


def _from_table(df, source="source", target="target", edge_attr=None, create_using=None, edge_key=None):
    """Both ends have the same kind of name, and an edge at most one attribute, which is a number."""
    columns = [df[source], df[target]]
    if create_using not in (None, nx.Graph, nx.DiGraph) or edge_key is not None or source == target:
        return False
    if edge_attr is not None:
        if not isinstance(edge_attr, str) or edge_attr in (source, target) or df[edge_attr].dtype.kind not in "iuf":
            return False
    kinds = {"integers" if column.dtype.kind in "iu" else str(column.dtype) for column in columns}
    return kinds in ({"integers"}, {"str"}, {"string"})


# The same for functions that make graphs.
_MAKERS = {
    "from_pandas_edgelist": _from_table,
    "read_edgelist": lambda path, comments="#", delimiter=None, create_using=None, nodetype=None, data=True,
    edgetype=None, encoding="utf-8": (
        _plain_list(comments, delimiter, create_using, nodetype) and hasattr(path, "seekable") and path.seekable()
        and edgetype is None and (data is True or data is False or _one_weight(data))),
    "read_weighted_edgelist": lambda path, comments="#", delimiter=None, create_using=None, nodetype=None,
    encoding="utf-8": _plain_list(comments, delimiter, create_using, nodetype),
}


def _plain_list(comments, delimiter, create_using, nodetype):
    return (isinstance(comments, str) and len(comments) == 1 and delimiter is None
            and create_using in (None, nx.Graph, nx.DiGraph) and nodetype in (None, int, str))


def _one_weight(data):
    return len(data) == 1 and len(data[0]) == 2 and isinstance(data[0][0], str) and data[0][1] is float


def _unseeded(seed) -> bool:
    """Any random result will do, not only the one that NetworkX has for a seed."""
    return seed is None or seed is getattr(random, "_inst", None)


def _as_networkx(cls) -> bool:
    """Whether a class of graphs looks at its dicts as NetworkX's own do."""
    if cls not in _CLASSES:
        bases = nx.MultiDiGraph, nx.MultiGraph, nx.DiGraph, nx.Graph
        base = next((base for base in bases if issubclass(cls, base)), None)
        ours = getattr(cls, "__networkx_backend__", None) == "tessera"
        same = base is not None and all(getattr(cls, name) is getattr(base, name) for name in _LOOKS)
        _CLASSES[cls] = ours or same
    return _CLASSES[cls]


_LOOKS = ("__getitem__", "__iter__", "__contains__", "__len__", "nodes", "adj", "edges", "degree", "neighbors",
          "adjacency", "nbunch_iter")
_CLASSES = {}


def _simple(G) -> bool:
    return not G.is_directed() and not G.is_multigraph()


def of_networkx(name):
    """NetworkX's function of this name, or None."""
    return nx.utils.backends._registered_algorithms.get(name)


def _is_own(graph) -> bool:
    """Whether a graph was made by the backend, and not converted for a call."""
    return getattr(type(graph), "__networkx_backend__", None) == "tessera" and not graph.__dict__.get("_cached")


def has_own_graph(name, args, kwargs) -> bool:
    """Whether an argument is a graph that the backend has made."""
    if (function := of_networkx(name)) is None:
        return False
    for option, position in function.graphs.items():
        given = args[position] if position < len(args) else kwargs.get(option)
        if any(map(_is_own, given)) if option in function.list_graphs and given is not None else _is_own(given):
            return True
    return False


def can_run(name, args, kwargs):
    """Whether the backend has the result of this call. NetworkX asks before every call."""
    return engine_can_run(name, args, kwargs) or (name not in _MAKERS and has_own_graph(name, args, kwargs))


def engine_can_run(name, args, kwargs):
    """Whether the engine has the result of this call."""
    try:
        if name in _MAKERS:
            return _MAKERS[name](*args, **kwargs)
        graph = args[0] if args else kwargs["G"]
        return _as_networkx(type(graph)) and _CAN[name](*args, **kwargs)
    except (AttributeError, KeyError, TypeError):
        return False


# The smallest sizes, vertices and edges together, from which on the backend is the faster one: when the graph has to be
# converted, and when it is converted already. None: NetworkX may be done before it has seen the whole graph.
_FROM_SIZE = {
    "single_source_shortest_path_length": (3200, 1600),
    "single_target_shortest_path_length": (3200, 1600),
    "single_source_dijkstra_path_length": (600, 300),
    "shortest_path_length": (3200, 1600),
    "betweenness_centrality": (150, 100),
    "closeness_centrality": (150, 100),
    "harmonic_centrality": (150, 100),
    "pagerank": (15, 15),
    "connected_components": (3200, 1600),
    "number_connected_components": (3200, 1600),
    "is_connected": (3200, 1600),
    "node_connected_component": (3200, 1600),
    "weakly_connected_components": (6400, 1600),
    "number_weakly_connected_components": (6400, 1600),
    "is_weakly_connected": (6400, 1600),
    "strongly_connected_components": (3200, 1600),
    "number_strongly_connected_components": (3200, 800),
    "is_strongly_connected": None,
    "core_number": (300, 200),
    "is_bipartite": (800, 400),
    "triangles": (200, 100),
    "clustering": (100, 100),
    "average_clustering": (100, 100),
    "transitivity": (100, 100),
    "degree_assortativity_coefficient": (50, 50),
    "degree_pearson_correlation_coefficient": (15, 15),
    "maximal_independent_set": (1600, 800),
    "louvain_communities": (50, 50),
    "asyn_lpa_communities": (150, 100),
    "modularity": (400, 200),
}
# What begins at a vertex ends soon if no edge leaves it; without an argument that is the first vertex.
_STARTS = {"single_source_shortest_path_length": "source", "single_target_shortest_path_length": "target",
           "single_source_dijkstra_path_length": "source", "shortest_path_length": "source",
           "node_connected_component": "n", "is_connected": None, "is_weakly_connected": None}
_LOAD_NUMPY = ("pagerank", "degree_pearson_correlation_coefficient")


def should_run(name, args, kwargs):
    """Whether the backend is the faster one. NetworkX asks before it converts a graph by itself."""
    if name not in _FROM_SIZE:
        return True  # what makes a graph, or has one of the backend
    graph = args[0] if args else kwargs["G"]
    vertices, adjacency = len(graph._node), graph._adj
    sizes = _FROM_SIZE[name]
    if sizes is None or vertices < 3:
        return False
    cache = graph.__networkx_cache__
    least = sizes[1 if cache and cache.get("backends", {}).get("tessera") else 0]
    if vertices + vertices * (vertices - 1) / 2 < least or not isinstance(adjacency, dict):
        return False
    try:
        if name in _STARTS:
            option = _STARTS[name]
            start = next(iter(adjacency)) if option is None else args[1] if len(args) > 1 else kwargs.get(option)
            if not (adjacency.get(start) or (graph.is_directed() and graph._pred.get(start))):
                return False
    except TypeError:
        return False  # what cannot be a vertex
    some = [len(row) for row in itertools.islice(adjacency.values(), 0, 256, 16)]
    size = vertices * (1 + sum(some) / len(some) / 2)
    return size >= least and _pays_to_load(name, size)


_gained = 0  # in sizes, by the calls that the backend would have been faster for


def _pays_to_load(name, size):
    """Whether the engine is loaded, or the calls so far would have been worth it, as a skier buys skis in time.

    The first call loads the engine, and numpy, if the rest of the program does without: 0.1 s.
    """
    if "tessera._engine" in sys.modules:
        return True
    global _gained
    _gained += size
    return _gained >= (5_000 if name in _LOAD_NUMPY or "numpy" in sys.modules else 200_000)
