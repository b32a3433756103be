"""numbers: options that take whole numbers refuse what is too large for any, and if they have no sign, also -1.

Every program's own help says which options it has; those of `tess run` and `tess memd`, too. Each gets such numbers
and must end with exit code 2 and a line that shows the number. `tess run --seed` is also the seed of the program.
Usage: numbers.py TESS PROGRAMS.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

NUMBERS = ("-1", "18446744073709551616", "99999999999999999999999")
#: Of the command: what its help calls a number, and a word without which it would not begin.
OF_RUN = r"(--\S+) (?:PLACES|THREADS|WORKERS|SEED|BYTES|MICROSECONDS|0\|1|COPIES|TILE)"
COMMANDS = (("run", OF_RUN, "hello"), ("bench", "(--runs) N", "gups"))
MEMD = (("--size", "1M"), ("--number", "0"), ("--replicas", "1"))
SECONDS_MAX = 20


def said_by(words: list[str]) -> tuple[int, str]:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    except subprocess.TimeoutExpired:
        return -1, "it did not end"
    return done.returncode, done.stdout + done.stderr


def options_of(words: list[str], pattern: str) -> list[str]:
    return re.findall(rf"^\s+(?:-\w,)?{pattern}", said_by([*words, "--help"])[1], re.MULTILINE)


def all_cases(tess: str, programs: Path) -> list[list[str]]:
    cases = []
    for program in sorted(p for p in programs.rglob("*") if p.is_file()):
        if program.parent.name in ("rmem", "machine"):
            continue
        graph = ["kron:4"] if options_of([str(program)], "(graph) TEXT") else []
        for kind, numbers in (("UINT", NUMBERS), ("INT", NUMBERS[1:])):
            for option in options_of([str(program)], rf"(--[\w-]+) {kind}\b"):
                cases += [[str(program), *graph, option, number] for number in numbers]
    for command, pattern, word in COMMANDS:
        found = options_of([tess, command], pattern)
        if not found:
            sys.exit(f"tess {command} --help shows no option with a number")
        cases += [[tess, command, option, number, word] for option in found for number in NUMBERS]
    if (programs / "rmem" / "tess-memd").exists():
        for option, _ in MEMD:
            others = [word for name, value in MEMD if name != option for word in (name, value)]
            cases += [[tess, "memd", "--name", "numbers-test", *others, option, number] for number in NUMBERS]
    return cases


def seed_is_lost(tess: str) -> str:
    """Whether `tess run PROGRAM --seed N` gives the program the same numbers for every N; empty: it does not."""
    words = [tess, "run", "bc", "kron:6", "--sources", "2", "--top", "3"]

    def top_by(seeded: list[str]) -> str:
        """What is printed between the times, which vary."""
        return said_by(seeded)[1].partition("loaded in")[2].partition("\n")[2].partition("time:")[0]

    tops = {seed: top_by([*words, "--seed", seed]) for seed in ("1", "2", "3")}
    again = top_by([*words, "--seed", "1"])
    direct = top_by([tess, "run", "bc", "--", *words[3:], "--seed", "2"])
    right = len(set(tops.values())) == 3 and again == tops["1"] and direct == tops["2"]
    return "" if right else f"bc by --seed: {tops}"


def main() -> int:
    tess, programs = sys.argv[1:]
    cases = all_cases(tess, Path(programs))
    errors = []
    with ThreadPoolExecutor(2) as pool:
        for words, (code, text) in zip(cases, pool.map(said_by, cases), strict=True):
            number = next(word for word in words if word in NUMBERS)
            if code != 2 or number not in text:
                errors.append(f"{' '.join(words)}: exit code {code}, {text[-300:]}")
    errors += filter(None, [seed_is_lost(tess)])
    print("\n".join(errors) or f"ok: {len(cases)} refused")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
