"""area: figure 7 of CNI: what each part of the interface adds to a cache controller, from the hardware in rtl/cni.

As in the figure, LUTs and flip-flops count, and arrays do not: LUTs that are memory, block RAM. A kind of line is what
the event responses take with it, without those for command buffers alone. The paper's cache controller is not
published, so the claims compare the parts with each other. The shares in the picture are of another controller, which
reference/cni_claims.csv names (`controller`).
"""

from tessera.papers.cni.measures import Results
from tessera.reproduce import hardware
from tessera.reproduce.checks import Found, Measure
from tessera.reproduce.items import Item, Panel, percent, rounded

ALONE = "CNI: responses, command buffers only"
BARELY = "CNI: alignment of data, without shifter"
# The parts of the interface with RDMA of aligned words: the circuit, and what is taken off.
INTERFACE = {
    "command buffers": (ALONE, ""),
    "list of jobs": ("CNI: list of jobs", ""),
    "RDMA: packets": ("CNI: copies in packets", ""),
    "RDMA: aligned words": (BARELY, ""),
    "acknowledgements": ("CNI: acknowledgements", ""),
}
ON_TOP = {
    "counters": ("CNI: responses, and counters", ALONE),
    "single-reader queues": ("CNI: responses, and single-reader queues", ALONE),
    "multiple-reader queues": ("CNI: responses, and multiple-reader queues", ALONE),
    "barrel shifter": ("CNI: alignment of data", BARELY),
    "combining buffer": ("CNI: combining buffer", ""),
    "region table": ("CNI: region table", ""),
}
# The parts on top of the interface that the paper has, and the interface: the claim of each.
CLAIMS = {"interface": "area_interface", "counters": "area_counters", "single-reader queues": "area_sr_queue",
          "multiple-reader queues": "area_mr_queue", "barrel shifter": "area_shifter",
          "combining buffer": "area_combining"}  # fmt: skip


def cells(area: hardware.Area) -> float:
    """LUTs and flip-flops without arrays."""
    return area["LUT"] - area["memory LUT"] + area["FF"]


def parts(results: Results) -> dict[str, float]:
    """LUTs and flip-flops of each part, and of the interface with all its own; empty without a run."""
    found = hardware.areas(results, "figure 7")
    if not found:
        return {}
    each = {name: cells(found[circuit]) - (cells(found[less]) if less else 0)
            for name, (circuit, less) in (INTERFACE | ON_TOP).items()}  # fmt: skip
    return {"interface": sum(each[name] for name in INTERFACE)} | each


def figure7(results: Results) -> Item:
    """Figure 7: area."""
    controller = results.paper["controller"].low
    found = parts(results)
    rows = []
    for name, count in found.items():
        claim = results.paper[CLAIMS[name]] if name in CLAIMS else None
        beside = 100 * count / five(found) if name in CLAIMS else None
        rows.append([name, count, percent(count / controller), rounded(beside), claim and claim.high])
    sentences = [
        "LUTs and flip-flops without arrays, on a Virtex-7 by yosys; share: of a cache controller. The paper's, a "
        "Virtex-5, is not published; here it is NEMESYS' L2 controller. The interface is the sum of the five parts "
        "below it, with RDMA of aligned words; the others come on top. All kinds of lines together take less than the "
        "sum, as they share their circuits. Beside: the part beside the five parts on top that the paper has; "
        "its interface is less than that."
    ]
    if not found:
        sentences.append(hardware.not_measured(results))
    columns = ["part", "LUTs and flip-flops", "%", "beside: %", "paper: beside, %"]
    panels = []
    if found:
        paper = {"paper: CNI": [(row[0], row[4]) for row in rows if row[4] is not None]}
        ours = {"CNI": [(row[0], row[3]) for row in rows if row[3] is not None]}
        panels = [Panel("area of each part", "part", "% of the five parts on top", ours, paper=paper)]
    return Item("figure 7", "Area of the network interface", columns, rows, sentences, panels)


def five(found: dict[str, float]) -> float:
    """LUTs and flip-flops of the parts on top that the paper has."""
    return sum(found[name] for name in CLAIMS if name in ON_TOP)


def share(name: str) -> Measure:
    """A part beside the five parts on top of the interface, in per cent."""

    def measure(results: Results) -> Found | None:
        found = parts(results)
        if not found:
            return None
        of_controller = 100 * found[name] / results.paper["controller"].low
        return Found(100 * found[name] / five(found),
                     f"{found[name]:.0f} LUTs and flip-flops, {of_controller:.1f} % of NEMESYS' L2")  # fmt: skip

    return measure


MEASURES: dict[str, Measure] = {claim: share(name) for name, claim in CLAIMS.items()}
