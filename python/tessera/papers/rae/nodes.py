"""nodes: table 1 and figures 7 to 10 of RAE, and two items beyond the paper, measured on the machines rae-6 to rae-64.

Units: ns, cycles of the nodes' clock, instructions, per cent.
"""

from collections.abc import Callable
from statistics import fmean

from tessera.papers.rae.measures import Results
from tessera.papers.rae.plan import (
    CURVE,
    GAP_DEGREE,
    GAP_KERNELS,
    GAP_NODES,
    IRREGULAR,
    MERGING,
    PATTERNS,
    POLICIES,
    REGULAR,
    SHMEM_WAYS,
    STRIDE,
    TABLE,
)
from tessera.reproduce.items import Cell, Item, Panel, percent, rounded

Points = list[tuple[float | str, float | None]]
WORDS = ("load", "store", "add", "compare_swap", "add_from_caches", "add_from_memory")


def kind(kernel: str) -> str:
    """Whether a kernel is regular, by its pattern."""
    if kernel in GAP_KERNELS:
        return "GAP"
    return "irregular" if kernel.split("_")[0] in IRREGULAR else "regular"


def gap_summary(results: Results, share: Callable[[Results, int, str], float | None]) -> str:
    """A share of GAP's kernels as a sentence; empty if one is missing."""
    found = {kernel: share(results, GAP_NODES, kernel) for kernel in GAP_KERNELS}
    if None in found.values():
        return ""
    words = ", ".join(f"{kernel} {100 * value:.1f}" for kernel, value in found.items())
    mean = f"{100 * fmean(found.values()):.2f} % in the mean"
    return (f"GAP's kernels with atomics, in OpenSHMEM on a Kronecker graph of 2^{results.plan.gap_scale} vertices "
            f"with {GAP_DEGREE} edges each, on rae-{GAP_NODES}: {mean} ({words}). "
            "pr pushes, as the paper's; GAP's own has no atomics.")  # fmt: skip


def gain(results: Results, nodes: int, kernel: str) -> float | None:
    """Share of the time by messages that xBGAS instructions save."""
    direct, software = (results.kernel(nodes, kernel, way) for way in SHMEM_WAYS)
    return 1 - direct.seconds / software.seconds if direct and software else None


def removed(results: Results, nodes: int, kernel: str) -> float | None:
    """Share of the instructions by messages that xBGAS removes."""
    direct, software = (results.kernel(nodes, kernel, way) for way in SHMEM_WAYS)
    return 1 - direct.instructions / software.instructions if direct and software else None


def energy_saved(results: Results, nodes: int, kernel: str) -> float | None:
    """Share of the energy by messages that xBGAS saves."""
    direct, software = (results.kernel(nodes, kernel, way) for way in SHMEM_WAYS)
    if not direct or not software or direct.energy_uj is None or not software.energy_uj:
        return None
    return 1 - direct.energy_uj / software.energy_uj


def summary(results: Results, share: Callable[[Results, int, str], float | None]) -> str:
    """Mean and range of a share over all kernels, by machine, as text."""
    words = []
    for nodes in results.plan.sizes:
        found = [value for kernel in results.plan.kernels() if (value := share(results, nodes, kernel)) is not None]
        if found:
            ends = f"{100 * min(found):.1f} to {100 * max(found):.1f}"
            words.append(f"{100 * fmean(found):.2f} % in the mean of {len(found)} on rae-{nodes} ({ends})")
    return "; ".join(words)


def addition(results: Results) -> tuple[str, str]:
    """An addition in both ways as texts: its cycles, and instructions by messages; empty without runs of figure 3."""
    direct, software = (results.costs(way).get("add") for way in SHMEM_WAYS)
    if not direct or not software:
        return "", ""
    cycles = (f": {direct.cycles:.0f} cycles of an addition by an instruction, {software.cycles:.0f} by messages, "
              "most of which are instructions of both cores (figure 3)")  # fmt: skip
    path = (f", against a path of {software.requesting:.0f} instructions of the requester and {software.serving:.0f} "
            "of the target (figure 3)")  # fmt: skip
    return cycles, path


def figure7(results: Results) -> Item:
    """Figure 7: performance."""
    columns = ["machine", "kernel", "instructions µs", "messages µs", "time saved %", "times faster"]
    columns += ["instructions µJ", "messages µJ", "energy saved %"]
    rows: list[list[Cell]] = []
    series: dict[str, Points] = {}
    for nodes in results.plan.sizes:
        for kernel in results.plan.kernels_on(nodes):
            found = [results.kernel(nodes, kernel, way) for way in SHMEM_WAYS]
            times = [rounded(one.seconds * 1e6, 5) if one else None for one in found]
            saved = gain(results, nodes, kernel)
            faster = rounded(1 / (1 - saved)) if saved is not None else None
            energies = [rounded(one.energy_uj, 4) if one and one.energy_uj is not None else None for one in found]
            energies.append(percent(energy_saved(results, nodes, kernel)))
            rows.append([f"rae-{nodes}", kernel, *times, percent(saved), faster, *energies])
            series.setdefault(f"rae-{nodes}", []).append((kernel, percent(saved)))
    sentences = [
        "CircusTent's kernels, compiled twice from one source: every operation is an instruction, or a message, a "
        "handler on the other node's core and a reply (-DTESS_SHMEM_MESSAGES). Simulated time of all nodes from the "
        "barrier before a kernel to the barrier after it. Time saved: 1 - (by instructions) / (by messages).",
        f"The paper: {results.paper['gain_mean']} on average, {results.paper['gain_max']} at most, over OpenSHMEM; "
        "which ratio that is, is not known to us.",
    ]
    if words := summary(results, gain):
        sentences.append(
            f"Ours saves {words}. That is more than the paper's, although the software here is leaner. The kernels "
            "here only execute operations on words of the next node, one at a time, so the time is that of a round "
            f"trip{addition(results)[0]}. Network and memory, which are the same in both ways, contribute little on "
            "this mesh; where they contribute more, the share saved is smaller, as from rae-6 to rae-16 and where "
            "lines miss."
        )
    if words := summary(results, energy_saved):
        sentences.append(f"Energy of all units and of the memory, by published energies of events, of which the paper "
                         f"has none: {words} is saved.")  # fmt: skip
    sentences += filter(None, [gap_summary(results, gain)])
    panel = Panel("7: time saved by instructions", "kernel", "time saved, %", series,
                  band_name="the paper's mean and maximum",
                  band=(results.paper["gain_mean"].low, results.paper["gain_max"].low))  # fmt: skip
    return Item("figure 7", "Performance against software", columns, rows, sentences, [panel])


def figure8(results: Results) -> Item:
    """Figure 8: instructions."""
    columns = ["machine", "kernel", "by instructions", "by messages", "removed %"]
    rows: list[list[Cell]] = []
    series: dict[str, Points] = {}
    for nodes in results.plan.sizes:
        for kernel in results.plan.kernels_on(nodes):
            found = [results.kernel(nodes, kernel, way) for way in SHMEM_WAYS]
            less = percent(removed(results, nodes, kernel), 2)
            rows.append([f"rae-{nodes}", kernel, *(one.instructions if one else None for one in found), less])
            series.setdefault(f"rae-{nodes}", []).append((kernel, less))
    sentences = [
        "Sum of instret over all cores that run the program, from the barrier before the kernel to the end of the "
        "barrier after it; it includes handlers on the target's core, and the barrier. A waiting core sleeps on a "
        "word and wakes for a message; those instructions are counted, but nothing polls in a loop.",
        f"The paper: {results.paper['instructions_removed']} on average, against OpenSHMEM.",
    ]
    if words := summary(results, removed):
        sentences.append(f"Ours removes {words}{addition(results)[1]}. The operations of PTRCHASE go to all nodes "
                         "alike; those to the core's own node are executed directly by the software, too.")  # fmt: skip
    sentences += filter(None, [gap_summary(results, removed)])
    panel = Panel("8: instructions removed", "kernel", "instructions removed, %", series,
                  band_name="the paper's mean and above",
                  band=(results.paper["instructions_removed"].low, 100))  # fmt: skip
    return Item("figure 8", "Instructions removed", columns, rows, sentences, [panel])


def figure9(results: Results) -> Item:
    """Figure 9: addresses of compare-and-swaps."""
    found = results.addresses()
    rows: list[list[Cell]] = [[number, array, word] for number, array, word in found]
    series: dict[str, Points] = {"array": [], "index": []}
    for number, array, word in found:
        series[array].append((number, 8 * word / 1024))
    sentences = [
        f"{len(found)} of the compare-and-swaps of SCATTER on words of PE 0 of rae-6, a random sample, in program "
        "order. The PE that issues them recorded all: an iteration uses the next word of the index array, the next of "
        "the data array, and the word of the data array that the index selects.",
        "The paper samples as many on PE 0 and calls them sparse. A third are; the others go through their arrays in "
        "order.",
    ]
    lines = {(array, word // 8) for _, array, word in found}
    if found:
        sentences.append(f"They are in {len(lines)} lines of 64 bytes; the interface cache has 1024.")
    panel = Panel("9: addresses of compare-and-swaps on PE 0", "compare-and-swap", "KiB from the array's begin", series,
                  scattered=True)  # fmt: skip
    return Item("figure 9", "Addresses of SCATTER's compare-and-swaps", ["number", "array", "word"], rows, sentences,
                [panel] if rows else [])  # fmt: skip


def mean_misses(results: Results, nodes: int, patterns: tuple[str, ...], policy: str) -> float | None:
    """Mean miss rate of the kernels of these patterns; None if one is missing."""
    kernels = [kernel for kernel in results.plan.kernels() if kernel.split("_")[0] in patterns]
    found = [results.misses(nodes, kernel, policy) for kernel in kernels]
    return None if None in found else fmean(found)


def figure10(results: Results) -> Item:
    """Figure 10: misses of the interface cache."""
    columns = ["machine", "kernel", "kind", "requests", *(f"{policy}: misses %" for policy in POLICIES)]
    rows: list[list[Cell]] = []
    panels = []
    for nodes in results.plan.sizes:
        series: dict[str, Points] = {policy: [] for policy in POLICIES}
        for kernel in results.plan.kernels_on(nodes):
            one = results.interface(results.plan.kernel(nodes, kernel))
            rates = [percent(results.misses(nodes, kernel, policy), 2) for policy in POLICIES]
            rows.append([f"rae-{nodes}", kernel, kind(kernel), one.requests if one else None, *rates])
            for policy, rate in zip(POLICIES, rates, strict=True):
                series[policy].append((kernel, rate))
        title = f"10: misses of the interface cache, rae-{nodes}"
        panels.append(Panel(title, "kernel", "misses, % of requests", series))
    for name, run in results.plan.other_sizes():
        one = results.interface(run)
        rate = percent(one.misses, 2) if one else None
        rows.append([run.machine.name, name, kind(name.split(",")[0]), one.requests if one else None, rate, None])
    means = [f"rae-{nodes} {100 * irregular:.2f} and {100 * regular:.2f} %" for nodes in results.plan.sizes
             if (irregular := mean_misses(results, nodes, IRREGULAR, "retain")) is not None
             and (regular := mean_misses(results, nodes, REGULAR, "retain")) is not None]  # fmt: skip
    sentences = [
        "A miss is a request that allocates a main entry of the extended MSHRs; the rate is over all requests of a "
        f"kernel, including loads. STRIDEN steps by {STRIDE} words. The paper: {results.paper['miss_irregular']} for "
        f"irregular and {results.paper['miss_regular']} for regular kernels on average, without saying which is which.",
        "0.11 % cannot follow from lines of 64 bytes: a walk through an array word by word needs each line once, so "
        "one request in eight misses (docs/machine/rae.md). With free-at-once, a request finds its line only while "
        "another request for it is outstanding, and here each node sends requests to one other node, one at a time.",
        "RAND loads its index, which the owner's caches keep: each load takes a copy of the line and leaves it there. "
        "SG reads the word written in the previous iteration, which hits. SCATTER and GATHER go through two arrays in "
        "order, which together with the random word would give 40 %; but the sizes of the arrays are powers of two, "
        "so words of both map to the same lines of a direct-mapped cache. The last rows have arrays of another size, "
        "and pr with larger graphs, whose words are more than the cache holds.",
    ]
    if means:
        sentences.append(f"Ours with retain, irregular and regular, means of kernels: {'; '.join(means)}.")
    sentences += filter(None, [gap_summary(results, lambda of, nodes, kernel: of.misses(nodes, kernel, "retain"))])
    return Item("figure 10", "Misses of the interface cache", columns, rows, sentences, panels)


def configured(results: Results) -> dict[str, str]:
    """Configured values of the machine file, as texts beside the measured ones."""
    machine = results.machine_file("rae-6")
    memory, network, rae = machine["memory"], machine["network"], machine["rae"]
    first_ns = 1e3 * memory["access_cycles"] / machine["clocks"]["memory_mhz"]
    router = sum(network[f"{part}_cycles"] for part in ("routing", "traversal", "link"))
    own = rae["packet_cycles"] + rae["look_up_cycles"] + rae["operation_cycles"]
    adapter = machine["adapter"]["request_cycles"] + machine["adapter"]["response_cycles"]
    miss = machine["l2"]["hit_cycles"] + machine["l2"]["miss_cycles"]
    link = network["link_bytes"] * machine["clocks"]["network_mhz"]
    return {
        "l2": f"{machine['l2']['hit_cycles']} cycles",
        "near": f"L2 {miss} cycles, then {first_ns:g} ns to the first word",
        "words": f"adapters {adapter} cycles, interface {own}, plus the network",
        "hop": f"{router} cycles of {machine['clocks']['network_mhz']} MHz each way",
        "copy": f"link {link} B/µs, memory port {memory['port_bytes'] * machine['clocks']['memory_mhz']}",
    }


def table1(results: Results) -> Item:
    """Table 1: the machine."""
    columns = ["parameter", "measured", "unit", "configured"]
    found = results.latencies()
    if found is None:
        return Item(TABLE, "The machine rae-6, measured", columns, [], [])
    in_file = configured(results)
    machine = results.machine_file("rae-6")
    mhz = 1e6 / found["clock_ps"]
    rows: list[list[Cell]] = [
        ["nodes", found["nodes"], "", f"{machine['grid']['width']} x {machine['grid']['height']}"],
        ["clock", mhz, "MHz", f"{machine['clocks']['tile_mhz']} MHz"],
        ["load, L1", found["l1_load"], "cycles", "one cycle"],
        ["load, L2", found["l2_load"], "cycles", in_file["l2"]],
        ["load, memory, row open", found["stream_load"], "cycles", in_file["near"]],
        ["load, memory, another row", found["memory_load"], "cycles", "plus the DRAM timing"],
        ["amoadd, own word", found["own_add"], "cycles", in_file["l2"]],
    ]
    near = next(one for one in found["words"] if one["hops"] == 1)
    far = max(found["words"], key=lambda one: one["hops"])
    names = ("eld", "esd", "eamoadd", "eamocas", "eamoadd, line in the owner's caches", "eamoadd, line in memory")
    rows += [[f"{name}, 1 hop", near[what], "cycles", in_file["words"] if what == "load" else ""]
             for what, name in zip(WORDS, names, strict=True)]  # fmt: skip
    hop = (far["add"] - near["add"]) / (far["hops"] - 1)
    rows.append(["one more hop, round trip", rounded(hop, 4), "cycles", in_file["hop"]])
    rows.append(["copy by DMA within a node", found["copy_within_bytes_per_us"], "B/µs", in_file["copy"]])
    rows.append(["copy by DMA from the next node", found["copy_neighbour_bytes_per_us"], "B/µs", in_file["copy"]])
    sentences = [
        "Measured by the program rae-latencies on node 0 while the other nodes sleep. The paper's Table I lists the "
        "configuration: 2 GHz, 16 KB L1, 8 MB L2, an interface cache of 64 KB, DDR4, flits of 32 bits. An xBGAS "
        "instruction is measured together with the one that sets its object ID. A copy has at most "
        f"{machine['adapter']['dma_packets']} lines in flight and does not fill a link. One core that loads line "
        f"after line reads {64 * mhz / found['stream_load']:.0f} B/µs from memory.",
    ]
    return Item(TABLE, "The machine rae-6, measured", columns, rows, sentences)


def interface(results: Results) -> Item:
    """Beyond the paper: the interface by outstanding requests."""
    columns = ["policy", "pattern", "places", "requests", "main entries", "merged", "misses %"]
    rows: list[list[Cell]] = []
    panels: dict[str, Panel] = {}
    for policy, pattern, places in results.plan.curve():
        found = results.interface(results.plan.pattern(pattern, places, policy))
        rate = percent(found.misses, 3) if found else None
        counts = (found.requests, found.entries, found.merged) if found else (None, None, None)
        rows.append([policy, pattern, places, *counts, rate])
        drawn = Panel(f"misses, {policy}", "outstanding requests", "misses, % of requests", {}, "x")
        panel = panels.setdefault(policy, drawn)
        panel.series.setdefault(pattern, []).append((places, rate))
    sentences = [
        "The places of rae-64 add to words of place 0, each one at a time, so at most that many requests are "
        f"outstanding. {', '.join(PATTERNS)}: one word, consecutive words, and random words of 2 MiB. With free-at-"
        "once the rate shows how many requests arrive while the line is being fetched."
    ]
    title = "The interface by outstanding requests"
    return Item(CURVE, title, columns, rows, sentences, list(panels.values()))


def accesses_each(results: Results, policy: str, *, merge: bool) -> float | None:
    """Memory accesses per operation, with all places on one word."""
    run = next(run for kept, merges, run in results.plan.merging() if (kept, merges) == (policy, merge))
    found = results.interface(run)
    return found.accesses / found.requests if found else None


def merging(results: Results) -> Item:
    """Beyond the paper: merging on and off."""
    columns = ["policy", "merge", "requests", "main entries", "merged", "memory accesses per operation"]
    columns.append("operations per µs")
    rows: list[list[Cell]] = []
    for policy, merge, run in results.plan.merging():
        found = results.interface(run)
        counts = (found.requests, found.entries, found.merged) if found else (None, None, None)
        speed = rounded(found.requests / found.seconds / 1e6, 4) if found else None
        rows.append([policy, "on" if merge else "off", *counts,
                     rounded(accesses_each(results, policy, merge=merge), 4), speed])  # fmt: skip
    sentences = [
        "64 places add to one word of place 0. Off: a request for a line that is being fetched waits until the fetch "
        "is done and then fetches it again; with retain, it then finds the line in the interface cache."
    ]
    return Item(MERGING, "Requests for one line merge", columns, rows, sentences)


MAKERS = {"figure 7": figure7, "figure 8": figure8, "figure 9": figure9, "figure 10": figure10, TABLE: table1,
          CURVE: interface, MERGING: merging}  # fmt: skip
