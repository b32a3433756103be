"""checks: what the reproduction of RAE must reach; each line says the paper's value and ours."""

from nemesys.items import Check
from rae.measures import Known
from rae.plan import UNIFORM

DEVIATIONS = 4  # standard deviations of a share of so many random words: beyond that one run in 16,000 is


def remote_share(known: Known) -> Check:
    """Of uniformly random words, at every number of places."""
    check = Check("remote share of uniformly random atomics, 1 to 64 places", f"{known.paper['remote_share_64']} at 64",
                  "1 - 1/P in expectation", "", None)  # fmt: skip
    program, given = next(one for one in known.plan.programs() if one[0] == UNIFORM)
    found = {places: known.spread(program, given, places) for places in known.plan.places}
    if not all(found.values()):
        return check
    check.met = True
    for places, atomics in found.items():
        expected = 1 - 1 / places
        deviation = (expected * (1 - expected) / atomics.all) ** 0.5
        check.met = check.met and abs(atomics.share - expected) <= DEVIATIONS * deviation
    last = max(found)
    check.ours = f"{100 * found[last].share:.3f} % at {last}, expected {100 * (1 - 1 / last):.3f} %"
    return check


def all_of(known: Known) -> list[Check]:
    """In the order of the figures."""
    return [remote_share(known)]
