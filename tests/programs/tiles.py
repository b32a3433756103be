"""tiles: programs give the same results on tiles of a simulated machine as on places of one tile.

Runs each program by the fabric tile on three tiles of a machine, and by smp without time, and compares what they print,
but for what speaks of time and of the fabric.
Usage: tiles.py TESS_MACHINE FOLDER [--machine NAME]... [--words WAY]... [PROGRAM...]; FOLDER has the cross-compiled
programs; those of the table below are run if none is named, on nemesys-2x2 if no machine is, with words in each WAY
(TESS_WORDS).
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

PLACES = "3"
# Harts of a tile where it is not four: as many workers, on smp as well.
HARTS = {"rae-6": "1"}
SECONDS_MAX = 300
# Small: a simulated second of twelve harts takes minutes.
PROGRAMS = {
    "hello": [],
    "bfs": ["kron:6"],
    "bc": ["kron:8,4", "--sources", "1", "--form", "words"],
    "closeness": ["kron:6", "--sources", "3"],
    "components": ["uniform:6,4", "--output", "-"],
    "core-numbers": ["kron:6", "--output", "-"],
    "gups": ["--log2-words", "9", "--updates", "2000"],
    "imsuite-dst": ["--size", "14"],
    "pagerank": ["uniform:8,4", "--iterations", "2", "--form", "words"],
    "scc": ["uniform:6,1"],
    "spanning-forest": ["kron:6"],
    "similarity": ["kron:5"],
    "sssp": ["uniform:8,4", "--form", "words"],
    "graph-copy": ["random", "--size", "60", "--trials", "1"],
    "circustent": ["-a", "-m", "4096", "-i", "40", "-s", "3"],
    "walks": ["kron:5", "--length", "4", "--walks", "1", "-q", "2"],
    "histogram": ["--form", "words", "--words", "64", "--numbers", "300"],
}
# Lines with numbers of time, and of the requested fabric; the words around them are compared.
OF_TIME = re.compile(
    r"^(time|operations|atomics|Timing .*|Giga AMOs.*):|; loaded in|^(message_passing|pegasus|nemesys) "
)
NUMBER = re.compile(r"[\d.]+")
# Depends on which of several updates of a word comes first.
OF_ORDER = re.compile(r"\d+ steps")


def result_of(machine: str, grid: str, fabric: str, words: str, command: list[str]) -> str:
    """The result that a run prints; a failed run is an exception."""
    environment = os.environ | {
        "TESS_FABRIC": fabric,
        "TESS_PLACES": PLACES,
        "TESS_WORKERS": HARTS.get(grid, "4"),
        "TESS_WORDS": words,
    }
    options = ["--machine", "single-tile", "--timing", "off"]
    if fabric == "tile":
        options = ["--machine", grid, "--copies", PLACES]
    done = subprocess.run(
        [machine, "--quiet", *options, "--", *command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{fabric}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    said = OF_ORDER.sub("# steps", done.stdout)
    lines = [NUMBER.sub("#", line) if OF_TIME.search(line) else line for line in said.splitlines()]
    # Widths of columns are those of the numbers.
    return "\n".join(" ".join(line.split()) for line in lines if not line.startswith(("operations:", "atomics:")))


def compare(machine: str, grid: str, ways: list[str], command: list[str]) -> int:
    """The number of programs whose results on tiles and on smp differ."""
    failed = 0
    name = Path(command[0]).name
    expected = ""
    for words in ways:
        what = f"{name} on {grid}" + (f", words by {words}" if words else "")
        try:
            expected = expected or result_of(machine, grid, "smp", "", command)
            found = result_of(machine, grid, "tile", words, command)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{what}: {error}")
            failed += 1
            continue
        same = found == expected and expected
        print(f"{what}: the same" if same else f"{what}: on smp\n{expected}\non tiles\n{found}")
        failed += not same
    return failed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tess_machine")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--machine", action="append")
    parser.add_argument("--words", action="append")
    parser.add_argument("programs", nargs="*")
    given = parser.parse_intermixed_args()
    failed = 0
    for name in given.programs or PROGRAMS:
        for grid in given.machine or ["nemesys-2x2"]:
            command = [str(given.folder / name), *PROGRAMS[name]]
            failed += compare(given.tess_machine, grid, given.words or [""], command)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
