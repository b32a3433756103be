"""figures_test: in the pictures of all papers nothing covers another, every axis says what it counts and in which unit,
a mechanism has one colour in all of them, and what the paper states about a figure is drawn in it.

Method: every item of every paper, from made-up outputs of its runs in full size; pictures are laid out without a file,
and the boxes of what they show are compared. Needs matplotlib for the first half.
"""

import functools
import itertools
import re
import unittest

from tessera.papers.cni.plan import SWEEP
from tessera.reproduce import palette, pictures
from tessera.reproduce.__main__ import PAPERS
from tessera.reproduce.items import Item, Panel

from . import cni_test, nemesys_test, rae_test, rmem_test, softxmt_test, together_test

GAP = 3  # pixels between names below bars
UNITS = re.compile(r"\b(µs|ms|s|MB/s|KiB|bytes|cycles|per second|per µs|times)\b|%")
RATIO = re.compile(r" / |\b(relative to|times)\b")
COUNTS = ("cores", "rounds", "peers", "places", "tasks", "lists", "elements", "compute tiles", "outstanding requests",
          "requests under way", "instructions", "compare-and-swap")  # fmt: skip
# Figures about which the text has a value in the figure's unit; the others are compared in words (checks.md).
WITH_PAPER = {
    "softxmt": {"lists", "delay"},
    "rmem": {"figure 3"},
    "cni": {"figure 8", "figure 9", "figure 10", "figure 11a", "figure 11b"},
    "rae": {"figure 1", "figure 2", "figure 7", "figure 8", "figure saving"},
    "nemesys": {"figure 8", "figure 9", "figure 10", "figure 11", "conditions"},
}


@functools.cache
def items() -> dict[tuple[str, str], Item]:
    """Every item of every paper, by paper and name."""
    results = {
        "softxmt": [softxmt_test.results()],
        "rmem": [rmem_test.results()],
        "cni": [cni_test.results(), cni_test.results(items=(SWEEP,))],
        "rae": [rae_test.results()],
        "together": [together_test.results(quick=False)],
        "nemesys": [nemesys_test.Checks().results()],
    }
    return {(paper, item): PAPERS[paper].makers[item](one)
            for paper, all_of in results.items() for one in all_of for item in one.plan.items}  # fmt: skip


def panels() -> list[tuple[str, Panel]]:
    """All panels, each with the names of paper and item."""
    return [(f"{paper} {name}", panel) for (paper, name), item in items().items() for panel in item.panels]


@functools.cache
def drawn(paper: str, name: str):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = pictures.draw_item(items()[paper, name])
    if figure is not None:
        FigureCanvasAgg(figure).draw()
    return figure


def shown_axes(figure) -> list:
    return [axes for axes in figure.axes if axes.get_visible()]


def legends(figure) -> list:
    return [*figure.legends, *(axes.get_legend() for axes in shown_axes(figure) if axes.get_legend())]


def is_tick_shown(axes, label, axis: str) -> bool:
    """Matplotlib keeps labels beyond the ends of an axis, which it does not draw."""
    at = label.get_position()[0 if axis == "x" else 1]
    low, high = sorted(axes.get_xlim() if axis == "x" else axes.get_ylim())
    return low <= at <= high


def boxes(figure) -> list[tuple[str, object]]:
    """What a picture shows besides its axes' insides: names, titles, labels and legends."""
    texts = []
    for axes in shown_axes(figure):
        texts += [text for text in (axes.title, axes.xaxis.label, axes.yaxis.label)]
        texts += [one for one in axes.get_xticklabels() if is_tick_shown(axes, one, "x")]
        texts += [one for one in axes.get_yticklabels() if is_tick_shown(axes, one, "y")]
    found = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return found + [("legend", legend.get_window_extent()) for legend in legends(figure)]


@unittest.skipUnless(pictures.available(), "no matplotlib")
class Layout(unittest.TestCase):
    def test_names_labels_and_legends_do_not_overlap(self):
        for paper, name in items():
            figure = drawn(paper, name)
            for (one, a), (other, b) in itertools.combinations(boxes(figure) if figure else [], 2):
                self.assertFalse(a.overlaps(b), f"{paper} {name}: {one!r} and {other!r}")

    def test_names_below_bars_have_a_gap(self):
        for paper, name in items():
            for axes in shown_axes(figure) if (figure := drawn(paper, name)) else []:
                shown = [one for one in axes.get_xticklabels() if is_tick_shown(axes, one, "x") and one.get_text()]
                ends = sorted((box.x0, box.x1) for box in (one.get_window_extent() for one in shown))
                for (_, end), (begin, _) in itertools.pairwise(ends):
                    self.assertGreaterEqual(begin - end, GAP, f"{paper} {name}: {[one.get_text() for one in shown]}")

    def test_legends_cover_no_axes_and_nothing_is_cut(self):
        for paper, name in items():
            if (figure := drawn(paper, name)) is None:
                continue
            for legend in legends(figure):
                for axes in shown_axes(figure):
                    self.assertFalse(legend.get_window_extent().overlaps(axes.bbox), f"{paper} {name}")
            for text, box in boxes(figure):
                inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1
                self.assertTrue(inside, f"{paper} {name}: {text!r} at {box.bounds}")

    def test_axes_keep_room(self):
        """Long names and legends must not press the bars together."""
        for paper, name in items():
            for axes in shown_axes(figure) if (figure := drawn(paper, name)) else []:
                self.assertGreater(axes.bbox.height / figure.dpi, 1.5, f"{paper} {name}")


class Labels(unittest.TestCase):
    def test_every_axis_says_what_it_counts_and_in_which_unit(self):
        for name, panel in panels():
            labels = [panel.y] if panel.bars else [panel.x, panel.y]
            for label in labels:
                known = UNITS.search(label) or RATIO.search(label) or any(one in label for one in COUNTS)
                self.assertTrue(known, f"{name}: {panel.title!r}: axis {label!r} has no unit and is no count")
                self.assertNotIn(label, ("%", "s", "ms", "µs", "times one"), f"{name}: a unit of what?")
            if panel.bars:
                self.assertTrue(panel.x, f"{name}: {panel.title!r}: what the bars stand for")

    def test_every_panel_has_a_title_of_its_own(self):
        for (paper, name), item in items().items():
            titles = [panel.title for panel in item.panels]
            self.assertEqual(len(set(titles)), len(titles), f"{paper} {name}")
            self.assertTrue(all(titles), f"{paper} {name}")

    def test_what_the_paper_states_is_drawn(self):
        for paper, names in WITH_PAPER.items():
            for name in names:
                item = items()[paper, name]
                with self.subTest(paper=paper, item=name):
                    self.assertTrue(any(panel.band or panel.paper for panel in item.panels))

    def test_every_figure_has_points(self):
        for (paper, name), item in items().items():
            for panel in item.panels:
                values = [y for points in panel.series.values() for _, y in points if y is not None]
                self.assertTrue(values, f"{paper} {name}: {panel.title}")


class Colours(unittest.TestCase):
    def test_a_mechanism_has_its_colour_wherever_it_is(self):
        for (paper, name), item in items().items():
            styles = palette.styles(dict.fromkeys(one for panel in item.panels for one in panel.series))
            first: dict[str, str] = {}
            for series, (colour, _) in styles.items():
                known = palette.mechanism(series)
                if known is not None:
                    first.setdefault((palette.MECHANISMS | palette.WHOLE_NAMES)[known], colour)
            for base, colour in first.items():
                self.assertEqual(base, colour, f"{paper} {name}: {styles}")

    def test_no_two_series_of_a_picture_look_alike(self):
        for (paper, name), item in items().items():
            styles = palette.styles(dict.fromkeys(one for panel in item.panels for one in panel.series))
            self.assertEqual(len(set(styles.values())), len(styles), f"{paper} {name}: {styles}")

    def test_every_name_of_the_palette_occurs(self):
        shown = {one for _, panel in panels() for one in panel.series}
        for known in palette.MECHANISMS:
            self.assertTrue(any(palette.mechanism(one) == known for one in shown), known)


if __name__ == "__main__":
    unittest.main()
