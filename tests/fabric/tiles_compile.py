"""tiles_compile: the fabric of tiles compiles, as one file, and each of its tests; no code is generated.

The stage `riscv`, whose build takes minutes, runs the tests. Usage: tiles_compile.py SOURCE COMPILER OPTION...
"""

import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path


def main(source: Path, compiler: list[str]) -> int:
    folder = source / "src" / "fabric" / "tile"
    # absent.cpp is what other processors have in its place.
    parts = [file for file in sorted(folder.glob("*.cpp")) if file.name != "absent.cpp"]
    tests = sorted((source / "tests" / "fabric").glob("tile_*.cpp"))
    if len(parts) < 10 or len(tests) < 5:
        print(f"only {len(parts)} sources of tiles and {len(tests)} of their tests are below {source}")
        return 1
    units = ["".join(f'#include "{file}"\n' for file in parts), *(f'#include "{file}"\n' for file in tests)]
    command = [*compiler, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion",
               "-Werror", *(f"-I{source / name}" for name in ("include", "src", "tests")), "-xc++", "-"]  # fmt: skip

    def said(unit: str) -> str:
        done = subprocess.run(
            command, input=unit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        return done.stdout if done.returncode else ""

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        wrong = [text for text in pool.map(said, units) if text]
    print("\n".join([*wrong, f"{len(units) - len(wrong)} of {len(units)} compile"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
