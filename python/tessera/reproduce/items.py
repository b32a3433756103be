"""items: the parts of a report: an item is a table with pictures and sentences."""

import dataclasses

from tessera.reproduce.verdict import Interval

Cell = str | int | float | None


@dataclasses.dataclass
class Item:
    """A table or figure of the paper, measured."""

    name: str  # e.g. "figure 8"
    title: str
    columns: list[str]
    rows: list[list[Cell]]
    sentences: list[str]
    panels: list["Panel"] = dataclasses.field(default_factory=list)  # of one picture
    paper: str = ""  # set by the report
    intervals: list[list[Interval | None]] = dataclasses.field(default_factory=list)  # of the rows' cells
    layouts: int = 1  # that were measured; numbers are then medians
    small: bool = False  # whether intervals are those of small runs that stand for long ones; set by the report

    @property
    def file(self) -> str:
        """Stem of its files."""
        return f"{self.paper}_{self.name.replace(' ', '_')}"


@dataclasses.dataclass
class Panel:
    """One pair of axes with named series of points (x, y): bars if an x is a text, otherwise curves."""

    title: str
    x: str
    y: str
    series: dict[str, list[tuple[float | str, float | None]]]
    logarithmic: str = ""  # axes, e.g. "xy"
    band: tuple[float, float] | None = None  # the paper's range of y
    band_name: str = "the paper's range"
    paper: dict[str, list[tuple[float | str, float]]] = dataclasses.field(default_factory=dict)  # its points, by name
    scattered: bool = False  # points without connecting lines
    errors: dict[str, list[tuple[float, float] | None]] = dataclasses.field(default_factory=dict)  # of y, by name

    @property
    def bars(self) -> bool:
        """Whether bars are drawn."""
        return any(isinstance(x, str) for points in self.series.values() for x, _ in points)


def percent(share: float | None, digits: int = 1) -> Cell:
    """A share from 0 to 1 as a cell in per cent."""
    return None if share is None else round(100 * share, digits)


def rounded(value: float | None, digits: int = 3) -> Cell:
    """A number as a cell with that many significant digits."""
    return None if value is None else float(f"{value:.{digits}g}")


def ratio(value: float | None, to: float | None) -> float | None:
    """None if either is unknown, or the divisor is 0."""
    return None if value is None or not to else value / to
