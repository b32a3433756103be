"""compile_all: every benchmark's source compiles as the build would compile it; no code is generated.

Usage: compile_all.py BUILD FOLDER. Reads BUILD/compile_commands.json; checks the sources below FOLDER.
"""

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path


def command_of(entry: dict) -> list[str]:
    """The entry's compiler and options, without the output; what stands before the compiler is a cache."""
    words = shlex.split(entry["command"])
    compiler = next(i for i, word in enumerate(words) if Path(word).name.startswith("clang"))
    words = words[compiler:]
    output = words.index("-o")
    return [*words[:output], *words[output + 2 :], "-fsyntax-only"]


def compile_one(entry: dict) -> str:
    """What the compiler said; nothing if it was content."""
    done = subprocess.run(
        command_of(entry),
        cwd=entry["directory"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else f"{entry['file']}:\n{done.stdout}"


def main(build: str, folder: str) -> int:
    entries = json.loads((Path(build) / "compile_commands.json").read_text())
    entries = [entry for entry in entries if Path(entry["file"]).is_relative_to(folder)]
    if len(entries) < 20:
        print(f"only {len(entries)} sources of benchmarks are known to {build}")
        return 1
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        wrong = [text for text in pool.map(compile_one, entries) if text]
    print("\n".join([*wrong, f"{len(entries) - len(wrong)} of {len(entries)} sources compile"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
