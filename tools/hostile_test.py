"""hostile_test: the table of `./tess test --hostile` counts what campaigns said, and what they did not say. Method:
outputs written by hand."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import hostile  # noqa: E402

FILES = hostile.CAMPAIGNS[0]


def row(output: str, code: int = 0) -> hostile.Row:
    return hostile.row_of(FILES, 7, code, output, 1.0)


class Rows(unittest.TestCase):
    def test_the_last_line_is_the_count(self):
        found = row("files: seed 7\nfiles: 1283 attempts, 0 failures, seed 7\n")
        self.assertEqual((found.count, found.failures, found.text), (1283, 0, ""))

    def test_failures_are_shown(self):
        found = row("attempt 3 of --seed 7: exit code -11\nfiles: 9 attempts, 1 failures, seed 7\n", 1)
        self.assertEqual((found.count, found.failures, found.text), (9, 1, "attempt 3 of --seed 7: exit code -11"))

    def test_a_campaign_without_a_count_failed(self):
        for output in ("", "Traceback ...", "pairs: 5 attempts, 0 failures, seed 7"):
            self.assertEqual(row(output, 1).failures, 1, output)

    def test_a_campaign_that_did_nothing_failed(self):
        self.assertEqual(row("files: 0 attempts, 0 failures, seed 7\n").failures, 1)

    def test_a_code_without_a_failure_failed(self):
        self.assertEqual(row("files: 5 attempts, 0 failures, seed 7\n", 1).failures, 1)

    def test_shares_are_the_whole(self):
        self.assertAlmostEqual(sum(campaign.share for campaign in hostile.CAMPAIGNS), 1)


class Counted(unittest.TestCase):
    def test_the_stage_counts_attempts(self):
        skipped = hostile.Row(FILES, 7, skipped="no mpirun here")
        wrong = row("files: 10 attempts, 2 failures, seed 7\n", 1)
        count = check.count_campaigns([wrong, row("files: 5 attempts, 0 failures, seed 7\n"), skipped])
        self.assertEqual((count.passed, len(count.failures), count.skipped), (13, 2, 1))


class Wanted(unittest.TestCase):
    def test_only_who_asks_waits_for_it(self):
        def stages(*words: str) -> list[str]:
            options = check.options_of(list(words))
            return check.wanted(options, check.stages(options))

        self.assertEqual(stages("--hostile"), ["hostile"])
        self.assertNotIn("hostile", stages("--all"))
        self.assertNotIn("hostile", stages("--full"))
        self.assertNotIn("hostile", stages())


if __name__ == "__main__":
    unittest.main()
