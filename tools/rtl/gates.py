"""gates: what a unit costs on a chip: cells of a published standard-cell library, by yosys, beside its memories.

The library is that of Oklahoma State University for 0.18 um, with 32 kinds of cells. Debian's package qflow-tech-osu018
has it; only its one file is used, so the package is fetched and unpacked beside the build, not installed with all that
it depends on. Units: an area is in gate equivalents, the area of a NAND with two inputs. Wires are not counted.

A memory of more than WORDS_MAX words with at most PORTS_MAX read ports stays whole, as a macro would be, if all of its
read ports have a clock, which is so if a register takes what they read: its bytes stand in a column of their own, and
that register is in it. All others are flip-flops with their multiplexers: no macro gives a word in the cycle in which
it is asked for.
"""

import json
import re
import subprocess
from pathlib import Path

import programs
from units import BUILD, Run, Unit

FAMILY = "osu018"
PACKAGE = "qflow-tech-osu018"
VERSION = "1.3.17+dfsg.1-3"
UNIT_CELL = "NAND2X1"
FLIP_FLOP = re.compile(r"DFF\w+")
WORDS_MAX, PORTS_MAX = 8, 2
# Few words, many read ports, or one without a clock: one bit of RD_CLK_ENABLE for each port.
UNCLOCKED = " ".join(f"r:RD_PORTS={ports} r:RD_CLK_ENABLE<{2**ports - 1} %i %u" for ports in range(1, PORTS_MAX + 1))
NOT_WHOLE = f"r:SIZE<={WORDS_MAX} r:RD_PORTS>{PORTS_MAX} %u {UNCLOCKED} t:$mem_v2 %i"


def library() -> Path:
    """The library's file, fetched once."""
    folder = BUILD / "osu018"
    file = folder / "usr" / "share" / "qflow" / "tech" / "osu018" / "osu018_stdcells.lib"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        command = f"apt-get download {PACKAGE}={VERSION} && dpkg-deb -x {PACKAGE}_*.deb ."
        done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
        if not file.is_file():
            raise programs.Failed(
                f"the cell library could not be fetched: {done.stderr.strip()}\nfetch Debian's package {PACKAGE} "
                f"{VERSION} and unpack it in {folder}: {command}"
            )
    return file


def unit_area(text: str) -> float:
    """The area of the cell that is one gate, in the library's unit."""
    found = re.search(rf"cell \({UNIT_CELL}\) {{.*?area : ([\d.]+);", text, re.DOTALL)
    if found is None:
        raise programs.Failed(f"the library has no {UNIT_CELL}")
    return float(found[1])


def measure(unit: Unit, top: Run, folder: Path) -> dict[str, object]:
    """Gate equivalents, those in flip-flops, numbers of cells and flip-flops, and bytes of memories that stay whole."""
    text = library().read_text(encoding="utf-8")
    (folder / "cells.lib").write_text(text, encoding="utf-8")
    name = f"{top.module}-{FAMILY}"
    script = programs.read_sources(unit.sources(), top.module, top.parameters[0], folder)
    script += f"synth -flatten -run begin:fine -top {top.module}\n"
    script += f"memory_map {NOT_WHOLE}\n"
    script += f"select t:$mem_v2\nwrite_json -selected {name}-memories.json\nselect -clear\n"
    script += "opt -full\ntechmap\nopt\ndfflibmap -liberty cells.lib\n"
    script += f"abc -liberty cells.lib\nopt_clean\ntee -q -o {name}.json stat -json -liberty cells.lib\n"
    programs.yosys(script, folder, log=folder / f"{name}.log")
    found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["modules"][f"\\{top.module}"]
    kept = json.loads((folder / f"{name}-memories.json").read_text(encoding="utf-8"))["modules"]
    return counts(found["num_cells_by_type"], text) | {"bytes": whole_bytes(kept)}


def whole_bytes(modules: dict[str, dict]) -> float:
    """Bytes of all memories of a netlist."""
    cells = [cell["parameters"] for module in modules.values() for cell in module["cells"].values()]
    return sum(int(it["SIZE"], 2) * int(it["WIDTH"], 2) / 8 for it in cells)


def counts(cells: dict[str, int], text: str) -> dict[str, object]:
    """The same of cells by kind, with the library's text."""
    areas = {kind: float(area) for kind, area in re.findall(r"cell \((\w+)\) {.*?area : ([\d.]+);", text, re.DOTALL)
             if float(area) > 0}  # fmt: skip
    known = {kind: count for kind, count in cells.items() if kind in areas}
    other = {kind for kind in cells if kind not in areas and not kind.startswith(("$mem", "$scopeinfo"))}
    if other:
        raise programs.Failed(f"not in the library: {', '.join(sorted(other))}")
    one = unit_area(text)
    flip_flops = {kind: count for kind, count in known.items() if FLIP_FLOP.fullmatch(kind)}
    return {
        "gates": round(sum(areas[kind] * count for kind, count in known.items()) / one),
        "of flip-flops": round(sum(areas[kind] * count for kind, count in flip_flops.items()) / one),
        "cells": sum(known.values()),
        "FF": sum(flip_flops.values()),
    }
