"""shmem4py: an interface to Python that others wrote is compiled with oshcc and passes its own tests.

It runs on 1, 2 and 4 PEs. It needs the package index of Python; without it the test is skipped. Everything stays in
the folder FOLDER.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "1.0.0"
BIN = Path(os.environ["TESS"]).parent
FOLDER = Path(os.environ["FOLDER"])
PYTHON = FOLDER / "venv" / "bin" / "python"
SOURCE = FOLDER / f"shmem4py-{VERSION}"


def run(*words: object, check: bool = True, **environment: str) -> bool:
    command = [str(w) for w in words]
    given = dict(os.environ, **environment)
    ran = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=400, env=given, check=False)
    if ran.returncode != 0 and check:
        print(f"{' '.join(command)} ended with {ran.returncode}\n{ran.stdout[-4000:]}\n{ran.stderr[-4000:]}")
        sys.exit(1)
    return ran.returncode == 0


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not PYTHON.exists():
        run(sys.executable, "-m", "venv", FOLDER / "venv")
    # This version is for numpy 1.
    tools = ["cffi", "numpy<2", "setuptools", "wheel"]
    source = ["download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", "shmem4py", f"shmem4py=={VERSION}"]
    for words in (["install", "-q", *tools], source):
        patience = ("--timeout", "10", "--retries", "1")
        if not SOURCE.exists() and not run(PYTHON, "-m", "pip", *words, *patience, check=False):
            print("skipped: no package index of Python")
            return
    if not SOURCE.exists():
        run("tar", "xzf", f"shmem4py-{VERSION}.tar.gz")
    install = [PYTHON, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--force-reinstall", SOURCE]
    # What an earlier header made is not made anew otherwise.
    shutil.rmtree(SOURCE / "build", ignore_errors=True)
    # It knows five implementations by their headers, and which of them have what; ours has what Sandia's has.
    run(*install, OSHCC=f"{BIN / 'oshcc'} -include {SOURCE / 'src' / 'libshmem' / 'config' / 'sandia.h'}")
    for pes in (1, 2, 4):
        run(BIN / "oshrun", "-np", pes, PYTHON, "-m", "unittest", "discover", "-s", SOURCE / "test")
        print(f"passed on {pes} PEs")


if __name__ == "__main__":
    main()
