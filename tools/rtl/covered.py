"""covered: which lines and bits the benches reached, from the coverage files that Verilator's programs write."""

import re
from pathlib import Path

# (file, line, column, what) → how often; `what` is "line …" or "toggle …".
Points = dict[tuple[str, int, int, str], int]


def read_points(data: Path) -> Points:
    """The points of one run; the same line in several instances is one point."""
    points: Points = {}
    for line in data.read_text(encoding="utf-8", errors="replace").splitlines():
        if not (found := re.fullmatch(r"C '(.*)' (\d+)", line)):
            continue
        fields = dict(part.split("\x02", 1) for part in found[1].split("\x01") if "\x02" in part)
        kind = fields.get("page", "").partition("/")[0]
        if kind not in ("v_line", "v_branch", "v_toggle"):
            continue
        what = "toggle" if kind == "v_toggle" else "line"
        key = (fields["f"], int(fields["l"]), int(fields.get("n", 0)), f"{what} {fields.get('o', '')}")
        points[key] = points.get(key, 0) + int(found[2])
    return points


def add(all_points: Points, more: Points) -> None:
    """Adds the counts of another run."""
    for key, count in more.items():
        all_points[key] = all_points.get(key, 0) + count


def table(points: Points) -> list[dict[str, object]]:
    """A row for each file: shares of lines and toggles, and the lines that were never reached."""
    rows = []
    for file in sorted({key[0] for key in points}):
        row: dict[str, object] = {"file": Path(file).name}
        for what in ("line", "toggle"):
            counts = [count for key, count in points.items() if key[0] == file and key[3].startswith(what)]
            reached = sum(count > 0 for count in counts)
            row[f"{what}s"] = len(counts)
            row[f"{what}s_reached"] = reached
        missed = {key[1] for key, n in points.items() if key[0] == file and key[3].startswith("line") and n == 0}
        row["missed"] = " ".join(map(str, sorted(missed)))
        rows.append(row)
    return rows
