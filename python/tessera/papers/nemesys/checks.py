"""checks: what is measured for each claim of NEMESYS (reference/nemesys_claims.csv), by the claim's name.

Section 6.1 of the paper allocates as many dummy objects as NEMESYS copies, always; so does everything here.
"""

import dataclasses
import math
from collections.abc import Callable

from tessera.papers.nemesys import area
from tessera.papers.nemesys.kernels import TABLE6, VARIANTS, communication_change, gain, measured, seconds
from tessera.papers.nemesys.measures import Results, mean
from tessera.papers.nemesys.micro import WORD_BYTES, Copies, platform, points
from tessera.papers.nemesys.plan import KERNELS, MESSAGES, NEMESYS, PEGASUS, SINGLE, SMALL, TWIN, runs_of
from tessera.papers.nemesys.system import MEASURES as SYSTEM
from tessera.papers.nemesys.system import with_system
from tessera.papers.nemesys.variants import remaining_gain, slowdown
from tessera.reproduce.checks import Found, Measure
from tessera.reproduce.items import ratio
from tessera.simulator.machines import Machine

BASELINES = (MESSAGES, PEGASUS)
LEAST = {"hs", "lcr"}  # in the paper, the kernels that gain least and need the NCA most
PORT = ("bf", "dst", "dr")
NS_PER_BYTE = 1000 / WORD_BYTES  # of microseconds for each word
Values = dict[str, float]  # by kernel


def text(values: Values, digits: int = 2) -> str:
    """Values as words, e.g. "BF 2.10, KC 1.37"."""
    return ", ".join(f"{kernel.upper()} {value:.{digits}f}" for kernel, value in values.items())


def by_kernel(of: Callable[[str], float | None]) -> Values:
    """A value of each kernel that has one."""
    return {kernel: value for kernel in KERNELS if (value := of(kernel)) is not None}


def found(results: Results, values: Values, value: Callable[[Values], float], digits: int = 2) -> Found | None:
    """A value made of those of all kernels; not judged by a part of them."""
    if not values:
        return None
    judged = results.plan.is_whole and len(values) == len(KERNELS)
    return Found(value(values), text(values, digits), judged)


def least(values: Values) -> float:
    """The lowest value."""
    return min(values.values())


def most(values: Values) -> float:
    """The highest value."""
    return max(values.values())


def average(values: Values) -> float:
    """The mean."""
    return mean(list(values.values()))


def of_least(values: Values) -> float:
    """How many of HS and LCR are the two kernels with the lowest values."""
    return len(LEAST & set(sorted(values, key=values.get)[:2]))


# Table 2 -------------------------------------------------------------------------------------------------------------


def probed(name: str) -> Measure:
    """A parameter of the platform, measured by probes."""

    def measure(results: Results) -> float | None:
        return platform(results).get(name)

    return measure


def configured(pick: Callable[[dict], float]) -> Measure:
    """A parameter of the machine file that no program can measure."""
    return lambda results: Found(pick(results.paper.machine), judged=True)


def memory_bytes(machine: dict) -> int:
    """The DRAM of all memories."""
    dram = machine["dram"]
    return dram["rows"] * dram["banks"] * dram["ranks"] * dram["row_bytes"] * len(machine["memory"]["tiles"])


def application_harts(machine: dict) -> int:
    """Harts for applications of all tiles without a memory."""
    grid = machine["grid"]
    return (grid["width"] * grid["height"] - len(machine["memory"]["tiles"])) * machine["harts"]["application"]


PROBED = ("l1_instruction_bytes", "l1_data_bytes", "l1_data_line_bytes", "l2_bytes", "l2_line_bytes", "tlm_bytes",
          "tile_mhz", "l1_cycles", "l2_cycles", "memory_cycles", "tlm_cycles")  # fmt: skip


# Figure 8 ------------------------------------------------------------------------------------------------------------


def of_unit(family: str, name: str, which: str = "linear", factor: float = 1) -> Measure:
    """Setup or slope of a family by the NMA, in microseconds times a factor."""

    def measure(results: Results) -> float | None:
        one = Copies(results).units.get((family, which))
        return one and factor * one[name]

    return measure


def pointer_mask(results: Results) -> float | None:
    """Microseconds of the step from 32 words, which one word of a mask describes, to 40, beyond those of the slope."""
    one = Copies(results).units.get(("object", "linear"))
    times = dict(points(one)) if one else {}
    step, plain = (times.get(more, math.nan) - times.get(few, math.nan) for few, more in ((32, 40), (24, 32)))
    return None if math.isnan(step - plain) else step - plain


def of_software(family: str, name: str, factor: float = 1) -> Measure:
    """Setup or slope of a family by Pegasus from the L2, in microseconds times a factor; from memory as a note."""

    def measure(results: Results) -> Found | None:
        curves = Copies(results)
        one, other = (source.get((family, PEGASUS)) for source in (curves.software, curves.from_memory))
        note = f"{one[name.replace('_us', '_instructions')]:.4g} instructions" if one else ""
        note += f"; {factor * other[name]:.4g} from memory" if other else ""
        return one and Found(factor * one[name], note)

    return measure


def over(one: Measure, other: Measure) -> Measure:
    """Ratio of two measurements."""

    def measure(results: Results) -> Found | None:
        pair = [Found(value) if isinstance(value, float) else value for value in (one(results), other(results))]
        if None in pair or not pair[1].value:
            return None
        part = any(value.judged is False for value in pair)
        return Found(pair[0].value / pair[1].value, f"{pair[0].value:.4g} and {pair[1].value:.4g}",
                     False if part else None)  # fmt: skip

    return measure


def crossing(family: str) -> Measure:
    """The larger of the two sizes between which the hashed map becomes the faster one."""

    def measure(results: Results) -> Found | None:
        where = Copies(results).crossing(family)
        return where and Found(where[1], f"faster from {where[1]:g} on, not at {where[0]:g}")

    return measure


def software_wins(family: str) -> Measure:
    """The first size from which Pegasus is faster than the NMA with the linear map; twice the largest if none is."""

    def measure(results: Results) -> Found | None:
        curves = Copies(results)
        units, software = curves.units.get((family, "linear")), curves.software.get((family, PEGASUS))
        if not units or not software:
            return None
        theirs = dict(points(units))
        both = [(size, us, theirs[size]) for size, us in points(software) if size in theirs]
        slower = [size for size, us, unit in both if us >= unit]
        faster = [size for size, us, unit in both if us < unit and size > max(slower, default=0)]
        if not faster:
            return Found(2 * max(size for size, *_ in both), f"never, up to {max(size for size, *_ in both):g}")
        return Found(min(faster))

    return measure


def list_element(results: Results) -> Found | None:
    """Microseconds for an element of a list with the hashed map: the mean of the lowest and highest from 64 on."""
    ends = Copies(results).flatness("list")
    return ends and Found(mean(list(ends)), f"{ends[0]:.2f} to {ends[1]:.2f} us")


def list_constant(results: Results) -> float | None:
    """Half of the spread of these times, in per cent of their mean."""
    ends = Copies(results).flatness("list")
    return ends and 100 * (ends[1] - ends[0]) / (ends[1] + ends[0])


def hash_start(results: Results) -> float | None:
    """Microseconds that the hashed map adds to the shortest list."""
    units = Copies(results).units
    if not units:
        return None
    linear, hashed = (dict(points(units["list", which])) for which in ("linear", "hashed"))
    return hashed[1] - linear[1]


def list_quadratic(results: Results) -> float | None:
    """Time of the longest list with the linear map over that of one half as long."""
    units = Copies(results).units
    times = dict(points(units["list", "linear"])) if units else {}
    longest = max(times, default=0)
    return ratio(times.get(longest), times.get(longest / 2))


def software_wins_with_system(results: Results) -> Found | None:
    """Words of an object below which Pegasus is faster, with the paper's system costs added to the NMA's time."""
    wins = Copies(results).software_wins_below(results.paper["system_costs"].low)
    if wins is None:
        return None
    return Found(wins, f"{Copies(results).software_wins_below():.0f} without them")


# Table 5 -------------------------------------------------------------------------------------------------------------


def copies(kernel: str) -> Measure:
    """Copies of graphs of a kernel."""

    def measure(results: Results) -> float | None:
        run = next(one for one in runs_of("table 5") if one.program == kernel)
        counted = results.copies(run)
        return counted and counted[0]

    return measure


def of_graphs(column: str, index: int) -> Measure:
    """Objects or bytes of a graph, ours over the paper's, mean over kernels."""

    def measure(results: Results) -> Found | None:
        each = {run.program: counted[index] / float(results.paper.table5[run.program][column])
                for run in runs_of("table 5") if (counted := results.copies(run)) is not None}  # fmt: skip
        return found(results, each, average)

    return measure


# Figures 9 to 13 -----------------------------------------------------------------------------------------------------


def gains(results: Results, machine: Machine, over: str) -> Values:
    """Gain over a baseline, with dummy allocations."""
    return by_kernel(lambda kernel: gain(results, kernel, machine, over))


def run_time_gain(
    which: Callable[..., float], pick: Callable[[Values], float], machine: Machine = SINGLE
) -> Measure:
    """The least gain over the better baseline, or the largest over either."""

    def measure(results: Results) -> Found | None:
        both = [gains(results, machine, over) for over in BASELINES]
        each = {k: which(one[k] for one in both) for k in KERNELS if all(k in one for one in both)}
        return found(results, each, pick)

    return measure


def above_one(values: Values) -> float:
    """How many kernels gain anything."""
    return sum(value > 1 for value in values.values())


def least_gain(over: str) -> Measure:
    """How many of HS and LCR gain least."""
    return lambda results: found(results, gains(results, SINGLE, over), of_least)


def twin(way: str) -> Measure:
    """Mean change of run time by a second memory, in per cent."""

    def measure(results: Results) -> Found | None:
        each = by_kernel(lambda k: ratio(seconds(results, k, TWIN, way), seconds(results, k, SINGLE, way)))
        return found(results, {k: 100 * (value - 1) for k, value in each.items()}, average, 1)

    return measure


def communication(pick: Callable[[Values], float]) -> Measure:
    """Communication time saved beside Pegasus, in per cent."""

    def measure(results: Results) -> Found | None:
        each = by_kernel(lambda k: communication_change(results, k))
        return found(results, {k: -100 * value for k, value in each.items()}, pick, 0)

    return measure


def small_grid(results: Results) -> Found | None:
    """Kernels whose gain over Pegasus is smaller on 2x2 tiles than on 4x4."""
    small, large = (gains(results, machine, PEGASUS) for machine in (SMALL, SINGLE))
    each = {k: small[k] / large[k] for k in KERNELS if k in small and k in large}
    return found(results, each, lambda values: sum(value < 1 for value in values.values()))


def small_caches(kib: int) -> Measure:
    """How many kernels a smaller L2 slows down more with Pegasus than with NEMESYS."""

    def measure(results: Results) -> Found | None:
        small = dataclasses.replace(SINGLE, way_kib=kib)
        slow = {
            way: by_kernel(
                lambda k, way=way: ratio(seconds(results, k, small, way), seconds(results, k, SINGLE, way))
            )
            for way in (PEGASUS, NEMESYS)
        }
        each = {k: slow[PEGASUS][k] / slow[NEMESYS][k] for k in KERNELS if all(k in one for one in slow.values())}
        counted = found(results, each, lambda values: sum(value > 1 for value in values.values()))
        means = ", ".join(f"{name} {slowdown(results, way, kib):.3f}" for name, way in
                          (("Pegasus", PEGASUS), ("NEMESYS", NEMESYS)) if slow[way])  # fmt: skip
        return counted and dataclasses.replace(counted, note=f"{counted.note}; slowdown in the mean: {means}")

    return measure


def remaining(pick: Callable[[Values], float]) -> Measure:
    """The gain over Pegasus that remains without the NCA, in per cent."""

    def measure(results: Results) -> Found | None:
        each = by_kernel(lambda k: remaining_gain(results, k))
        return found(results, {k: 100 * value for k, value in each.items()}, pick, 0)

    return measure


# Table 6 -------------------------------------------------------------------------------------------------------------


def load_of(variant: str, column: str) -> Measure:
    """A column of table 6, mean over kernels."""
    machine, way = VARIANTS[variant]

    def measure(results: Results) -> Found | None:
        each = by_kernel(lambda k: (one := measured(results, k, machine, way)) and float(TABLE6[column][1](one)))
        return found(results, each, average, 1)

    return measure


def nma(machine: Machine, pick: Callable[[Values], float]) -> Measure:
    """Utilisation of the NMA, in per cent."""

    def measure(results: Results) -> Found | None:
        each = by_kernel(lambda k: (one := measured(results, k, machine, NEMESYS)) and 100 * one.nma)
        return found(results, each, pick, 1)

    return measure


def rank_of_dr(values: Values) -> float:
    """1 if DR has the highest value."""
    return sorted(values, key=values.get, reverse=True).index("dr") + 1 if "dr" in values else len(KERNELS)


def port(kernel: str) -> Measure:
    """Load of the memory port, in per cent."""

    def measure(results: Results) -> Found | None:
        one = measured(results, kernel, SINGLE, NEMESYS)
        return one and Found(100 * one.memory, judged=not results.plan.quick)

    return measure


def cells_in_bands(results: Results) -> Found | None:
    """Cells of the kernels in table 6 within the bands of the means, in per cent of all."""
    points, share = (results.paper[name].low for name in ("cell_points", "cell_share"))
    inside = counted = 0
    outside: dict[str, int] = {}
    for variant, (machine, way) in VARIANTS.items():
        for kernel in KERNELS:
            one = measured(results, kernel, machine, way)
            for column, (name, value) in TABLE6.items():
                paper = results.paper.table6(variant, kernel, column)
                if one is None or paper is None:
                    continue
                far = abs(float(value(one)) - paper)
                room = min(points, paper if value(one) > paper else paper / 2) if "percent" in column else None
                good = far <= (paper * share / 100 if room is None else room)
                inside, counted = inside + good, counted + 1
                outside[name] = outside.get(name, 0) + (not good)
    if not counted:
        return None
    words = ", ".join(f"{name} {count}" for name, count in outside.items())
    whole = results.plan.is_whole
    return Found(100 * inside / counted, f"{inside} of {counted}; outside: {words}", whole)


TABLE_6 = {
    f"{variant.replace('-', '_')}_{column.replace('_percent', '')}": load_of(variant, column)
    for variant, (_, way) in VARIANTS.items()
    for column in TABLE6
    if way != PEGASUS or column not in ("memory_by_adapter_percent", "memory_by_nma_percent", "nma_percent")
}
MEASURES: dict[str, Measure] = {
    **{name: probed(name) for name in PROBED},
    "memory_mhz": configured(lambda machine: machine["clocks"]["memory_mhz"]),
    "pgas_bytes": configured(memory_bytes),
    "application_harts": configured(application_harts),
    "fifo_entries": configured(lambda machine: machine["nma"]["queue_entries"]),
    **area.MEASURES,
    "object_setup": of_unit("object", "setup_us"),
    **SYSTEM,
    "object_setup_whole": with_system(of_unit("object", "setup_us")),
    "object_slope": of_unit("object", "slope_us", factor=NS_PER_BYTE),
    "pointer_mask": pointer_mask,
    "software_object_setup": of_software("object", "setup_us"),
    "software_object_slope": of_software("object", "slope_us", factor=NS_PER_BYTE),
    "software_over_nma_object": over(of_software("object", "slope_us"), of_unit("object", "slope_us")),
    "software_wins_with_system": software_wins_with_system,
    "array_slope": of_unit("array", "slope_us", factor=NS_PER_BYTE),
    "array_setup": of_unit("array", "setup_us"),
    "software_array_setup": of_software("array", "setup_us"),
    "software_array_slope": of_software("array", "slope_us", factor=NS_PER_BYTE),
    "software_over_nma_array": over(of_software("array", "slope_us"), of_unit("array", "slope_us")),
    "list_element": list_element,
    "list_constant": list_constant,
    "hash_start": hash_start,
    **{f"maps_cross_{family}": crossing(family) for family in ("list", "objects")},
    **{f"software_wins_{family}": software_wins(family) for family in ("list", "objects")},
    "list_quadratic": list_quadratic,
    "run_time_gain_least": run_time_gain(min, least),
    "run_time_gain_most": run_time_gain(max, most),
    "faster_kernels": run_time_gain(min, above_one),
    "run_time_gain_least_twin": run_time_gain(min, least, TWIN),
    "run_time_gain_most_twin": run_time_gain(max, most, TWIN),
    "faster_kernels_twin": run_time_gain(min, above_one, TWIN),
    **{f"least_gain_{way}": least_gain(way) for way in BASELINES},
    "twin_nemesys": twin(NEMESYS),
    "twin_pegasus": twin(PEGASUS),
    "communication_gain_least": communication(least),
    "communication_gain_most": communication(most),
    "small_grid": small_grid,
    "small_caches_kernels": small_caches(8),
    "small_caches_16_kernels": small_caches(16),
    "no_nca_remaining": remaining(average),
    "no_nca_least": remaining(of_least),
    **{f"copies_{kernel}": copies(kernel) for kernel in KERNELS},
    "graph_objects": of_graphs("objects", 1),
    "graph_bytes": of_graphs("bytes", 2),
    **TABLE_6,
    "memory_mb_ratio": over(TABLE_6["nemesys_single_memory_mb"], TABLE_6["pegasus_single_memory_mb"]),
    **{f"port_{kernel}": port(kernel) for kernel in PORT},
    "nma_single_peak": nma(SINGLE, most),
    "nma_twin_peak": nma(TWIN, most),
    "nma_busiest": nma(SINGLE, rank_of_dr),
    "table_6_cells": cells_in_bands,
    "nma_twin_share": over(TABLE_6["nemesys_twin_nma"], TABLE_6["nemesys_single_nma"]),
}
