"""tessera: graphs from Python's data, worked on by places of one process, of a cluster, or of a simulated machine.

    import tessera as ts
    g = ts.read_csv("trips.csv", source="from", target="to", weight="km")
    ts.pagerank(g)                               # a Series, indexed by the vertices' names
    ts.machine("nemesys-4x4").run(ts.bfs, g, "Delft").cycles

Graphs: `read_csv`, `read_parquet`, `read`, `generate`, `from_pandas`, `from_arrow`, `from_networkx`, `from_scipy`,
`from_edges`. Algorithms: `help(tessera.algorithms)`. Machines: `machine`, `sweep`. Places: `configure`, `init`. The
experiments of papers are in `tessera.reproduce`.
"""

import importlib

# What lies where: nothing is imported before it is asked for, so that `import tessera` takes no time.
_HOMES = {
    "graphs": ("Graph", "from_arrow", "from_edges", "from_networkx", "from_pandas", "from_scipy", "generate", "open",
               "read", "read_csv", "read_parquet"),
    "algorithms": ("assortativity", "betweenness", "bfs", "bipartite", "components", "core_numbers", "independent_set",
                   "label_propagation", "louvain", "modularity", "pagerank", "spanning_forest", "sssp",
                   "strong_components", "topological_order", "triangles"),
    "session": ("configure", "init", "places"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("algorithms", "graphs", "papers", "reproduce", "session")

__all__ = sorted(_HOME_OF)


def __getattr__(name):
    if name in _HOME_OF:
        value = getattr(importlib.import_module(f"tessera.{_HOME_OF[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"tessera.{name}")
    raise AttributeError(f"module 'tessera' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_HOME_OF, *_MODULES])
