"""hostile: the campaigns of `./tess test --hostile`, one after the other, and a table of what they did.

Each campaign (tests/hostile) gets its part of the time and a seed of its own, which it prints; its last line is its
count. A campaign that cannot run here is skipped, with the reason; one that ends without its count has failed.
Usage: hostile.py [--build FOLDER] [--seconds S] [--seed N] [CAMPAIGN...].
"""

import argparse
import contextlib
import dataclasses
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 600
#: After its time a campaign may need this long to end what it began.
SECONDS_TO_END = 240
LAST_LINE = re.compile(r"^(\w+): (\d+) attempts, (\d+) failures, seed (\d+)$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Campaign:
    """A program of tests/hostile, and its part of the time."""

    name: str
    share: float
    does: str
    compiled: bool = False
    needs_mpirun: bool = False


CAMPAIGNS = (
    Campaign("files", 0.22, "graphs, machine files and journals, damaged, given to the programs"),
    Campaign("replays", 0.08, "packets, object graphs, executables … given to the fuzz targets"),
    Campaign("conversations", 0.12, "broken conversations with a server, local and by TLS", compiled=True),
    Campaign("packets", 0.06, "garbage for the sockets of a job", needs_mpirun=True),
    Campaign("kills", 0.12, "servers and clients killed; acknowledged writes compared", compiled=True),
    Campaign("places", 0.12, "places of jobs killed or stopped", needs_mpirun=True),
    Campaign("pairs", 0.18, "faults between two servers and their witness", compiled=True),
    Campaign("soak", 0.10, "programs on all fabrics in a loop, beside a server", needs_mpirun=True),
)

#: What the campaigns use; those that a build does not have are left out.
TARGETS = (
    *("tess_cli", "tess_memd_program", "tess_mem_program", "tess_machine_program", "waiting_places"),
    *(f"hostile_{campaign.name}" for campaign in CAMPAIGNS if campaign.compiled),
    *(f"{name}_fuzz_replay" for name in ("decoder", "elf", "graph", "machine_file", "memd", "object", "packet")),
    *(
        f"libexec/tessera/{name}"
        for name in ("bfs", "components", "gups", "histogram", "pagerank", "sssp", "triangles")
    ),
)


@dataclasses.dataclass
class Row:
    """What a campaign did."""

    campaign: Campaign
    seed: int
    count: int = 0
    failures: int = 0
    seconds: float = 0
    text: str = ""  # of its failures
    skipped: str = ""  # why


def row_of(campaign: Campaign, seed: int, code: int, output: str, seconds: float) -> Row:
    """Reads the last line; without one the campaign itself has failed."""
    found = LAST_LINE.search(output)
    if not found or found[1] != campaign.name:
        text = f"{campaign.name} ended with code {code} and without its count, seed {seed}\n{output[-3000:]}"
        return Row(campaign, seed, failures=1, seconds=seconds, text=text)
    row = Row(campaign, seed, int(found[2]), int(found[3]), seconds)
    if row.count == 0 and row.failures == 0:
        row.failures, row.text = 1, f"{campaign.name} did nothing, seed {seed}"
    elif row.failures:
        row.text = output[: found.start()].strip()
    elif code != 0:
        row.failures, row.text = 1, f"{campaign.name} ended with code {code}, seed {seed}\n{output[-3000:]}"
    return row


def run_one(campaign: Campaign, build: Path, seconds: float, seed: int) -> Row:
    if campaign.needs_mpirun and not shutil.which("mpirun"):
        return Row(campaign, seed, skipped="no mpirun here (./tess setup cluster)")
    program = [str(build / "tests" / f"hostile_{campaign.name}")]
    if not campaign.compiled:
        script = ROOT / "tests/hostile" / f"{campaign.name}.py"
        program = [sys.executable, str(script), "--build", str(build)]
    command = [*program, "--seconds", str(max(1, round(seconds))), "--seed", str(seed)]
    start = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "TESS": str(build / "bin/tess"), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output = process.communicate(timeout=seconds + SECONDS_TO_END)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output = process.communicate()[0] + f"\nit did not end within {seconds + SECONDS_TO_END:.0f} s"
    # Servers of a campaign that failed may be left.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return row_of(campaign, seed, process.returncode, output, time.monotonic() - start)


def table(rows: list[Row]) -> str:
    lines = [f"{'campaign':<14} {'seed':>10} {'count':>8} {'failures':>8} {'seconds':>7}  what"]
    for row in rows:
        what = f"skipped: {row.skipped}" if row.skipped else row.campaign.does
        lines.append(
            f"{row.campaign.name:<14} {row.seed:>10} {row.count:>8} {row.failures:>8} {row.seconds:>7.0f}  {what}"
        )
    return "\n".join(lines)


def run_all(build: Path, seconds: float, seed: int | None, names: list[str]) -> list[Row]:
    """One row for each campaign; all of them if none is named."""
    chosen = [campaign for campaign in CAMPAIGNS if not names or campaign.name in names]
    whole = sum(campaign.share for campaign in chosen)
    draw = random.Random(seed) if seed is not None else random.SystemRandom()
    seeds = {campaign.name: draw.randrange(2**32) for campaign in CAMPAIGNS}
    rows = []
    for campaign in chosen:
        own_seconds = seconds * campaign.share / whole
        print(f"  {campaign.name}: seed {seeds[campaign.name]}, {own_seconds:.0f} s", flush=True)
        rows.append(run_one(campaign, build, own_seconds, seeds[campaign.name]))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="the folder of the build")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"in all (default: {SECONDS})")
    parser.add_argument("--seed", type=int, default=None, help="from which those of the campaigns are drawn")
    names = [campaign.name for campaign in CAMPAIGNS]
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=f"some of {' '.join(names)} (default: all)")
    options = parser.parse_args()
    if unknown := [name for name in options.campaigns if name not in names]:
        parser.error(f"unknown campaign {unknown[0]}; one of: {' '.join(names)}")
    rows = run_all(options.build.resolve(), options.seconds, options.seed, options.campaigns)
    for row in rows:
        if row.text:
            print(row.text)
    print(table(rows))
    return 1 if any(row.failures for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
