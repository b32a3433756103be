"""programs: ten OpenSHMEM programs as processes of this host and on the tiles of simulated machines, as a table.

    ./tess build tess_cli tess_machine_program shmem_test_programs
    python3 bench/openshmem/programs.py [--json FILE]

The programs are those of tests/shmem: each checks its own results. On this host it is the time of the whole command,
the median of five; on a machine it is simulated time, which repeats to the cycle, with instructions of all PEs.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2] / "build" / "release"
PROGRAMS = ("even_and_odd", "grid", "integer_sort", "lock", "mixed", "pi", "pipeline", "ring", "transpose")
OLD = ("sgi_sums",)
MACHINES = ("nemesys-2x2", "tessera-2x2")
PES = 3
REPEATS = 5


def run(*words: str) -> tuple[float, str]:
    command = [str(ROOT / "bin" / "tess"), "run", *words]
    begin = time.monotonic()
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {ran.returncode}: {ran.stderr}")
    return time.monotonic() - begin, ran.stderr


def measure(name: str, native: str) -> dict:
    folder = ROOT / "tests" / "shmem"
    row = {"program": name, "pes": PES}
    row["host_ms"] = 1e3 * statistics.median(run("-n", str(PES), str(folder / native))[0] for _ in range(REPEATS))
    for machine in MACHINES:
        spent, said = run("--machine", machine, "-n", str(PES), str(folder / f"tiles_{name}"))
        cycles = int(re.search(r"simulated time .*?, ([0-9 ]+) cycles", said)[1].replace(" ", ""))
        instructions = int(re.search(r"instructions +([0-9 ]+),", said)[1].replace(" ", ""))
        row[machine] = {"cycles": cycles, "instructions": instructions, "simulation_s": spent}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="write the figures there, too")
    options = parser.parse_args()
    rows = [measure(f"example_{name}", f"example_{name}") for name in PROGRAMS]
    rows += [measure(f"old_{name}", f"old_{name}_clang") for name in OLD]
    print(f"| program, {PES} PEs | this host, ms | {' | '.join(f'{m}, cycles' for m in MACHINES)} | instructions |")
    print("|---|---|---|---|---|")
    for row in rows:
        cycles = " | ".join(f"{row[m]['cycles']:,}" for m in MACHINES)
        name = row["program"].removeprefix("example_").removeprefix("old_")
        print(f"| {name} | {row['host_ms']:.1f} | {cycles} | {row[MACHINES[0]]['instructions']:,} |")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
