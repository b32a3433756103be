"""graphs: the class Graph, and the ways to make one from what people have.

A graph has vertices with names, integers or texts, and edges, perhaps with weights. It lies in memory once, as
compressed sparse rows, and stays there from call to call. Names are numbered in the order in which they come, edge by
edge, the source before the target.

What all makers take, beside their own parameters:

- `directed`: whether an edge leads from source to target only. Default: False, as in NetworkX, igraph and NetworKit.
- `duplicates`: the weight of edges with the same ends: "smallest", "first", "last", "sum", or "refuse" them.
- `self_loops`: "drop" them, "keep" or "refuse". Default: "drop", as in GAP. Most algorithms leave them out anyway.

Memory: 8 bytes a vertex, and for each edge 4 bytes (12 with weights), twice if it is undirected, and the names; less
than three times as much while a graph is made. Errors: ValueError with the place of what is wrong, and what would be
right; MemoryError.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from tessera import _engine
from tessera.columns import Texts, names, number, refuse, refuse_masked, weights
from tessera.progress import doing
from tessera.session import check_integer

if TYPE_CHECKING:
    import pandas
    from numpy.typing import ArrayLike, NDArray

Duplicates = Literal["smallest", "first", "last", "sum", "refuse"]
SelfLoops = Literal["drop", "keep", "refuse"]
Path = str | os.PathLike[str]


def _check_rules(directed=False, duplicates="smallest", self_loops="drop"):
    _check_flag("directed", directed)
    for name, value, choices in (("duplicates", duplicates, get_args(Duplicates)),
                                 ("self_loops", self_loops, get_args(SelfLoops))):
        if value not in choices:
            raise ValueError(f"{name}={value!r}, expected {', '.join(choices[:-1])} or {choices[-1]}")


def _check_flag(name, flag):
    if not isinstance(flag, bool):
        raise TypeError(f"{name}={flag!r}, expected True or False")


def _check_columns(wanted, where):
    for name in wanted:
        if wanted.count(name) > 1:
            raise refuse(f"the column {name!r} twice", where, "different columns for sources, targets and weights")


class Graph:
    """A graph in memory, which does not change. `len(g)` is the number of vertices.

    It can be pickled, with its names; a copy of it is itself.
    """

    __slots__ = ("_held", "_index", "_labels", "_numbers", "__weakref__")

    def __init__(self, held: _engine.Graph, labels: list[Any] | None = None) -> None:
        self._held = held
        self._index: pandas.Index | None = None
        self._labels = labels  # names that are neither integers nor texts
        self._numbers: dict[Any, int] | None = None

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return self._held.vertices

    @property
    def edges(self) -> int:
        """The number of edges; an undirected edge counts once."""
        return self._held.edges

    @property
    def directed(self) -> bool:
        return self._held.directed

    @property
    def weighted(self) -> bool:
        return self._held.weighted

    @property
    def index(self) -> pandas.Index:
        """The names of the vertices in their order, as a pandas Index. A range if they are numbers."""
        if self._index is None:
            self._index = _index_of(self._held.names, self._labels, self._held.vertices)
        return self._index

    def number(self, vertex: Hashable) -> int:
        """The number of the vertex with this name. Raises KeyError if there is none."""
        found = None
        if self._labels is not None:
            if self._numbers is None:
                self._numbers = {label: i for i, label in enumerate(self._labels)}
            found = self._numbers.get(vertex)
        elif (called := self._held.names) is None:
            if isinstance(vertex, (int, np.integer)) and 0 <= vertex < self._held.vertices:
                found = int(vertex)
        elif called.are_integers and isinstance(vertex, (int, np.integer)):
            found = called.find(int(vertex)) if -(2**63) <= vertex < 2**63 else None
        elif not called.are_integers and isinstance(vertex, str):
            found = called.find(vertex)
        if found is None:
            raise KeyError(f"no vertex {vertex!r} in {self!r}")
        return found

    def numbers(self, vertices: Iterable[Hashable]) -> NDArray[np.uint32]:
        """The numbers of several vertices, by name: uint32, in the same order."""
        if self._labels is None and self._held.names is None and isinstance(vertices, np.ndarray):
            if vertices.dtype.kind in "iu" and vertices.ndim == 1 and (
                    vertices.size == 0 or (vertices.min() >= 0 and vertices.max() < self._held.vertices)):
                return vertices.astype(np.uint32)
        return np.fromiter((self.number(vertex) for vertex in vertices), np.uint32)

    def to_scipy(self) -> Any:
        """A CSR matrix [vertices, vertices] of the weights, or of ones; rows are sources."""
        from scipy.sparse import csr_array

        held = self._held
        values = held.weights() if held.weighted else np.ones(len(held.targets()), np.float64)
        shape = (held.vertices, held.vertices)
        return csr_array((values, held.targets(), held.offsets()), shape=shape, copy=False)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame of the edges: source, target and, if there are any, weight. Undirected edges come once."""
        import pandas

        held = self._held
        sources = np.repeat(np.arange(held.vertices, dtype=np.uint32), np.diff(held.offsets()).astype(np.int64))
        targets = held.targets()
        chosen = slice(None) if held.directed else sources <= targets
        frame = {"source": self.index.take(sources[chosen]), "target": self.index.take(targets[chosen])}
        if held.weighted:
            frame["weight"] = held.weights()[chosen]
        return pandas.DataFrame(frame)

    def to_networkx(self) -> Any:
        """A networkx.Graph or DiGraph: vertices in their order, edges with `weight`, if there are any weights."""
        import networkx

        made = networkx.DiGraph() if self.directed else networkx.Graph()
        held = self._held
        made.add_nodes_from(names := self.index.tolist())
        sources = np.repeat(np.arange(held.vertices, dtype=np.uint32), np.diff(held.offsets()).astype(np.int64))
        targets = held.targets()
        chosen = slice(None) if held.directed else sources <= targets
        ends = ([names[v] for v in column[chosen].tolist()] for column in (sources, targets))
        if held.weighted:
            made.add_weighted_edges_from(zip(*ends, held.weights()[chosen].tolist(), strict=True))
        else:
            made.add_edges_from(zip(*ends, strict=True))
        return made

    def save(self, path: Path, *, with_in_edges: bool = False) -> None:
        """Writes a .tgr file, which `read` maps into memory. `with_in_edges` adds what directed graphs need later.

        The file is replaced when all of it is on the disk. Raises ValueError for names that are neither integers nor
        texts, and OSError if it cannot be written.
        """
        if self._labels is not None:
            raise ValueError("names that are neither integers nor texts cannot be saved")
        if not os.fspath(path).endswith(".tgr"):
            raise ValueError(f"{path}: expected a name that ends with .tgr")
        try:
            _engine.save(self._held, os.fspath(path), with_in_edges)
        except RuntimeError as problem:
            raise OSError(str(problem)) from None

    def __reduce__(self) -> tuple[Any, ...]:
        held, called = self._held, self._held.names
        if called is not None:
            called = called.integers() if called.are_integers else (called.bytes(), called.offsets())
        arrays = held.offsets(), held.targets(), held.weights() if held.weighted else None
        return _restored, (arrays, called, self.directed, self._labels)

    def __copy__(self) -> Graph:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        return self

    def __len__(self) -> int:
        return self._held.vertices

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"<Graph: {self.vertices} vertices, {self.edges} {kind}{' weighted' if self.weighted else ''} edges>"


def _restored(arrays, called, directed, labels):
    """The graph of what a pickled one has."""
    if isinstance(called, tuple):
        called = _engine.text_names(*called, "a pickled graph")
    elif called is not None:
        called = _engine.integer_names(called, "a pickled graph")
    return Graph(_engine.graph_from_rows(*arrays, called, directed), labels)


def _index_of(called, labels, vertices):
    import pandas

    if labels is not None:
        # Tuples are names, not levels.
        index = np.empty(len(labels), dtype=object)
        index[:] = labels
        return pandas.Index(index, tupleize_cols=False)
    if called is None:
        return pandas.RangeIndex(vertices)
    if called.are_integers:
        return pandas.Index(called.integers())
    data, ends = called.bytes(), called.offsets()
    try:
        import pyarrow

        length = len(ends) - 1
        texts = pyarrow.LargeStringArray.from_buffers(length, pyarrow.py_buffer(ends), pyarrow.py_buffer(data))
        return pandas.Index(pandas.array(texts, dtype="str"))
    except (ImportError, TypeError):
        whole = data.tobytes()
        return pandas.Index([whole[a:b].decode() for a, b in zip(ends[:-1], ends[1:], strict=True)])


def _make(sources, targets, weight, where, directed, duplicates, self_loops, weights_where=None):
    """A graph of columns of names."""
    _check_rules(directed, duplicates, self_loops)
    from_names, to_names = names(sources, f"{where}, sources"), names(targets, f"{where}, targets")
    if isinstance(from_names, Texts) != isinstance(to_names, Texts):
        if len(from_names) and len(to_names):
            raise refuse("one end of an edge is an integer and the other a text", where, "ends of one kind")
        from_names = to_names = np.zeros(0, np.int64)
    if len(from_names) != len(to_names):
        raise refuse(f"{len(from_names)} sources and {len(to_names)} targets", where, "one of each for every edge")
    values = None if weight is None else weights(weight, weights_where or f"{where}, weights")
    if isinstance(from_names, Texts):
        ends = _engine.encode_texts(from_names.bytes, from_names.offsets, to_names.bytes, to_names.offsets, where)
    else:
        ends = _engine.encode_integers(from_names, to_names, where)
    from_ends, to_ends, called = ends
    return Graph(_engine.graph_from_ends(len(called), from_ends, to_ends, values, called, directed, duplicates,
                                         self_loops))


def from_edges(sources: ArrayLike, targets: ArrayLike | None = None, weights: ArrayLike | None = None, *,
               vertices: int | None = None, names: bool = False, directed: bool = False,
               duplicates: Duplicates = "smallest", self_loops: SelfLoops = "drop") -> Graph:
    """A graph of arrays: edge i leads from `sources[i]` to `targets[i]`, with `weights[i]` if there are weights.

    `sources` may be an array [edges, 2] of both ends. Ends are vertices' numbers from 0, below `vertices` (default: one
    more than the largest), unless `names` is true: then they are any integers or texts.

    >>> import tessera as ts
    >>> ts.from_edges([[0, 1], [1, 2]])
    <Graph: 3 vertices, 2 undirected edges>
    """
    where = "from_edges"
    _check_rules(directed, duplicates, self_loops)
    if vertices is not None:
        check_integer("vertices", vertices, 0, 2**32 - 1)
    if targets is None:
        pairs = np.asarray(sources)
        if names and pairs.dtype.kind == "U" and not isinstance(sources, np.ndarray):
            pairs = np.asarray(sources, dtype=object)  # in an array of texts integers are texts, too
        if pairs.size == 0:
            pairs = pairs.reshape(0, 2)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise refuse(f"an array of shape {pairs.shape}", where, "[edges, 2], or sources and targets")
        if pairs.dtype == object or (names and pairs.dtype.kind == "U"):
            sources, targets = pairs[:, 0].tolist(), pairs[:, 1].tolist()
        else:
            sources, targets = pairs[:, 0], pairs[:, 1]
    if names:
        return _make(sources, targets, weights, where, directed, duplicates, self_loops)
    from_ends, to_ends = _numbers(sources, f"{where}, sources"), _numbers(targets, f"{where}, targets")
    if len(from_ends) != len(to_ends):
        raise refuse(f"{len(from_ends)} sources and {len(to_ends)} targets", where, "one of each for every edge")
    least = 0 if len(from_ends) == 0 else int(max(from_ends.max(), to_ends.max())) + 1
    if vertices is None:
        if least > 16 * len(from_ends) + 65536:
            raise refuse(f"vertex {least - 1} in a graph of {len(from_ends)} edges", where,
                         "numbers from 0, or names=True for any integers")
        vertices = least
    elif vertices < least:
        raise refuse(f"vertex {least - 1}", where, f"numbers below {vertices}")
    values = None if weights is None else _weights(weights, where)
    return Graph(_engine.graph_from_ends(vertices, from_ends, to_ends, values, None, directed, duplicates, self_loops))


def _weights(values, where):
    return weights(values, f"{where}, weights")


def _numbers(values, where):
    refuse_masked(values, "no vertex", where, "a number")
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, np.uint32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise refuse(f"an array of {array.dtype} with {array.ndim} dimensions", where,
                     "integers with one dimension, or names=True")
    if array.min() < 0 or array.max() >= 2**32 - 1:
        row = int(array.argmin() if array.min() < 0 else array.argmax())
        raise refuse(f"vertex {array[row]}", f"{where}, row {row}", "a number from 0 to 4294967294, or names=True")
    return np.ascontiguousarray(array, dtype=np.uint32)


def from_pandas(frame: pandas.DataFrame, source: str = "source", target: str = "target", weight: str | None = None, *,
                directed: bool = False, duplicates: Duplicates = "smallest", self_loops: SelfLoops = "drop") -> Graph:
    """A graph of a DataFrame with an edge in each row; `source`, `target` and `weight` name columns.

    >>> import pandas, tessera as ts
    >>> ts.from_pandas(pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}))
    <Graph: 3 vertices, 2 undirected edges>
    """
    return _from_columns(frame, list(frame.columns), source, target, weight, "from_pandas", directed, duplicates,
                         self_loops)


def from_arrow(table: Any, source: str = "source", target: str = "target", weight: str | None = None, *,
               directed: bool = False, duplicates: Duplicates = "smallest", self_loops: SelfLoops = "drop") -> Graph:
    """A graph of an Arrow table, or of anything with Arrow's C stream interface, such as a polars or DuckDB table."""
    import pyarrow

    if not isinstance(table, pyarrow.Table):
        table = pyarrow.table(table)
    return _from_columns(table, table.column_names, source, target, weight, "from_arrow", directed, duplicates,
                         self_loops)


def _from_columns(table, there, source, target, weight, where, directed, duplicates, self_loops):
    _check_columns([source, target, *(() if weight is None else (weight,))], where)
    for name in (source, target, *(() if weight is None else (weight,))):
        if name not in there:
            raise refuse(f"no column {name!r}", where, f"one of {', '.join(map(repr, there))}")
        if there.count(name) > 1:
            raise refuse(f"several columns {name!r}", where, "one")
    column = None if weight is None else table[weight]
    return _make(table[source], table[target], column, where, directed, duplicates, self_loops,
                 f"{where}, column {weight!r}")


def from_networkx(graph: Any, weight: str | None = None, *,
                  duplicates: Literal["smallest", "sum", "refuse"] = "smallest",
                  self_loops: SelfLoops = "drop") -> Graph:
    """A graph of one of NetworkX, directed if that is; its nodes are the names, in their order.

    `weight` is the key of the weights in the edges' attributes; an edge without it weighs 1. `duplicates` is about a
    multigraph's edges with the same ends: "smallest" or "sum" of their weights, or "refuse" them. Raises ValueError for
    a weight that is no finite number of Python or NumPy. About 0.1 s for 10^6 edges; ten times as long if weights are
    neither int nor float, or integers above 2^53.

    >>> import networkx, tessera as ts
    >>> ts.from_networkx(networkx.Graph([("a", "b"), ("b", (2, 3))]))
    <Graph: 3 vertices, 2 undirected edges>
    """
    where = "from_networkx"
    if not all(hasattr(graph, part) for part in ("_node", "_adj", "is_directed", "is_multigraph")):
        raise TypeError(f"{where}: a {type(graph).__name__}, expected a graph of NetworkX")
    from tessera.networkx.rows import read_dicts

    if duplicates not in ("smallest", "sum", "refuse"):
        raise refuse(f"duplicates={duplicates!r}", where, "smallest, sum or refuse")
    _check_rules(self_loops=self_loops)
    if not all(isinstance(getattr(graph, part, None), dict) for part in ("_node", "_adj")):
        # A view of another graph, or none at all.
        graph = graph.copy()
    several, directed = graph.is_multigraph(), graph.is_directed()
    if several and duplicates == "refuse":
        doubled = next(((u, v) for u, row in graph._adj.items() for v, edges in row.items() if len(edges) > 1), None)
        if doubled is not None:
            raise refuse(f"several edges from {doubled[0]!r} to {doubled[1]!r}", where, "one")
    try:
        (offsets, targets, _, sums, least, _, loops, numbers), _ = read_dicts(graph, weight, rounding=True)
    except _engine.AdjacencyError as problem:
        if "weight" in str(problem):
            _refuse_weights(graph, weight, where)
        raise refuse(str(problem), where, "a graph of NetworkX with finite numbers as weights") from None
    if loops and self_loops == "refuse":
        raise refuse("a self-loop", where, "edges between different vertices")
    values = least if duplicates == "smallest" and least is not None else sums
    if weight is None and duplicates != "sum":
        values = None
    elif weight is not None and values is None:
        values = np.ones(len(targets))
    called, labels = (None, None) if numbers else _names_of(list(graph._node))
    if loops and self_loops == "drop":
        sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets).astype(np.int64))
        kept = sources != targets if directed else sources < targets
        values = None if values is None else values[kept]
        held = _engine.graph_from_ends(len(offsets) - 1, sources[kept], targets[kept], values, called, directed,
                                       "refuse", "drop")
    else:
        held = _engine.graph_from_rows(offsets, targets, values, called, directed)
    return Graph(held, labels)


def _refuse_weights(graph, weight, where):
    """Raises the error that names the first edge of a NetworkX graph whose weight is no finite number."""
    for source, target, value in graph.edges(data=weight, default=1):
        place = f"{where}, edge {source!r} to {target!r}"
        if not np.isfinite(number(value, place)):
            raise refuse(f"the weight {value!r}", place, "a finite number")


def _names_of(nodes):
    """The engine's names, or, if these are neither all integers nor all texts, a list of labels."""
    kinds = {type(node) for node in nodes}
    try:
        if kinds == {int}:
            return _engine.integer_names(np.array(nodes, np.int64), "from_networkx"), None
        if kinds == {str}:
            texts = names(nodes, "from_networkx")
            return _engine.text_names(texts.bytes, texts.offsets, "from_networkx"), None
    except (OverflowError, ValueError):
        pass
    return None, nodes


def from_scipy(matrix: Any, *, weighted: bool = True, directed: bool = True, duplicates: Duplicates = "sum",
               self_loops: SelfLoops = "drop") -> Graph:
    """A graph of a square sparse matrix or array: entry (i, j) is an edge from i to j, with its value as weight.

    `directed` is True by default, as in scipy.sparse.csgraph. `duplicates` is about entries at the same position, which
    are added by default, as scipy does; `read` takes the smallest of them when it reads an .npz file. If `directed` is
    False, entries (i, j) and (j, i) are one edge, with the smaller of their values, as in csgraph; "refuse" refuses
    them if they differ. So the matrix of `to_scipy` has the same edges and weights again. Raises TypeError for anything
    else than a sparse matrix or array with two dimensions.

    >>> import scipy.sparse, tessera as ts
    >>> ts.from_scipy(scipy.sparse.csr_array([[0, 2.5], [2.5, 0]]), directed=False).to_pandas().values.tolist()
    [[0.0, 1.0, 2.5]]
    """
    where = "from_scipy"
    _check_rules(directed, duplicates, self_loops)
    _check_flag("weighted", weighted)
    if not hasattr(matrix, "tocoo"):
        raise TypeError(f"{where}: a {type(matrix).__name__}, expected a sparse matrix or array of scipy")
    if len(matrix.shape) != 2:
        raise TypeError(f"{where}: an array of {len(matrix.shape)} dimensions, expected two")
    coo = matrix.tocoo()
    if coo.shape[0] != coo.shape[1]:
        raise refuse(f"a matrix of {coo.shape[0]} x {coo.shape[1]}", where, "a square one")
    values = weights(coo.data, f"{where}, values") if weighted else None
    held = _engine.graph_from_ends(coo.shape[0], _numbers(coo.row, f"{where}, rows"),
                                   _numbers(coo.col, f"{where}, columns"), values, None, True, duplicates, self_loops)
    return Graph(held if directed else _without_directions(held, duplicates == "refuse", where))


def _without_directions(held, alike, where):
    """The undirected graph, with the smaller weight of both directions; if they must be `alike`, with that of both."""
    sources = np.repeat(np.arange(held.vertices, dtype=np.uint32), np.diff(held.offsets()).astype(np.int64))
    targets, values = held.targets(), held.weights() if held.weighted else None
    if alike and values is not None:
        width = np.uint64(held.vertices)
        there, back = sources * width + targets, targets * width + sources
        _, one, other = np.intersect1d(there, back, assume_unique=True, return_indices=True)
        if (differ := values[one] != values[other]).any():
            row = int(np.argmax(differ))
            u, v = sources[one[row]], targets[one[row]]
            raise refuse(f"{values[one[row]]} at ({u}, {v}) and {values[other[row]]} at ({v}, {u})", where,
                         "one weight for both directions")
    return _engine.graph_from_ends(held.vertices, sources, targets, values, None, False, "smallest", "keep")


def _file(path) -> str:
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(f"no file {name}")
    return name


def read(path: Path, *, directed: bool | None = None, duplicates: Duplicates | None = None,
         self_loops: SelfLoops | None = None) -> Graph:
    """A graph of a file: .tgr (mapped), .mtx, .el, .wel, .gr, METIS, scipy's .npz, or a table with a header.

    What is not given is as the file says (docs/use/graphs.md): a table and an edge list are directed. Raises ValueError
    with the line of what is wrong, FileNotFoundError.
    """
    _check_rules(False if directed is None else directed, duplicates or "smallest", self_loops or "drop")
    with doing(f"read {path}"):
        return Graph(_engine.read(_file(path), None, None, None, directed, duplicates, self_loops, False))


def read_csv(path: Path, source: str | None = None, target: str | None = None, weight: str | None = None, *,
             directed: bool = False, duplicates: Duplicates = "smallest", self_loops: SelfLoops = "drop") -> Graph:
    """A graph of a table, .csv or .tsv, perhaps with .gz, with an edge in each row; by the threads of the engine.

    `source`, `target` and `weight` name columns. Without them: source, from, src or u; target, to, dst or v; weight or
    w; else the first two columns.

    >>> import tempfile, tessera as ts
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("from,to,km\\nDelft,Gouda,28\\nGouda,Utrecht,32\\n")
    ...     file.flush()
    ...     ts.read_csv(file.name, weight="km")
    <Graph: 3 vertices, 2 undirected weighted edges>
    """
    _check_rules(directed, duplicates, self_loops)
    _check_columns([name for name in (source, target, weight) if name is not None], "read_csv")
    with doing(f"read {path}"):
        return Graph(_engine.read(_file(path), source, target, weight, directed, duplicates, self_loops, False))


def generate(spec: str, *, weighted: bool = False) -> Graph:
    """A made graph: "kron:SCALE", "uniform:SCALE" or "grid:WxH", as for the programs; weights are from 1 to 255.

    >>> import tessera as ts
    >>> ts.generate("grid:3x2")
    <Graph: 6 vertices, 7 undirected edges>
    """
    _check_flag("weighted", weighted)
    if spec.partition(":")[0] not in ("kron", "uniform", "grid"):
        raise ValueError(f"{spec!r}, expected kron:SCALE, uniform:SCALE or grid:WxH")
    with doing(f"generate {spec}"):
        return Graph(_engine.read(spec, None, None, None, None, None, None, weighted))


def read_parquet(path: Path, source: str = "source", target: str = "target", weight: str | None = None, *,
                 directed: bool = False, duplicates: Duplicates = "smallest", self_loops: SelfLoops = "drop") -> Graph:
    """A graph of a Parquet file with an edge in each row. Only the named columns are read. Needs pyarrow."""
    from pyarrow import ArrowException, parquet

    wanted = [source, target, *(() if weight is None else (weight,))]
    _check_columns(wanted, "read_parquet")
    path = _file(path)
    try:
        there = parquet.read_schema(path).names
        table = parquet.read_table(path, columns=[name for name in wanted if name in there])
    except (ArrowException, OSError) as problem:
        raise refuse(str(problem), path, "a Parquet file, as it was written") from None
    for name in wanted:
        if name not in there:
            raise refuse(f"no column {name!r}", path, f"one of {', '.join(map(repr, there))}")
    return from_arrow(table, source, target, weight, directed=directed, duplicates=duplicates, self_loops=self_loops)
