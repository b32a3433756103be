"""check_model: runs the model checker on a protocol: every interleaving of it, and every mutant is found.

Usage: check_model.py MODEL COMPILER FOLDER [--large]. --large: of three caches more than in the usual run, and mutants.
Without `spin` it says `skipped:` and ends with 0. Exit code 1: a property does not hold, or a mutant was not found out.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path


# By model: what is searched to the end.
SMALL = {
    "mesi": {"two caches": [], "three caches, no line written back and kept": ["-DCACHES=3", "-DNO_CLEANING"]},
    "forwarding": {"two caches": []},
}
LARGE = {
    "mesi": {"three caches": ["-DCACHES=3"]},
    "forwarding": {"three caches, no line written back and kept": ["-DCACHES=3", "-DNO_CLEANING"]},
}


def explored(model: Path, compiler: str, folder: Path, options: list[str]) -> tuple[int, int, str]:
    """Errors, states and the checker's output of one variant of the model, after a search to the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(model, folder / model.name)

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"check_model: {' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout

    run("spin", *options, "-a", model.name)
    # A mutant's search ends soon: its compilation is most of its time.
    optimised = "-O0" if any("BUG_" in option for option in options) else "-O2"
    run(compiler, optimised, "-w", "-DSAFETY", "-DCOLLAPSE", "-DNOFAIR", "-o", "pan", "pan.c")
    said = run("./pan", "-w26", "-m20000000" if "-DCACHES=3" in options else "-m2000000")
    errors = re.search(r"errors: (\d+)", said)
    states = re.search(r"(\S+) states, stored", said)
    if errors is None or states is None or "max search depth too small" in said:
        sys.exit(f"check_model: the search did not come to its end: {said}")
    return int(errors[1]), int(float(states[1])), said


def main() -> int:
    """Returns the exit code."""
    model, compiler, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    if shutil.which("spin") is None:
        print("skipped: there is no spin (./tess setup test)")
        return 0
    large = sys.argv[4:] == ["--large"]
    variants = (LARGE if large else SMALL)[model.stem]
    wrong = 0
    for name, options in variants.items():
        errors, states, said = explored(model, compiler, folder, options)
        print(f"{name}: {states} states, {errors} errors")
        if errors:
            print(said)
            wrong += 1
    mutants = sorted(set(re.findall(r"#ifn?def (BUG_\w+)", model.read_text())))
    if not large:
        return min(wrong, 1)
    if not mutants:
        sys.exit(f"check_model: {model} has no mutants")
    for mutant in mutants:
        errors, states, said = explored(model, compiler, folder, [f"-D{mutant}"])
        found = re.search(r"pan:1: (.*) \(at", said)
        print(f"{mutant}: after {states} states: {found[1] if found else 'NOT FOUND'}")
        wrong += errors == 0
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
