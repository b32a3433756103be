"""many_places: a program with thousands of places in one process takes little memory for each, and ends soon.

Usage: many_places.py HELLO.
"""

import os
import resource
import subprocess
import sys

PLACES = 2048
KIB_OF_A_PLACE_MAX = 1024
#: On an idle machine it is one.
PROCESSOR_SECONDS_MAX = 20


def main() -> int:
    environment = {**os.environ, "TESS_PLACES": str(PLACES), "TESS_FABRIC": "smp"}
    done = subprocess.run([sys.argv[1]], env=environment, capture_output=True, text=True, timeout=120, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    kib = used.ru_maxrss / PLACES
    seconds = used.ru_utime + used.ru_stime
    lines = done.stdout.count("\n")
    print(f"{PLACES} places: {kib:.0f} KiB each, {seconds:.1f} s of processors")
    sound = done.returncode == 0 and lines >= PLACES
    if not sound:
        print(f"exit code {done.returncode}, {lines} lines\n{done.stderr[-1000:]}")
    return 0 if sound and kib <= KIB_OF_A_PLACE_MAX and seconds <= PROCESSOR_SECONDS_MAX else 1


if __name__ == "__main__":
    sys.exit(main())
