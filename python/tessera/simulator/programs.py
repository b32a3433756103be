"""programs: the engine of a simulated machine: functions of tessera._engine, of which each runs a program there.

A graph goes there as a saved one, without names, and arrays come back by --output. So functions of tessera.algorithms
need not know where they run. A program is not asked to check its result: that would take most of the simulated work.
"""

from pathlib import Path

import numpy as np

from tessera import _engine
from tessera.simulator.runs import ProgramError

UNREACHED = 2**32 - 1


def _numbers(values):
    """Vertices and counts, -1 where there are none, as the engine has them."""
    return values.astype(np.uint32)


def _repeated(option, vertices) -> list[str]:
    return [word for vertex in vertices for word in (option, str(vertex))]


class SimulatedEngine:
    """Runs one program; `made` is its run, once it was made. `run` takes a program, its words, and options."""

    def __init__(self, run, folder: Path) -> None:
        self._run = run
        self._folder = folder
        self._places: list[str] = []
        self.made = None

    @staticmethod
    def names() -> str:
        """The functions there are."""
        hidden = ("names", "configure", "graph_from_ends")
        return ", ".join(name for name in vars(SimulatedEngine) if not name.startswith("_") and name not in hidden)

    def __getattr__(self, name: str):
        raise NotImplementedError(f"{name} has no program for simulated machines, expected one of {self.names()}")

    def configure(self, places: int, workers: int) -> None:
        self._places = ["--places", str(places), *(["--workers", str(workers)] if workers else [])]

    def _statistics(self, held, program: str, *words: str, output: Path | None = None) -> dict:
        """Runs a program on the graph; the values that it reported."""
        if self.made is not None:
            raise NotImplementedError("the function runs several programs, expected one algorithm")
        return self._finish(program, [self._saved(held), "--no-verify", *words], output)

    def _finish(self, program: str, words: list[str], output: Path | None) -> dict:
        self.made = self._run(program, [*words, *(["--output", str(output)] if output else [])], self._places)
        return self.made.statistics["runtime"]["result"]

    def _saved(self, held) -> str:
        """The file with the graph."""
        file = self._folder / "graph.tgr"
        weights = held.weights() if held.weighted else None
        rows = _engine.graph_from_rows(held.offsets(), held.targets(), weights, None, held.directed)
        # Rows of in-edges are made here rather than in simulated time.
        _engine.save(rows, str(file), held.directed)
        return str(file)

    def _arrays(self, held, program: str, *words: str):
        """The same; the columns of its output."""
        output = self._folder / "output.npz"
        self._statistics(held, program, *words, output=output)
        with np.load(output) as columns:
            return dict(columns)

    # These compute nothing.
    graph_from_ends = staticmethod(_engine.graph_from_ends)

    def bfs(self, held, sources):
        columns = self._arrays(held, "bfs", *_repeated("--source", sources), "--parents")
        return _numbers(columns["distance"]), _numbers(columns["parent"])

    def sssp(self, held, sources, delta, parents):
        words = [*(["--delta", repr(float(delta))] if delta else []), *(["--parents"] if parents else [])]
        columns = self._arrays(held, "sssp", *_repeated("--source", sources), *words)
        # Integers if all weights are; then -1 is a vertex that was not reached.
        distances = columns["distance"].astype(np.float64)
        return np.where(distances < 0, np.inf, distances), _numbers(columns["parent"]) if parents else None

    def pagerank(self, held, damping, tolerance, iterations, euclidean):
        if euclidean:
            raise NotImplementedError("norm: the program pagerank ends by the sum of changes")
        scores = self._arrays(held, "pagerank", "--damping", repr(float(damping)), "--tolerance",
                              repr(float(tolerance)), "--iterations", str(iterations))["score"]  # fmt: skip
        reported = self.made.statistics["runtime"]["result"]
        return scores, reported["iterations"], reported["change"]

    def general_pagerank(self, held, damping, tolerance, iterations, weighted, restart, dangling):
        words = ["--damping", repr(float(damping)), "--tolerance-per-vertex", repr(float(tolerance)),
                 "--iterations", str(iterations)]  # fmt: skip
        if weighted and held.weighted:
            words.append("--weighted")
        if restart is not None:
            file = self._folder / "restart.csv"
            file.write_text("".join(f"{v},{float(restart[v])!r}\n" for v in map(int, np.flatnonzero(restart))))
            words += ["--personalise", str(file)]
        if dangling is not None and (dangling == dangling[0]).all():
            words += ["--dangling", "uniform"]
        elif dangling is not None and (restart is None or not np.allclose(dangling / dangling.sum(),
                                                                          restart / restart.sum(), rtol=1e-15)):
            raise NotImplementedError("dangling: the program pagerank gives it to all vertices or as personalization")
        scores = self._arrays(held, "pagerank", *words)["score"]
        reported = self.made.statistics["runtime"]["result"]
        return scores, reported["iterations"], reported["change"] < tolerance * held.vertices

    def betweenness(self, held, sources, endpoints, normalised):
        if not len(sources):
            return np.zeros(held.vertices)
        ends = ["--endpoints"] if endpoints else []
        scores = self._arrays(held, "bc", *_repeated("--source", sources), *ends, "--normalise")["score"]
        # Shares of the pairs of vertices that could count for a vertex, each once if there are no directions.
        others = held.vertices if endpoints else held.vertices - 1
        pairs = others * (others - 1) / (1 if held.directed else 2)
        return scores if normalised or others < 2 else scores * pairs

    def distance_sums(self, held, chosen, to_chosen, weighted):
        if weighted and held.weighted:
            raise NotImplementedError("weighted: the program closeness counts edges")
        if not len(chosen):
            size = 0 if to_chosen else held.vertices
            return np.zeros(size, np.uint64), np.zeros(size), np.zeros(size)
        columns = self._arrays(held, "closeness", *_repeated("--vertex" if to_chosen else "--source", chosen))
        sums = [columns[name][chosen] if to_chosen else columns[name] for name in ("reached", "distances", "harmonic")]
        return sums[0].astype(np.uint64), sums[1], sums[2]

    def similarities(self, held, a, b, overlap):
        pairs, output = self._folder / "pairs.csv", self._folder / "similarity.csv"
        pairs.write_text("".join(f"{u},{v}\n" for u, v in zip(a, b, strict=True)))
        measure = "overlap" if overlap else "jaccard"
        self._statistics(held, "similarity", "--measure", measure, "--pairs", str(pairs), output=output)
        return np.loadtxt(output, delimiter=",", skiprows=1, usecols=2, ndmin=1)

    def random_walks(self, held, starts, length, seed, p, q, weighted):
        output = self._folder / "walks.csv"
        words = ["--length", str(length), "--walks", "1", "--seed", str(seed), "-p", repr(float(p)),
                 "-q", repr(float(q)), *(["--weighted"] if weighted and held.weighted else [])]  # fmt: skip
        self._statistics(held, "walks", *_repeated("--source", starts), *words, output=output)
        walks = np.full((len(starts), length + 1), UNREACHED, np.uint32)
        for row, line in zip(walks, output.read_text().splitlines(), strict=True):
            steps = np.array(line.split(","), np.uint32)
            row[:len(steps)] = steps
        return walks.ravel()

    def triangles(self, held):
        return self._statistics(held, "triangles")["triangles"]

    def clustering(self, held):
        columns = self._arrays(held, "clustering")
        return columns["triangles"].astype(np.uint64), columns["coefficient"]

    def transitivity(self, held):
        return self._statistics(held, "clustering")["transitivity"]

    def components(self, held):
        return _numbers(self._arrays(held, "components")["component"])

    def strong_components(self, held):
        return _numbers(self._arrays(held, "scc")["component"])

    def core_numbers(self, held):
        return _numbers(self._arrays(held, "core-numbers")["core"])

    def independent_set(self, held, seed):
        return self._arrays(held, "independent-set", "--seed", str(seed))["member"].astype(np.uint8)

    def spanning_forest(self, held):
        columns = self._arrays(held, "spanning-forest")
        children = np.flatnonzero(columns["parent"] >= 0)
        ends = np.sort(np.stack([children, columns["parent"][children]]), axis=0)
        order = np.lexsort(ends[::-1])
        u, v = ends[:, order].astype(np.uint32)
        return u, v, columns["weight"][children][order]

    def two_colours(self, held):
        output = self._folder / "output.npz"
        reported = self._statistics(held, "bipartite", output=output)
        if not reported["bipartite"]:
            return np.zeros(0, np.uint8), tuple(reported["odd_edge"])
        with np.load(output) as columns:
            return columns["colour"].astype(np.uint8), None

    def topological_order(self, held):
        if not held.directed:
            raise ValueError("the graph is undirected, expected a directed one")
        try:
            columns = self._arrays(held, "topological-order")
        except ProgramError as failed:
            if failed.reported is None or "cycle" not in failed.reported:
                raise
            return np.zeros(0, np.uint32), np.zeros(0, np.uint32), np.array(failed.reported["cycle"], np.uint32)
        order = np.argsort(columns["position"]).astype(np.uint32)
        return _numbers(columns["generation"]), order, np.zeros(0, np.uint32)

    def assortativity(self, held, source_in, target_in):
        kinds = ["in" if one else "out" for one in (source_in, target_in)]
        found = self._statistics(held, "assortativity", "--source-degree", kinds[0], "--target-degree", kinds[1])
        return float("nan") if found["assortativity"] is None else found["assortativity"]

    def louvain(self, held, resolution, seed, weighted):
        words = ["--resolution", repr(float(resolution)), "--seed", str(seed)]
        words += ["--weighted"] if weighted and held.weighted else []
        return _numbers(self._arrays(held, "communities", *words)["community"])

    def label_propagation(self, held, seed, weighted):
        words = ["--method", "labels", "--seed", str(seed), *(["--weighted"] if weighted and held.weighted else [])]
        return _numbers(self._arrays(held, "communities", *words)["community"])


class Planned(Exception):
    """What a function would run: a `program`, its `words`, and `options` of `tess run`."""

    def __init__(self, program: str, words: list[str], options: list[str]) -> None:
        super().__init__(program)
        self.program, self.words, self.options = program, words, options


class PlanningEngine(SimulatedEngine):
    """Runs nothing: the first algorithm ends the function with Planned. Files of the words are in the folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(None, folder)

    def _finish(self, program, words, output):
        raise Planned(program, words, self._places)
