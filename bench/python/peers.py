"""peers: the algorithms of the package tessera beside NetworkX, NetworKit, igraph and scipy, in turn, in one run.

Usage: ./tess bench python [--only peers|networkx] [--scale N] [--grid SIDE] [--edges N] [--rounds N] [--threads N]
                           [--json FILE]

The rows of NetworkX come first: networkx_rows.py says how they are measured. For the others:

Each round calls ours and then each peer; a time is the median of the rounds, and a ratio the peer's time over ours.
Graphs are made before, in each library's own form. NetworKit and we have as many threads; igraph and scipy have one.
The numbers of components and the largest core are compared, and the modularities that Louvain's method finds are
printed, computed by one function. Triangles: NetworKit gives the coefficient of each vertex, by its fastest algorithm
for them, and igraph the transitivity. NetworKit draws its own sources of betweenness.
"""

import argparse
import functools
import json
import os
import statistics
import sys
import time

import networkx_rows
import numpy as np
from edges import grid, kron

import tessera as ts


def networkit_calls(g, source, chosen, threads):
    import networkit as nk

    nk.setNumberOfThreads(threads)
    matrix = g.to_scipy().tocoo()
    upper = matrix.row <= matrix.col
    n = nk.GraphFromCoo((np.ones(upper.sum()), (matrix.row[upper], matrix.col[upper])), n=len(g), directed=False)

    def run(algorithm):
        return algorithm.run()

    return {
        "bfs": lambda: run(nk.distance.BFS(n, source, storePaths=False)).getDistances(),
        "pagerank": lambda: run(nk.centrality.PageRank(n, damp=0.85, tol=1e-4)),
        "components": lambda: run(nk.components.ParallelConnectedComponents(n)).numberOfComponents(),
        "triangles": lambda: run(nk.centrality.LocalClusteringCoefficient(n, turbo=True)),
        "cores": lambda: int(run(nk.centrality.CoreDecomposition(n)).maxCoreNumber()),
        "louvain": lambda: run(nk.community.PLM(n)).getPartition().getVector(),
        "betweenness": lambda: run(nk.centrality.EstimateBetweenness(n, len(chosen), normalized=False, parallel=True)),
    }


def igraph_calls(g, source, chosen):
    import igraph

    matrix = g.to_scipy().tocoo()
    upper = matrix.row <= matrix.col
    n = igraph.Graph(n=len(g), edges=np.stack([matrix.row[upper], matrix.col[upper]], axis=1))
    return {
        "bfs": lambda: n.distances(source)[0],
        "pagerank": lambda: n.pagerank(),
        "components": lambda: len(n.connected_components("weak")),
        "triangles": lambda: n.transitivity_undirected(),
        "cores": lambda: max(n.coreness()),
        "louvain": lambda: n.community_multilevel().membership,
        "betweenness": lambda: n.betweenness(sources=list(map(int, chosen)), targets=None, directed=False),
    }


def scipy_calls(g, source):
    from scipy.sparse import csgraph

    matrix = g.to_scipy()
    return {
        "bfs": lambda: csgraph.breadth_first_order(matrix, source, directed=False, return_predecessors=False),
        "components": lambda: csgraph.connected_components(matrix, directed=False)[0],
    }


def our_calls(g, source, chosen):
    return {
        "bfs": lambda: ts.bfs(g, source),
        "pagerank": lambda: ts.pagerank(g, tolerance=1e-4, norm="l2"),
        "components": lambda: int(ts.components(g).max()) + 1,
        "triangles": lambda: ts.triangles(g),
        "cores": lambda: int(ts.core_numbers(g).max()),
        "louvain": lambda: ts.louvain(g),
        "betweenness": lambda: ts.betweenness(g, sources=chosen, normalized=False),
    }


def seconds(call):
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def compare(name, g, rounds, threads):
    """A row for each work: medians of ours and of the peers, in seconds."""
    degrees = np.diff(g.to_scipy().indptr)
    source = int(degrees.argmax())
    chosen = np.random.default_rng(1).choice(np.flatnonzero(degrees), 10, replace=False)
    peers = {"NetworKit": functools.partial(networkit_calls, g, source, chosen, threads),
             "igraph": functools.partial(igraph_calls, g, source, chosen),
             "scipy": functools.partial(scipy_calls, g, source)}  # fmt: skip
    calls = {"tessera": our_calls(g, source, chosen)}
    for peer, make in peers.items():
        try:
            calls[peer] = make()
        except ImportError as missing:
            print(f"left out: {missing}", file=sys.stderr)
    rows = []
    for work in calls["tessera"]:
        taken = {library: [] for library in calls if work in calls[library]}
        found = {}
        for _ in range(rounds):
            for library in taken:
                spent, found[library] = seconds(calls[library][work])
                taken[library].append(spent)
        row = {"graph": name, "work": work, "seconds": {k: statistics.median(v) for k, v in taken.items()}}
        if work in ("components", "cores"):
            assert len(set(found.values())) == 1, (work, found)
        if work == "louvain":
            row["modularity"] = {k: ts.modularity(g, np.asarray(v)) for k, v in found.items()}
        rows.append(row)
        show(row)
    return rows


def show(row):
    ours = row["seconds"]["tessera"]
    cells = [f"{library} {spent:.4f} s ({spent / ours:.2f})" for library, spent in row["seconds"].items()]
    notes = ", ".join(f"{k} {v:.4f}" for k, v in row.get("modularity", {}).items())
    if notes:
        cells.append(f"modularity: {notes}")
    print(f"{row['graph']:12} {row['work']:12} {'  '.join(cells)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Times the package tessera beside others.")
    parser.add_argument("--scale", type=int, default=20, help="of the Kronecker graph: 2^SCALE vertices")
    parser.add_argument("--grid", type=int, default=500, help="its side; a large one has too many paths")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=("peers", "networkx"), help="these rows only")
    parser.add_argument("--edges", type=int, default=10**6, help="of the largest graph of NetworkX")
    parser.add_argument("--json", help="write the rows to this file, too")
    words = parser.parse_args()
    ts.configure(1, words.threads)
    rows = []
    if words.only != "peers":
        rows += networkx_rows.compare(words.edges, words.rounds)
    graphs = ((f"kron:{words.scale}", kron(words.scale), 1 << words.scale),
              (f"grid:{words.grid}", grid(words.grid), words.grid**2))  # fmt: skip
    for name, ends, vertices in () if words.only == "networkx" else graphs:
        rows += compare(name, ts.from_edges(*ends, vertices=vertices), words.rounds, words.threads)
    if words.json:
        with open(words.json, "w", encoding="utf-8") as file:
            json.dump({"threads": words.threads, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
