"""paths: lengths of shortest paths from a vertex, or to one."""

import math

import networkx as nx
import numpy as np

from tessera import _engine
from tessera.networkx.rows import UNREACHED


def _edges_to(rows, given, start, cutoff, *, reverse=False):
    distances = _engine.bfs(rows.form(reverse=reverse), np.array([start], np.uint32))[0]
    reached = np.flatnonzero(distances != UNREACHED)
    lengths = distances[reached]
    if cutoff is not None:
        # NetworkX goes one edge further as long as it has gone less than `cutoff` edges.
        near = (lengths == 0) | (lengths - 1.0 < cutoff)
        reached, lengths = reached[near], lengths[near]
    order = np.argsort(lengths, kind="stable")
    return dict(zip(rows.chosen(reached[order], given, start), lengths[order].tolist()))


def single_source_shortest_path_length(G, source, cutoff=None):
    rows = G._rows()
    start = rows.number(source)
    if start is None:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    return _edges_to(rows, source, start, cutoff)


def single_target_shortest_path_length(G, target, cutoff=None):
    rows = G._rows()
    start = rows.number(target)
    if start is None:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return _edges_to(rows, target, start, cutoff, reverse=True)


def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    hash(source)  # NetworkX puts it into a set first
    rows = G._rows(weight)
    start = rows.number(source)
    if start is None:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    if rows.least is not None and len(rows.least):
        if rows.least.min() < 0:
            raise NotImplementedError("a weight is negative")
        if rows.rounded:
            raise NotImplementedError("NetworkX adds weights of other types than int and float by their own rules")
        if rows.integers and rows.least.max() * rows.vertices > 2**53:
            raise NotImplementedError("a path may be longer than 2^53")
        if math.isinf(float(rows.least.max()) * rows.vertices):
            raise NotImplementedError("a path may be longer than any finite number")
    distances = _engine.sssp(rows.form("least"), np.array([start], np.uint32), 0.0, False)[0]
    near = np.isfinite(distances)
    if cutoff is not None:
        near &= ~(distances > cutoff)
    near[start] = True
    reached = np.flatnonzero(near)
    lengths = distances[reached]
    order = np.argsort(lengths, kind="stable")
    lengths = lengths[order].astype(np.int64) if rows.integers else lengths[order]
    found = dict(zip(rows.chosen(reached[order], source, start), lengths.tolist()))
    found[source] = 0  # an integer, whatever the weights are
    return found


def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    if weight is None:
        return single_source_shortest_path_length(G, source)
    return single_source_dijkstra_path_length(G, source, weight=weight)
