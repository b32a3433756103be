"""figures: the table that none of the papers has, suite by suite, and what the mechanisms counted.

Units: cycles beside those of the row `none`, below 1 is faster; bytes; counts.
"""

from nemesys.items import Cell, Item, Panel, rounded
from together.measures import Known
from together.plan import ALL, MECHANISMS, NAMES, NONE, ROWS, SUITES, TITLES, Row, but

MEANS = "means"
COUNTS = "counts"


def means(known: Known) -> Item:
    """All suites in one table."""
    suites = known.plan.suites
    columns = ["on", *(f"{TITLES[suite]}, {len(known.plan.labels(suite))} kernels" for suite in suites)]
    rows: list[list[Cell]] = [[row.name, *(rounded(known.mean(suite, row)) for suite in suites)] for row in ROWS]
    sentences = [
        "Cycles beside those with all four off, geometric means over the kernels of a suite; below 1 is faster.",
        *(sentence for suite in suites for sentence in alone_and_last(known, suite)),
    ]
    names = {row: row.name.replace("all but ", "all but\n") for row in ROWS}  # side by side under the picture
    series = {TITLES[suite]: [(names[row], known.mean(suite, row)) for row in ROWS] for suite in suites}
    panel = Panel("means of the suites", "", "cycles beside those of none", series)
    return Item(MEANS, "Four mechanisms, on and off", columns, rows, sentences, [panel], of="together")


def alone_and_last(known: Known, suite: str) -> list[str]:
    """What a mechanism saves if it is the first, and if it is the last one."""
    parts = []
    for mechanism in MECHANISMS:
        first, last = known.mean(suite, Row((mechanism,))), known.mean(suite, ALL, but(mechanism))
        if first and last:
            parts.append(f"{NAMES[mechanism]} {percent_saved(first)} and {percent_saved(last)}")
    if not parts:
        return []
    whole = known.mean(suite, ALL)
    text = f"{TITLES[suite]}: cycles change by what is on alone, and by what joins the three others: {', '.join(parts)}"
    return [f"{text}; by all four {percent_saved(whole)}." if whole else f"{text}."]


def percent_saved(relative: float) -> str:
    """As a change."""
    return f"{100 * (relative - 1):+.1f} %"


def suite_item(known: Known, suite: str) -> Item:
    """Every kernel of one."""
    labels = known.plan.labels(suite)
    columns = ["on", *labels, "mean"]
    rows: list[list[Cell]] = [["none, cycles", *(whole(known.cycles(suite, one, NONE)) for one in labels), None]]
    for row in ROWS[1:]:
        values = [known.relative(suite, label, row) for label in labels]
        rows.append([row.name, *map(rounded, values), rounded(known.mean(suite, row))])
    sentences = ["Cycles with none on, and below them what part of these the other rows take; mean: geometric."]
    best = {label: min((r, row.name) for row in ROWS if (r := known.relative(suite, label, row)))
            for label in labels if known.relative(suite, label, ALL)}  # fmt: skip
    other = [f"{label} ({name}, {rounded(r)})" for label, (r, name) in best.items()
             if r < 0.99 * known.relative(suite, label, ALL)]  # fmt: skip
    if best:
        sentences.append(
            f"Fastest with all on, or within 1 % of it: {len(best) - len(other)} of {len(best)}"
            + (f"; by another row: {', '.join(other)}." if other else ".")
        )
    chosen = [Row((one,)) for one in MECHANISMS] + [ALL]
    series = {row.name: [(label, known.relative(suite, label, row)) for label in labels] for row in chosen}
    series = {name: points for name, points in series.items() if any(y is not None for _, y in points)}
    panels = [Panel(TITLES[suite], "", "cycles beside those of none", series)] if series else []
    return Item(suite, TITLES[suite], columns, rows, sentences, panels, of="together")


def whole(value: float | None) -> Cell:
    """Without digits behind the point."""
    return None if value is None else round(value)


COUNTED = {
    "graphs by NMAs": "graphs",
    "their bytes": "graph_bytes",
    "CNI commands": "commands",
    "CNI events": "events",
    "bytes they copied": "copied_bytes",
    "words of other places": "remote_words",
    "requests at RAE's interfaces": "requests",
    "messages": "messages",
    "instructions": "instructions",
}


def counts(known: Known) -> Item:
    """What was used."""
    columns = ["suite", "on", *COUNTED]
    rows: list[list[Cell]] = []
    for suite in known.plan.suites:
        for row in ROWS:
            found = known.counts(suite, row)
            rows.append([TITLES[suite], row.name, *(found and getattr(found, name) for name in COUNTED.values())])
    sentences = [
        "Of whole runs, loading and checking included, and of all programs of a suite together: where a mechanism was "
        "not used it cannot gain. What is on and counts 0 was not asked for anything. Words that CNI's copies and "
        "counters ask of other tiles go by RAE's interfaces, too, whatever the program's own words do.",
        *(unused(known, suite) for suite in known.plan.suites),
    ]
    return Item(COUNTS, "What the mechanisms did", columns, rows, sentences, of="together")


USED = {"nemesys": "graphs", "cni": "jobs", "rae": "remote_words"}


def unused(known: Known, suite: str) -> str:
    """Mechanisms that a suite has no work for."""
    found = known.counts(suite, ALL)
    if found is None:
        return f"{TITLES[suite]}: not all of it was run."
    none = [NAMES[one] for one, counter in USED.items() if getattr(found, counter) == 0]
    return f"{TITLES[suite]}: {', '.join(none) if none else 'none'} without work."


def makers(suites: list[str]) -> list:
    """In the order of the report."""
    of_suites = [lambda known, suite=suite: suite_item(known, suite) for suite in SUITES if suite in suites]
    return [means, *of_suites, counts]
