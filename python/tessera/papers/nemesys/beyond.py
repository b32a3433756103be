"""beyond: two items beyond the paper: overlapping calls, and the number of tiles that one NMA can serve."""

from tessera.papers.nemesys.kernels import NAMES, listing
from tessera.papers.nemesys.measures import Kernel, Results, mean
from tessera.papers.nemesys.plan import NEMESYS, PEGASUS, SWEEP_KERNELS, Run, one_call, overlapping, sweep
from tessera.reproduce.items import Cell, Item, Panel, percent, ratio, rounded

# From this share of busy time on, an accelerator is regarded as the bottleneck.
SATURATED = 0.85


def overlap_item(results: Results) -> Item:
    """Run times with several outstanding calls per hart and with one."""
    columns = ["way", "kernel", "one call, ms", "several, ms", "gain", "NMA with one call, %", "NMA with several, %"]
    rows: list[list[Cell]] = []
    series: dict[str, list[tuple[float | str, float | None]]] = {}
    gains: dict[str, dict[str, float]] = {}
    for run in overlapping():
        several, one = results.kernel(run), results.kernel(one_call(run))
        if several is None or one is None:
            continue
        faster = ratio(one.seconds, several.seconds)
        times = [rounded(1000 * one.seconds, 4), rounded(1000 * several.seconds, 4), rounded(faster)]
        rows.append([NAMES[run.copier], run.program.upper(), *times, percent(one.nma), percent(several.nma)])
        series.setdefault(NAMES[run.copier], []).append((run.program.upper(), faster))
        gains.setdefault(run.copier, {})[run.program] = faster
    sentences = ["With one call, runs are made in one layout; intervals are those of several calls."]
    for way, each in gains.items():
        slower = [kernel for kernel, faster in each.items() if faster < 1]
        sentences.append(
            f"{NAMES[way]}: overlapping calls make kernels {min(each.values()):.2f} to "
            f"{max(each.values()):.2f} times as fast, {mean(list(each.values())):.2f} in the mean; slower: "
            f"{listing(slower)}."
        )
    if len(gains) == 2:
        hidden = {way: mean(list(each.values())) for way, each in gains.items()}
        accelerated = hidden[NEMESYS] > hidden[PEGASUS]
        more = "NEMESYS, whose copies need no hart" if accelerated else "Pegasus, which waits longer"
        sentences.append(f"The larger gain is that of {more}.")
    panels = [Panel("single", "kernel", "run time with one call / with several", series)] if rows else []
    return Item("overlap", "Beyond the paper: several outstanding calls per hart", columns, rows, sentences, panels)


def sweep_item(results: Results) -> Item:
    """Run times by grid and number of NMAs."""
    found: list[tuple[Run, Kernel]] = []
    for run in sweep():
        if (kernel := results.kernel(run)) is not None:
            found.append((run, kernel))
    rows: list[list[Cell]] = []
    series: dict[str, dict[str, list[tuple[float | str, float | None]]]] = {k: {} for k in SWEEP_KERNELS}
    busy: dict[str, dict[str, list[tuple[float | str, float | None]]]] = {k: {} for k in SWEEP_KERNELS}
    for run, kernel in found:
        machine = run.machine
        each = machine.compute_tiles / machine.memories
        rows.append([run.program.upper(), f"{machine.width}x{machine.width}", machine.memories, rounded(each),
                     rounded(1000 * kernel.seconds, 4), percent(kernel.nma), percent(kernel.memory),
                     kernel.nma_queued])  # fmt: skip
        name = "1 NMA" if machine.memories == 1 else f"{machine.memories} NMAs"
        series[run.program].setdefault(name, []).append((machine.compute_tiles, 1000 * kernel.seconds))
        busy[run.program].setdefault(name, []).append((each, 100 * kernel.nma))
    tiles = "compute tiles"
    panels = [Panel(f"{k.upper()}: run time", tiles, "run time, ms", series[k]) for k in SWEEP_KERNELS if series[k]]
    each_nma = "compute tiles for each NMA"
    panels += [Panel(f"{k.upper()}: NMA", each_nma, "time busy, %", busy[k]) for k in SWEEP_KERNELS if busy[k]]
    columns = ["kernel", "grid", "NMAs", "compute tiles per NMA", "run time, ms", "NMA, %", "memory port, %"]
    columns.append("longest queue, requests")
    sentences = [enough(found, k) for k in SWEEP_KERNELS if found]
    return Item("sweep", "Beyond the paper: grid and number of NMAs", columns, rows, sentences, panels)


def enough(found: list[tuple[Run, Kernel]], program: str) -> str:
    """From how many tiles on one NMA is not enough: it is always busy, or a second one makes the run faster."""
    single = [(r.machine.compute_tiles, k) for r, k in found if r.program == program and r.machine.memories == 1]
    several = [(r.machine, k) for r, k in found if r.program == program and r.machine.memories > 1]
    if not single:
        return f"{program.upper()}: not run."
    full = [tiles for tiles, kernel in single if kernel.nma >= SATURATED]
    text = f"{program.upper()}: one NMA is busy " + ", ".join(
        f"{100 * kernel.nma:.0f} % ({tiles} tiles)" for tiles, kernel in sorted(single, key=lambda one: one[0])
    )
    text += f"; it is the bottleneck from {min(full)} tiles on." if full else "; it is never the bottleneck."
    for machine, kernel in several:
        alone = next((k for r, k in found if r.program == program and r.machine.memories == 1
                      and r.machine.width == machine.width), None)  # fmt: skip
        if alone is not None:
            change = kernel.seconds / alone.seconds - 1
            text += f" {machine.width}x{machine.width} with {machine.memories}: {100 * change:+.0f} % of run time."
    return text
