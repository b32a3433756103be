"""campaign: what the hostile campaigns in Python have in common: a seed, a time, attempts to be repeated, a count.

An attempt is a number; all that it does is drawn from the seed and that number, so `--seed S --only N` repeats it. The
last line that is printed is `NAME: N attempts, N failures, seed N`, which tools/hostile.py reads.
"""

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAILURES_SHOWN = 5


class Campaign:
    """Counts attempts until the time is over, and keeps what failed."""

    def __init__(self, name: str, about: str) -> None:
        parser = argparse.ArgumentParser(description=about)
        parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="the folder of the build")
        parser.add_argument("--seconds", type=float, default=60, help="how long")
        parser.add_argument("--seed", type=int, default=None, help="of everything that is drawn; default: another one")
        parser.add_argument("--only", type=int, default=None, help="repeat this attempt alone")
        parser.add_argument("--jobs", type=int, default=2, help="attempts at a time")
        options = parser.parse_args()
        self.name = name
        self.build = options.build.resolve()
        self.jobs = options.jobs
        self.only = options.only
        self.seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
        self.deadline = time.monotonic() + options.seconds
        self.count = 0
        self.failures: list[str] = []
        self.folder = Path(tempfile.mkdtemp(prefix="tess-hostile-"))
        self.lock = threading.Lock()
        print(f"{name}: seed {self.seed}", flush=True)

    def goes_on(self) -> bool:
        return time.monotonic() < self.deadline

    def draw(self, attempt: int) -> random.Random:
        return random.Random(f"{self.seed}/{attempt}")

    def counted(self, attempts: int = 1) -> None:
        with self.lock:
            self.count += attempts

    def failed(self, attempt: int, problem: str, inputs: list[Path] | None = None) -> None:
        """Keeps the inputs that failed, and says where."""
        kept = ""
        if inputs:
            folder = ROOT / "build" / "hostile" / f"{self.name}-{self.seed}-{attempt}"
            folder.mkdir(parents=True, exist_ok=True)
            for file in inputs:
                if file.is_file():
                    shutil.copy(file, folder)
            kept = f" (inputs: {folder})"
        with self.lock:
            self.failures.append(f"attempt {attempt} of --seed {self.seed}: {problem}{kept}")

    def run(self, attempt_one: Callable[[int], None]) -> None:
        """Attempts with growing numbers, some at a time, until the time is over."""
        if self.only is not None:
            return attempt_one(self.only)
        numbers = iter(range(10**9))

        def work() -> None:
            while self.goes_on() and len(self.failures) < 100:
                with self.lock:
                    number = next(numbers)
                attempt_one(number)

        with ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(work) for _ in range(self.jobs)]:
                done.result()

    def end(self) -> int:
        shutil.rmtree(self.folder, ignore_errors=True)
        for text in self.failures[:FAILURES_SHOWN]:
            print(text)
        print(f"{self.name}: {self.count} attempts, {len(self.failures)} failures, seed {self.seed}")
        return 1 if self.failures else 0


def main(campaign: Campaign, attempt_one: Callable[[int], None]) -> None:
    campaign.run(attempt_one)
    sys.exit(campaign.end())
