"""library: counts the instructions of a real OpenSHMEM library per operation: two processes under callgrind.

`python3 library.py PROGRAM WAY JSON`, called by plan.py. WAY: memory (the target process takes no part) or messages
(TCP over the loopback interface). Unit: instructions per operation.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCHER = "mpirun.openmpi"  # `oshrun` may be that of Tessera
NEEDED = (LAUNCHER, "valgrind")
OPERATIONS = 1000  # as in bench/reproduce/rae/openshmem_operations.cpp
SECONDS_MAX = 400
LOOP = "nothing"  # the part that consists of the loop only
SETTINGS = {"memory": {"UCX_TLS": "sm,self"}, "messages": {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}}
PARTS = {"asks": 0, "has": 1}  # processes: the requester, and the target, which has the word


def missing(program: Path) -> list[str]:
    """Required programs that are not installed."""
    absent = [name for name in NEEDED if shutil.which(name) is None]
    return absent if program.is_file() else [*absent, program.name]


def command(program: Path, way: str, folder: Path) -> list[str]:
    """The command that starts both processes. Open MPI's launcher needs an option to run as root."""
    words = [LAUNCHER, "-n", "2", "--oversubscribe", "--bind-to", "none", "--mca", "oob_tcp_if_include", "lo"]
    words += ["--allow-run-as-root"] if os.geteuid() == 0 else []
    words += ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={folder}/%q{{PMIX_RANK}}.out"]
    return [*words, str(program), way]


def counts(folder: Path, process: int) -> dict[str, int]:
    """Instructions of each named part of a process, from callgrind's output."""
    found = {}
    for file in folder.glob(f"{process}.out.*"):
        text = file.read_text(encoding="utf-8", errors="replace")
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
        if name and total:
            found[name[1]] = int(total[1])
    return found


def each(found: dict[str, int]) -> dict[str, int]:
    """Instructions per operation, without the loop around it."""
    loop = found[LOOP]
    return {name: max(round((total - loop) / OPERATIONS), 0) for name, total in found.items() if name != LOOP}


def version() -> str:
    """The library's own version text."""
    done = subprocess.run(["oshmem_info", "--version"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.stdout else "unknown"


def measure(program: Path, way: str) -> dict[str, object]:
    """Counts of both processes. RuntimeError if the program fails or does not end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | SETTINGS[way]
        with subprocess.Popen(command(program, way, folder), env=environment, stdin=subprocess.DEVNULL) as job:
            try:
                code = job.wait(SECONDS_MAX)
            except subprocess.TimeoutExpired as late:
                raise RuntimeError(f"{program.name} {way} did not end within {SECONDS_MAX} s") from late
            finally:
                job.terminate()
        if code != 0:
            raise RuntimeError(f"{program.name} {way} ended with {code}")
        made = {part: each(counts(folder, process)) for part, process in PARTS.items()}
    return {"way": way, "library": version(), "operations": OPERATIONS, **made}


def main(words: list[str]) -> int:
    """0 if the file was written."""
    program, way, output = words
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        found = measure(Path(program), way)
    except (RuntimeError, KeyError) as wrong:
        print(f"library: {wrong}", file=sys.stderr)
        return 1
    Path(output).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
