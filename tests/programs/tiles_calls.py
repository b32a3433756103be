"""tiles_calls: times of calls with graphs on tiles are as NEMESYS defines them, and whose harts do the system's tasks.

Runs bench/reproduce/nemesys/system.cpp, which makes calls one after another, with and without the system kernel, within
a memory and between two. T_at, what the runtime counts as the time of a call, is then the time of the loop; T_com is
T_at without T_func, the time of a function that does nothing. The system's harts work beside the kernel only.
Usage: tiles_calls.py TESS_MACHINE NEMESYS_SYSTEM
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MACHINE, PROGRAM = sys.argv[1:3] if __name__ == "__main__" else ("", "")
SECONDS_MAX = 100
CALLS = 64  # in the measured part, and as many before


def statistics(system: str, target: int, kind: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "s.json"
        command = [MACHINE, "--quiet", "--machine", "nemesys-4x4", "--copies", "4", "--system", system, "--stats", file,
                   "--", PROGRAM, str(target), kind]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=SECONDS_MAX)
        return json.loads(file.read_text(encoding="utf-8"))


class Calls(unittest.TestCase):
    def test_times_are_those_of_the_paper(self) -> None:
        for system in ("polled", "kernel"):
            for target in (1, 3):
                with self.subTest(system=system, target=target):
                    found = statistics(system, target, "graph")
                    counters = found["runtime"]["counters"]
                    self.assertEqual(counters["calls"], 2 * CALLS)
                    # The first calls, which bring code into caches, take longer than the measured ones.
                    each = counters["call_ns"] / counters["calls"]
                    of_loop = found["measured"]["simulated_ps"] / 1000 / CALLS
                    self.assertGreater(each, 0.97 * of_loop)
                    self.assertLess(each, 1.25 * of_loop)
                    # T_func of a function that does nothing: it is counted, and is little of T_at.
                    self.assertGreater(counters["function_ns"], 0)
                    self.assertLess(counters["function_ns"], 0.05 * counters["call_ns"])

    def test_the_systems_harts_work_beside_the_kernel_only(self) -> None:
        self.assertEqual(statistics("polled", 3, "graph")["measured"]["system_cycles"], 0)
        graph, staged, nothing = (
            statistics("kernel", target, kind)["measured"]["system_cycles"] / CALLS
            for target, kind in ((1, "graph"), (3, "graph"), (1, "nothing"))
        )
        # Each task takes a trap with all registers at least, and so does each of the two messages of an empty call.
        self.assertGreater(nothing, 2 * 130)
        self.assertGreater(graph, nothing + 130)
        self.assertGreater(staged, graph + 130)

    def test_idle_harts_sleep(self) -> None:
        """Each poll would take time on the tile's bus from harts that work."""
        counters = statistics("polled", 1, "graph")["runtime"]["counters"]
        self.assertGreater(counters["sleeps"], CALLS)
        self.assertLess(counters["polls"], 8 * counters["sleeps"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
