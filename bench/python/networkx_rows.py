"""networkx_rows: NetworkX with and without the backend, on graphs of 10 to 10^6 edges, in turn, in one run.

Usage: ./tess bench python --only networkx [--edges N] [--rounds N] [--json FILE]

Two processes have the same graphs: one does not see the package, in the other NETWORKX_BACKEND_PRIORITY is tessera,
and nothing else is changed. They take turns, call by call; a time is the fastest of the rounds, and for short calls the
mean of many. The graph is converted in every call. With a table a call begins with a DataFrame: it makes the graph and
does the work. Results are compared: distances, scores, numbers of components, cores, triangles; for Louvain's method
the modularities are printed. A ratio is NetworkX's time over ours. With any backend the dispatcher of NetworkX takes
some microseconds for each call.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

WORKS = {
    "betweenness": lambda nx, G: nx.betweenness_centrality(G, k=min(10, len(G)), seed=1),
    "bfs": lambda nx, G: nx.single_source_shortest_path_length(G, 0),
    "pagerank": lambda nx, G: nx.pagerank(G),
    "components": lambda nx, G: nx.number_connected_components(G),
    "triangles": lambda nx, G: nx.triangles(G),
    "cores": lambda nx, G: nx.core_number(G),
    "louvain": lambda nx, G: nx.community.louvain_communities(G),
}
# Those in which making the graph takes longer than the work.
WITH_TABLES = ("bfs", "pagerank", "components")


def ends_of(edges):
    """Different edges between different vertices, as Graph500 draws them; vertex 0 has the most."""
    import edges as graphs
    import numpy as np

    scale = max(3, (edges // 8).bit_length())
    drawn = graphs.kron(scale, seed=1).astype(np.int64)
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    _, first = np.unique(low[low != high] << 32 | high[low != high], return_index=True)
    chosen = drawn[:, low != high][:, np.sort(first)[:edges]]
    degrees = np.bincount(chosen.ravel())
    names = np.empty(len(degrees), np.int64)
    names[np.argsort(-degrees, kind="stable")] = np.arange(len(degrees))
    return names[chosen]


def serve():
    """Reads lines "EDGES WORK ROUNDS [table]", and answers each with seconds and a digest of the result."""
    import networkx as nx
    import numpy as np
    import pandas

    nx.config.warnings_to_ignore.add("cache")
    graphs, tables = {}, {}
    for line in sys.stdin:
        edges, work, rounds, *rest = line.split()
        edges, call = int(edges), WORKS[work]
        if edges not in graphs:
            ends = ends_of(edges)
            tables[edges] = pandas.DataFrame({"source": ends[0], "target": ends[1]})
            graphs[edges] = nx.from_pandas_edgelist(tables[edges], backend="networkx")
        graph = graphs[edges]

        def run():
            if not rest:
                return call(nx, graph)
            return call(nx, nx.from_pandas_edgelist(tables[edges]))

        best = float("inf")
        for _ in range(int(rounds)):
            taken, calls = 0.0, 0
            while taken < 0.02:
                graph.__networkx_cache__.clear()
                begin = time.perf_counter()
                result = run()
                taken, calls = taken + time.perf_counter() - begin, calls + 1
            best = min(best, taken / calls)
        if work == "louvain":
            digest = nx.community.modularity(graph, result)
        elif isinstance(result, dict):
            digest = float(np.dot([result.get(v, -1) for v in graph], np.sin(np.arange(len(graph)))))
        else:
            digest = result
        print(json.dumps({"seconds": best, "digest": digest}), flush=True)


class Process:
    """A NetworkX that answers; with the backend or without it."""

    def __init__(self, folder, backend):
        environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent)}
        if backend:
            environment["PYTHONPATH"] += os.pathsep + folder
            environment |= {"NETWORKX_BACKEND_PRIORITY": "tessera", "NETWORKX_BACKEND_PRIORITY_GENERATORS": "tessera"}
        self._process = subprocess.Popen([sys.executable, __file__, "--serve"], env=environment, text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *words):
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"the process of NetworkX ended with {self._process.wait()}")
        return json.loads(answer)

    def end(self):
        self._process.stdin.close()
        self._process.wait()


def compare(edges, rounds):
    """A row for each work and size."""
    import tessera

    folder = str(pathlib.Path(tessera.__file__).parents[1])
    both = {"NetworkX": Process(folder, False), "tessera": Process(folder, True)}
    sizes = [10**power for power in range(1, 8) if 10**power < edges] + [edges]
    rows = []
    for work in WORKS:
        tables = [(edges, "table")] if work in WITH_TABLES else []
        for size, *table in [*((size,) for size in sizes), *tables]:
            times = rounds if size < edges else 1
            answers = {name: process.ask(size, work, times, *table) for name, process in both.items()}
            for name in both if size < edges else ["tessera"]:
                again = both[name].ask(size, work, rounds, *table)
                answers[name]["seconds"] = min(answers[name]["seconds"], again["seconds"])
            row = {"graph": f"{size} edges{' of a table' if table else ''}", "work": work,
                   "seconds": {name: answer["seconds"] for name, answer in answers.items()}}
            digests = [answer["digest"] for answer in answers.values()]
            if work == "louvain":
                row["modularity"] = dict(zip(answers, digests))
            else:
                assert abs(digests[0] - digests[1]) <= 1e-4 * max(1, abs(digests[0])), (row, digests)
            rows.append(row)
            ours, theirs = row["seconds"]["tessera"], row["seconds"]["NetworkX"]
            notes = "  modularity " + ", ".join(f"{m:.4f}" for m in digests) if work == "louvain" else ""
            print(f"{row['graph']:24} {work:12} tessera {ours:.6f} s  NetworkX {theirs:.6f} s ({theirs / ours:.2f})"
                  f"{notes}", flush=True)
    for process in both.values():
        process.end()
    return rows


if __name__ == "__main__":
    serve()
