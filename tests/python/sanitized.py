"""sanitized: a check of the package with an engine that sanitizers watch; it must not fail, and they must find nothing.

The interpreter is none of theirs, so their library is loaded before it. Python and the libraries of others keep memory
until the end: of what LeakSanitizer finds, only what the engine itself asked for is a leak.
Usage: sanitized.py LIBRARY CHECK ARGUMENTS...
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# A leak has the stack of who asked for the memory; further down are the functions of Python that called the engine.
FRAMES_OF_A_LEAK = 12


def findings(report: str) -> list[str]:
    """The errors and leaks of a report that are the engine's."""
    if "LeakSanitizer" not in report:
        return [report]
    leaks = re.findall(r"(?m)^(?:Direct|Indirect) leak of .*\n(?:    #.*\n)+", report)
    return [leak for leak in leaks if any("_engine" in line for line in leak.splitlines()[1 : FRAMES_OF_A_LEAK + 1])]


def main(library: str, command: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        where = f"log_path={folder}/report"
        environment = {
            **os.environ,
            "LD_PRELOAD": library,
            "ASAN_OPTIONS": f"detect_leaks=1:detect_stack_use_after_return=1:{where}",
            "LSAN_OPTIONS": f"exitcode=0:max_leaks=0:{where}",
            "UBSAN_OPTIONS": f"print_stacktrace=1:{where}",
            "TSAN_OPTIONS": f"{os.environ.get('TSAN_OPTIONS', '')}:{where}",
        }
        code = subprocess.run([sys.executable, *command], env=environment, check=False).returncode
        found = [one for file in sorted(Path(folder).glob("report.*")) for one in findings(file.read_text())]
    for text in found:
        print(text)
    print(f"{len(found)} findings of sanitizers, exit code {code}")
    return 1 if found or code != 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
