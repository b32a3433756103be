"""area: table 3 of NEMESYS: LUTs and registers of its units, from the hardware in rtl/nma and rtl/nca.

Both are counted on a Virtex-7, the paper's by the vendor's tools and ours by yosys. The paper counts each unit alone,
and so do these circuits. Words and addresses have 64 bits here and 32 there.
"""

from tessera.papers.nemesys.measures import Results
from tessera.papers.nemesys.plan import AREA
from tessera.reproduce import hardware
from tessera.reproduce.checks import Measure
from tessera.reproduce.items import Cell, Item, ratio, rounded

# The circuit of each claim, and what is taken off: the paper's row of the hashed map is what it adds, too. The whole
# NMA has a FIFO of requests without the trigger, which stands beside it.
COPY, FIFO, QUEUE = "NMA: graph copy, linear map", "NMA: FIFO of requests", "NMA: FIFO and trigger"
CIRCUITS: dict[str, tuple[str, ...]] = {
    "graph_copy": (COPY,),
    "hash_map": ("NMA, all", COPY, FIFO),
    "request_queue": (QUEUE,),
    "graph_writeback": ("NCA: graph write-back",),
    "range_operations": ("NCA: range operations",),
}
TITLES = {"hash_map": "NMA: added by the hashed map"}
RESOURCES = {"luts": "LUT", "registers": "FF"}


def areas(results: Results) -> dict[str, hardware.Area]:
    """LUTs, registers and block RAMs by claim; empty without a run."""
    found = hardware.areas(results, AREA)
    made = {}
    for claim, circuits in CIRCUITS.items():
        if all(circuit in found for circuit in circuits):
            whole, *less = (found[circuit] for circuit in circuits)
            made[claim] = {kind: whole[kind] - sum(one[kind] for one in less) for kind in ("LUT", "FF", "BRAM")}
    return made


def resource(claim: str, kind: str) -> Measure:
    """LUTs or registers of a circuit."""

    def measure(results: Results) -> float | None:
        found = areas(results).get(claim)
        return found and found[kind]

    return measure


def table3(results: Results) -> Item:
    """Table 3: resources."""
    rows: list[list[Cell]] = []
    for claim, found in areas(results).items():
        row: list[Cell] = [TITLES.get(claim, CIRCUITS[claim][0])]
        for word, kind in RESOURCES.items():
            paper = results.paper[f"{claim}_{word}"].low
            row += [found[kind], round(paper), rounded(ratio(found[kind], paper))]
        rows.append([*row, found["BRAM"]])
    columns = ["unit", "LUTs", "paper: LUTs", "ours / paper"]
    columns += ["registers", "paper: registers", "ours / paper: registers", "block RAMs"]
    sentences = ["On a Virtex-7: the paper's by the vendor's tools, ours by yosys, which optimises less. Words and "
                 "addresses have 64 bits here and 32 in the paper."]  # fmt: skip
    if not rows:
        sentences.append(hardware.not_measured(results))
    return Item(AREA, "Area of the units", columns, rows, sentences)


MEASURES: dict[str, Measure] = {f"{claim}_{word}": resource(claim, kind)
                                for claim in CIRCUITS for word, kind in RESOURCES.items()}  # fmt: skip
