"""claims: what a paper states, one observation a row, and the band in which ours must lie: reference/*_claims.csv.

The code contains no published numbers and no thresholds. A band is fixed before a run, by a change of the file.

Columns. name: of the claim, for the code. item: the paper's figure or table, or "text". observation: what is compared.
low, high: the paper's value, or the ends of its range; inf and -inf where it states one side only. unit. better: which
direction speaks for what the paper proposes: higher, lower, or nothing. neutral: the value at which the statement turns
round, e.g. 1 for a ratio. band: "25 %" of the value, "± 5", or "3 to 10". kind: nothing, or

  fitted      a parameter of ours was chosen so that this value comes out (reference/fitted.csv): it proves nothing
  configured  the value is an input of the machine, and was measured to show that the machine has it
  one-sided   ours could hardly miss it, e.g. since the paper states a direction without a number
  redefined   what is compared was defined anew after it had been measured
  absent      nothing here measures it; the cause says why
  definition  a number that measurements need; no observation

cause: why ours differs, as far as it was measured; empty: not known. "better: …" is the cause of that verdict only,
"note: …" stands beside every verdict, and " | " separates several. where: the place in the paper, and the paper's words
where it has no number.
"""

import csv
import dataclasses
import math
import re
from collections.abc import Iterator
from pathlib import Path

PROVE_NOTHING = ("fitted", "configured", "one-sided", "redefined")
KINDS = ("", *PROVE_NOTHING, "absent", "definition")
DIRECTIONS = ("", "higher", "lower")
WIDE_UNITS = {"percent": "%"}


def rows(file: Path) -> list[dict[str, str]]:
    """Rows of a CSV file; lines that begin with # are comments. Raises ValueError for too few or many cells."""
    lines = file.read_text(encoding="utf-8").splitlines()
    found = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    for row in found:
        if None in row or None in row.values():
            first = next(iter(row.values()))
            raise ValueError(f"{file.name}: row {first} has too {'many' if None in row else 'few'} cells; quote commas")
    return found


def number(value: float) -> str:
    """A number with four digits, or all digits before the point."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def ends(low: float, high: float) -> str:
    """A value, a range, or one side of a range."""
    if low == high:
        return number(low)
    if math.isinf(low) and math.isinf(high):
        return "any"
    if math.isinf(high):
        return f"≥ {number(low)}"
    return f"≤ {number(high)}" if math.isinf(low) else f"{number(low)} to {number(high)}"


@dataclasses.dataclass(frozen=True)
class Claim:
    """One observation of a paper."""

    name: str
    item: str
    observation: str
    low: float
    high: float
    unit: str
    better: str = ""
    neutral: float | None = None
    band: tuple[float, float] | None = None
    kind: str = ""
    cause: str = ""
    where: str = ""

    def __str__(self) -> str:
        return self.value(self.low, self.high)

    def cause_of(self, verdict: str) -> str:
        """The cause of a deviation; empty if it is not known."""
        for part in self.cause.split(" | "):
            named, _, text = part.partition(": ")
            if named not in ("better", "worse", "reversed", "note"):
                return part
            if named == verdict:
                return text
        return ""

    @property
    def remark(self) -> str:
        """What stands beside every verdict; usually empty."""
        parts = self.cause.split(" | ")
        return next((part.removeprefix("note: ") for part in parts if part.startswith("note: ")), "")

    def value(self, low: float, high: float) -> str:
        """A value or a range with the unit."""
        return f"{ends(low, high)} {WIDE_UNITS.get(self.unit, self.unit)}".strip()


def band_of(text: str, low: float, high: float) -> tuple[float, float] | None:
    """The ends of a band: "25 %" of the value, "± 5" around it, or "3 to 10". Raises ValueError for other words."""
    text = text.strip()
    if not text:
        return None
    if found := re.fullmatch(r"([\d.]+) %", text):
        share = float(found[1]) / 100
        return low - abs(low) * share if math.isfinite(low) else low, (
            high + abs(high) * share if math.isfinite(high) else high
        )
    if found := re.fullmatch(r"± ([\d.]+)", text):
        return low - float(found[1]), high + float(found[1])
    if found := re.fullmatch(r"(-?[\d.]+|-inf) to (-?[\d.]+|inf)", text):
        return float(found[1]), float(found[2])
    raise ValueError(f'band "{text}", expected "25 %", "± 5" or "3 to 10"')


def claim_of(row: dict[str, str]) -> Claim:
    """A row's claim. Raises ValueError with the claim's name if the row contradicts itself."""
    name = row["name"]

    def wrong(text: str) -> ValueError:
        return ValueError(f"claim {name}: {text}")

    low = float(row["low"]) if row["low"] else math.nan
    high = float(row["high"]) if row["high"] else low
    try:
        band = band_of(row["band"] or "", low, high)
    except ValueError as error:
        raise wrong(str(error)) from None
    neutral = float(row["neutral"]) if row["neutral"] else None
    made = Claim(name, row["item"], row["observation"], low, high, row["unit"], row["better"], neutral, band,
                 row["kind"], row["cause"] or "", row["where"] or "")  # fmt: skip
    if made.kind not in KINDS or made.better not in DIRECTIONS:
        raise wrong(f"kind {made.kind!r} and better {made.better!r}, expected one of {KINDS} and of {DIRECTIONS}")
    if made.kind == "absent":
        if not made.cause:
            raise wrong("nothing measures it, and no cause says why")
        return made
    if math.isnan(low):
        raise wrong("no value, expected the paper's in the column low")
    if made.kind == "definition":
        return made
    if band is None:
        raise wrong("no band, expected one in the column band")
    if not band[0] <= low <= high <= band[1]:
        raise wrong(f"the band {band[0]:g} to {band[1]:g} leaves out the paper's {made}")
    if neutral is not None and ((low > neutral > band[0]) or (high < neutral < band[1])):
        raise wrong(f"the band {band[0]:g} to {band[1]:g} crosses {neutral:g}, where the statement turns round")
    return made


@dataclasses.dataclass(frozen=True)
class Fitted:
    """A parameter of a machine that was chosen so that claims come out."""

    machine: str
    key: str  # "section.key"
    value: str
    claims: tuple[str, ...]
    how: str
    less: str  # values of the sensitivity sweep
    more: str


def fitted(folder: Path, paper: str) -> list[Fitted]:
    """The fitted parameters of a paper, of the file fitted.csv in the folder `reference`."""
    return [Fitted(row["machine"], row["key"], row["value"], tuple(row["claims"].split()), row["how"],
                   row["less"], row["more"])
            for row in rows(folder / "fitted.csv") if row["paper"] == paper]  # fmt: skip


class Claims:
    """The claims of one paper, by name, in the order of the file."""

    def __init__(self, file: Path) -> None:
        found = [claim_of(row) for row in rows(file)]
        self._claims = {claim.name: claim for claim in found}
        if len(self._claims) < len(found):
            raise ValueError(f"{file}: a name occurs twice")

    def __getitem__(self, name: str) -> Claim:
        return self._claims[name]

    def __iter__(self) -> Iterator[Claim]:
        """The observations: all claims but definitions."""
        return (claim for claim in self._claims.values() if claim.kind != "definition")
