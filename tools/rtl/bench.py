"""bench: builds modules with Verilator, runs cocotb's tests on them, and reads their results and coverage."""

import contextlib
import dataclasses
import os
import re
import shutil
import sys
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs
from covered import Points, read_points
from units import BUILD, RTL, Parameters, Run, Unit, words_of

# Without the coverage of expressions, with which this Verilator fails on arrays of 2^n items.
# One file for the compiler: with several, each would parse Verilator's headers.
FLAGS = ["-Wall", "--quiet-stats", "--assert", "--output-split", "0"]
# Doubles the time of a build.
COVERAGE = ["--coverage-line", "--coverage-toggle", "--coverage-max-width", "4096"]
# Registers and memories begin with random bits, other ones for each seed: what relies on them without a reset fails.
# Modules without registers have no use for it.
FLAGS += ["--x-initial", "unique", "--x-assign", "unique"]
# A run that takes longer hangs: the longest takes minutes, on a loaded machine too.
SECONDS = 1200
# What the benches share.
SHARED = RTL / "common" / "test"
# `unique case` is checked from the end of the reset on, without one from the first cycle on: before it, states have
# random bits. An input that begins with 1 has an edge at time 0. $asserton does not reach that check of Verilator's.
# Bound to the bench's module.
CHECKS = """module checks_later (input logic {begin});
  always @(posedge {begin}) if ($time != 0) $c("Verilated::assertOn(true);");
endmodule

bind {module} checks_later i_checks_later (.{begin});
"""


@dataclasses.dataclass
class Result:
    """A bench with one set of parameters: its tests as rows, and what they covered."""

    rows: list[dict[str, object]]
    points: Points


def prepare(unit: Unit) -> None:
    """Sets this process's environment: cocotb's runner takes Verilator, make, compiler and Python's path from there."""
    for folder in (SHARED, unit.folder / "test"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    compiler = os.environ.get("CXX", "clang++-19")
    os.environ.update(programs.environment())
    # Benches are compiled more often than they run long: no optimization, but Verilator's own files have theirs.
    flags = {"CXX": compiler, "LINK": compiler, "OPT_FAST": "-O0", "OPT_SLOW": "-O0"}
    os.environ["MAKEFLAGS"] = " ".join(f"{key}={value}" for key, value in flags.items())
    # All benches have Verilator's own files in common.
    os.environ["OBJCACHE"] = "ccache"
    # The runner has no limit of its own. Only the simulation has this prefix, not the build.
    os.environ["SIM_CMD_PREFIX"] = f"timeout --kill-after=10 {SECONDS}"


def name_of(bench: Run, parameters: Parameters) -> str:
    """A folder for its files, which no other bench of the unit has, as they run at the same time."""
    module = [] if bench.module == bench.file else [bench.module]
    return "-".join([bench.file, *module, *words_of(parameters).split()])


def checks_of(module: str, sources: list[Path], folder: Path) -> list[Path]:
    """A file with CHECKS, if the module has a reset or a clock."""
    (source,) = (file for file in sources if file.stem == module)
    ports = re.findall(r"input\s+logic\s+(rst_ni|clk_i)\b", source.read_text(encoding="utf-8"))
    if not ports:
        return []
    file = folder / "checks_later.sv"
    file.write_text(CHECKS.format(module=module, begin=max(ports)), encoding="utf-8")
    return [file]


def text_of(log: Path) -> str:
    """The end of a log."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    return "\n".join(lines[-60:])


def run_one(
    unit: Unit,
    bench: Run,
    parameters: Parameters,
    folder: Path,
    seed: int,
    *,
    waves: bool = False,
    covers: bool = False,
    sources: list[Path] | None = None,
    test: str | None = None,
) -> Result:
    """Builds and runs a bench, or one `test` of it; of other `sources` if it is a mutant: its warnings do not count."""
    from cocotb_tools.runner import get_runner

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    about = {"unit": unit.name, "bench": bench.file, "parameters": words_of(parameters)}
    runner = get_runner("verilator")
    runner.log.setLevel("WARNING")
    log = folder / "build.log"
    checks = checks_of(bench.module, sources or unit.sources(), folder)
    try:
        runner.build(
            sources=[*(sources or unit.sources()), *checks],
            hdl_toplevel=bench.module,
            parameters=parameters,
            build_args=[
                *FLAGS,
                *(COVERAGE if covers else []),
                *(["--trace-fst"] if waves else []),
                *(["-Wno-fatal"] if sources else []),
            ],
            build_dir=folder,
            timescale=("1ns", "1ps"),
            waves=waves,
            log_file=log,
        )
    except (RuntimeError, SystemExit):
        return Result([{**about, "test": "(build)", "result": "failed", "text": text_of(log)}], {})
    log = folder / "test.log"
    results = folder / "results.xml"
    random_bits = ["+verilator+rand+reset+2", f"+verilator+seed+{1 + seed % (2**31 - 1)}", "+verilator+noassert"]
    with contextlib.suppress(RuntimeError, SystemExit):
        runner.test(
            test_module=bench.file,
            testcase=test,
            hdl_toplevel=bench.module,
            seed=seed,
            build_dir=folder,
            results_xml=str(results),
            plusargs=random_bits if checks else [],
            waves=waves,
            log_file=log,
            extra_env={
                "BENCH_PARAMETERS": words_of(parameters),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
        )
    if not results.exists():
        return Result([{**about, "test": "(run)", "result": "failed", "text": text_of(log)}], {})
    rows = []
    for case in xml.parse(results).iter("testcase"):
        wrong = case.find("failure") is not None or case.find("error") is not None
        row = {**about, "test": case.get("name"), "result": "failed" if wrong else "ok"}
        rows.append({**row, "text": text_of(log)} if wrong else row)
    if not rows:
        rows = [{**about, "test": "(none)", "result": "failed", "text": "there is no test in it"}]
    data = folder / "coverage.dat"
    return Result(rows, read_points(data) if data.exists() else {})


def chosen(unit: Unit, only: str = "", *, quick: bool = False) -> list[tuple[Run, Parameters]]:
    """All benches with all parameters, or those named `only`; quick: those of tops, with their first parameters."""
    tops = {top.module for top in unit.tops}
    benches = [bench for bench in unit.benches if (only == bench.file if only else not quick or bench.module in tops)]
    return [(bench, parameters) for bench in benches for parameters in bench.parameters[: 1 if quick else None]]


def run_all(unit: Unit, *, seed: int, waves: bool = False, only: str = "", quick: bool = False) -> list[Result]:
    """The chosen benches of a unit, some at the same time; quick: without coverage."""
    prepare(unit)
    place = BUILD / unit.name / "test"
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        futures = [
            pool.submit(
                run_one,
                unit,
                bench,
                parameters,
                place / name_of(bench, parameters),
                seed,
                waves=waves,
                covers=not quick,
            )
            for bench, parameters in chosen(unit, only, quick=quick)
        ]
        return [future.result() for future in futures]
