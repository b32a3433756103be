"""equal_results: a program's result must not depend on how many places and workers it has, or on the fabric.

Runs every program in every configuration and compares the `result` of its statistics with the first one's: integers
and text exactly, floating-point numbers within 1e-9.
Usage: equal_results.py PROGRAMS DATA [--large] [--few N] [--seed N].
"""

import argparse
import dataclasses
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PLACES = (1, 2, 3, 4, 7, 16)
WORKERS = (1, 2, 4)
TOLERANCE = 1e-9
SECONDS_MAX = 300
GRAPH_PROGRAMS = ("bfs", "pagerank", "components", "sssp", "bc")
# Have a form in words, too, with the same result. The scores of pagerank's differ by the rounding of other sums, which
# changes the order of equal ones: each form is a case, and is verified.
GRAPH_WORDS = ("bfs", "sssp", "bc")


@dataclasses.dataclass(frozen=True)
class Case:
    """A command and the fabrics on which it must give one result."""

    words: tuple[str, ...]
    fabrics: tuple[str, ...] = ("smp", "hostile")
    places: tuple[int, ...] = PLACES
    workers: tuple[int, ...] = WORKERS
    known: tuple[tuple[str, object], ...] = ()  # parts of the result
    variants: tuple[tuple[str, ...], ...] = ((),)  # more words, which must not change the result either
    latencies: tuple[tuple[tuple[str, str], ...], ...] = ((),)  # settings of the latency of other places


WORDS, MESSAGES = ("--form", "words"), ("--form", "messages")
FORMS = (WORDS, MESSAGES)
WORDS_PLACES = (1, 2, 4, 7)
MATRICES = ("permute", "transpose")
IMSUITE = (
    ("bf", ("--size", "12")),
    ("bf", ("--size", "9", "--graph", "rn", "--seed", "4")),
    ("dst", ("--size", "12", "--graph", "spmax")),
    ("by", ("--size", "17")),
    ("dr", ("--size", "9", "--weights", "random")),
    ("ds", ("--size", "12")),
    ("kc", ("--size", "11", "--committee", "4", "--graph", "spmax")),
    ("dp", ("--size", "10")),
    ("hs", ("--size", "11")),
    ("lcr", ("--size", "12")),
    ("mis", ("--size", "16")),
    ("mst", ("--size", "10", "--graph", "cplt")),
    ("vc", ("--size", "20")),
    ("vc", ("--size", "9", "--graph", "star")),
)
SLOW = ((), (("TESS_DELAY", "3us"),), (("TESS_NO_WINDOW", "1"),))
# Programs that remove, colour, compare or order vertices, and others with options.
PEELING = (
    ("core-numbers", "kron:9"),
    ("core-numbers", "grid:23x17"),
    ("scc", "uniform:9,1"),
    ("scc", "kron:8"),
    ("spanning-forest", "kron:8"),
    ("spanning-forest", "grid:23x17"),
    ("independent-set", "kron:9", "--seed", "7"),
    ("independent-set", "grid:23x17"),
    ("bipartite", "grid:23x17"),
    ("bipartite", "kron:8"),
    ("closeness", "kron:8"),
    ("closeness", "uniform:8,1", "--sources", "200"),
    ("closeness", "grid:23x17", "--vertex", "5", "--vertex", "300"),
    ("similarity", "kron:8"),
    ("similarity", "grid:23x17", "--measure", "overlap"),
    ("walks", "kron:8", "--length", "20", "--walks", "2"),
    ("walks", "uniform:8,2", "--weighted", "-p", "0.5", "-q", "3", "--length", "20"),
    ("bfs", "grid:23x17", "--source", "5", "--source", "300"),
    ("sssp", "kron:8", "--source", "5", "--source", "9", "--parents"),
    ("bc", "kron:7", "--sources", "9", "--seed", "4", "--endpoints", "--normalise"),
    ("assortativity", "kron:9"),
    ("assortativity", "grid:13x9", "--source-degree", "in"),
)
OBJECT_GRAPHS = (
    ("list", "--size", "1000", "--order", "shuffled"),
    ("tree", "--size", "1"),
    ("random", "--size", "300"),
    ("items", "--size", "500"),
    ("file", "--graph", "kron:7"),
)


def small_cases(data: Path) -> list[Case]:
    debian = str(data / "debian-12.mtx.gz")
    few = (1, 3, 16)
    late = {
        "fabrics": ("smp",),
        "places": (1, 2, 3, 7),
        "workers": (1, 2),
        "latencies": (
            (),
            (("TESS_DELAY", "3us"),),
            (("TESS_DELAY", "2us,5us"),),
            (("TESS_NO_WINDOW", "1"),),
            (("TESS_NO_WINDOW", "1"), ("TESS_DELAY", "3us")),
        ),
    }
    return [
        Case(("bfs", "kron:7"), variants=FORMS, **late),
        *(Case(("pagerank", "grid:9x7", *form), **late) for form in FORMS),
        Case(("components", "kron:7,2"), **late),
        Case(("gups", "--log2-words", "9", "--updates", "2000"), **late),
        Case(("sssp", "kron:7"), variants=FORMS, **late),
        Case(("bc", "kron:6", "--sources", "3"), variants=FORMS, **late),
        Case(("histogram", "--form", "messages", "--words", "777", "--numbers", "3001"), **late),
        # What data/README.md says of this graph.
        Case(("bfs", debian, "--source", "libc6"), ("smp",), known=(("reached", 49651),)),
        Case(("pagerank", debian), ("smp",), places=few),
        Case(("components", debian), ("smp",), places=few),
        Case(("bfs", "kron:9")),
        Case(("bfs", "kron:9", *WORDS), places=WORDS_PLACES, workers=(1, 2)),
        Case(("bfs", "kron:8", "--source", "3", "--source", "70"), places=few, variants=FORMS),
        Case(("sssp", "kron:8", "--source", "3", "--source", "70"), places=few, variants=FORMS),
        Case(("bfs", "grid:23x17", "--source", "100")),
        Case(("bfs", "grid:23x17", "--source", "100"), places=few, variants=FORMS),
        Case(("pagerank", "kron:8")),
        Case(("pagerank", "kron:8", "--weighted", "--personalise", "3", "--personalise", "9"), places=few),
        Case(("pagerank", debian, "--personalise", "libc6", "--tolerance-per-vertex", "1e-9"), ("smp",), places=few),
        Case(("pagerank", "kron:8", *WORDS), places=WORDS_PLACES, workers=(1, 2)),
        Case(("components", "kron:8,2")),
        Case(("components", "grid:13x9"), places=few),
        Case(("sssp", debian, "--source", "libc6"), ("smp",), places=few, known=(("reached", 49651),)),
        Case(("sssp", "kron:9")),
        Case(("sssp", "kron:9", *WORDS), places=WORDS_PLACES, workers=(1, 2)),
        Case(("sssp", "grid:23x17", "--source", "100", "--delta", "0.01"), places=few),
        Case(("sssp", "uniform:8,2,5", "--delta", "1000"), places=few),
        Case(("bc", debian), ("smp",), places=few),
        Case(("bc", "kron:8", "--sources", "9")),
        Case(("bc", "kron:8", "--sources", "9", *WORDS), places=WORDS_PLACES, workers=(1, 2)),
        Case(("bc", "grid:13x9", "--source", "5", "--source", "60"), places=few, variants=FORMS),
        # Each place count is another set of arrays.
        *(Case(("circustent", "-a", "-m", "4KiB", "-i", "60", "-s", "3"), places=(p,)) for p in (1, 2, 5)),
        Case(("gups", "--log2-words", "10", "--updates", "3000")),
        *(
            Case((program, "--form", form, "--words", "777", "--numbers", "3001"))
            for program in ("histogram", "index-gather")
            for form in ("words", "messages")
        ),
        Case(("random-permutation", "--size", "2000"), places=few, variants=FORMS),
        Case(("random-permutation", "--size", "1"), places=(1, 4), workers=(1,), variants=FORMS),
        Case(("permute", "kron:7"), places=few, variants=FORMS),
        Case(("transpose", "kron:7"), places=few, variants=FORMS),
        Case(("transpose", debian), ("smp",), places=few, variants=FORMS),
        Case(("topological-sort", "--size", "500", "--row-entries", "4"), places=few, variants=FORMS),
        Case(("topological-sort", "--size", "70", "--density", "1"), places=(1, 3), workers=(1, 2), variants=FORMS),
        Case(("topological-sort", "--size", "5000"), ("smp",), places=few, variants=FORMS),
        Case(("triangles", "kron:8"), places=few, variants=FORMS),
        Case(("triangles", "kron:11,16,3"), ("smp",), places=(1, 4), variants=FORMS),
        Case(("triangles", "grid:13x9"), places=(1, 4), variants=FORMS, known=(("triangles", 0),)),
        Case(("clustering", "kron:8"), places=few, workers=(1, 2)),
        Case(("clustering", debian), ("smp",), places=(1, 3), workers=(1, 2)),
        # Beyond 4096 vertices the places share the first levels.
        Case(("communities", "kron:13"), places=few, workers=(1, 2)),
        Case(("communities", "grid:90x70", "--weighted", "--resolution", "2"), places=few, workers=(1, 2)),
        Case(("communities", debian), ("smp",), places=few, workers=(1, 2)),
        Case(("communities", "kron:9", "--method", "labels"), places=few),
        *(Case(words, places=few, workers=(1, 2)) for words in PEELING),
        *(Case(words, ("smp",), (3,), (1,), latencies=SLOW) for words in PEELING),
        Case(("scc", debian), ("smp",), places=few),
        Case(("spanning-forest", debian), ("smp",), places=few),
        *(Case((f"imsuite-{kernel}", *words), places=(1, 3, 7), workers=(1, 2)) for kernel, words in IMSUITE),
        *(Case((f"imsuite-{kernel}", *words), ("smp",), (2,), (1,), latencies=SLOW) for kernel, words in IMSUITE),
        *(Case(("graph-copy", *words, "--trials", "1"), places=few) for words in OBJECT_GRAPHS),
    ]


def large_cases(data: Path) -> list[Case]:
    debian = str(data / "debian-12.mtx.gz")
    hostile = ("smp", "hostile")
    return [
        *(Case((program, debian), hostile, places=(1, 4, 7)) for program in GRAPH_PROGRAMS),
        *(Case((program, "kron:16"), ("smp",)) for program in GRAPH_PROGRAMS),
        *(Case((program, "grid:300x200"), ("smp",)) for program in GRAPH_PROGRAMS),
        *(Case((program, "uniform:12,4"), hostile) for program in GRAPH_PROGRAMS),
        *(Case((program, "kron:13"), ("smp",), places=(1, 4, 7), variants=FORMS) for program in GRAPH_WORDS),
        *(Case((program, debian), ("smp",), places=(1, 4), variants=FORMS) for program in GRAPH_WORDS),
        *(Case(("pagerank", graph, *WORDS), ("smp",), places=(1, 4, 7)) for graph in ("kron:13", debian)),
        *(
            Case((words[0], graph), ("smp",), places=(1, 2, 7))
            for words in PEELING[::2]
            for graph in (debian, "kron:16")
        ),
        Case(("gups", "--log2-words", "16")),
        *(Case((name, debian), hostile, places=(1, 4), variants=FORMS) for name in MATRICES),
        *(Case((name, "kron:16"), ("smp",), variants=FORMS) for name in MATRICES),
        *(Case(("triangles", graph), hostile, places=(1, 4), variants=FORMS) for graph in (debian, "kron:14")),
        Case(("topological-sort", "--size", "200000"), ("smp",), places=(1, 2, 7), variants=FORMS),
        Case(("random-permutation", "--size", "300000"), ("smp",), variants=FORMS),
    ]


@dataclasses.dataclass(frozen=True)
class Run:
    """One case in one configuration."""

    case: Case
    places: int
    workers: int
    fabric: str
    variant: tuple[str, ...]
    latency: tuple[tuple[str, str], ...]
    seed: int

    @property
    def settings(self) -> dict[str, str]:
        return {
            "TESS_PLACES": str(self.places),
            "TESS_WORKERS": str(self.workers),
            "TESS_FABRIC": self.fabric,
            "TESS_SEED": str(self.seed),
            **dict(self.latency),
        }

    def __str__(self) -> str:
        settings = (f"{name}={value}" for name, value in self.settings.items())
        return " ".join([*settings, *self.case.words, *self.variant])


def perform(run: Run, programs: Path) -> tuple[dict[str, object] | None, str]:
    """The result, or None and the error."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder) / "stats.json"
        command = [str(programs / run.case.words[0]), *run.case.words[1:], *run.variant]
        # TESS_SEED is also that of the programs, with which BY's 17 nodes may not decide.
        if command[0].rpartition("/")[2].startswith("imsuite-") and "--seed" not in command:
            command += ["--seed", "101"]
        try:
            done = subprocess.run(
                command,
                env={**os.environ, **run.settings, "TESS_STATS": str(stats)},
                capture_output=True,
                text=True,
                timeout=SECONDS_MAX,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None, f"did not end within {SECONDS_MAX} s"
        if done.returncode != 0:
            return None, f"exit code {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}"
        result = json.loads(stats.read_text())["result"]
    if result.get("verified") is not True:
        return None, "was not verified"
    return result, ""


def equal(a: object, b: object) -> bool:
    """Structures with the same shape, floating-point numbers within the tolerance."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=0)
    return type(a) is type(b) and a == b


def check(case: Case, programs: Path, seed: int, *, few: int) -> list[str]:
    """The errors of a case, one line each."""
    settings = itertools.product(case.places, case.workers, case.fabrics, case.variants, case.latencies)
    runs = [Run(case, *setting, seed) for setting in settings]
    if few:
        # An odd step meets every fabric, and the last is the largest.
        runs = [*runs[: -1 : len(runs) // few | 1], runs[-1]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda run: perform(run, programs), runs))
    errors = []
    first = next((result for result, _ in results if result is not None), None)
    for run, (result, problem) in zip(runs, results, strict=True):
        if result is None:
            errors.append(f"{run}: {problem}")
        elif any(result[name] != value for name, value in case.known):
            errors.append(f"{run}: {json.dumps(result)}\n  known: {dict(case.known)}")
        elif not equal(result, first):
            errors.append(f"{run}: {json.dumps(result)}\n  others: {json.dumps(first)}")
    return errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("programs", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--large", action="store_true", help="larger graphs")
    parser.add_argument("--few", type=int, default=0, metavar="N", help="about N configurations of each case, not all")
    parser.add_argument("--seed", type=int, default=1, help="of the hostile fabric")
    options = parser.parse_args()
    cases = large_cases(options.data) if options.large else small_cases(options.data)
    if options.few:
        # Such a build may leave some programs out.
        cases = [case for case in cases if (options.programs / case.words[0]).exists()]
    errors = []
    for case in cases:
        found = check(case, options.programs, options.seed, few=options.few)
        print(f"{'ok' if not found else 'FAILED'}: {' '.join(case.words)}", flush=True)
        errors += found
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
