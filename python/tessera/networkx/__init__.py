"""networkx: the backend `tessera` of NetworkX, whose dispatcher finds it by its entry point.

    nx.pagerank(G, backend="tessera")            # or NETWORKX_BACKEND_PRIORITY=tessera, and no change at all

NetworkX asks this module for a function by its name in NetworkX, for `can_run` and `should_run`, and for graphs:
`convert_from_nx` makes rows of a graph's dicts, which NetworkX keeps in the graph's cache until the graph is changed.
What the engine does not have is done by NetworkX's own function if the graph is one of the backend, which has dicts.
Importing this module imports only NetworkX; the engine and numpy are loaded by the first call that they serve.
"""

import importlib

import networkx  # noqa: F401 - first, because it imports `rules` by `info` itself

from tessera.networkx.rules import FUNCTIONS, can_run, engine_can_run, has_own_graph, of_networkx, should_run

__all__ = ["can_run", "convert_from_nx", "convert_to_nx", "should_run", *FUNCTIONS]


def _called_later(home, name):
    def function(*args, **kwargs):
        own = has_own_graph(name, args, kwargs)
        if own and not engine_can_run(name, args, kwargs):
            return of_networkx(name).orig_func(*args, **kwargs)
        try:
            return getattr(importlib.import_module(f"tessera.networkx.{home}"), name)(*args, **kwargs)
        except NotImplementedError:
            if not own:
                raise
            return of_networkx(name).orig_func(*args, **kwargs)

    function.__name__ = name
    return function


def __getattr__(name):
    """NetworkX's own function, which `can_run` allows for graphs of the backend only."""
    found = None if name.startswith("_") or name.endswith("__new__") else of_networkx(name)
    if found is None or not found.graphs:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found.orig_func
    return found.orig_func


globals().update({name: _called_later(home, name) for name, home in FUNCTIONS.items()})


def convert_from_nx(*args, **kwargs):
    return importlib.import_module("tessera.networkx.graphs").convert_from_nx(*args, **kwargs)


def convert_to_nx(result, *, name=None):
    """The NetworkX graph of one of ours; anything else as it is."""
    return result.to_networkx() if getattr(result, "__networkx_backend__", None) == "tessera" else result
