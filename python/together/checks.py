"""checks: what the whole must show: the same results everywhere, what is off does nothing, and all on is no loss."""

from nemesys.items import Check
from together.measures import Known, comparable
from together.plan import ALL, CNI, MECHANISMS, NAMES, NEMESYS, NONE, RAE, ROWS, SUITES, TITLES, Row

NOTHING = "none has such a machine"
CLOSE = 1.02  # of two rows that differ by little


def verified(known: Known) -> Check:
    """By every program itself."""
    check = Check("results, as each program checks its own", NOTHING, "right in every run", "", None)
    found = known.results()
    wrong = [run.key for run, result in found.items() if result.get("verified") is not True]
    if found:
        check.ours = f"{len(found) - len(wrong)} of {len(found)} right"
        check.ours += f"; not {', '.join(wrong)}" if wrong else ""
        check.met = not wrong if len(found) == len(known.plan.runs()) else None
        check.met = False if wrong else check.met
    return check


def same(known: Known) -> Check:
    """In all rows."""
    check = Check("results in all rows", NOTHING, "the same, where order leaves no choice", "", None)
    first: dict[tuple[str, str], object] = {}
    other, compared = [], 0
    for run, result in known.results().items():
        for name, value in comparable(run, result).items():
            compared += 1
            if first.setdefault((run.of.name, name), value) != value:
                other.append(f"{run.key}: {name}")
    if compared:
        check.ours = f"{compared} values compared, " + (f"other ones: {', '.join(other)}" if other else "all the same")
        check.met = not other
    return check


# What counts a mechanism's work, and what else must be off for it to count nothing: the words of CNI's copies and
# counters pass RAE's interfaces.
COUNTED = {NEMESYS: ("graphs", ()), CNI: ("jobs", ()), RAE: ("requests", (CNI,))}


def switches(known: Known) -> list[Check]:
    """What is off counts nothing; what is on does somewhere."""
    made = []
    for mechanism, (counter, others) in COUNTED.items():
        where = " and ".join(NAMES[one] for one in (mechanism, *others))
        check = Check(f"{NAMES[mechanism]}: {counter} counted", NOTHING,
                      f"0 where {where} {'are' if others else 'is'} off, more where on", "", None)  # fmt: skip
        off, on = 0, 0
        complete = True
        for suite in known.plan.suites:
            for row in ROWS:
                found = known.counts(suite, row)
                complete = complete and found is not None
                number = getattr(found, counter) if found else 0
                if mechanism in row.on:
                    on += number
                elif not set(others) & set(row.on):
                    off += number
        check.ours = f"{off} off, {on} on" if complete else ""
        check.met = off == 0 and on > 0 if complete else None
        # A suite alone may have no use for it.
        if off == on == 0 and len(known.plan.suites) < len(SUITES):
            check.met = None
        made.append(check)
    return made


def all_on(known: Known, suite: str) -> Check:
    """Beside none, and beside the best one alone."""
    check = Check(f"{TITLES[suite]}: all on, mean of its kernels", NOTHING,
                  f"faster than none, and within {CLOSE - 1:.0%} of the best one alone", "", None)  # fmt: skip
    whole = known.mean(suite, ALL)
    alone = {one: value for one in MECHANISMS if (value := known.mean(suite, Row((one,))))}
    if whole and len(alone) == len(MECHANISMS) and known.mean(suite, NONE):
        best = min(alone, key=alone.get)
        check.ours = f"{whole:.3f} of the cycles of none; {NAMES[best]} alone {alone[best]:.3f}"
        check.met = whole < 1 and whole <= CLOSE * alone[best]
    return check


def all_of(known: Known) -> list[Check]:
    """In the order of the report."""
    return [verified(known), same(known), *switches(known), *(all_on(known, suite) for suite in known.plan.suites)]
