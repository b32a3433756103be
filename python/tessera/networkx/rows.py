"""rows: a NetworkX graph as the engine's rows: read once from its dicts, in the forms that algorithms ask for."""

import copy

import networkx as nx
import numpy as np

from tessera import _engine

UNREACHED = 2**32 - 1


class Rows:
    """Rows of all neighbours in ascending order, with weights of one key, or without.

    `names` has the vertices in their order; None: vertex i is called i. Between the same ends there may have been
    several edges: `sums` has their weights together, `least` the smallest; None: every weight is 1. `names` and
    `as_added` may be functions that make them.
    """

    def __init__(self, offsets, targets, as_added, sums, least, *, directed, integers, self_loops, names):
        self.offsets, self.targets = offsets, targets
        self._as_added = targets if as_added is None else as_added
        self.sums, self.least = sums, sums if least is None else least
        self.directed, self.integers, self.self_loops = directed, integers, self_loops
        self._names = names
        self.vertices = len(offsets) - 1
        self._forms = {}
        self._numbers = None

    @staticmethod
    def read(graph: nx.Graph, weight) -> "Rows":
        """The rows of a graph, whose edges' weights have the key `weight`, or are not read.

        Raises NotImplementedError for a graph that is not made of dicts, and for weights that are no finite numbers.
        """
        if not (isinstance(graph._adj, dict) and isinstance(graph._node, dict)):
            raise NotImplementedError("a view of a graph has no dicts of its own")
        directed = graph.is_directed()
        try:
            *rows, integers, loops, numbers = _engine.dict_rows(
                graph._node, graph._adj, weight, 1.0, directed, graph.is_multigraph())
        except _engine.AdjacencyError as problem:
            raise NotImplementedError(f"the graph is not one of the engine: {problem}") from None
        return Rows(*rows, directed=directed, integers=integers, self_loops=loops,
                    names=None if numbers else list(graph._node))

    @property
    def names(self):
        """A list of the vertices' names, or None."""
        if callable(self._names):
            self._names = self._names()
        return self._names

    @property
    def as_added(self):
        """The targets of each row in the order of the graph's dicts."""
        if callable(self._as_added):
            self._as_added = self._as_added()
        return self._as_added

    def plain(self) -> "Rows":
        """The same rows without weights."""
        made = copy.copy(self)
        made.sums = made.least = None
        made.integers = True
        return made

    def form(self, weights: str | None = None, *, loops: bool = False, reverse: bool = False):
        """The engine's graph: without weights, or with "sums" or "least" ones; made at its first use."""
        values = None if weights is None else getattr(self, weights)
        loops = loops or self.self_loops == 0
        key = (None if values is None else weights, loops, reverse and self.directed)
        if key not in self._forms:
            self._forms[key] = self._make(values, loops, key[2])
        return self._forms[key]

    def _make(self, values, loops, reverse):
        if loops and not reverse:
            return _engine.graph_from_rows(self.offsets, self.targets, values, None, self.directed)
        sources, targets = self.sources(), self.targets
        chosen = slice(None) if self.directed else sources <= targets
        sources, targets = sources[chosen], targets[chosen]
        values = None if values is None else np.ascontiguousarray(values[chosen])
        if reverse:
            sources, targets = targets, sources
        return _engine.graph_from_ends(self.vertices, np.ascontiguousarray(sources), np.ascontiguousarray(targets),
                                       values, None, self.directed, "refuse", "keep" if loops else "drop")

    def sources(self):
        """The source of each entry."""
        return np.repeat(np.arange(self.vertices, dtype=np.uint32), np.diff(self.offsets).astype(np.int64))

    def number(self, name):
        """The number of the vertex, or None if there is none."""
        if self.names is None:
            try:
                number = int(name)
            except (TypeError, ValueError, OverflowError):
                return None
            return number if number == name and 0 <= number < self.vertices else None
        try:
            hash(name)
            if self._numbers is None:
                return self.names.index(name)
            return self._numbers[name]
        except (TypeError, ValueError, KeyError):
            return None

    def all_names(self):
        """The vertices' names in their order: a list, or a range."""
        return range(self.vertices) if self.names is None else self.names

    def named(self, values) -> dict:
        """A dict of what an array has for each vertex, in the vertices' order."""
        return dict(zip(self.all_names(), values.tolist()))

    def chosen(self, numbers):
        """The names of some vertices: a list."""
        if self.names is None:
            return numbers.tolist()
        names = self.names
        return [names[number] for number in numbers.tolist()]

    def shares(self, given: dict):
        """An array of the numbers that a dict has for vertices, 0 for the others."""
        return np.array([given.get(name, 0) for name in self.all_names()], np.float64)
