"""checks: what is measured for each claim of RAE (reference/rae_claims.csv), by the claim's name."""

from collections.abc import Callable
from statistics import fmean

from tessera.papers.rae import area
from tessera.papers.rae.measures import Results
from tessera.papers.rae.nodes import accesses_each, gain, mean_misses, removed
from tessera.papers.rae.plan import GAP_KERNELS, IRREGULAR, PLACES, REGULAR, UNIFORM
from tessera.reproduce.checks import Found, Measure
from tessera.reproduce.items import ratio

NODES = 6  # of the paper's machine
LINE_WORDS = 8
Share = Callable[[Results, int, str], float | None]


def atomic_share(results: Results) -> Found | None:
    """Mean share of atomics in the instructions of GAP's kernels, in per cent."""
    programs = [one for one in results.plan.counted_programs() if one[0] != UNIFORM]
    found = {f"{program} {given[0]}": results.counted(program, given) for program, given in programs}
    if None in found.values():
        return None
    words = ", ".join(f"{name} {100 * one.share:.2f}" for name, one in found.items())
    return Found(100 * fmean(one.share for one in found.values()), words)


def atomic_share_shmem(results: Results) -> Found | None:
    """The same of the kernels in OpenSHMEM."""
    found = {kernel: results.gap_atomics(kernel) for kernel in GAP_KERNELS}
    if None in found.values():
        return None
    shares = {kernel: 100 * atomics / instructions for kernel, (atomics, instructions) in found.items()}
    return Found(fmean(shares.values()), ", ".join(f"{name} {share:.2f}" for name, share in shares.items()))


def remote_share(places: int) -> Measure:
    """Remote share of uniformly random words, in per cent."""

    def measure(results: Results) -> float | None:
        if places not in results.plan.places:
            return None
        program, arguments = next(one for one in results.plan.counted_programs() if one[0] == UNIFORM)
        found = results.spread(program, arguments, places)
        return found and 100 * found.share

    return measure


def operation_instructions(results: Results) -> Found | None:
    """Instructions of both cores by messages, over those by an instruction, least of all operations."""
    direct, software = results.costs("instructions"), results.costs("messages")
    found = {name: (software[name].requesting + software[name].serving) / (direct[name].requesting or 1)
             for name in direct.keys() & software.keys()}  # fmt: skip
    if not found:
        return None
    least = min(found, key=found.get)
    return Found(found[least], f"least for {least}; most {max(found.values()):.1f}")


def shares(results: Results, share: Share, nodes: int) -> dict[str, float]:
    """A share of all kernels in per cent; empty if one is missing."""
    if nodes not in results.plan.sizes:
        return {}
    found = {kernel: share(results, nodes, kernel) for kernel in results.plan.kernels()}
    return {} if None in found.values() else {kernel: 100 * value for kernel, value in found.items()}


def of_kernels(share: Share, pick: Callable[..., float], pattern: str = "") -> Measure:
    """The mean or the most of a share over the kernels of a pattern, or of all."""

    def measure(results: Results) -> Found | None:
        found = shares(results, share, NODES)
        values = [value for kernel, value in found.items() if kernel.startswith(pattern)]
        others = [nodes for nodes in results.plan.sizes if nodes != NODES]
        words = [f"rae-{nodes}: {fmean(more.values()):.2f} in the mean, {min(more.values()):.2f} to "
                 f"{max(more.values()):.2f}" for nodes in others
                 if not pattern and (more := shares(results, share, nodes))]  # fmt: skip
        ends = f"{min(values):.2f} to {max(values):.2f}" if values else ""
        return Found(pick(values), "; ".join([ends, *words])) if values else None

    return measure


PATTERNS = ("GATHER", "SCATTER", "STRIDE1", "STRIDEN")


def above_mean(results: Results) -> Found | None:
    """How many of some patterns save more than the mean of all kernels."""
    found = shares(results, gain, NODES)
    if not found:
        return None
    every = fmean(found.values())
    each = {name: fmean(value for kernel, value in found.items() if kernel.startswith(name)) for name in PATTERNS}
    words = ", ".join(f"{name} {value:.1f}" for name, value in each.items())
    return Found(sum(value > every for value in each.values()), f"{words}; all {every:.1f}")


def of_gap(share: Share) -> Measure:
    """The mean of a share over GAP's kernels, in per cent."""

    def measure(results: Results) -> Found | None:
        found = {kernel: share(results, NODES, kernel) for kernel in GAP_KERNELS}
        if None in found.values():
            return None
        words = ", ".join(f"{name} {100 * value:.2f}" for name, value in found.items())
        return Found(100 * fmean(found.values()), words)

    return measure


def miss_pr(results: Results) -> Found | None:
    """Misses of PageRank, in per cent."""
    rates = {kernel: results.misses(NODES, kernel, "retain") for kernel in GAP_KERNELS}
    if rates["pr"] is None:
        return None
    others = ", ".join(f"{name} {100 * rate:.2f}" for name, rate in rates.items() if rate is not None)
    return Found(100 * rates["pr"], f"2^{results.plan.gap_scale} vertices: {others}")


def addresses(results: Results) -> float | None:
    """The number of addresses."""
    return len(results.addresses()) or None


def addresses_sparse(results: Results) -> Found | None:
    """Lines among the addresses, over those of the interface cache."""
    lines = {(array, word // LINE_WORDS) for _, array, word in results.addresses()}
    if not lines:
        return None
    cached = results.machine_file(f"rae-{NODES}")["rae"]["cache_bytes"] // (8 * LINE_WORDS)
    return Found(len(lines) / cached, f"{len(lines)} lines, {cached} in the cache")


def misses(patterns: tuple[str, ...]) -> Measure:
    """Mean misses of the interface cache with the policy retain, in per cent."""

    def measure(results: Results) -> Found | None:
        rate = mean_misses(results, NODES, patterns, "retain")
        if rate is None:
            return None
        each = {pattern: mean_misses(results, NODES, (pattern,), "retain") for pattern in patterns}
        words = ", ".join(f"{name} {100 * value:.2f}" for name, value in each.items())
        others = [f"rae-{nodes}: {100 * more:.2f}" for nodes in results.plan.sizes if nodes != NODES
                  and (more := mean_misses(results, nodes, patterns, "retain")) is not None]  # fmt: skip
        return Found(100 * rate, "; ".join([words, *others]))

    return measure


def miss_irregular(results: Results) -> Found | None:
    """The same of irregular kernels, SCATTER and GATHER with arrays whose sizes are no powers of two."""
    plain = misses(IRREGULAR)(results)
    each = {pattern: mean_misses(results, NODES, (pattern,), "retain") for pattern in IRREGULAR}
    for name, run in results.plan.other_sizes():
        pattern = name.split("_")[0]
        if pattern in each:
            one = results.interface(run)
            each[pattern] = one and one.misses
    if plain is None or None in each.values():
        return None
    words = ", ".join(f"{name} {100 * value:.2f}" for name, value in each.items())
    return Found(100 * fmean(each.values()), f"{words}; with arrays of 2^n words {plain.value:.2f}: {plain.note}")


def merging(results: Results) -> Found | None:
    """Memory accesses that merging saves where a line is not retained."""
    apart, together = (accesses_each(results, "free-at-once", merge=merge) for merge in (False, True))
    saved = ratio(apart, together)
    return saved and Found(saved, f"{apart:.4g} and {together:.4g} for each operation")


def configured(pick: Callable[[dict], float]) -> Measure:
    """A value of the machine file."""
    return lambda results: Found(pick(results.machine_file(f"rae-{NODES}")), judged=True)


def memory_bytes(machine: dict) -> int:
    """The DRAM of a node."""
    dram = machine["dram"]
    return dram["rows"] * dram["banks"] * dram["ranks"] * dram["row_bytes"]


MEASURES: dict[str, Measure] = {
    **area.MEASURES,
    "atomic_share": atomic_share,
    **{f"remote_share_{places}": remote_share(places) for places in PLACES},
    "operation_instructions": operation_instructions,
    "atomic_share_shmem": atomic_share_shmem,
    "gain_gap": of_gap(gain),
    "instructions_removed_gap": of_gap(removed),
    "miss_pr": miss_pr,
    "gain_mean": of_kernels(gain, fmean),
    "gain_max": of_kernels(gain, max),
    **{f"gain_{name.lower()}": of_kernels(gain, fmean, name) for name in PATTERNS},
    "gain_rank": above_mean,
    "instructions_removed": of_kernels(removed, fmean),
    "addresses": addresses,
    "addresses_sparse": addresses_sparse,
    "miss_irregular": miss_irregular,
    "miss_regular": misses(REGULAR),
    "merging": merging,
    "nodes": configured(lambda machine: machine["grid"]["width"] * machine["grid"]["height"]),
    "core_mhz": configured(lambda machine: machine["clocks"]["tile_mhz"]),
    "l1_bytes": configured(lambda machine: machine["l1_data"]["way_bytes"] * machine["l1_data"]["ways"]),
    "l1_ways": configured(lambda machine: machine["l1_data"]["ways"]),
    "l2_bytes": configured(lambda machine: machine["l2"]["way_bytes"] * machine["l2"]["ways"]),
    "interface_cache_bytes": configured(lambda machine: machine["rae"]["cache_bytes"]),
    "main_entries": configured(lambda machine: machine["rae"]["main_entries"]),
    "sub_entries": configured(lambda machine: machine["rae"]["sub_entries"]),
    "memory_bytes": configured(memory_bytes),
    "flit_bytes": configured(lambda machine: machine["network"]["link_bytes"]),
}
