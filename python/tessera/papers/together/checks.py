"""checks: equal results in all rows, no work by mechanisms that are off, and no slowdown with all on."""

from tessera.papers.together.measures import Results, comparable
from tessera.papers.together.plan import ALL, CNI, MECHANISMS, NAMES, NEMESYS, NONE, RAE, ROWS, SUITES, TITLES, Row
from tessera.reproduce.items import Check

NOT_IN_PAPERS = "not in any paper"
CLOSE = 1.02  # ratio of two rows that count as equal


def verified(results: Results) -> Check:
    """Each program's own check of its result."""
    check = Check("results, as each program checks its own", NOT_IN_PAPERS, "correct in every run")
    found = results.program_results()
    wrong = [run.key for run, result in found.items() if result.get("verified") is not True]
    if found:
        check.ours = f"{len(found) - len(wrong)} of {len(found)} correct"
        check.ours += f"; not {', '.join(wrong)}" if wrong else ""
        check.met = not wrong if len(found) == len(results.plan.runs()) else None
        check.met = False if wrong else check.met
    return check


def same(results: Results) -> Check:
    """Equal results in all rows."""
    check = Check("results in all rows", NOT_IN_PAPERS, "the same, where they do not depend on order")
    first: dict[tuple[str, str], object] = {}
    other, compared = [], 0
    for run, result in results.program_results().items():
        for name, value in comparable(run, result).items():
            compared += 1
            if first.setdefault((run.program.name, name), value) != value:
                other.append(f"{run.key}: {name}")
    if compared:
        check.ours = f"{compared} values compared, " + (f"different: {', '.join(other)}" if other else "all equal")
        check.met = not other
    return check


# The counter of a mechanism's work, and the mechanisms that must also be off for it to be 0: words of CNI's copies and
# counters pass RAE's interfaces.
COUNTED = {NEMESYS: ("graphs", ()), CNI: ("jobs", ()), RAE: ("requests", (CNI,))}


def switches(results: Results) -> list[Check]:
    """A mechanism that is off counts nothing; one that is on counts something."""
    made = []
    for mechanism, (counter, others) in COUNTED.items():
        where = " and ".join(NAMES[one] for one in (mechanism, *others))
        check = Check(f"{NAMES[mechanism]}: {counter} counted", NOT_IN_PAPERS,
                      f"0 where {where} {'are' if others else 'is'} off, more where on")  # fmt: skip
        off, on = 0, 0
        complete = True
        for suite in results.plan.suites:
            for row in ROWS:
                found = results.counts(suite, row)
                complete = complete and found is not None
                number = getattr(found, counter) if found else 0
                if mechanism in row.on:
                    on += number
                elif not set(others) & set(row.on):
                    off += number
        check.ours = f"{off} off, {on} on" if complete else ""
        check.met = off == 0 and on > 0 if complete else None
        # A single suite need not use it.
        if off == on == 0 and len(results.plan.suites) < len(SUITES):
            check.met = None
        made.append(check)
    return made


def all_on(results: Results, suite: str) -> Check:
    """All on, compared with none and with the best single mechanism."""
    check = Check(f"{TITLES[suite]}: all on, mean of its kernels", NOT_IN_PAPERS,
                  f"faster than none, and within {CLOSE - 1:.0%} of the best single mechanism")  # fmt: skip
    whole = results.mean(suite, ALL)
    alone = {one: value for one in MECHANISMS if (value := results.mean(suite, Row((one,))))}
    if whole and len(alone) == len(MECHANISMS) and results.mean(suite, NONE):
        best = min(alone, key=alone.get)
        check.ours = f"{whole:.3f} of the cycles of none; {NAMES[best]} alone {alone[best]:.3f}"
        check.met = whole < 1 and whole <= CLOSE * alone[best]
    return check


def all_of(results: Results) -> list[Check]:
    """All checks, in the order of the report."""
    return [
        verified(results),
        same(results),
        *switches(results),
        *(all_on(results, suite) for suite in results.plan.suites),
    ]
