"""tests: tests of the package, run by `python3 -m unittest python/tests/NAME_test.py`; finds the package beside it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
