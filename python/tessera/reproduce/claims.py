"""claims: the numbers that a paper's text states, from reference/*.csv; the code contains no published numbers."""

import csv
import dataclasses
from pathlib import Path


def rows(file: Path) -> list[dict[str, str]]:
    """Rows of a CSV file; lines that begin with # are comments."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@dataclasses.dataclass(frozen=True)
class Claim:
    """A number of the paper, or a range, and where the paper states it."""

    low: float
    high: float
    unit: str
    where: str

    def __str__(self) -> str:
        ends = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"{ends} {self.unit}"


class Claims:
    """The claims of one paper, by name."""

    def __init__(self, file: Path) -> None:
        self._claims = {row["name"]: row for row in rows(file)}

    def __getitem__(self, name: str) -> Claim:
        row = self._claims[name]
        return Claim(float(row["low"]), float(row["high"] or row["low"]), row["unit"], row["where"])
