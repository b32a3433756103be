"""checks: what a reproduction must reach, item by item: met, not met, or not measured."""

from collections.abc import Callable

from nemesys.items import Check, Known
from nemesys.kernels import (
    best_baseline,
    communication_change,
    gain,
    listing,
    measured,
    seconds,
)
from nemesys.machines import SINGLE, TWIN
from nemesys.measures import mean
from nemesys.micro import Copies
from nemesys.plan import KERNELS, MESSAGES, NEMESYS, PEGASUS
from nemesys.variants import kept, slowdown

FASTER = ("bf", "dst", "dr", "dp", "mis", "vc")
BUSY = ("bf", "dst", "dr")


def ranks(values: list[float]) -> list[float]:
    """1 for the least; equal ones share the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def spearman(x: list[float], y: list[float]) -> float:
    """Rank correlation."""
    a, b = ranks(x), ranks(y)
    over, under = mean(a), mean(b)
    product = sum((i - over) * (j - under) for i, j in zip(a, b, strict=True))
    spread = (sum((i - over) ** 2 for i in a) * sum((j - under) ** 2 for j in b)) ** 0.5
    return product / spread if spread else 0.0


def slopes(known: Known) -> Check:
    """Object and array."""
    of, paper = Copies(known), known.paper
    check = Check("object and array slope of the NMA", f"{paper['object_slope']}; {paper['array_slope']}",
                  "inside the range; ± 10 %", "", None)  # fmt: skip
    if of.units:
        word, array = (of.units[family, "linear"]["slope_us"] for family in ("object", "array"))
        check.ours = f"{word:.3f}; {array:.4f} µs per word"
        inside = paper["object_slope"].low <= word <= paper["object_slope"].high
        check.met = inside and abs(array / paper["array_slope"].low - 1) <= 0.1
    return check


def maps(known: Known) -> Check:
    """Where linear and hashed cross, and how flat hashed is."""
    of = Copies(known)
    check = Check("linear and hashed cross; hashed is flat beyond", "64 elements; 7.4 µs",
                  "between 32 and 128, predicted; flat within 10 %", "", None)  # fmt: skip
    if of.units:
        crossed = [of.crossing(family) for family in ("list", "objects")]
        least, most = of.flatness("list")
        spread = (most - least) / (most + least)
        check.ours = "; ".join("nowhere" if c is None else f"{c[0]:g} to {c[1]:g}" for c in crossed)
        check.ours += f"; {least:.2f} to {most:.2f} µs"
        inside = [c is not None and c[1] > 32 and c[0] < 128 for c in crossed]
        check.met = all(inside) and spread <= 0.1
    return check


def one_object(known: Known) -> Check:
    """Reported only."""
    of = Copies(known)
    wins = of.software_wins_below()
    check = Check("Pegasus against NEMESYS on one object", "software wins below 8 words", "reported, with instructions",
                  "", None)  # fmt: skip
    if wins is not None:
        one = of.software["object", "pegasus"]
        more = of.software_wins_below(known.paper["system_costs"].low)
        check.ours = f"below {wins:.0f} words ({more:.0f} with the paper's system costs on the NMA's side); "
        check.ours += f"{one['setup_instructions']:.0f} instructions and {one['slope_instructions']:.1f} for a word"
        check.met = True
    return check


def faster(known: Known) -> Check:
    """Than both baselines."""
    paper = f"faster everywhere, {known.paper['run_time_gain']}"
    check = Check("run time, NEMESYS against both baselines, single", paper, f"faster for {listing(list(FASTER))}",
                  "", None)  # fmt: skip
    gains = {k: (best, ours) for k in KERNELS if (best := best_baseline(known, k, SINGLE)) is not None
             and (ours := seconds(known, k, SINGLE, NEMESYS)) is not None}  # fmt: skip
    if gains:
        wins = [k for k, (best, ours) in gains.items() if ours < best]
        loses = [k for k in gains if k not in wins]
        check.ours = f"faster for {listing(wins)}; not for {listing(loses)}"
        missing = [k for k in FASTER if k not in gains]
        check.met = None if missing else all(k in wins for k in FASTER)
    return check


def ranking(known: Known) -> Check:
    """Of gains and sizes of graphs."""
    check = Check("the gain's ranking follows the size of graphs", "smallest for HS and LCR", "Spearman ≥ 0.7",
                  "", None)  # fmt: skip
    found = {k: g for k in KERNELS if (g := gain(known, k, SINGLE, MESSAGES)) is not None}
    if len(found) >= 3:
        sizes = [float(known.paper.table5[k]["bytes"]) for k in found]
        each = {}
        for over in (MESSAGES, PEGASUS):
            gains = [gain(known, k, SINGLE, over) for k in found]
            if None not in gains:
                each[over] = spearman(sizes, gains)
        check.ours = "; ".join(f"{value:.2f} against {over}" for over, value in each.items())
        check.met = max(each.values()) >= 0.7 if len(found) == len(KERNELS) else None
    return check


def communication(known: Known) -> Check:
    """Against Pegasus."""
    check = Check("communication time, NEMESYS against Pegasus, single", "−40 to −82 %",
                  "negative wherever run time improves", "", None)  # fmt: skip
    changes = {k: c for k in KERNELS if (c := communication_change(known, k)) is not None}
    if changes:
        check.ours = ", ".join(f"{k.upper()} {100 * c:+.0f} %" for k, c in changes.items())
        better = [k for k in changes if (gain(known, k, SINGLE, PEGASUS) or 0) > 1]
        check.met = all(changes[k] < 0 for k in better)
    return check


def port(known: Known) -> Check:
    """Of the memory."""
    paper = known.paper["memory_load"]
    check = Check(f"memory port busy, {listing(list(BUSY))}, NEMESYS, single", str(paper), "≥ 50 %", "", None)
    found = {k: m.memory for k in BUSY if (m := measured(known, k, SINGLE, NEMESYS)) is not None}
    if found:
        check.ours = ", ".join(f"{k.upper()} {100 * v:.0f} %" for k, v in found.items())
        check.met = all(v >= 0.5 for v in found.values()) if len(found) == len(BUSY) else None
    return check


def utilisation(known: Known) -> Check:
    """Of the NMA."""
    paper = known.paper
    check = Check("NMA utilisation, single and twin: mean, peak",
                  f"{paper['nma_single_mean'].low} and {paper['nma_twin_mean'].low} %, "
                  f"{paper['nma_single_peak'].low} and {paper['nma_twin_peak'].low} % (DR)",
                  "twin about half of single; DR among the top three", "", None)  # fmt: skip
    single = {k: m.nma for k in KERNELS if (m := measured(known, k, SINGLE, NEMESYS)) is not None}
    twin = {k: m.nma for k in KERNELS if (m := measured(known, k, TWIN, NEMESYS)) is not None}
    if single and single.keys() == twin.keys():
        share = mean(list(twin.values())) / mean(list(single.values()))
        top = sorted(single, key=single.get, reverse=True)[:3]
        check.ours = f"{100 * mean(list(single.values())):.1f} and {100 * mean(list(twin.values())):.1f} %, "
        check.ours += f"{100 * max(single.values()):.1f} and {100 * max(twin.values()):.1f} %; top {listing(top)}"
        check.met = 0.35 <= share <= 0.65 and "dr" in top if len(single) == len(KERNELS) else None
    return check


def memories(known: Known) -> Check:
    """Signs of twin against single."""
    check = Check("twin against single", "Pegasus gains, NEMESYS loses slightly", "the same signs", "", None)
    effects = {}
    for way in (PEGASUS, NEMESYS):
        pairs = [
            (twin, single) for k in KERNELS
            if (twin := seconds(known, k, TWIN, way)) and (single := seconds(known, k, SINGLE, way))
        ]  # fmt: skip
        if pairs:
            effects[way] = mean([twin / single for twin, single in pairs]) - 1
    if len(effects) == 2:
        check.ours = f"Pegasus {100 * effects[PEGASUS]:+.1f} %, NEMESYS {100 * effects[NEMESYS]:+.1f} % of run time"
        check.met = effects[PEGASUS] < 0 < effects[NEMESYS]
    return check


def without_nca(known: Known) -> Check:
    """What remains."""
    check = Check("without NCA", "most of the gain remains; LCR and HS depend on it most", "the same order", "", None)
    shares = {k: share for k in KERNELS if (share := kept(known, k)) is not None}
    if shares:
        least = sorted(shares, key=shares.get)
        check.ours = f"{100 * mean(list(shares.values())):.0f} % remain; least for {listing(least[:2])}"
        most = mean(list(shares.values())) > 0.5
        check.met = most and set(least[:3]) >= {"lcr", "hs"} if len(shares) >= len(FASTER) else None
    return check


def caches(known: Known) -> Check:
    """Smaller ones."""
    check = Check("smaller L2", "Pegasus suffers more", "the same", "", None)
    pegasus, nemesys = slowdown(known, PEGASUS, 8), slowdown(known, NEMESYS, 8)
    if pegasus and nemesys:
        check.ours = f"4 x 8 KB: Pegasus {pegasus:.3f} times as slow, NEMESYS {nemesys:.3f}"
        check.met = pegasus > nemesys
    return check


OF_SINGLE_GRAPHS: tuple[Callable[[Known], Check], ...] = (slopes, maps, one_object)
OF_KERNELS: tuple[Callable[[Known], Check], ...] = (
    faster,
    ranking,
    communication,
    port,
    utilisation,
    memories,
    without_nca,
    caches,
)


def all_of(known: Known) -> list[Check]:
    """Of kernels nothing is judged by a small input or by some of them."""
    found = [check(known) for check in OF_SINGLE_GRAPHS]
    for check in OF_KERNELS:
        one = check(known)
        if not known.results.plan.is_whole:
            one.met = None
            one.ours += " (by a part of the kernels, or by small ones)" if one.ours else ""
        found.append(one)
    return found
