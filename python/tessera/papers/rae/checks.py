"""checks: what the reproduction of RAE must reach, with the paper's values and ours."""

from collections.abc import Callable
from statistics import fmean

from tessera.papers.rae.measures import Results
from tessera.papers.rae.nodes import accesses_each, gain, mean_misses, removed
from tessera.papers.rae.plan import IRREGULAR, UNIFORM
from tessera.reproduce.items import Check

DEVIATIONS = 4  # standard deviations of the share; one run in 16,000 lies beyond


def remote_share(results: Results) -> Check:
    """Remote share of uniformly random words, at every number of places."""
    what = "remote share of uniformly random atomics, 1 to 64 places"
    check = Check(what, f"{results.paper['remote_share_64']} at 64", "1 - 1/P in expectation")
    program, arguments = next(one for one in results.plan.counted_programs() if one[0] == UNIFORM)
    found = {places: results.spread(program, arguments, places) for places in results.plan.places}
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


def shares(results: Results, share: Callable[[Results, int, str], float | None]) -> dict[int, list[float]]:
    """A share of all kernels, by machine; empty if a kernel is missing on any machine."""
    found = {
        nodes: [share(results, nodes, kernel) for kernel in results.plan.kernels()] for nodes in results.plan.sizes
    }
    return {} if any(None in values for values in found.values()) else found


def faster(results: Results) -> Check:
    """Time saved, figure 7."""
    paper = f"{results.paper['gain_mean']} mean, {results.paper['gain_max']} at most"
    check = Check("time saved against software", paper, "positive for every kernel")
    if found := shares(results, gain):
        check.met = all(value > 0 for values in found.values() for value in values)
        check.ours = "; ".join(f"rae-{nodes}: mean {100 * fmean(values):.2f} %, {100 * min(values):.2f} to "
                               f"{100 * max(values):.2f} %" for nodes, values in found.items())  # fmt: skip
    return check


def fewer(results: Results) -> Check:
    """Instructions removed, figure 8."""
    check = Check("instructions removed against the lean path, mean", f"{results.paper['instructions_removed']}",
                  "≥ 85 %")  # fmt: skip
    if found := shares(results, removed):
        check.met = all(fmean(values) >= 0.85 for values in found.values())
        check.ours = "; ".join(f"{100 * fmean(values):.2f} % on rae-{nodes}" for nodes, values in found.items())
    return check


def irregular(results: Results) -> list[Check]:
    """Misses of irregular kernels, figure 10."""
    paper, must = f"{results.paper['miss_irregular']} mean", "≥ 70 %"
    kernels = Check("interface cache, irregular kernels with retain, mean", paper, must)
    means = {nodes: mean_misses(results, nodes, IRREGULAR, "retain") for nodes in results.plan.sizes}
    if None not in means.values():
        kernels.met = None if results.plan.quick else all(mean >= 0.7 for mean in means.values())
        kernels.ours = "; ".join(f"{100 * mean:.2f} % on rae-{nodes}" for nodes, mean in means.items())
    words = Check("interface cache, random words alone with retain", paper, must)
    rates = [found.misses for places in results.plan.places
             if (found := results.interface(results.plan.pattern("RAND", places, "retain")))]  # fmt: skip
    if rates:
        words.met = min(rates) >= 0.7
        words.ours = f"{100 * min(rates):.2f} to {100 * max(rates):.2f} %, 1 to {max(results.plan.places)} places"
    return [kernels, words]


def regular(results: Results) -> list[Check]:
    """Misses of kernels whose rate follows from the words per line, figure 10."""
    made = []
    for kernel, must, least, most in (("CENTRAL", "≤ 1 %", 0, 0.01), ("STRIDE1", "12.5 ± 1 %", 0.115, 0.135)):
        check = Check(
            f"interface cache, {kernel} with retain", f"{results.paper['miss_regular']} mean of regular", must
        )
        found = [rate for nodes in results.plan.sizes for operation in ("ADD", "CAS")
                 if (rate := results.misses(nodes, f"{kernel}_{operation}", "retain")) is not None]  # fmt: skip
        if found:
            check.met = all(least <= rate <= most for rate in found)
            check.ours = f"{100 * min(found):.2f} to {100 * max(found):.2f} %, ADD and CAS"
        made.append(check)
    return made


def merged(results: Results) -> Check:
    """Memory accesses that merging saves where a line is not retained."""
    check = Check("64 places on one word: memory accesses per operation, free-at-once, without and with merging",
                  "argued", "≥ 8 times less")  # fmt: skip
    apart, together = (accesses_each(results, "free-at-once", merge=merge) for merge in (False, True))
    if apart and together:
        check.met = apart >= 8 * together
        check.ours = f"{apart:.4g} and {together:.4g}: {apart / together:.1f} times less"
    return check


def all_of(results: Results) -> list[Check]:
    """All checks, in the order of the figures."""
    return [
        remote_share(results),
        faster(results),
        fewer(results),
        *irregular(results),
        *regular(results),
        merged(results),
    ]
