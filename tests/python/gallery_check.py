"""gallery_check: a script of the gallery runs to its end and draws its pictures.

Usage: gallery_check.py FOLDER ROOT SCRIPT: the folder with the package tessera, the root of the source tree, and the
script's name. Method: it runs in an empty folder that has the tree's data and a docs/use of its own.
"""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

PACKAGE, ROOT, NAME = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]


def main() -> int:
    """0 if it ran and all pictures that it names are there, and are SVG."""
    try:
        import matplotlib  # noqa: F401
        import pandas  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 0
    script = ROOT / "python" / "gallery" / f"{NAME}.py"
    pictures = re.findall(r"docs/use/[\w.]+\.svg", script.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "docs" / "use").mkdir(parents=True)
        (here / "data").symlink_to(ROOT / "data")
        given = {"PYTHONPATH": str(PACKAGE), "MPLBACKEND": "Agg", "XDG_CACHE_HOME": folder}
        done = subprocess.run([sys.executable, script], cwd=here, env=os.environ | given, check=False)
        if done.returncode != 0:
            return 1
        if not pictures:
            print(f"{script} draws nothing")
            return 1
        for picture in pictures:
            root = xml.parse(here / picture).getroot()
            if root.tag != "{http://www.w3.org/2000/svg}svg" or len(root) == 0:
                print(f"{picture} is no picture: {root.tag}")
                return 1
            if not (ROOT / picture).is_file():
                print(f"{picture} is missing in the source tree")
                return 1
    print(f"drawn: {', '.join(pictures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
