"""gates_test: areas come from the library's text, flip-flops are counted apart, and no cell is left out in silence."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import gates  # noqa: E402
import programs  # noqa: E402

LIBRARY = """
cell (NAND2X1) {
  cell_footprint : "nand2x1";
  area : 24;
  pin(A) { capacitance : 0.01; }
}
cell (DFFSR) {
  area : 176;
}
cell (INVX1) { area : 16; }
"""


class Counts(unittest.TestCase):
    def test_gates_are_areas_over_that_of_a_nand(self):
        found = gates.counts({"NAND2X1": 6, "INVX1": 3, "DFFSR": 3}, LIBRARY)
        self.assertEqual(found, {"gates": 30, "of flip-flops": 22, "cells": 12, "FF": 3})

    def test_bytes_are_those_of_memories_that_stay_whole(self):
        cell = {"parameters": {"SIZE": "01000000", "WIDTH": "0100000"}}
        self.assertEqual(gates.whole_bytes({"top": {"cells": {"m": cell}}}), 256)
        self.assertEqual(gates.whole_bytes({}), 0)

    def test_a_cell_without_an_area_is_an_error(self):
        with self.assertRaisesRegex(programs.Failed, "not in the library: LATCH"):
            gates.counts({"LATCH": 1}, LIBRARY + "cell (LATCH) { area : 0; }")

    def test_memories_are_not_gates(self):
        self.assertEqual(gates.counts({"$mem_v2": 2, "NAND2X1": 1}, LIBRARY)["cells"], 1)

    def test_a_cell_that_the_library_lacks_is_an_error(self):
        with self.assertRaisesRegex(programs.Failed, "not in the library: \\$_DFF_P_"):
            gates.counts({"NAND2X1": 1, "$_DFF_P_": 1}, LIBRARY)

    def test_a_library_without_a_nand_is_an_error(self):
        with self.assertRaises(programs.Failed):
            gates.unit_area("cell (INVX1) { area : 16; }")


if __name__ == "__main__":
    unittest.main()
