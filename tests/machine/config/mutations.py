"""mutations: a machine file with anything wrong in it is refused at its line, or is a machine on which a program ends.

Method: mutants of all presets and memories, as `tess-machine --show` prints them, from a seed: other values and types,
ends of the ranges that messages name, deleted, repeated and moved lines, huge numbers, deep nesting, bases that do not
exist. Each runs a small program with time. Allowed is exit code 2 with `FILE:LINE:COLUMN: what; expected …`, or 2
because the program does not fit, or the program's own result.
Usage: mutations.py TESS_MACHINE PROGRAM [--count N] [--seed S] [--seconds S] [--only K] [--jobs J]
"""

import argparse
import concurrent.futures
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RESULT = "crc 414fa339\n"  # of tests/machine/programs/hash.cpp, in its first line
SECONDS_MAX = 240  # for one run; one on 1024 tiles takes 6 s alone
SMALL = ("nemesys-2x2", "single-tile", "cni-4", "dir-4", "rae-6", "tessera-2x2", "mppa-256", "nemesys-4x4-single",
         "ddr5-4800", "hbm2e-3200")
# A base may be wrong, too; then the message names the mutant behind it.
REFUSED = re.compile(r"^tess-machine: \S+\.toml:\d+:\d+: .+; expected .+", re.DOTALL)
NO_ROOM = re.compile(r"^tess-machine: .*( bytes of stack behind it| do not fit in a cluster )", re.DOTALL)
KEY = re.compile(r"^([\w.]+) = (.*?)(  #.*)?$")
HUGE = ("9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e400", "9" * 400, "0x7fff_ffff_ffff")
WORDS = [f'"{word}"' for word in ("polled", "kernel", "mesh", "torus", "crossbar", "forwarding", "blocking", "memory",
                                  "interleaved", "partition", "l2", "retain", "free-at-once")]  # fmt: skip
OTHER_TYPES = ('"text"', "true", "[1, 2]", "[]", "1.5", "1979-05-27", "{a = 1}", "nan", '""', "[[0, 0], [0, 0]]", "''")


def presets(tess_machine: str) -> dict[str, str]:
    names = subprocess.run([tess_machine, "--list"], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: subprocess.run([tess_machine, "--show", line.split()[0]], check=True, capture_output=True,
                                            text=True).stdout for line in names.splitlines()}  # fmt: skip


def with_memories(tess_machine: str, texts: dict[str, str], folder: Path) -> dict[str, str]:
    """A machine with each memory that has a name."""
    memories = Path(tess_machine).resolve().parents[3] / "share/tessera/machines/memory"
    made = {}
    for memory in sorted(memories.glob("*.toml")):
        file = folder / f"{memory.stem}.toml"
        file.write_text(f'extends = "nemesys-2x2"\ndram.preset = "{memory.stem}"\n', encoding="utf-8")
        made[memory.stem] = subprocess.run([tess_machine, "--show", str(file)], check=True, capture_output=True,
                                           text=True).stdout  # fmt: skip
    return texts | made


def other_number(draw: random.Random, number: int) -> str:
    near = [number + 1, number - 1, number * 2, number // 2, number + 4096, number - 4096, number | 1, -number]
    powers = [1 << draw.randrange(63), (1 << draw.randrange(1, 63)) - 1, (1 << draw.randrange(62)) + 1]
    small = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 100, 255, 256, 1000, 10_000, 100_000]
    return str(draw.choice(draw.choice([near, powers, small])))


def other_value(draw: random.Random, value: str, values: list[str]) -> str:
    kind = draw.random()
    if kind < 0.1:
        return draw.choice(HUGE)
    if kind < 0.25:
        return draw.choice(OTHER_TYPES)
    if kind < 0.35:
        return draw.choice(values)
    if re.fullmatch(r"[\dx_a-f]+", value):
        return other_number(draw, int(value.replace("_", ""), 0))
    if value in ("true", "false"):
        return "false" if value == "true" else "true"
    if value.startswith("["):
        parts = re.split(r"(-?\d+)", value)
        return "".join(other_number(draw, int(part)) if i % 2 and draw.random() < 0.2 else part
                       for i, part in enumerate(parts))  # fmt: skip
    return draw.choice([*WORDS, value[:-2]])


def changed_value(draw: random.Random, lines: list[str]) -> None:
    at = [place for place, line in enumerate(lines) if KEY.match(line)]
    values = [KEY.match(lines[place])[2] for place in at]
    place = draw.choice(at)
    found = KEY.match(lines[place])
    lines[place] = f"{found[1]} = {other_value(draw, found[2], values)}"


def end_of_range(draw: random.Random, lines: list[str]) -> None:
    """A value at an end of a range of the kind that most keys have."""
    at = [place for place, line in enumerate(lines) if (found := KEY.match(line)) and found[2].isdigit()]
    place = draw.choice(at)
    most = draw.choice([1, 4, 8, 16, 32, 64, 255, 256, 1000, 1024, 10_000, 65_536, 100_000, 1 << 20, 1 << 28, 1 << 30])
    lines[place] = f"{KEY.match(lines[place])[1]} = {most - draw.randrange(2)}"


def deleted(draw: random.Random, lines: list[str]) -> None:
    begin = draw.randrange(len(lines))
    del lines[begin : begin + draw.choice([1, 1, 1, 2, 5, 20])]


def repeated(draw: random.Random, lines: list[str]) -> None:
    begin = draw.randrange(len(lines))
    lines[begin:begin] = lines[begin : begin + draw.choice([1, 1, 2, 10])]


def moved(draw: random.Random, lines: list[str]) -> None:
    line = lines.pop(draw.randrange(len(lines)))
    lines.insert(draw.randrange(len(lines) + 1), line)


def nested(draw: random.Random, lines: list[str]) -> None:
    depth = draw.choice([3, 100, 300, 900, 5000, 100_000])
    deep = draw.choice([
        "a = " + "[" * depth + "]" * depth, "a = " + "{a = " * depth + "1" + "}" * depth, "a." * depth + "a = 1",
        "[" + "a." * depth + "a]", "\n".join("[[a" + ".a" * (i % 900) + "]]" for i in range(min(depth, 500))),
    ])  # fmt: skip
    lines.insert(draw.randrange(len(lines) + 1), deep)


def extended(draw: random.Random, lines: list[str]) -> None:
    base = draw.choice(["nemesys-2x2", "cni-4", "nothing", "m0.toml", ".toml", "/", "..", "/dev/zero", "a/b", "\\n"])
    lines.insert(draw.randrange(3), f'extends = "{base}"')
    if draw.random() < 0.5:
        lines.insert(1, "without = " + draw.choice(["[]", '["l2"]', '["x.y"]', "3", '[""]', '["l2.ways.x"]']))


def bytes_changed(draw: random.Random, lines: list[str]) -> None:
    place = draw.randrange(len(lines))
    line = lines[place]
    at = draw.randrange(len(line) + 1)
    lines[place] = line[:at] + draw.choice("\0\t\r\"#',-.09=[]{\u00e9\u202e") + line[at + 1 :]


MUTATIONS = [changed_value] * 8 + [end_of_range] * 4 + [deleted, repeated, moved, nested, extended, bytes_changed]


def mutant(seed: int, number: int, texts: dict[str, str], names: list[str]) -> str:
    draw = random.Random(f"{seed} {number}")
    lines = texts[names[number % len(names)]].splitlines()
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        draw.choice(MUTATIONS)(draw, lines)
    return "\n".join(lines) + "\n"


def problem_of(words: list[str]) -> tuple[str, str]:
    """What is wrong, if anything, and the kind of the outcome."""
    begin = time.monotonic()
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=SECONDS_MAX, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"did not end within {SECONDS_MAX} s", "hung"
    if done.returncode == 2 and REFUSED.match(done.stderr) and Path(words[3]).name in done.stderr:
        return "", "refused"
    if done.returncode == 2 and NO_ROOM.match(done.stderr):
        return "", "no room"
    if done.returncode == 0 and done.stdout.startswith(RESULT):
        return "", "ran"
    seconds = time.monotonic() - begin
    return f"exit code {done.returncode} after {seconds:.0f} s: {done.stderr[:500]}{done.stdout[:100]}", "wrong"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tess_machine")
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further mutant after so long")
    parser.add_argument("--only", type=int, help="the number of one mutant, which is printed")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="presets of few tiles only")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        texts = with_memories(chosen.tess_machine, presets(chosen.tess_machine), Path(folder))
    names = [name for name in texts if name in SMALL or not chosen.small]
    counts: dict[str, int] = {}
    failed = 0
    end = time.monotonic() + chosen.seconds
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:

        def attempt(number: int) -> tuple[int, str, str]:
            if time.monotonic() > end:
                return number, "", "left out"
            file = Path(folder) / f"m{number}.toml"
            file.write_text(mutant(chosen.seed, number, texts, names), encoding="utf-8")
            problem, kind = problem_of([chosen.tess_machine, "--quiet", "--machine", str(file), "--timing", "on", "--",
                                        chosen.program])  # fmt: skip
            file.unlink()
            return number, problem, kind

        numbers = range(chosen.count) if chosen.only is None else [chosen.only]
        if chosen.only is not None:
            print(mutant(chosen.seed, chosen.only, texts, names))
        for number, problem, kind in pool.map(attempt, numbers):
            counts[kind] = counts.get(kind, 0) + 1
            if problem:
                failed += 1
                print(f"mutant {number} of seed {chosen.seed} ({names[number % len(names)]}): {problem}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return 1 if failed or not counts.get("refused") else 0


if __name__ == "__main__":
    sys.exit(main())
