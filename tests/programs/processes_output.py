"""processes_output: output of places that are processes arrives in whole lines; their traces become one file.

`tess run --fabric ucx` runs a program whose places print long lines at once, with tags and without; then one with
--trace. Usage: processes_output.py TREE.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PLACES = 4
LINES = 2000
LINE = re.compile(r"(\d+):(\d+):([a-z]+):(\d+):(\d+)")
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(tree / "bin" / "tess"), "run", "--fabric", "ucx", *words]
    return subprocess.run(
        command, env={**os.environ, **ROOT}, capture_output=True, text=True, timeout=120, check=False
    )


def wrong_lines(text: str, tagged: bool) -> int:
    """The number of lines that are not from exactly one place."""
    wrong = 0
    for line in text.splitlines():
        tag, rest = re.fullmatch(r"(?:\[(\d+)\] )?(.*)", line).groups()
        found = LINE.fullmatch(rest)
        sound = found and found[1] == found[4] and found[2] == found[5] and len(set(found[3])) == 1
        wrong += not sound or (tag != found[1] if tagged else tag is not None)
    return wrong


def check_lines(tree: Path) -> list[str]:
    errors = []
    for options in ((), ("--tag-output",)):
        done = run(tree, "-n", str(PLACES), *options, str(tree / "tests" / "many_lines"), str(LINES))
        for name, text, count in (("output", done.stdout, LINES), ("errors", done.stderr, LINES // 100)):
            wrong = wrong_lines(text, bool(options))
            if len(text.splitlines()) != PLACES * count or wrong:
                lines = len(text.splitlines())
                errors.append(f"{options} {name}: {lines} lines, {wrong} mixed; exit code {done.returncode}")
    return errors


def check_trace(tree: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        done = run(tree, "-n", "3", "--trace", str(file), "bfs", "kron:8")
        if done.returncode != 0:
            return [f"--trace: exit code {done.returncode}\n{done.stderr}"]
        events = json.loads(file.read_text())["traceEvents"]
        left = [name for name in os.listdir(folder) if name != file.name]
    errors = [f"--trace left {left}"] if left else []
    named = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    if named != {f"place {p}" for p in range(3)}:
        errors.append(f"--trace: tracks of {named}")
    # All started within seconds of each other, by one clock.
    for place in range(3):
        times = [event["ts"] for event in events if event["pid"] == place and "ts" in event]
        if not times or not -5e6 < min(times) < 5e6:
            errors.append(f"--trace: place {place} has {len(times)} events, the first at {min(times, default=None)} us")
    return errors


def main() -> int:
    tree = Path(sys.argv[1]).absolute()
    errors = check_lines(tree) + check_trace(tree)
    print("\n".join(errors) or "ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
