"""command: finds the command `tess` that belongs to this package, and has what it needs built in a source tree.

It is, in this order: the file that the environment variable TESSERA_TESS names; that of the source tree in whose
build folder the package lies; that of the installation whose share/tessera/python the package lies in; the one in PATH.
"""

import functools
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

_building = threading.Lock()
_built: set[str] = set()


def _prefix() -> Path | None:
    """The folder whose share/tessera/python the package lies in; None for a wheel."""
    packages = Path(__file__).resolve().parents[2]
    return packages.parents[2] if packages.parts[-3:] == ("share", "tessera", "python") else None


def _of_source_tree() -> tuple[Path, Path] | None:
    """The script `tess` of a source tree, and the command that it builds; None if the package is in no such tree."""
    prefix = _prefix()
    if prefix is None or prefix.parent.name != "build":
        return None
    script = prefix.parent.parent / "tess"
    return (script, prefix / "bin" / "tess") if script.is_file() else None


def _named() -> Path | None:
    named = os.environ.get("TESSERA_TESS")
    if named and not os.access(named, os.X_OK):
        raise FileNotFoundError(f"TESSERA_TESS names {named}, which is no executable file")
    return Path(named).resolve() if named else None


@functools.cache
def _installed() -> Path:
    prefix = _prefix()
    beside = prefix / "bin" / "tess" if prefix else None
    found = beside if beside and beside.is_file() else shutil.which("tess")
    if not found:
        raise FileNotFoundError(
            "there is no command tess, which runs programs: install Tessera's packages (./tess package in its source "
            "tree makes them), use ./tess python there, or set TESSERA_TESS to the command's file"
        )
    return Path(found).resolve()


def tess(*programs: str, simulated: bool) -> Path:
    """The command, after these programs were built, where they can be: names of bundled ones, for a machine or here.

    Raises FileNotFoundError if there is none, and RuntimeError with what was printed if building fails.
    """
    if named := _named():
        return named
    tree = _of_source_tree()
    if tree is None:
        return _installed()
    script, command = tree
    words = ["--machine"] if simulated else ["--program"]
    with _building:
        missing = [name for name in programs if "/" not in name and f"{words[0]} {name}" not in _built]
        if missing or words[0] not in _built:
            # On a terminal the build shows its progress.
            shown = None if sys.stderr.isatty() else subprocess.PIPE
            done = subprocess.run([script, "--preset", command.parent.parent.name, "build", *words, *missing],
                                  stdin=subprocess.DEVNULL, stdout=shown, stderr=shown and subprocess.STDOUT,
                                  text=True, errors="replace", check=False)  # fmt: skip
            if done.returncode != 0:
                raise RuntimeError(f"the programs could not be built:\n{done.stdout or '(above)'}")
            _built.update(words, (f"{words[0]} {name}" for name in missing))
    return command


def compiler() -> list[str]:
    """The words before `cc` and `c++`: in a source tree the script, which builds what they link."""
    tree = None if _named() else _of_source_tree()
    if tree is None:
        return [str(_named() or _installed())]
    script, command = tree
    return [str(script), "--preset", command.parent.parent.name]


def machines_folder() -> Path:
    """The folder with the files of the presets."""
    tree = _of_source_tree()
    found = _named() or (tree[1] if tree else _installed())
    return found.parent.parent / "share" / "tessera" / "machines"


def machine_names() -> list[str]:
    """The presets."""
    return sorted(file.stem for file in machines_folder().glob("*.toml"))
