"""shares: what each part of CNI's interface adds, as figure 7 of the paper has it, from the measured area.

  ./tess rtl area cni && python3 tools/rtl/shares.py

Reads build/rtl/area.json and writes rtl/cni/diagrams/shares.json, which tools/rtl/diagrams.py draws. As in the figure,
LUTs and flip-flops count, and arrays do not: LUTs that are memory, block RAM. A kind of line is what the event
responses take with it, without those for command buffers alone. The cache controller is that of NEMESYS, table 3, as
the paper's own is not published: its LUTs and registers.
"""

import json
import sys

from units import BUILD, RTL

CONTROLLER = 6092 + 8898
ALONE = "CNI: responses, command buffers only"
BARELY = "CNI: alignment of data, without shifter"
# What is written, what counts, and what is taken off.
PARTS = [
    ("command buffers", ALONE, ""),
    ("list of jobs", "CNI: list of jobs", ""),
    ("RDMA: packets", "CNI: copies in packets", ""),
    ("RDMA: aligned words", BARELY, ""),
    ("acknowledgements", "CNI: acknowledgements", ""),
    ("counters", "CNI: responses, and counters", ALONE),
    ("single-reader queues", "CNI: responses, and single-reader queues", ALONE),
    ("multiple-reader queues", "CNI: responses, and multiple-reader queues", ALONE),
    ("barrel shifter", "CNI: alignment of data", BARELY),
    ("combining buffer", "CNI: combining buffer", ""),
    ("region table", "CNI: region table", ""),
]
BASE = 5  # so many of them are the interface with RDMA of aligned words


def cells(rows: list[dict], name: str) -> int:
    """LUTs and flip-flops without arrays."""
    row = next((row for row in rows if row["name"] == name), None)
    if row is None or "LUT" not in row:
        raise SystemExit(f"no area of “{name}”: first type ./tess rtl area cni")
    return int(row["LUT"] - row["memory LUT"] + row["FF"])


def share(value: int) -> str:
    return f"{value} ({100 * value / CONTROLLER:.1f} %)"


def main() -> int:
    rows = json.loads((BUILD / "area.json").read_text(encoding="utf-8"))
    values = [cells(rows, name) - (cells(rows, less) if less else 0) for _, name, less in PARTS]
    bars = [{"name": "interface, aligned RDMA", "value": sum(values[:BASE]), "text": share(sum(values[:BASE]))}]
    named = zip(PARTS, values, strict=True)
    bars += [{"name": part[0], "value": value, "text": share(value)} for part, value in named]
    drawing = {
        "title": "LUTs and flip-flops of the parts of CNI's interface",
        "unit": "LUTs and flip-flops, and their share of a cache controller",
        "bars": bars,
    }
    text = json.dumps(drawing, indent=1, ensure_ascii=False) + "\n"
    (RTL / "cni" / "diagrams" / "shares.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
