"""pictures: draws the panels of an item as SVG and PNG, by tessera.plot; the only module that needs matplotlib."""

from pathlib import Path

from tessera import plot
from tessera.reproduce.items import Item


def available() -> bool:
    """Whether this Python has matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def draw(item: Item, folder: Path) -> list[Path]:
    """Draws the item's picture in both formats; nothing if it has no panels."""
    panels = [panel for panel in item.panels if panel.series]
    if not panels:
        return []
    import matplotlib as mpl

    mpl.use("Agg")
    figure, all_axes = plot.panels(len(panels))
    for axes, panel in zip(all_axes, panels, strict=True):
        if panel.bars:
            plot.draw_bars(axes, panel.series)
        else:
            plot.draw_curves(axes, panel.series, logarithmic=panel.logarithmic, scattered=panel.scattered)
        if panel.band is not None:
            axes.axhspan(*panel.band, color="grey", alpha=0.2, label=panel.band_name)
        plot.finish(axes, title=panel.title, x=panel.x, y=panel.y)
    figure.tight_layout()
    files = [folder / f"{item.file}.{suffix}" for suffix in ("svg", "png")]
    for file in files:
        plot.save(figure, file)
    return files
