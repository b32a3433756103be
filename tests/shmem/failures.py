"""failures: a PE that dies, or a launcher that is ended, ends the job in bounded time, says why and leaves nothing.

Each job has a folder of its own for temporary files. Afterwards there is no process of its program, nothing in that
folder, and nothing new in /dev/shm. `TESS_SLOW=1` kills 100 times instead of 20.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUN = [os.environ["TESS"], "run"]
PROGRAM = os.environ["SHMEM_PROGRAMS"] + "/failures"
KILLS = 100 if os.environ.get("TESS_SLOW") else 20
PATIENCE = 20.0  # a loaded machine; without load an end takes milliseconds


def processes_of(folder: str) -> list[int]:
    """Those whose environment names the job's folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"TMPDIR={folder}\0".encode() in (entry / "environ").read_bytes():
                if (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(entry.name))
        except OSError:
            continue
    return found


class Job:
    """A running job, which is gone without a trace at the end of the `with`."""

    def __init__(self, test: unittest.TestCase, pes: int, *words: object):
        self.test, self.pes, self.words = test, pes, [str(w) for w in words]

    def __enter__(self) -> "Job":
        self.folder = tempfile.TemporaryDirectory(prefix="shmem-failures-")
        self.shared = set(os.listdir("/dev/shm"))
        environment = dict(os.environ, TMPDIR=self.folder.name, TESS_FAILURE_TIMEOUT="0.5")
        command = [*RUN, "-n", str(self.pes), PROGRAM, *self.words]
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        return self

    def wait_until_running(self) -> None:
        self.test.assertEqual(self.process.stdout.readline(), "running\n")

    def pids(self) -> list[int]:
        """Those of the PEs."""

        def is_pe(pid: int) -> bool:
            try:
                return os.readlink(f"/proc/{pid}/exe") == os.path.realpath(PROGRAM)
            except OSError:
                return False

        return [pid for pid in processes_of(self.folder.name) if is_pe(pid)]

    def end(self, patience: float = PATIENCE) -> tuple[int, str]:
        try:
            out, said = self.process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            self.test.fail(f"the job still runs after {patience} s: {self.words}")
        self.out = out
        return self.process.returncode, said

    def __exit__(self, kind, *_) -> None:
        left = processes_of(self.folder.name)
        deadline = time.monotonic() + PATIENCE
        while left and time.monotonic() < deadline and kind is None:
            time.sleep(0.005)
            left = processes_of(self.folder.name)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.process.communicate()
        files = os.listdir(self.folder.name)
        self.folder.cleanup()
        if kind is None:
            self.test.assertEqual((left, files), ([], []), self.words)
            # Others may use shared memory, too, under names of their own.
            new = {name for name in set(os.listdir("/dev/shm")) - self.shared if "shmem" in name}
            self.test.assertEqual(new, set())


class APE(unittest.TestCase):
    def dies(self, how: str, expected_code: int, expected_text: str, pes: int, victim: int, activity: str) -> None:
        with self.subTest(how=how, pes=pes, victim=victim, activity=activity):
            after = random.Random(f"{how}{victim}{activity}").randint(1, 2000)
            with Job(self, pes, how, victim, after, activity) as job:
                code, said = job.end()
            self.assertEqual(code, expected_code, said)
            self.assertIn(f"PE {victim} of {pes} {expected_text}", said)
            self.assertEqual(said.count("tess: "), 1, said)

    def test_that_dies_by_a_signal_ends_the_job_with_its_signal_and_number(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGTERM):
            name = number.name
            self.dies(str(number.value), 128 + number, f"was ended by {name}", 3, 1, "barrier")
        self.dies(str(int(signal.SIGKILL)), 137, "was ended by SIGKILL", 2, 0, "wait")
        self.dies(str(int(signal.SIGKILL)), 137, "was ended by SIGKILL", 4, 3, "lock")
        self.dies(str(int(signal.SIGKILL)), 137, "was ended by SIGKILL", 7, 5, "reduce")

    def test_that_exits_in_the_middle_ends_the_job_with_its_code(self):
        for activity in ("barrier", "wait", "lock", "reduce"):
            self.dies("exit", 3, "ended with 3", 3, 2, activity)

    def test_that_exits_in_a_program_of_start_pes_ends_the_job_with_its_code(self):
        for activity in ("barrier", "wait"):
            self.dies("old_exit", 3, "ended with 3", 3, 2, activity)

    def test_of_start_pes_says_why_if_all_exit(self):
        with Job(self, 4, "old_exit_of_all", 0, 5, "barrier") as job:
            self.assertEqual(job.end()[0], 3)
        self.assertEqual(sorted(job.out.splitlines()), [*(f"PE {pe} fails" for pe in range(4)), "running"])

    def test_that_calls_global_exit_ends_all_with_its_status(self):
        with Job(self, 4, "global_exit", 2, 50, "barrier") as job:
            self.assertEqual(job.end()[0], 5)

    def test_that_ends_without_finalize_ends_the_job_once_all_others_wait(self):
        for activity, pes, victim in (("barrier", 3, 1), ("wait", 2, 0), ("reduce", 4, 3)):
            with self.subTest(activity=activity), Job(self, pes, "leave", victim, 20, activity) as job:
                code, said = job.end()
                expected = f"tess: PE {victim} of {pes} ended without shmem_finalize; all others wait, and are ended\n"
                self.assertEqual((code, said), (1, expected))

    def test_that_ends_without_finalize_lets_others_end_without_it(self):
        for turn in range(5):
            with Job(self, 4, "forget", 0, 20 + turn, "barrier") as job:
                self.assertEqual((job.end(), job.out), ((0, ""), "running\n"))

    def test_that_is_killed_at_any_time_ends_the_job(self):
        seed = int(os.environ.get("SHMEM_SEED", "23"))
        chance = random.Random(seed)
        for turn in range(KILLS):
            pes, activity = chance.choice((2, 3, 4)), chance.choice(("barrier", "wait", "lock", "reduce"))
            with self.subTest(turn=turn, seed=seed), Job(self, pes, "never", 0, 0, activity) as job:
                if turn % 4 != 0:  # otherwise perhaps while they start
                    job.wait_until_running()
                time.sleep(chance.random() * 0.02)
                pids = job.pids()
                if not pids:
                    job.process.terminate()
                    job.end()
                    continue
                os.kill(chance.choice(pids), signal.SIGKILL)
                code, said = job.end()
                self.assertEqual(code, 137, said)
                self.assertRegex(said, rf"tess: PE \d of {pes} was ended by SIGKILL; the others are ended")

    def test_that_is_stopped_holds_the_others_up_until_it_continues(self):
        with Job(self, 3, "finish", 0, 50000, "barrier") as job:
            job.wait_until_running()
            victim = job.pids()[0]
            os.kill(victim, signal.SIGSTOP)
            time.sleep(0.3)
            self.assertIsNone(job.process.poll())
            os.kill(victim, signal.SIGCONT)
            # Each barrier of more PEs than processors takes turns of whatever else runs here.
            code, said = job.end(6 * PATIENCE)
            self.assertEqual((code, job.out, said), (0, "finished\n", ""))

    def test_that_is_stopped_ends_with_the_job(self):
        with Job(self, 3, "never", 0, 0, "barrier") as job:
            job.wait_until_running()
            os.kill(job.pids()[0], signal.SIGSTOP)
            job.process.terminate()
            self.assertEqual(job.end()[0], -signal.SIGTERM)


class ALauncher(unittest.TestCase):
    def test_that_is_ended_by_a_signal_ends_its_pes(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            for activity in ("barrier", "wait"):
                with self.subTest(number=number), Job(self, 3, "never", 0, 0, activity) as job:
                    job.wait_until_running()
                    job.process.send_signal(number)
                    self.assertEqual(job.end()[0], -number)

    def test_that_is_ended_while_pes_start_leaves_none(self):
        for turn in range(10):
            with Job(self, 4, "never", 0, 0, "barrier") as job:
                time.sleep(turn * 0.003)
                job.process.send_signal(signal.SIGKILL if turn % 2 else signal.SIGTERM)
                job.end()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
