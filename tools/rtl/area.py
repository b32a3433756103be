"""area: what a unit costs on an FPGA of Xilinx by yosys, in total and by module, beside the papers' figures.

A row with a name is a [[top]] with `area`, flattened, as a tool of the vendor would do it. The rows below it are its
modules with the hierarchy kept, each without the modules inside it, so their sum is a little more. Units: LUTs of six
inputs, and among them those that are memory; memories in block RAM count 1 for 36 Kbit. Bytes and comparators do not
depend on the family: all bits of memories, and comparisons for equality of two variables of 8 bits or more.

The family osu018 is a chip's instead: cells of Oklahoma State University's library for 0.18 um (gates.py).
"""

import json
import re
from pathlib import Path

import gates
import programs
from units import BUILD, Run, Unit, words_of

FAMILIES = ("xc7", "xc6v", "xc5v", gates.FAMILY)
# LUTs that a cell of distributed memory takes.
LUTS_OF_MEMORY = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1S": 4}
COMPARATOR_BITS = 8

Counts = dict[str, float]


def resources(cells: dict[str, int]) -> Counts:
    """Sums cells of Xilinx by kind."""
    found: Counts = {"LUT": 0, "memory LUT": 0, "FF": 0, "MUX": 0, "BRAM": 0, "DSP": 0}
    for cell, count in cells.items():
        if re.fullmatch(r"LUT\d|INV|SRL\w+", cell):
            found["LUT"] += count
        elif cell in LUTS_OF_MEMORY:
            found["LUT"] += LUTS_OF_MEMORY[cell] * count
            found["memory LUT"] += LUTS_OF_MEMORY[cell] * count
        elif cell.startswith(("FD", "LD")):
            found["FF"] += count
        elif cell.startswith("MUXF"):
            found["MUX"] += count
        elif cell.startswith(("RAMB36", "FIFO36")):
            found["BRAM"] += count
        elif cell.startswith(("RAMB18", "FIFO18")):
            found["BRAM"] += count / 2
        elif cell.startswith("DSP48"):
            found["DSP"] += count
        elif not cell.startswith(("CARRY", "BUF", "GND", "VCC", "$scopeinfo")) and cell.isupper():
            raise programs.Failed(f"what is a {cell}? tools/rtl/area.py does not count it")
    return found


def synthesize(unit: Unit, top: Run, family: str, folder: Path, *, flat: bool) -> dict[str, dict[str, int]]:
    """Cells by module, each without its submodules."""
    name = f"{top.module}-{family}-{'flat' if flat else 'parts'}"
    script = programs.read_sources(unit.sources(), top.module, top.parameters[0], folder, parts=not flat)
    script += f"synth_xilinx -family {family} -top {top.module} -noiopad\n"
    script += f"tee -q -o {name}.json stat -json\n"
    programs.yosys(script, folder, log=folder / f"{name}.log")
    modules = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["modules"]
    return {module.lstrip("\\"): found["num_cells_by_type"] for module, found in modules.items()}


def is_comparator(cell: dict) -> bool:
    """Whether it compares two variables, rather than one with a constant."""
    sides = [sum(isinstance(bit, int) for bit in cell["connections"][port]) for port in ("A", "B")]
    return min(sides) >= COMPARATOR_BITS


def structure(unit: Unit, top: Run, folder: Path) -> dict[str, float | Counts]:
    """Bytes of all memories and of each, and comparators, before any family is chosen."""
    script = programs.read_sources(unit.sources(), top.module, top.parameters[0], folder)
    script += f"prep -flatten -top {top.module}\nwrite_json {top.module}.json\n"
    programs.yosys(script, folder)
    cells = json.loads((folder / f"{top.module}.json").read_text(encoding="utf-8"))["modules"][top.module]["cells"]
    kept = {name: cell["parameters"] for name, cell in cells.items() if cell["type"] == "$mem_v2"}
    memories = {name.lstrip("\\"): int(it["SIZE"], 2) * int(it["WIDTH"], 2) / 8 for name, it in kept.items()}
    comparators = sum(cell["type"] in ("$eq", "$eqx") and is_comparator(cell) for cell in cells.values())
    return {"bytes": sum(memories.values()), "comparators": comparators, "memories": memories}


def module_name(text: str) -> str:
    """A module and its place in the top; yosys calls it `module$top.place`."""
    module, _, place = text.partition("$")
    return f"{module} ({place.partition('.')[2]})" if "." in place else module


def measure(unit: Unit, families: list[str], *, parts: bool) -> list[dict[str, object]]:
    """Rows of the unit's tops that have an `area`."""
    folder = BUILD / unit.name / "area"
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    for top in unit.tops:
        if not top.area:
            continue
        about = {"unit": unit.name, "name": top.area, "parameters": words_of(top.parameters[0])}
        for family in families:
            row = {**about, "family": family}
            try:
                if family == gates.FAMILY:
                    rows.append(row | gates.measure(unit, top, folder))
                    continue
                cells = synthesize(unit, top, family, folder, flat=True)
                total = resources(cells[top.module])
                row |= {**total, **structure(unit, top, folder)}
                for kind, figure in top.paper.items():
                    row |= {"paper": f"{figure:g} {kind}", "ratio": round(total[kind] / figure, 2)}
                    break
                rows.append(row)
                modules = synthesize(unit, top, family, folder, flat=False) if parts else {}
                for module, found in modules.items() if len(modules) > 1 else ():
                    part = {"unit": unit.name, "name": f"  {module_name(module)}", "family": family}
                    rows.append({**part, **resources(found)})
            except programs.Failed as failure:
                rows.append({**row, "result": "failed", "text": str(failure)[-3000:]})
    return rows
