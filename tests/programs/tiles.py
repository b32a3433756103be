"""tiles: programs give the same results on tiles of a simulated machine as on places of one tile.

Runs each program by the fabric tile on a machine that has three tiles for programs, and by smp without time, and
compares what they print, but for what speaks of time and of the fabric.
Usage: tiles.py TESS_MACHINE FOLDER [--machine NAME] [PROGRAM...]; FOLDER has the cross-compiled programs; those of the
table below are run if none is named.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

PLACES = "3"
SECONDS_MAX = 300
# Small: a simulated second of twelve harts takes minutes.
PROGRAMS = {
    "hello": [],
    "bfs": ["kron:6"],
    "bc": ["kron:8,4", "--sources", "1", "--form", "words"],
    "gups": ["--log2-words", "9", "--updates", "2000"],
    "imsuite-dst": ["--size", "14"],
    "pagerank": ["uniform:8,4", "--iterations", "2", "--form", "words"],
    "sssp": ["uniform:8,4", "--form", "words"],
    "graph-copy": ["random", "--size", "60", "--trials", "1"],
}
# Numbers of lines that speak of time, and of what the fabric was asked for; the words around them stay.
OF_TIME = re.compile(r"^(time|operations|atomics):|; loaded in|^(message_passing|pegasus|nemesys) ")
NUMBER = re.compile(r"[\d.]+")


def result_of(machine: str, options: list[str], fabric: str, command: list[str]) -> str:
    """What a run prints of its result; a run that fails is an exception."""
    environment = os.environ | {"TESS_FABRIC": fabric, "TESS_PLACES": PLACES, "TESS_WORKERS": "4"}
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
    lines = [NUMBER.sub("#", line) if OF_TIME.search(line) else line for line in done.stdout.splitlines()]
    # Widths of columns are those of the numbers.
    return "\n".join(" ".join(line.split()) for line in lines if not line.startswith(("operations:", "atomics:")))


def main(machine: str, folder: str, *names: str) -> int:
    failed = 0
    grid = "nemesys-2x2"
    if names[:1] == ("--machine",):
        grid, names = names[1], names[2:]
    for name in names or PROGRAMS:
        command = [str(Path(folder) / name), *PROGRAMS[name]]
        try:
            expected = result_of(machine, ["--machine", "single-tile", "--timing", "off"], "smp", command)
            found = result_of(machine, ["--machine", grid], "tile", command)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{name}: {error}")
            failed += 1
            continue
        if found == expected and expected:
            print(f"{name}: the same")
        else:
            print(f"{name}: on smp\n{expected}\non tiles\n{found}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
