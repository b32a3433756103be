"""signals: whatever ends or stops a part of a job that `tess run` started, all of it ends, in time, and leaves nothing.

A job of two places waits for nothing but each other. One of its processes, found by a mark in the environment, gets a
signal: `tess run`, the process that owns the job, the launcher, or a place. Then `tess run` must end within its time,
with the right exit code and a message, no process with that mark may be left, and no file in /dev/shm or in the folder
for temporary files. Usage: signals.py TESS WAITING_PLACES MANY_LINES [--mpirun] [--one-of-each] [NAME...]: only cases
with such a name; --mpirun starts the places in place of `tess spawn`; --one-of-each leaves out those that differ from
another in the signal or the time alone.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from processes import ENVIRONMENT, start_by

PLACES = 2
FAILURE_TIMEOUT = 2
# To detect the failure, for tasks to clean up, and for a launcher that does not obey.
SECONDS_MAX = 2 * FAILURE_TIMEOUT + 8
# What is killed is gone at once; a launcher that does not obey after `tess run` is gone, four seconds later.
LEFT_SECONDS_MAX = 7
MARK = "TESS_TEST_OF_SIGNALS"
# Left out by --one-of-each: the same is done with TERM, at the other place, or at another time.
LIKE_ANOTHER = r"(command|launcher|place 0|place 1|smp) SIG(HUP|INT)|place 0 SIGTERM|place 1 SIGSTOP|start 0.(06|2) s"

TERM, HUP, INT, KILL, STOP = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGSTOP)


def name_of(pid: int) -> str:
    """What a process is called; one that has ended meanwhile is called gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return "gone"


def environment_of(pid: int) -> dict[str, str]:
    try:
        words = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(word.split("=", 1) for word in words if "=" in word)


def shared_files() -> set[str]:
    """Those of jobs and UCX: memory servers may run beside the test."""
    return {name for name in os.listdir("/dev/shm") if name.startswith(("tess-job-", "ucx"))}


def parent_and_state(pid: int) -> tuple[int, str]:
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return 0, "X"
    return int(parent), state


class Job:
    """A job with a mark and a folder for temporary files of its own."""

    def __init__(self, words: list[str], *, ignored: signal.Signals | None = None, closed: bool = False) -> None:
        self.mark = uuid.uuid4().hex
        self.shm_before = shared_files()
        self.folder = tempfile.TemporaryDirectory(prefix="signals-")
        self.temporary = Path(self.folder.name) / "t"
        self.temporary.mkdir()
        self.said = Path(self.folder.name) / "said"
        environment = {
            **ENVIRONMENT,
            MARK: self.mark,
            "TMPDIR": str(self.temporary),
            "TESS_FAILURE_TIMEOUT": str(FAILURE_TIMEOUT),
        }
        with self.said.open("w") as said:
            self.command = subprocess.Popen(
                words,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if closed else said,
                stderr=said,
                start_new_session=True,
                preexec_fn=(lambda: signal.signal(ignored, signal.SIG_IGN)) if ignored else None,  # noqa: PLW1509
            )

    def processes(self) -> list[int]:
        """Those that have the mark and have not ended."""
        found = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [pid for pid in found if environment_of(pid).get(MARK) == self.mark and parent_and_state(pid)[1] != "Z"]

    def below(self, parent: int) -> list[int]:
        return [pid for pid in self.processes() if parent_and_state(pid)[0] == parent]

    def owner(self) -> int:
        return self.below(self.command.pid)[0]

    def launcher(self) -> int:
        return self.below(self.owner())[0]

    def places(self) -> list[int]:
        def number(pid: int) -> int:
            environment = environment_of(pid)
            return int(environment.get("TESS_RANK", environment.get("PMIX_RANK", -1)))

        return sorted((pid for pid in self.processes() if number(pid) >= 0), key=number)

    def wait_for_work(self) -> str:
        """The error, if the places do not begin."""
        limit = time.monotonic() + 30
        while "at work" not in self.text() or len(self.places()) < PLACES:
            if time.monotonic() > limit or self.command.poll() is not None:
                return f"the job did not begin: {self.text()[-1000:]}"
            time.sleep(0.05)
        return ""

    def text(self) -> str:
        return self.said.read_text()

    def left(self, *, files: bool) -> str:
        """What the job left, after some time."""
        limit = time.monotonic() + LEFT_SECONDS_MAX
        while True:
            processes = [f"{pid} {name_of(pid)}" for pid in self.processes()]
            shared = shared_files() - self.shm_before if files else set()
            # Folders may go while they are walked through; os.walk goes on then.
            walked = os.walk(self.temporary) if files else []
            temporary = [os.path.join(folder, name) for folder, folders, names in walked for name in folders + names]
            if not (processes or shared or temporary):
                return ""
            if time.monotonic() > limit:
                return f"left behind: processes {processes}, in /dev/shm {shared}, files {temporary}"
            time.sleep(0.05)

    def clear(self) -> None:
        for pid in self.processes():
            os.kill(pid, KILL)
        self.command.wait()
        self.folder.cleanup()
        for folder in shared_files() - self.shm_before:
            if folder.startswith("tess-job-"):
                shutil.rmtree(f"/dev/shm/{folder}", ignore_errors=True)


@dataclass
class Case:
    name: str
    act: Callable[[Job], None]
    code: int
    message: str = ""
    words: list[str] = field(default_factory=list)
    ignored: signal.Signals | None = None
    closed: bool = False
    files: bool = True
    waits: bool = True


def run_case(case: Case, usual: list[str]) -> str:
    job = Job(case.words or usual, ignored=case.ignored, closed=case.closed)
    try:
        if case.waits and (problem := job.wait_for_work()):
            return problem
        begin = time.monotonic()
        case.act(job)
        try:
            code = job.command.wait(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            return f"`tess run` did not end within {SECONDS_MAX} s: {job.text()[-1000:]}"
        seconds = time.monotonic() - begin
        if problem := job.left(files=case.files):
            return f"{problem}\n{job.text()[-1000:]}"
        if code != case.code:
            return f"exit code {code}, not {case.code}\n{job.text()[-1000:]}"
        if not re.search(case.message, job.text()):
            return f"no message `{case.message}`:\n{job.text()[-1000:]}"
        print(f"{case.name}: {seconds:.1f} s", flush=True)
        return ""
    finally:
        job.clear()


def send(number: signal.Signals, whom: Callable[[Job], int | list[int]]) -> Callable[[Job], None]:
    def act(job: Job) -> None:
        found = whom(job)
        for pid in found if isinstance(found, list) else [found]:
            os.kill(pid, number)

    return act


def to_command(job: Job) -> int:
    return job.command.pid


def stop_owner(job: Job) -> None:
    """It is continued: nobody else watches the job."""
    os.kill(job.owner(), STOP)
    time.sleep(0.3)
    os.kill(job.command.pid, TERM)


def stop_command_and_launcher(job: Job) -> None:
    """As Ctrl-Z does: no failure."""
    group = [job.command.pid, job.launcher()]
    for pid in group:
        os.kill(pid, STOP)
    time.sleep(FAILURE_TIMEOUT + 2)
    working = len(job.places()) == PLACES
    for pid in group:
        os.kill(pid, signal.SIGCONT)
    os.kill(job.command.pid, TERM if working else KILL)


def hang_up_in_vain(job: Job) -> None:
    os.kill(job.command.pid, HUP)
    time.sleep(0.5)
    os.kill(job.command.pid, TERM if len(job.places()) == PLACES else KILL)


def close_output(job: Job) -> None:
    assert job.command.stdout
    job.command.stdout.read(100)
    job.command.stdout.close()


def after(seconds: float, act: Callable[[Job], None]) -> Callable[[Job], None]:
    def later(job: Job) -> None:
        time.sleep(seconds)
        act(job)

    return later


def all_cases(tess: str, waiting_places: str, many_lines: str, launcher: str) -> list[Case]:
    ended = "tess: SIG{} ended the job"
    name = "tess spawn" if launcher == "tess" else launcher
    cases = [
        Case(f"command {n.name}", send(n, to_command), -n, ended.format(n.name[3:])) for n in (TERM, HUP, INT)
    ]
    cases += [
        Case("command KILL", send(KILL, to_command), -KILL),
        Case("owner TERM", send(TERM, Job.owner), -TERM, ended.format("TERM")),
        Case("owner KILL", send(KILL, Job.owner), 1, "which owned the job, was ended by SIGKILL"),
        Case("owner STOP", stop_owner, -TERM),
        Case("owner and command KILL", send(KILL, lambda job: [job.owner(), job.command.pid]), -KILL, files=False),
    ]
    cases += [Case(f"launcher {n.name}", send(n, Job.launcher), 1, "tess: ") for n in (TERM, HUP, INT)]
    cases += [
        Case("launcher KILL", send(KILL, Job.launcher), 1, rf"SIGKILL ended {name} \(process \d+\)"),
        Case("launcher STOP", send(STOP, Job.launcher), 1, rf"{name} \(process \d+\) has been stopped for 2"),
        Case("launcher and command STOP", stop_command_and_launcher, -TERM),
    ]
    for place in range(PLACES):
        cases += [
            Case(f"place {place} {n.name}", send(n, lambda job, p=place: job.places()[p]), 1, f"place {place} failed")
            for n in (TERM, HUP, INT, KILL, STOP)
        ]
    cases += [
        Case("places STOP", send(STOP, Job.places), 1, "every place has been stopped for 2"),
        Case("group INT", lambda job: os.killpg(job.command.pid, INT), -INT),
        Case("group KILL", lambda job: os.killpg(job.command.pid, KILL), -KILL),
        Case("HUP under nohup", hang_up_in_vain, -TERM, ignored=HUP),
    ]
    for seconds in (0.02, 0.06, 0.12, 0.2):
        act = after(seconds, send(TERM, to_command))
        cases.append(Case(f"start {seconds} s TERM", act, -TERM, waits=False))
        act = after(seconds, send(KILL, to_command))
        cases.append(Case(f"start {seconds} s KILL", act, -KILL, waits=False))
    lines = [tess, "run", "--fabric", "ucx", "--launcher", launcher, "-n", str(PLACES), many_lines, "10000000"]
    cases.append(Case("output closed", close_output, -signal.SIGPIPE, words=lines, closed=True, waits=False))
    alone = [tess, "run", "--fabric", "smp", "-n", str(PLACES), waiting_places, "words"]
    for n in (TERM, HUP, INT, KILL):
        cases.append(Case(f"smp {n.name}", after(0.3, send(n, to_command)), -n, words=alone, waits=False))
    bare = [*start_by(tess if launcher == "tess" else launcher, PLACES), waiting_places, "words"]
    cases.append(Case("bare launcher KILL", send(KILL, to_command), -KILL, words=bare, files=False))
    return cases


def main() -> int:
    tess, waiting_places, many_lines, *names = sys.argv[1:]
    one_of_each = "--one-of-each" in names
    launcher = "mpirun" if "--mpirun" in names else "tess"
    names = [name for name in names if name not in ("--one-of-each", "--mpirun")]
    usual = [tess, "run", "--fabric", "ucx", "--launcher", launcher, "-n", str(PLACES), waiting_places, "words"]
    errors = []
    cases = all_cases(tess, waiting_places, many_lines, launcher)
    for case in [case for case in cases if not (one_of_each and re.match(LIKE_ANOTHER, case.name))]:
        if (not names or any(name in case.name for name in names)) and (problem := run_case(case, usual)):
            errors.append(f"{case.name}: {problem}")
            print(errors[-1], flush=True)
    print(f"{len(errors)} failed" if errors else "ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
