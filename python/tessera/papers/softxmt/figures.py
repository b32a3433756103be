"""figures: the four figures of the SoftXMT reproduction, from softxmt.csv, as SVG and PNG beside it.

Columns of the file: figure, series, x (lists, tasks or bytes), rate (M/s).
"""

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

from tessera import plot
from tessera.reproduce import pictures

FIGURES = {
    "lists": ("n lists in one loop, one core", "lists"),
    "tasks": ("one list per task, one core", "tasks"),
    "delay": ("one list per task, two cores, with a delay", "tasks"),
    "cache": ("updates of a private set between two lines", "bytes of the set"),
}


def read(file: Path) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Points by figure and series."""
    figures: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    with file.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            figures[row["figure"]][row["series"]].append((float(row["x"]), float(row["rate_M_per_s"])))
    return figures


def draw(name: str, series: dict[str, list[tuple[float, float]]], folder: Path) -> None:
    """Draws one figure in both formats."""
    import matplotlib as mpl

    mpl.use("Agg")
    title, label = FIGURES[name]
    figure, (axes,) = plot.panels(1)
    figure.set_size_inches(8, 5)
    dashed = [which for which in series if which == "Little's law" or which.startswith("48")]
    plot.draw_curves(axes, series, dashed=dashed)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.2 * max(y for which, p in series.items() if which != "Little's law" for _, y in p))
    plot.finish(axes, title=title, x=label, y="million lines per second", legend_columns=2)
    for suffix in ("svg", "png"):
        figure.savefig(folder / f"softxmt_{name}.{suffix}", bbox_inches="tight")


def main(words: list[str]) -> int:
    """Draws every figure of FOLDER/softxmt.csv."""
    parser = argparse.ArgumentParser(prog="tessera.reproduce softxmt", description="draw the figures of softxmt.csv")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="with the file softxmt.csv")
    folder = parser.parse_args(words).folder
    if not pictures.available():
        print("the pictures are missing: this Python has no matplotlib; the points are in softxmt.csv", file=sys.stderr)
        return 3
    figures = read(folder / "softxmt.csv")
    for name in FIGURES:
        draw(name, figures[name], folder)
    print(f"written: {folder}/softxmt_{{{','.join(FIGURES)}}}.svg and .png")
    return 0
