"""checks: what is measured for each claim of CNI (reference/cni_claims.csv), by the claim's name."""

from collections.abc import Callable

from tessera.papers.cni import area
from tessera.papers.cni.measures import Results
from tessera.papers.cni.plan import CPUS, DIRECTORIES, FORWARDING, STREAMS
from tessera.reproduce.checks import Found, Measure
from tessera.reproduce.items import ratio

KIB = 1024
CORES = (2, 4)  # that share the work of figures 9 and 10
PLACES = {"chip": (1, 2, 3), "dram": (1, 2, 3, 4)}  # workers of figure 8


# Tables 1a and 1b ----------------------------------------------------------------------------------------------------


def part_of_lock(kind: str, cpus: int, part: str) -> Measure:
    """Acquire, release or total of a lock."""

    def measure(results: Results) -> float | None:
        found = results.lock(results.plan.lock(kind, cpus))
        return found and getattr(found, part)

    return measure


def barrier(kind: str, cpus: int) -> Measure:
    """Cycles of a barrier."""
    return lambda results: results.round_cycles(results.plan.barrier(kind, cpus))


def over(one: Measure, other: Measure) -> Measure:
    """Ratio of two measurements."""
    return lambda results: ratio(one(results), other(results))


# The paper's libraries are called; inlined ones are in the tables beside.
TABLE_1A = {
    f"{name}_{part}_{cpus}": part_of_lock(kind, cpus, part)
    for name, kind in (("lock_box", "called-box"), ("mr_queue", "called"))
    for part in ("acquire", "release", "total")
    for cpus in CPUS
}
TABLE_1B = {f"{name}_{cpus}": barrier(kind, cpus)
            for name, kind in (("mutex", "mutex"), ("counter", "called")) for cpus in CPUS}  # fmt: skip


# Figure 8 ------------------------------------------------------------------------------------------------------------


def rdma_over_stores(stream: tuple[str, str], workers: tuple[int, ...]) -> Measure:
    """Maximum bandwidth of a kernel on chip, by RDMA over that by stores."""

    def measure(results: Results) -> Found | None:
        most = {
            by: max((v for n in workers for v in results.bandwidths("chip", by, n, stream).values()), default=0)
            for by in ("rdma", "stores")
        }
        if not all(most.values()):
            return None
        note = f"{most['rdma']:.2f} and {most['stores']:.2f} bytes per cycle"
        return Found(most["rdma"] / most["stores"], note)

    return measure


def saturated(results: Results, place: str) -> dict[tuple[int, int], float]:
    """Bandwidth of all workers, by buffers and bytes, as shares of what saturates: from 1 on saturated."""
    found = results.bandwidths(place, "rdma", PLACES[place][-1])
    most = max(found.values(), default=0) * results.paper["saturation"].low / 100
    return {shape: value / most for shape, value in found.items()}


def knee_buffers(place: str) -> Measure:
    """The least number of buffers of 1 KiB that saturates."""

    def measure(results: Results) -> Found | None:
        each = {buffers: share for (buffers, size), share in saturated(results, place).items() if size == KIB}
        enough = [buffers for buffers, share in each.items() if share >= 1]
        limit = results.paper["saturation"].low
        note = ", ".join(f"{buffers}: {share * limit:.0f} % of the most" for buffers, share in sorted(each.items()))
        return Found(min(enough), note) if enough else None

    return measure


def knee_bytes(place: str) -> Measure:
    """The least KiB of all buffers that saturates."""

    def measure(results: Results) -> Found | None:
        enough = [shape for shape, share in saturated(results, place).items() if share >= 1]
        if not enough:
            return None
        buffers, size = min(enough, key=lambda shape: (shape[0] * shape[1], shape))
        return Found(buffers * size / KIB, f"{buffers} of {size} bytes")

    return measure


def knee_cores(place: str) -> Measure:
    """The least number of cores that saturates, each number with its best buffers."""

    def measure(results: Results) -> Found | None:
        most = {n: max(results.bandwidths(place, "rdma", n).values(), default=0) for n in PLACES[place]}
        if not all(most.values()):
            return None
        limit = results.paper["saturation"].low / 100 * max(most.values())
        note = ", ".join(f"{n}: {value:.2f}" for n, value in most.items()) + " bytes per cycle"
        return Found(min(n for n, value in most.items() if value >= limit), note)

    return measure


# Figures 9 and 10 ----------------------------------------------------------------------------------------------------


def profitable(results: Results) -> tuple[int, float, str] | None:
    """The smallest N that is faster on several cores: N, its cycles there, and how."""
    for n in results.plan.sizes("bitonic"):
        gains = {(cpus, by): gain for cpus in CORES for by in ("stores", "rdma")
                 if (gain := results.speedup("bitonic", by, cpus, n)) and gain > 1}  # fmt: skip
        if gains:
            cpus, by = max(gains, key=gains.get)
            several, one = (results.blocks("bitonic", by, count, n) for count in (cpus, 1))
            return n, several.total, f"N = {n} on {cpus} cores by {by}; {one.total:.0f} cycles on one"
    return None


def profitable_cycles(results: Results) -> Found | None:
    """Cycles of the smallest profitable N."""
    found = profitable(results)
    return found and Found(found[1], found[2])


def profitable_n(results: Results) -> Found | None:
    """The smallest profitable N."""
    found = profitable(results)
    return found and Found(found[0], found[2])


def saved(program: str, pick: Callable[..., float], *, small: bool, part: int) -> Measure:
    """Per cent that stores save for small N, or RDMA for large N; part 0: of communication, 1: of all."""

    def measure(results: Results) -> Found | None:
        # The last N that is small, or the first that is large.
        limit = results.paper["small_bitonic"].low if program == "bitonic" else results.paper["small_fft"].low - 1
        sizes = [n for n in results.plan.sizes(program) if (n <= limit) == small]
        found = {(n, cpus): gain[part] * (100 if small else -100) for n in sizes for cpus in CORES
                 if (gain := results.stores_gain(program, cpus, n))}  # fmt: skip
        if not sizes or len(found) < len(sizes) * len(CORES):
            return None
        n, cpus = pick(found, key=found.get)
        return Found(found[n, cpus], f"N = {n} on {cpus} cores")

    return measure


def small_speedup(results: Results) -> Found | None:
    """The best speed-up of small FFTs."""
    sizes = [n for n in results.plan.sizes("fft") if n < results.paper["small_fft"].low]
    found = {(n, cpus, by): gain for n in sizes for cpus in CORES for by in ("stores", "rdma")
             if (gain := results.speedup("fft", by, cpus, n))}  # fmt: skip
    if not found:
        return None
    n, cpus, by = max(found, key=found.get)
    return Found(found[n, cpus, by], f"N = {n} on {cpus} cores by {by}")


def efficiency(program: str, by: str, cpus: int) -> Measure:
    """Parallel efficiency of the largest N."""

    def measure(results: Results) -> Found | None:
        n = results.plan.sizes(program)[-1]
        gain = results.speedup(program, by, cpus, n)
        return gain and Found(100 * gain / cpus, f"N = {n}")

    return measure


# Figure 11 -----------------------------------------------------------------------------------------------------------


def lock_gains(results: Results, directory: tuple[tuple[str, str], ...] = FORWARDING) -> dict[int, float] | None:
    """Gain of the mr-queue lock over MCS, by cores from 16 on."""
    counts = [count for count in results.plan.counts if count >= 16]
    found = {count: ratio(results.round_cycles(results.plan.mcs(count, directory)),
                          results.round_cycles(results.plan.mr_queue(count))) for count in counts}  # fmt: skip
    return None if None in found.values() else found


def lock_gain(pick: Callable[..., float]) -> Measure:
    """The least or the largest of these."""

    def measure(results: Results) -> Found | None:
        found = {name: lock_gains(results, directory) for name, directory in DIRECTORIES.items()}
        words = [f"{name}: " + ", ".join(f"{gain:.2f} at {count}" for count, gain in gains.items())
                 for name, gains in found.items() if gains]  # fmt: skip
        gains = found["forwarding"]
        return gains and Found(pick(gains.values()), "; ".join(words))

    return measure


def barrier_gain(count: int) -> Measure:
    """Gain of the counter barrier over the tree barrier."""

    def measure(results: Results) -> Found | None:
        mine = results.round_cycles(results.plan.counter(count))
        trees = {name: results.round_cycles(results.plan.tree(count, of)) for name, of in DIRECTORIES.items()}
        if not mine or not all(trees.values()):
            return None
        note = "; ".join(f"{name}: {cycles:.0f} beside {mine:.0f} cycles" for name, cycles in trees.items())
        return Found(trees["forwarding"] / mine, note)

    return measure


MEASURES: dict[str, Measure] = {
    "store_one_way": lambda results: results.store_one_way(),
    "lock_software": part_of_lock("called", 1, "software"),
    "barrier_software": lambda results: results.barrier_software(results.plan.barrier("called", 1)),
    **TABLE_1A,
    "lock_order_4": over(TABLE_1A["lock_box_total_4"], TABLE_1A["mr_queue_total_4"]),
    **TABLE_1B,
    "barrier_order_4": over(TABLE_1B["mutex_4"], TABLE_1B["counter_4"]),
    **area.MEASURES,
    "rdma_over_stores": rdma_over_stores(STREAMS[0], PLACES["chip"]),
    "rdma_over_stores_copy": rdma_over_stores(("copy", "32"), PLACES["chip"][-1:]),
    **{f"knee_buffers_{place}": knee_buffers(place) for place in PLACES},
    **{f"knee_bytes_{place}": knee_bytes(place) for place in PLACES},
    **{f"knee_cores_{place}": knee_cores(place) for place in PLACES},
    "profitable": profitable_cycles,
    "profitable_n": profitable_n,
    "bitonic_stores_least": saved("bitonic", min, small=True, part=0),
    "bitonic_stores_most": saved("bitonic", max, small=True, part=0),
    "bitonic_stores_all_least": saved("bitonic", min, small=True, part=1),
    "bitonic_stores_all_most": saved("bitonic", max, small=True, part=1),
    "bitonic_rdma_least": saved("bitonic", min, small=False, part=0),
    "bitonic_rdma_most": saved("bitonic", max, small=False, part=0),
    "bitonic_rdma_all_most": saved("bitonic", max, small=False, part=1),
    **{f"bitonic_efficiency_{cpus}": efficiency("bitonic", "rdma", cpus) for cpus in CORES},
    "fft_stores_least": saved("fft", min, small=True, part=0),
    "fft_stores_most": saved("fft", max, small=True, part=0),
    "fft_stores_all_least": saved("fft", min, small=True, part=1),
    "fft_stores_all_most": saved("fft", max, small=True, part=1),
    "fft_small_speedup": small_speedup,
    "fft_rdma_all_least": saved("fft", min, small=False, part=1),
    "fft_rdma_all_most": saved("fft", max, small=False, part=1),
    **{f"fft_efficiency_{by}_{cpus}": efficiency("fft", by, cpus) for by in ("rdma", "stores") for cpus in CORES},
    "lock_gain_least": lock_gain(min),
    "lock_gain_most": lock_gain(max),
    **{f"barrier_gain_{count}": barrier_gain(count) for count in (16, 128)},
}
