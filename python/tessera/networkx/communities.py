"""communities: partitions of high modularity, and the modularity of any."""

import numpy as np

from tessera import _engine


def louvain_communities(G, weight="weight", resolution=1, threshold=0.0000001, max_level=None, seed=None):
    rows = G._rows(weight)
    names = rows.all_names()
    if len(rows.targets) == 0:
        return [{name} for name in names]
    if rows.self_loops or (rows.sums is not None and rows.sums.min() < 0):
        raise NotImplementedError("there are self-loops or negative weights")
    labels = _engine.louvain(rows.form("sums"), resolution, seed.getrandbits(63), rows.sums is not None)
    return _sets(names, labels)


def asyn_lpa_communities(G, weight=None, seed=None):
    rows = G._rows(weight)
    if rows.sums is not None and rows.sums.min() < 0:
        raise NotImplementedError("there are negative weights")
    labels = _engine.label_propagation(rows.form("sums"), seed.getrandbits(63), rows.sums is not None)
    return iter(_sets(rows.all_names(), labels))


def _sets(names, labels):
    """Sets of the names with the same label, in the order of their first ones."""
    parts = {}
    for name, label in zip(names, labels.tolist()):
        parts.setdefault(label, set()).add(name)
    return list(parts.values())


def modularity(G, communities, weight="weight", resolution=1):
    rows = G._rows(weight)
    if rows.rounded:
        raise NotImplementedError("NetworkX adds weights of other types than int and float by their own rules")
    communities = communities if isinstance(communities, list) else list(communities)
    number = {name: i for i, name in enumerate(rows.all_names())}
    labels = np.full(rows.vertices, -1, np.int64)
    for label, community in enumerate(communities):
        members = [number[name] for name in community if name in number]
        labels[members] = label
    if (labels < 0).any() or sum(map(len, communities)) != rows.vertices:
        from networkx.algorithms.community.quality import NotAPartition

        raise NotAPartition(G, communities)
    sources, targets = rows.sources(), rows.targets
    weights = rows.sums if rows.sums is not None else np.ones(len(targets))
    inside = weights * (labels[sources] == labels[targets])
    out_weights = np.bincount(labels[sources], weights, len(communities))
    if rows.directed:
        in_weights = np.bincount(labels[targets], weights, len(communities))
        total = float(weights.sum())
    else:
        # An undirected edge has two entries, a self-loop one.
        loops = sources == targets
        out_weights = in_weights = out_weights + np.bincount(labels[sources[loops]], weights[loops], len(communities))
        inside = inside * np.where(loops, 1.0, 0.5)
        total = float(out_weights.sum()) / 2
    norm = 1 / (total if rows.directed else 2 * total) ** 2
    return float((inside.sum() / total) - resolution * norm * (out_weights * in_weights).sum())
