"""failures: a job of processes ends correctly when one of them is killed or stopped, whatever the others wait for.

Places of this host work with each other in one way each (waiting_places), or run bfs and graph_copy; one gets SIGKILL
or SIGSTOP at some time. The others must end within the time that they have, with exit code 1 and one message that
names the place and its host, and leave no process and no file behind; if the job had not begun, with one that says so.
Then Ctrl-C. Usage: failures.py PROGRAMS LAUNCHER WAITING_PLACES [--kills N] [--seed N].
"""

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from processes import ENVIRONMENT, places_of, start_by, wait_for_places

PLACES = 3
FAILURE_TIMEOUT = 4
# Time to detect the failure, for tasks to clean up, and to end.
SECONDS_MAX = 2 * FAILURE_TIMEOUT + 3
# While a job starts, places wait for each other up to three times: for the launcher, and to meet twice.
STARTING_SECONDS_MAX = 3 * FAILURE_TIMEOUT + 3
LAUNCHER_HANGS = "the launcher did not end"
#: What places say of one that is gone before the job began: they do not know its host yet.
STARTING = ("not all of", "not all places", "before the job began", "the launcher did not answer")
WINDOWLESS = {"TESS_NO_WINDOW": "1"}
OVER_TCP = {**WINDOWLESS, "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
WAYS = ("words", "blocks", "calls", "barrier", "graphs", "events")


def works(programs: Path, waiting_places: Path) -> dict[str, list[str]]:
    """The work of the places, by name: none of it ends by itself soon."""
    all_works = {way: [str(waiting_places), way] for way in WAYS}
    all_works["gups"] = [str(programs / "gups"), "--log2-words", "20", "--updates", "400000000"]
    all_works["bfs"] = [str(programs / "bfs"), "kron:14", "--trials", "100000"]
    return all_works


def shared_files() -> set[str]:
    """Files in memory, but the folders of `tess run`, which starts no job here."""
    return {file for file in os.listdir("/dev/shm") if not file.startswith("tess-job-")}


def left_over(before: set[str], pids: list[int]) -> str:
    """Processes and files that a job left behind."""
    limit = time.monotonic() + 5
    while True:
        processes = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
        files = shared_files() - before
        if not (processes or files) or time.monotonic() > limit:
            break
        time.sleep(0.05)
    return f"left behind: processes {processes}, files {files}" if processes or files else ""


class Job:
    """Places that were started and are at work."""

    def __init__(self, launcher: str, words: list[str], settings: dict[str, str]) -> None:
        self.shm_before = shared_files()
        self.folder = tempfile.TemporaryDirectory()
        self.exit_file = Path(self.folder.name) / "code"
        self.texts = Path(self.folder.name) / "texts"
        environment = {
            **ENVIRONMENT,
            **settings,
            "TESS_FAILURE_TIMEOUT": str(FAILURE_TIMEOUT),
            "TESS_EXIT_FILE": str(self.exit_file),
        }
        with self.texts.open("w") as texts:
            self.launcher = subprocess.Popen(
                [*start_by(launcher, PLACES), *words],
                env=environment,
                stdout=texts,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pids = wait_for_places(self.launcher, PLACES)
        self.starting = False

    def ended(self, but: int) -> bool:
        """Whether all places but one ended within their time."""
        others = [pid for i, pid in enumerate(self.pids) if i != but]
        begin = time.monotonic()
        while time.monotonic() < begin + STARTING_SECONDS_MAX:
            if not set(others) & set(places_of(self.launcher.pid)):
                return time.monotonic() < begin + SECONDS_MAX or self.was_starting()
            time.sleep(0.02)
        return False

    def was_starting(self) -> bool:
        return any(words in self.text() for words in STARTING)

    def end(self) -> str:
        """Errors of the end; the launcher is gone afterwards."""
        try:
            self.launcher.wait(timeout=20)
            return left_over(self.shm_before, self.pids)
        except subprocess.TimeoutExpired:
            return LAUNCHER_HANGS
        finally:
            self.clear()

    def clear(self) -> None:
        for pid in self.pids:
            if Path(f"/proc/{pid}").exists() and pid in places_of(self.launcher.pid):
                os.kill(pid, signal.SIGKILL)
        if self.launcher.poll() is None:
            self.launcher.kill()
            self.launcher.wait()

    def text(self) -> str:
        return self.texts.read_text()


def fail_one(job: Job, which: int, number: signal.Signals | None, code: int) -> str:
    """Errors after that place got this signal, or another action was applied to it; empty if there were none."""
    if not job.pids:
        job.clear()
        return f"the places did not start: {job.text()[-1000:]}"
    begin = time.monotonic()
    if number:
        os.kill(job.pids[which], number)
    in_time = job.ended(but=which)
    seconds = time.monotonic() - begin
    if number == signal.SIGSTOP:
        os.kill(job.pids[which], signal.SIGCONT)
    starting = job.starting = job.was_starting()
    problem = job.end()
    if not in_time:
        return f"places were there after {SECONDS_MAX} s\n{job.text()[-1500:]}"
    # Open MPI 4.1 may hang when a process ends during startup, and the output of places is lost in it. The test then
    # only
    # requires that they ended and that none reported success. `tess run` would end it.
    job.starting = starting = starting or problem == LAUNCHER_HANGS
    if starting:
        said = job.exit_file.read_text() if job.exit_file.exists() else "nothing"
        return f"the places said exit code {said}" if said == "0\n" else ""
    if problem:
        return problem
    # A stopped place that continues finds itself alone, and may report that.
    named = [line for line in job.text().splitlines() if line.startswith("tess: ") and f"place {which} failed" in line]
    if len(named) != 1 or socket.gethostname() not in named[0]:
        return f"{len(named)} messages about place {which} after {seconds:.1f} s:\n{job.text()[-1500:]}"
    if number == signal.SIGABRT and "ended by SIGABRT" not in named[0]:
        return f"the signal was not passed on: {named[0]}"
    if not job.exit_file.exists() or job.exit_file.read_text() != f"{code}\n":
        return f"the places did not say exit code {code}\n{job.text()[-1500:]}"
    return ""


def check_signals(launcher: str, all_works: dict[str, list[str]]) -> list[str]:
    """Each kind of work once, alternating between kinds of connections and between places."""
    kinds = ({}, WINDOWLESS, OVER_TCP)
    cases = [(name, kinds[i % 3], (i + 1) % PLACES, signal.SIGKILL) for i, name in enumerate(all_works)]
    cases += [("barrier", WINDOWLESS, 1, signal.SIGSTOP), ("words", OVER_TCP, 2, signal.SIGSTOP)]
    cases += [("barrier", {}, 2, signal.SIGABRT)]
    errors = []
    for name, settings, which, number in cases:
        job = Job(launcher, all_works[name], settings)
        time.sleep(0.4)
        if problem := fail_one(job, which, number, 1):
            errors.append(f"{name} {settings} place {which} {number.name}: {problem}")
    return errors


def check_random(launcher: str, all_works: dict[str, list[str]], kills: int, seed: int) -> list[str]:
    errors = []
    draw = random.Random(seed)
    starting = 0
    for i in range(kills):
        name = draw.choice(sorted(all_works))
        settings = draw.choice(({}, {}, WINDOWLESS, WINDOWLESS, OVER_TCP))
        which = draw.randrange(PLACES)
        number = signal.SIGSTOP if draw.random() < 0.1 else signal.SIGKILL
        delay = draw.random()
        job = Job(launcher, all_works[name], settings)
        time.sleep(delay)
        problem = fail_one(job, which, number, 1)
        starting += job.starting
        if problem:
            errors.append(
                f"kill {i} of --seed {seed}: {name} {settings} place {which} {number.name} {delay:.3f} s: {problem}"
            )
    print(f"{kills} kills, {starting} of them while the job started, or with a launcher that hung")
    if starting > kills / 2:
        errors.append("most jobs had not started: is the machine too busy?")
    return errors


def check_caught(launcher: str, waiting_places: Path) -> list[str]:
    """A program that catches place_failed chooses how it ends."""
    errors = []
    for settings in ({}, OVER_TCP):
        job = Job(launcher, [str(waiting_places), "catch"], settings)
        time.sleep(0.3)
        problem = fail_one(job, 2, signal.SIGKILL, 0)
        if not problem and f"{PLACES - 1} places are left" not in job.text():
            problem = "it did not go on"
        if problem:
            errors.append(f"catch {settings}: {problem}")
    return errors


def interrupt(launcher: str, words: list[str]) -> str:
    job = Job(launcher, words, {})
    time.sleep(0.3)
    os.killpg(job.launcher.pid, signal.SIGINT)
    return job.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("programs", type=Path)
    parser.add_argument("launcher", help="Open MPI's mpirun, or tess")
    parser.add_argument("waiting_places", type=Path, help="the program of that name")
    parser.add_argument("--kills", type=int, default=0, help="so many random ones, instead of one for each work")
    parser.add_argument("--seed", type=int, default=1, help="of the random kills")
    options = parser.parse_args()
    all_works = works(options.programs, options.waiting_places)
    if options.kills:
        errors = check_random(options.launcher, all_works, options.kills, options.seed)
    else:
        errors = check_signals(options.launcher, all_works)
        errors += check_caught(options.launcher, options.waiting_places)
        if problem := interrupt(options.launcher, all_works["gups"]):
            errors.append(f"Ctrl-C: {problem}")
    print("\n".join(errors) or "ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
