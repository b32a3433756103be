"""generators: graphs that are made of tables as rows at once; NetworkX's dicts are made if somebody looks at them."""

import networkx as nx
import numpy as np

from tessera import _engine
from tessera.columns import Texts, names, weights
from tessera.graphs import _index_of
from tessera.networkx.graphs import DiGraph, Graph
from tessera.networkx.rows import Rows


def from_pandas_edgelist(df, source="source", target="target", edge_attr=None, create_using=None, edge_key=None):
    where, directed = "from_pandas_edgelist", create_using is nx.DiGraph
    wanted = [source, target] if edge_attr is None else [source, target, edge_attr]
    try:
        from_names, to_names = names(df[source], where), names(df[target], where)
        values = None if edge_attr is None else weights(df[edge_attr], where)
    except (ValueError, KeyError) as problem:
        raise NotImplementedError(f"the table is not one of the engine: {problem}") from None
    if isinstance(from_names, Texts):
        ends = _engine.encode_texts(from_names.bytes, from_names.offsets, to_names.bytes, to_names.offsets, where)
    else:
        ends = _engine.encode_integers(from_names, to_names, where)
    sources, targets, called = ends
    held = _engine.graph_from_ends(len(called), sources, targets, values, None, directed, "last", "keep")
    whole = len(df) > 0 and edge_attr is not None and df[edge_attr].dtype.kind in "iu"
    made = Rows(held.offsets(), held.targets(), lambda: _in_order(sources, targets),
                None if values is None else held.weights(), None, directed=directed,
                integers=values is None or whole, self_loops=held.self_loops,
                names=lambda: _index_of(called, None, len(called)).tolist())
    kept = df[wanted].copy()
    base = nx.DiGraph if directed else nx.Graph

    def dicts():
        return nx.from_pandas_edgelist(kept, source, target, edge_attr, create_using=base, backend="networkx")

    return (DiGraph if directed else Graph)._later(dicts, rows={None: made.plain(), edge_attr: made})


def _in_order(sources, targets):
    """The targets of each source in the order in which they first come."""
    pairs = sources.astype(np.uint64) << np.uint64(32) | targets
    first = np.sort(np.unique(pairs, return_index=True)[1])
    return targets[first][np.argsort(sources[first], kind="stable")]
