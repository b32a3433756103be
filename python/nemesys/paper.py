"""paper: the published numbers, from reference/*.csv; nothing of the paper stands in the code."""

import csv
import dataclasses
from pathlib import Path


def rows(file: Path) -> list[dict[str, str]]:
    """Of a file of comma-separated values, without its comments."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@dataclasses.dataclass(frozen=True)
class Claim:
    """A number of the paper, or a range, and where it stands."""

    low: float
    high: float
    unit: str
    where: str

    def __str__(self) -> str:
        ends = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"{ends} {self.unit}"


class Claims:
    """What a paper's text says."""

    def __init__(self, file: Path) -> None:
        self._claims = {row["name"]: row for row in rows(file)}

    def __getitem__(self, name: str) -> Claim:
        row = self._claims[name]
        return Claim(float(row["low"]), float(row["high"] or row["low"]), row["unit"], row["where"])


class Paper(Claims):
    """The claims of NEMESYS and its tables 5 and 6."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "nemesys_claims.csv")
        self.table5 = {row["kernel"].lower(): row for row in rows(folder / "nemesys_table5.csv")}
        self._table6 = {(row["variant"], row["kernel"]): row for row in rows(folder / "nemesys_table6.csv")}

    def table6(self, variant: str, kernel: str, column: str) -> float | None:
        """A cell; none where the paper has none."""
        text = self._table6[variant, kernel][column]
        return float(text) if text else None
