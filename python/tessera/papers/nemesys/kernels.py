"""kernels: the items on the twelve kernels: tables 5 and 6, figures 9 to 11."""

from tessera.papers.nemesys.measures import Kernel, Results, mean
from tessera.papers.nemesys.plan import (
    BARE,
    KERNELS,
    MESSAGES,
    NEMESYS,
    NO_NCA,
    PEGASUS,
    SINGLE,
    SMALL,
    TWIN,
    WAYS,
    Run,
    runs_of,
)
from tessera.reproduce.items import Cell, Item, Panel, percent, ratio, rounded
from tessera.simulator.machines import Machine

NAMES = {
    MESSAGES: "message passing",
    PEGASUS: "Pegasus",
    NEMESYS: "NEMESYS",
    BARE: "NEMESYS without allocations",
    NO_NCA: "without NCA",
}


def measured(results: Results, kernel: str, machine: Machine, way: str) -> Kernel | None:
    """Measurements of a kernel with one copier."""
    return results.kernel(Run(kernel, machine, way))


def seconds(results: Results, kernel: str, machine: Machine, way: str) -> float | None:
    """Run time of a kernel with one copier."""
    found = measured(results, kernel, machine, way)
    return None if found is None else found.seconds


def present(results: Results, machine: Machine, ways: tuple[str, ...] = WAYS) -> list[str]:
    """Kernels that were measured with one of the copiers."""
    return [k for k in KERNELS if any(measured(results, k, machine, way) is not None for way in ways)]


def best_baseline(results: Results, kernel: str, machine: Machine) -> float | None:
    """The shorter run time of message passing and Pegasus."""
    times = [seconds(results, kernel, machine, way) for way in (MESSAGES, PEGASUS)]
    return None if None in times else min(times)


def gain(results: Results, kernel: str, machine: Machine, over: str, of: str = NEMESYS) -> float | None:
    """Speed-up of one copier over another."""
    return ratio(seconds(results, kernel, machine, over), seconds(results, kernel, machine, of))


def listing(kernels: list[str]) -> str:
    """Names as text, e.g. "BF, DST and DR"."""
    names = [kernel.upper() for kernel in kernels]
    return "none" if not names else names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# Table 5 -----------------------------------------------------------------------------------------------------------


def table5(results: Results) -> Item:
    """Table 5: copies, objects and bytes."""
    columns = ["kernel", "copies, paper", "copies, ours", "mean objects, paper", "mean objects, ours"]
    columns += ["mean bytes, paper", "mean bytes, ours"]
    rows: list[list[Cell]] = []
    other = []
    for run in runs_of("table 5"):
        found = results.copies(run)
        if found is None:
            continue
        paper = results.paper.table5[run.program]
        rows.append([run.program.upper(), int(paper["copies"]), found[0], float(paper["objects"]), found[1],
                     float(paper["bytes"]), found[2]])  # fmt: skip
        if found[0] != int(paper["copies"]):
            other.append(run.program)
    sentences = []
    if rows:
        same = len(rows) - len(other)
        sentences.append(
            f"The number of copies equals the paper's in {same} of {len(rows)} kernels; it differs in {listing(other)}."
        )
        objects = mean([row[4] / row[3] for row in rows])
        byte_share = mean([row[6] / row[5] for row in rows])
        sentences.append(
            f"On average, graphs have {100 * (objects - 1):+.0f} % objects and {100 * (byte_share - 1):+.0f} % bytes "
            "relative to the paper's, whose objects have larger headers of smaller words (docs/use/imsuite.md)."
        )
    return Item("table 5", "Copies of object graphs at 14 places", columns, rows, sentences)


# Figures 9 and 11 --------------------------------------------------------------------------------------------------


# The paper's text states only the range, over the baselines.
BAND = "NEMESYS by the paper's text"


def paper_range(results: Results, name: str) -> tuple[float, float]:
    """The lowest and highest value that the paper states."""
    return results.paper[f"{name}_least"].low, results.paper[f"{name}_most"].low


def run_times(results: Results, machines: dict[str, Machine]) -> tuple[list[list[Cell]], list[Panel]]:
    """Milliseconds with each copier, and NEMESYS's gain."""
    rows: list[list[Cell]] = []
    panels = []
    low, high = paper_range(results, "run_time_gain")
    band = (1 / high, 1 / low)
    for name, machine in machines.items():
        kernels = present(results, machine)
        for kernel in kernels:
            times = [seconds(results, kernel, machine, way) for way in WAYS]
            gains = [gain(results, kernel, machine, over, of) for of in (NEMESYS, BARE) for over in (MESSAGES, PEGASUS)]
            cells = [rounded(None if t is None else 1000 * t, 4) for t in times]
            rows.append([name, kernel.upper(), *cells, *[rounded(g) for g in gains]])
        series = {
            NAMES[way]: [
                (k.upper(), ratio(seconds(results, k, machine, way), seconds(results, k, machine, MESSAGES)))
                for k in kernels
            ]
            for way in WAYS
        }
        series = {way: values for way, values in series.items() if any(y is not None for _, y in values)}
        panels.append(Panel(name, "kernel", "run time / message passing", series, band=band, band_name=BAND))
    return rows, panels


RUN_TIME_COLUMNS = ["machine", "kernel", *[f"{NAMES[way]}, ms" for way in WAYS], "gain over message passing"]
RUN_TIME_COLUMNS += ["gain over Pegasus", "over message passing without allocations"]
RUN_TIME_COLUMNS += ["over Pegasus without allocations"]


def gains_sentence(results: Results, machine: Machine, name: str) -> list[str]:
    """NEMESYS's gain, and for kernels without gain the reason."""
    sentences = []
    low, high = paper_range(results, "run_time_gain")
    for over in (MESSAGES, PEGASUS):
        gains = {k: g for k in KERNELS if (g := gain(results, k, machine, over)) is not None}
        if not gains:
            continue
        slower = [k for k, g in gains.items() if g <= 1]
        inside = [k for k, g in gains.items() if low <= g <= high]
        text = f"{name}: against {NAMES[over]} NEMESYS is {min(gains.values()):.2f} to {max(gains.values()):.2f} times "
        text += f"as fast ({listing([min(gains, key=gains.get)])} least, {listing([max(gains, key=gains.get)])} most); "
        text += f"the paper states {low:g} to {high:g} over the state of the art, and {len(inside)} of {len(gains)} "
        text += "kernels are in this range."
        sentences.append(text)
        sentences += [slower_because(results, k, machine, over) for k in slower]
    return sentences


def slower_because(results: Results, kernel: str, machine: Machine, over: str) -> str:
    """The likely reason, by counters, why NEMESYS does not make a kernel faster."""
    ours, theirs = measured(results, kernel, machine, NEMESYS), measured(results, kernel, machine, over)
    each = ours.graph_bytes / ours.graphs if ours.graphs else 0
    text = f"{kernel.upper()} is not faster than with {NAMES[over]}: a graph has {each:.0f} bytes on average"
    if ours.nma_requests:
        step = machine.compute_tiles * ours.seconds / ours.nma_requests
        text += f", one copy every {1e6 * step:.0f} µs per tile"
    if ours.nma > 0.8:
        return f"{text}, and the NMA is busy for {100 * ours.nma:.0f} % of the time: it is the bottleneck."
    if ours.instructions > theirs.instructions:
        more = ours.instructions / theirs.instructions - 1
        return f"{text}, and {100 * more:.0f} % more instructions are executed around its copies."
    return f"{text}; the NMA is busy for {100 * ours.nma:.0f} %, so the latency of a call's steps dominates."


def figure9(results: Results) -> Item:
    """Figure 9: run time, single and twin."""
    rows, panels = run_times(results, {"single": SINGLE, "twin": TWIN})
    sentences = gains_sentence(results, SINGLE, "single") + gains_sentence(results, TWIN, "twin")
    for way in (PEGASUS, NEMESYS):
        effects = [r for k in KERNELS if (r := ratio(seconds(results, k, TWIN, way), seconds(results, k, SINGLE, way)))]
        if effects:
            sentences.append(
                f"Two memories change {NAMES[way]}'s run time by {100 * (mean(effects) - 1):+.1f} % in the mean; in "
                f"the paper {'it gains' if way == PEGASUS else 'it loses slightly, due to the intermediate copies'}."
            )
    return Item("figure 9", "Run time on 4x4 tiles", RUN_TIME_COLUMNS, rows, sentences, panels)


def figure11(results: Results) -> Item:
    """Figure 11: run time on 2x2 tiles."""
    rows, panels = run_times(results, {"2x2": SMALL})
    sentences = gains_sentence(results, SMALL, "2x2")
    both = {
        k: (small, large)
        for k in KERNELS
        if (small := gain(results, k, SMALL, PEGASUS)) is not None
        and (large := gain(results, k, SINGLE, PEGASUS)) is not None
    }
    if both:
        below = [k for k, (small, large) in both.items() if small < large]
        sentences.append(
            f"The gain over Pegasus is smaller than on 4x4 tiles for {len(below)} of {len(both)} kernels "
            f"({listing(below)}); in the paper for most."
        )
    return Item("figure 11", "Run time on 2x2 tiles", RUN_TIME_COLUMNS, rows, sentences, panels)


# Figure 10 ---------------------------------------------------------------------------------------------------------


def communication_change(results: Results, kernel: str, machine: Machine = SINGLE) -> float | None:
    """Change of communication time from Pegasus to NEMESYS; negative: less."""
    ours, theirs = measured(results, kernel, machine, NEMESYS), measured(results, kernel, machine, PEGASUS)
    change = ratio(ours and ours.communication, theirs and theirs.communication)
    return None if change is None else change - 1


def figure10(results: Results) -> Item:
    """Figure 10: T_com and its share of T_at."""
    rows: list[list[Cell]] = []
    panels = []
    for name, machine in (("single", SINGLE), ("twin", TWIN)):
        kernels = present(results, machine)
        for kernel in kernels:
            each = [measured(results, kernel, machine, way) for way in WAYS]
            times = [rounded(one and one.communication, 4) for one in each]
            shares = [percent(one and one.communication_share) for one in each]
            rows.append(
                [name, kernel.upper(), *times, *shares, percent(communication_change(results, kernel, machine))]
            )
        share = {
            NAMES[way]: [
                (k.upper(), percent((m := measured(results, k, machine, way)) and m.communication_share))
                for k in kernels
            ]
            for way in WAYS
        }
        time = {
            NAMES[way]: [(k.upper(), (m := measured(results, k, machine, way)) and m.communication) for k in kernels]
            for way in WAYS
        }
        if kernels:
            panels.append(Panel(f"communication time, {name}", "kernel", "time of all calls, s", time))
            panels.append(Panel(f"its share of at, {name}", "kernel", "share of the time of at, %", share))
    low, high = paper_range(results, "communication_gain")
    beside = [(k.upper(), 1 + change) for k in KERNELS if (change := communication_change(results, k)) is not None]
    if beside:
        band = (1 - high / 100, 1 - low / 100)
        series = {NAMES[NEMESYS]: beside}
        title, y = "single, beside Pegasus", "communication time / that of Pegasus"
        panels.append(Panel(title, "kernel", y, series, band=band, band_name=BAND))
    columns = ["machine", "kernel", *[f"T_com, {NAMES[way]}, s" for way in WAYS]]
    columns += [f"share of at, {NAMES[way]}, %" for way in WAYS] + ["NEMESYS relative to Pegasus, %"]
    sentences = []
    changes = {k: c for k in KERNELS if (c := communication_change(results, k)) is not None}
    if changes:
        inside = [k for k, c in changes.items() if low <= -100 * c <= high]
        sentences.append(
            f"Single: relative to Pegasus, communication time changes by {100 * min(changes.values()):+.0f} to "
            f"{100 * max(changes.values()):+.0f} %; the paper states −{low:g} to −{high:g} %, and {len(inside)} of "
            f"{len(changes)} kernels are in this range ({listing(inside)})."
        )
        sentences += [slower_because(results, k, SINGLE, PEGASUS) for k, c in changes.items() if c >= 0]
    if rows:
        sentences.append(
            "Times are sums over all calls of a run, including those that generate the graph and gather the result; "
            "calls overlap. T_com is a call without its function: write-back, allocation, copy, messages and waiting."
        )
    return Item("figure 10", "Communication time", columns, rows, sentences, panels)


# Table 6 -----------------------------------------------------------------------------------------------------------

TABLE6 = {
    "cpu_bus_percent": ("CPU bus, %", lambda k: percent(k.bus)),
    "adapter_percent": ("NA, %", lambda k: percent(k.adapter)),
    "memory_percent": ("MEM, %", lambda k: percent(k.memory)),
    "memory_mb": ("MEM, MB", lambda k: rounded(k.memory_mb)),
    "memory_by_adapter_percent": ("MEM via NA, %", lambda k: percent(k.memory_by_adapter)),
    "memory_by_nma_percent": ("MEM via NMA, %", lambda k: percent(k.memory_by_nma)),
    "nma_percent": ("NMA, %", lambda k: percent(k.nma)),
    "load_cycles": ("cycles of a load", lambda k: rounded(k.load_cycles)),
    "store_cycles": ("cycles of a store", lambda k: rounded(k.store_cycles)),
}
VARIANTS = {
    "nemesys-single": (SINGLE, NEMESYS),
    "pegasus-single": (SINGLE, PEGASUS),
    "nemesys-twin": (TWIN, NEMESYS),
    "pegasus-twin": (TWIN, PEGASUS),
}


def table6(results: Results) -> Item:
    """Table 6: loads of the units, ours and the paper's."""
    columns = ["variant", "kernel"] + [f"{name}, {whose}" for name, _ in TABLE6.values() for whose in ("ours", "paper")]
    columns.append("energy, uJ, ours")
    rows: list[list[Cell]] = []
    sentences = []
    for variant, (machine, way) in VARIANTS.items():
        sums: dict[str, list[tuple[float, float]]] = {}
        for kernel in present(results, machine, (way,)):
            found = measured(results, kernel, machine, way)
            cells: list[Cell] = []
            for column, (_, value) in TABLE6.items():
                paper = results.paper.table6(variant, kernel, column)
                ours = value(found) if paper is not None else None
                cells += [ours, paper]
                if ours is not None:
                    sums.setdefault(column, []).append((float(ours), paper))
            rows.append([variant, kernel.upper(), *cells, rounded(found.energy_uj)])
        means = {column: (mean([o for o, _ in pairs]), mean([p for _, p in pairs])) for column, pairs in sums.items()}
        other = [
            f"{TABLE6[column][0]} {ours:.3g} ({paper:.3g})"
            for column, (ours, paper) in means.items()
            if abs(ours - paper) > 0.25 * paper
        ]
        if other:
            sentences.append(
                f"{variant}, means that deviate from the paper's by more than a quarter: {'; '.join(other)}."
            )
    if sentences:
        sentences.append(load_reason(results))
    return Item("table 6", "Loads of the parts", columns, rows, sentences)


def load_reason(results: Results) -> str:
    """Why loads differ from the paper's: facts common to all kernels."""
    found = [m for k in KERNELS if (m := measured(results, k, SINGLE, NEMESYS)) is not None]
    if not found:
        return "The reason is unknown without a run of NEMESYS with one memory."
    step = mean([1e6 * m.seconds * SINGLE.compute_tiles / m.nma_requests for m in found if m.nma_requests])
    calls = mean([100 * m.communication_share for m in found])
    return (
        f"These loads follow from the rate of calls (NEMESYS, single, means): each tile sends a graph every "
        f"{step:.0f} µs, and {calls:.0f} % of a call are communication; in its busiest millisecond the NMA is busy "
        f"{100 * mean([m.nma_peak for m in found]):.0f} % of the time. The more time messages and tasks take in "
        "addition to a copy, the lower the load of each unit."
    )
