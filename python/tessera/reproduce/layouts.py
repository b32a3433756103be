"""layouts: the same run with stack, heap and mappings elsewhere, and what was measured in several layouts as one.

The machine is deterministic, but which lines of a cache the stack shares with other data is an accident, and moves a
time by up to some per cent. So every timed run is made in several layouts (`tess run --layout N`), 0 being the usual
one. On this computer a layout is a repetition. A paper's measurements read those of one layout; numbers of several are
merged here: the median, and an interval (`verdict.py`).

A run whose attribute `layouts` is False counts what no layout changes, or belongs to an item beyond the paper; it is
made once. A run whose attribute `small` is another run is made once, too, as it takes long; that one, of the same
program and machine on a smaller input, is made in each layout instead. Each number of the long run is then multiplied
by the factor by which a layout changes it in the small one, relative to the median of layouts (`scaled`). A long run
averages more accidents than a short one, so the interval is no narrower than that of long runs would be: testing.md in
docs/internals has measured spreads.
"""

import dataclasses
from collections.abc import Sequence
from statistics import median
from typing import Any

from tessera.reproduce import other
from tessera.reproduce.items import Cell, Item, Panel
from tessera.reproduce.verdict import Interval, coverage, interval, rank_of
from tessera.simulator.execute import AnyRun, Executor

DEFAULT, QUICK = 5, 1
RESULT = "result"  # of a program, among its statistics


@dataclasses.dataclass(frozen=True)
class Laid(other.Otherwise):
    """A run in one layout but the usual one."""

    layout: int

    @property
    def difference(self) -> str:
        """The layout."""
        return f"layout-{self.layout}"

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        return ["--layout", str(self.layout), *self.run.words(machine)]


def laid(run: AnyRun, layout: int) -> AnyRun:
    """The run in a layout; itself in the usual one, and if no layout changes it."""
    return run if layout == 0 or not getattr(run, "layouts", True) else Laid(run, layout)


def small_of(run: AnyRun) -> AnyRun | None:
    """The run that is made in each layout in place of a long one."""
    return getattr(run, "small", None)


def all_runs(runs: Sequence[AnyRun], count: int) -> list[AnyRun]:
    """The runs in each layout, once each: first all in the usual one, in the order given."""
    if count == 1:
        return list(dict.fromkeys(runs))
    repeated = [small_of(run) or run for run in runs]
    return list(dict.fromkeys([*runs, *(laid(run, layout) for layout in range(count) for run in repeated)]))


def scaled(long: Any, small: Any, all_small: Sequence[Any]) -> Any:
    """A statistic of a long run as a layout changes it: times that of the small run over its median of all layouts.

    Statistics are trees of dictionaries and lists. What is no number in all of them, counts that no layout changes, and
    what is 0 in the median stay as they are.
    """
    if isinstance(long, dict):
        alike = all(isinstance(one, dict) for one in (small, *all_small))
        return {name: scaled(value, small.get(name), [one.get(name) for one in all_small])
                if alike and name != RESULT else value
                for name, value in long.items()}  # fmt: skip
    if isinstance(long, list):
        alike = all(isinstance(one, list) and len(one) == len(long) for one in (small, *all_small))
        each = enumerate(long) if alike else ()
        return [scaled(value, small[i], [one[i] for one in all_small]) for i, value in each] or long
    if not is_number(long) or not all(is_number(one) for one in (small, *all_small)):
        return long
    middle = median(all_small)
    if not middle or small == middle:
        return long
    factor = small / middle
    return round(long * factor) if isinstance(long, int) else long * factor


class View(other.View):
    """An executor as a paper's measurements see it: each run stands for the same one in another layout."""

    def __init__(self, executor: Executor, layout: int, count: int = 1) -> None:
        # A long run is made in the usual layout only.
        super().__init__(executor, lambda run: run if self._small(run) else laid(run, layout))
        self._layout = layout
        self._count = count

    def _small(self, run: AnyRun) -> list[AnyRun]:
        """The small runs in place of a long one, in all layouts; none with a single layout, or where there is none."""
        small = small_of(run) if self._count > 1 else None
        return [] if small is None else [laid(small, layout) for layout in range(self._count)]

    def is_done(self, run: AnyRun) -> bool:
        """Whether the run succeeded in this layout, or a long one and its small runs in all."""
        return super().is_done(run) and all(map(self._executor.is_done, self._small(run)))

    def statistics(self, run: AnyRun) -> dict:
        """Its statistics."""
        own = super().statistics(run)
        each = [self._executor.statistics(one) for one in self._small(run)]
        return scaled(own, each[self._layout], each) if each else own


def explained(count: int) -> str:
    """What the intervals of a report are, as a sentence."""
    if count == 1:
        return "1: no intervals"
    words = f"{count}; numbers are medians, and intervals contain the median of all layouts with a probability of "
    rank = rank_of(count)
    ends = "from the lowest to the highest" if rank == 1 else f"from the {rank} lowest to the {rank} highest (in order)"
    return f"{words}{100 * coverage(count, rank):.4g} %, {ends}, whatever their distribution"


# Merging -------------------------------------------------------------------------------------------------------------


def is_number(cell: Cell) -> bool:
    """Whether a cell can have a median."""
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def shape(item: Item) -> list[list[object]]:
    """Texts and gaps of the rows: layouts whose rows differ in these cannot be merged."""
    return [["#" if is_number(cell) else cell for cell in row] for row in item.rows]


def merged_cell(cells: Sequence[Cell]) -> tuple[Cell, Interval | None]:
    """The median of the numbers, and their interval if they differ; the first cell if they are no numbers."""
    if not all(map(is_number, cells)) or len(set(cells)) == 1:
        return cells[0], None
    found = interval([float(cell) for cell in cells])
    kept = found.median if not all(isinstance(cell, int) for cell in cells) else round(found.median)
    return kept, found


def merged_panel(panels: Sequence[Panel]) -> Panel:
    """A panel with medians and error bars; points that are missing in a layout are those of the first."""
    series, errors = {}, {}
    for name, points in panels[0].series.items():
        others = [panel.series.get(name, []) for panel in panels]
        if any([x for x, _ in one] != [x for x, _ in points] for one in others):
            series[name] = points
            continue
        made = [merged_cell([one[i][1] for one in others]) for i in range(len(points))]
        series[name] = [(x, y) for (x, _), (y, _) in zip(points, made, strict=True)]
        if any(found is not None for _, found in made):
            errors[name] = [None if found is None else (found.low, found.high) for _, found in made]
    return dataclasses.replace(panels[0], series=series, errors=errors)


def merged(items: Sequence[Item]) -> Item:
    """One item of the same item measured in each layout. Its sentences are those of the first."""
    first = items[0]
    alike = [item for item in items if shape(item) == shape(first) and len(item.panels) == len(first.panels)]
    if len(items) == 1:
        return first
    rows, intervals = [], []
    for row in zip(*(item.rows for item in alike), strict=True):
        cells = [merged_cell(cells) for cells in zip(*row, strict=True)]
        rows.append([cell for cell, _ in cells])
        intervals.append([found for _, found in cells])
    panels = [merged_panel(panels) for panels in zip(*(item.panels for item in alike), strict=True)]
    sentences = list(first.sentences)
    if len(alike) < len(items):
        sentences.append(f"{len(items) - len(alike)} of {len(items)} layouts lack some of the runs and are left out.")
    return dataclasses.replace(
        first, rows=rows, panels=panels, sentences=sentences, intervals=intervals, layouts=len(alike)
    )
