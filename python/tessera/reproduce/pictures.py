"""pictures: draws the panels of an item as SVG and PNG, by tessera.plot; the only module that needs matplotlib.

Legends stand outside of the axes, so that they cover no bar; names that do not fit side by side are turned.
"""

from pathlib import Path

from tessera import plot
from tessera.reproduce import palette
from tessera.reproduce.items import Item, Panel

BARS_MAX = 24  # in a panel that has a second one beside it
WIDE_INCHES, NARROW_INCHES = (11.5, 4.0), (6.5, 4.0)
PAPER = "#b8a800"  # its values
PAPER_LINE = (0, (1, 1.5))  # of its points, in the colour of the same mechanism
LEGEND_MAX = 12  # names of a legend below all panels
LETTER_INCHES, MARK_LETTERS = 0.075, 7  # of a legend's text; the mark before it, and the space behind it


def available() -> bool:
    """Whether this Python has matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def is_wide(panel: Panel) -> bool:
    """Whether a panel needs the whole width."""
    return panel.bars and sum(len(points) for points in panel.series.values()) > BARS_MAX


def draw_band(axes, panel: Panel) -> None:
    """The paper's value, or its range, across the panel."""
    low, high = panel.band
    if low == high:
        axes.axhline(low, color=PAPER, linestyle=(0, (4, 2)), label=f"{panel.band_name}: {low:.4g}", zorder=0)
        return
    axes.axhspan(low, high, color="#f0e442", alpha=0.35, label=f"{panel.band_name}: {low:.3g} to {high:.3g}", zorder=0)
    for end in (low, high):
        axes.axhline(end, color=PAPER, linewidth=0.6, zorder=0)


def draw_paper(axes, panel: Panel) -> None:
    """The paper's points: hollow, in the colour of the same mechanism; on a dotted line, but for those of bars."""
    names = list(dict.fromkeys(x for points in panel.series.values() for x, _ in points))
    for name, points in panel.paper.items():
        known = palette.mechanism(name)
        x, y = zip(*points, strict=True)
        x = [names.index(one) for one in x] if panel.bars else x
        colour = palette.MECHANISMS[known] if known in palette.MECHANISMS else PAPER
        axes.plot(x, y, linestyle="" if panel.bars else PAPER_LINE, linewidth=1.2, marker="D", markersize=5,
                  markerfacecolor="none", color=colour, label=name, zorder=4)  # fmt: skip


def draw_panel(axes, panel: Panel, styles: dict[str, tuple[str, str]]) -> None:
    """Draws one panel without its legend."""
    colours = {name: colour for name, (colour, _) in styles.items()}
    if panel.bars:
        plot.draw_bars(axes, panel.series, errors=panel.errors, colours=colours)
    else:
        lines = {name: line for name, (_, line) in styles.items()}
        plot.draw_curves(axes, panel.series, logarithmic=panel.logarithmic, scattered=panel.scattered,
                         errors=panel.errors, colours=colours, lines=lines)  # fmt: skip
    draw_paper(axes, panel)
    if panel.band is not None:
        draw_band(axes, panel)
    plot.finish(axes, title=panel.title, x=panel.x, y=panel.y, legend=False)
    if panel.bars:
        axes.grid(visible=False, axis="x")


def add_legends(figure, all_axes) -> None:
    """One legend below all panels, or, if it would be long, one beside each."""
    legends = [axes.get_legend_handles_labels() for axes in all_axes]
    known: dict[str, object] = {}
    for handles, labels in legends:
        known |= {label: handle for label, handle in zip(labels, handles, strict=True) if label not in known}
    if not known:
        return
    if len(known) <= LEGEND_MAX:
        inches = LETTER_INCHES * (max(map(len, known)) + MARK_LETTERS)
        columns = max(1, min(len(known), int(figure.get_figwidth() / inches)))
        figure.legend(known.values(), known.keys(), loc="outside lower center", ncols=columns, fontsize="small",
                      frameon=False)  # fmt: skip
        return
    for axes, (handles, labels) in zip(all_axes, legends, strict=True):
        axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize="small", frameon=False)


def draw_item(item: Item):
    """The item's picture as a matplotlib figure; None if it has no panels."""
    panels = [panel for panel in item.panels
              if any(y is not None for points in panel.series.values() for _, y in points)]  # fmt: skip
    if not panels:
        return None
    import matplotlib as mpl

    mpl.use("Agg")
    wide = any(map(is_wide, panels))
    figure, all_axes = plot.panels(
        len(panels), across=1 if wide else 2, inches=WIDE_INCHES if wide else NARROW_INCHES, constrained=True
    )
    styles = palette.styles(dict.fromkeys(name for panel in panels for name in panel.series))
    for axes, panel in zip(all_axes, panels, strict=True):
        draw_panel(axes, panel, {name: styles[name] for name in panel.series})
    add_legends(figure, all_axes)
    return figure


def draw(item: Item, folder: Path) -> list[Path]:
    """Draws the item's picture in both formats; nothing if it has no panels."""
    figure = draw_item(item)
    if figure is None:
        return []
    files = [folder / f"{item.file}.{suffix}" for suffix in ("svg", "png")]
    for file in files:
        plot.save(figure, file)
    return files
