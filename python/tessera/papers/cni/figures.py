"""figures: tables 1a and 1b and figures 7 to 11b of CNI, and the sweep beyond figure 11.

Units: cycles; bytes per cycle.
"""

import itertools

from tessera.papers.cni import area
from tessera.papers.cni.measures import Results
from tessera.papers.cni.plan import CPUS, DIRECTORIES, MORE, MORE_CORES, STREAMS, SWEEP, SWEEP_COUNTS, TRANSPORTS, Run
from tessera.reproduce.items import Cell, Item, Panel, percent, ratio, rounded

# The paper's name of each.
LOCKS = {"mr-queue": "mr_queue", "called": "mr_queue", "lock-box": "lock_box", "called-box": "lock_box"}
BARRIERS = {"counter": "counter", "called": "counter", "mutex": "mutex"}
KIB = 1024
# Bytes a cycle that cni-4 can move at most: on chip through the bus of core 0's tile, in DDR through the memory's port.
HARDWARE_MOST = 16


def table1a(results: Results) -> Item:
    """Table 1a: locks."""
    columns = ["lock", "CPUs", "acquire", "release", "both", "instructions"]
    columns += ["paper: acquire", "release", "total", "ours / paper"]
    rows: list[list[Cell]] = []
    for kind, name in LOCKS.items():
        for cpus in CPUS:
            paper = [results.paper[f"{name}_{part}_{cpus}"].low for part in ("acquire", "release", "total")]
            found = results.lock(results.plan.lock(kind, cpus))
            ours = [found.acquire, found.release, found.total, found.software] if found else [None] * 4
            rows.append([kind, cpus, *(rounded(v, 4) for v in ours), *paper, rounded(ratio(ours[2], paper[2]))])
    sentences = [
        "Cycles per core; all cores acquire and release one lock without a pause. Acquire and release are from a "
        "second pass that reads the clock between them. Instructions: the cycles of the same instructions on local "
        "words that respond at once. The paper's lock box is a device beside the cores; here it is a word in core 0's "
        "scratchpad, on which cores spin with an atomic swap. The instructions of the paper's mr-queue lock took "
        f"{results.paper['lock_software']}. Called, called-box: the same two locks "
        "with their library out of line, as the paper's; the claims are about these."
    ]
    if (one_way := results.store_one_way()) is not None:
        mean = results.lines(results.plan.latency())[0]
        sentences.append(
            f"A remote store takes at least {one_way} cycles from core to core, until a polling core detects it, and "
            f"{mean['sum'] / mean['times']:.1f} on average over all phases of the poll; in the paper "
            f"{results.paper['store_one_way']}."
        )
    return Item("table 1a", "Locks, 1 to 4 cores", columns, rows, sentences)


def table1b(results: Results) -> Item:
    """Table 1b: barriers."""
    columns = ["barrier", "CPUs", "cycles", "instructions", "paper", "ours / paper"]
    rows: list[list[Cell]] = []
    for kind, name in BARRIERS.items():
        for cpus in CPUS:
            run = results.plan.barrier(kind, cpus)
            cycles, paper = results.round_cycles(run), results.paper[f"{name}_{cpus}"].low
            software = results.barrier_software(run) if kind != "mutex" else None
            rows.append([kind, cpus, rounded(cycles, 4), rounded(software), paper, rounded(ratio(cycles, paper))])
    sentences = [
        "Cycles from barrier to barrier, with no work in between. The instructions of the "
        f"paper's counter barrier took {results.paper['barrier_software']}. Called: the counter barrier whose library "
        "is out of line, as the paper's; in the other it is inlined."
    ]
    return Item("table 1b", "Barriers, 1 to 4 cores", columns, rows, sentences)


def figure8(results: Results) -> Item:
    """Figure 8: STREAM triad."""
    columns = ["arrays", "kernel", "bits", "transport", "workers", "buffers", "bytes per block"]
    columns += ["bytes per cycle", "% of maximum"]
    rows: list[list[Cell]] = []
    panels = []
    peaks: dict[tuple[str, str], dict[str, float]] = {}
    triads = [(*one, STREAMS[0]) for one in results.plan.triads()]
    for place, transport, workers, stream in (*triads, *results.plan.streams()):
        found = results.bandwidths(place, transport, workers, stream)
        most = max(found.values(), default=None)
        for (buffers, size), value in sorted(found.items()):
            rows.append([place, *stream, transport, workers, buffers, size, rounded(value, 4),
                         percent(ratio(value, most))])  # fmt: skip
        if found and place == "chip" and workers == 3:
            peaks.setdefault(stream, {})[transport] = most
        if found and stream == STREAMS[0] and workers == (4 if place == "dram" else 3):
            counts = sorted({buffers for buffers, _ in found})
            series = {f"{count} buffers": [(s, v) for (b, s), v in sorted(found.items()) if b == count]
                      for count in counts}  # fmt: skip
            sizes = [size for _, size in found]
            series["hardware maximum"] = [(min(sizes), HARDWARE_MOST), (max(sizes), HARDWARE_MOST)]
            title = f"{place}, {transport}, {workers} workers"
            panels.append(Panel(title, "bytes per block", "bytes per cycle", series, "x"))
    sentences = [
        "Counts all bytes moved: b and c to the workers, a back. On chip, the arrays are in one core's scratchpad; "
        "with stores, that core pushes b and c, and the workers store a. In DDR, each worker has its own arrays. A "
        "buffer holds a block of b, which becomes a, and a block of c. Copy: a = b, which computes nothing. Bits: of "
        "an element, a load and a store; the paper's cores have 32."
    ]
    gains = [f"{kernel}, {bits} bits: {most['rdma'] / most['stores']:.1f} times ({most['rdma']:.2f} and "
             f"{most['stores']:.2f} bytes per cycle)"
             for (kernel, bits), most in peaks.items() if len(most) == 2]  # fmt: skip
    if gains:
        bars = {by: [(f"{kernel}\n{bits} bits", most.get(by)) for (kernel, bits), most in peaks.items()]
                for by in TRANSPORTS}  # fmt: skip
        panels.append(Panel("chip, peaks of 3 workers", "kernel", "bytes per cycle", bars))
        over = [(f"{kernel}\n{bits} bits", ratio(most.get("rdma"), most.get("stores")))
                for (kernel, bits), most in peaks.items()]  # fmt: skip
        paper = results.paper["rdma_over_stores"]
        panels.append(Panel("the same, rdma beside stores", "kernel", "times", {"gain of rdma": over},
                            band=(paper.low, paper.high)))  # fmt: skip
        sentences.append(f"Peak of RDMA over that of stores, on chip, 3 workers: {'; '.join(gains)}.")
    return Item("figure 8", "STREAM triad", columns, rows, sentences, panels)


def blocks_item(results: Results, name: str, program: str, title: str) -> Item:
    """Figure 9 or 10: an algorithm on blocks."""
    columns = ["N", "cores", "transport", "cycles", "computing", "sending", "waiting", "speed-up", "efficiency %"]
    columns += ["communication saved by stores, or by rdma if negative, %", "total saved %"]
    rows: list[list[Cell]] = []
    speedups: dict[str, list[tuple[int, float | None]]] = {}
    communication: dict[str, list[tuple[int, float | None]]] = {}
    paper: dict[str, list[tuple[int, float]]] = {}
    for n in results.plan.sizes(program):
        for cpus in CPUS:
            for transport in TRANSPORTS if cpus > 1 else ("rdma",):
                found = results.blocks(program, transport, cpus, n)
                parts = [found.total, found.computing, found.sending, found.waiting] if found else [None] * 4
                gain = results.speedup(program, transport, cpus, n)
                saved = results.stores_gain(program, cpus, n) if transport == "stores" else None
                rows.append([n, cpus, transport if cpus > 1 else "", *(rounded(v, 4) for v in parts), rounded(gain),
                             percent(ratio(gain, cpus)), *(percent(v) for v in saved or (None, None))])  # fmt: skip
                if cpus > 1:
                    label = f"{cpus} cores, {transport}"
                    speedups.setdefault(label, []).append((n, gain))
                    share = found and found.communicating / (found.communicating + found.computing)
                    communication.setdefault(label, []).append((n, percent(share) if found else None))
    # The text states efficiencies without their N; they are drawn where ours are compared, at the largest.
    largest = results.plan.sizes(program)[-1]
    for cpus, by in itertools.product(CPUS[1:], TRANSPORTS):
        claimed = f"fft_efficiency_{by}_{cpus}" if program == "fft" else f"bitonic_efficiency_{cpus}"
        if program == "fft" or by == "rdma":
            point = (largest, cpus * results.paper[claimed].low / 100)
            paper[f"the paper: {cpus} cores, {by}"] = [point]
    panels = [Panel("speed-up", "N, elements", "times one core", speedups, "x", paper=paper)]
    panels.append(Panel("communicating and waiting", "N, elements", "share of the time, %", communication, "x"))
    sentences = [
        "Cycles from the first core that begins to the last that ends; the parts are means over cores. Sending: the "
        "stores, or the four stores that start a copy. Waiting: until the other core's block has arrived and the "
        "local one may be overwritten."
    ]
    return Item(name, title, columns, rows, sentences, panels)


def compared(
    results: Results, name: str, title: str, names: tuple[str, str], runs: list[tuple[int, list[Run]]]
) -> Item:
    """Figure 11a or 11b: CNI and coherent caches with each directory, by cores."""
    kinds = [names[0], *(f"{names[1]}, {one}" for one in DIRECTORIES)]
    columns = ["cores", *(f"{one} cycles" for one in kinds), *(f"times faster: {one}" for one in DIRECTORIES), "paper"]
    columns += [f"{one} µJ of the run" for one in kinds]
    rows: list[list[Cell]] = []
    series: dict[str, list[tuple[int, float | None]]] = {one: [] for one in kinds}
    for cores, of_cores in runs:
        values = [results.round_cycles(run) for run in of_cores]
        gains = [rounded(ratio(value, values[0])) for value in values[1:]]
        energies = [rounded(results.energy_uj(run)) for run in of_cores]
        rows.append([cores, *(rounded(v, 4) for v in values), *gains, claim(results, name, cores), *energies])
        for one, value in zip(kinds, values, strict=True):
            series[one].append((cores, value))
    sentences = [
        "Measured on a mesh with one core per tile; the comparison runs on the same mesh with directory-coherent "
        "caches. Forwarding: a directory in each tile, of its partition's lines, and owners answer requesters; "
        "interleaved: of its share of all lines by address. Blocking: one beside each memory, all data through it. "
        "Four cores are four of the machine with 16. Means of "
        f"{results.plan.rounds['lock' if name == 'figure 11a' else 'barrier']} rounds."
    ]
    if name == "figure 11a":
        sentences.append("A round: each core acquires the lock once; the critical section is empty.")
    panels = [Panel(title, "cores", "cycles per round", series, "xy")]
    panels.append(gains_panel(results, name, names, {one: dict(points) for one, points in series.items()}))
    return Item(name, title, columns, rows, sentences, panels)


def gains_panel(
    results: Results, name: str, names: tuple[str, str], cycles: dict[str, dict[int, float | None]]
) -> Panel:
    """How many times faster CNI is than each directory, beside what the paper states."""
    mine, *others = cycles
    series = {one: [(cores, ratio(value, cycles[mine][cores])) for cores, value in cycles[one].items()]
              for one in others}  # fmt: skip
    panel = Panel(f"{names[1]} beside {names[0]}", "cores", "cycles, times those of CNI", series, "x")
    if name == "figure 11a":
        panel.band = results.paper["lock_gain_least"].low, results.paper["lock_gain_most"].low
        panel.band_name = "the paper, from 16 cores on"
    else:
        points = [(cores, results.paper[f"barrier_gain_{cores}"].low) for cores in (16, 128)]
        panel.paper["the paper"] = points
    return panel


def claim(results: Results, name: str, cores: int) -> Cell:
    """The claim of the paper for a point of figure 11."""
    if name == "figure 11a":
        least, most = results.paper["lock_gain_least"], results.paper["lock_gain_most"]
        return f"{least.low:g} to {most}" if cores >= 16 else None
    return str(results.paper[f"barrier_gain_{cores}"]) if cores in (16, 128) else None


def figure11a(results: Results) -> Item:
    """Figure 11a: locks over cores."""
    plan = results.plan
    runs = [(n, [plan.mr_queue(n), *(plan.mcs(n, of) for of in DIRECTORIES.values())]) for n in plan.counts]
    return compared(results, "figure 11a", "Lock of all cores", ("mr-queue", "MCS"), runs)


def figure11b(results: Results) -> Item:
    """Figure 11b: barriers over cores."""
    plan = results.plan
    runs = [(n, [plan.counter(n), *(plan.tree(n, of) for of in DIRECTORIES.values())]) for n in plan.counts]
    return compared(results, "figure 11b", "Barrier of all cores", ("counter", "tree"), runs)


def of_rounds(results: Results) -> Item:
    """Means of figure 11 over numbers of rounds, up to the paper's: whether fewer are enough."""
    columns = ["what", "by", "rounds", "cycles per round", "times those of the fewest"]
    rows: list[list[Cell]] = []
    series: dict[str, list[tuple[int, float | None]]] = {}
    for what, name, runs in results.plan.of_rounds():
        values = [results.round_cycles(run) for run in runs]
        rounds = [int(run.arguments[-1]) for run in runs]
        each = [ratio(value, values[0]) for value in values]
        rows += [[what, name, n, rounded(v, 4), rounded(r, 4)] for n, v, r in zip(rounds, values, each, strict=True)]
        series[f"{what}: {name}"] = list(zip(rounds, each, strict=True))
    sentences = [
        f"{MORE_CORES} cores. The paper has 1000 acquisitions of each core and 10 000 episodes of a barrier; figure 11 "
        "here has fewer rounds, whose mean is the first of each row of points."
    ]
    panels = [Panel("Means of more rounds", "rounds", "cycles per round, times those of the fewest", series, "x")]
    return Item(MORE, "Rounds of figure 11", columns, rows, sentences, panels)


def sweep(results: Results) -> Item:
    """Figure 11 with more cores than the paper has."""
    columns = ["what", "cores", "CNI cycles", "coherent cycles", "times faster"]
    rows: list[list[Cell]] = []
    panels = []
    plan = results.plan
    for what, mine, other in (("lock", plan.mr_queue, plan.mcs), ("barrier", plan.counter, plan.tree)):
        series: dict[str, list[tuple[int, float | None]]] = {"CNI": [], "coherent caches": []}
        for cores in SWEEP_COUNTS:
            values = [results.round_cycles(mine(cores)), results.round_cycles(other(cores))]
            rows.append([what, cores, *(rounded(v, 4) for v in values), rounded(ratio(values[1], values[0]))])
            for one, value in zip(series, values, strict=True):
                series[one].append((cores, value))
        panels.append(Panel(what, "cores", "cycles per round", series, "xy"))
    sentences = [
        "Locks and barriers of figure 11 on meshes of 16x8 to 32x32 tiles, with a DDR at each corner. A round of a "
        "lock: each core acquires it once. Beyond 128 cores, fewer rounds are measured."
    ]
    return Item(SWEEP, "Beyond the paper: locks and barriers to 1024 cores", columns, rows, sentences, panels)


MAKERS = {
    "table 1a": table1a,
    "table 1b": table1b,
    "figure 7": area.figure7,
    "figure 8": figure8,
    "figure 9": lambda results: blocks_item(results, "figure 9", "bitonic", "Bitonic sort"),
    "figure 10": lambda results: blocks_item(results, "figure 10", "fft", "Fourier transform"),
    "figure 11a": figure11a,
    "figure 11b": figure11b,
    MORE: of_rounds,
    SWEEP: sweep,
}
