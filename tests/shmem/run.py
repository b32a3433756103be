"""run: runs each program with so many PEs as the arguments say, and fails with the first one that does not end with 0.

    python3 tests/shmem/run.py COUNT[,COUNT...] PROGRAM[,WORD...]...

The environment variable TESS names the command; TESS_BEFORE has words before it, such as `setarch -R`. A COUNT
may be NAME:PES: so many PEs on a simulated machine; or NAME*SHARES:PES: so many in each tile.
"""

import os
import subprocess
import sys
import time


def main(counts: list[str], programs: list[str]) -> int:
    for program in programs:
        words = program.split(",")
        for count in counts:
            started = time.monotonic()
            machine, _, pes = count.rpartition(":")
            machine, _, shares = machine.partition("*")
            on = ["--machine", machine] if machine else []
            on += ["--pes-per-tile", shares] if shares else []
            before = os.environ.get("TESS_BEFORE", "").split()
            command = [*before, os.environ["TESS"], "run", *on, "-n", pes, *words]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
            took = time.monotonic() - started
            print(f"{os.path.basename(words[0])} on {count} PEs: {took:.2f} s {ran.stdout.strip()}")
            if ran.returncode != 0:
                print(f"ended with {ran.returncode}: {' '.join(command)}\n{ran.stderr}")
                return 1
            if said := [line for line in ran.stderr.splitlines() if not (machine and line.startswith("machine: "))]:
                print(f"said on standard error: {said}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].split(","), sys.argv[2:]))
