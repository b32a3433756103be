"""run: runs each program with so many PEs as the arguments say, and fails with the first one that does not end with 0.

    python3 tests/shmem/run.py COUNT[,COUNT...] PROGRAM[,WORD...]...

The environment variable TESS names the command; TESS_BEFORE has words before it, such as `setarch -R`.
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
            command = [*os.environ.get("TESS_BEFORE", "").split(), os.environ["TESS"], "run", "-n", count, *words]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
            took = time.monotonic() - started
            print(f"{os.path.basename(words[0])} on {count} PEs: {took:.2f} s {ran.stdout.strip()}")
            if ran.returncode != 0:
                print(f"ended with {ran.returncode}: {' '.join(command)}\n{ran.stderr}")
                return 1
            if ran.stderr:
                print(f"said on standard error: {ran.stderr}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].split(","), sys.argv[2:]))
