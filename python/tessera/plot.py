"""plot: figures of measurements: curves, bars and degrees, on one or several panels; the reproductions draw with them.

Functions take a DataFrame, or a Series, and return a matplotlib figure: notebooks show it, and `save` writes it.
`draw_curves` and `draw_bars` draw on given axes, from points: a list of pairs (x, y) for each name, where a y that
is None was not measured. Needs matplotlib.
"""

from collections.abc import Mapping, Sequence

COLUMNS = 2  # panels side by side
PANEL_INCHES = (6.5, 3.8)
LETTERS_AN_INCH = 13  # of horizontal names below bars

Points = Mapping[str, Sequence[tuple]]


Ends = Mapping[str, Sequence[tuple[float, float] | None]]


def error_bars(axes, points: Sequence[tuple], at: Sequence[float], ends: Sequence[tuple[float, float] | None]) -> None:
    """Draws an interval at each of the points that has one."""
    kept = [(x, y, *pair) for x, (_, y), pair in zip(at, points, ends, strict=True) if pair is not None]
    if kept:
        x, y, low, high = zip(*kept, strict=True)
        below = [max(one - end, 0) for one, end in zip(y, low, strict=True)]
        above = [max(end - one, 0) for one, end in zip(y, high, strict=True)]
        axes.errorbar(x, y, yerr=[below, above], fmt="none", ecolor="#222222", elinewidth=0.8, capsize=1.5, zorder=3)


def draw_bars(axes, series: Points, *, errors: Ends | None = None, colours: Mapping[str, str] | None = None) -> None:
    """Draws a group of bars for each x, which are texts, with a bar for each name.

    `errors`: the ends of an interval, or None, for each point of a name. `colours`: by name.
    """
    names = list(dict.fromkeys(x for points in series.values() for x, _ in points))
    width = 0.8 / max(len(series), 1)
    for number, (label, points) in enumerate(series.items()):
        values = dict(points)
        at = [i + (number - (len(series) - 1) / 2) * width for i in range(len(names))]
        axes.bar(at, [values.get(name) or 0 for name in names], width, label=label, color=(colours or {}).get(label))
        if errors and label in errors:
            where = {name: place for name, place in zip(names, at, strict=True)}
            error_bars(axes, points, [where[x] for x, _ in points], errors[label])
    axes.set_xticks(range(len(names)), names)
    # Two neighbours need half of their longest lines each, and a gap.
    widths = [max(map(len, str(name).splitlines() or [""])) for name in names]
    widest = max((one + other) / 2 + 2 for one, other in zip(widths, widths[1:] or widths, strict=False))
    if widest * len(names) > LETTERS_AN_INCH * axes.bbox.width / axes.get_figure().dpi:
        axes.tick_params("x", rotation=90, labelsize="x-small")


def draw_curves(axes, series: Points, *, logarithmic: str = "", scattered: bool = False,
                dashed: Sequence[str] = (), errors: Ends | None = None, colours: Mapping[str, str] | None = None,
                lines: Mapping[str, str] | None = None) -> None:
    """Draws points, connected by lines unless they are scattered; those of `dashed` names are dashed.

    `logarithmic` names axes: "x", "y" or "xy". `errors`: the ends of an interval, or None, for each point of a name.
    `colours`, `lines`: by name, as matplotlib takes them.
    """
    for label, points in series.items():
        present = sorted((x, y) for x, y in points if y is not None)
        if present:
            line = {"linestyle": "", "markersize": 2, "rasterized": True} if scattered else {}
            line |= {"linestyle": "--"} if label in dashed else {}
            if lines and label in lines and not scattered:
                line["linestyle"] = lines[label]
            axes.plot(*zip(*present, strict=True), marker=".", label=label, color=(colours or {}).get(label), **line)
            if errors and label in errors:
                error_bars(axes, points, [x for x, _ in points], errors[label])
    if "x" in logarithmic:
        axes.set_xscale("log", base=2)
    if "y" in logarithmic:
        axes.set_yscale("log")


def panels(count: int, *, across: int = COLUMNS, inches: tuple[float, float] = PANEL_INCHES, constrained: bool = False):
    """A figure with axes for so many panels, `across` in a row: the figure and the list of axes.

    `inches`: of a panel. `constrained`: room is made for what stands outside of the axes, as legends.
    """
    from matplotlib import pyplot

    across = min(across, count)
    rows = -(-count // across)
    size = (inches[0] * across, inches[1] * rows)
    layout = "constrained" if constrained else None
    figure, grid = pyplot.subplots(rows, across, figsize=size, squeeze=False, layout=layout)
    for axes in list(grid.flat)[count:]:
        axes.set_visible(False)
    # Closed for pyplot, so that a notebook shows the figure once: where it is returned.
    pyplot.close(figure)
    return figure, list(grid.flat)[:count]


def finish(axes, *, title: str = "", x: str = "", y: str = "", legend_columns: int = 1, legend: bool = True) -> None:
    """Labels, grid and, unless it stands elsewhere, legend."""
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    if legend and axes.get_legend_handles_labels()[0]:
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
