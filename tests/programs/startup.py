"""startup: each failure before places work together has its own message, exit code 2, and leaves nothing behind.

Usage: startup.py PROGRAMS LAUNCHER WAITING_PLACES.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

from processes import ENVIRONMENT

GUPS = ["--log2-words", "9", "--updates", "200"]


@dataclass
class Case:
    name: str
    words: list[str]
    text: str
    settings: dict[str, str] = field(default_factory=dict)
    code: int = 2
    lines: int = 1


def wrong(case: Case) -> str:
    """The errors; empty if there were none."""
    shm = set(os.listdir("/dev/shm"))
    environment = {**ENVIRONMENT, "TESS_FAILURE_TIMEOUT": "3", **case.settings}
    try:
        done = subprocess.run(case.words, env=environment, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "it hung"
    told = [line for line in (done.stdout + done.stderr).splitlines() if case.text in line]
    # The launcher may end one process before it said the same.
    if len(told) not in (1, case.lines):
        return f"{len(told)} lines with `{case.text}`:\n{done.stdout[-800:]}{done.stderr[-800:]}"
    if done.returncode != case.code:
        return f"exit code {done.returncode}, not {case.code}"
    left = set(os.listdir("/dev/shm")) - shm
    return f"left in /dev/shm: {left}" if left else ""


def with_small_shm(words: list[str]) -> list[str]:
    """In a separate mount namespace, with 256 KiB there."""
    return ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=256k tmpfs /dev/shm; exec "$@"', "sh", *words]


def can_mount() -> bool:
    return subprocess.run(with_small_shm(["true"]), capture_output=True, check=False).returncode == 0


def cases(programs: str, launcher: str, other: str) -> list[Case]:
    gups = [f"{programs}/gups", *GUPS]
    start = [launcher, "--quiet", "-n", "1"]
    pmi = {"PMI_RANK": "0", "PMI_SIZE": "2"}
    slurm = {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2"}
    never = [*start, *gups, ":", "-n", "1", "sleep", "20"]
    two = [launcher, "--quiet", "-n", "2", *gups]
    no_network = {"UCX_TLS": "tcp", "UCX_NET_DEVICES": "none0"}
    found = [
        Case("different binaries", [*start, *gups, ":", "-n", "1", other, "calls"], "place 1 on "),
        Case("a place never comes", never, "not all of 2 places came within 3 s"),
        Case("MPICH's launcher", gups, "speaks PMI, not PMIx", pmi),
        Case("the same, with smp asked for", gups, "updates", {**pmi, "TESS_FABRIC": "smp"}, 0, 2),
        Case("srun without PMIx", gups, "srun --mpi=pmix", slurm),
        Case("places without a launcher", gups, "a launcher: mpirun -n 3", {"TESS_FABRIC": "ucx", "TESS_PLACES": "3"}),
        Case("no launcher: one place", gups, "updates", {"TESS_FABRIC": "ucx"}, 0, 2),
        Case("no such network", two, "UCX_NET_DEVICES unset", no_network, 2, 2),
        Case("TESS_FAILURE_TIMEOUT", gups, "a number from 0.5", {"TESS_FAILURE_TIMEOUT": "soon"}),
    ]
    if can_mount():
        words = with_small_shm([launcher, "--quiet", "-n", "1", *gups])
        found.append(Case("/dev/shm too small", words, "more room in /dev/shm"))
    return found


def main() -> int:
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        for case in cases(*sys.argv[1:4]):
            if problem := wrong(case):
                errors.append(f"{case.name}: {problem}")
    print("\n".join(errors) or "ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
