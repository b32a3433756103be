"""diagrams_test: the pictures of the hardware are those of their sources, and are drawn as the sources say."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import diagrams  # noqa: E402


class Diagrams(unittest.TestCase):
    def test_pictures_are_up_to_date(self) -> None:
        self.assertEqual(diagrams.main(["--check"]), 0)

    def test_dots_repeat_levels_but_not_data(self) -> None:
        self.assertEqual(diagrams.expanded("0.1..x.=."), "001" + "11xx=.")

    def test_data_are_labelled_in_order(self) -> None:
        drawn = "".join(diagrams.lane("x=.=", ["first", "second"], 0))
        self.assertLess(drawn.index(">first<"), drawn.index(">second<"))

    def test_arrows_join_the_nearest_sides(self) -> None:
        self.assertEqual(diagrams.meet([0, 0, 10, 10], [30, 0, 10, 10]), (10, 5, 30, 5))
        self.assertEqual(diagrams.meet([0, 40, 10, 10], [0, 0, 10, 10]), (5, 40, 5, 10))
        with self.assertRaises(SystemExit):
            diagrams.meet([0, 0, 10, 10], [30, 30, 10, 10])


if __name__ == "__main__":
    unittest.main()
