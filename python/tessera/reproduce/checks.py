"""checks: every claim of a paper beside what was measured: the table of claims in a report.

A paper has a measurement for each claim, by the claim's name: a function of its results that returns a number, or a
number with a note, or None where its runs are missing. It returns the number that the claim is about, never whether it
is good: that is decided by `verdict`, with the band of reference/*_claims.csv.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from tessera.reproduce.claims import Claim, Claims
from tessera.reproduce.plan import Plan
from tessera.reproduce.verdict import Interval, Verdict, interval, verdict

NOT_KNOWN = "not known"


@dataclasses.dataclass(frozen=True)
class Found:
    """A measured number, and what a reader should know about it, e.g. the value of each kernel."""

    value: float
    note: str = ""
    judged: bool | None = None  # None: in the full form only


Measure = Callable[[Any], Found | float | None]


class Measured(Protocol):
    """A paper's results: those of one layout."""

    plan: Plan
    paper: Claims


@dataclasses.dataclass(frozen=True)
class Check:
    """A claim, what was measured, and how they compare."""

    claim: Claim
    ours: Interval | None
    verdict: Verdict
    note: str = ""
    judged: bool = True

    @property
    def cause(self) -> str:
        """Why they differ, or why nothing is compared; empty where nothing differs."""
        if self.verdict.deviates:
            return self.claim.cause_of(self.verdict.value) or NOT_KNOWN
        return self.claim.cause if self.verdict is Verdict.ABSENT else ""

    @property
    def ours_text(self) -> str:
        """The median with its unit."""
        return "" if self.ours is None else self.claim.value(self.ours.median, self.ours.median)

    @property
    def interval_text(self) -> str:
        """The interval and the number of layouts; empty for a single one."""
        if self.ours is None or self.ours.count < 2:
            return ""
        return f"{self.claim.value(self.ours.low, self.ours.high)} ({self.ours.count} layouts)"

    @property
    def band_text(self) -> str:
        """The band, with its unit."""
        return "" if self.claim.band is None else self.claim.value(*self.claim.band)


def check(claim: Claim, measure: Measure | None, results: Sequence[Measured]) -> Check:
    """One claim, measured in each layout."""
    found = [measure(one) for one in results] if measure is not None else []
    found = [Found(one) if isinstance(one, (int, float)) else one for one in found if one is not None]
    if not found or claim.kind == "absent":
        return Check(claim, None, verdict(claim, None))
    ours = interval([one.value for one in found])
    # What stands beside the number belongs to it: that of a layout with the median, or next to it.
    note = min(found, key=lambda one: abs(one.value - ours.median)).note
    judged = found[0].judged if found[0].judged is not None else not results[0].plan.quick
    if not judged:
        note = "; ".join(filter(None, [note, "a part of the runs or small inputs: not judged"]))
        return Check(claim, ours, Verdict.NOT_RUN, note, judged=False)
    return Check(claim, ours, verdict(claim, ours), note)


def all_of(measures: Mapping[str, Measure], results: Sequence[Measured]) -> list[Check]:
    """All claims of a paper, in the order of the file. `results`: those of each layout."""
    claims = results[0].paper
    if unknown := measures.keys() - {claim.name for claim in claims}:
        raise ValueError(f"measurements of no claim: {', '.join(sorted(unknown))}")
    return [check(claim, measures.get(claim.name), results) for claim in claims]
