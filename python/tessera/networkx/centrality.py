"""centrality: the importance of vertices."""

import math
import sys

import networkx as nx
import numpy as np

from tessera import _engine


def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1.0e-6, nstart=None, weight="weight",
             dangling=None):
    rows = G._rows(weight)
    if rows.vertices == 0:
        return {}
    if not 0 <= alpha <= 1:
        raise NotImplementedError("alpha is no share of the rank")
    if rows.sums is not None:
        _refuse_weights_out_of_range(rows)
    vectors = []
    for given in (personalization, dangling, nstart):
        shares = None if given is None else rows.shares(given)
        if given is personalization is not None and shares.sum() == 0:
            raise ZeroDivisionError
        if shares is not None and not (shares.min() >= 0 and 0 < shares.sum() < math.inf):
            raise NotImplementedError("a vector has a negative number, or nothing else than 0")
        vectors.append(shares)
    restart, dangling, start = vectors
    scores, _, converged = _engine.general_pagerank(rows.form("sums", loops=True), alpha, tol, max_iter,
                                                    rows.sums is not None, restart, dangling, start)
    if not converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return rows.named(scores)


def _refuse_weights_out_of_range(rows):
    least, most = float(rows.sums.min()), float(rows.sums.max())
    if least < 0:
        raise NotImplementedError("a weight is negative")
    if least < sys.float_info.min:
        least = rows.sums.min(where=rows.sums > 0, initial=math.inf)
    if least < sys.float_info.min or math.isinf(most * rows.vertices):
        raise NotImplementedError("a sum of weights, or its reciprocal, may be above 1.8e308")


def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    rows = G._rows()
    n = rows.vertices
    if k is not None and k != n:
        # As NetworkX draws them from the list of vertices.
        sources = np.array(seed.sample(range(n), k), np.uint32)
        return rows.named(_engine.betweenness(rows.form(), sources, endpoints, normalized))
    scores = _engine.betweenness(rows.form(), np.arange(n, dtype=np.uint32), endpoints, False)
    ends = n if endpoints else n - 1
    if normalized and ends >= 2:
        # Half of the pairs of an undirected graph were counted. To the last bit as NetworkX does it.
        scores = (scores if G.is_directed() else 2 * scores) * (1 / (ends * (ends - 1)))
    return rows.named(scores)


def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    rows = G._rows()
    if u is None:
        chosen = np.arange(rows.vertices, dtype=np.uint32)
    else:
        number = rows.number(u)
        if number is None:
            raise nx.NodeNotFound(f"Source {u} is not in G")
        chosen = np.array([number], np.uint32)
    reached, distances, _ = _engine.distance_sums(rows.form(), chosen, u is not None, False)
    near = np.divide(reached, distances, out=np.zeros(len(reached)), where=distances > 0)
    if wf_improved and rows.vertices > 1:
        near *= reached / (rows.vertices - 1.0)
    return rows.named(near) if u is None else float(near[0])


def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    rows = G._rows()
    chosen = np.arange(rows.vertices, dtype=np.uint32)
    found = rows.named(_engine.distance_sums(rows.form(), chosen, False, False)[2], whole_zeros=True)
    # NetworkX makes its dict of a set of the vertices, which grows one by one.
    return {name: found[name] for name in set(iter(found))}
