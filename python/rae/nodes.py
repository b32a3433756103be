"""nodes: table 1 and figures 7 to 10 of RAE, and what is beyond them, as items: all on the machines rae-6 and more.

Units: ns, cycles of the nodes' clock, instructions, per cent.
"""

from statistics import fmean

from nemesys.items import Cell, Item, Panel, percent, rounded
from rae.measures import Known
from rae.plan import CURVE, IRREGULAR, MERGING, PATTERNS, POLICIES, REGULAR, SAMPLES, SHMEM_WAYS, STRIDE, TABLE

Points = list[tuple[float | str, float | None]]
WORDS = ("load", "store", "add", "compare_swap", "add_from_caches", "add_from_memory")


def kind(kernel: str) -> str:
    """Of a pattern."""
    return "irregular" if kernel.split("_")[0] in IRREGULAR else "regular"


def gain(known: Known, nodes: int, kernel: str) -> float | None:
    """How much sooner instructions end: of the time by messages, the share that is saved."""
    direct, software = (known.kernel(nodes, kernel, way) for way in SHMEM_WAYS)
    return 1 - direct.seconds / software.seconds if direct and software else None


def removed(known: Known, nodes: int, kernel: str) -> float | None:
    """Of the instructions by messages, the share that is gone."""
    direct, software = (known.kernel(nodes, kernel, way) for way in SHMEM_WAYS)
    return 1 - direct.instructions / software.instructions if direct and software else None


def summary(known: Known, of) -> str:  # noqa: ANN001
    """Mean and ends of a share of all kernels, by machine."""
    words = []
    for nodes in known.plan.sizes:
        found = [value for kernel in known.plan.kernels() if (value := of(known, nodes, kernel)) is not None]
        if found:
            ends = f"{100 * min(found):.1f} to {100 * max(found):.1f}"
            words.append(f"{100 * fmean(found):.2f} % in the mean of {len(found)} on rae-{nodes} ({ends})")
    return "; ".join(words)


def figure7(known: Known) -> Item:
    """Performance."""
    columns = ["machine", "kernel", "instructions µs", "messages µs", "time saved %", "times faster"]
    rows: list[list[Cell]] = []
    series: dict[str, Points] = {}
    for nodes in known.plan.sizes:
        for kernel in known.plan.kernels():
            found = [known.kernel(nodes, kernel, way) for way in SHMEM_WAYS]
            times = [rounded(one.seconds * 1e6, 5) if one else None for one in found]
            saved = gain(known, nodes, kernel)
            faster = rounded(1 / (1 - saved)) if saved is not None else None
            rows.append([f"rae-{nodes}", kernel, *times, percent(saved), faster])
            series.setdefault(f"rae-{nodes}", []).append((kernel, percent(saved)))
    sentences = [
        "CircusTent's kernels from one source: every operation an instruction, or a message, a handler on the other "
        "node's core and a reply (-DTESS_SHMEM_MESSAGES). Time of the simulated machine, from the barrier before to "
        "the barrier behind a kernel, that of all nodes. Time saved: 1 - (by instructions) / (by messages).",
        f"The paper: {known.paper['gain_mean']} in the mean, {known.paper['gain_max']} at most, over OpenSHMEM; our "
        "notes of it do not say which ratio that is.",
    ]
    if words := summary(known, gain):
        sentences.append(
            f"Ours saves {words}. That is more than the paper's, although the software here is leaner. The kernels "
            "here do nothing but operations on words of the next node, one at a time, so a round trip is the time: 87 "
            "cycles by an instruction, about 347 by messages, of which the instructions of both cores are most (figure "
            "3). What is the same in both ways, network and memory, weighs little on this mesh; where it takes more, "
            "the same instructions save a smaller share, as from rae-6 to rae-16 and where lines miss."
        )
    panel = Panel("7: time saved by instructions", "", "%", series, band_name="the paper's mean and maximum",
                  band=(known.paper["gain_mean"].low, known.paper["gain_max"].low))  # fmt: skip
    return Item("figure 7", "Performance against software", columns, rows, sentences, [panel], of="rae")


def figure8(known: Known) -> Item:
    """Instructions."""
    columns = ["machine", "kernel", "by instructions", "by messages", "removed %"]
    rows: list[list[Cell]] = []
    series: dict[str, Points] = {}
    for nodes in known.plan.sizes:
        for kernel in known.plan.kernels():
            found = [known.kernel(nodes, kernel, way) for way in SHMEM_WAYS]
            less = percent(removed(known, nodes, kernel), 2)
            rows.append([f"rae-{nodes}", kernel, *(one.instructions if one else None for one in found), less])
            series.setdefault(f"rae-{nodes}", []).append((kernel, less))
    sentences = [
        "Counted by each core's instret, and added up: all cores that run the program, from the barrier before the "
        "kernel to the end of the one behind it, so handlers on the core that is asked are in it, and the barrier. "
        "Who waits sleeps on a word; it wakes for a message, looks, and those instructions are counted, but no loop "
        "asks again and again.",
        f"The paper: {known.paper['instructions_removed']} in the mean, against OpenSHMEM.",
    ]
    if words := summary(known, removed):
        sentences.append(f"Ours removes {words}, against a path of about 85 instructions for who asks and 53 for who "
                         "is asked (figure 3). Of PTRCHASE, whose operations go to all nodes alike, one in so many "
                         "is on the core's own node, which software does at once.")  # fmt: skip
    panel = Panel("8: instructions removed", "", "%", series, band_name="the paper's mean and above",
                  band=(known.paper["instructions_removed"].low, 100))  # fmt: skip
    return Item("figure 8", "Instructions removed", columns, rows, sentences, [panel], of="rae")


def figure9(known: Known) -> Item:
    """Addresses."""
    found = known.addresses()[:SAMPLES]
    rows: list[list[Cell]] = [[array, word] for array, word in found]
    series: dict[str, Points] = {"array": [], "index": []}
    for number, (array, word) in enumerate(found):
        series[array].append((number, 8 * word / 1024))
    sentences = [
        f"The first {len(found)} compare-and-swaps of SCATTER that PE 0 of rae-6 executed, each on a word of PE 1, in "
        "their order, noted by the program beside each operation: an iteration takes the next word of the index "
        "array, the next of the data array, and the one in the data array that the index says.",
        "The paper samples as many and calls them sparse. A third are: the others go through their arrays in order.",
    ]  # fmt: skip
    lines = {(array, word // 8) for array, word in found}
    if found:
        sentences.append(f"They are in {len(lines)} lines of 64 bytes; the interface cache has 1024.")
    panel = Panel("9: addresses of compare-and-swaps", "compare-and-swap", "KiB from the array's begin", series,
                  scattered=True)  # fmt: skip
    return Item("figure 9", "Addresses of SCATTER's compare-and-swaps", ["array", "word"], rows, sentences,
                [panel] if rows else [], of="rae")  # fmt: skip


def mean_misses(known: Known, nodes: int, patterns: tuple[str, ...], policy: str) -> float | None:
    """Of the kernels of these patterns; none if one is missing."""
    kernels = [kernel for kernel in known.plan.kernels() if kernel.split("_")[0] in patterns]
    found = [known.misses(nodes, kernel, policy) for kernel in kernels]
    return None if None in found else fmean(found)


def figure10(known: Known) -> Item:
    """Misses of the interface cache."""
    columns = ["machine", "kernel", "kind", "requests", *(f"{policy}: misses %" for policy in POLICIES)]
    rows: list[list[Cell]] = []
    panels = []
    for nodes in known.plan.sizes:
        series: dict[str, Points] = {policy: [] for policy in POLICIES}
        for kernel in known.plan.kernels():
            one = known.interface(known.plan.kernel(nodes, kernel))
            rates = [percent(known.misses(nodes, kernel, policy), 2) for policy in POLICIES]
            rows.append([f"rae-{nodes}", kernel, kind(kernel), one.requests if one else None, *rates])
            for policy, rate in zip(POLICIES, rates, strict=True):
                series[policy].append((kernel, rate))
        panels.append(Panel(f"10: misses of the interface cache, rae-{nodes}", "", "%", series))
    means = [f"rae-{nodes} {100 * irregular:.2f} and {100 * regular:.2f} %" for nodes in known.plan.sizes
             if (irregular := mean_misses(known, nodes, IRREGULAR, "retain")) is not None
             and (regular := mean_misses(known, nodes, REGULAR, "retain")) is not None]  # fmt: skip
    sentences = [
        "A miss is a request that allocates a main entry of the extended MSHRs; the rate is of all requests, loads "
        f"among them, of a kernel. STRIDEN steps by {STRIDE} words. The paper: {known.paper['miss_irregular']} of "
        f"irregular and {known.paper['miss_regular']} of regular kernels, in the mean; which are which is not said.",
        "0.11 % cannot follow from lines of 64 bytes: who goes through an array word by word needs each line once, one "
        "request in eight (docs/machine/rae.md). With free-at-once a request alone never finds its line, and here each "
        "node asks one other, one at a time.",
        "RAND loads its index, which the owner's caches keep: each load takes a copy of the line and leaves it. SG "
        "takes the word that it has written in the iteration before, which hits. SCATTER and GATHER go through two "
        "arrays in order, which with the random word would be 40 %; but the arrays' sizes are powers of two, so words "
        "of both fall on the same lines of a direct-mapped cache.",
    ]
    if means:
        sentences.append(f"Ours with retain, irregular and regular, means of kernels: {'; '.join(means)}.")
    return Item("figure 10", "Misses of the interface cache", columns, rows, sentences, panels, of="rae")


def configured(known: Known) -> dict[str, str]:
    """What the machine file says of a measured value."""
    of = known.machine
    memory, network, rae = of["memory"], of["network"], of["rae"]
    first_ns = 1e3 * memory["access_cycles"] / of["clocks"]["memory_mhz"]
    router = sum(network[f"{part}_cycles"] for part in ("routing", "traversal", "link"))
    own = rae["packet_cycles"] + rae["look_up_cycles"] + rae["operation_cycles"]
    adapter = of["adapter"]["request_cycles"] + of["adapter"]["response_cycles"]
    miss = of["l2"]["hit_cycles"] + of["l2"]["miss_cycles"]
    link = network["link_bytes"] * of["clocks"]["network_mhz"]
    return {
        "l2": f"{of['l2']['hit_cycles']} cycles",
        "near": f"L2 {miss} cycles, and {first_ns:g} ns until the first word",
        "words": f"adapters {adapter} cycles, interface {own}, and the network",
        "hop": f"{router} cycles of {of['clocks']['network_mhz']} MHz each way",
        "copy": f"a link {link} B/µs, memory's port {memory['port_bytes'] * of['clocks']['memory_mhz']}",
    }


def table1(known: Known) -> Item:
    """The machine."""
    columns = ["what", "measured", "unit", "configured"]
    found = known.latencies()
    if found is None:
        return Item(TABLE, "The machine rae-6, measured", columns, [], [], of="rae")
    said = configured(known)
    mhz = 1e6 / found["clock_ps"]
    rows: list[list[Cell]] = [
        ["nodes", found["nodes"], "", f"{known.machine['grid']['width']} x {known.machine['grid']['height']}"],
        ["clock", mhz, "MHz", f"{known.machine['clocks']['tile_mhz']} MHz"],
        ["load, L1", found["l1_load"], "cycles", "one cycle"],
        ["load, L2", found["l2_load"], "cycles", said["l2"]],
        ["load, memory, row open", found["stream_load"], "cycles", said["near"]],
        ["load, memory, another row", found["memory_load"], "cycles", "and the DRAM's own rules"],
        ["amoadd, own word", found["own_add"], "cycles", said["l2"]],
    ]
    near = next(one for one in found["words"] if one["hops"] == 1)
    far = max(found["words"], key=lambda one: one["hops"])
    names = ("eld", "esd", "eamoadd", "eamocas", "eamoadd, line in the owner's caches", "eamoadd, line in memory")
    rows += [[f"{name}, 1 hop", near[what], "cycles", said["words"] if what == "load" else ""]
             for what, name in zip(WORDS, names, strict=True)]  # fmt: skip
    hop = (far["add"] - near["add"]) / (far["hops"] - 1)
    rows.append(["a hop more, there and back", rounded(hop, 4), "cycles", said["hop"]])
    rows.append(["copy by DMA within a node", found["copy_within_bytes_per_us"], "B/µs", said["copy"]])
    rows.append(["copy by DMA from the next node", found["copy_neighbour_bytes_per_us"], "B/µs", said["copy"]])
    sentences = [
        "Measured by a program on the machine, rae-latencies, on node 0 while the others sleep; the paper's Table I "
        "has what is configured: 2 GHz, 16 KB L1, 8 MB L2, an interface cache of 64 KB, DDR4, flits of 32 bits. An "
        "instruction of xBGAS is measured with the one that sets its object. A copy has at most "
        f"{known.machine['adapter']['dma_packets']} lines under way, and does not fill a link. One core that loads "
        f"line after line gets {64 * mhz / found['stream_load']:.0f} B/µs of the memory.",
    ]
    return Item(TABLE, "The machine rae-6, measured", columns, rows, sentences, of="rae")


def interface(known: Known) -> Item:
    """By requests under way."""
    columns = ["policy", "pattern", "places", "requests", "main entries", "merged", "misses %"]
    rows: list[list[Cell]] = []
    panels: dict[str, Panel] = {}
    for policy, which, places in known.plan.curve():
        found = known.interface(known.plan.pattern(which, places, policy))
        rate = percent(found.misses, 3) if found else None
        counts = (found.requests, found.entries, found.merged) if found else (None, None, None)
        rows.append([policy, which, places, *counts, rate])
        panel = panels.setdefault(policy, Panel(f"misses, {policy}", "requests under way", "%", {}, "x"))
        panel.series.setdefault(which, []).append((places, rate))
    sentences = [
        "So many places of rae-64 add to words of place 0, each one at a time: that many requests are under way at the "
        f"most. {', '.join(PATTERNS)}: one word, word after word, and random words of 2 MiB. With free-at-once the "
        "rate says how many requests come while a line is on its way."
    ]
    title = "The interface by requests under way"
    return Item(CURVE, title, columns, rows, sentences, list(panels.values()), of="rae")


def accesses_each(known: Known, policy: str, *, merge: bool) -> float | None:
    """Lines of memory for each operation, all places on one word."""
    run = next(run for kept, merges, run in known.plan.merging() if (kept, merges) == (policy, merge))
    found = known.interface(run)
    return found.accesses / found.requests if found else None


def merging(known: Known) -> Item:
    """On and off."""
    columns = ["policy", "merge", "requests", "main entries", "merged", "memory accesses an operation"]
    columns.append("operations a µs")
    rows: list[list[Cell]] = []
    for policy, merge, run in known.plan.merging():
        found = known.interface(run)
        counts = (found.requests, found.entries, found.merged) if found else (None, None, None)
        speed = rounded(found.requests / found.seconds / 1e6, 4) if found else None
        rows.append([policy, "on" if merge else "off", *counts,
                     rounded(accesses_each(known, policy, merge=merge), 4), speed])  # fmt: skip
    sentences = [
        "64 places add to one word of place 0. Off: a request for a line that is on its way waits until that is done, "
        "and gets it anew; with retain it finds it in the interface cache then."
    ]
    return Item(MERGING, "Requests for one line merge", columns, rows, sentences, of="rae")


MAKERS = {"figure 7": figure7, "figure 8": figure8, "figure 9": figure9, "figure 10": figure10, TABLE: table1,
          CURVE: interface, MERGING: merging}  # fmt: skip
