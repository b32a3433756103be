"""pictures: draws the panels of an item as SVG and PNG; the only module of the reports that needs matplotlib."""

from pathlib import Path

from tessera.reproduce.items import Item, Panel

COLUMNS = 2
NAMES_MAX = 80  # characters of horizontal labels under one panel


def available() -> bool:
    """Whether this Python has matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def bars(axes, panel: Panel) -> None:
    """Draws a group of bars for each text."""
    names = list(dict.fromkeys(x for points in panel.series.values() for x, _ in points))
    width = 0.8 / max(len(panel.series), 1)
    for number, (label, points) in enumerate(panel.series.items()):
        values = dict(points)
        at = [i + (number - (len(panel.series) - 1) / 2) * width for i in range(len(names))]
        axes.bar(at, [values.get(name) or 0 for name in names], width, label=label)
    axes.set_xticks(range(len(names)), names)
    if sum(len(name) for name in names) > NAMES_MAX:
        axes.tick_params("x", rotation=90, labelsize="x-small")


def curves(axes, panel: Panel) -> None:
    """Draws points, connected by lines unless they are scattered."""
    for label, points in panel.series.items():
        present = sorted((x, y) for x, y in points if y is not None)
        if present:
            line = {"linestyle": "", "markersize": 2, "rasterized": True} if panel.scattered else {}
            axes.plot(*zip(*present, strict=True), marker=".", label=label, **line)
    if "x" in panel.logarithmic:
        axes.set_xscale("log", base=2)
    if "y" in panel.logarithmic:
        axes.set_yscale("log")


def draw(item: Item, folder: Path) -> list[Path]:
    """Draws the item's picture in both formats; nothing if it has no panels."""
    panels = [panel for panel in item.panels if panel.series]
    if not panels:
        return []
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = item.paper  # so that the same picture gives the same file
    from matplotlib import pyplot as plt

    rows = -(-len(panels) // COLUMNS)
    across = min(COLUMNS, len(panels))
    figure, grid = plt.subplots(rows, across, figsize=(6.5 * across, 3.8 * rows), squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        (bars if panel.bars else curves)(axes, panel)
        axes.set(title=panel.title, xlabel=panel.x, ylabel=panel.y)
        if panel.band is not None:
            axes.axhspan(*panel.band, color="grey", alpha=0.2, label=panel.band_name)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="x-small")
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_visible(False)
    figure.tight_layout()
    files = [folder / f"{item.file}.{suffix}" for suffix in ("svg", "png")]
    for file in files:
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    plt.close(figure)
    return files
