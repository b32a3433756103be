"""under_slurm: PEs under Slurm, by `srun` itself and by `tess run` inside an allocation.

The cluster is that of tests/programs/slurm.py: daemons of the test's own on the loopback device. Needs root and
Debian's slurm-wlm and munge; says so and is skipped otherwise.
"""

import os
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "programs"))
from slurm import TOOLS, cluster, run  # noqa: E402

PROGRAMS = Path(os.environ["SHMEM_PROGRAMS"])


def check(environment: dict[str, str]) -> list[str]:
    errors = []
    tess = [os.environ["TESS"], "run", "--fabric", "ucx", "-n", "3"]
    ring, grid = str(PROGRAMS / "example_ring"), str(PROGRAMS / "example_grid")
    tasks = ["--overcommit", "-n", "3"]
    for words in (["srun", "--mpi=pmix", *tasks], ["salloc", *tasks, "-Q", *tess]):
        done = run([*words, ring], environment)
        if (done.returncode, done.stdout) != (0, "the sum of 3 PEs is 3\n"):
            errors.append(f"{words}: code {done.returncode}\n{done.stdout}{done.stderr}")
        done = run([*words, grid], environment)
        if done.returncode != 0:
            errors.append(f"{words}: code {done.returncode}\n{done.stdout}{done.stderr}")
    # Without PMIx each process would be a job of its own.
    done = run(["srun", "--overcommit", "-n", "3", ring], environment)
    if done.returncode != 2 or "expected srun --mpi=pmix" not in done.stderr:
        errors.append(f"srun without PMIx: code {done.returncode}\n{done.stdout}{done.stderr}")
    done = run(["srun", "--overcommit", "-n", "1", os.environ["TESS"], "run", "-n", "3", ring], environment)
    if (done.returncode, done.stdout) != (0, "the sum of 3 PEs is 3\n"):
        errors.append(f"tess run under srun: code {done.returncode}\n{done.stdout}{done.stderr}")
    return errors


def main() -> int:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing:
        print(f"skipped: needs root and slurm-wlm, munge; missing: {missing}")
        return 0
    with cluster() as environment:
        errors = check(environment)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
