"""figures: figures 1, 2 and 3 of RAE; nodes.py has the others.

Units: instructions, and shares of instructions and of atomics.
"""

from statistics import fmean

from tessera.papers.rae.measures import Results
from tessera.papers.rae.plan import GAP_KERNELS, GAP_NODES, SHMEM_WAYS, TIMED_SCALE, UNIFORM, WAYS
from tessera.reproduce.items import Cell, Item, Panel, percent, ratio, rounded


def label(program: str, arguments: tuple[str, ...]) -> str:
    """A program's name, with its graph if it has one."""
    return program if program == UNIFORM else f"{program} {arguments[0]}"


def means(shares: list[tuple[float, float | None]]) -> str:
    """Means as text: share of instructions and, if measured, of memory operations."""
    memory = [one for _, one in shares if one is not None]
    words = f"{100 * fmean(share for share, _ in shares):.2f} %"
    return f"{words}, and {100 * fmean(memory):.2f} % of the memory operations" if memory else words


def figure1(results: Results) -> Item:
    """Figure 1: share of atomics."""
    columns = ["program", "atomics", "instructions", "share %", "instructions per atomic", "of memory operations %"]
    rows: list[list[Cell]] = []
    bars: dict[str, list[tuple[float | str, float | None]]] = {"of instructions": [], "of memory operations": []}
    shares = []
    for program, arguments in results.plan.counted_programs():
        found = results.counted(program, arguments)
        name = label(program, arguments)
        share, memory = (found.share, found.memory_share) if found else (None, None)
        counts = (found.atomics, found.instructions) if found else (None, None)
        rows.append([name, *counts, percent(share, 2), rounded(1 / share) if share else None, percent(memory, 2)])
        bars["of instructions"].append((name, percent(share, 2)))
        bars["of memory operations"].append((name, percent(memory, 2)))
        if share and program != UNIFORM:
            shares.append((share, memory))
    for kernel in GAP_KERNELS:
        direct = results.gap_atomics(kernel)
        name = f"{kernel}, OpenSHMEM"
        share = direct[0] / direct[1] if direct else None
        rows.append([name, *(direct or (None, None)), percent(share, 2), rounded(1 / share) if share else None, None])
        bars["of instructions"].append((name, percent(share, 2)))
    sentences = [
        "Each kernel is executed on one place of RV64GC, three times and once; the difference is the kernel without "
        "loading. An atomic is an operation of the program; a compare_swap is a loop of several instructions. Memory "
        "operations are loads, stores and these atomics, counted in timed runs on graphs of "
        f"2^{TIMED_SCALE} vertices and with a quarter of the updates, without the few AMOs of the runtime itself.",
        f"The paper: {results.paper['atomic_share']} of the instructions of GAP's kernels on average; it does not say "
        "which kernels, graphs and instructions were counted.",
    ]
    sentences.append(
        f"OpenSHMEM: kernels of figures 7, 8 and 10 on rae-{GAP_NODES}, where an atomic is one instruction; counted "
        "in a run of their own. Reads of other nodes' words are instructions, too, and no atomics."
    )
    if shares:
        sentences.append(
            f"Ours, in the mean of the kernels of GAP: {means(shares)}. An atomic on a word of "
            "the global address space includes the runtime's instructions around it, as gups shows; and bfs, sssp and "
            "bc first check local words and issue no atomic for an edge that leads to nothing new."
        )
    panel = Panel("1: share of atomics", "program", "share of operations, %", bars,
                  band_name="the paper's mean of instructions",
                  band=(results.paper["atomic_share"].low,) * 2)  # fmt: skip
    return Item("figure 1", "Share of atomics in instructions", columns, rows, sentences, [panel])


def figure2(results: Results) -> Item:
    """Figure 2: remote share of atomics."""
    columns = ["program", "places", "atomics", "remote", "remote %", "expected if uniform %"]
    rows: list[list[Cell]] = []
    series: dict[str, list[tuple[float | str, float | None]]] = {}
    for program, arguments in results.plan.counted_programs():
        for places in results.plan.places:
            found = results.spread(program, arguments, places)
            parts = (found.all, found.remote, percent(found.share, 2)) if found else (None, None, None)
            rows.append([label(program, arguments), places, *parts, percent(1 - 1 / places, 2)])
            series.setdefault(label(program, arguments), []).append(
                (places, percent(found.share, 2) if found else None)
            )
    sentences = [
        f"The paper: {results.paper['remote_share_1']} on one PE, {results.paper['remote_share_64']} on 64, which is "
        "1 - 1/64: a uniformly random word is local once in 64 times.",
        "gups follows this law; so does pagerank, as far as the edges of a place lead everywhere. bfs, sssp and bc "
        "check a local vertex before they issue an atomic for it, which saves most local atomics, so a larger share "
        "is remote.",
    ]
    panel = Panel("2: remote share of atomics", "places", "share of atomics, %", series, "x",
                  band_name="the paper, 64 places", band=(results.paper["remote_share_64"].low,) * 2)  # fmt: skip
    return Item("figure 2", "Remote share of atomics", columns, rows, sentences, [panel])


def figure3(results: Results) -> Item:
    """Figure 3: instructions per operation, by xBGAS instructions, by messages, and by an OpenSHMEM library."""
    library = {way: results.library(way) for way in WAYS}
    machine = {way: results.costs(way) for way in SHMEM_WAYS}
    columns = ["operation", "xBGAS: instructions", "cycles", "messages: requester", "target", "cycles by messages"]
    columns += ["removed %", *(f"library, {way}: {part}" for way in WAYS for part in ("requester", "target"))]
    operations = sorted({*(name for costs in machine.values() for name in costs),
                         *(name for counts in library.values() if counts for name in counts["asks"])})  # fmt: skip
    rows: list[list[Cell]] = []
    bars: dict[str, list[tuple[float | str, float | None]]] = {}
    for operation in operations:
        direct, software = (machine[way].get(operation) for way in SHMEM_WAYS)
        removed = None
        if direct and software:
            removed = 1 - ratio(direct.requesting + direct.serving, software.requesting + software.serving)
        cells = [*((direct.requesting, direct.cycles) if direct else (None, None)),
                 *((software.requesting, software.serving, software.cycles) if software else (None, None, None)),
                 percent(removed)]  # fmt: skip
        cells += [counts[part].get(operation) if counts else None
                  for counts in library.values() for part in ("asks", "has")]  # fmt: skip
        rows.append([operation, *cells])
        for name, cell in (("xBGAS", cells[0]), ("messages, requester", cells[2]),
                           ("library over shared memory, requester", cells[6])):  # fmt: skip
            bars.setdefault(name, []).append((operation, cell))
    panel = Panel("3: instructions per operation", "operation", "instructions", bars, "y")
    return Item("figure 3", "Instructions per operation", columns, rows, sentences3(results, library), [panel])


def sentences3(results: Results, library: dict[str, dict | None]) -> list[str]:
    """Sentences of figure 3."""
    sentences = [
        "On the machine rae-6: RV64 instructions and cycles of an operation on one word of another PE, means of 256, "
        "without the loop around it. With xBGAS instructions the target executes nothing; the path by messages is "
        "that of figures 7 and 8. Removed: share of the instructions of both PEs."
    ]
    if results.plan.missing:
        names = ", ".join(results.plan.missing)
        return [*sentences, f"The library is not measured: {names} missing here; ./tess setup rae installs the "
                "packages."]  # fmt: skip
    sentences += [
        "Library: x86-64 instructions of a real OpenSHMEM library, by callgrind, means of 1000 operations on one word "
        "of the other process, without the loop. Without `quiet`, a put or an operation without result is only begun.",
        "memory: both processes are on this computer, and UCX executes the operation by the processor's own "
        "instructions in shared memory; the target process executes nothing, as it sleeps outside the library. "
        "messages: TCP over the loopback interface, only operations without result: the instructions of the requester "
        "to begin the operation and of the target to serve it, including some polls; neither includes the reply. The "
        "counts vary by some hundred from run to run, as several operations travel together.",
    ]
    names = [f"The library: {counts['library']}." for counts in library.values() if counts]
    return [*sentences, *dict.fromkeys(names)]


MAKERS = {"figure 1": figure1, "figure 2": figure2, "figure 3": figure3}
