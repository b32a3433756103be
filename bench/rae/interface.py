#!/usr/bin/env python3
"""interface: what the network interface of RAE does by pattern, policy and requests under way, as two tables.

Each run is `patterns` (beside this file) on rae-64 with one or two keys of [rae] changed; the counts are those of tile
0 in the run's statistics. The machine is deterministic: two calls print the same.

Usage: bench/rae/interface.py [--build DIR] [--count N] [--places N,N...]     after ./tess build
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATTERNS = ("CENTRAL", "STRIDE1", "RAND")


def variant(policy: str, merge: bool) -> str:
    """rae-64 with these keys."""
    text = (ROOT / "machines/rae-64.toml").read_text()
    text, policies = re.subn(r'^policy = "[a-z-]+"', f'policy = "{policy}"', text, flags=re.MULTILINE)
    text, merges = re.subn(r"^merge = (true|false)", f"merge = {str(merge).lower()}", text, flags=re.MULTILINE)
    if (policies, merges) != (1, 1):
        raise SystemExit("machines/rae-64.toml: expected one policy and one merge in it")
    return text


def run(build: pathlib.Path, machine: str, pattern: str, count: int, places: int) -> dict:
    """The statistics of tile 0 of one run, with the measured time as `ps`."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "variant.toml"
        file.write_text(machine)
        statistics = pathlib.Path(folder) / "s.json"
        words = [build / "libexec/tessera/machine/tess-machine", "--quiet", "--machine", file, "--copies", "64",
                 "--stats", statistics, "--", build / "tests/machine-programs/rae-patterns", pattern, count,
                 places]  # fmt: skip
        subprocess.run([str(word) for word in words], check=True)
        told = json.loads(statistics.read_text())
    return {**told["tiles"][0], "ps": told["measured"]["simulated_ps"]}


def misses(of: dict) -> float:
    return of["rae_entries"] / of["rae_requests"]


def accesses(of: dict) -> float:
    return (of["rae_memory_reads"] + of["rae_memory_writes"]) / of["rae_requests"]


def curve(build: pathlib.Path, count: int, places: list[int]) -> None:
    print("Main entries for each request (misses), by requests under way:\n")
    print("| policy | pattern | " + " | ".join(str(number) for number in places) + " |")
    print("|" + "---|" * (2 + len(places)))
    for policy in ("retain", "free-at-once"):
        machine = variant(policy, True)
        for pattern in PATTERNS:
            rates = [misses(run(build, machine, pattern, count, number)) for number in places]
            print(f"| {policy} | {pattern} | " + " | ".join(f"{100 * rate:.2f}%" for rate in rates) + " |", flush=True)


def merging(build: pathlib.Path, count: int) -> None:
    print("\n64 places on one word (CENTRAL):\n")
    print("| policy | merge | requests | main entries | merged | memory accesses an operation | operations a µs |")
    print("|" + "---|" * 7)
    for policy in ("free-at-once", "retain"):
        for merge in (False, True):
            of = run(build, variant(policy, merge), "CENTRAL", count, 64)
            rate = of["rae_requests"] / (of["ps"] / 1e6)
            print(f"| {policy} | {'on' if merge else 'off'} | {of['rae_requests']} | {of['rae_entries']} | "
                  f"{of['rae_merged']} | {accesses(of):.4f} | {rate:.1f} |", flush=True)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--count", type=int, default=256, help="operations of each place")
    parser.add_argument("--places", type=lambda text: [int(word) for word in text.split(",")],
                        default=[1, 2, 4, 8, 16, 32, 64])  # fmt: skip
    chosen = parser.parse_args()
    curve(chosen.build, chosen.count, chosen.places)
    merging(chosen.build, chosen.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
