"""verdict: compares a measured interval with a claim: met, better, worse or reversed; the only place that decides.

  met           the whole interval lies in the band
  fitted        the same, but it proves nothing: a parameter was chosen so that it does, the value is an input of the
                machine, or the paper states only a direction
  reversed      the median is on the other side of the neutral value than the paper's
  better        beyond the band, on the side that speaks for what the paper proposes
  worse         beyond the band on the other side; on either side where none speaks for it; on both sides
  not run       its runs were not made, failed, or are too small to be judged
  not reproduced  nothing here measures it

Better and worse by more than the band are both deviations, and both need a cause.

Interval: the median of n layouts, and an interval for the median of all layouts that assumes nothing about their
distribution: from the k-th lowest to the k-th highest value, with the largest k that covers the median in at least 95 %
of cases; from 5 layouts on the lowest and highest of n cover it with probability 1 - 2^(1 - n), i.e. 93.75 % for 5 and
96.9 % for 6. Source: order statistics, e.g. David and Nagaraja, "Order Statistics" (2003), section 7.1.
"""

import dataclasses
import enum
import math
from collections.abc import Sequence
from statistics import median

from tessera.reproduce.claims import PROVE_NOTHING, Claim

CONFIDENCE = 0.95


class Verdict(enum.Enum):
    """The outcome of a comparison."""

    MET = "met"
    FITTED = "fitted"
    BETTER = "better"
    WORSE = "worse"
    REVERSED = "reversed"
    NOT_RUN = "not run"
    ABSENT = "not reproduced"

    @property
    def deviates(self) -> bool:
        """Whether it needs a cause."""
        return self in (Verdict.BETTER, Verdict.WORSE, Verdict.REVERSED)


def coverage(count: int, rank: int) -> float:
    """Probability that the median lies between the rank-th lowest and the rank-th highest of so many values."""
    return 1 - 2 * sum(math.comb(count, i) for i in range(rank)) / 2**count


@dataclasses.dataclass(frozen=True)
class Interval:
    """A median with an interval; all three are equal for a single layout."""

    median: float
    low: float
    high: float
    count: int = 1  # layouts

    @property
    def confidence(self) -> float:
        """Probability with which an interval of so many layouts covers the median of all; 0 for one layout."""
        return max(0.0, coverage(self.count, rank_of(self.count)))


def rank_of(count: int) -> int:
    """The largest k whose interval covers at least 95 %; 1 if none does."""
    return max((k for k in range(1, count // 2 + 1) if coverage(count, k) >= CONFIDENCE), default=1)


def interval(values: Sequence[float]) -> Interval:
    """The interval of a value measured in each layout; not empty."""
    ordered, rank = sorted(values), rank_of(len(values))
    return Interval(median(ordered), ordered[rank - 1], ordered[-rank], len(ordered))


def is_less(a: float, b: float) -> bool:
    """Whether a is less than b by more than what rounding makes of equal numbers."""
    return a < b and not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def side(value: float, neutral: float) -> int:
    """-1 below, 0 on, 1 above the neutral value."""
    return (value > neutral) - (value < neutral)


def is_reversed(claim: Claim, value: float) -> bool:
    """Whether the paper's range lies on one side of the neutral value, and a value on the other."""
    if claim.neutral is None:
        return False
    sides = {side(claim.low, claim.neutral), side(claim.high, claim.neutral)} - {0}
    return len(sides) == 1 and side(value, claim.neutral) == -sides.pop()


def verdict(claim: Claim, ours: Interval | None) -> Verdict:
    """Compares what was measured with what the paper states; None: not measured."""
    if claim.kind == "absent":
        return Verdict.ABSENT
    if ours is None:
        return Verdict.NOT_RUN
    least, most = claim.band
    below, above = is_less(ours.low, least), is_less(most, ours.high)
    if not below and not above:
        return Verdict.FITTED if claim.kind in PROVE_NOTHING else Verdict.MET
    if is_reversed(claim, ours.median):
        return Verdict.REVERSED
    good = above and not below if claim.better == "higher" else below and not above
    return Verdict.BETTER if claim.better and good else Verdict.WORSE
