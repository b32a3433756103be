"""mutants: errors put into the sources one at a time, each of which the unit's benches, and its proof, must find.

Found means that a test fails by its name. A mutant that nothing finds, that cannot be compiled, that ends the simulator
before a test does or lets it run for ever, or whose text does not stand in the file once is a failure.
"""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bench
import formal
import lint
import programs
from units import BUILD, Mutant, Run, Unit

# Rows that are no test's, and what they say of a mutant.
NOT_TESTS = {
    "(build)": "it cannot be compiled",
    "(run)": "the simulation does not start, ends before its tests, or hangs",
    "(none)": "the bench has no test",
}


def edited(unit: Unit, mutant: Mutant, folder: Path) -> list[Path]:
    """The sources of the unit with the error in a copy of its file."""
    original = unit.folder / mutant.file
    text = original.read_text(encoding="utf-8") if original.exists() else ""
    if text.count(mutant.old) != 1:
        raise programs.Failed(f"the text stands {text.count(mutant.old)} times in rtl/{unit.name}/{mutant.file}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / mutant.file).write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    return [folder / mutant.file if file == original else file for file in unit.sources()]


def benches_of(unit: Unit, mutant: Mutant) -> list[Run]:
    """Those that should find it."""
    if mutant.bench:
        return [one for one in unit.benches if one.file == mutant.bench]
    own = [one for one in unit.benches if one.module == Path(mutant.file).stem]
    return own or unit.benches


def found_by_benches(unit: Unit, mutant: Mutant, sources: list[Path], folder: Path, seed: int) -> str:
    """The name of the first test that fails; empty if none does."""
    for one in benches_of(unit, mutant):
        for parameters in one.parameters:
            place = folder / bench.name_of(one, parameters)
            result = bench.run_one(unit, one, parameters, place, seed, sources=sources)
            shutil.rmtree(place, ignore_errors=True)
            for row in result.rows:
                if str(row["test"]) in NOT_TESTS:
                    raise programs.Failed(f"{NOT_TESTS[str(row['test'])]}\n{row['text']}")
                if row["result"] == "failed":
                    return f"{one.file}.{str(row['test']).rpartition('.')[2]}"
    return ""


def found_by_lint(unit: Unit, mutant: Mutant, sources: list[Path], folder: Path) -> str:
    """The word lint, if a rule is broken in the module that has the file's name."""
    for top in (top for top in unit.tops if top.module == Path(mutant.file).stem):
        try:
            lint.with_yosys(sources, top, top.parameters[0], folder)
        except programs.Failed as failure:
            if "Assertion failed" in str(failure) or "check -assert" in str(failure):
                return "lint"
            raise
    return ""


def try_one(unit: Unit, number: int, mutant: Mutant, seed: int) -> dict[str, object]:
    """One row: what found it."""
    row: dict[str, object] = {"unit": unit.name, "file": mutant.file, "mutant": mutant.change}
    folder = BUILD / unit.name / "mutants" / str(number)
    try:
        sources = edited(unit, mutant, folder)
        if mutant.lint:
            test = found_by_lint(unit, mutant, sources, folder)
        else:
            test = found_by_benches(unit, mutant, sources, folder, seed)
        proof = next((one for one in unit.proofs if one.file == mutant.proof), None)
        if mutant.proof and proof is None:
            raise programs.Failed(f"there is no proof {mutant.proof}")
        broken = proof is not None and formal.breaks(unit, proof, sources, folder / "formal", mutant.depth)
    except programs.Failed as failure:
        return {**row, "found by": "", "result": "failed", "text": str(failure)}
    row["found by"] = test + (", proof" if broken else "")
    if not test or (proof and not broken):
        return {**row, "result": "failed", "text": "nothing finds it" if not test else "its proof does not find it"}
    return {**row, "result": "ok"}


def try_all(unit: Unit, *, seed: int) -> list[dict[str, object]]:
    """A row for each mutant."""
    bench.prepare(unit)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda one: try_one(unit, *one, seed), enumerate(unit.mutants)))
