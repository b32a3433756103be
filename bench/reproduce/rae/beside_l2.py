#!/usr/bin/env python3
"""beside_l2: costs of the interface of remote atomics at the L2s of tessera-4x4, and the savings of merging.

Runs `word_costs` and `patterns` (beside this file) on tessera-4x4 as it is, with `merge = false`, and without [rae].
The machine is deterministic, so two calls print the same.

Usage: bench/reproduce/rae/beside_l2.py [--build DIR] [--count N]     after ./tess build
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
TILES = (1, 3)  # links from tile 0
PLACES = 14


def variants() -> dict[str, str]:
    text = (ROOT / "machines/tessera-4x4.toml").read_text()
    apart, merges = re.subn(r"^merge = true", "merge = false", text, flags=re.MULTILINE)
    without, tables = re.subn(r"^\[rae\]\n(?:[^\[\n].*\n|\n)*", "", text, flags=re.MULTILINE)
    if (merges, tables) != (1, 1):
        raise SystemExit("machines/tessera-4x4.toml: expected one [rae], with merge = true, in it")
    return {"no [rae]": without, "[rae], not merged": apart, "[rae]": text}


def run(build: pathlib.Path, machine: str, copies: int, program: str, *words: object) -> tuple[str, dict]:
    """Standard output of the program, and its statistics."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "variant.toml"
        file.write_text(machine)
        statistics = pathlib.Path(folder) / "s.json"
        line = [build / "libexec/tessera/machine/tess-machine", "--quiet", "--machine", file, "--copies", copies,
                "--stats", statistics, "--", build / "tests/machine-programs" / program, *words]  # fmt: skip
        printed = subprocess.run([str(word) for word in line], check=True, capture_output=True, text=True).stdout
        return printed, json.loads(statistics.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--count", type=int, default=256, help="operations of each place")
    chosen = parser.parse_args()
    print("Cycles of an operation, alone, on a word that is in its home's L2:\n")
    print("| machine | links | eamoadd.d | amoadd.d | compare-and-swap of the adapter |")
    print("|" + "---|" * 5)
    for name, machine in variants().items():
        printed, _ = run(chosen.build, machine, 1, "rae-word-costs", *TILES)
        for line in printed.splitlines():
            print(f"| {name} | " + " | ".join(line.split()) + " |")
    print(f"\n{PLACES} places:\n")
    print("| pattern | machine | operations | accesses of the L2 per operation | bus cycles per operation |"
          " operations per µs |")  # fmt: skip
    print("|" + "---|" * 6)
    for pattern in ("CENTRAL", "STRIDE1", "RAND"):
        for name, machine in variants().items():
            _, statistics = run(chosen.build, machine, PLACES, "rae-patterns", pattern, chosen.count, PLACES)
            home = statistics["tiles"][0]
            requests = PLACES * chosen.count
            # Not counted without the interface, where each operation has its own access.
            accesses = f"{home['rae_entries'] / requests:.3f}" if home["rae_entries"] else "one"
            cycles = home["bus_load"] * statistics["cycles"]
            print(f"| {pattern} | {name} | {requests} | {accesses} | {cycles / requests:.2f} | "
                  f"{requests / (statistics['measured']['simulated_ps'] / 1e6):.2f} |", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
