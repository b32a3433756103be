"""networkx: the backend `tessera` of NetworkX, whose dispatcher finds it by its entry point.

    nx.pagerank(G, backend="tessera")            # or NETWORKX_BACKEND_PRIORITY=tessera, and no change at all

NetworkX asks this module for a function by its name in NetworkX, for `can_run` and `should_run`, and for graphs:
`convert_from_nx` makes rows of a graph's dicts, which NetworkX keeps in the graph's cache until the graph is changed.
Importing this module imports nothing else; the engine and numpy are loaded by the first call that they serve.
"""

import importlib

from tessera.networkx.rules import FUNCTIONS, can_run, should_run

__all__ = ["can_run", "convert_from_nx", "convert_to_nx", "should_run", *FUNCTIONS]


def _called_later(home, name):
    def function(*args, **kwargs):
        return getattr(importlib.import_module(f"tessera.networkx.{home}"), name)(*args, **kwargs)

    function.__name__ = name
    return function


globals().update({name: _called_later(home, name) for name, home in FUNCTIONS.items()})
convert_from_nx = _called_later("graphs", "convert_from_nx")


def convert_to_nx(result, *, name=None):
    """The NetworkX graph of one of ours; anything else as it is."""
    return result.to_networkx() if getattr(result, "__networkx_backend__", None) == "tessera" else result
