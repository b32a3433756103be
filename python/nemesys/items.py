"""items: what an item of the report is: a table, curves or bars to draw, and sentences on what differs and why."""

import dataclasses

from nemesys.measures import Results
from nemesys.paper import Paper

Cell = str | int | float | None


@dataclasses.dataclass
class Item:
    """One item of the paper, measured."""

    name: str  # as in plan.ITEMS
    title: str
    columns: list[str]
    rows: list[list[Cell]]
    sentences: list[str]
    # Panels of a picture: title, what the axes are, and named series of (x, y); bars if the x are texts.
    panels: list["Panel"] = dataclasses.field(default_factory=list)
    of: str = "nemesys"  # the paper, as `tess reproduce` calls it

    @property
    def file(self) -> str:
        """Names its files."""
        return f"{self.of}_{self.name.replace(' ', '_')}"


@dataclasses.dataclass
class Panel:
    """One system of axes."""

    title: str
    x: str
    y: str
    series: dict[str, list[tuple[float | str, float | None]]]
    logarithmic: str = ""  # axes
    band: tuple[float, float] | None = None  # of y: what the paper says
    band_name: str = "the paper's range"
    scattered: bool = False  # points without lines between them

    @property
    def bars(self) -> bool:
        """Rather than curves."""
        return any(isinstance(x, str) for points in self.series.values() for x, _ in points)


@dataclasses.dataclass
class Check:
    """What a reproduction must reach: met, not met, or None where nothing was measured."""

    what: str
    paper: str
    must: str
    ours: str
    met: bool | None


@dataclasses.dataclass
class Known:
    """What items are made from."""

    results: Results
    paper: Paper


def percent(share: float | None, digits: int = 1) -> Cell:
    """A share as a cell."""
    return None if share is None else round(100 * share, digits)


def rounded(value: float | None, digits: int = 3) -> Cell:
    """A number as a cell: so many digits that count."""
    return None if value is None else float(f"{value:.{digits}g}")


def ratio(value: float | None, to: float | None) -> float | None:
    """None if one is not known."""
    return None if value is None or not to else value / to
