"""figures: figures 1, 2 and 3 of RAE as items; the others are in nodes.py.

Units: instructions, and shares of them and of atomics.
"""

from statistics import fmean

from nemesys.items import Cell, Item, Panel, percent, ratio, rounded
from rae.measures import Known
from rae.plan import SHMEM_WAYS, TIMED_SCALE, UNIFORM, WAYS


def label(program: str, given: tuple[str, ...]) -> str:
    """Of a program: with its graph, if it has one."""
    return program if program == UNIFORM else f"{program} {given[0]}"


def means(shares: list[tuple[float, float | None]]) -> str:
    """Of instructions and, if known, of memory operations."""
    memory = [one for _, one in shares if one is not None]
    words = f"{100 * fmean(share for share, _ in shares):.2f} %"
    return f"{words}, and {100 * fmean(memory):.2f} % of the memory operations" if memory else words


def figure1(known: Known) -> Item:
    """Share of atomics."""
    columns = ["program", "atomics", "instructions", "share %", "instructions an atomic", "of memory operations %"]
    rows: list[list[Cell]] = []
    bars: dict[str, list[tuple[float | str, float | None]]] = {"of instructions": [], "of memory operations": []}
    shares = []
    for program, given in known.plan.programs():
        found = known.counted(program, given)
        name = label(program, given)
        share, memory = (found.share, found.memory_share) if found else (None, None)
        counts = (found.atomics, found.instructions) if found else (None, None)
        rows.append([name, *counts, percent(share, 2), rounded(1 / share) if share else None, percent(memory, 2)])
        bars["of instructions"].append((name, percent(share, 2)))
        bars["of memory operations"].append((name, percent(memory, 2)))
        if share and program != UNIFORM:
            shares.append((share, memory))
    sentences = [
        "Counted by executing each kernel on one place of RV64GC, three times and once: the difference is the kernel "
        "alone, without loading. An atomic is an operation of the program; a compare_swap is a loop of some "
        "instructions there. Memory operations are loads, stores and these atomics, counted with time, of graphs of "
        f"2^{TIMED_SCALE} vertices and a quarter of the updates; the runtime's own few AMOs are not among them.",
        f"The paper: {known.paper['atomic_share']} of the instructions of GAP's kernels, in the mean; which kernels, "
        "graphs and instructions were counted is not said.",
    ]
    if shares:
        sentences.append(
            f"Ours, in the mean of the kernels of GAP: {means(shares)}. An atomic on a word of "
            "the global address space has the runtime's instructions around it, as gups shows; and bfs, sssp and bc "
            "look at the words of their own place first, and take no atomic for an edge that leads to nothing new."
        )
    panel = Panel("1: share of atomics", "", "%", bars)
    return Item("figure 1", "Share of atomics in instructions", columns, rows, sentences, [panel], of="rae")


def figure2(known: Known) -> Item:
    """Share of remote ones."""
    columns = ["program", "places", "atomics", "remote", "remote %", "of uniform ones %"]
    rows: list[list[Cell]] = []
    series: dict[str, list[tuple[float | str, float | None]]] = {}
    for program, given in known.plan.programs():
        for places in known.plan.places:
            found = known.spread(program, given, places)
            parts = (found.all, found.remote, percent(found.share, 2)) if found else (None, None, None)
            rows.append([label(program, given), places, *parts, percent(1 - 1 / places, 2)])
            series.setdefault(label(program, given), []).append((places, percent(found.share, 2) if found else None))
    sentences = [
        f"The paper: {known.paper['remote_share_1']} on one PE, {known.paper['remote_share_64']} on 64, which is "
        "1 - 1/64: what is uniformly random is at one's own place once in 64 times.",
        "gups is that; so is pagerank, as far as the edges of a place lead everywhere. bfs, sssp and bc look at an own "
        "vertex before they take an atomic for it, which spares most of the local ones, and so more are remote.",
    ]
    panel = Panel("2: remote share of atomics", "places", "%", series, "x")
    return Item("figure 2", "Remote share of atomics", columns, rows, sentences, [panel], of="rae")


def figure3(known: Known) -> Item:
    """Instructions per operation: on the machine by instructions and by messages, and of a library here."""
    library = {way: known.library(way) for way in WAYS}
    machine = {way: known.costs(way) for way in SHMEM_WAYS}
    columns = ["operation", "instructions: asks", "cycles", "lean messages: asks", "has", "cycles by messages"]
    columns += ["removed %", *(f"library, {way}: {part}" for way in WAYS for part in ("asks", "has"))]
    operations = sorted({*(name for of in machine.values() for name in of),
                         *(name for of in library.values() if of for name in of["asks"])})  # fmt: skip
    rows: list[list[Cell]] = []
    bars: dict[str, list[tuple[float | str, float | None]]] = {}
    for operation in operations:
        direct, software = (machine[way].get(operation) for way in SHMEM_WAYS)
        less = None
        if direct and software:
            less = 1 - ratio(direct.asking + direct.asked, software.asking + software.asked)
        cells = [*((direct.asking, direct.cycles) if direct else (None, None)),
                 *((software.asking, software.asked, software.cycles) if software else (None, None, None)),
                 percent(less)]  # fmt: skip
        cells += [of[part].get(operation) if of else None for of in library.values() for part in ("asks", "has")]
        rows.append([operation, *cells])
        for name, cell in (("by instructions", cells[0]), ("lean messages, who asks", cells[2]),
                           ("a library, shared memory, who asks", cells[6])):  # fmt: skip
            bars.setdefault(name, []).append((operation, cell))
    panel = Panel("3: instructions per operation", "", "instructions", bars, "y")
    return Item("figure 3", "Instructions per operation", columns, rows, sentences3(known, library), [panel], of="rae")


def sentences3(known: Known, library: dict[str, dict | None]) -> list[str]:
    """What figure 3 says."""
    sentences = [
        "On the machine rae-6: RV64 instructions and cycles of an operation on one word of another PE, means of 256, "
        "without the loop around it. By instructions the other PE executes nothing; the lean path is that of figures 7 "
        "and 8. Removed: of the instructions of both PEs."
    ]
    if known.plan.without:
        names = ", ".join(known.plan.without)
        return [*sentences, f"The library is not measured: there is no {names} here; ./tess setup rae installs what it "
                "needs."]  # fmt: skip
    sentences += [
        "Library: x86-64 instructions of a real OpenSHMEM library, by callgrind, means of 1000 operations on one word "
        "of the other process, without the loop. Without `quiet` a put or an operation without result has begun.",
        "memory: both processes are on this computer, and UCX does the operation by the processor's own instructions "
        "in memory that they share: the process that has the word executes nothing, as it sleeps outside the library. "
        "messages: by TCP over the loopback interface, operations without result alone: what the one executes to "
        "begin it, and what the other one executes to serve it, some polls with it; the reply is not in either. It "
        "differs by some hundred from run to run, as several travel together.",
    ]
    names = [f"The library: {of['library']}." for of in library.values() if of]
    return [*sentences, *dict.fromkeys(names)]


MAKERS = {"figure 1": figure1, "figure 2": figure2, "figure 3": figure3}
