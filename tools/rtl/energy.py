"""energy: how many bits change in a unit for each thing that it does, as a relative measure of its energy.

A test of a bench whose name begins with `energy_` says by streams.happened() what it did and how often. It is run
alone, and all changes of all bits of the unit's signals are counted by Verilator, whatever they drive; clock, cells of
memories and lengths of wires are left out. Such numbers compare what one unit does with what another one does, no more.
"""

import json
import shutil

import bench
from covered import read_points
from units import BUILD, Unit, words_of


def changes(points: dict) -> int:
    """All changes of bits; those of a port that several modules share count in each, as wires do."""
    return sum(count for key, count in points.items() if key[3].startswith("toggle"))


def measure(unit: Unit, seed: int) -> list[dict[str, object]]:
    """A row for each such test, with the bench's first set of parameters."""
    bench.prepare(unit)
    rows: list[dict[str, object]] = []
    for one in unit.benches:
        source = (unit.folder / "test" / f"{one.file}.py").read_text(encoding="utf-8")
        for test in (part.partition("(")[0] for part in source.split("async def energy_")[1:]):
            folder = BUILD / unit.name / "energy" / f"{one.file}-{one.module}-{test}"
            shutil.rmtree(folder, ignore_errors=True)
            parameters = one.parameters[0]
            result = bench.run_one(unit, one, parameters, folder, seed, covers=True, test=f"energy_{test}")
            row = {"unit": unit.name, "module": one.module, "parameters": words_of(parameters)}
            failed = [wrong for wrong in result.rows if wrong["result"] == "failed"]
            if failed:
                rows.append({**row, "result": "failed", "text": failed[0]["text"]})
                continue
            happened = json.loads((folder / "happened.json").read_text(encoding="utf-8"))
            total = changes(read_points(folder / "coverage.dat"))
            row |= {"what": happened["what"], "times": happened["times"], "changes": total}
            rows.append({**row, "changes each": round(total / happened["times"], 1)})
    return rows
