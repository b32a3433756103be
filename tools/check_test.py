"""check_test: the closing line of `./tess test` counts what really happened. Method: reports written by hand."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402


def junit(*cases: str) -> check.Count:
    return check.count_junit(f"<testsuite>{''.join(cases)}</testsuite>")


class Junit(unittest.TestCase):
    def test_counts_each_outcome(self):
        count = junit(
            '<testcase name="a" status="run"/>',
            '<testcase name="b" status="fail"><failure message=""/><system-out>wrong</system-out></testcase>',
            '<testcase name="c" status="disabled"/>',
            '<testcase name="d" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>',
        )
        self.assertEqual((count.passed, count.skipped, count.failures), (1, 2, ["b\nwrong"]))

    def test_a_test_that_could_not_run_failed(self):
        count = junit('<testcase name="a" status="notrun"><skipped message="Unable to find executable"/></testcase>')
        self.assertEqual((count.passed, count.skipped, len(count.failures)), (0, 0, 1))


class Longest(unittest.TestCase):
    def test_the_cases_of_a_program_are_one_sum_and_the_largest_comes_first(self):
        cases = (("a.s.x", "1.5"), ("b.y", "4"), ("a.t.z", "3"), ("b.z", "2"), ("c", "0.2"))
        text = "".join(f'<testcase name="{name}" status="run" time="{time}"/>' for name, time in cases)
        self.assertEqual(check.longest(f"<testsuite>{text}</testsuite>"), "a 4, b.y 4, b.z 2")
        self.assertEqual(check.longest(f"<testsuite>{text}</testsuite>", 1), "a 4")


class OnceMore(unittest.TestCase):
    def test_what_passes_alone_is_unsteady_and_shown(self):
        count = check.decide(check.Count(passed=8, failures=["a\nlate", "b\nwrong"]), check.Count(1, 0, ["b\nwrong"]))
        self.assertEqual((count.passed, count.unsteady, count.failures), (9, ["a\nlate"], ["b\nwrong"]))

    def test_what_was_not_run_again_failed(self):
        count = check.decide(check.Count(passed=8, failures=["a\nlate", "b\nwrong"]), check.Count(passed=1))
        self.assertEqual((count.passed, len(count.unsteady), len(count.failures)), (8, 0, 2))


class Unittest(unittest.TestCase):
    def test_counts_failures_and_errors(self):
        count = check.count_unittest(1, "x\nRan 7 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=1)\n")
        self.assertEqual((count.passed, count.skipped, len(count.failures)), (3, 1, 3))

    def test_no_test_is_a_failure(self):
        self.assertEqual(len(check.count_unittest(0, "Ran 0 tests in 0.0s\n\nOK\n").failures), 1)
        self.assertEqual(len(check.count_unittest(1, "Traceback ...").failures), 1)


if __name__ == "__main__":
    unittest.main()
