"""conditions: beside the paper's conditions (a heap that reuses nothing, images in DDR) ours: what they change."""

import dataclasses

from tessera.papers.nemesys.kernels import NAMES
from tessera.papers.nemesys.measures import Kernel, Results, mean
from tessera.papers.nemesys.plan import NEMESYS, PEGASUS, SINGLE, SOME_KERNELS, TWIN, WAYS_KIB, Run, ours
from tessera.reproduce.items import Cell, Item, Panel, percent, ratio, rounded
from tessera.simulator.machines import Machine

SMALL_CACHE = dataclasses.replace(SINGLE, way_kib=WAYS_KIB[0])
PAPER, OURS = "paper", "ours"


def measured(results: Results, kernel: str, machine: Machine, way: str, where: str) -> Kernel | None:
    """A kernel under the conditions of one name."""
    run = Run(kernel, machine, way)
    return results.kernel(run if where == PAPER else ours(run))


def conditions_item(results: Results) -> Item:
    """Figures 9 and 12 and table 6 under both conditions."""
    columns = ["conditions", "kernel", "Pegasus, ms", "NEMESYS, ms", "gain", "gain, two memories"]
    columns += ["gain, L2 of 4 x 8 KB", "MB, Pegasus", "MB, NEMESYS", "port by NAs, NEMESYS, %"]
    columns += ["cycles of a load, Pegasus", "cycles of a load, NEMESYS"]
    rows: list[list[Cell]] = []
    sentences = []
    series: dict[str, list[tuple[float | str, float | None]]] = {}
    for where in (PAPER, OURS):
        gains: dict[str, list[float]] = {"single": [], "twin": [], "small": []}
        bytes_of: list[float] = []
        for kernel in SOME_KERNELS:
            pair = [measured(results, kernel, SINGLE, way, where) for way in (PEGASUS, NEMESYS)]
            if None in pair:
                continue
            each = {"single": ratio(pair[0].seconds, pair[1].seconds)}
            for name, machine in (("twin", TWIN), ("small", SMALL_CACHE)):
                both = [measured(results, kernel, machine, way, where) for way in (PEGASUS, NEMESYS)]
                each[name] = None if None in both else ratio(both[0].seconds, both[1].seconds)
            for name, value in each.items():
                if value is not None:
                    gains[name].append(value)
            bytes_of.append(pair[1].memory_mb / pair[0].memory_mb)
            series.setdefault(where, []).append((kernel.upper(), bytes_of[-1]))
            rows.append([where, kernel.upper(), *[rounded(1000 * one.seconds, 4) for one in pair],
                         *[rounded(value) for value in each.values()], *[rounded(one.memory_mb) for one in pair],
                         percent(pair[1].memory_by_adapter), *[rounded(one.load_cycles) for one in pair]])  # fmt: skip
        if gains["single"]:
            texts = [f"{name} {mean(values):.2f}" for name, values in gains.items() if values]
            sentences.append(
                f"{'The conditions of the paper' if where == PAPER else 'Ours'}: NEMESYS moves {mean(bytes_of):.2f} "
                f"times the bytes of Pegasus ({results.paper['memory_mb_ratio'].low:.2f} in the paper); mean gains "
                f"over {NAMES[PEGASUS]}: {', '.join(texts)}."
            )
    mean_of_paper = (results.paper["memory_mb_ratio"].low,) * 2
    panels = [Panel("bytes of memory", "kernel", "bytes with NEMESYS / Pegasus", series, band=mean_of_paper,
                    band_name="the paper's mean")] if series else []  # fmt: skip
    title = "The paper's heap and images, and ours"
    return Item("conditions", title, columns, rows, sentences, panels)
