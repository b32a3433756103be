"""variants: what changes with parts of the machine: figure 12, smaller caches, and figure 13, no NCA."""

import dataclasses

from nemesys.items import Cell, Item, Known, Panel, percent, ratio, rounded
from nemesys.kernels import NAMES, listing, present, seconds
from nemesys.machines import SINGLE
from nemesys.measures import mean
from nemesys.plan import KERNELS, NEMESYS, NO_NCA, PEGASUS, WAYS_KIB


def slowdown(known: Known, way: str, kib: int) -> float | None:
    """By a smaller L2, geometric mean over the kernels that have both."""
    product, count = 1.0, 0
    for kernel in KERNELS:
        small = seconds(known, kernel, dataclasses.replace(SINGLE, way_kib=kib), way)
        slow = ratio(small, seconds(known, kernel, SINGLE, way))
        if slow is not None:
            product, count = product * slow, count + 1
    return product ** (1 / count) if count else None


def figure12(known: Known) -> Item:
    """Sizes of the L2."""
    rows: list[list[Cell]] = []
    machines = {kib: dataclasses.replace(SINGLE, way_kib=kib) for kib in WAYS_KIB}
    kernels = present(known, SINGLE, (PEGASUS, NEMESYS))
    series: dict[str, list[tuple[float | str, float | None]]] = {}
    for way in (PEGASUS, NEMESYS):
        for kib in WAYS_KIB[:-1]:
            series[f"{NAMES[way]}, 4 x {kib} KB"] = []
        for kernel in kernels:
            times = [seconds(known, kernel, machines[kib], way) for kib in WAYS_KIB]
            slow = [ratio(time, times[-1]) for time in times[:-1]]
            rows.append([NAMES[way], kernel.upper(), *[rounded(t and 1000 * t, 4) for t in times], *map(rounded, slow)])
            for kib, value in zip(WAYS_KIB, slow, strict=False):
                series[f"{NAMES[way]}, 4 x {kib} KB"].append((kernel.upper(), value))
    columns = ["way", "kernel", *[f"4 x {kib} KB, ms" for kib in WAYS_KIB]]
    columns += [f"slower by 4 x {kib} KB, times" for kib in WAYS_KIB[:-1]]
    sentences = []
    for kib in WAYS_KIB[:-1]:
        pegasus, nemesys = slowdown(known, PEGASUS, kib), slowdown(known, NEMESYS, kib)
        if pegasus and nemesys:
            more = "Pegasus suffers more, as in the paper"
            if pegasus <= nemesys:
                more = "Pegasus does not suffer more, other than there"
            sentences.append(
                f"An L2 of 4 x {kib} KB makes Pegasus {pegasus:.3f} and NEMESYS {nemesys:.3f} times as slow: {more}."
            )
    panels = [Panel("single", "", "run time / that with 4 x 128 KB", series)] if kernels else []
    return Item("figure 12", "Size of the L2", columns, rows, sentences, panels)


def kept(known: Known, kernel: str) -> float | None:
    """Of the gain over Pegasus, the share that is left without the NCA."""
    pegasus, without, whole = (seconds(known, kernel, SINGLE, way) for way in (PEGASUS, NO_NCA, NEMESYS))
    if None in (pegasus, without, whole) or pegasus <= whole:
        return None
    return (pegasus - without) / (pegasus - whole)


def figure13(known: Known) -> Item:
    """Without the NCA."""
    ways = (PEGASUS, NO_NCA, NEMESYS)
    kernels = present(known, SINGLE, (NO_NCA,))
    rows: list[list[Cell]] = []
    for kernel in kernels:
        times = [seconds(known, kernel, SINGLE, way) for way in ways]
        rows.append([kernel.upper(), *[rounded(t and 1000 * t, 4) for t in times], percent(kept(known, kernel))])
    series = {
        NAMES[way]: [
            (k.upper(), ratio(seconds(known, k, SINGLE, way), seconds(known, k, SINGLE, PEGASUS))) for k in kernels
        ]
        for way in ways
    }
    shares = {k: share for k in kernels if (share := kept(known, k)) is not None}
    sentences = []
    if shares:
        ordered = sorted(shares, key=shares.get)
        sentences.append(
            f"Without the NCA {100 * mean(list(shares.values())):.0f} % of the gain over Pegasus remain in the mean; "
            f"{listing(ordered[:2])} lose most. In the paper most of the gain remains, and LCR and HS need the "
            "NCA most."
        )
    without_gain = [k for k in kernels if k not in shares]
    if without_gain:
        sentences.append(f"{listing(without_gain)}: no gain over Pegasus that could be kept.")
    columns = ["kernel", *[f"{NAMES[way]}, ms" for way in ways], "gain kept, %"]
    panels = [Panel("single", "", "run time / Pegasus", series)] if kernels else []
    return Item("figure 13", "Without the NCA", columns, rows, sentences, panels)
