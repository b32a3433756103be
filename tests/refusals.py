"""refusals: a source with wrong cases is compiled once for each, and the compiler must say what is wrong with it.

Case 0 is right and must compile. The headers are compiled once for all. A test has a table of its cases, and calls
main(): `refused.py COMPILER SOURCE_DIR`.
"""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

Expected = dict[int, list[str]]  # number of the case → what the message must say
WARNINGS = ["-Wall", "-Wextra", "-Werror"]


def compile_headers(compiler: str, root: Path, folder: Path) -> list[str]:
    """The options that take the headers from one compilation; none if the compiler cannot."""
    made = folder / "tess.pch"
    words = [compiler, "-std=c++23", *WARNINGS, "-x", "c++-header", f"-I{root / 'include'}"]
    words += [str(root / "include/tess/tess.hpp"), "-o", str(made)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return ["-include-pch", str(made)] if "clang" in compiler and done.returncode == 0 else []


def compile_case(compiler: str, root: Path, source: str, headers: list[str], case: int) -> tuple[int, str]:
    """The compiler's exit code and words."""
    words = [compiler, "-std=c++23", "-fsyntax-only", *WARNINGS, f"-DCASE={case}", *headers]
    words += [f"-I{root / 'include'}", str(root / source)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main(source: str, expected: Expected) -> int:
    """The exit code; `source`: the file with the cases, below SOURCE_DIR."""
    compiler, root = sys.argv[1], Path(sys.argv[2])
    failures = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        headers = compile_headers(compiler, root, Path(folder))
        outcomes = list(pool.map(lambda case: compile_case(compiler, root, source, headers, case), [0, *expected]))
    code, text = outcomes[0]
    if code != 0:
        print(f"what is right was refused:\n{text}")
        failures += 1
    for (case, words), (code, text) in zip(expected.items(), outcomes[1:], strict=True):
        missing = [word for word in words if word not in text]
        if code == 0 or missing:
            print(f"case {case}: code {code}, the message lacks {missing}:\n{text[:3000]}")
            failures += 1
    print(f"{len(expected) + 1 - failures} fine, {failures} wrong")
    return 1 if failures else 0
