"""figures: tables 1a and 1b and figures 8 to 11b of CNI as items.

Units: cycles; bytes a cycle.
"""

from cni.measures import Known
from cni.plan import CPUS, SWEEP, SWEEP_COUNTS, TRANSPORTS, Run
from nemesys.items import Cell, Item, Panel, percent, ratio, rounded

LOCKS = {"mr-queue": "mr_queue", "lock-box": "lock_box"}
BARRIERS = {"counter": "counter", "mutex": "mutex"}
KIB = 1024


def table1a(known: Known) -> Item:
    """Locks."""
    columns = ["lock", "CPUs", "acquire", "release", "both in a row", "instructions"]
    columns += ["paper: acquire", "release", "total", "ours / paper"]
    rows: list[list[Cell]] = []
    for kind, name in LOCKS.items():
        for cpus in CPUS:
            paper = [known.paper[f"{name}_{part}_{cpus}"].low for part in ("acquire", "release", "total")]
            found = known.lock(known.plan.lock(kind, cpus))
            ours = [found.acquire, found.release, found.total, found.software] if found else [None] * 4
            rows.append([kind, cpus, *(rounded(v, 4) for v in ours), *paper, rounded(ratio(ours[2], paper[2]))])
    sentences = [
        "Cycles of each core, all of which take and give back one lock without a pause. The parts are of a second pass "
        "that looks at the clock between them; instructions: the same instructions on own words that answer at once. "
        "The paper's lock box is a device beside the cores; here its part is a word in core 0's scratchpad, taken by "
        "an atomic swap there, again and again. The instructions of the paper's mr-queue lock took "
        f"{known.paper['lock_software']}."
    ]
    if (one_way := known.store_one_way()) is not None:
        mean = known.lines(known.plan.latency())[0]
        sentences.append(
            f"A remote store takes {one_way} cycles at least from core to core, until a polling core has seen it, "
            f"{mean['sum'] / mean['times']:.1f} in the mean of all phases of the poll; the paper's "
            f"{known.paper['store_one_way']}."
        )
    return Item("table 1a", "Locks, 1 to 4 cores", columns, rows, sentences, of="cni")


def table1b(known: Known) -> Item:
    """Barriers."""
    columns = ["barrier", "CPUs", "cycles", "instructions", "paper", "ours / paper"]
    rows: list[list[Cell]] = []
    for kind, name in BARRIERS.items():
        for cpus in CPUS:
            run = known.plan.barrier(kind, cpus)
            cycles, paper = known.each(run), known.paper[f"{name}_{cpus}"].low
            software = known.barrier_software(run) if kind == "counter" else None
            rows.append([kind, cpus, rounded(cycles, 4), rounded(software), paper, rounded(ratio(cycles, paper))])
    sentences = [
        "Cycles from barrier to barrier, entered again and again; nothing is between them. The instructions of the "
        f"paper's counter barrier took {known.paper['barrier_software']}."
    ]
    return Item("table 1b", "Barriers, 1 to 4 cores", columns, rows, sentences, of="cni")


def figure8(known: Known) -> Item:
    """STREAM's triad."""
    columns = ["arrays", "transport", "workers", "buffers", "bytes of a block", "bytes a cycle", "of the most"]
    rows: list[list[Cell]] = []
    panels = []
    for place, transport, workers in known.plan.triads():
        found = known.bandwidths(place, transport, workers)
        most = max(found.values(), default=None)
        for (buffers, size), value in sorted(found.items()):
            rows.append([place, transport, workers, buffers, size, rounded(value, 4), percent(ratio(value, most))])
        if found and workers == (4 if place == "dram" else 3):
            counts = sorted({buffers for buffers, _ in found})
            series = {f"{count} buffers": [(s, v) for (b, s), v in sorted(found.items()) if b == count]
                      for count in counts}  # fmt: skip
            title = f"{place}, {transport}, {workers} workers"
            panels.append(Panel(title, "bytes of a block", "bytes a cycle", series, "x"))
    sentences = [
        "All bytes that are moved: b and c to the workers, a back. On chip the arrays lie in one core's scratchpad; by "
        "stores that core pushes b and c and the workers store a. In DDR each worker has arrays of its own. A buffer "
        "holds a block of b, which becomes a, and one of c."
    ]
    return Item("figure 8", "STREAM triad", columns, rows, sentences, panels, of="cni")


def blocks_item(known: Known, name: str, program: str, title: str) -> Item:
    """Figures 9 and 10."""
    columns = ["N", "cores", "transport", "cycles", "computing", "sending", "waiting", "speed-up", "efficiency %"]
    columns += ["communication that stores save %", "of all %"]
    rows: list[list[Cell]] = []
    speedups: dict[str, list[tuple[int, float | None]]] = {}
    communication: dict[str, list[tuple[int, float | None]]] = {}
    for n in known.plan.sizes(program):
        for cpus in CPUS:
            for transport in TRANSPORTS if cpus > 1 else ("rdma",):
                found = known.blocks(program, transport, cpus, n)
                parts = [found.total, found.computing, found.sending, found.waiting] if found else [None] * 4
                gain = known.speedup(program, transport, cpus, n)
                saved = known.stores_gain(program, cpus, n) if transport == "stores" else None
                rows.append([n, cpus, transport if cpus > 1 else "", *(rounded(v, 4) for v in parts), rounded(gain),
                             percent(ratio(gain, cpus)), *(percent(v) for v in saved or (None, None))])  # fmt: skip
                if cpus > 1:
                    label = f"{cpus} cores, {transport}"
                    speedups.setdefault(label, []).append((n, gain))
                    share = found and found.communicating / (found.communicating + found.computing)
                    communication.setdefault(label, []).append((n, percent(share) if found else None))
    panels = [Panel("speed-up", "N", "times", speedups, "x")]
    panels.append(Panel("communicating and waiting, share", "N", "%", communication, "x"))
    sentences = [
        "From the first core that begins to the last that ends; the parts are means of the cores. Sending: the stores, "
        "or the four stores that begin a copy. Waiting: until the partner's block is here and the own one may be "
        "overwritten."
    ]
    return Item(name, title, columns, rows, sentences, panels, of="cni")


def compared(known: Known, name: str, title: str, names: tuple[str, str], pairs: list[tuple[int, Run, Run]]) -> Item:
    """Figures 11a and 11b: ours and the coherent one, by cores."""
    columns = ["cores", f"{names[0]} cycles", f"{names[1]} cycles", "times faster", "paper"]
    rows: list[list[Cell]] = []
    series: dict[str, list[tuple[int, float | None]]] = {one: [] for one in names}
    for cores, mine, other in pairs:
        values = [known.each(mine), known.each(other)]
        gain = ratio(values[1], values[0])
        rows.append([cores, *(rounded(v, 4) for v in values), rounded(gain), of_paper(known, name, cores)])
        for one, value in zip(names, values, strict=True):
            series[one].append((cores, value))
    sentences = [
        "On a mesh with a core a tile; the other one is on the same mesh with coherent caches by a directory. Four "
        "cores are four of the machine with 16."
    ]
    if name == "figure 11a":
        sentences.append("A round: each core takes the lock once, with nothing in the section.")
    panel = Panel(title, "cores", "cycles of a round", series, "xy")
    return Item(name, title, columns, rows, sentences, [panel], of="cni")


def of_paper(known: Known, name: str, cores: int) -> Cell:
    """What the text says of a point of figure 11."""
    if name == "figure 11a":
        return str(known.paper["lock_gain"]) if cores >= 16 else None
    return str(known.paper[f"barrier_gain_{cores}"]) if cores in (16, 128) else None


def figure11a(known: Known) -> Item:
    """Locks over cores."""
    pairs = [(count, known.plan.mr_queue(count), known.plan.mcs(count)) for count in known.plan.counts]
    return compared(known, "figure 11a", "Lock of all cores", ("mr-queue", "MCS"), pairs)


def figure11b(known: Known) -> Item:
    """Barriers over cores."""
    pairs = [(count, known.plan.counter(count), known.plan.tree(count)) for count in known.plan.counts]
    return compared(known, "figure 11b", "Barrier of all cores", ("counter", "tree"), pairs)


def sweep(known: Known) -> Item:
    """Beyond figure 11: more cores than the paper has."""
    columns = ["what", "cores", "CNI cycles", "coherent cycles", "times faster"]
    rows: list[list[Cell]] = []
    panels = []
    plan = known.plan
    for what, mine, other in (("lock", plan.mr_queue, plan.mcs), ("barrier", plan.counter, plan.tree)):
        series: dict[str, list[tuple[int, float | None]]] = {"CNI": [], "coherent caches": []}
        for cores in SWEEP_COUNTS:
            values = [known.each(mine(cores)), known.each(other(cores))]
            rows.append([what, cores, *(rounded(v, 4) for v in values), rounded(ratio(values[1], values[0]))])
            for one, value in zip(series, values, strict=True):
                series[one].append((cores, value))
        panels.append(Panel(what, "cores", "cycles of a round", series, "xy"))
    sentences = [
        "Locks and barriers of figure 11 on meshes of 16x8 to 32x32 tiles, a DDR at each corner. A round of a lock: "
        "each core takes it once. Beyond 128 cores fewer rounds are measured."
    ]
    return Item(SWEEP, "Beyond the paper: locks and barriers to 1024 cores", columns, rows, sentences, panels, of="cni")


MAKERS = {
    "table 1a": table1a,
    "table 1b": table1b,
    "figure 8": figure8,
    "figure 9": lambda known: blocks_item(known, "figure 9", "bitonic", "Bitonic sort"),
    "figure 10": lambda known: blocks_item(known, "figure 10", "fft", "Fourier transform"),
    "figure 11a": figure11a,
    "figure 11b": figure11b,
    SWEEP: sweep,
}
