"""pictures_test: legends cover nothing and stay in the picture, names do not overlap, every mechanism has one colour.

Method: figures are laid out without a file, and the boxes of what they show are compared. Needs matplotlib.
"""

import itertools
import unittest

from tessera.reproduce import palette, pictures
from tessera.reproduce.items import Item, Panel

KERNELS = ("BF", "DST", "BY", "DR", "DS", "KC", "LCR", "HS", "DP", "MIS", "MST", "VC")
WAYS = ("message passing", "Pegasus", "NEMESYS", "NEMESYS without allocations")
PATTERNS = [f"{name}_{by}" for name in ("RAND", "STRIDEN", "PTRCHASE", "CENTRAL", "SCATTER") for by in ("ADD", "CAS")]


def bars(names: tuple[str, ...], series: tuple[str, ...], title: str = "single") -> Panel:
    values = {way: [(name, 1.0 + (i + j) % 3) for j, name in enumerate(names)] for i, way in enumerate(series)}
    errors = {series[0]: [(0.9, 4.0)] * len(names)}
    return Panel(title, "kernel", "run time / message passing", values, band=(0.26, 0.74), errors=errors)


def curves(series: tuple[str, ...]) -> Panel:
    return Panel("curves", "N", "cycles", {name: [(1, 1.0), (64, 2.0)] for name in series}, logarithmic="x")


ITEMS = {
    "two groups of bars": [bars(KERNELS, WAYS), bars(KERNELS, WAYS, "twin")],
    "other names in the last panel": [bars(KERNELS, WAYS), bars(KERNELS, ("NEMESYS, single",))],
    "long names": [bars(tuple(PATTERNS), ("NEMESYS", "CNI", "RAE", "tasks", "all"))],
    "nine curves": [curves(tuple(f"{name} {graph}:14" for name in ("bfs", "sssp", "pagerank")
                                 for graph in ("kron", "uniform", "grid")))],
    "more than one legend can hold": [curves(tuple(f"48 tasks, {i} updates" for i in range(14)))],
}  # fmt: skip


@unittest.skipUnless(pictures.available(), "no matplotlib")
class Layout(unittest.TestCase):
    def drawn(self, panels: list[Panel]):
        figure = pictures.draw_item(Item("figure 9", "t", [], [], [], panels))
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        FigureCanvasAgg(figure).draw()
        return figure

    def legends(self, figure) -> list:
        return [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]

    def test_legends_cover_no_axes_and_are_not_cut(self):
        for name, panels in ITEMS.items():
            figure = self.drawn(panels)
            legends = self.legends(figure)
            self.assertTrue(legends, name)
            for legend in legends:
                box = legend.get_window_extent()
                for axes in figure.axes:
                    self.assertFalse(axes.get_visible() and box.overlaps(axes.bbox), name)
                self.assertGreaterEqual(box.x0, -1, name)
                self.assertGreaterEqual(box.y0, -1, name)
                self.assertLessEqual(box.x1, figure.bbox.x1 + 1, name)

    def test_names_do_not_overlap(self):
        for name, panels in ITEMS.items():
            figure = self.drawn(panels)
            texts = [label for axes in figure.axes if axes.get_visible()
                     for label in (*axes.get_xticklabels(), axes.title, axes.xaxis.label)]  # fmt: skip
            boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
            boxes += [("legend", legend.get_window_extent()) for legend in self.legends(figure)]
            for (one, a), (other, b) in itertools.combinations(boxes, 2):
                self.assertFalse(a.overlaps(b), f"{name}: {one!r} and {other!r}")

    def test_error_bars_are_drawn(self):
        figure = self.drawn(ITEMS["two groups of bars"])
        self.assertTrue(all(len(axes.collections) >= 1 for axes in figure.axes))


class Palette(unittest.TestCase):
    def test_a_mechanism_has_the_same_colour_in_all_pictures(self):
        one = palette.styles(["message passing", "NEMESYS", "Pegasus"])
        other = palette.styles(["Pegasus", "without NCA", "NEMESYS"])
        self.assertEqual((one["NEMESYS"], one["Pegasus"]), (other["NEMESYS"], other["Pegasus"]))
        self.assertEqual(one["NEMESYS"], palette.styles(["NEMESYS, single"])["NEMESYS, single"])

    def test_variants_differ(self):
        made = palette.styles(["Pegasus, 4 x 8 KB", "Pegasus, 4 x 16 KB", "NEMESYS, 4 x 8 KB"])
        self.assertEqual(len(set(made.values())), 3)
        self.assertEqual(made["Pegasus, 4 x 8 KB"], palette.styles(["Pegasus"])["Pegasus"])

    def test_the_longest_name_counts(self):
        self.assertEqual(palette.mechanism("NEMESYS without allocations"), "NEMESYS without allocations")
        self.assertEqual(palette.mechanism("all"), "all")
        self.assertIsNone(palette.mechanism("rae-6, all"))

    def test_unknown_names_have_colours_of_their_own(self):
        made = palette.styles([f"series {i}" for i in range(9)])
        self.assertEqual(len({colour for colour, _ in made.values()}), 9)


if __name__ == "__main__":
    unittest.main()
