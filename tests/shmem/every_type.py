"""every_type: prints the type sets of OpenSHMEM's table as lists for the C preprocessor, which tests go through.

    python3 tests/shmem/every_type.py TABLE

A set `rma` becomes `#define EVERY_RMA(X, ...) X(float, float, __VA_ARGS__) …`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import shmem_interface  # noqa: E402


def main(table: Path) -> None:
    print("/* every_type: made of src/shmem/interface.txt by tests/shmem/every_type.py. */")
    print("#include <shmem.h>")
    for name, members in shmem_interface.read_table(table).types.items():
        calls = " ".join(f"X({typename}, {kind}, __VA_ARGS__)" for typename, kind in members)
        print(f"#define EVERY_{name.upper()}(X, ...) {calls}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
