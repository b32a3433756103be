"""machine_profile: makes src/machine/machine.profdata, with which the simulator's release build is compiled.

It builds a simulator that counts its branches and calls (build/profile), lets it run what follows, and merges the
counts. To be repeated when much of the simulator has changed: `./tess bench machine` before and after shows what it
gains. Takes about ten minutes.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "profile"
PROFILE = ROOT / "src" / "machine" / "machine.profdata"
PROGRAMS = ROOT / "tests" / "machine" / "programs"
MERGE = "llvm-profdata-19"

# What simulations do: tasks and graphs on tiles, with pollers and with the system kernel; coherent caches, network
# interfaces, atomics as instructions; single harts with and without page tables; samples, and no time at all. Some
# seconds each, so that none outweighs the others.
PAPER = "--dummy-allocations --heap collected --image memory"
RUNS = (
    f"--machine nemesys-4x4-single --copier nemesys {PAPER} imsuite-kc --size 8",
    f"--machine nemesys-4x4 --copier pegasus {PAPER} imsuite-mst --size 8",
    "--machine nemesys-2x2 --system kernel imsuite-bf --size 6",
    "--machine tessera-4x4 bfs kron:8",
    "--machine tessera-2x2-coherent bfs kron:8",
    "--machine cni-16 --copies 16 cni-barriers counter 4000",
    "--machine cni-16 --copies 3 cni-triad chip rdma 12",
    "--machine dir-16 --copies 16 dir-mcs 150",
    "--machine rae-16 gups --log2-words 14 --updates 400000 --no-verify",
    "--machine single-tile --timing on -n 1 --workers 1 pagerank kron:11",
    "--machine single-tile --timing on --sample auto -n 1 --workers 1 pagerank kron:12",
    "--machine sifive-u74 -n 1 pagerank kron:10",
    "--machine single-tile --timing off bfs kron:15",
    "--machine single-tile --timing off --engine interpreter bfs kron:13",
)
# Programs without the runtime, of PROGRAMS.
PLAIN_RUNS = (
    ("--machine sifive-u74-mmu", "hash"),
    ("--machine single-tile --timing on", "float_kernels"),
    ("--machine single-tile --timing off", "float_kernels"),
)


def build(ninja: str) -> None:
    """The simulator that counts, beside the programs of the ordinary build."""
    # The ordinary build makes the programs of tiles and of the system's harts.
    for run in RUNS:
        subprocess.run([ROOT / "tess", "run", *run.split()], check=True, cwd=ROOT)
    configure = ["cmake", "--preset", "release", "-B", str(FOLDER), "-DTESS_MACHINE_PROFILE=make"]
    subprocess.run([*configure, "-DTESS_BUILD_BENCH=OFF", "-DTESS_BUILD_TESTS=OFF"], check=True, cwd=ROOT)
    subprocess.run([ninja, "-C", str(FOLDER), "tess_cli", "tess_machine_program"], check=True)
    for name in ("riscv", "machine/system-kernel"):
        link = FOLDER / "libexec" / "tessera" / name
        link.unlink(missing_ok=True)
        link.symlink_to((ROOT / "build" / "release" / "libexec" / "tessera" / name).resolve())
    for name in sorted({name for _, name in PLAIN_RUNS}):
        compiler = ["riscv64-linux-gnu-g++", "-O2", "-static"]
        subprocess.run([*compiler, "-o", FOLDER / name, PROGRAMS / f"{name}.cpp"], check=True)


def count(folder: Path) -> list[str]:
    """One file of counts for each run."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    runs = [*RUNS, *(f"{options} {FOLDER / name}" for options, name in PLAIN_RUNS)]
    files = []
    for number, run in enumerate(runs):
        files.append(str(folder / f"{number}.profraw"))
        environment = os.environ | {"LLVM_PROFILE_FILE": files[-1], "TESS_WORKERS": "harts"}
        tess = FOLDER / "bin" / "tess"
        subprocess.run([tess, "run", *run.split()], check=True, cwd=ROOT, env=environment)
    return files


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    ninja = shutil.which("ninja")
    if ninja is None or shutil.which(MERGE) is None:
        print(f"tess: ninja or {MERGE} is not installed; type: ./tess setup build", file=sys.stderr)
        return 2
    build(ninja)
    # Whole or not at all: a build may read it at the same time.
    made = PROFILE.with_suffix(".new")
    subprocess.run([MERGE, "merge", "-o", str(made), *count(FOLDER / "counts")], check=True)
    made.replace(PROFILE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
