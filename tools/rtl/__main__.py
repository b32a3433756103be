"""__main__: the command line of `./tess rtl`."""

import argparse
import fcntl
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import area
import bench
import clock
import covered
import energy
import formal
import lint
import mutants
import programs
from units import BUILD, Misuse, Unit, load, names

TEXT = """Checks, measures and synthesizes the hardware in rtl/: a unit is a folder there with a file unit.toml.

commands:
  lint    Verilator has no warning, yosys reads it, no latches, valid never depends on ready
  test    the benches in test/, by cocotb and Verilator, and which lines and bits they reach
  formal  the properties in formal/, proved by yosys and z3 by induction: for all times and inputs
  mutate  errors put into the sources one at a time: the benches must find each, and the proof that the list names
  area    LUTs, registers, block RAM and DSPs on an FPGA of Xilinx, by yosys, beside the papers' figures; with
          --family osu018 gates of a published cell library for 0.18 um
  clock   MHz and the critical path on an ECP5, placed and routed by nextpnr
  energy  how many bits change for each thing that a unit does: relative energy
  sources the files of the units in the order in which a tool must read them, for its option -f

Each but the last prints a table and writes the same as JSON to build/rtl/COMMAND.json."""
END = """examples:
  ./tess rtl lint
  ./tess rtl test common --seed 7 --waves
  ./tess rtl area nma --family xc7 --parts
  ./tess rtl sources nma >nma.f
Exit codes: 0 fine, 1 something failed, 2 wrong use."""
LINES_WANTED = 95
CELL_MAX = 64
SOURCES = "sources"
# Commands with random choices.
RANDOM = ("test", "mutate", "energy")

Rows = list[dict[str, object]]


def shown(value: object) -> str:
    """What a cell of the table has room for; the JSON has it all."""
    text = str(value)
    return text if len(text) <= CELL_MAX else text[: CELL_MAX - 1] + "…"


def print_table(rows: Rows) -> None:
    """Columns as wide as they must be, but for what only the JSON has; what failed follows below with its text."""
    columns = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in ("text", "memories")]
    widths = {key: max(len(key), *(len(shown(row.get(key, ""))) for row in rows)) for key in columns}
    for row in [dict(zip(columns, columns, strict=True)), *rows]:
        print("  ".join(f"{shown(row.get(key, '')):<{widths[key]}}" for key in columns).rstrip())
    for row in rows:
        if "text" in row:
            where = " ".join(str(row[key]) for key in columns if key != "result" and key in row)
            print(f"\n--- {where}\n{row['text']}")


def share(reached: int, all_points: int) -> float:
    """Per cent; all of nothing."""
    return round(100 * reached / all_points, 1) if all_points else 100.0


def run_lint(unit: Unit, _: argparse.Namespace) -> Rows:
    return lint.lint(unit)


def run_test(unit: Unit, options: argparse.Namespace) -> Rows:
    """The tests, then, unless they are quick, a row for the coverage of each file; `none` if no bench has it."""
    results = bench.run_all(unit, seed=options.seed, waves=options.waves, only=options.bench, quick=options.quick)
    points: covered.Points = {}
    for result in results:
        covered.add(points, result.points)
    own = {file.name for file in unit.folder.glob("*.sv") if not file.stem.endswith("_pkg")}
    rows = [row for result in results for row in result.rows]
    for row in covered.table({key: n for key, n in points.items() if Path(key[0]).name in own}):
        lines = share(row["lines_reached"], row["lines"])
        toggles = share(row["toggles_reached"], row["toggles"])
        enough = lines >= LINES_WANTED or options.bench
        rows.append(
            {
                "unit": unit.name,
                "bench": row["file"],
                "parameters": f"lines {lines} %",
                "test": f"toggles {toggles} %",
                "result": "ok" if enough else "failed",
                **({} if enough else {"text": f"fewer than {LINES_WANTED} % of its lines; never: {row['missed']}"}),
            }
        )
    if not options.bench and not options.quick:
        for file in sorted(own - {Path(key[0]).name for key in points}):
            row = {"unit": unit.name, "bench": file, "parameters": "no bench has it", "test": ""}
            rows.append({**row, "result": "none"})
    return rows


def run_formal(unit: Unit, _: argparse.Namespace) -> Rows:
    return formal.prove_all(unit)


def run_mutate(unit: Unit, options: argparse.Namespace) -> Rows:
    return mutants.try_all(unit, seed=options.seed)


def run_area(unit: Unit, options: argparse.Namespace) -> Rows:
    families = options.family or [area.FAMILIES[0]]
    if options.parts and area.gates.FAMILY in families:
        raise Misuse(f"--parts is for families of FPGAs; {area.gates.FAMILY} has whole units only")
    return area.measure(unit, families, parts=options.parts)


def run_clock(unit: Unit, options: argparse.Namespace) -> Rows:
    return clock.measure(unit, options.seeds)


def run_energy(unit: Unit, options: argparse.Namespace) -> Rows:
    return energy.measure(unit, options.seed)


def print_sources(units: list[Unit]) -> None:
    """The files, each once and after those that it needs, and as comments the modules that are whole units."""
    for unit in units:
        for module in dict.fromkeys(top.module for top in unit.tops):
            print(f"// {unit.name}: {module}")
    for file in dict.fromkeys(file for unit in units for file in unit.sources()):
        print(file)


COMMANDS: dict[str, Callable[[Unit, argparse.Namespace], Rows]] = {
    "lint": run_lint,
    "test": run_test,
    "formal": run_formal,
    "mutate": run_mutate,
    "area": run_area,
    "clock": run_clock,
    "energy": run_energy,
}


def options_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./tess rtl", description=TEXT, epilog=END, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=[*COMMANDS, SOURCES], metavar="COMMAND")
    parser.add_argument("units", nargs="*", metavar="UNIT", help="folders of rtl/ (default: all)")
    parser.add_argument("--bench", default="", metavar="NAME", help="test: only this bench")
    parser.add_argument(
        "--quick", action="store_true", help="test: only benches of tops, with their first parameters, without coverage"
    )
    parser.add_argument("--seed", type=int, help="test, mutate, energy: of all choices (default: another each time)")
    parser.add_argument("--waves", action="store_true", help="test: write a waveform beside each bench's log")
    parser.add_argument(
        "--family", action="append", choices=area.FAMILIES, help="area: which family (default: xc7; may be repeated)"
    )
    parser.add_argument("--parts", action="store_true", help="area: also by module")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the JSON goes (default: build/rtl)")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="clock: the median of N placements")
    options = parser.parse_args(words)
    known = {run.file for name in options.units or names() for run in load(name).benches}
    if options.bench and options.bench not in known:
        raise Misuse(f"no bench {options.bench}; one of: {' '.join(sorted(known))}")
    if options.seed is None:
        options.seed = random.randrange(1 << 31)
    return options


def main(words: list[str]) -> int:
    options = options_of(words)
    if options.command == SOURCES:
        print_sources([load(name) for name in options.units or names()])
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with (BUILD / "lock").open("w") as lock:
        # Two at once would write the same files.
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = [row for name in options.units or names() for row in COMMANDS[options.command](load(name), options)]
        output = options.output or BUILD / f"{options.command}.json"
        output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print_table(rows)
    failed = sum(row.get("result") == "failed" for row in rows)
    passed = sum(row.get("result", "ok") == "ok" for row in rows)
    seed = f", seed {options.seed}" if options.command in RANDOM else ""
    print(f"{passed} passed, {failed} failed ({time.monotonic() - begin:.0f} s{seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Misuse as error:
        print(f"tess: {error}", file=sys.stderr)
        sys.exit(2)
    except programs.Failed as failure:
        print(failure, file=sys.stderr)
        sys.exit(1)
