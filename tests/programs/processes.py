"""processes: jobs whose places are processes give the results of one process.

Each program runs on the fabric ucx with 2 and 4 processes of this host, with and without windows, over shared memory
and over TCP of the loopback device, and its result is compared with that on smp. A place that computes for long is
served all the same. Usage: processes.py PROGRAMS LAUNCHER [--busy-place PROGRAM].
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from equal_results import equal

SECONDS_MAX = 120
PROGRAMS = (
    ("gups", "--log2-words", "9", "--updates", "2000"),
    ("bfs", "kron:8"),
    ("pagerank", "kron:7"),
    ("components", "kron:8,2"),
    ("histogram", "--form", "words", "--words", "777", "--numbers", "3001"),
    ("histogram", "--form", "messages", "--words", "777", "--numbers", "3001"),
)
LAYOUTS = (
    {"places": 2},
    {"places": 4},
    {"places": 2, "TESS_WORKERS": "2"},
    {"places": 2, "TESS_NO_WINDOW": "1"},
    {"places": 4, "TESS_NO_WINDOW": "1"},
    {"places": 2, "TESS_DELAY": "20us,20us"},
    {"places": 2, "TESS_NO_WINDOW": "1", "TESS_DELAY": "50us"},
    {"places": 2, "TESS_NO_WINDOW": "1", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"},
)
# Open MPI in containers: as root, and on fewer processors than processes.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def start_by(launcher: str, places: int) -> list[str]:
    """The launcher with its options."""
    if Path(launcher).name == "tess":
        return [launcher, "spawn", "-n", str(places), "--"]
    return [launcher, "--enable-recovery", "--quiet", "-n", str(places)]


def command(launcher: str, places: int, words: tuple[str, ...], programs: Path) -> list[str]:
    return [*start_by(launcher, places), str(programs / words[0]), *words[1:]]


def result_of(words: list[str], settings: dict[str, str]) -> dict[str, object] | str:
    """The result, or the error."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder) / "stats.json"
        # The exit code of the places: the launcher, told to survive a place that fails, would return 0.
        exit_file = Path(folder) / "code"
        environment = {**ENVIRONMENT, **settings, "TESS_STATS": str(stats), "TESS_EXIT_FILE": str(exit_file)}
        try:
            done = subprocess.run(
                words, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX, check=False
            )
        except subprocess.TimeoutExpired:
            return f"did not end within {SECONDS_MAX} s"
        code = exit_file.read_text().strip() if exit_file.exists() else "of no place"
        if done.returncode != 0 or code != "0":
            return f"exit code {done.returncode}, {code}\n{done.stdout[-500:]}{done.stderr[-1500:]}"
        report = json.loads(stats.read_text())
    places = int(settings.get("places", "1"))
    if len(report["by_place"]) != places:
        return f"statistics of {len(report['by_place'])} places"
    return report["result"]


def check_results(programs: Path, launcher: str) -> list[str]:
    errors = []
    for words in PROGRAMS:
        expected = result_of([str(programs / words[0]), *words[1:]], {"TESS_PLACES": "1", "TESS_FABRIC": "smp"})
        for layout in LAYOUTS:
            settings = {name: str(value) for name, value in layout.items()}
            found = result_of(command(launcher, int(settings["places"]), words, programs), settings)
            if isinstance(found, str) or not equal(found, expected):
                errors.append(f"{settings} {' '.join(words)}: {found}\n  smp: {expected}")
    return errors


def places_of(job: int) -> list[int]:
    """The processes whose job is this one's launcher, oldest first."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        state, parent = stat.rsplit(")", 1)[1].split()[:2]
        # A process that ended does not count, whether its launcher waits for it or hangs.
        if int(parent) == job and state != "Z":
            found.append(int(entry.name))
    return sorted(found)


def wait_for_places(job: subprocess.Popen[str], places: int) -> list[int]:
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        found = places_of(job.pid)
        if len(found) == places:
            return found
        time.sleep(0.05)
    return []


def check_busy(busy_place: Path, launcher: str) -> list[str]:
    """A place that computes for long is served, and not considered failed."""
    errors = []
    for settings in ({}, {"TESS_NO_WINDOW": "1"}):
        environment = {**ENVIRONMENT, **settings, "TESS_FAILURE_TIMEOUT": "2"}
        words = command(launcher, 2, (busy_place.name, "6"), busy_place.parent)
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0 or "additions" not in done.stdout or "failed" in done.stderr:
            errors.append(f"{settings} busy_place: {done.returncode}\n{done.stdout}{done.stderr[-1000:]}")
    return errors


def check_memory(programs: Path, launcher: str) -> list[str]:
    """What all processes of the host together do not get is refused before one of them has taken its part."""
    # A graph with rows in both directions: the first of the two would still fit.
    available = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    vertices = int(available[1]) * 1024 * 7 // 10 // 8 if available else 0
    if vertices >= 2**32:
        return []
    with tempfile.TemporaryDirectory() as folder:
        graph = Path(folder) / "far.mtx"
        graph.write_text(f"%%MatrixMarket matrix coordinate pattern general\n{vertices} {vertices} 1\n1 {vertices}\n")
        begin = time.monotonic()
        words = command(launcher, 2, ("bfs", str(graph)), programs)
        done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        seconds = time.monotonic() - begin
    if "bytes at each place" not in done.stdout + done.stderr or seconds > 5:
        return [f"bfs of {vertices} vertices: {seconds:.1f} s\n{done.stdout[-500:]}{done.stderr[-1000:]}"]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("programs", type=Path)
    parser.add_argument("launcher", help="Open MPI's mpirun, or tess")
    parser.add_argument("--busy-place", type=Path, help="the program of that name")
    options = parser.parse_args()
    errors = check_results(options.programs, options.launcher) + check_memory(options.programs, options.launcher)
    if options.busy_place:
        errors += check_busy(options.busy_place, options.launcher)
    print("\n".join(errors) or "ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
