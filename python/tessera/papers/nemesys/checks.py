"""checks: what the reproduction of NEMESYS must reach, with the paper's values and ours."""

from collections.abc import Callable

from tessera.papers.nemesys.kernels import (
    best_baseline,
    communication_change,
    gain,
    listing,
    measured,
    seconds,
)
from tessera.papers.nemesys.measures import Results, mean
from tessera.papers.nemesys.micro import Copies
from tessera.papers.nemesys.plan import KERNELS, MESSAGES, NEMESYS, PEGASUS, SINGLE, TWIN
from tessera.papers.nemesys.variants import remaining_gain, slowdown
from tessera.reproduce.items import Check

FASTER = ("bf", "dst", "dr", "dp", "mis", "vc")
BUSY = ("bf", "dst", "dr")


def ranks(values: list[float]) -> list[float]:
    """Ranks from 1 for the lowest; equal values share the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def spearman(x: list[float], y: list[float]) -> float:
    """Spearman's rank correlation."""
    a, b = ranks(x), ranks(y)
    over, under = mean(a), mean(b)
    product = sum((i - over) * (j - under) for i, j in zip(a, b, strict=True))
    spread = (sum((i - over) ** 2 for i in a) * sum((j - under) ** 2 for j in b)) ** 0.5
    return product / spread if spread else 0.0


def slopes(results: Results) -> Check:
    """Slopes of object and array."""
    curves, paper = Copies(results), results.paper
    check = Check("object and array slope of the NMA", f"{paper['object_slope']}; {paper['array_slope']}",
                  "inside the range; ± 10 %")  # fmt: skip
    if curves.units:
        word, array = (curves.units[family, "linear"]["slope_us"] for family in ("object", "array"))
        check.ours = f"{word:.3f}; {array:.4f} µs per word"
        inside = paper["object_slope"].low <= word <= paper["object_slope"].high
        check.met = inside and abs(array / paper["array_slope"].low - 1) <= 0.1
    return check


def maps(results: Results) -> Check:
    """The crossing of the linear and hashed map, and the flatness of the hashed map."""
    curves = Copies(results)
    check = Check("linear and hashed cross; hashed is flat beyond", "64 elements; 7.4 µs",
                  "between 32 and 128, predicted; flat within 10 %")  # fmt: skip
    if curves.units:
        crossed = [curves.crossing(family) for family in ("list", "objects")]
        least, most = curves.flatness("list")
        spread = (most - least) / (most + least)
        check.ours = "; ".join("nowhere" if c is None else f"{c[0]:g} to {c[1]:g}" for c in crossed)
        check.ours += f"; {least:.2f} to {most:.2f} µs"
        inside = [c is not None and c[1] > 32 and c[0] < 128 for c in crossed]
        check.met = all(inside) and spread <= 0.1
    return check


def one_object(results: Results) -> Check:
    """Software against the NMA on one object; only reported."""
    curves = Copies(results)
    wins = curves.software_wins_below()
    check = Check("Pegasus against NEMESYS on one object", "software wins below 8 words", "reported, with instructions")
    if wins is not None:
        one = curves.software["object", "pegasus"]
        more = curves.software_wins_below(results.paper["system_costs"].low)
        check.ours = f"below {wins:.0f} words ({more:.0f} with the paper's system costs added to the NMA's time); "
        check.ours += f"{one['setup_instructions']:.0f} instructions and {one['slope_instructions']:.1f} per word"
        check.met = True
    return check


def faster(results: Results) -> Check:
    """Run time against both baselines."""
    paper = f"faster everywhere, {results.paper['run_time_gain']}"
    check = Check("run time, NEMESYS against both baselines, single", paper, f"faster for {listing(list(FASTER))}")
    gains = {k: (best, ours) for k in KERNELS if (best := best_baseline(results, k, SINGLE)) is not None
             and (ours := seconds(results, k, SINGLE, NEMESYS)) is not None}  # fmt: skip
    if gains:
        wins = [k for k, (best, ours) in gains.items() if ours < best]
        loses = [k for k in gains if k not in wins]
        check.ours = f"faster for {listing(wins)}; not for {listing(loses)}"
        missing = [k for k in FASTER if k not in gains]
        check.met = None if missing else all(k in wins for k in FASTER)
    return check


def ranking(results: Results) -> Check:
    """Correlation of gains and sizes of graphs."""
    check = Check("the ranking of gains follows the size of graphs", "smallest for HS and LCR", "Spearman ≥ 0.7")
    found = {k: g for k in KERNELS if (g := gain(results, k, SINGLE, MESSAGES)) is not None}
    if len(found) >= 3:
        sizes = [float(results.paper.table5[k]["bytes"]) for k in found]
        each = {}
        for over in (MESSAGES, PEGASUS):
            gains = [gain(results, k, SINGLE, over) for k in found]
            if None not in gains:
                each[over] = spearman(sizes, gains)
        check.ours = "; ".join(f"{value:.2f} against {over}" for over, value in each.items())
        check.met = max(each.values()) >= 0.7 if len(found) == len(KERNELS) else None
    return check


def communication(results: Results) -> Check:
    """Communication time against Pegasus."""
    check = Check("communication time, NEMESYS against Pegasus, single", "−40 to −82 %",
                  "negative wherever run time improves")  # fmt: skip
    changes = {k: c for k in KERNELS if (c := communication_change(results, k)) is not None}
    if changes:
        check.ours = ", ".join(f"{k.upper()} {100 * c:+.0f} %" for k, c in changes.items())
        better = [k for k in changes if (gain(results, k, SINGLE, PEGASUS) or 0) > 1]
        check.met = all(changes[k] < 0 for k in better)
    return check


def port(results: Results) -> Check:
    """Load of the memory port."""
    paper = results.paper["memory_load"]
    check = Check(f"memory port busy, {listing(list(BUSY))}, NEMESYS, single", str(paper), "≥ 50 %")
    found = {k: m.memory for k in BUSY if (m := measured(results, k, SINGLE, NEMESYS)) is not None}
    if found:
        check.ours = ", ".join(f"{k.upper()} {100 * v:.0f} %" for k, v in found.items())
        check.met = all(v >= 0.5 for v in found.values()) if len(found) == len(BUSY) else None
    return check


def utilisation(results: Results) -> Check:
    """Load of the NMA."""
    paper = results.paper
    check = Check("NMA utilisation, single and twin: mean, peak",
                  f"{paper['nma_single_mean'].low} and {paper['nma_twin_mean'].low} %, "
                  f"{paper['nma_single_peak'].low} and {paper['nma_twin_peak'].low} % (DR)",
                  "twin about half of single; DR among the top three")  # fmt: skip
    single = {k: m.nma for k in KERNELS if (m := measured(results, k, SINGLE, NEMESYS)) is not None}
    twin = {k: m.nma for k in KERNELS if (m := measured(results, k, TWIN, NEMESYS)) is not None}
    if single and single.keys() == twin.keys():
        share = mean(list(twin.values())) / mean(list(single.values()))
        top = sorted(single, key=single.get, reverse=True)[:3]
        check.ours = f"{100 * mean(list(single.values())):.1f} and {100 * mean(list(twin.values())):.1f} %, "
        check.ours += f"{100 * max(single.values()):.1f} and {100 * max(twin.values()):.1f} %; top {listing(top)}"
        check.met = 0.35 <= share <= 0.65 and "dr" in top if len(single) == len(KERNELS) else None
    return check


def memories(results: Results) -> Check:
    """Effect of a second memory."""
    check = Check("twin against single", "Pegasus gains, NEMESYS loses slightly", "the same signs")
    effects = {}
    for way in (PEGASUS, NEMESYS):
        pairs = [
            (twin, single) for k in KERNELS
            if (twin := seconds(results, k, TWIN, way)) and (single := seconds(results, k, SINGLE, way))
        ]  # fmt: skip
        if pairs:
            effects[way] = mean([twin / single for twin, single in pairs]) - 1
    if len(effects) == 2:
        check.ours = f"Pegasus {100 * effects[PEGASUS]:+.1f} %, NEMESYS {100 * effects[NEMESYS]:+.1f} % of run time"
        check.met = effects[PEGASUS] < 0 < effects[NEMESYS]
    return check


def without_nca(results: Results) -> Check:
    """The gain that remains without the NCA."""
    check = Check("without NCA", "most of the gain remains; LCR and HS depend on it most", "the same order")
    shares = {k: share for k in KERNELS if (share := remaining_gain(results, k)) is not None}
    if shares:
        least = sorted(shares, key=shares.get)
        check.ours = f"{100 * mean(list(shares.values())):.0f} % remain; least for {listing(least[:2])}"
        most = mean(list(shares.values())) > 0.5
        check.met = most and set(least[:3]) >= {"lcr", "hs"} if len(shares) >= len(FASTER) else None
    return check


def caches(results: Results) -> Check:
    """Effect of smaller caches."""
    check = Check("smaller L2", "Pegasus slows down more", "the same")
    pegasus, nemesys = slowdown(results, PEGASUS, 8), slowdown(results, NEMESYS, 8)
    if pegasus and nemesys:
        check.ours = f"4 x 8 KB: Pegasus {pegasus:.3f} times as slow, NEMESYS {nemesys:.3f}"
        check.met = pegasus > nemesys
    return check


OF_SINGLE_GRAPHS: tuple[Callable[[Results], Check], ...] = (slopes, maps, one_object)
OF_KERNELS: tuple[Callable[[Results], Check], ...] = (
    faster,
    ranking,
    communication,
    port,
    utilisation,
    memories,
    without_nca,
    caches,
)


def all_of(results: Results) -> list[Check]:
    """All checks. Those on kernels are not judged by small inputs or a subset of the kernels."""
    found = [check(results) for check in OF_SINGLE_GRAPHS]
    for check in OF_KERNELS:
        one = check(results)
        if not results.plan.is_whole:
            one.met = None
            one.ours += " (with a subset of the kernels, or small inputs)" if one.ours else ""
        found.append(one)
    return found
