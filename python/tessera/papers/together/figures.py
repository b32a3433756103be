"""figures: cycles of all suites with each mechanism on and off, and the counters of the mechanisms.

Units: cycles relative to the row `none`, below 1 is faster; bytes; counts.
"""

from collections.abc import Callable

from tessera.papers.together.measures import Results
from tessera.papers.together.plan import ALL, MECHANISMS, NAMES, NONE, ROWS, SUITES, TITLES, Row, but
from tessera.reproduce.items import Cell, Item, Panel, rounded

MEANS = "means"
COUNTS = "counts"


def means(results: Results) -> Item:
    """Means of all suites in one table."""
    suites = results.plan.suites
    columns = ["on", *(f"{TITLES[suite]}, {len(results.plan.labels(suite))} kernels" for suite in suites)]
    rows: list[list[Cell]] = [[row.name, *(rounded(results.mean(suite, row)) for suite in suites)] for row in ROWS]
    sentences = [
        "Cycles relative to those with all four off, geometric means over the kernels of a suite; below 1 is faster.",
        *(sentence for suite in suites for sentence in alone_and_last(results, suite)),
    ]
    names = {row: row.name.replace("all but ", "all but\n") for row in ROWS}  # so that the labels fit under the bars
    series = {TITLES[suite]: [(names[row], results.mean(suite, row)) for row in ROWS] for suite in suites}
    panel = Panel("means of the suites", "mechanisms that are on", "cycles relative to none", series)
    return Item(MEANS, "Four mechanisms, on and off", columns, rows, sentences, [panel])


def alone_and_last(results: Results, suite: str) -> list[str]:
    """What each mechanism saves if it is the only one, and if it is added to the three others."""
    parts = []
    for mechanism in MECHANISMS:
        first, last = results.mean(suite, Row((mechanism,))), results.mean(suite, ALL, but(mechanism))
        if first and last:
            parts.append(f"{NAMES[mechanism]} {percent_saved(first)} and {percent_saved(last)}")
    if not parts:
        return []
    whole = results.mean(suite, ALL)
    text = f"{TITLES[suite]}: change of cycles by each mechanism alone, and when added to the three others: "
    text += ", ".join(parts)
    return [f"{text}; by all four {percent_saved(whole)}." if whole else f"{text}."]


def percent_saved(relative: float) -> str:
    """A ratio as a change in per cent."""
    return f"{100 * (relative - 1):+.1f} %"


def suite_item(results: Results, suite: str) -> Item:
    """All kernels of one suite."""
    labels = results.plan.labels(suite)
    columns = ["on", *labels, "mean"]
    rows: list[list[Cell]] = [["none, cycles", *(whole(results.cycles(suite, one, NONE)) for one in labels), None]]
    for row in ROWS[1:]:
        values = [results.relative(suite, label, row) for label in labels]
        rows.append([row.name, *map(rounded, values), rounded(results.mean(suite, row))])
    sentences = ["First row: cycles with none on; other rows: cycles relative to it. The mean is geometric."]
    best = {label: min((r, row.name) for row in ROWS if (r := results.relative(suite, label, row)))
            for label in labels if results.relative(suite, label, ALL)}  # fmt: skip
    other = [f"{label} ({name}, {rounded(r)})" for label, (r, name) in best.items()
             if r < 0.99 * results.relative(suite, label, ALL)]  # fmt: skip
    if best:
        sentences.append(
            f"Fastest with all on, or within 1 % of it: {len(best) - len(other)} of {len(best)}"
            + (f"; by another row: {', '.join(other)}." if other else ".")
        )
    chosen = [Row((one,)) for one in MECHANISMS] + [ALL]
    series = {row.name: [(label, results.relative(suite, label, row)) for label in labels] for row in chosen}
    series = {name: points for name, points in series.items() if any(y is not None for _, y in points)}
    panels = [Panel(TITLES[suite], "kernel", "cycles relative to none", series)] if series else []
    return Item(suite, TITLES[suite], columns, rows, sentences, panels)


def whole(value: float | None) -> Cell:
    """A number as a cell without decimals."""
    return None if value is None else round(value)


COUNTED = {
    "graphs by NMAs": "graphs",
    "bytes of these": "graph_bytes",
    "CNI commands": "commands",
    "CNI events": "events",
    "bytes copied by CNI": "copied_bytes",
    "operations on remote words": "remote_words",
    "requests at RAE's interfaces": "requests",
    "messages": "messages",
    "instructions": "instructions",
}


def counts(results: Results) -> Item:
    """Counters of the mechanisms."""
    columns = ["suite", "on", *COUNTED]
    rows: list[list[Cell]] = []
    for suite in results.plan.suites:
        for row in ROWS:
            found = results.counts(suite, row)
            rows.append([TITLES[suite], row.name, *(found and getattr(found, name) for name in COUNTED.values())])
    sentences = [
        "Sums over whole runs, including loading and checking, and over all programs of a suite. A mechanism that is "
        "on and counts 0 was not used, so it cannot have an effect. Remote words of CNI's copies and counters pass "
        "RAE's interfaces, too, whether or not RAE is on for the program's own words.",
        *(unused(results, suite) for suite in results.plan.suites),
    ]
    return Item(COUNTS, "What the mechanisms did", columns, rows, sentences)


USED = {"nemesys": "graphs", "cni": "jobs", "rae": "remote_words"}


def unused(results: Results, suite: str) -> str:
    """The mechanisms that a suite does not use."""
    found = results.counts(suite, ALL)
    if found is None:
        return f"{TITLES[suite]}: some of its runs are missing."
    none = [NAMES[one] for one, counter in USED.items() if getattr(found, counter) == 0]
    return f"{TITLES[suite]}: {', '.join(none) if none else 'none'} not used."


def suite_maker(suite: str) -> Callable[[Results], Item]:
    """Makes the item of a suite."""
    return lambda results: suite_item(results, suite)


MAKERS = {MEANS: means, **{suite: suite_maker(suite) for suite in SUITES}, COUNTS: counts}
