"""sweep_command: `python3 -m tessera.simulator.sweep_command`, which `tess sweep` runs: a sweep as a command.

Prints a table and writes it to a folder, as CSV, JSON and, where pyarrow and matplotlib are, Parquet and a picture.
Exit code 0 if all runs succeeded, 1 if one failed, 2 for wrong arguments, machines or input, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tessera.simulator import sweeps

FAILURES_MAX = 5  # that are shown
LOG_LINES = 6
TICKS_MAX = 12  # one for each value
TABLE_OF_RUN = re.compile(r"machine: (simulated time|instructions|hits|network load|DRAM load|bottleneck|here|\S+: ) *")


class WrongUse(Exception):
    """An argument is wrong."""


def split(text: str) -> list[str]:
    """The parts of a list, separated by commas that are not within brackets or quotation marks."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def value(text: str) -> Any:
    """A value as its text means it: a number, true or false, a list, or else a text."""
    text = text.strip()
    try:
        return int(text.replace("_", ""), 0)
    except ValueError:
        pass
    try:
        return json.loads(text)
    except ValueError:
        return text


def parameter(text: str) -> tuple[str, list[Any]]:
    """KEY=VALUE,VALUE as a name and its values."""
    name, equals, rest = text.partition("=")
    name = name.strip()
    values = [value(part) for part in split(rest)]
    if not name or not equals or "" in values:
        raise WrongUse(f'--set "{text}": expected KEY=VALUE,VALUE, as l2.ways=2,4')
    if len(values) != len({json.dumps(one) for one in values}):
        raise WrongUse(f'--set "{text}": a value is given twice; expected each once')
    return name, values


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tess sweep", description=__doc__)
    parser.add_argument("--machine", action="append", required=True)
    parser.add_argument("--set", action="append", default=[], dest="sets")
    parser.add_argument("--layouts", type=int, default=1)
    parser.add_argument("--statistic", action="append", default=[])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--output", type=Path, default=Path("sweep"))
    parser.add_argument("--cache", type=Path)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    return parser.parse_args(words)


def parameters_of(chosen: argparse.Namespace) -> dict[str, list[Any]]:
    """Values by the names of parameters."""
    parameters: dict[str, list[Any]] = {}
    for text in chosen.sets:
        name, values = parameter(text)
        if name in parameters:
            raise WrongUse(f"--set {name} is given twice; expected all its values in one")
        parameters[name] = values
    return parameters


def shown(cell: Any) -> str:
    """A cell of the table."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.6g}"
    return f"{cell:,}".replace(",", " ") if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as text."""
    cells = [list(rows[0]), *([shown(cell) for cell in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)


def write(rows: Sequence[dict[str, Any]], names: Sequence[str], facts: dict[str, Any], folder: Path) -> list[str]:
    """Writes the results: the names of the files, and what was left out for want of a package."""
    folder.mkdir(parents=True, exist_ok=True)
    # Lists, such as memory.tiles, are a text in tables.
    flat = [{key: json.dumps(cell) if isinstance(cell, list) else cell for key, cell in row.items()} for row in rows]
    with (folder / "sweep.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(flat)
    (folder / "sweep.json").write_text(json.dumps(facts | {"rows": list(rows)}, indent=1) + "\n", encoding="utf-8")
    written = ["sweep.csv", "sweep.json"]
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        written.append("no sweep.parquet, for there is no pyarrow")
    else:
        columns = {key: [row[key] for row in flat] for key in flat[0]}
        mixed = [key for key, cells in columns.items() if len({type(cell) for cell in cells if cell is not None}) > 1]
        for key in mixed:
            numbers = all(isinstance(cell, (int, float)) or cell is None for cell in columns[key])
            columns[key] = [cell if cell is None else (float if numbers else str)(cell) for cell in columns[key]]
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / "sweep.parquet")
        written.append("sweep.parquet")
    try:
        import matplotlib
    except ImportError:
        written.append("no sweep.svg, for there is no matplotlib")
    else:
        matplotlib.use("svg")
        draw(rows, names, folder / "sweep.svg")
        written.append("sweep.svg")
    return written


def draw(rows: Sequence[dict[str, Any]], names: Sequence[str], file: Path) -> None:
    """Draws cycles by the first parameter that varies, a curve for each combination of the others, with intervals."""
    from tessera import plot

    vary = [name for name in names if len({json.dumps(row[name]) for row in rows}) > 1] or list(names[:1])
    along, others = (vary[0], vary[1:]) if vary else ("", [])
    series: dict[str, list[tuple]] = {}
    ends: dict[str, list[tuple[float, float] | None]] = {}
    for row in rows:
        label = ", ".join(f"{name}={row[name]}" for name in others) or "cycles"
        series.setdefault(label, []).append((row[along] if along else "", row["cycles"]))
        low, high = row.get("cycles_low"), row.get("cycles_high")
        ends.setdefault(label, []).append(None if low is None else (low, high))
    numbers = [x for points in series.values() for x, _ in points]
    figure, grid = plot.panels(1, constrained=True)
    axes = grid[0]
    if all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in numbers):
        wide = min(numbers) > 0 and max(numbers) >= 4 * min(numbers)
        plot.draw_curves(axes, series, errors=ends, logarithmic="x" if wide else "")
        if len(set(numbers)) <= TICKS_MAX:
            axes.set_xticks(sorted(set(numbers)), [f"{x:g}" for x in sorted(set(numbers))], minor=False)
            axes.minorticks_off()
    else:
        texts = {label: [(str(x), y) for x, y in points] for label, points in series.items()}
        plot.draw_bars(axes, texts, errors=ends)
    tops = [high for pairs in ends.values() for _, high in filter(None, pairs)]
    axes.set_ylim(0, 1.08 * max([y for points in series.values() for _, y in points if y is not None] + tops))
    plot.finish(axes, x=along, y="cycles", legend=len(series) > 1)
    plot.save(figure, file)


def told(failures: Sequence[sweeps.Failure], count: int) -> str:
    """What is said about runs that failed."""
    lines = [f"{len(failures)} of {count} runs failed:"]
    for failure in failures[:FAILURES_MAX]:
        log = [line for line in failure.log.splitlines() if line.strip() and not TABLE_OF_RUN.match(line)]
        said = (log or failure.output.splitlines())[-LOG_LINES:]
        lines += [f"  {failure.label}: {failure.reason}", *(f"    {line}" for line in said)]
    if len(failures) > FAILURES_MAX:
        lines.append(f"  and {len(failures) - FAILURES_MAX} more")
    return "\n".join(lines)


def run(chosen: argparse.Namespace) -> int:
    """Runs the sweep: the exit code."""
    program = chosen.program[1:] if chosen.program[:1] == ["--"] else chosen.program
    if not program:
        raise WrongUse("which program? give it behind --, as in tess sweep --machine nemesys-2x2 -- bfs kron:6")
    parameters = parameters_of(chosen)
    machine = chosen.machine if len(chosen.machine) > 1 else chosen.machine[0]
    if isinstance(machine, list) and len(set(machine)) < len(machine):
        raise WrongUse("a machine is given twice; expected each once")
    names = [*(["machine"] if isinstance(machine, list) else []), *parameters]
    rows, failures = sweeps.measure(
        machine, program[0], program[1:], parameters, jobs=chosen.jobs, folder=chosen.cache,
        statistics=chosen.statistic or sweeps.STATISTICS, layouts=chosen.layouts
    )  # fmt: skip
    if len(failures) < len(rows) * chosen.layouts:
        print(table(rows))
        facts = {"machine": chosen.machine, "program": program, "layouts": chosen.layouts, "parameters": parameters}
        written = write(rows, names, facts, chosen.output)
        print(f"tess: sweep: in {chosen.output}: {', '.join(written)}", file=sys.stderr)
    if failures:
        print(f"tess: sweep: {told(failures, len(rows) * chosen.layouts)}", file=sys.stderr)
        return 2 if all(failure.exit_code == 2 for failure in failures) else 1
    return 0


def main(words: Sequence[str]) -> int:
    """The exit code."""
    chosen = arguments(words)
    # Programs see the variables named TESS_…, and where their stacks begin depends on them.
    os.environ.pop("TESS_PYTHON", None)
    try:
        return run(chosen)
    except (WrongUse, ValueError, KeyError, FileNotFoundError) as wrong:
        said = wrong.args[0] if isinstance(wrong, KeyError) else wrong
        print(f"tess: sweep: {said}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("tess: sweep: interrupted; the same command continues with the runs that are missing", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
