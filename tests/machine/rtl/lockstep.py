"""lockstep: the hardware of each unit does in each cycle what its C++ model does, for many sets of parameters.

  lockstep.py BENCH UNIT [--cycles N] [--seed N] [--sets N]

Compiles the hardware for each set (tools/rtl/library.py) and runs BENCH, which draws inputs and compares all outputs.
After a mismatch the run is repeated with a waveform, whose file is named.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/rtl"))

import library  # noqa: E402
import programs  # noqa: E402
from units import BUILD, Misuse, load, words_of  # noqa: E402

# The first is the usual one, which the fast tests run, and the second the least that there may be. The tags of rae are
# as many bits as its requests need.
SETS = {
    "rae": [
        {"MAIN_ENTRIES": 4, "SUB_ENTRIES": 4, "QUEUE_ENTRIES": 4, "CACHE_LINES": 8, "ADDRESS_WIDTH": 12},
        {"MAIN_ENTRIES": 1, "SUB_ENTRIES": 1, "QUEUE_ENTRIES": 1, "CACHE_LINES": 1, "PACKET_CYCLES": 2,
         "ADDRESS_WIDTH": 12, "LINE_BYTES": 16, "RETAIN": 0, "MERGE": 0},
        {"MAIN_ENTRIES": 3, "SUB_ENTRIES": 5, "QUEUE_ENTRIES": 7, "CACHE_LINES": 2, "PACKET_CYCLES": 3,
         "LOOK_UP_CYCLES": 3, "OPERATION_CYCLES": 5, "ADDRESS_WIDTH": 12, "LINE_BYTES": 32, "RETAIN": 0},
        {"MAIN_ENTRIES": 64, "SUB_ENTRIES": 64, "QUEUE_ENTRIES": 64, "CACHE_LINES": 1024, "ADDRESS_WIDTH": 31},
        {"MAIN_ENTRIES": 2, "SUB_ENTRIES": 1, "QUEUE_ENTRIES": 2, "CACHE_LINES": 4, "PACKET_CYCLES": 2,
         "ADDRESS_WIDTH": 10},
        {"MAIN_ENTRIES": 8, "SUB_ENTRIES": 2, "QUEUE_ENTRIES": 3, "CACHE_LINES": 1, "ADDRESS_WIDTH": 14, "MERGE": 0},
    ],
    "nma": [
        {"QUEUE_ENTRIES": 16, "STATE_CYCLES": 1, "BURST_BYTES": 64, "STREAM_BURSTS": 8, "POSTED_WRITES": 8},
        {"QUEUE_ENTRIES": 1, "STATE_CYCLES": 3, "BURST_BYTES": 16, "STREAM_BURSTS": 1, "POSTED_WRITES": 1},
        {"QUEUE_ENTRIES": 3, "STATE_CYCLES": 2, "BURST_BYTES": 128, "STREAM_BURSTS": 5, "POSTED_WRITES": 64},
        {"QUEUE_ENTRIES": 2, "STATE_CYCLES": 1, "BURST_BYTES": 32, "STREAM_BURSTS": 64, "POSTED_WRITES": 3},
        {"QUEUE_ENTRIES": 5, "STATE_CYCLES": 4, "BURST_BYTES": 64, "STREAM_BURSTS": 2, "POSTED_WRITES": 2},
        {"QUEUE_ENTRIES": 4, "STATE_CYCLES": 1, "BURST_BYTES": 64, "STREAM_BURSTS": 3, "POSTED_WRITES": 8, "HASHED": 0},
    ],
    "nca": [
        {"QUEUE_ENTRIES": 4, "STATE_CYCLES": 1, "STACK_ENTRIES": 16, "LINE_BYTES": 32, "UNDER_WAY": 4095},
        {"QUEUE_ENTRIES": 1, "STATE_CYCLES": 3, "STACK_ENTRIES": 1, "LINE_BYTES": 16, "UNDER_WAY": 1},
        {"QUEUE_ENTRIES": 3, "STATE_CYCLES": 2, "STACK_ENTRIES": 5, "LINE_BYTES": 64, "UNDER_WAY": 6},
        {"QUEUE_ENTRIES": 2, "STATE_CYCLES": 1, "STACK_ENTRIES": 2, "LINE_BYTES": 32, "UNDER_WAY": 2},
    ],
    "nca_ranges": [
        {"QUEUE_ENTRIES": 4, "LINE_CYCLES": 2, "LINE_BYTES": 32, "SLOTS": 8, "UNDER_WAY": 255},
        {"QUEUE_ENTRIES": 1, "LINE_CYCLES": 1, "LINE_BYTES": 16, "SLOTS": 1, "UNDER_WAY": 1},
        {"QUEUE_ENTRIES": 3, "LINE_CYCLES": 5, "LINE_BYTES": 64, "SLOTS": 3, "UNDER_WAY": 6},
        {"QUEUE_ENTRIES": 2, "LINE_CYCLES": 3, "LINE_BYTES": 8, "SLOTS": 2, "UNDER_WAY": 2},
    ],
    "cni": [
        {},
        {"COUNTERS": 0, "QUEUES": 0, "MATCH_QUEUES": 0},
        {"COUNTERS": 0},
        {"QUEUES": 0},
        {"MATCH_QUEUES": 0},
    ],
    "cni_pieces": [{"LINE_BYTES": 64}, {"LINE_BYTES": 16}, {"LINE_BYTES": 128}],
    "cni_jobs": [{"JOBS": 64}, {"JOBS": 1}, {"JOBS": 5}, {"JOBS": 16}],
    "cni_aligner": [
        {"LINE_BYTES": 64, "SHIFTS": 1},
        {"LINE_BYTES": 16, "SHIFTS": 1},
        {"LINE_BYTES": 128, "SHIFTS": 1},
        {"LINE_BYTES": 64, "SHIFTS": 0},
    ],
}  # fmt: skip
# Hardware of a unit that is a module of its own for the simulator.
MODULES = {
    "nca_ranges": ("nca", "nca_ranges"),
    "cni_pieces": ("cni", "cni_pieces"),
    "cni_aligner": ("cni", "cni_aligner"),
    "cni_jobs": ("cni", "cni_jobs"),
}


def completed(unit: str, parameters: dict[str, int]) -> dict[str, int]:
    """With what follows from the others."""
    if unit != "rae":
        return parameters
    requests = parameters["QUEUE_ENTRIES"] + parameters["MAIN_ENTRIES"] * parameters["SUB_ENTRIES"] + 16
    return parameters | {"REQUEST_TAG_WIDTH": (requests - 1).bit_length()}


def run(bench: str, unit_name: str, parameters: dict[str, int], cycles: int, seed: int) -> bool:
    """One set; False if the two differ."""
    folder, module = MODULES.get(unit_name, (unit_name, ""))
    unit = load(folder)
    words = [f"{key}={value}" for key, value in parameters.items()]

    def compared(file: Path) -> subprocess.CompletedProcess[str]:
        command = [bench, str(file), str(cycles), str(seed), *words]
        return subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE)

    result = compared(library.library(unit, parameters, module=module))
    print(f"{unit_name} {words_of(parameters)} seed {seed}: {result.stdout}", end="", flush=True)
    if result.returncode == 0:
        return True
    if "never happened: the test" in result.stdout:
        return False  # No cycle differs, so a waveform would show nothing.
    waves = BUILD / f"{unit_name}-mismatch.fst"
    compared(library.library(unit, parameters, module=module, waves=str(waves)))
    print(f"the waveform is {waves}")
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("unit", choices=SETS)
    parser.add_argument("--cycles", type=int, default=1_000_000, help="of each set; the long form: 100000000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", type=int, default=99, help="only so many")
    options = parser.parse_args()
    try:
        programs.environment()
    except Misuse as missing:
        print(f"skipped: {missing}")
        return 0
    chosen = SETS[options.unit][: options.sets]
    done = [
        run(options.bench, options.unit, completed(options.unit, parameters), options.cycles, options.seed)
        for parameters in chosen
    ]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
