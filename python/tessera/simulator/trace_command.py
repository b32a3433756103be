"""trace_command: `python3 -m tessera.simulator.trace_command`, which `tess trace` runs: shows and compares traces.

Exit code 0; 1 if two traces differ; 2 for wrong arguments or files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tessera.simulator import instructions, lockstep


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tess trace", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    show = verbs.add_parser("show")
    show.add_argument("file", type=Path)
    compare = verbs.add_parser("compare")
    compare.add_argument("ours", type=Path)
    compare.add_argument("qemu", type=Path)
    compare.add_argument("--core", type=int)
    return parser.parse_args(words)


def compare(chosen: argparse.Namespace) -> int:
    """Compares with QEMU: the exit code."""
    result = lockstep.compare(chosen.ours, chosen.qemu, chosen.core)
    if result.difference:
        print(result.difference)
    else:
        print(f"the same: {result.compared} instructions")
    for note in result.notes[: lockstep.NOTES_MAX]:
        print(f"  {note}")
    if len(result.notes) > lockstep.NOTES_MAX:
        print(f"  and {len(result.notes) - lockstep.NOTES_MAX} more such results")
    return 1 if result.difference else 0


def main(words: Sequence[str]) -> int:
    """The exit code."""
    chosen = arguments(words)
    try:
        if chosen.verb == "compare":
            return compare(chosen)
        for row in instructions.rows(chosen.file):
            print(row)
        return 0
    except (ValueError, OSError) as wrong:
        print(f"tess: trace: {wrong}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
