"""scale_picture: draws what scale_model counts: the messages of each step of a job over the number of its places.

Runs build/release/tests/scale_model (or reads its output from --json FILE), prints a table, and draws it to --picture
FILE. Usage: scale_picture.py TREE [--json FILE] [--picture FILE].
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path


def counts_of(tree: Path, file: Path | None) -> list[dict[str, float | str]]:
    if file is not None and file.exists():
        return json.loads(file.read_text())
    done = subprocess.run([str(tree / "tests" / "scale_model")], capture_output=True, text=True, check=True)
    if file is not None:
        file.write_text(done.stdout)
    return json.loads(done.stdout)


def draw(rows: list[dict[str, float | str]], file: str) -> None:
    import matplotlib.pyplot

    # Letters are lines, and the file is the same whenever it is drawn.
    matplotlib.pyplot.rcParams["svg.hashsalt"] = "scale"
    figure, axes = matplotlib.pyplot.subplots(figsize=(6.5, 4.5))
    steps = list(dict.fromkeys(str(row["step"]) for row in rows))
    for marker, step in zip("osv^Dx", steps, strict=False):
        of_step = [row for row in rows if row["step"] == step and float(row["messages"]) > 0]
        axes.plot(
            [float(row["places"]) for row in of_step],
            [float(row["messages"]) for row in of_step],
            marker=marker,
            label=step,
        )
    places = sorted({float(row["places"]) for row in rows})
    axes.plot(places, [p * p for p in places], linestyle=":", color="grey", label="places squared")
    axes.set(xscale="log", yscale="log", xlabel="places", ylabel="messages, all places together")
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tree", type=Path, help="of the build")
    parser.add_argument("--json", type=Path, help="read the counts from this file, or write them to it")
    parser.add_argument("--picture", help="file to draw to")
    options = parser.parse_args()
    rows = counts_of(options.tree.absolute(), options.json)
    print(f"{'step':<18}{'places':>8}{'messages':>12}{'from one':>10}{'to one':>8}{'ms':>10}")
    for row in rows:
        numbers = f"{row['places']:>8}{row['messages']:>12}{row['most_from_one']:>10}{row['most_to_one']:>8}"
        print(f"{row['step']:<18}{numbers}{1000 * float(row['seconds']):>10.3f}")
    if options.picture:
        draw(rows, options.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
