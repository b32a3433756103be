"""components: connected components, in the order of their first vertices, and strongly connected ones."""

import networkx as nx
import numpy as np

from tessera import _engine


def _sets(rows, labels):
    """The sets of vertices with the same label, in the order of labels."""
    by_label = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[by_label])) + 1
    names = rows.chosen(by_label)
    begin = 0
    for end in (*ends.tolist(), len(names)) if names else ():
        yield set(names[begin:end])
        begin = end


def _count(labels):
    return int(np.count_nonzero(labels == np.arange(len(labels), dtype=np.uint32)))


def connected_components(G):
    rows = G._rows()
    return _sets(rows, _engine.components(rows.form()))


def number_connected_components(G):
    return _count(_engine.components(G._rows().form()))


def is_connected(G):
    rows = G._rows()
    if rows.vertices == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return not _engine.components(rows.form()).any()


def node_connected_component(G, n):
    hash(n)  # NetworkX puts it into a set first
    rows = G._rows()
    number = rows.number(n)
    if number is None:
        raise KeyError(n)
    labels = _engine.components(rows.form())
    return set(rows.chosen(np.flatnonzero(labels == labels[number]), n, number))


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def strongly_connected_components(G):
    # The order is that of NetworkX, whose other functions rely on it: a component comes after those that it leads to.
    rows = G._rows()
    return _sets(rows, _engine.strong_components_as_left(rows.offsets, rows.as_added))


def number_strongly_connected_components(G):
    return _count(_engine.strong_components(G._rows().form()))


def is_strongly_connected(G):
    rows = G._rows()
    if rows.vertices == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return not _engine.strong_components(rows.form()).any()
