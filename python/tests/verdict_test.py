"""verdict_test: an interval is compared with a band from all sides; intervals assume nothing; rows of reference/ that
contradict themselves are refused; every claim of every paper is measured or says why not.
"""

import math
import tempfile
import unittest
from pathlib import Path

from tessera.reproduce import checks, report
from tessera.reproduce.__main__ import PAPERS
from tessera.reproduce.claims import Claim, Claims, band_of, claim_of, fitted
from tessera.reproduce.verdict import Interval, Verdict, coverage, interval, verdict
from tessera.simulator.machines import described

ROOT = Path(__file__).resolve().parents[2]
HEAD = "name,item,observation,low,high,unit,better,neutral,band,kind,cause,where"


def claim(**changes: object) -> Claim:
    given = {"name": "n", "item": "figure 1", "observation": "gain", "low": 2.0, "high": 3.0, "unit": "times",
             "better": "higher", "neutral": 1.0, "band": (1.5, 4.0)}  # fmt: skip
    return Claim(**(given | changes))


def one(value: float) -> Interval:
    return Interval(value, value, value)


def row(**changes: str) -> dict[str, str]:
    given = dict.fromkeys(HEAD.split(","), "") | {"name": "n", "low": "2", "band": "25 %"}
    return given | changes


class Verdicts(unittest.TestCase):
    def test_inside_is_met_up_to_the_ends_of_the_band(self):
        for value in (1.5, 2.0, 2.5, 4.0):
            self.assertIs(verdict(claim(), one(value)), Verdict.MET)

    def test_beyond_the_band_is_a_deviation_on_both_sides(self):
        self.assertIs(verdict(claim(), one(4.01)), Verdict.BETTER)
        self.assertIs(verdict(claim(), one(1.49)), Verdict.WORSE)
        self.assertTrue(Verdict.BETTER.deviates and Verdict.WORSE.deviates and Verdict.REVERSED.deviates)
        self.assertFalse(Verdict.MET.deviates or Verdict.NOT_RUN.deviates)

    def test_where_less_is_better(self):
        less = claim(better="lower", neutral=None)
        self.assertIs(verdict(less, one(1.0)), Verdict.BETTER)
        self.assertIs(verdict(less, one(5.0)), Verdict.WORSE)

    def test_where_no_side_is_better_both_are_worse(self):
        even = claim(better="", neutral=None)
        self.assertIs(verdict(even, one(1.0)), Verdict.WORSE)
        self.assertIs(verdict(even, one(5.0)), Verdict.WORSE)

    def test_a_statement_that_turns_round_is_reversed(self):
        self.assertIs(verdict(claim(), one(0.9)), Verdict.REVERSED)
        # No effect at all is not the opposite effect.
        self.assertIs(verdict(claim(), one(1.0)), Verdict.WORSE)
        less = claim(low=0.5, high=0.6, better="lower", band=(0.4, 0.7))
        self.assertIs(verdict(less, one(2.6)), Verdict.REVERSED)
        self.assertIs(verdict(less, one(0.3)), Verdict.BETTER)
        self.assertIs(verdict(less, one(0.8)), Verdict.WORSE)

    def test_reversed_is_not_hidden_by_a_direction_that_is_better(self):
        # A gain is the opposite of a loss that the paper states, even if a gain is better.
        loss = claim(low=0.0, high=10.0, neutral=0.0, better="lower", band=(0.0, 10.0), unit="percent")
        self.assertIs(verdict(loss, one(-5.0)), Verdict.REVERSED)
        self.assertIs(verdict(loss, one(5.0)), Verdict.MET)

    def test_one_sided_statements(self):
        faster = claim(low=1.0, high=math.inf, band=(1.0, math.inf))
        self.assertIs(verdict(faster, one(100.0)), Verdict.MET)
        self.assertIs(verdict(faster, one(0.99)), Verdict.REVERSED)

    def test_the_whole_interval_must_be_inside(self):
        self.assertIs(verdict(claim(), Interval(2.5, 1.6, 3.9, 5)), Verdict.MET)
        self.assertIs(verdict(claim(), Interval(3.9, 3.5, 4.1, 5)), Verdict.BETTER)
        self.assertIs(verdict(claim(), Interval(1.6, 1.4, 2.0, 5)), Verdict.WORSE)
        self.assertIs(verdict(claim(), Interval(2.5, 1.4, 4.1, 5)), Verdict.WORSE)
        self.assertIs(verdict(claim(), Interval(0.9, 0.8, 1.6, 5)), Verdict.REVERSED)

    def test_rounding_does_not_leave_a_band(self):
        added = claim(low=0.4, high=0.4, band=(0.3, 0.5))
        self.assertLess(4.0 - 3.7, 0.3)  # as 3.7 and 4.0 us, measured
        self.assertIs(verdict(added, one(4.0 - 3.7)), Verdict.MET)
        self.assertIs(verdict(added, one(0.3 - 1e-6)), Verdict.WORSE)

    def test_fitted_and_configured_values_are_not_met(self):
        for kind in ("fitted", "configured", "one-sided", "redefined"):
            self.assertIs(verdict(claim(kind=kind), one(2.5)), Verdict.FITTED)
            self.assertIs(verdict(claim(kind=kind), one(5.0)), Verdict.BETTER)

    def test_nothing_measured(self):
        self.assertIs(verdict(claim(), None), Verdict.NOT_RUN)
        self.assertIs(verdict(claim(kind="absent"), one(2.5)), Verdict.ABSENT)

    def test_findings_that_were_once_met(self):
        sixteen = claim(low=5.3, high=5.3, band=band_of("25 %", 5.3, 5.3))
        self.assertIs(verdict(sixteen, one(15.9)), Verdict.BETTER)
        hardly = claim(low=2.4, high=2.4, band=band_of("25 %", 2.4, 2.4))
        self.assertIs(verdict(hardly, one(1.006)), Verdict.WORSE)


class Intervals(unittest.TestCase):
    def test_few_layouts_have_their_ends(self):
        found = interval([3.0, 1.0, 2.0, 5.0, 4.0])
        self.assertEqual((found.median, found.low, found.high, found.count), (3, 1, 5, 5))
        self.assertAlmostEqual(found.confidence, 0.9375)
        self.assertAlmostEqual(interval(range(6)).confidence, 0.96875)
        self.assertEqual(interval([7.0]), Interval(7, 7, 7, 1))
        self.assertEqual(interval([7.0]).confidence, 0)

    def test_many_layouts_leave_out_what_they_can(self):
        found = interval(range(1, 16))
        # The binomial distribution of 15 tosses: three or fewer heads, or tails, in 3.5 % of cases.
        self.assertEqual((found.low, found.high), (4, 12))
        self.assertAlmostEqual(found.confidence, 1 - 2 * (1 + 15 + 105 + 455) / 2**15)
        self.assertAlmostEqual(coverage(5, 1), 1 - 2**-4)


class References(unittest.TestCase):
    def test_bands(self):
        self.assertEqual(band_of("25 %", 4, 8), (3, 10))
        self.assertEqual(band_of("25 %", -8, -4), (-10, -3))
        self.assertEqual(band_of("± 5", 35, 35), (30, 40))
        self.assertEqual(band_of("1 to inf", 2, 2), (1, math.inf))
        self.assertEqual(band_of("25 %", 1, math.inf), (0.75, math.inf))
        self.assertIsNone(band_of("", 1, 1))
        for text in ("about 5", "25%", ">= 3", "3 to"):
            with self.assertRaisesRegex(ValueError, "expected"):
                band_of(text, 1, 1)

    def test_rows_that_contradict_themselves(self):
        for changes, text in (
            ({"band": ""}, "no band"),
            ({"band": "3 to 4"}, "leaves out the paper's"),
            ({"neutral": "1.9"}, "crosses 1.9"),
            ({"kind": "absent"}, "no cause says why"),
            ({"kind": "guessed"}, "expected one of"),
            ({"better": "more"}, "expected one of"),
            ({"low": ""}, "expected the paper's"),
        ):
            with self.subTest(text), self.assertRaisesRegex(ValueError, f"claim n: .*{text}"):
                claim_of(row(**changes))
        self.assertEqual(claim_of(row()).band, (1.5, 2.5))
        self.assertEqual(str(claim_of(row(high="3", unit="percent"))), "2 to 3 %")

    def test_commas_are_quoted(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "x_claims.csv"
            for cells, text in (("n,,,1,,,,,10 %,,late, and,", "too many"), ("n,,,1,,,,,10 %,,", "too few")):
                file.write_text(f"{HEAD}\n{cells}\n", encoding="utf-8")
                with self.assertRaisesRegex(ValueError, f"x_claims.csv: row n has {text} cells"):
                    Claims(file)

    def test_a_name_occurs_once(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "x_claims.csv"
            file.write_text(f"{HEAD}\nn,,,1,,,,,10 %,,,\nn,,,1,,,,,10 %,,,\n", encoding="utf-8")
            with self.assertRaisesRegex(ValueError, "occurs twice"):
                Claims(file)

    def test_bands_of_shares_hold_no_value_of_another_size(self):
        """10 points are much of a share of 6 %: at most twice the share, at least half of it, or one point off."""
        judged = 0
        for name in PAPERS:
            for one in Claims(ROOT / "reference" / f"{name}_claims.csv"):
                if one.unit not in ("%", "percent") or one.kind or one.band is None or one.low < 0 or one.high == 0:
                    continue
                judged += 1
                with self.subTest(claim=one.name):
                    low, high = one.band
                    self.assertLessEqual(high, max(2 * one.high, one.high + 1))
                    self.assertGreaterEqual(low, min(one.low / 2, max(one.low - 1, 0)))
        self.assertGreater(judged, 50)

    def test_a_cause_is_that_of_its_verdict(self):
        both = claim(cause="better: cheap | worse: slow")
        self.assertEqual([both.cause_of(word) for word in ("better", "worse", "reversed")], ["cheap", "slow", ""])
        self.assertEqual(claim(cause="both ways: any").cause_of("worse"), "both ways: any")

    def test_a_note_stands_beside_every_verdict(self):
        both = claim(cause="note: changed | worse: slow")
        self.assertEqual((both.remark, both.cause_of("worse"), both.cause_of("better")), ("changed", "slow", ""))
        self.assertEqual(claim(cause="slow").remark, "")
        self.assertEqual(checks.Check(both, one(2.0), Verdict.MET).cause, "")
        self.assertIn("changed", report.check_cells(checks.Check(both, one(2.0), Verdict.MET))[-1])

    def test_every_claim_is_measured_or_says_why_not(self):
        for name, paper in PAPERS.items():
            claims = Claims(ROOT / "reference" / f"{name}_claims.csv")
            wanted = {one.name for one in claims if one.kind != "absent"}
            self.assertEqual(wanted ^ set(paper.measures), set(), name)


    def test_fitted_parameters_are_those_of_the_machines(self):
        for name in PAPERS:
            claims = Claims(ROOT / "reference" / f"{name}_claims.csv")
            found = fitted(ROOT / "reference", name)
            for one in found:
                machine = described(ROOT / "machines", one.machine)
                section, _, key = one.key.partition(".")
                self.assertEqual(str(machine[section][key]), one.value, one.key)
            # The number of copies was fitted by a rule of counting instead of a parameter.
            wanted = {one.name for one in claims if one.kind == "fitted" and not one.name.startswith("copies_")}
            self.assertEqual({claim for one in found for claim in one.claims}, wanted, name)


class Plan:
    quick = False


class Outcome:
    """Results of a paper without runs."""

    plan = Plan()

    def __init__(self, value: float | None) -> None:
        self.value = value
        self.paper = [claim()]


class Checks(unittest.TestCase):
    def of(self, *values: float | None, note: str = "", judged: bool | None = None) -> checks.Check:
        def measure(results: Outcome) -> checks.Found | None:
            return None if results.value is None else checks.Found(results.value, note, judged)

        return checks.all_of({"n": measure}, [Outcome(value) for value in values])[0]

    def test_the_interval_is_over_layouts(self):
        found = self.of(2.0, 2.5, 3.0, 3.5, 3.9)
        self.assertIs(found.verdict, Verdict.MET)
        self.assertEqual((found.ours_text, found.interval_text), ("3 times", "2 to 3.9 times (5 layouts)"))
        self.assertIs(self.of(2.0, 2.5, 3.0, 3.5, 4.1).verdict, Verdict.BETTER)

    def test_the_note_is_that_of_the_median(self):
        each = [Outcome(value) for value in (2, 4, 3)]
        found = checks.all_of({"n": lambda of: checks.Found(of.value, f"of {of.value}")}, each)
        self.assertEqual((found[0].ours.median, found[0].note), (3, "of 3"))

    def test_a_deviation_without_a_cause_says_so(self):
        self.assertEqual(self.of(9.0).cause, "not known")
        self.assertEqual(self.of(2.5).cause, "")

    def test_missing_and_partial_runs_are_not_judged(self):
        self.assertIs(self.of(None).verdict, Verdict.NOT_RUN)
        part = self.of(2.5, note="BF", judged=False)
        self.assertIs(part.verdict, Verdict.NOT_RUN)
        self.assertIn("BF; a part of the runs", part.note)
        self.assertEqual(part.ours_text, "2.5 times")

    def test_a_measurement_of_no_claim_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "measurements of no claim: m"):
            checks.all_of({"m": lambda _: 1.0}, [Outcome(1.0)])


if __name__ == "__main__":
    unittest.main()
