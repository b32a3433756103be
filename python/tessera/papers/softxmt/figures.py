"""figures: the four figures of SoftXMT, with every point as a row, and the paper's rates beside them.

Units: million lines per second, of all cores used.
"""

from tessera.papers.softxmt.checks import DELAYED_CORES
from tessera.papers.softxmt.measures import Results
from tessera.reproduce.items import Cell, Item, Panel, rounded

RATE = "million lines per second"
KNOWN = {
    "lists": ("n lists in one loop, one core", "lists"),
    "tasks": ("One list for each task, one core", "tasks"),
    "delay": ("One list for each task, two cores, with a delay", "tasks"),
    "cache": ("Updates of a private set between two lines, one core", "bytes of the set"),
}


def sentences_of(results: Results, figure: str) -> list[str]:
    """What differs from the paper by design."""
    paper = results.paper
    if figure == "lists":
        return [
            f"The paper: {paper['core_best']} of one core, {paper['chip_best']} of a chip of six cores, which share a "
            f"queue of 32 lines, and {paper['controller_best']} of two chips on one memory. Lists are in 1 GiB pages "
            "there; here 2 MiB pages are asked for, and where they are off, every line costs a walk through the page "
            "tables. The lists are larger than the last cache; where other computers share it, some lines may be found "
            "there."
        ]
    if figure == "delay":
        return [
            f"The paper: {paper['delay_us']} for the round trip through two interfaces and a switch; ours is one "
            f"figure for all. Little's law is tasks / {paper['delay_us']}. The paper's rates are those of six cores, "
            f"ours of {DELAYED_CORES}."
        ]
    return []


def paper_rate(results: Results, figure: str) -> tuple[float, float] | None:
    """The paper's best rate of as many cores as are measured here; None where it states none."""
    claim = {"lists": ("core_best", 1), "delay": ("delay_best", DELAYED_CORES)}.get(figure)
    return None if claim is None else (results.paper[claim[0]].low * claim[1],) * 2


def figure(results: Results, name: str) -> Item:
    """One of the four."""
    title, x = KNOWN[name]
    rows: list[list[Cell]] = []
    panels: dict[str, Panel] = {}
    for series, curve in results.series(name).items():
        # Pairs of tasks and updates have a panel for each number of tasks.
        panel, _, label = series.partition(", ") if name == "cache" else (title, "", series)
        of = panels.setdefault(panel, Panel(panel, x, RATE, {}, logarithmic="x", band=paper_rate(results, name),
                                            band_name="the paper's best"))  # fmt: skip
        of.series[label] = list(curve.items())
        rows += [[series, at, rounded(rate, 4)] for at, rate in curve.items()]
    if name == "delay" and rows:
        most = max(rate for _, _, rate in rows)
        delay = results.paper["delay_us"].low
        law = [(at, at / delay) for _, at, _ in rows if at / delay <= most]
        next(iter(panels.values())).series["Little's law"] = law
    return Item(name, title, ["series", x, RATE], rows, sentences_of(results, name), list(panels.values()))


MAKERS = {name: (lambda results, name=name: figure(results, name)) for name in KNOWN}
