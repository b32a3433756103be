"""lint: Verilator has no warning, yosys reads every top, nothing is a latch, and valid never depends on ready; modules
refuse parameters that they cannot have.

The last rule is one of structure: no combinational path leads from an input `ready_i` or `*_ready_i` to an output
`valid_o` or `*_valid_o`. It holds for every top, whatever its size, and needs no property.
"""

from pathlib import Path

import programs
from units import BUILD, Parameters, Run, Unit, words_of

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


def lint(unit: Unit) -> list[dict[str, object]]:
    """One row for each top and set of parameters."""
    folder = BUILD / unit.name / "lint"
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for top in unit.tops:
        for parameters in top.parameters:
            row = {"unit": unit.name, "module": top.module, "parameters": words_of(parameters), "result": "ok"}
            try:
                with_verilator(unit, top, parameters, folder)
                with_yosys(unit.sources(), top, parameters, folder)
            except programs.Failed as failure:
                row |= {"result": "failed", "text": str(failure)}
            rows.append(row)
    for module in unit.refused:
        for parameters in module.parameters:
            row = {"unit": unit.name, "module": module.module, "parameters": f"not {words_of(parameters)}"}
            try:
                refuse(unit, module, parameters, folder)
                rows.append(row | {"result": "ok"})
            except programs.Failed as failure:
                rows.append(row | {"result": "failed", "text": str(failure)})
    return rows
