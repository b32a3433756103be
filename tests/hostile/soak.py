"""soak: a mixture of programs on all fabrics in a loop, beside a memory server that lives all the time.

Each result must be that of one place on smp; no run may leave a process or a file; and after all of it the server has
no more memory and descriptors than after its first rounds. Usage: soak.py [--seconds S] [--seed N] [--only N].
"""

import filecmp
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from campaign import Campaign

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "programs"))

from equal_results import equal  # noqa: E402
from failures import shared_files  # noqa: E402
from processes import ENVIRONMENT, command, result_of  # noqa: E402

PROGRAMS = (
    ("gups", "--log2-words", "9", "--updates", "2000"),
    ("bfs", "kron:8"),
    ("pagerank", "kron:7"),
    ("components", "kron:8,2"),
    ("sssp", "grid:20x20"),
    ("triangles", "kron:7"),
    ("histogram", "--form", "words", "--words", "777", "--numbers", "3001"),
    ("histogram", "--form", "messages", "--words", "777", "--numbers", "3001"),
)
FABRICS = ("smp", "smp", "hostile", "checked", "ucx", "ucx")
FIRST_ROUNDS = 20
GROWN_KB_MAX = 16 * 1024
LARGEST_FILE = 300_000

campaign = Campaign("soak", __doc__.splitlines()[0])
campaign.jobs = 1
TESS = str(campaign.build / "bin/tess")


class Server:
    """A `tess memd`, and what it takes."""

    def __init__(self) -> None:
        self.at = str(campaign.folder / "memd.sock")
        words = [TESS, "memd", "--size", "64M", "--name", self.at, "--file", str(campaign.folder / "kept")]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.rounds = 0
        self.first: tuple[int, int] = (0, 0)

    def takes(self) -> tuple[int, int]:
        """Its memory in KB, and its descriptors."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        rss = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon:"))
        return rss, len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def mem(self, *words: str) -> str:
        done = subprocess.run([TESS, "mem", "--server", self.at, *words], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"mem {' '.join(words)}: {done.stdout}{done.stderr}"

    def work(self, draw: random.Random) -> str:
        """A file goes to the server and comes back."""
        there, back = campaign.folder / "there", campaign.folder / "back"
        there.write_bytes(draw.randbytes(1 + draw.randrange(LARGEST_FILE)))
        problem = (
            self.mem("copy-in", str(there), "region")
            or self.mem("grant", "region", "read", "--user", "5")
            or self.mem("copy-out", "region", str(back))
            or self.mem("rm", "region")
        )
        if not problem and not filecmp.cmp(there, back, shallow=False):
            problem = "a file comes back changed"
        self.rounds += 1
        if self.rounds == FIRST_ROUNDS:
            self.first = self.takes()
        return problem

    def end(self) -> str:
        last = self.takes()
        self.process.terminate()
        code = self.process.wait()
        if code != 0:
            return f"the server ends with code {code}"
        if self.rounds > FIRST_ROUNDS and (last[0] > self.first[0] + GROWN_KB_MAX or last[1] > self.first[1] + 2):
            return f"the server grew from {self.first} to {last} (KB, descriptors) in {self.rounds} rounds"
        return ""


def leftovers(before: set[str]) -> str:
    """Processes and files that were not there before."""
    files = shared_files() - before
    own = str(campaign.build)
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    running = []
    for pid in children:
        try:
            if own.encode() in Path(f"/proc/{pid}/cmdline").read_bytes() and int(pid) != server.process.pid:
                running.append(pid)
        except OSError:
            continue
    return f"left behind: processes {running}, files {files}" if running or files else ""


def attempt_one(attempt: int) -> None:
    draw = campaign.draw(attempt)
    words, fabric = draw.choice(PROGRAMS), draw.choice(FABRICS)
    programs = campaign.build / "libexec/tessera"
    before = shared_files()
    if words not in expected:
        expected[words] = result_of([str(programs / words[0]), *words[1:]], {"TESS_PLACES": "1", "TESS_FABRIC": "smp"})
    places = draw.choice((1, 2, 3, 4))
    settings = {"places": str(places), "TESS_FABRIC": fabric, "TESS_WORKERS": draw.choice(("1", "2"))}
    if draw.random() < 0.2:
        settings["TESS_DELAY"] = "20us"
    if fabric == "ucx":
        settings["places"] = str(max(places, 2))
        found = result_of(command(launcher, max(places, 2), words, programs), settings)
    else:
        settings["TESS_PLACES"] = str(places)
        found = result_of([str(programs / words[0]), *words[1:]], settings)
    problem = ""
    if isinstance(found, str):
        problem = found
    elif not equal(expected[words], found):
        problem = f"another result: {found} instead of {expected[words]}"
    problem = problem or leftovers(before) or server.work(draw)
    if problem:
        campaign.failed(attempt, f"{words} {settings}: {problem}")
    campaign.counted()


launcher = shutil.which("mpirun", path=ENVIRONMENT.get("PATH")) or "mpirun"
expected: dict[tuple[str, ...], dict[str, object] | str] = {}
server = Server()

if __name__ == "__main__":
    campaign.run(attempt_one)
    if problem := server.end():
        campaign.failed(campaign.count, problem)
    sys.exit(campaign.end())
