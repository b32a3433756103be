"""plot: figures of measurements: curves, bars and degrees, on one or several panels; the reproductions draw with them.

Functions take a DataFrame, or a Series, and return a matplotlib figure: notebooks show it, and `save` writes it.
`draw_curves` and `draw_bars` draw on given axes, from points: a list of pairs (x, y) for each name, where a y that
is None was not measured. Needs matplotlib.
"""

from collections.abc import Mapping, Sequence

COLUMNS = 2  # panels side by side
PANEL_INCHES = (6.5, 3.8)
NAMES_MAX = 80  # characters of horizontal labels under one panel

Points = Mapping[str, Sequence[tuple]]


def draw_bars(axes, series: Points) -> None:
    """Draws a group of bars for each x, which are texts, with a bar for each name."""
    names = list(dict.fromkeys(x for points in series.values() for x, _ in points))
    width = 0.8 / max(len(series), 1)
    for number, (label, points) in enumerate(series.items()):
        values = dict(points)
        at = [i + (number - (len(series) - 1) / 2) * width for i in range(len(names))]
        axes.bar(at, [values.get(name) or 0 for name in names], width, label=label)
    axes.set_xticks(range(len(names)), names)
    if sum(len(name) for name in names) > NAMES_MAX:
        axes.tick_params("x", rotation=90, labelsize="x-small")


def draw_curves(axes, series: Points, *, logarithmic: str = "", scattered: bool = False,
                dashed: Sequence[str] = ()) -> None:
    """Draws points, connected by lines unless they are scattered; those of `dashed` names are dashed.

    `logarithmic` names axes: "x", "y" or "xy".
    """
    for label, points in series.items():
        present = sorted((x, y) for x, y in points if y is not None)
        if present:
            line = {"linestyle": "", "markersize": 2, "rasterized": True} if scattered else {}
            line |= {"linestyle": "--"} if label in dashed else {}
            axes.plot(*zip(*present, strict=True), marker=".", label=label, **line)
    if "x" in logarithmic:
        axes.set_xscale("log", base=2)
    if "y" in logarithmic:
        axes.set_yscale("log")


def panels(count: int):
    """A figure with axes for so many panels, two in a row: the figure and the list of axes."""
    from matplotlib import pyplot

    across = min(COLUMNS, count)
    rows = -(-count // across)
    size = (PANEL_INCHES[0] * across, PANEL_INCHES[1] * rows)
    figure, grid = pyplot.subplots(rows, across, figsize=size, squeeze=False)
    for axes in list(grid.flat)[count:]:
        axes.set_visible(False)
    # Closed for pyplot, so that a notebook shows the figure once: where it is returned.
    pyplot.close(figure)
    return figure, list(grid.flat)[:count]


def finish(axes, *, title: str = "", x: str = "", y: str = "", legend_columns: int = 1) -> None:
    """Labels, grid and legend."""
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="x-small", ncols=legend_columns)


def save(figure, path) -> None:
    """Writes a figure, by the ending of the path; the same figure gives the same file."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "tessera"}):
        figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def curves(data, x: str | None = None, y=None, *, series: str | None = None, panel: str | None = None,
           logarithmic: str = "", title: str = ""):
    """Curves of a column over another one: a figure.

    `data`: a DataFrame, as `tessera.sweep` returns it, or a Series over its index. `y` is a column, or several, each
    of which is a curve. There is a curve for each value of the column `series`, and a panel for each of `panel`.

    >>> import pandas, tessera as ts
    >>> frame = pandas.DataFrame({"l2_kib": [64, 128], "cycles": [9, 7]})
    >>> ts.plot.curves(frame, "l2_kib", "cycles", logarithmic="x").axes[0].get_ylabel()
    'cycles'
    """
    return _figure(data, x, y, series, panel, title,
                   lambda axes, points: draw_curves(axes, points, logarithmic=logarithmic))  # fmt: skip


def bars(data, x: str | None = None, y=None, *, series: str | None = None, panel: str | None = None, title: str = ""):
    """Bars of a column for each value of another one: a figure. Parameters are those of `curves`.

    >>> import pandas, tessera as ts
    >>> len(ts.plot.bars(pandas.Series([3, 1], ["a", "b"], name="packages")).axes[0].patches)
    2
    """
    return _figure(data, x, y, series, panel, title, lambda axes, points: draw_bars(
        axes, {name: [(str(at), value) for at, value in all_of] for name, all_of in points.items()}))  # fmt: skip


def degrees(graph, *, title: str = "degrees"):
    """The distribution of a graph's degrees, those of out-edges if it is directed: a figure with logarithmic axes.

    Counts of degrees 1, 2 to 3, 4 to 7, ... as shares of the vertices for each degree, so that a power law is a line.
    """
    import numpy as np

    found = np.diff(graph._held.offsets().astype(np.int64))
    counts = np.bincount(np.log2(found[found > 0]).astype(int)) if (found > 0).any() else np.zeros(0, int)
    points = [(1.5 * 2**k - 0.5, count / 2**k / len(found)) for k, count in enumerate(counts) if count]
    figure, (axes,) = panels(1)
    draw_curves(axes, {f"{len(found)} vertices": points}, logarithmic="xy")
    finish(axes, title=title, x="degree", y="share of vertices")
    figure.tight_layout()
    return figure


def _figure(data, x, y, series, panel, title, draw):
    if not hasattr(data, "columns"):
        y = data.name or "value"
        data = data.rename(y).rename_axis(x or data.index.name or "x").reset_index()
        x = data.columns[0]
    ys = [y] if isinstance(y, str) else list(y)
    for name in (x, *ys, *(one for one in (series, panel) if one is not None)):
        if name not in data.columns:
            raise ValueError(f"no column {name!r}, expected one of {', '.join(map(repr, data.columns))}")
    parts = [("", data)] if panel is None else list(data.groupby(panel, sort=False))
    figure, all_axes = panels(max(len(parts), 1))
    for axes, (name, part) in zip(all_axes, parts, strict=True):
        points = {}
        for column in ys:
            for value, rows in [("", part)] if series is None else part.groupby(series, sort=False):
                told = value if series is None or isinstance(value, str) else f"{series} {value}"
                label = " ".join(filter(None, [told, column if len(ys) > 1 else ""]))
                points[label or column] = list(zip(rows[x].tolist(), rows[column].tolist(), strict=True))
        draw(axes, points)
        heading = title if panel is None else f"{title}{': ' if title else ''}{panel} {name}"
        finish(axes, title=heading, x=x, y=" ".join(ys) if len(ys) == 1 else "")
    figure.tight_layout()
    return figure
