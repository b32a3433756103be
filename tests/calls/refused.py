"""refused: calls that would go wrong at another place, or whose result would be lost, do not compile.

Method: tests/calls/refused.cpp is compiled once for each wrong call, with warnings as errors, and the compiler's words
are searched. Usage: refused.py COMPILER SOURCE_DIR
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CAPTURE = ["must not capture by reference", "capture values"]
VALUE = ["a value that travels must not hold an address"]
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
}


def compile_case(compiler: str, root: Path, case: int) -> tuple[int, str]:
    words = [compiler, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-DCASE={case}"]
    words += [f"-I{root / 'include'}", str(root / "tests/calls/refused.cpp")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main() -> int:
    compiler, root = sys.argv[1], Path(sys.argv[2])
    failures = 0
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda case: compile_case(compiler, root, case), [0, *EXPECTED]))
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
