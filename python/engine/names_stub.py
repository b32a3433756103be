"""names_stub: writes __init__.pyi: where each name of the package comes from, which type checkers cannot find out.

The package imports nothing before it is asked for. Usage: names_stub.py FOLDER OUTPUT, FOLDER having the package.
"""

import sys
from pathlib import Path


def main(folder: str, output: Path) -> None:
    sys.path.insert(0, folder)
    import tessera

    lines = ['"""What `tessera` has, for type checkers; made by the build."""\n']
    lines += [f"from tessera.{home} import {name} as {name}" for name, home in sorted(tessera._HOME_OF.items())]
    lines += [f"from tessera import {module} as {module}" for module in sorted(tessera._MODULES)]
    lines += ["\n__all__ = [", *(f'    "{name}",' for name in tessera.__all__), "]\n"]
    output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
