"""published: the published numbers of NEMESYS: its claims, its tables 5 and 6, and the machine file that has them."""

import functools
from pathlib import Path

from tessera.reproduce.claims import Claims, rows
from tessera.simulator.machines import described


class Published(Claims):
    """The claims, and the tables by kernel."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "nemesys_claims.csv")
        self._machines = folder.parent / "machines"
        self.table5 = {row["kernel"].lower(): row for row in rows(folder / "nemesys_table5.csv")}
        self._table6 = {(row["variant"], row["kernel"]): row for row in rows(folder / "nemesys_table6.csv")}

    @functools.cached_property
    def machine(self) -> dict:
        """The machine file with two memories."""
        return described(self._machines, "nemesys-4x4")

    def table6(self, variant: str, kernel: str, column: str) -> float | None:
        """One cell; None where the paper has none."""
        text = self._table6[variant, kernel][column]
        return float(text) if text else None
