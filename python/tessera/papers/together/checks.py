"""checks: what is measured for each target of `together` (reference/together_claims.csv), by its name: equal results in
all rows, no work by mechanisms that are off, and no slowdown with all on.
"""

from tessera.papers.together.measures import Results, comparable
from tessera.papers.together.plan import ALL, CNI, MECHANISMS, NAMES, NEMESYS, NONE, RAE, ROWS, SUITES, Row
from tessera.reproduce.checks import Found, Measure
from tessera.reproduce.items import ratio


def verified(results: Results) -> Found | None:
    """Per cent of the runs whose program found its result correct; wrong ones count even if others are missing."""
    found = results.program_results()
    wrong = [run.key for run, result in found.items() if result.get("verified") is not True]
    if not found or (not wrong and len(found) < len(results.plan.runs())):
        return None
    note = f"{len(found) - len(wrong)} of {len(found)}" + (f"; not {', '.join(wrong)}" if wrong else "")
    return Found(100 * (1 - len(wrong) / len(found)), note, judged=True)


def same(results: Results) -> Found | None:
    """Per cent of the results that are the same in all rows."""
    first: dict[tuple[str, str], object] = {}
    other, compared = [], 0
    for run, result in results.program_results().items():
        for name, value in comparable(run, result).items():
            compared += 1
            if first.setdefault((run.program.name, name), value) != value:
                other.append(f"{run.key}: {name}")
    if not compared:
        return None
    note = f"{compared} values" + (f"; different: {', '.join(other)}" if other else "")
    return Found(100 * (1 - len(other) / compared), note, judged=True)


# The counter of a mechanism's work, and the mechanisms that must also be off for it to be 0: words of CNI's copies and
# counters pass RAE's interfaces.
COUNTED = {NEMESYS: ("graphs", ()), CNI: ("jobs", ()), RAE: ("requests", (CNI,))}


def work(mechanism: str, *, on: bool) -> Measure:
    """Work counted in the rows in which a mechanism is on, or off. A part of the suites need not use it."""
    counter, others = COUNTED[mechanism]

    def measure(results: Results) -> Found | None:
        wanted = [row for row in ROWS if (mechanism in row.on) == on and (on or not set(others) & set(row.on))]
        found = [results.counts(suite, row) for suite in results.plan.suites for row in wanted]
        if None in found:
            return None
        count = sum(getattr(one, counter) for one in found)
        return None if on and not count and len(results.plan.suites) < len(SUITES) else Found(count, judged=True)

    return measure


def all_on(suite: str) -> Measure:
    """Cycles with all on beside those with none."""
    return lambda results: results.mean(suite, ALL) if suite in results.plan.suites else None


def best(suite: str) -> Measure:
    """Cycles with all on beside those with the best single mechanism."""

    def measure(results: Results) -> Found | None:
        if suite not in results.plan.suites or results.mean(suite, NONE) is None:
            return None
        alone = {one: results.mean(suite, Row((one,))) for one in MECHANISMS}
        whole = results.mean(suite, ALL)
        if None in alone.values() or whole is None:
            return None
        least = min(alone, key=alone.get)
        note = f"{whole:.3f} of the cycles of none; {NAMES[least]} alone {alone[least]:.3f}"
        return Found(ratio(whole, alone[least]), note)

    return measure


MEASURES: dict[str, Measure] = {
    "verified": verified,
    "same": same,
    **{f"{'on' if on else 'off'}_{one}": work(one, on=on) for one in COUNTED for on in (False, True)},
    **{f"all_{suite}": all_on(suite) for suite in SUITES},
    **{f"best_{suite}": best(suite) for suite in SUITES},
}
