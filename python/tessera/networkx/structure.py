"""structure: cores, triangles, colours, independent sets and the correlation of degrees."""

import networkx as nx
import numpy as np

from tessera import _engine

_IS_IN = {"in": True, "out": False}


def core_number(G):
    rows = G._rows()
    if rows.self_loops:
        raise nx.NetworkXNotImplemented("Input graph has self loops which is not permitted; "
                                        "Consider using G.remove_edges_from(nx.selfloop_edges(G)).")
    return rows.named(_engine.core_numbers(rows.form()))


def is_bipartite(G):
    rows = G._rows()
    return rows.self_loops == 0 and _engine.two_colours(rows.form())[1] is None


def triangles(G, nodes=None):
    rows = G._rows()
    return rows.named(_engine.clustering(rows.form())[0])


def clustering(G, nodes=None, weight=None):
    rows = G._rows()
    return rows.named(_engine.clustering(rows.form())[1], whole_zeros=True)


def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    coefficients = _engine.clustering(G._rows().form())[1].tolist()
    if not count_zeros:
        coefficients = [c for c in coefficients if c > 0]
    return sum(coefficients) / len(coefficients)


def transitivity(G):
    return _engine.transitivity(G._rows().form()) or 0


def degree_assortativity_coefficient(G, x="out", y="in", weight=None, nodes=None):
    ends = (_IS_IN[x], _IS_IN[y]) if G.is_directed() else (False, True)
    return _engine.assortativity(G._rows().form(loops=True), *ends)


def degree_pearson_correlation_coefficient(G, x="out", y="in", weight=None, nodes=None):
    if G.is_directed():
        _IS_IN[x], _IS_IN[y]  # noqa: B018 - other words are a KeyError
    if len(G._rows().targets) < 2:
        raise NotImplementedError("no correlation of less than two numbers, which scipy refuses in its own words")
    return degree_assortativity_coefficient(G, x, y)


def maximal_independent_set(G, nodes=None, seed=None):
    rows = G._rows()
    return rows.chosen(np.flatnonzero(_engine.independent_set(rows.form(), seed.getrandbits(63))))
