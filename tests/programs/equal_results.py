"""equal_results: a program's result must not depend on how many places and workers it has, or on the fabric.

Runs every program in every configuration and compares the `result` of its statistics with the first one's: integers
and text exactly, floating-point numbers within 1e-9. Usage: equal_results.py PROGRAMS DATA [--large] [--seed N].
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


@dataclasses.dataclass(frozen=True)
class Case:
    """A command and the fabrics on which it must give one result."""

    words: tuple[str, ...]
    fabrics: tuple[str, ...] = ("smp", "hostile")
    places: tuple[int, ...] = PLACES
    workers: tuple[int, ...] = WORKERS
    known: tuple[tuple[str, object], ...] = ()  # parts of the result
    latencies: tuple[tuple[tuple[str, str], ...], ...] = ((),)  # settings of the latency of other places


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
        Case(("bfs", "kron:7"), **late),
        Case(("pagerank", "grid:9x7"), **late),
        Case(("components", "kron:7,2"), **late),
        Case(("gups", "--log2-words", "9", "--updates", "2000"), **late),
        # What data/README.md says of this graph.
        Case(("bfs", debian, "--source", "libc6"), ("smp",), known=(("reached", 49651),)),
        Case(("pagerank", debian), ("smp",), places=few),
        Case(("components", debian), ("smp",), places=few),
        Case(("bfs", "kron:9")),
        Case(("bfs", "grid:23x17", "--source", "100")),
        Case(("pagerank", "kron:8")),
        Case(("components", "kron:8,2")),
        Case(("components", "grid:13x9"), places=few),
        Case(("gups", "--log2-words", "10", "--updates", "3000")),
    ]


def large_cases(data: Path) -> list[Case]:
    debian = str(data / "debian-12.mtx.gz")
    hostile = ("smp", "hostile")
    return [
        *(Case((program, debian), hostile, places=(1, 4, 7)) for program in ("bfs", "pagerank", "components")),
        *(Case((program, "kron:16"), ("smp",)) for program in ("bfs", "pagerank", "components")),
        *(Case((program, "grid:300x200"), ("smp",)) for program in ("bfs", "pagerank", "components")),
        *(Case((program, "uniform:12,4"), hostile) for program in ("bfs", "pagerank", "components")),
        Case(("gups", "--log2-words", "16")),
    ]


@dataclasses.dataclass(frozen=True)
class Run:
    """One case in one configuration."""

    case: Case
    places: int
    workers: int
    fabric: str
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
        return " ".join([*(f"{name}={value}" for name, value in self.settings.items()), *self.case.words])


def perform(run: Run, programs: Path) -> tuple[dict[str, object] | None, str]:
    """The result, or None and what happened instead."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder) / "stats.json"
        command = [str(programs / run.case.words[0]), *run.case.words[1:]]
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


def check(case: Case, programs: Path, seed: int) -> list[str]:
    """What is wrong with a case, one line each."""
    settings = itertools.product(case.places, case.workers, case.fabrics, case.latencies)
    runs = [Run(case, *setting, seed) for setting in settings]
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
    parser.add_argument("--seed", type=int, default=1, help="of the hostile fabric")
    options = parser.parse_args()
    cases = large_cases(options.data) if options.large else small_cases(options.data)
    errors = []
    for case in cases:
        found = check(case, options.programs, options.seed)
        print(f"{'ok' if not found else 'FAILED'}: {' '.join(case.words)}", flush=True)
        errors += found
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
