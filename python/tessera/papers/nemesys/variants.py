"""variants: figure 12, smaller L2 caches, and figure 13, NEMESYS without the NCA."""

import dataclasses

from tessera.papers.nemesys.kernels import NAMES, listing, present, seconds
from tessera.papers.nemesys.measures import Results, mean
from tessera.papers.nemesys.plan import KERNELS, NEMESYS, NO_NCA, PEGASUS, SINGLE, WAYS_KIB
from tessera.reproduce.items import Cell, Item, Panel, percent, ratio, rounded


def slowdown(results: Results, way: str, kib: int) -> float | None:
    """Slowdown by a smaller L2: geometric mean over the kernels measured with both sizes."""
    product, count = 1.0, 0
    for kernel in KERNELS:
        small = seconds(results, kernel, dataclasses.replace(SINGLE, way_kib=kib), way)
        slow = ratio(small, seconds(results, kernel, SINGLE, way))
        if slow is not None:
            product, count = product * slow, count + 1
    return product ** (1 / count) if count else None


def figure12(results: Results) -> Item:
    """Figure 12: sizes of the L2."""
    rows: list[list[Cell]] = []
    machines = {kib: dataclasses.replace(SINGLE, way_kib=kib) for kib in WAYS_KIB}
    kernels = present(results, SINGLE, (PEGASUS, NEMESYS))
    series: dict[str, list[tuple[float | str, float | None]]] = {}
    for way in (PEGASUS, NEMESYS):
        for kib in WAYS_KIB[:-1]:
            series[f"{NAMES[way]}, 4 x {kib} KB"] = []
        for kernel in kernels:
            times = [seconds(results, kernel, machines[kib], way) for kib in WAYS_KIB]
            slow = [ratio(time, times[-1]) for time in times[:-1]]
            rows.append([NAMES[way], kernel.upper(), *[rounded(t and 1000 * t, 4) for t in times], *map(rounded, slow)])
            for kib, value in zip(WAYS_KIB, slow, strict=False):
                series[f"{NAMES[way]}, 4 x {kib} KB"].append((kernel.upper(), value))
    columns = ["way", "kernel", *[f"4 x {kib} KB, ms" for kib in WAYS_KIB]]
    columns += [f"slowdown with 4 x {kib} KB" for kib in WAYS_KIB[:-1]]
    sentences = []
    for kib in WAYS_KIB[:-1]:
        pegasus, nemesys = slowdown(results, PEGASUS, kib), slowdown(results, NEMESYS, kib)
        if pegasus and nemesys:
            more = "Pegasus slows down more, as in the paper"
            if pegasus <= nemesys:
                more = "Pegasus does not slow down more, unlike in the paper"
            sentences.append(
                f"An L2 of 4 x {kib} KB makes Pegasus {pegasus:.3f} and NEMESYS {nemesys:.3f} times as slow: {more}."
            )
    panels = [Panel("single", "kernel", "run time / that with 4 x 128 KB", series)] if kernels else []
    return Item("figure 12", "Size of the L2", columns, rows, sentences, panels)


def remaining_gain(results: Results, kernel: str) -> float | None:
    """Share of the gain over Pegasus that remains without the NCA."""
    pegasus, without, whole = (seconds(results, kernel, SINGLE, way) for way in (PEGASUS, NO_NCA, NEMESYS))
    if None in (pegasus, without, whole) or pegasus <= whole:
        return None
    return (pegasus - without) / (pegasus - whole)


def figure13(results: Results) -> Item:
    """Figure 13: without the NCA."""
    ways = (PEGASUS, NO_NCA, NEMESYS)
    kernels = present(results, SINGLE, (NO_NCA,))
    rows: list[list[Cell]] = []
    for kernel in kernels:
        times = [seconds(results, kernel, SINGLE, way) for way in ways]
        rows.append(
            [kernel.upper(), *[rounded(t and 1000 * t, 4) for t in times], percent(remaining_gain(results, kernel))]
        )
    series = {
        NAMES[way]: [
            (k.upper(), ratio(seconds(results, k, SINGLE, way), seconds(results, k, SINGLE, PEGASUS))) for k in kernels
        ]
        for way in ways
    }
    shares = {k: share for k in kernels if (share := remaining_gain(results, k)) is not None}
    sentences = []
    if shares:
        ordered = sorted(shares, key=shares.get)
        sentences.append(
            f"Without the NCA, {100 * mean(list(shares.values())):.0f} % of the gain over Pegasus remain on average; "
            f"{listing(ordered[:2])} lose most. In the paper most of the gain remains, and LCR and HS depend on the "
            "NCA most."
        )
    without_gain = [k for k in kernels if k not in shares]
    if without_gain:
        sentences.append(f"{listing(without_gain)}: no gain over Pegasus.")
    columns = ["kernel", *[f"{NAMES[way]}, ms" for way in ways], "gain that remains, %"]
    panels = [Panel("single", "kernel", "run time / Pegasus", series)] if kernels else []
    return Item("figure 13", "Without the NCA", columns, rows, sentences, panels)
