"""processes_equal: every bundled program gives the same result on processes as on the threads of one process.

Each program of equal_results runs on smp and then, by Open MPI's mpirun, on 2 and 3 processes, with windows and
without, object graphs by each copier. The fast part takes one of these layouts per program in turn; `--full` takes all,
and TCP of the loopback device too. Usage: processes_equal.py PROGRAMS DATA LAUNCHER [--full].
"""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from equal_results import FORMS, IMSUITE, OBJECT_GRAPHS, PEELING, equal
from processes import command, result_of

WINDOWLESS = {"TESS_NO_WINDOW": "1"}
LOOPBACK = {**WINDOWLESS, "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
# The copiers differ most where blocks are messages, so the fast part has them without windows twice.
LAYOUTS: tuple[dict[str, str], ...] = (
    {"places": "2"},
    {"places": "3", **WINDOWLESS},
    {"places": "3"},
    {"places": "2", **WINDOWLESS},
)
FULL_LAYOUTS = (*LAYOUTS, {"places": "3", "TESS_WORKERS": "2"}, {"places": "2", **LOOPBACK})
COPIERS = ("nemesys", "pegasus", "message_passing")

GAP = (
    ("bfs", "kron:9"),
    ("bfs", "grid:23x17", "--source", "100"),
    ("pagerank", "kron:8"),
    ("pagerank", "kron:8", "--weighted", "--personalise", "3", "--dangling", "uniform"),
    ("components", "kron:8,2"),
    ("sssp", "kron:9"),
    ("bc", "kron:7", "--sources", "4"),
    ("triangles", "kron:8"),
    ("clustering", "kron:8"),
    ("communities", "kron:13"),
    ("communities", "kron:9", "--method", "labels"),
)
BALE = (
    ("gups", "--log2-words", "10", "--updates", "3000"),
    ("histogram", "--words", "777", "--numbers", "3001"),
    ("index-gather", "--words", "777", "--numbers", "3001"),
    ("random-permutation", "--size", "2000"),
    ("permute", "kron:7"),
    ("transpose", "kron:7"),
    ("topological-sort", "--size", "500", "--row-entries", "4"),
)
WITHOUT_FORMS = ("gups",)


def cases(data: Path) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Arguments of a program, and the copiers to run it with; an empty name if it copies no graph."""
    plain = [*GAP, *PEELING, *(words for words in BALE if words[0] in WITHOUT_FORMS)]
    plain += [(*words, *form) for words in BALE if words[0] not in WITHOUT_FORMS for form in FORMS]
    plain.append(("triangles", "kron:8", "--form", "messages"))
    plain.append(("bfs", str(data / "debian-12.mtx.gz"), "--source", "libc6"))
    graphs = [("graph-copy", *words, "--trials", "1") for words in OBJECT_GRAPHS]
    kernels = [(f"imsuite-{kernel}", *words) for kernel, words in IMSUITE]
    return [(words, ("",)) for words in plain + graphs] + [(words, COPIERS) for words in kernels]


def plan(data: Path, full: bool) -> list[tuple[tuple[str, ...], dict[str, str]]]:
    runs = []
    for words, copiers in cases(data):
        # In turn: neighbours in the list are the two forms of one program.
        turn = len(runs)
        layouts = FULL_LAYOUTS if full else (LAYOUTS[turn % len(LAYOUTS)],)
        chosen = copiers if full else (copiers[turn // len(LAYOUTS) % len(copiers)],)
        runs += [(words, {**layout, **({"TESS_COPIER": c} if c else {})}) for layout in layouts for c in chosen]
    return runs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("programs", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("launcher", help="Open MPI's mpirun")
    parser.add_argument("--full", action="store_true", help="every program in every layout")
    options = parser.parse_args()
    runs = plan(options.data, options.full)
    on_smp = {"TESS_PLACES": "2", "TESS_FABRIC": "smp", "places": "2"}
    words_of_all = list(dict.fromkeys(words for words, _ in runs))

    def one_process(words: tuple[str, ...]) -> dict[str, object] | str:
        return result_of([str(options.programs / words[0]), *words[1:]], on_smp)

    def processes(run: tuple[tuple[str, ...], dict[str, str]]) -> dict[str, object] | str:
        words, settings = run
        return result_of(command(options.launcher, int(settings["places"]), words, options.programs), settings)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        expected = dict(zip(words_of_all, pool.map(one_process, words_of_all), strict=True))
        found = list(pool.map(processes, runs))
    errors = []
    for (words, settings), result in zip(runs, found, strict=True):
        if isinstance(result, str) or result.get("verified") is not True or not equal(result, expected[words]):
            errors.append(f"{settings} {' '.join(words)}: {result}\n  smp: {expected[words]}")
    print("\n".join(errors) or f"ok: {len(runs)} runs of {len(words_of_all)} commands")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
