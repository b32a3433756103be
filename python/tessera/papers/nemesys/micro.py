"""micro: table 2 by probes, and figure 8: times of copies of single graphs, by the accelerators and by our software."""

from tessera.papers.nemesys import system
from tessera.papers.nemesys.measures import Results, mean
from tessera.papers.nemesys.plan import copies, probes
from tessera.reproduce.claims import Claim
from tessera.reproduce.items import Cell, Item, Panel, rounded

FAMILIES = {
    "object": ("8a", "one object", "words"),
    "array": ("8b", "one array", "words"),
    "list": ("8c", "a list", "elements"),
    "objects": ("8d", "an array of objects", "elements"),
}
WORD_BYTES, PAPER_WORD_BYTES = 8, 4
LONG = 64  # elements from which the paper calls a list's time for each constant


def latencies_of(results: Results) -> list[float]:
    """Cycles of an L2 miss, from each compute tile that was probed."""
    return [one["memory_cycles"] for run in probes()[1:] if (one := results.json(run)) is not None]


def platform(results: Results) -> dict[str, float]:
    """Parameters of the platform as measured, by name; the L2 miss is the mean of all tiles. Empty without a run."""
    found = results.json(probes()[0])
    if found is None:
        return {}
    return found | {"memory_cycles": mean(latencies_of(results) or [found["memory_cycles"]])}


def table2(results: Results) -> Item:
    """Table 2: parameters, measured by a program on a tile."""
    measured = platform(results)
    rows: list[list[Cell]] = []
    sentences = []
    if measured:
        latencies = latencies_of(results)
        for name in (
            "l1_instruction_bytes",
            "l1_data_bytes",
            "l1_data_line_bytes",
            "l2_bytes",
            "l2_line_bytes",
            "tlm_bytes",
            "tile_mhz",
            "l1_cycles",
            "l2_cycles",
            "tlm_cycles",
            "memory_cycles",
        ):
            rows.append([name, results.paper[name].low, rounded(measured[name], 7), results.paper[name].unit])
        sentences = [parameter(name, results.paper[name], ours) for name, _, ours, _ in rows]
        spread = f", from {min(latencies):.0f} to {max(latencies):.0f}" if len(latencies) > 1 else ""
        sentences.append(
            f"The L2 miss is the mean of {max(len(latencies), 1)} tiles{spread}; it grows with the distance to memory. "
            "No program can measure the clock of memory and NMA; the machine file says 100 MHz, as the paper."
        )
    return Item(
        "table 2", "Parameters of the platform, measured by probes", ["parameter", "paper", "ours", "unit"], rows,
        [sentence for sentence in sentences if sentence],
    )  # fmt: skip


def parameter(name: str, paper: Claim, ours: float) -> str:
    """A sentence if the value deviates from the paper's by more than the accuracy of a probe."""
    off = ours / paper.low - 1
    return "" if abs(off) <= 0.1 else f"{name}: {100 * off:+.0f} % relative to the paper's."


def points(family: dict, column: int = 1) -> list[tuple[float, float]]:
    """Pairs of size and time."""
    return [(point[0], point[column]) for point in family["us"]]


def crossing(linear: list[tuple[float, float]], hashed: list[tuple[float, float]]) -> tuple[float, float] | None:
    """The two sizes between which the hashed map becomes the faster one for all larger sizes."""
    slower = [size for (size, us), (_, other) in zip(linear, hashed, strict=True) if us <= other]
    faster = [size for (size, us), (_, other) in zip(linear, hashed, strict=True) if us > other]
    return (max(slower), min(faster)) if slower and faster and max(slower) < min(faster) else None


class Copies:
    """The curves of figure 8."""

    def __init__(self, results: Results) -> None:
        units, software = copies()
        self.units = {(one["family"], one["map"]): one for one in listed(results.json(units))}
        # An array's word takes less in the paper than a miss of its L2, so its software copied out of the L2.
        each = {(one["family"], one["copier"], one["from"]): one for one in listed(results.json(software))}
        self.software = {(family, by): one for (family, by, source), one in each.items() if source == "cache"}
        self.from_memory = {(family, by): one for (family, by, source), one in each.items() if source == "memory"}

    def crossing(self, family: str) -> tuple[float, float] | None:
        """The crossing of the linear and hashed map of a family."""
        if not self.units:
            return None
        return crossing(points(self.units[family, "linear"]), points(self.units[family, "hashed"]))

    def flatness(self, family: str) -> tuple[float, float] | None:
        """Lowest and highest microseconds per element with the hashed map, for 64 elements and more."""
        if not self.units:
            return None
        each = [us / size for size, us in points(self.units[family, "hashed"]) if size >= 64]
        return min(each), max(each)

    def software_wins_below(self, more_us: float = 0.0) -> float | None:
        """Words of an object below which our software is faster; `more_us` is added to the accelerator's time."""
        if not self.units or not self.software:
            return None
        units = self.units["object", "linear"]
        ours = self.software["object", "pegasus"]
        gain = ours["slope_us"] - units["slope_us"]
        return max(0.0, (units["setup_us"] + more_us - ours["setup_us"]) / gain) if gain > 0 else None


def per_byte(family: dict) -> float:
    """Nanoseconds for each byte, of a family whose sizes count words."""
    return 1000 * family["slope_us"] / WORD_BYTES


def listed(found: dict | None) -> list[dict]:
    """The families of a run; none without a run."""
    return [] if found is None else found["copies"]


def figure8(results: Results) -> Item:
    """Figure 8: setup and slope of the four families, with the linear and the hashed map and by our software."""
    curves = Copies(results)
    columns = ["figure", "graph", "by", "setup, µs", "paper's setup", "with the paper's system costs, µs"]
    columns += ["slope, µs per word or element", "ns per byte", "paper's ns per byte or µs", "instructions, setup"]
    columns += ["instructions per word or element"]
    rows: list[list[Cell]] = []
    panels = []
    for family, (number, graph, size) in FAMILIES.items():
        series: dict[str, list[tuple[float | str, float | None]]] = {}
        for which in ("linear", "hashed"):
            if (one := curves.units.get((family, which))) is not None:
                rows.append(row(results, family, which, one))
                series[f"NMA, {which}"] = points(one)
        for copier in COPIERS:
            for source in (curves.software, curves.from_memory):
                if (one := source.get((family, copier))) is not None:
                    rows.append(row(results, family, copier, one))
                    if copier != MASKS:
                        series[f"{COPIERS[copier]}, {SOURCES[one['from']]}"] = points(one)
        x = size if size == "elements" else f"{size} of {WORD_BYTES} bytes"
        sizes = {n for curve in series.values() for n, _ in curve}
        panels.append(Panel(f"({number[1]}) {graph}", x, "time of a copy, µs", series, logarithmic="xy",
                            paper=paper_lines(results, family, sizes)))  # fmt: skip
    return Item(
        "figure 8",
        "Copies of single graphs",
        columns,
        rows,
        sentences_of(results, curves) if curves.units else [],
        panels,
    )


SOURCES = {"cache": "from the L2", "memory": "from memory"}
MASKS = "masks"  # what a look-up of each word's mask costs, by a copier of the program alone; not drawn
COPIERS = {"pegasus": "Pegasus", MASKS: "masks", "message_passing": "message passing"}
# Where the paper's text has a value of a curve: its setup and its slope.
PAPER_HAS = {
    ("object", "linear"): ("object_setup", "object_slope"),
    ("array", "linear"): ("array_setup", "array_slope"),
    ("list", "hashed"): ("", "list_element"),
    ("object", "pegasus"): ("software_object_setup", "software_object_slope"),
    ("array", "pegasus"): ("software_array_setup", "software_array_slope"),
}


def paper_lines(results: Results, family: str, sizes: set[float]) -> dict[str, list[tuple[float, float]]]:
    """Setup and slope that the paper's text states, as curves over our sizes; without its operating system."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for (of, by), (setup, slope) in PAPER_HAS.items():
        if of != family:
            continue
        name = f"the paper: {COPIERS.get(by) or f'NMA, {by}'}"
        if family == "list":
            lines[name] = [(n, n * results.paper[slope].low) for n in sorted(sizes) if n >= LONG]
            continue
        start, each = results.paper[setup].low, results.paper[slope]
        ends = [("", each.low)] if each.low == each.high else [(", least", each.low), (", most", each.high)]
        for word, ns in ends:
            lines[name + word] = [(n, start + n * WORD_BYTES * ns / 1000) for n in sorted(sizes)]
    return {name: points for name, points in lines.items() if points}


def row(results: Results, family: str, by: str, one: dict) -> list[Cell]:
    """One family in one way. The costs of the paper's operating system apply to a command to the NMA."""
    number, graph, size = FAMILIES[family]
    by_unit = "map" in one
    setup, slope = (str(results.paper[name]) if name else "" for name in PAPER_HAS.get((family, by), ("", "")))
    cells: list[Cell] = [number, graph, f"NMA, {by}" if by_unit else f"software, {by}, {SOURCES[one['from']]}"]
    # Where the search in a map bends the curve, the line through the largest sizes does not yield the setup.
    straight = size == "words"
    cells += [rounded(one["setup_us"]) if straight else None, setup]
    cells.append(rounded(one["setup_us"] + results.paper["system_costs"].low) if by_unit and straight else None)
    cells += [rounded(one["slope_us"]), rounded(per_byte(one)) if straight else None, slope]
    count = one.get("setup_instructions") if straight else None
    return [*cells, rounded(count, 4), rounded(one.get("slope_instructions"), 4)]


def sentences_of(results: Results, curves: Copies) -> list[str]:
    """Differences from the paper's curves."""
    paper = results.paper
    word, array = (per_byte(curves.units[family, "linear"]) for family in ("object", "array"))
    inside = paper["object_slope"].low <= word <= paper["object_slope"].high
    sentences = [
        f"A byte of an object costs {word:.1f} ns, {'inside' if inside else 'outside'} of the paper's "
        f"{paper['object_slope']}. Calibrated. A word is {WORD_BYTES} bytes here and {PAPER_WORD_BYTES} there.",
        f"A byte of an array costs {array:.2f} ns, {100 * (array / paper['array_slope'].low - 1):+.0f} % relative to "
        f"the paper: {PAPER_WORD_BYTES} bytes are read and {PAPER_WORD_BYTES} written, each in one cycle of the port. "
        "Calibrated.",
    ]
    for source in (curves.software, curves.from_memory):
        if (one := source.get(("array", "pegasus"))) is not None:
            theirs = per_byte(one)
            sentences.append(
                f"Our software (Pegasus) takes {theirs:.1f} ns for a byte of an array {SOURCES[one['from']]}, "
                f"{theirs / array:.1f} times as long as the NMA; in the paper {paper['software_array_slope']}, "
                f"{paper['software_over_nma_array'].low:g} times."
            )
    for family in ("list", "objects"):
        crossed = curves.crossing(family)
        where = f"between {crossed[0]:g} and {crossed[1]:g}" if crossed else "nowhere in the measured range"
        sentences.append(f"Linear and hashed map cross {where} elements ({FAMILIES[family][1]}); in the paper at 64.")
    least, most = curves.flatness("list")
    theirs = paper["list_element"].low
    sentences.append(
        f"With the hashed map and 64 or more elements, an element of a list costs {least:.2f} to {most:.2f} µs, in the "
        f"paper {theirs:g}: "
        + ("less, since" if most < theirs else "more, although")
        + " a type's record is one access here instead of a chain through vtable and type information, and header, "
        "transition words and fields arrive in one burst."
    )
    return sentences + software_sentences(results, curves) + system.sentences(results)


def masks_sentence(pegasus: dict, masks: dict) -> str:
    """What of a byte's time a look-up of each word's mask explains."""
    return (
        f"Pegasus copies all words of an object in one loop, {per_byte(pegasus):.1f} ns a byte. A copier that looks up "
        f"each word's mask, as the NMA does, takes {per_byte(masks):.1f} ns and {masks['slope_instructions']:.0f} "
        f"instructions a word of {WORD_BYTES} bytes. This copier checks neither pointers nor types, and knows the "
        "number of objects before it begins, so its other costs are no baseline."
    )


def software_sentences(results: Results, curves: Copies) -> list[str]:
    """Comparison of Pegasus with the accelerators, on one object."""
    wins = curves.software_wins_below()
    if wins is None:
        return []
    paper = results.paper
    one = curves.software["object", "pegasus"]
    with_system = curves.software_wins_below(paper["system_costs"].low)
    looks_up = curves.software.get(("object", MASKS))
    return [
        *([] if looks_up is None else [masks_sentence(one, looks_up)]),
        f"Our software (Pegasus) takes {one['setup_us']:.1f} µs and {one['setup_instructions']:.0f} "
        "instructions for an "
        f"object in the L2, and {per_byte(one):.1f} ns for each of its bytes; in the paper "
        f"{paper['software_object_setup']} and {paper['software_object_slope']}. "
        + (
            "So it is never faster than the NMA without an operating system; "
            if wins == 0
            else f"So it is faster than the NMA below {wins:.0f} words; "
        )
        + f"in the paper below {paper['software_wins_with_system'].low:g}, where {paper['system_costs']} of a copy "
        "by the NMA are spent in the operating system. With these added to our NMA's time, measured without a "
        f"system, software would be faster below {with_system:.0f} words.",
    ]
