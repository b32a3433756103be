"""machine_profile: makes src/machine/machine.profdata, the profile by which the simulator's release build is compiled.

It builds a simulator that counts its branches and calls (build/profile), lets it run what follows, and merges the
counts. To be repeated when a large part of the simulator has changed: `./tess bench machine` before and after shows
whether it is worth it. Takes ten minutes. Usage: machine_profile.py
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "profile"
PROFILE = ROOT / "src" / "machine" / "machine.profdata"

# What simulations do: tasks and graphs on tiles, coherent caches, network interfaces, atomics as instructions, and no
# time at all. Some seconds each, so that none outweighs the others.
PAPER = "--dummy-allocations --heap collected --image memory"
RUNS = (
    f"--machine nemesys-4x4-single --copier nemesys {PAPER} imsuite-kc --size 8",
    f"--machine nemesys-4x4 --copier pegasus {PAPER} imsuite-mst --size 8",
    "--machine tessera-4x4 bfs kron:8",
    "--machine single-tile --timing on -n 1 --workers 1 pagerank kron:11",
    "--machine cni-16 --copies 16 cni-barriers counter 4000",
    "--machine cni-16 --copies 3 cni-triad chip rdma 12",
    "--machine dir-16 --copies 16 dir-mcs 150",
    "--machine rae-16 gups --log2-words 14 --updates 400000 --no-verify",
    "--machine single-tile --timing off bfs kron:15",
    "--machine single-tile --timing off --engine interpreter bfs kron:13",
)


def main() -> None:
    tess = FOLDER / "bin" / "tess"
    # The ordinary build makes the programs of tiles and of the system's harts, which the counting one shares.
    for run in RUNS:
        subprocess.run([ROOT / "tess", "run", *run.split()], check=True, cwd=ROOT)
    configure = ["cmake", "--preset", "release", "-B", str(FOLDER), "-DTESS_MACHINE_PROFILE=make"]
    subprocess.run([*configure, "-DTESS_BUILD_BENCH=OFF", "-DTESS_BUILD_TESTS=OFF"], check=True, cwd=ROOT)
    subprocess.run(["ninja", "-C", str(FOLDER), "tess_cli", "tess_machine_program"], check=True)
    programs = FOLDER / "libexec" / "tessera"
    for name in ("riscv", "machine/system-kernel"):
        link = programs / name
        link.unlink(missing_ok=True)
        link.symlink_to((ROOT / "build" / "release" / "libexec" / "tessera" / name).resolve())
    counts = FOLDER / "counts"
    counts.mkdir(exist_ok=True)
    for old in counts.iterdir():
        old.unlink()
    environment = os.environ | {"LLVM_PROFILE_FILE": str(counts / "%p.profraw"), "TESS_WORKERS": "harts"}
    for run in RUNS:
        subprocess.run([tess, "run", *run.split()], check=True, cwd=ROOT, env=environment)
    merge = ["llvm-profdata-19", "merge", "-o", str(PROFILE), *map(str, sorted(counts.iterdir()))]
    subprocess.run(merge, check=True)


if __name__ == "__main__":
    main()
