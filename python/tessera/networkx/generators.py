"""generators: graphs that are made of tables and files as rows at once; NetworkX's dicts are made if somebody looks."""

import csv
import io
import re

import networkx as nx
import numpy as np

from tessera import _engine
from tessera.columns import Texts, names, weights
from tessera.graphs import _index_of
from tessera.networkx.graphs import DiGraph, Graph
from tessera.networkx.rows import Rows


def from_pandas_edgelist(df, source="source", target="target", edge_attr=None, create_using=None, edge_key=None):
    wanted = [source, target] if edge_attr is None else [source, target, edge_attr]
    return _from_frame(df[wanted].copy(), source, target, edge_attr, create_using is nx.DiGraph)


def read_edgelist(path, comments="#", delimiter=None, create_using=None, nodetype=None, data=True, edgetype=None,
                  encoding="utf-8"):
    """`path` is an open file, by NetworkX's decorator, and is left where it was if it is not such a list."""
    import pandas

    columns = ["source", "target"] if data in (True, False) else ["source", "target", data[0][0]]
    begin = path.tell()
    content = path.read()
    try:
        # Elsewhere what parts words and lines is not the same for both.
        if re.search(rb"[^\t\n -~]", content):
            raise ValueError("it is not plain text")
        frame = pandas.read_csv(io.BytesIO(content), sep=r"\s+", header=None, comment=comments, quoting=csv.QUOTE_NONE,
                                dtype=str, na_filter=False)
        if frame.shape[1] != len(columns) or (frame[len(columns) - 1] == "").any() or frame.isna().any(axis=None):
            raise ValueError(f"a line has not {len(columns)} words")
        frame.columns = columns
        kinds = [np.int64 if nodetype is int else str] * 2 + [np.float64] * (len(columns) - 2)
        frame = frame.astype(dict(zip(columns, kinds, strict=True)))
        return _from_frame(frame, "source", "target", columns[2] if len(columns) == 3 else None,
                           create_using is nx.DiGraph)
    except (NotImplementedError, OverflowError, ValueError) as problem:
        path.seek(begin)
        raise NotImplementedError(f"the file is not a list of edges for the engine: {problem}") from None


def read_weighted_edgelist(path, comments="#", delimiter=None, create_using=None, nodetype=None, encoding="utf-8"):
    return nx.read_edgelist(path, comments, delimiter, create_using, nodetype, (("weight", float),), encoding=encoding,
                            backend="tessera")


def _from_frame(frame, source, target, attribute, directed):
    """The graph of a frame that nobody else changes."""
    where = "a table of edges"
    try:
        from_names, to_names = names(frame[source], where), names(frame[target], where)
        values = None if attribute is None else weights(frame[attribute], where)
        if isinstance(from_names, Texts) != isinstance(to_names, Texts):
            raise ValueError(f"{where}: one end is an integer and the other a text")
    except ValueError as problem:
        raise NotImplementedError(f"the table is not one of the engine: {problem}") from None
    if isinstance(from_names, Texts):
        ends = _engine.encode_texts(from_names.bytes, from_names.offsets, to_names.bytes, to_names.offsets, where)
    else:
        ends = _engine.encode_integers(from_names, to_names, where)
    sources, targets, called = ends
    held = _engine.graph_from_ends(len(called), sources, targets, values, None, directed, "last", "keep")
    made = Rows(held.offsets(), held.targets(), lambda: _in_order(sources, targets),
                None if values is None else held.weights(), None, directed=directed,
                integers=values is None or frame[attribute].dtype.kind in "iu", self_loops=held.self_loops,
                names=lambda: _index_of(called, None, len(called)).tolist())
    base = nx.DiGraph if directed else nx.Graph

    def dicts():
        return nx.from_pandas_edgelist(frame, source, target, attribute, create_using=base, backend="networkx")

    return (DiGraph if directed else Graph)._later(dicts, rows={None: made.plain(), attribute: made})


def _in_order(sources, targets):
    """The targets of each source in the order in which they first come."""
    pairs = sources.astype(np.uint64) << np.uint64(32) | targets
    first = np.sort(np.unique(pairs, return_index=True)[1])
    return targets[first][np.argsort(sources[first], kind="stable")]
