"""inputs: imsuite-input writes files identical to the suite's own, and each kernel refuses invalid input.

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


TWO_PARTS = "4\n0100\n1000\n0001\n0010\n"
FILES_REFUSED = [
    ("mst", TWO_PARTS + " " + 16 * "\n1", "not connected, expected a connected one"),
    ("dp", TWO_PARTS + " \n1\n2\n3\n4", "not connected"),
    ("bf", "2\n0\n01\n11\n", "input:4: an edge from 1 to itself"),
    ("dr", "2\n01\n10\n \n0\n2147483647\n2147483647\n0", "weights of edges up to"),
]


def files_not_refused(programs: Path) -> list[str]:
    """Every kernel reads its own files, and reports errors in others."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "input"
        output = Path(folder) / "output"
        for kernel, text, said in FILES_REFUSED:
            file.write_text(text)
            ended = run(programs / f"imsuite-{kernel}", "--input", str(file))
            if ended.returncode != 2 or said not in ended.stderr.decode():
                wrong.append(f"imsuite-{kernel}: code {ended.returncode}, said {ended.stderr.decode()!r}, not {said!r}")
        run(programs / "imsuite-input", "bf", "--size", "9", "--output", str(file))
        ended = run(programs / "imsuite-bf", "--input", str(file), "--output", str(output))
        if ended.returncode != 0 or len(output.read_text().splitlines()) != 9:
            wrong.append(f"imsuite-bf --input --output: code {ended.returncode}, said {ended.stderr.decode()!r}")
        ended = run(programs / "imsuite-bf", "--size", "9", "--output", folder + "/no/such/folder")
        if ended.returncode != 2 or "cannot be written" not in ended.stderr.decode():
            wrong.append(f"imsuite-bf --output: code {ended.returncode}, said {ended.stderr.decode()!r}")
        for words in (("random", "--graph", "kron:4"), ("file",), ("file", "--graph", folder + "/none.el"), ("heap",)):
            ended = run(programs / "graph-copy", *words)
            if ended.returncode != 2 or not ended.stderr:
                wrong.append(f"graph-copy {' '.join(words)}: code {ended.returncode}, said {ended.stderr.decode()!r}")
    return wrong


def main() -> int:
    program = Path(sys.argv[1]) / "imsuite-input"
    wrong = different_files(program, Path(sys.argv[2])) + not_refused(program) + files_not_refused(Path(sys.argv[1]))
    print("\n".join(wrong) or "all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
