"""rows: a NetworkX graph as the engine's rows: read once from its dicts, in the forms that algorithms ask for."""

import copy
import decimal
import fractions

import networkx as nx
import numpy as np

from tessera import _engine

UNREACHED = 2**32 - 1


def read_dicts(graph: nx.Graph, weight, *, rounding=False):
    """What the engine reads of a graph, and whether there were weights that may have been rounded.

    A view, whose dicts are made as they are looked at, is copied first, and so are weights that are numbers of NumPy's,
    fractions or decimals. Integers above 2^53 are refused, unless `rounding` takes the nearest double. Raises
    AdjacencyError.
    """
    nodes, adjacency, rounded = graph._node, graph._adj, False
    directed, several = graph.is_directed(), graph.is_multigraph()
    if not (type(nodes) is dict and type(adjacency) is dict):
        nodes, adjacency = dict.fromkeys(nodes), _looked_at(graph, several)
        if weight is not None and not directed and not _symmetric(adjacency, weight, several):
            raise _engine.AdjacencyError("an edge is not the same from both of its ends")
    try:
        read = _engine.dict_rows(nodes, adjacency, weight, 1.0, directed, several)
    except _engine.AdjacencyError as problem:
        if str(problem) != "a weight is no number" and not (rounding and str(problem) == "a weight is above 2^53"):
            raise
        adjacency, rounded = _with_plain_weights(adjacency, weight, several, rounding)
        read = _engine.dict_rows(nodes, adjacency, weight, 1.0, directed, several)
    return read, rounded


def _looked_at(graph, several):
    if several:
        return {u: {v: dict(edges) for v, edges in graph._adj[u].items()} for u in graph._node}
    return {u: dict(graph._adj[u].items()) for u in graph._node}


def _symmetric(adjacency, weight, several):
    """Whether an edge weighs the same from both of its ends, which it need not where a view joins two directions."""
    for u, row in adjacency.items():
        for v, there in row.items():
            back = adjacency[v].get(u)
            if back is None:
                return False
            pairs = ((there[key], back.get(key)) for key in there) if several else ((there, back),)
            if any(a is not b and (b is None or a.get(weight, 1) != b.get(weight, 1)) for a, b in pairs):
                return False
    return True


def _nearest(value):
    try:
        return float(value)
    except (OverflowError, ValueError):
        return float("inf")


def _with_plain_weights(adjacency, weight, several, rounding):
    """The same rows, with integers and floats in the place of other numbers, and whether one may have been rounded."""
    rounded = False

    def plain(edge):
        nonlocal rounded
        if weight not in edge:
            return {}
        value = edge[weight]
        if isinstance(value, (np.integer, np.bool_)) and not isinstance(value, np.timedelta64):
            value = int(value)
        if rounding and isinstance(value, int) and abs(value) > 2**53:
            value = _nearest(value)
        elif isinstance(value, (np.floating, fractions.Fraction, decimal.Decimal)) and not isinstance(value, float):
            rounded = True
            value = _nearest(value)
        return {weight: value}

    def of_row(row):
        if several:
            return {v: {key: plain(edge) for key, edge in edges.items()} for v, edges in row.items()}
        return {v: plain(edge) for v, edge in row.items()}

    return {u: of_row(row) for u, row in adjacency.items()}, rounded


class Rows:
    """Rows of all neighbours in ascending order, with weights of one key, or without.

    `names` has the vertices in their order; None: vertex i is called i. Between the same ends there may have been
    several edges: `sums` has their weights together, `least` the smallest; None: every weight is 1. `names` and
    `as_added` may be functions that make them. `rounded`: weights were of types that NetworkX adds in their own way.
    """

    def __init__(self, offsets, targets, as_added, sums, least, *, directed, integers, self_loops, names,
                 rounded=False):
        self.offsets, self.targets = offsets, targets
        self._as_added = targets if as_added is None else as_added
        self.sums, self.least = sums, sums if least is None else least
        self.directed, self.integers, self.self_loops = directed, integers, self_loops
        self._names, self.rounded = names, rounded
        self.vertices = len(offsets) - 1
        self._forms = {}
        self._numbers = None

    @staticmethod
    def read(graph: nx.Graph, weight) -> "Rows":
        """The rows of a graph, whose edges' weights have the key `weight`, or are not read.

        Raises NotImplementedError for weights that are no finite numbers.
        """
        try:
            (*rows, integers, loops, numbers), rounded = read_dicts(graph, weight)
        except _engine.AdjacencyError as problem:
            raise NotImplementedError(f"the graph is not one of the engine: {problem}") from None
        return Rows(*rows, directed=graph.is_directed(), integers=integers, self_loops=loops,
                    names=None if numbers else list(graph._node), rounded=rounded)

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
        made.integers, made.rounded = True, False
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
                hash(name)
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

    def named(self, values, *, whole_zeros=False) -> dict:
        """A dict of what an array has for each vertex, in the vertices' order.

        `whole_zeros`: with the integer 0 for 0.0, as NetworkX has it where there was nothing to add or to divide.
        """
        numbers = values.tolist()
        return dict(zip(self.all_names(), [number or 0 for number in numbers] if whole_zeros else numbers))

    def chosen(self, numbers, given=None, number=None):
        """The names of some vertices: a list. The one with this number is called as it was `given`, True for 1, say."""
        names = self.names
        called = numbers.tolist() if names is None else [names[i] for i in numbers.tolist()]
        if number is not None:
            for place in np.flatnonzero(numbers == number).tolist():
                called[place] = given
        return called

    def shares(self, given: dict):
        """An array of the numbers that a dict has for vertices, 0 for the others."""
        return np.array([given.get(name, 0) for name in self.all_names()], np.float64)
