"""figures: figures 1, 2 and 3 of RAE as items.

Units: instructions, and shares of them and of atomics.
"""

from nemesys.items import Cell, Item, Panel, percent, rounded
from rae.measures import Known
from rae.plan import UNIFORM, WAYS


def label(program: str, given: tuple[str, ...]) -> str:
    """Of a program: with its graph, if it has one."""
    return program if program == UNIFORM else f"{program} {given[0]}"


def figure1(known: Known) -> Item:
    """Share of atomics."""
    columns = ["program", "atomics", "instructions", "share %", "instructions an atomic"]
    rows: list[list[Cell]] = []
    bars: list[tuple[float | str, float | None]] = []
    shares = []
    for program, given in known.plan.programs():
        found = known.counted(program, given)
        share = found[0] / found[1] if found else None
        rows.append([label(program, given), *(found or (None, None)), percent(share, 2),
                     rounded(1 / share) if share else None])  # fmt: skip
        bars.append((label(program, given), percent(share, 2)))
        if share and program != UNIFORM:
            shares.append(share)
    sentences = [
        "Counted by executing each kernel on one place of RV64GC, three times and once: the difference is the kernel "
        "alone, without loading. An atomic is an operation of the program; a compare_swap is a loop of some "
        "instructions there.",
        f"The paper: {known.paper['atomic_share']} of the instructions of GAP's kernels, in the mean; which kernels, "
        "graphs and instructions were counted is not said.",
    ]
    if shares:
        sentences.append(
            f"Ours, in the mean of the kernels of GAP: {100 * sum(shares) / len(shares):.2f} %. An atomic on a word of "
            "the global address space has the runtime's instructions around it, as gups shows; and bfs, sssp and bc "
            "look at the words of their own place first, and take no atomic for an edge that leads to nothing new."
        )
    panel = Panel("1: share of atomics", "", "% of instructions", {"measured": bars})
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
    """Instructions per operation: so far of the library alone."""
    found = {way: known.library(way) for way in WAYS}
    columns = ["operation", "memory: asks", "memory: has the word", "messages: asks", "messages: has the word"]
    operations = sorted({operation for of in found.values() if of for operation in of["asks"]})
    rows: list[list[Cell]] = []
    bars: dict[str, list[tuple[float | str, float | None]]] = {}
    for operation in operations:
        cells = [of[part].get(operation) if of else None for of in found.values() for part in ("asks", "has")]
        rows.append([operation, *cells])
        bars.setdefault("shared memory, who asks", []).append((operation, cells[0]))
    if known.plan.without:
        names = ", ".join(known.plan.without)
        return Item("figure 3", "Instructions per operation", columns, rows,
                    [f"Not measured: there is no {names} here; ./tess setup rae installs what it needs."], of="rae")
    sentences = [
        "x86-64 instructions of a real OpenSHMEM library, by callgrind, means of 1000 operations on one word of the "
        "other process, without the loop around them. Without `quiet` a put or an operation without result has begun.",
        "memory: both processes are on this computer, and UCX does the operation by the processor's own instructions "
        "in memory that they share: the process that has the word executes nothing, as it sleeps outside the library. "
        "messages: by TCP over the loopback interface, operations without result alone: what the one executes to "
        "begin it, and what the other one executes to serve it, some polls with it; the reply is not in either. It "
        "differs by some hundred from run to run, as several travel together.",
    ]
    for of in found.values():
        sentences += [f"The library: {of['library']}."] if of else []
    panel = Panel("3: instructions per operation", "", "instructions", bars)
    return Item("figure 3", "Instructions per operation", columns, rows, list(dict.fromkeys(sentences)), [panel],
                of="rae")  # fmt: skip


MAKERS = {"figure 1": figure1, "figure 2": figure2, "figure 3": figure3}
