"""micro: table 2 by probes, and figure 8: what copies of single graphs take, by the units and by our software."""

from nemesys.items import Cell, Item, Known, Panel, rounded
from nemesys.measures import mean
from nemesys.paper import Claim
from nemesys.plan import copies, probes

FAMILIES = {
    "object": ("8a", "one object", "words"),
    "array": ("8b", "one array", "words"),
    "list": ("8c", "a list", "elements"),
    "objects": ("8d", "an array of objects", "elements"),
}
WORD_BYTES, PAPER_WORD_BYTES = 8, 4


def table2(known: Known) -> Item:
    """Parameters, as a program on a tile finds them."""
    whole, *far = probes()
    found = known.results.json(whole)
    rows: list[list[Cell]] = []
    sentences = []
    if found is not None:
        latencies = [one["memory_cycles"] for run in far if (one := known.results.json(run)) is not None]
        measured = found | {"memory_cycles": mean(latencies or [found["memory_cycles"]])}
        stream = Copies(known).units.get(("array", "linear"))
        # The NMA reads and writes a word of a long array in two cycles.
        measured["memory_mhz"] = 2 / stream["slope_us"] if stream else None
        for name in (
            "l1_instruction_bytes",
            "l1_data_bytes",
            "l1_data_line_bytes",
            "l2_bytes",
            "l2_line_bytes",
            "tlm_bytes",
            "tile_mhz",
            "memory_mhz",
            "l1_cycles",
            "l2_cycles",
            "tlm_cycles",
            "memory_cycles",
        ):
            rows.append([name, known.paper[name].low, rounded(measured[name], 7), known.paper[name].unit])
        rows = [row for row in rows if row[2] is not None]
        sentences = [parameter(name, known.paper[name], ours) for name, _, ours, _ in rows]
        spread = f", from {min(latencies):.0f} to {max(latencies):.0f}" if len(latencies) > 1 else ""
        sentences.append(
            f"The L2 miss is the mean of {max(len(latencies), 1)} tiles{spread}: each link to the memory tile costs. "
            "The clock of memory and NMA follows from what the NMA takes for a word of a long array, at two cycles."
        )
    return Item(
        "table 2", "Parameters of the platform, measured by probes", ["parameter", "paper", "ours", "unit"], rows,
        [sentence for sentence in sentences if sentence],
    )  # fmt: skip


def parameter(name: str, paper: Claim, ours: float) -> str:
    """Nothing to say where it is the paper's, up to what a probe can tell."""
    off = ours / paper.low - 1
    return "" if abs(off) <= 0.1 else f"{name}: {100 * off:+.0f} % beside the paper's."


def points(of: dict, column: int = 1) -> list[tuple[float, float]]:
    """Size and time."""
    return [(point[0], point[column]) for point in of["us"]]


def crossing(linear: list[tuple[float, float]], hashed: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Between which sizes the hashed map becomes the faster one, for good."""
    slower = [size for (size, us), (_, other) in zip(linear, hashed, strict=True) if us <= other]
    faster = [size for (size, us), (_, other) in zip(linear, hashed, strict=True) if us > other]
    return (max(slower), min(faster)) if slower and faster and max(slower) < min(faster) else None


class Copies:
    """The curves of figure 8."""

    def __init__(self, known: Known) -> None:
        units, software = copies()
        self.units = {(one["family"], one["map"]): one for one in listed(known.results.json(units))}
        self.software = {(one["family"], one["copier"]): one for one in listed(known.results.json(software))}

    def crossing(self, family: str) -> tuple[float, float] | None:
        """Of linear and hashed, in sizes of the family."""
        if not self.units:
            return None
        return crossing(points(self.units[family, "linear"]), points(self.units[family, "hashed"]))

    def flatness(self, family: str) -> tuple[float, float] | None:
        """Microseconds for an element by the hashed map from 64 on: least and most."""
        if not self.units:
            return None
        each = [us / size for size, us in points(self.units[family, "hashed"]) if size >= 64]
        return min(each), max(each)

    def software_wins_below(self, more_us: float = 0.0) -> float | None:
        """Words of an object below which our software is the faster one; `more_us`: what the units' side takes more."""
        if not self.units or not self.software:
            return None
        units = self.units["object", "linear"]
        ours = self.software["object", "pegasus"]
        gain = ours["slope_us"] - units["slope_us"]
        return max(0.0, (units["setup_us"] + more_us - ours["setup_us"]) / gain) if gain > 0 else None


def listed(found: dict | None) -> list[dict]:
    """The families of a run, if there was one."""
    return [] if found is None else found["copies"]


def figure8(known: Known) -> Item:
    """The four families: setup and slope, linear and hashed, and our software beside them."""
    of = Copies(known)
    columns = ["figure", "graph", "by", "setup, µs", "paper's setup", "with the paper's system costs, µs"]
    columns += ["slope, µs per word or element", "ns per byte", "paper's slope", "instructions, setup"]
    columns += ["instructions per word or element"]
    rows: list[list[Cell]] = []
    panels = []
    for family, (number, graph, size) in FAMILIES.items():
        series: dict[str, list[tuple[float | str, float | None]]] = {}
        for which in ("linear", "hashed"):
            if (one := of.units.get((family, which))) is not None:
                rows.append(row(known, family, which, one))
                series[f"NMA, {which}"] = points(one)
        for copier in ("pegasus", "message_passing"):
            if (one := of.software.get((family, copier))) is not None:
                rows.append(row(known, family, copier, one))
                series[f"our software, {copier}"] = points(one)
        panels.append(Panel(f"({number[1]}) {graph}", size, "µs", series, logarithmic="xy"))
    return Item(
        "figure 8", "Copies of single graphs", columns, rows, sentences_of(known, of) if of.units else [], panels
    )


# Where the paper's text has a value of a curve: its setup and its slope.
PAPER_HAS = {
    ("object", "linear"): ("object_setup", "object_slope"),
    ("array", "linear"): ("", "array_slope"),
    ("list", "hashed"): ("", "list_element"),
    ("object", "pegasus"): ("software_object_setup", "software_object_slope"),
    ("array", "pegasus"): ("software_array_setup", "software_array_slope"),
}


def row(known: Known, family: str, by: str, one: dict) -> list[Cell]:
    """A family in one way. The costs of the paper's operating system belong to a command to the NMA."""
    number, graph, size = FAMILIES[family]
    by_unit = "map" in one
    setup, slope = (str(known.paper[name]) if name else "" for name in PAPER_HAS.get((family, by), ("", "")))
    cells: list[Cell] = [number, graph, f"NMA, {by}" if by_unit else f"software, {by}"]
    # The line through the longest ones tells no setup where a map's search makes the curve bend.
    straight = size == "words"
    cells += [rounded(one["setup_us"]) if straight else None, setup]
    cells.append(rounded(one["setup_us"] + known.paper["system_costs"].low) if by_unit and straight else None)
    cells += [rounded(one["slope_us"]), rounded(1000 * one["slope_us"] / WORD_BYTES) if straight else None, slope]
    count = one.get("setup_instructions") if straight else None
    return [*cells, rounded(count, 4), rounded(one.get("slope_instructions"), 4)]


def sentences_of(known: Known, of: Copies) -> list[str]:
    """What differs from the paper's curves."""
    paper = known.paper
    word = of.units["object", "linear"]["slope_us"]
    inside = paper["object_slope"].low <= word <= paper["object_slope"].high
    array = of.units["array", "linear"]["slope_us"]
    sentences = [
        f"A word of an object costs {word:.3f} µs, {'inside' if inside else 'OUTSIDE'} of the paper's "
        f"{paper['object_slope']}; but a word is {WORD_BYTES} bytes here and {PAPER_WORD_BYTES} there, so a byte costs "
        f"{1000 * word / WORD_BYTES:.1f} ns against {1000 * paper['object_slope'].low / PAPER_WORD_BYTES:.0f} to "
        f"{1000 * paper['object_slope'].high / PAPER_WORD_BYTES:.0f}. This slope is calibrated.",
        f"A word of an array costs {array:.4f} µs, {100 * (array / paper['array_slope'].low - 1):+.0f} % beside the "
        "paper's: one word in and one out each cycle of the port. Calibrated.",
    ]
    for family in ("list", "objects"):
        crossed = of.crossing(family)
        where = f"between {crossed[0]:g} and {crossed[1]:g}" if crossed else "nowhere in what was measured"
        sentences.append(f"Linear and hashed map cross {where} elements ({FAMILIES[family][1]}), the paper's at 64.")
    least, most = of.flatness("list")
    theirs = paper["list_element"].low
    sentences.append(
        f"An element of a list costs {least:.2f} to {most:.2f} µs by the hashed map from 64 on, {theirs:g} in "
        "the paper: "
        + ("less, since" if most < theirs else "more, although")
        + " a type's record is one access here in place of a chain from the object by its vtable and type information, "
        "and header, transition words and fields come in one burst."
    )
    return sentences + software_sentences(known, of)


def software_sentences(known: Known, of: Copies) -> list[str]:
    """Pegasus beside the units, on one object."""
    wins = of.software_wins_below()
    if wins is None:
        return []
    paper = known.paper
    one = of.software["object", "pegasus"]
    with_system = of.software_wins_below(paper["system_costs"].low)
    return [
        f"Our software (Pegasus) takes {one['setup_us']:.1f} µs and {one['setup_instructions']:.0f} "
        "instructions for an "
        f"object and {one['slope_us']:.3f} µs and {one['slope_instructions']:.1f} instructions for each of "
        "its words; the "
        f"paper's {paper['software_object_setup']} and {paper['software_object_slope']}. "
        + (
            "So it never wins against the NMA without an operating system: "
            if wins == 0
            else f"So it wins against the NMA below {wins:.0f} words: "
        )
        + f"in the paper it does below {paper['software_wins_below'].low:g}, where {paper['system_costs']} of a "
        "copy by "
        f"the NMA are their operating system's. With these added to our NMA's side (a hypothetical column: we have no "
        f"such system) it would win below {with_system:.0f} words.",
    ]
