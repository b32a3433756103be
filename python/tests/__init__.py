"""tests: tests of the package `tessera`, which they import from the folder beside this one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
