"""graphs: graphs of the backend, which are NetworkX graphs whose dicts are made when somebody looks at them.

What the dispatcher converts is such a graph without dicts: algorithms take its rows. The rows lie in the graph's cache,
which NetworkX clears whenever the graph is changed by its methods; then they are read again.
"""

import weakref

import networkx as nx

from tessera.networkx.rows import Rows
from tessera.networkx.rules import FUNCTIONS

_DICTS = ("_node", "_adj", "_succ", "_pred")


class _MadeLater:
    """A dict of the graph, made at its first use."""

    def __init__(self, name, inherited):
        self._name, self._set = name, inherited.__set__

    def __get__(self, graph, owner=None):
        if graph is None:
            return self
        made = graph.__dict__
        if self._name not in made:
            graph._make_dicts()
        return made[self._name]

    def __set__(self, graph, value):
        self._set(graph, value)


def _with_dicts_later(cls):
    for name in _DICTS:
        if hasattr(cls, name):
            setattr(cls, name, _MadeLater(name, getattr(cls, name)))
    return cls


class _Backed:
    """What graphs of the backend have beside NetworkX's."""

    __networkx_backend__ = "tessera"
    _weights = _origin = None

    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    @classmethod
    def _later(cls, origin, *, attributes=None, cached=False, rows=None):
        """A graph whose dicts are those of the graph that `origin` returns.

        `rows` has all weights that its edges have, by key.
        """
        graph = cls.__new__(cls)
        graph.__dict__.update(graph={} if attributes is None else attributes, _origin=origin, _cached=cached,
                              __networkx_cache__={} if rows is None else {"tessera": rows}, _weights=rows and set(rows))
        return graph

    def __len__(self):
        return super().__len__() if "_adj" in self.__dict__ else self._rows().vertices

    def _make_dicts(self):
        made = self._origin()
        if made is None:
            raise RuntimeError("the NetworkX graph that this was converted from is gone")
        self._origin = None
        for name in ("_node", "_adj", "_pred"):
            if hasattr(type(made), name):
                setattr(self, name, getattr(made, name))
        # What was set before the dicts were looked at stays.
        if self.graph is not made.graph:
            self.graph = {**made.graph, **self.graph}

    def _source(self) -> nx.Graph:
        """A graph with dicts: the one that this is made of, if it has none."""
        if "_adj" in self.__dict__:
            return self
        origin = self._origin()
        return self if origin is None else origin

    def _rows(self, weight=None) -> Rows:
        """The rows, with weights of that key, or without weights."""
        if hasattr(self, "_graph"):
            return Rows.read(self, weight)  # a view, whose cache nobody clears when its graph changes
        known = self.__networkx_cache__.setdefault("tessera", {})
        if weight not in known and known and self._weights is not None and "_adj" not in self.__dict__:
            # Its edges have no such key.
            weight = None
        if weight not in known:
            # Several edges between the same ends count without weights, too.
            others = weight is None and known and not self.is_multigraph()
            known[weight] = next(iter(known.values())).plain() if others else Rows.read(self._source(), weight)
        return known[weight]

    def to_networkx(self) -> nx.Graph:
        """A NetworkX graph with copies of the dicts, in their order, and the same attributes."""
        made = _BASES[self.is_directed(), self.is_multigraph()]()
        made.graph.update(self.graph)
        copies = {}

        def copied(edge):
            # Both ends of an edge have the same dict.
            if id(edge) not in copies:
                whole = {key: dict(one) for key, one in edge.items()} if self.is_multigraph() else dict(edge)
                copies[id(edge)] = whole
            return copies[id(edge)]

        made._node = {name: dict(attributes) for name, attributes in self._node.items()}
        for name in ("_adj", "_pred") if self.is_directed() else ("_adj",):
            setattr(made, name, {u: {v: copied(edge) for v, edge in row.items()}
                                 for u, row in getattr(self, name).items()})
        return made

    def __reduce_ex__(self, protocol):
        # What lies in a graph's cache is not worth a copy: None makes NetworkX convert again.
        if self.__dict__.get("_cached"):
            return type(None), ()
        self._node  # noqa: B018 - makes the dicts
        state = {name: value for name, value in self.__dict__.items() if name not in ("__networkx_cache__", "_origin")}
        return _empty, (type(self),), {**state, "__networkx_cache__": {}, "_origin": None}


def _empty(cls):
    return object.__new__(cls)


@_with_dicts_later
class Graph(_Backed, nx.Graph):
    """An undirected graph of the backend."""


@_with_dicts_later
class DiGraph(_Backed, nx.DiGraph):
    """A directed graph of the backend."""


@_with_dicts_later
class MultiGraph(_Backed, nx.MultiGraph):
    """An undirected graph of the backend that may have several edges between the same ends."""


@_with_dicts_later
class MultiDiGraph(_Backed, nx.MultiDiGraph):
    """A directed graph of the backend that may have several edges between the same ends."""


_BASES = {(False, False): nx.Graph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph,
          (True, True): nx.MultiDiGraph}
_CLASSES = {(False, False): Graph, (True, False): DiGraph, (False, True): MultiGraph, (True, True): MultiDiGraph}


def convert_from_nx(graph, edge_attrs=None, node_attrs=None, preserve_edge_attrs=False, preserve_node_attrs=False,
                    preserve_graph_attrs=False, name=None, graph_name=None):
    """A graph of the backend of a NetworkX graph.

    By the dispatcher, which names the function, the rows are read now, with one key of weights at most, and the graph
    is not kept alive. Otherwise the graph is shared, and rows are read when they are needed.
    """
    cls = _CLASSES[graph.is_directed(), graph.is_multigraph()]
    if name is None:
        return cls._later(lambda: graph, attributes=graph.graph)
    if hasattr(graph, "_graph"):
        # A view, whose cache nobody clears when its graph changes. None: NetworkX keeps nothing.
        graph.__networkx_cache__ = None
    made = cls._later(weakref.ref(graph), attributes=graph.graph, cached=True)
    if name not in FUNCTIONS:
        # NetworkX's own code runs, because another graph of the call is one of the backend.
        return made
    if preserve_edge_attrs:
        raise NotImplementedError("the engine keeps one weight of an edge, not all of its attributes")
    if edge_attrs and (len(edge_attrs) > 1 or any(missing != 1 for missing in edge_attrs.values())):
        raise NotImplementedError("the engine keeps one weight of an edge, which is 1 where there is none")
    made._rows(next(iter(edge_attrs)) if edge_attrs else None)
    return made
