"""execute: runs a plan on all processors, keeps what is done, and says how long it will still take.

A run's files are RUN.json (statistics), RUN.out and RUN.err (what it printed) and, last and only if it ended well,
RUN.done with its command and a sum of what was run: simulator, program and machine file. A run whose RUN.done has the
same is not repeated; one that failed or was cut off is.
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
from pathlib import Path

from nemesys.plan import Run


class Forecast:
    """The time that is left, from the time that runs took for their weight."""

    def __init__(self, runs: list[Run], workers: int) -> None:
        self._left = sum(run.weight for run in runs)
        self._workers = min(workers, max(len(runs), 1))
        self._seconds = 0.0
        self._weight = 0.0

    def took(self, run: Run, seconds: float) -> None:
        """One more is done."""
        self._seconds += seconds
        self._weight += run.weight
        self._left -= run.weight

    def words(self) -> str:
        """As in "1 h 20 min left"; before the first run nothing is known."""
        if self._weight == 0:
            return "time not yet known"
        minutes = round(self._seconds / self._weight * self._left / self._workers / 60)
        return f"{minutes // 60} h {minutes % 60} min left" if minutes >= 60 else f"{minutes} min left"


@functools.cache
def sum_of(file: Path) -> str:
    """Of its contents; of none where there is no such file."""
    return hashlib.sha256(file.read_bytes() if file.is_file() else b"").hexdigest()[:16]


def environment_of(run: Run) -> dict[str, str]:
    """Variables that a run is given, if it has some."""
    return getattr(run, "environment", {})


class Executor:
    """Runs of one folder."""

    def __init__(self, tess: Path, folder: Path, workers: int) -> None:
        self._tess = tess
        self._folder = folder
        self._workers = workers
        self._children: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def command(self, run: Run) -> list[str]:
        """The whole command of a run; one that is not of the simulated machine brings its own."""
        if run.machine is None:
            return run.command(self._tess, self.file(run, "json"))
        tree = self._tess.parent.parent
        machine = run.machine.argument(tree / "share" / "tessera" / "machines", self._folder / "machines")
        return [str(self._tess), "run", "--stats", str(self.file(run, "json")), *run.words(machine)]

    def made_of(self, run: Run) -> dict[str, object]:
        """What a run depends on."""
        tree = self._tess.parent.parent
        if run.machine is None:
            return {"command": self.command(run)[1:], "made_of": [sum_of(file) for file in run.files(tree)]}
        programs = tree / "libexec" / "tessera"
        machine = run.machine.argument(tree / "share" / "tessera" / "machines", self._folder / "machines")
        preset = tree / "share" / "tessera" / "machines" / f"{machine}.toml"
        files = [programs / "machine" / "tess-machine", programs / "riscv" / run.binary]
        files.append(preset if machine == run.machine.preset else Path(machine))
        made = {"command": self.command(run)[1:], "made_of": [sum_of(file) for file in files]}
        return made | ({"environment": settings} if (settings := environment_of(run)) else {})

    def is_done(self, run: Run) -> bool:
        """It ended well before, of the same parts by the same command."""
        try:
            done = json.loads(self.file(run, "done").read_text(encoding="utf-8"))
            return all(done[name] == value for name, value in self.made_of(run).items())
        except (OSError, ValueError, KeyError):
            return False

    def statistics(self, run: Run) -> dict:
        """What a run that is done measured."""
        return json.loads(self.file(run, "json").read_text(encoding="utf-8"))

    def printed(self, run: Run) -> str:
        """What its program wrote to standard output."""
        return self.file(run, "out").read_text(encoding="utf-8")

    def execute(self, runs: list[Run]) -> list[tuple[Run, str]]:
        """Runs what is not done yet; gives the runs that failed, with why."""
        self._folder.mkdir(parents=True, exist_ok=True)
        missing = [run for run in runs if not self.is_done(run)]
        if len(missing) < len(runs):
            say(f"{len(runs) - len(missing)} of {len(runs)} runs were done before")
        forecast = Forecast(missing, self._workers)
        failed: list[tuple[Run, str]] = []
        with concurrent.futures.ThreadPoolExecutor(self._workers) as pool:
            under_way = {pool.submit(self._one, run): run for run in missing}
            try:
                for count, done in enumerate(concurrent.futures.as_completed(under_way), 1):
                    run = under_way[done]
                    seconds, why = done.result()
                    forecast.took(run, seconds)
                    if why:
                        failed.append((run, why))
                    said = f"failed: {why}" if why else f"{seconds:.0f} s"
                    say(f"[{count}/{len(missing)}] {forecast.words()}; {run.key}: {said}")
            except BaseException:
                self._stop()
                pool.shutdown(cancel_futures=True)
                raise
        return failed

    def _one(self, run: Run) -> tuple[float, str]:
        """One run: its seconds, and why it failed if it did."""
        begin = time.monotonic()
        made_of = self.made_of(run)
        self.file(run, "done").unlink(missing_ok=True)
        with self.file(run, "out").open("wb") as output, self.file(run, "err").open("wb") as error:
            with self._lock:
                if self._stopped:
                    return 0.0, "stopped"
                child = subprocess.Popen(self.command(run), stdin=subprocess.DEVNULL, stdout=output, stderr=error,
                                         env=os.environ | environment_of(run))  # fmt: skip
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
        self.file(run, "done").write_text(json.dumps(made_of | {"seconds": seconds}), encoding="utf-8")
        return seconds, ""

    def _stop(self) -> None:
        """Ends what this started, and starts nothing more."""
        with self._lock:
            self._stopped = True
            for child in self._children:
                child.terminate()

    def file(self, run: Run, suffix: str) -> Path:
        """One of a run's files."""
        return self._folder / f"{run.key}.{suffix}"


def say(text: str) -> None:
    """Progress goes to standard error, a line each."""
    print(f"tess: reproduce: {text}", file=sys.stderr, flush=True)
