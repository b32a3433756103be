"""sampling: runs whose first part has no time (--fast-forward-to), and estimates from windows (--sample).

Method: `phases` has parts whose costs are known; what is timed of it after a fast-forward, and what is estimated, are
compared with a run that is timed as a whole. Outputs and files are those of any other run. Wrong words are refused; a
window's process that is ended is reported; after Ctrl-C there is no process left.
Usage: sampling.py TESS_MACHINE PROGRAMS
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SECONDS_MAX = 100
MACHINES = ("single-tile", "sifive-u74", "nemesys-4x4")


class Runs(unittest.TestCase):
    """Each test has a folder of its own, in which all runs begin."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def run_machine(self, *words: str, code: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run([MACHINE, *words], cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=SECONDS_MAX, stdin=subprocess.DEVNULL)  # fmt: skip
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def measured(self, *words: str) -> tuple[str, dict]:
        output = self.run_machine("--quiet", "--stats", "s.json", *words).stdout
        return output, json.loads((self.folder / "s.json").read_text(encoding="utf-8"))

    def near(self, got: float, wanted: float, share: float) -> None:
        self.assertLess(abs(got / wanted - 1), share, f"{got} instead of {wanted}")


class AFastForwardedRun(Runs):
    def test_measures_what_a_whole_run_does(self) -> None:
        for machine in MACHINES:
            words = ["--machine", machine, "--timing", "on"]
            program = ["--", f"{PROGRAMS}/phases", "4"]
            output, whole = self.measured(*words, *program)
            again, part = self.measured(*words, "--fast-forward-to", "begin", *program)
            self.assertEqual(again, output)
            self.assertTrue(part["measured"]["marked"])
            self.near(part["measured"]["cycles"], whole["measured"]["cycles"], 0.01)
            # Together they are the run.
            all_of_it = part["instructions"] + part["fast_forwarded_instructions"]
            self.near(all_of_it, whole["instructions"], 0.001)
            self.assertLess(part["cycles"], whole["cycles"])
            begun = [one for one in part["regions"] if one["name"] == "following"]
            same = [one for one in whole["regions"] if one["name"] == "following"]
            self.assertEqual(begun[0]["times"], same[0]["times"])
            self.near(begun[0]["cycles"], same[0]["cycles"], 0.01)

    def test_begins_where_it_is_told(self) -> None:
        program = ["--", f"{PROGRAMS}/phases", "4"]
        words = ["--machine", "single-tile"]
        output, whole = self.measured(*words, "--timing", "on", *program)
        regions = {one["name"]: one for one in whole["regions"]}
        again, part = self.measured(*words, "--fast-forward-to", "following", *program)
        self.assertEqual(again, output)
        self.assertEqual([one["times"] for one in part["regions"]], [4, 3])  # the first `adding` was before
        self.near(part["regions"][0]["cycles"], regions["following"]["cycles"], 0.02)
        _, end = self.measured(*words, "--fast-forward-to", "end", *program)
        self.assertNotIn("regions", end)
        self.assertFalse(end["measured"]["marked"])
        # Three instructions a step, of 100000 steps.
        self.near(end["instructions"], 300_000, 0.1)
        _, count = self.measured(*words, "--fast-forward-to", "250000", *program)
        self.near(count["fast_forwarded_instructions"], 250_000, 0.001)

    def test_has_its_threads_and_files_afterwards(self) -> None:
        (self.folder / "letters").write_text("abc" * 2000, encoding="utf-8")
        for words in (["crowd", "7"], ["threads"], ["containers"], ["phases", "1", "letters"]):
            program = ["--allow-write", ".", "--", f"{PROGRAMS}/{words[0]}", *words[1:]]
            wanted = self.run_machine("--quiet", "--machine", "nemesys-2x2", *program).stdout
            for instructions in ("20000", "60000", "150000"):
                forward = ["--machine", "nemesys-2x2", "--fast-forward-to", instructions]
                got = self.run_machine("--quiet", *forward, *program)
                self.assertEqual(got.stdout, wanted, (words, instructions))

    def test_says_so_if_the_program_ends_before(self) -> None:
        done = self.run_machine("--machine", "single-tile", "--fast-forward-to", "nowhere", "--", f"{PROGRAMS}/phases")
        self.assertIn("the run ended before nowhere", done.stderr)
        self.assertIn("instructions", done.stderr)

    def test_refuses_what_has_no_such_part(self) -> None:
        program = ["--", f"{PROGRAMS}/phases"]
        begin = ["--fast-forward-to", "begin"]
        for words, why in (
            (["--fast-forward-to", "12x", *program], "give begin or end"),
            ([*begin, "--timing", "off", *program], "--timing off"),
            ([*begin, "--machine", "nemesys-2x2", "--copies", "2", *program], "one copy"),
            ([*begin, "--checkpoint-at", "end", *program], "--checkpoint-at"),
            ([*begin, "--profile", "p.svg", *program], "--profile"),
            ([*begin, "--gdb", ":0", *program], "--gdb"),
            ([*begin, "--machine", "cni-4", *program], "lines with events"),
            ([*begin, "--machine", "dir-4", *program], "directories"),
            ([*begin, "--machine", "mppa-256", *program], "clusters"),
            ([*begin, "--machine", "nemesys-2x2", "--system", "kernel", *program], "--system polled"),
            ([*begin, "--machine", "nemesys-2x2", "--", f"{PROGRAMS}/adding"], "looks at units"),
        ):
            self.assertIn(why, self.run_machine(*words, code=2).stderr)


class ASampledRun(Runs):
    words = ("--sample", "period=20000,window=2000,warmup=4000")

    def test_estimates_the_cycles_of_a_whole_run(self) -> None:
        for machine in MACHINES:
            program = ["--machine", machine, "--", f"{PROGRAMS}/phases", "12"]
            output, whole = self.measured("--timing", "on", *program)
            again, sampled = self.measured(*self.words, *program)
            self.assertEqual(again, output)
            self.assertTrue(sampled["sampled"])
            self.assertEqual(sampled["failed_windows"], 0)
            for part, cycles in (("all", whole["cycles"]), ("measured", whole["measured"]["cycles"])):
                found = sampled[part]
                # Three times the 95 % interval: it is missed once in 400, but it is always the same.
                self.assertLess(abs(found["cycles"] - cycles), 1.5 * found["cycles_half_width"] + 0.01 * cycles)
                self.assertGreater(found["windows"], 20)
            repeated = self.measured(*self.words, *program)[1]
            del repeated["host"], sampled["host"]
            self.assertEqual(repeated, sampled)

    def test_follows_caches_as_far_as_it_is_told(self) -> None:
        program = ["--machine", "sifive-u74", "--", f"{PROGRAMS}/phases", "12"]
        _, whole = self.measured("--timing", "on", *program)
        plans = {words: self.measured("--sample", f"period=20000,window=2000,warmup=4000{words}", *program)
                 for words in ("", ",follow=all", ",follow=500000", ",follow=6000", ",follow=0")}  # fmt: skip
        for words, (_, found) in plans.items():
            self.assertEqual(found["all"]["instructions"], plans[""][1]["all"]["instructions"], words)
            # Where all is followed, a window that a call cuts short does not count.
            self.assertLessEqual(abs(found["all"]["windows"] - plans[""][1]["all"]["windows"]), 3, words)
            del found["host"], found["follow"]
        # More than a period is all of it; less is another way to the same windows.
        self.assertEqual(plans[",follow=all"], plans[",follow=500000"])
        self.assertNotEqual(plans[",follow=0"][1]["all"]["cycles"], plans[",follow=all"][1]["all"]["cycles"])
        for words in ("", ",follow=6000"):
            found = plans[words][1]["all"]
            self.assertLess(abs(found["cycles"] - whole["cycles"]),
                            1.5 * found["cycles_half_width"] + 0.02 * whole["cycles"], words)  # fmt: skip

    def test_is_the_same_whatever_executes_it(self) -> None:
        for plan, machine, *program in (
            ("period=20000,window=2000,warmup=4000,follow=6000", "sifive-u74", "phases", "12"),
            ("period=500000,window=20000,warmup=4000", "sifive-u74", "containers"),
            ("period=500000,window=20000,warmup=4000", "nemesys-4x4", "containers"),
            ("period=20000,window=2000,warmup=4000", "nemesys-4x4", "threads"),  # with several, it is not translated
        ):
            words = ["--sample", plan, "--machine", machine, "--", f"{PROGRAMS}/{program[0]}", *program[1:]]
            translated = self.measured(*words)[1]
            interpreted = self.measured("--engine", "interpreter", *words)[1]
            del interpreted["host"], translated["host"]
            self.assertEqual(interpreted, translated, words)

    def test_knows_more_where_all_is_followed(self) -> None:
        program = ["--machine", "nemesys-4x4", "--", f"{PROGRAMS}/containers"]
        plan = "period=200000,window=2000,warmup=4000"
        _, whole = self.measured("--timing", "on", *program)
        _, followed = self.measured("--sample", plan, *program)
        _, part = self.measured("--sample", f"{plan},follow=199000", *program)
        self.assertGreater(followed["all"]["explained_by"], 0)
        self.assertEqual(part["all"]["explained_by"], 0)
        self.assertLess(followed["all"]["half_width"], part["all"]["half_width"])
        self.assertLess(abs(followed["all"]["cycles"] - whole["cycles"]),
                        1.5 * followed["all"]["cycles_half_width"] + 0.01 * whole["cycles"])  # fmt: skip

    def test_says_which_period_would_be_enough(self) -> None:
        plan = "period=100000,window=2000,warmup=2000,follow=50000,error=0.5%"
        done = self.run_machine("--machine", "single-tile", "--sample", plan, "--", f"{PROGRAMS}/phases", "12")
        shorter = re.search(r"for \+-0.5%.*period=(\d+)", done.stderr)
        self.assertIsNotNone(shorter, done.stderr)
        self.assertLess(int(shorter[1]), 100_000)

    def test_leaves_files_and_output_to_the_run(self) -> None:
        (self.folder / "letters").write_text("abc" * 20_000, encoding="utf-8")
        for words in (["phases", "2", "letters"], ["crowd", "7"], ["threads"]):
            program = ["--machine", "nemesys-2x2", "--allow-write", ".", "--", f"{PROGRAMS}/{words[0]}", *words[1:]]
            wanted = self.run_machine("--quiet", *program).stdout
            for period in ("period=9000", "period=31000"):
                plan = f"{period},window=1000,warmup=500"
                with (self.folder / "out").open("w") as out:
                    subprocess.run([MACHINE, "--quiet", "--sample", plan, *program], cwd=self.folder, stdout=out,
                                   check=True, timeout=SECONDS_MAX, stdin=subprocess.DEVNULL)  # fmt: skip
                self.assertEqual((self.folder / "out").read_text(encoding="utf-8"), wanted, words)

    def begun(self) -> subprocess.Popen:
        plan = "period=30000000,window=9000000,warmup=9000000"  # long enough to meet one
        one = subprocess.Popen([MACHINE, "--machine", "single-tile", "--sample", plan, "--", f"{PROGRAMS}/phases",
                                "100000000"], stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(one.kill)
        return one

    def child_of(self, parent: int) -> int | None:
        """A process that simulates a window; one that has ended may still be there."""
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split():
            if self.text_of(Path(f"/proc/{child}/stat")).rpartition(")")[2].split()[:1] in (["R"], ["S"], ["D"]):
                return int(child)
        return None

    def a_child_of(self, parent: int) -> int:
        until = time.monotonic() + 20
        while (child := self.child_of(parent)) is None:
            self.assertLess(time.monotonic(), until, "no window has begun")
        return child

    def test_reports_a_window_whose_process_is_ended(self) -> None:
        one = self.begun()
        for _ in range(100):  # it may have ended meanwhile
            ended = self.a_child_of(one.pid)
            with contextlib.suppress(ProcessLookupError):
                os.kill(ended, signal.SIGKILL)
                break
        # The next window begins when the one before it has been looked at, if there are two processors.
        until = time.monotonic() + 20
        while self.child_of(one.pid) in (None, ended) and time.monotonic() < until:
            time.sleep(0.01)
        one.send_signal(signal.SIGINT)
        _, said = one.communicate(timeout=SECONDS_MAX)
        self.assertIn("ended by signal 9", said)
        self.assertNotEqual(one.returncode, 0)

    def test_leaves_no_process_after_ctrl_c(self) -> None:
        one = self.begun()
        self.a_child_of(one.pid)
        one.send_signal(signal.SIGINT)
        _, said = one.communicate(timeout=20)
        self.assertEqual(one.returncode, 130)
        self.assertIn("stopped by SIGINT", said)
        mine = [line for line in Path("/proc").glob("[0-9]*/stat") if f" {one.pid} " in self.text_of(line)]
        self.assertEqual(mine, [])

    @staticmethod
    def text_of(file: Path) -> str:
        try:
            return file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def test_refuses_wrong_words(self) -> None:
        program = ["--machine", "single-tile", "--", f"{PROGRAMS}/phases"]
        for plan in ("", "often", "period", "period=0", "period=1e6", "window=", "warmup=-3", "follow=some", "error=x%",
                     "error=0", "period=5000,window=4000,warmup=1000", "window=0", "period=20000,"):  # fmt: skip
            if plan:
                self.run_machine("--sample", plan, *program, code=2)
        none = self.run_machine("--sample", "error=0%", *program, code=2).stderr
        self.assertIn("give an error of more than 0 %", none)
        for more in (["--trace", "t.json"], ["--timing", "off"], ["--fast-forward-to", "begin"], ["--copies", "2"]):
            self.run_machine("--sample", "auto", *more, *program, code=2)


if __name__ == "__main__":
    MACHINE, PROGRAMS = (str(Path(given).resolve()) for given in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
