"""refused: calls that would go wrong at another place, or whose result would be lost, do not compile.

Method: tests/calls/refused.cpp is compiled once for each wrong call, with warnings as errors, and the compiler's words
are searched. Usage: refused.py COMPILER SOURCE_DIR
"""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CAPTURE = ["must not capture by reference", "capture values"]
VALUE = ["a value that travels must not hold an address"]
COLLECTIVE = ["a collective's value must not hold an address", "combine values or a global_ptr"]
COPYABLE = ["must be trivially copyable", "as an argument"]
POINTED = ["tess: this member cannot travel to another place: it does not point to an object: tess::array"]
INSIDE = ["a pointer does not travel inside a value: use a global_ptr"]
LOST = ["nodiscard"]
UNUSED = ["unused variable 'lost'"]
# Number of the case → what the message must say.
EXPECTED = {
    1: CAPTURE,
    2: CAPTURE,
    3: CAPTURE,
    4: CAPTURE,
    5: CAPTURE,
    6: CAPTURE,
    7: CAPTURE,
    8: CAPTURE,
    9: CAPTURE,
    10: CAPTURE,
    11: VALUE,
    12: VALUE,
    13: ["addresses of functions do not cross places: send a lambda"],
    14: LOST,
    15: UNUSED,
    16: LOST,
    17: LOST,
    18: UNUSED,
    19: LOST,
    20: UNUSED,
    21: LOST,
    22: CAPTURE,
    23: [*CAPTURE, "bit-field"],
    24: [*VALUE, "specialise tess::plain_data"],
    25: CAPTURE,
    26: UNUSED,
    27: UNUSED,
    28: UNUSED,
    29: UNUSED,
    30: UNUSED,
    31: UNUSED,
    32: COLLECTIVE,
    33: COLLECTIVE,
    34: VALUE,
    35: COPYABLE,
    36: COPYABLE,
    37: COPYABLE,
    38: CAPTURE,
    39: CAPTURE,
    40: COPYABLE,
    41: CAPTURE,
    42: CAPTURE,
    43: CAPTURE,
    44: POINTED,
    45: INSIDE,
    46: VALUE,
    47: VALUE,
    48: VALUE,
    49: INSIDE,
    50: ["addresses do not cross places: send a global_ptr or an index"],
    51: CAPTURE,
    52: CAPTURE,
    53: CAPTURE,
    54: CAPTURE,
    55: VALUE,
    56: VALUE,
}


def compile_headers(compiler: str, root: Path, folder: Path) -> list[str]:
    """The options that take the headers from one compilation; none if the compiler cannot."""
    made = folder / "tess.pch"
    words = [compiler, "-std=c++23", "-Wall", "-Wextra", "-Werror", "-x", "c++-header", f"-I{root / 'include'}"]
    words += [str(root / "include/tess/tess.hpp"), "-o", str(made)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return ["-include-pch", str(made)] if "clang" in compiler and done.returncode == 0 else []


def compile_case(compiler: str, root: Path, headers: list[str], case: int) -> tuple[int, str]:
    words = [compiler, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-DCASE={case}", *headers]
    words += [f"-I{root / 'include'}", str(root / "tests/calls/refused.cpp")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main() -> int:
    compiler, root = sys.argv[1], Path(sys.argv[2])
    failures = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        headers = compile_headers(compiler, root, Path(folder))
        outcomes = list(pool.map(lambda case: compile_case(compiler, root, headers, case), [0, *EXPECTED]))
    code, text = outcomes[0]
    if code != 0:
        print(f"what is right was refused:\n{text}")
        failures += 1
    for (case, words), (code, text) in zip(EXPECTED.items(), outcomes[1:], strict=True):
        missing = [word for word in words if word not in text]
        if code == 0 or missing:
            print(f"case {case}: code {code}, the message lacks {missing}:\n{text[:3000]}")
            failures += 1
    print(f"{len(EXPECTED) + 1 - failures} fine, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
