"""replays: damaged inputs of the fuzz targets, thousands at a time: packets between places, graphs and object graphs,
conversations with a memory server and its records, executables, instructions and machine files.

A target promises what its opening comment says, and aborts if that does not hold; sanitizers of its build report. An
input that ends a target is kept. Usage: replays.py [--seconds S] [--seed N] [--only N].
"""

import os
import shutil
import subprocess
from pathlib import Path

from campaign import ROOT, Campaign, main
from mutate import damaged

CORPORA = ROOT / "tests/fuzz/corpus"
#: The names of the targets, by the folders of their corpora.
TARGETS = {
    "decoder": "decoder",
    "elf": "elf",
    "graph": "graph",
    "machine_file": "machine_file",
    "memd": "memd",
    "objects": "object",
    "packets": "packet",
}
BATCH = 400
BYTES_MAX = 16384
SECONDS_MAX = 120

campaign = Campaign("replays", __doc__.splitlines()[0])


def program_of(corpus: str) -> Path:
    return campaign.build / "bin" / f"{TARGETS[corpus]}_fuzz_replay"


def problem_with(program: Path, folder: Path) -> tuple[str, Path | None]:
    """Why the target did not take all inputs of the folder, and the one that ended it; empty: it did."""
    with (campaign.folder / f"said-{folder.name}").open("w+") as said:
        try:
            code = subprocess.run(
                [str(program), str(folder)],
                env={**os.environ, "TESS_RMEM": ""},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                timeout=SECONDS_MAX,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            code = 999
        said.seek(0)
        text = said.read()
    if code == 0 and "runtime error:" not in text:
        return "", None
    # The target says the name of each input before it takes it.
    names = [line for line in text.splitlines() if (folder / line).is_file()]
    why = f"did not end within {SECONDS_MAX} s" if code == 999 else f"code {code}: {text[-1500:]}"
    return why, folder / names[-1] if names else None


def attempt_one(attempt: int) -> None:
    draw = campaign.draw(attempt)
    known = [corpus for corpus in TARGETS if program_of(corpus).exists()]
    if not known:
        return campaign.failed(attempt, f"{campaign.build} has no targets")
    corpus = known[attempt % len(known)]
    seeds = [file.read_bytes() for file in sorted((CORPORA / corpus).iterdir())]
    folder = campaign.folder / f"{attempt}"
    folder.mkdir()
    for i in range(BATCH):
        (folder / f"{i}").write_bytes(damaged(draw, draw.choice(seeds), draw.choice(seeds), BYTES_MAX))
    program = program_of(corpus)
    problem, guilty = problem_with(program, folder)
    if problem:
        campaign.failed(attempt, f"{program.name}: {problem}", [guilty] if guilty else None)
    campaign.counted(BATCH)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(campaign, attempt_one)
