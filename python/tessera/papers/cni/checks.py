"""checks: what the reproduction of CNI must reach, with the paper's values and ours."""

from tessera.papers.cni.measures import Results
from tessera.reproduce.items import Check

NEAR = 0.25  # relative, for locks and barriers
POINTS = 10  # percentage points of efficiency
KIB = 1024
SATURATED = 0.9  # of the maximum


def store(results: Results) -> Check:
    """Latency of a remote store."""
    check = Check("one-way remote store", str(results.paper["store_one_way"]), "35 ± 5 cycles")
    if (found := results.store_one_way()) is not None:
        check.ours = f"{found} cycles"
        check.met = abs(found - 35) <= 5
    return check


def near(name: str, paper: str, wanted: float, found: float | None) -> Check:
    """A value within 25 % of the paper's."""
    check = Check(name, paper, "within 25 %")
    if found is not None:
        check.ours = f"{found:.0f} cycles, {found / wanted - 1:+.0%}"
        check.met = abs(found / wanted - 1) <= NEAR
    return check


def four_cores(results: Results) -> list[Check]:
    """Locks and barriers of table 1, on four cores."""
    paper, plan = results.paper, results.plan
    lock = results.lock(plan.lock("mr-queue", 4))
    barrier = results.round_cycles(plan.barrier("counter", 4))
    parts = [
        ("mr-queue lock, 4 cores", "mr_queue_total_4", lock and lock.total),
        ("counter barrier, 4 cores", "counter_4", barrier),
    ]
    checks = [near(what, str(paper[name]), paper[name].low, found) for what, name, found in parts]
    order = Check("lock box against mr-queue, mutex against counter, 4 cores", "233 and 214; 618 and 117 cycles",
                  "both slower")  # fmt: skip
    box, mutex = results.lock(plan.lock("lock-box", 4)), results.round_cycles(plan.barrier("mutex", 4))
    if lock and box and mutex and barrier:
        order.ours = f"{box.total:.0f} and {lock.total:.0f}; {mutex:.0f} and {barrier:.0f} cycles"
        order.met = box.total > lock.total and mutex > barrier
    return [*checks, order]


def many_cores(results: Results) -> list[Check]:
    """Locks and barriers of figure 11, on many cores."""
    barrier = Check("counter barrier against tree barrier, 16 to 128 cores", "4.1 to 5.3 times faster",
                    "≥ 3 at 16, more at 128")  # fmt: skip
    lock = Check("mr-queue lock against MCS", f"{results.paper['lock_gain']} faster", "≥ 3 at every count from 16 on")
    counts = [count for count in results.plan.counts if count >= 16]
    pairs = ((barrier, results.plan.counter, results.plan.tree), (lock, results.plan.mr_queue, results.plan.mcs))
    for check, mine, other in pairs:
        values = [(results.round_cycles(mine(count)), results.round_cycles(other(count))) for count in counts]
        if not all(ours and theirs for ours, theirs in values):
            continue
        gains = [theirs / ours for ours, theirs in values]
        check.ours = ", ".join(f"{gain:.1f} at {count}" for gain, count in zip(gains, counts, strict=True))
        check.met = gains[0] >= 3 and gains[-1] > gains[0] if check is barrier else min(gains) >= 3
        if results.plan.quick and check is barrier:
            check.met = None
    return [barrier, lock]


def bandwidth(results: Results) -> Check:
    """Maximum bandwidth of the triad on chip, by RDMA and by stores."""
    what = "triad on chip: maximum bandwidth of RDMA over that of remote stores"
    check = Check(what, str(results.paper["rdma_over_stores"]), "5 to 10 times")
    most = {transport: max((value for workers in (1, 2, 3)
                            for value in results.bandwidths("chip", transport, workers).values()), default=0)
            for transport in ("rdma", "stores")}  # fmt: skip
    if all(most.values()):
        gain = most["rdma"] / most["stores"]
        check.ours = f"{gain:.1f} times: {most['rdma']:.2f} and {most['stores']:.2f} bytes per cycle"
        check.met = 5 <= gain <= 10
    return check


def knee(results: Results, place: str, workers: int) -> Check:
    """Where bandwidth saturates: with 3 buffers of 1 KiB, not with one, and not with less in total."""
    check = Check(f"triad, arrays {'on chip' if place == 'chip' else 'in DDR'}, {workers} workers: saturation",
                  "≥ 3 buffers of 1 KiB, 3 to 4 KiB in total", "there, and not below")  # fmt: skip
    found = results.bandwidths(place, "rdma", workers)
    if (3, KIB) in found:
        most = max(found.values())
        enough = {shape for shape, value in found.items() if value >= SATURATED * most}
        least = min(enough, key=lambda shape: (shape[0] * shape[1], shape))
        check.ours = f"{found[3, KIB] / most:.0%} of the maximum with 3 of 1 KiB, {found[1, KIB] / most:.0%} with one; "
        check.ours += f"{SATURATED:.0%} from {least[0]} of {least[1]} bytes"
        check.met = (3, KIB) in enough and (1, KIB) not in enough and least[0] * least[1] > KIB
    return check


def profitable(results: Results) -> Check:
    """The smallest task that runs faster on several cores."""
    check = Check("smallest profitable task, bitonic sort", f"{results.paper['profitable']}, N = 4", "< 700 cycles")
    for n in results.plan.sizes("bitonic"):
        gains = {(cpus, by): gain for cpus in (2, 4) for by in ("stores", "rdma")
                 if (gain := results.speedup("bitonic", by, cpus, n)) and gain > 1}  # fmt: skip
        if not gains:
            continue
        cpus, by = max(gains, key=gains.get)
        several, one = (results.blocks("bitonic", by, count, n) for count in (cpus, 1))
        check.ours = f"{several.total:.0f} cycles: N = {n} on {cpus} cores by {by}, {one.total:.0f} on one"
        check.met = several.total < 700
        break
    return check


def signs(results: Results, program: str, name: str) -> Check:
    """Stores are faster for small N, RDMA for large N."""
    paper = "stores up to N = 64, RDMA beyond" if program == "bitonic" else "stores below N = 128, RDMA beyond"
    check = Check(f"{name}: communication, stores against RDMA", paper, "the same signs at both ends")
    sizes = results.plan.sizes(program)
    ends = {n: [results.stores_gain(program, cpus, n) for cpus in (2, 4)] for n in (sizes[0], sizes[-1])}
    if all(all(gains) for gains in ends.values()):
        words = [f"{', '.join(f'{gain[0]:+.0%}' for gain in gains)} at N = {n}" for n, gains in ends.items()]
        check.ours = "stores save, on 2 and 4 cores: " + "; ".join(words)
        first, last = ends.values()
        check.met = all(gain[0] > 0 for gain in first) and all(gain[0] < 0 for gain in last)
        check.met = None if results.plan.quick else check.met
    return check


def efficiency(results: Results, program: str, name: str, claims: tuple[str, str]) -> Check:
    """Parallel efficiency of the largest N, by RDMA."""
    paper = [results.paper[claim].low for claim in claims]
    check = Check(f"{name}: efficiency on 2 and 4 cores, largest N, RDMA", f"{paper[0]:g} and {paper[1]:g} %",
                  "within 10 points")  # fmt: skip
    n = results.plan.sizes(program)[-1]
    gains = [results.speedup(program, "rdma", cpus, n) for cpus in (2, 4)]
    if all(gains):
        found = [100 * gain / cpus for gain, cpus in zip(gains, (2, 4), strict=True)]
        check.ours = f"{found[0]:.0f} and {found[1]:.0f} % at N = {n}"
        check.met = all(abs(ours - theirs) <= POINTS for ours, theirs in zip(found, paper, strict=True))
        check.met = None if results.plan.quick else check.met
    return check


def all_of(results: Results) -> list[Check]:
    """All checks, in the order of the tables and figures."""
    return [
        store(results),
        *four_cores(results),
        *many_cores(results),
        bandwidth(results),
        knee(results, "chip", 3),
        knee(results, "dram", 4),
        profitable(results),
        signs(results, "bitonic", "bitonic sort"),
        efficiency(results, "bitonic", "bitonic sort", ("bitonic_efficiency_2", "bitonic_efficiency_4")),
        signs(results, "fft", "FFT"),
        efficiency(results, "fft", "FFT", ("fft_efficiency_rdma_2", "fft_efficiency_rdma_4")),
    ]
