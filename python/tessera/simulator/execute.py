"""execute: executes runs on all processors, skips those that are done, and forecasts the remaining time.

The files of a run are RUN.json (statistics), RUN.out and RUN.err (its output) and, written last and only on success,
RUN.done with its command and a hash of each input: simulator, program, machine files and what the system's harts run. A
run is skipped if its RUN.done matches; a run that failed or was interrupted is repeated.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tessera.simulator.machines import described, files_of


class RunMachine(Protocol):
    """A machine file: a preset, or a file derived from one."""

    preset: str

    def argument(self, presets: Path, folder: Path) -> str:
        """Value of `--machine`; a derived file is written to `folder`."""


class Run(Protocol):
    """One run of a program on the simulated machine. Frozen and hashable."""

    machine: RunMachine
    weight: float  # expected duration, relative to other runs

    @property
    def key(self) -> str:
        """Names the run's files."""

    @property
    def binary(self) -> str:
        """The program's name for `tess run`, or its path."""

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""


class HostRun(Protocol):
    """One run of a command on this computer."""

    machine: None
    weight: float

    @property
    def key(self) -> str:
        """Names the run's files."""

    def command(self, tess: Path, statistics: Path) -> list[str]:
        """The whole command; it writes the file `statistics`."""

    def files(self, tree: Path) -> list[Path]:
        """Files that the results depend on."""


AnyRun = Run | HostRun


class Forecast:
    """Remaining time, estimated from the time per weight of the finished runs."""

    def __init__(self, runs: list[AnyRun], workers: int) -> None:
        self._left = sum(run.weight for run in runs)
        self._workers = min(workers, max(len(runs), 1))
        self._seconds = 0.0
        self._weight = 0.0

    def add(self, run: AnyRun, seconds: float) -> None:
        """Counts a finished run."""
        self._seconds += seconds
        self._weight += run.weight
        self._left -= run.weight

    def __str__(self) -> str:
        """E.g. "1 h 20 min left"."""
        if self._weight == 0:
            return "time not yet known"
        seconds = round(self._seconds / self._weight * self._left / self._workers)
        if seconds < 120:
            return f"{seconds} s left"
        minutes = round(seconds / 60)
        return f"{minutes // 60} h {minutes % 60} min left" if minutes >= 60 else f"{minutes} min left"


@functools.cache
def _hash_of_version(file: Path, modified_ns: int, size_bytes: int) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def file_hash(file: Path) -> str:
    """Hash of a file's content; of nothing if there is no such file."""
    if not file.is_file():
        return hashlib.sha256(b"").hexdigest()[:16]
    facts = file.stat()
    return _hash_of_version(file, facts.st_mtime_ns, facts.st_size)


def environment_of(run: AnyRun) -> dict[str, str]:
    """Environment variables of a run, if it sets any."""
    return getattr(run, "environment", {})


def machine_argument(machine: RunMachine, tess: Path, folder: Path) -> str:
    """Value of `--machine`; a derived machine file is written to `folder`."""
    return machine.argument(tess.parent.parent / "share" / "tessera" / "machines", folder)


def machine_files(machine: str, tess: Path) -> list[Path]:
    """The files of a value of `--machine`: its own, those that it extends, and their memories."""
    return files_of(tess.parent.parent / "share" / "tessera" / "machines", machine)


def program_files(run: Run, machine: str, tess: Path) -> dict[str, Path]:
    """What a run on a machine executes, by name: simulator, program, and what the system's harts run if they do."""
    programs = tess.parent.parent / "libexec" / "tessera"
    found = {"tess-machine": programs / "machine" / "tess-machine", run.binary: programs / "riscv" / run.binary}
    words = run.words(machine)
    options = words[: words.index(run.binary)] if run.binary in words else words
    if "--system" in options:
        system = options[options.index("--system") + 1]
    else:
        # A machine that does not exist fails when it is run.
        presets = tess.parent.parent / "share" / "tessera" / "machines"
        machine_file = described(presets, machine) if machine_files(machine, tess)[0].is_file() else {}
        system = machine_file.get("system", {}).get("runs", "polled")
    if system == "kernel":
        found["system-kernel"] = programs / "machine" / "system-kernel"
    elif system != "polled":
        found[Path(system).name] = Path(system)
    return found


def say(text: str, command: str = "reproduce") -> None:
    """Prints a line of progress to standard error."""
    print(f"tess: {command}: {text}", file=sys.stderr, flush=True)


class Executor:
    """Executes runs and keeps their files in one folder."""

    def __init__(self, tess: Path, folder: Path, workers: int, tell: Callable[[str], None] = say) -> None:
        self._tess = tess
        self._tell = tell  # takes lines of progress
        self._folder = folder
        self._workers = workers
        self._children: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False
        self.facts: dict[str, str] = {}  # recorded with each run that is made

    @property
    def tess(self) -> Path:
        """The command `tess`."""
        return self._tess

    @property
    def folder(self) -> Path:
        """Where the runs' files are."""
        return self._folder

    def command(self, run: AnyRun) -> list[str]:
        """The whole command of a run; a run on this computer has its own."""
        if run.machine is None:
            return run.command(self._tess, self.file(run, "json"))
        machine = machine_argument(run.machine, self._tess, self._folder / "machines")
        return [str(self._tess), "run", "--stats", str(self.file(run, "json")), *run.words(machine)]

    def inputs(self, run: AnyRun) -> dict[str, object]:
        """Everything that the outcome of a run depends on."""
        tree = self._tess.parent.parent
        if run.machine is None:
            return {"command": self.command(run)[1:], "inputs": [file_hash(file) for file in run.files(tree)]}
        machine = machine_argument(run.machine, self._tess, self._folder / "machines")
        files = [*program_files(run, machine, self._tess).values(), *machine_files(machine, self._tess)]
        files += getattr(run, "inputs", ())
        made = {"command": self.command(run)[1:], "inputs": [file_hash(file) for file in files]}
        return made | ({"environment": settings} if (settings := environment_of(run)) else {})

    def is_done(self, run: AnyRun) -> bool:
        """Whether the run succeeded before, with the same command and inputs."""
        try:
            done = json.loads(self.file(run, "done").read_text(encoding="utf-8"))
            return all(done[name] == value for name, value in self.inputs(run).items())
        except (OSError, ValueError, KeyError):
            return False

    def record(self, run: AnyRun) -> dict | None:
        """What was recorded of a run that is done: its inputs, its `seconds` and the facts; None if it is not done."""
        return json.loads(self.file(run, "done").read_text(encoding="utf-8")) if self.is_done(run) else None

    def seconds(self, run: AnyRun) -> float | None:
        """How long a run took that is done; None if it is not."""
        found = self.record(run)
        return None if found is None else found["seconds"]

    def statistics(self, run: AnyRun) -> dict:
        """Statistics of a run that is done."""
        return json.loads(self.file(run, "json").read_text(encoding="utf-8"))

    def printed(self, run: AnyRun) -> str:
        """Standard output of a run that is done."""
        return self.file(run, "out").read_text(encoding="utf-8")

    def execute(self, runs: list[AnyRun]) -> list[tuple[AnyRun, str]]:
        """Executes the runs that are not done yet; the failed ones, each with the reason."""
        self._folder.mkdir(parents=True, exist_ok=True)
        missing = [run for run in runs if not self.is_done(run)]
        if len(missing) < len(runs):
            self._tell(f"{len(runs) - len(missing)} of {len(runs)} runs were done before")
        forecast = Forecast(missing, self._workers)
        failed: list[tuple[AnyRun, str]] = []
        with concurrent.futures.ThreadPoolExecutor(self._workers) as pool:
            submitted = {pool.submit(self._one, run): run for run in missing}
            try:
                for count, done in enumerate(concurrent.futures.as_completed(submitted), 1):
                    run = submitted[done]
                    seconds, reason = done.result()
                    forecast.add(run, seconds)
                    if reason:
                        failed.append((run, reason))
                    outcome = f"failed: {reason}" if reason else f"{seconds:.0f} s"
                    name = getattr(run, "label", "") or run.key
                    self._tell(f"[{count}/{len(missing)}] {forecast}; {name}: {outcome}")
            except BaseException:
                self._stop()
                pool.shutdown(cancel_futures=True)
                raise
        return failed

    def _one(self, run: AnyRun) -> tuple[float, str]:
        """Executes one run: its seconds, and the reason if it failed."""
        begin = time.monotonic()
        inputs = self.inputs(run)
        self.file(run, "done").unlink(missing_ok=True)
        with self.file(run, "out").open("wb") as output, self.file(run, "err").open("wb") as error:
            with self._lock:
                if self._stopped:
                    return 0.0, "stopped"
                # The papers' tiles work with all their harts; one's own program has the workers that it asks for.
                usual = {} if "/" in getattr(run, "binary", "") else {"TESS_WORKERS": "harts"}
                environment = usual | os.environ | environment_of(run)
                child = subprocess.Popen(self.command(run), stdin=subprocess.DEVNULL, stdout=output, stderr=error,
                                         env=environment)  # fmt: skip
                self._children.add(child)
            code = child.wait()
            with self._lock:
                self._children.discard(child)
        seconds = time.monotonic() - begin
        if code != 0:
            return seconds, f"exit code {code}; see {self.file(run, 'err')} and .out"
        try:
            self.statistics(run)
        except (OSError, ValueError) as wrong:
            return seconds, f"no statistics: {wrong}"
        self.file(run, "done").write_text(json.dumps(inputs | {"seconds": seconds} | self.facts), encoding="utf-8")
        return seconds, ""

    def _stop(self) -> None:
        """Terminates the runs that were started, and starts no more."""
        with self._lock:
            self._stopped = True
            for child in self._children:
                child.terminate()

    def file(self, run: AnyRun, suffix: str) -> Path:
        """Path of one of a run's files."""
        return self._folder / f"{run.key}.{suffix}"
