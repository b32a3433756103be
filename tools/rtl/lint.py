"""lint: Verilator has no warning, yosys reads every top, nothing is a latch, and valid never depends on ready; modules
refuse parameters that they cannot have.

The last rule is one of structure: no combinational path leads from an input `ready_i` or `*_ready_i` to an output
`valid_o` or `*_valid_o`. It holds for every top, whatever its size, and needs no property.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs
from units import BUILD, Parameters, Run, Unit, words_of

Check = Callable[[Unit, Run, Parameters, Path], None]
# After these passes every register is a $dff.
PREPARE = "prep -flatten -top {module}\nasync2sync\ndffunmap\nopt_clean\n"
CHECKS = """check -assert
select -assert-none t:$dlatch t:$adlatch t:$sr t:$dlatchsr
select -set ready i:ready_i i:*_ready_i
select -set reached @ready %co*:-$dff
select -assert-none o:valid_o o:*_valid_o %u @reached %i
"""


def with_verilator(unit: Unit, top: Run, parameters: Parameters, folder: Path) -> None:
    """Failed if there is a warning."""
    given = [f"-G{key}={value}" for key, value in parameters.items()]
    programs.verilator(
        ["--lint-only", "-Wall", "--quiet-stats", "--top-module", top.module, *given, *unit.sources()], folder
    )


def with_yosys(sources: list[Path], top: Run, parameters: Parameters, folder: Path) -> None:
    """Failed if yosys cannot read it, or a rule is broken."""
    script = programs.read_sources(sources, top.module, parameters, folder)
    programs.yosys(script + PREPARE.format(module=top.module) + CHECKS, folder)


def refuse(unit: Unit, module: Run, parameters: Parameters, folder: Path) -> None:
    """Failed if the module can be elaborated, or if it is not its own check that says no."""
    script = programs.read_sources(unit.sources(), module.module, parameters, folder)
    try:
        programs.yosys(script, folder)
    except programs.Failed as failure:
        if f"$error encountered: {module.module}: " not in str(failure):
            raise
        return
    raise programs.Failed("it accepts these parameters")


def accept(unit: Unit, module: Run, parameters: Parameters, folder: Path) -> None:
    """Failed if one of the two programs finds something."""
    with_verilator(unit, module, parameters, folder)
    with_yosys(unit.sources(), module, parameters, folder)


def lint(unit: Unit) -> list[dict[str, object]]:
    """One row for each top and set of parameters, some at the same time."""

    def row(number: int, check: Check, module: Run, parameters: Parameters) -> dict[str, object]:
        said = {accept: "", refuse: "not "}[check] + words_of(parameters)
        about = {"unit": unit.name, "module": module.module, "parameters": said}
        folder = BUILD / unit.name / "lint" / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            check(unit, module, parameters, folder)
        except programs.Failed as failure:
            return {**about, "result": "failed", "text": str(failure)}
        return {**about, "result": "ok"}

    checks = [(accept, module) for module in unit.tops] + [(refuse, module) for module in unit.refused]
    each = [
        (number, check, module, parameters)
        for number, (check, module, parameters) in enumerate(
            (check, module, parameters) for check, module in checks for parameters in module.parameters
        )
    ]
    # The first alone: yosys compiles itself for this machine when it is first started.
    first = [row(*one) for one in each[:1]]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return first + list(pool.map(lambda one: row(*one), each[1:]))
