"""inputs: imsuite-input writes the very bytes of the suite's own files, and each kernel refuses what is no input of it.

Usage: inputs.py PROGRAMS TABLE, TABLE being reference/imsuite_inputs.csv.
"""

import csv
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS_MAX = 60


def run(program: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([program, *words], capture_output=True, timeout=SECONDS_MAX, check=False)


def different_files(program: Path, table: Path) -> list[str]:
    rows = list(csv.DictReader(line for line in table.read_text().splitlines() if not line.startswith("#")))
    wrong = [] if len(rows) == 12 else [f"{table}: {len(rows)} files, expected 12"]
    for row in rows:
        text = run(program, row["kernel"]).stdout
        if len(text) != int(row["bytes"]) or hashlib.sha256(text).hexdigest() != row["sha256"]:
            wrong.append(f"imsuite-input {row['kernel']}: {len(text)} bytes that are not those of {row['file']}")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "input"
            if run(program, row["kernel"], "--output", str(file)).returncode != 0 or file.read_bytes() != text:
                wrong.append(f"imsuite-input {row['kernel']} --output: another text than without")
    return wrong


REFUSED = [
    (("bf", "--size", "1"), "expected 2 to "),
    (("by", "--size", "7"), "expected 8 to "),
    (("mis", "--size", "4"), "room for"),  # 3 + 4 edges, of 6 pairs
    (("vc", "--graph", "spmax"), "expected rn, chain or star"),
    (("lcr", "--graph", "chain"), "expected rn, cplt, spmin or spmax"),
    (("bf", "--max-children", "-1"), "expected 0 or more"),
    (("nothing",), "nothing"),
]


def not_refused(program: Path) -> list[str]:
    wrong = []
    for words, text in REFUSED:
        ended = run(program, *words)
        if ended.returncode != 2 or text not in ended.stderr.decode() or ended.stdout:
            wrong.append(f"imsuite-input {' '.join(words)}: code {ended.returncode}, said {ended.stderr.decode()!r}")
    return wrong


def main() -> int:
    program = Path(sys.argv[1]) / "imsuite-input"
    wrong = different_files(program, Path(sys.argv[2])) + not_refused(program)
    print("\n".join(wrong) or "all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
