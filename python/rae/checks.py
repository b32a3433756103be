"""checks: what the reproduction of RAE must reach; each line says the paper's value and ours."""

from statistics import fmean

from nemesys.items import Check
from rae.measures import Known
from rae.nodes import accesses_each, gain, mean_misses, removed
from rae.plan import IRREGULAR, UNIFORM

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


def shares(known: Known, of) -> dict[int, list[float]]:  # noqa: ANN001
    """Of all kernels, by machines; nothing if one of them is missing anywhere."""
    found = {nodes: [of(known, nodes, kernel) for kernel in known.plan.kernels()] for nodes in known.plan.sizes}
    return {} if any(None in values for values in found.values()) else found


def faster(known: Known) -> Check:
    """Figure 7."""
    paper = f"{known.paper['gain_mean']} mean, {known.paper['gain_max']} at most"
    check = Check("time saved against software", paper, "positive for every kernel", "", None)
    if found := shares(known, gain):
        check.met = all(value > 0 for values in found.values() for value in values)
        check.ours = "; ".join(f"rae-{nodes}: mean {100 * fmean(values):.2f} %, {100 * min(values):.2f} to "
                               f"{100 * max(values):.2f} %" for nodes, values in found.items())  # fmt: skip
    return check


def fewer(known: Known) -> Check:
    """Figure 8."""
    check = Check("instructions removed against the lean path, mean", f"{known.paper['instructions_removed']}",
                  "≥ 85 %", "", None)  # fmt: skip
    if found := shares(known, removed):
        check.met = all(fmean(values) >= 0.85 for values in found.values())
        check.ours = "; ".join(f"{100 * fmean(values):.2f} % on rae-{nodes}" for nodes, values in found.items())
    return check


def irregular(known: Known) -> list[Check]:
    """Figure 10."""
    paper, must = f"{known.paper['miss_irregular']} mean", "≥ 70 %"
    kernels = Check("interface cache, irregular kernels with retain, mean", paper, must, "", None)
    means = {nodes: mean_misses(known, nodes, IRREGULAR, "retain") for nodes in known.plan.sizes}
    if None not in means.values():
        kernels.met = None if known.plan.quick else all(mean >= 0.7 for mean in means.values())
        kernels.ours = "; ".join(f"{100 * mean:.2f} % on rae-{nodes}" for nodes, mean in means.items())
    words = Check("interface cache, random words alone with retain", paper, must, "", None)
    rates = [of.misses for places in known.plan.places
             if (of := known.interface(known.plan.pattern("RAND", places, "retain")))]  # fmt: skip
    if rates:
        words.met = min(rates) >= 0.7
        words.ours = f"{100 * min(rates):.2f} to {100 * max(rates):.2f} %, 1 to {max(known.plan.places)} places"
    return [kernels, words]


def regular(known: Known) -> list[Check]:
    """Figure 10, of the kernels whose rate follows from a line's words."""
    made = []
    for kernel, must, least, most in (("CENTRAL", "≤ 1 %", 0, 0.01), ("STRIDE1", "12.5 ± 1 %", 0.115, 0.135)):
        check = Check(f"interface cache, {kernel} with retain", f"{known.paper['miss_regular']} mean of regular", must,
                      "", None)  # fmt: skip
        found = [rate for nodes in known.plan.sizes for operation in ("ADD", "CAS")
                 if (rate := known.misses(nodes, f"{kernel}_{operation}", "retain")) is not None]  # fmt: skip
        if found:
            check.met = all(least <= rate <= most for rate in found)
            check.ours = f"{100 * min(found):.2f} to {100 * max(found):.2f} %, ADD and CAS"
        made.append(check)
    return made


def merged(known: Known) -> Check:
    """What merging spares, where a line is not kept."""
    check = Check("64 places on one word: memory accesses an operation, free-at-once, without and with merging",
                  "argued", "≥ 8 times less", "", None)  # fmt: skip
    apart, together = (accesses_each(known, "free-at-once", merge=merge) for merge in (False, True))
    if apart and together:
        check.met = apart >= 8 * together
        check.ours = f"{apart:.4g} and {together:.4g}: {apart / together:.1f} times less"
    return check


def all_of(known: Known) -> list[Check]:
    """In the order of the figures."""
    return [remote_share(known), faster(known), fewer(known), *irregular(known), *regular(known), merged(known)]
