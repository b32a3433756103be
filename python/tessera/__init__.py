"""tessera: graphs from Python's data, worked on by places of one process or of a cluster; experiments of papers.

    import tessera as ts
    g = ts.read_csv("trips.csv", weight="km")    # an edge in each row
    ts.pagerank(g)                               # a Series, indexed by the vertices' names

Graphs: `read_csv`, `read_parquet`, `read`, `generate`, `from_pandas`, `from_arrow`, `from_scipy`, `from_networkx`,
`from_edges`.
Algorithms: `help(tessera.algorithms)`. Places: `configure`, `init`. Papers: `tessera.reproduce`.
"""

import importlib

# What lies where: nothing is imported before it is asked for, so that `import tessera` takes no time.
_HOMES = {
    "graphs": ("Graph", "from_arrow", "from_edges", "from_networkx", "from_pandas", "from_scipy", "generate",
               "read", "read_csv", "read_parquet"),
    "algorithms": ("assortativity", "betweenness", "bfs", "bipartite", "closeness", "clustering", "components",
                   "core_numbers", "harmonic", "independent_set", "jaccard", "label_propagation", "louvain",
                   "modularity", "overlap", "pagerank", "random_walks", "spanning_forest", "sssp", "strong_components",
                   "topological_order", "transitivity", "triangles"),
    "session": ("configure", "init", "places"),
    "simulator.machines": ("machine",),
    "simulator.runs": ("ProgramError", "run"),
    "simulator.sweeps": ("sweep",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("algorithms", "graphs", "networkx", "papers", "plot", "progress", "reproduce", "session",
            "simulator")

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
