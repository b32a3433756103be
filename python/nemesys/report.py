"""report: CSV, JSON and one self-contained report.html of all items, and the table of checks as text.

For every paper whose experiments run on the simulated machine.
"""

import base64
import csv
import html
import json
import subprocess
from pathlib import Path

from nemesys import figures
from nemesys.execute import say
from nemesys.items import Cell, Check, Item

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; display: block; overflow-x: auto }
th, td { border: 1px solid #ccc; padding: .25em .5em; text-align: right; vertical-align: top }
th { background: #f2f2f2 } td.text, th.text { text-align: left }
td.met { background: #d9f0d3 } td.not { background: #f7d4d0 } td.open { background: #eee }
img { max-width: 100% } code { background: #f2f2f2 }
"""
ROWS_MAX = 500  # of a table that is shown; all are in the files
MET = {True: ("met", "met"), False: ("NOT MET", "not"), None: ("not measured", "open")}


def shown(cell: Cell) -> str:
    """As text; what is not known is a dash."""
    return "–" if cell is None else str(cell)


def write_numbers(item: Item, folder: Path) -> None:
    """The item's rows as CSV and, with all else, as JSON."""
    with (folder / f"{item.file}.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([item.columns, *item.rows])
    content = {
        "item": item.name,
        "title": item.title,
        "rows": [dict(zip(item.columns, row, strict=True)) for row in item.rows],
        "sentences": item.sentences,
        "curves": [{"title": panel.title, "x": panel.x, "y": panel.y, "series": panel.series} for panel in item.panels],
    }
    text = json.dumps(content, indent=1 if len(item.rows) <= ROWS_MAX else None, ensure_ascii=False)
    (folder / f"{item.file}.json").write_text(text + "\n", encoding="utf-8")


def table(columns: list[str], rows: list[list[Cell]]) -> str:
    """As HTML."""
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = ""
    for row in rows:
        kinds = ["text" if isinstance(cell, str) else "number" for cell in row]
        cells = "".join(
            f'<td class="{kind}">{html.escape(shown(cell))}</td>' for kind, cell in zip(kinds, row, strict=True)
        )
        body += f"<tr>{cells}</tr>\n"
    return f"<table><tr>{head}</tr>\n{body}</table>\n"


def checks_table(checks: list[Check]) -> str:
    """What must be reached."""
    head = "".join(f'<th class="text">{name}</th>' for name in ("what", "the paper", "must be", "ours", ""))
    body = ""
    for check in checks:
        word, kind = MET[check.met]
        said = (check.what, check.paper, check.must, check.ours)
        texts = "".join(f'<td class="text">{html.escape(text or "–")}</td>' for text in said)
        body += f'<tr>{texts}<td class="{kind}">{word}</td></tr>\n'
    return f"<table><tr>{head}</tr>\n{body}</table>\n"


def left_out(item: Item) -> list[str]:
    """Of a long table."""
    more = len(item.rows) - ROWS_MAX
    return [f"The first {ROWS_MAX} rows; {more} more are in {item.file}.csv."] if more > 0 else []


def section(item: Item, folder: Path) -> str:
    """One item of the report."""
    text = f'<h2 id="{item.file}">{html.escape(item.name.capitalize())}: {html.escape(item.title)}</h2>\n'
    text += "".join(f"<p>{html.escape(sentence)}</p>\n" for sentence in item.sentences)
    picture = folder / f"{item.file}.svg"
    if any(panel.series for panel in item.panels) and picture.exists():
        code = base64.b64encode(picture.read_bytes()).decode()
        text += f'<p><img alt="{html.escape(item.title)}" src="data:image/svg+xml;base64,{code}"></p>\n'
    text += "".join(f"<p>{html.escape(sentence)}</p>\n" for sentence in left_out(item))
    return text + (table(item.columns, item.rows[:ROWS_MAX]) if item.rows else "<p>Nothing was measured.</p>\n")


def write(
    paper: str, about: str, items: list[Item], checks: list[Check], facts: dict[str, str], failed: list[str],
    folder: Path,
) -> Path:  # fmt: skip
    """The report; pictures must have been drawn. `about`: what a reader must know beside it."""
    text = f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{paper}</title><style>{STYLE}</style>\n"
    text += f"<h1>{html.escape(paper)} on this machine</h1>\n"
    text += "<p>All values of ours are measured by programs on the simulated machine. "
    text += f"{html.escape(about)} A dash: not measured here, or not in the paper's text.</p>\n"
    text += table(["of this report", ""], [[name, value] for name, value in facts.items()])
    if failed:
        whys = "".join(f"<li>{html.escape(why)}</li>" for why in failed)
        text += f"<h2>Runs that failed</h2>\n<ul>{whys}</ul>\n"
    text += "<h2>What must be reached</h2>\n" + checks_table(checks)
    text += "".join(section(item, folder) for item in items) + "</html>\n"
    file = folder / "report.html"
    file.write_text(text, encoding="utf-8")
    return file


def commit() -> str:
    """Of the source that this file lies in; nothing outside of one."""
    command = ["git", "-C", str(Path(__file__).resolve().parent), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def write_all(
    paper: str, about: str, items: list[Item], found: list[Check], facts: dict[str, str], failed: list[str],
    folder: Path,
) -> None:  # fmt: skip
    """All files, and what they say on the terminal."""
    with_pictures = figures.available()
    for item in items:
        write_numbers(item, folder)
        if with_pictures:
            figures.draw(item, folder)
    for item in items:
        print(printed(item))
    print(printed_checks(found))
    file = write(paper, about, items, found, facts, failed, folder)
    if not with_pictures:
        say("THE PICTURES ARE MISSING: this Python has no matplotlib; all numbers are there")
    print(f"\nwritten: {file}, and of each item .csv and .json{', .svg and .png' if with_pictures else ''}")


def printed(item: Item) -> str:
    """An item on a terminal."""
    cells = [[str(column) for column in item.columns], *[[shown(cell) for cell in row] for row in item.rows[:ROWS_MAX]]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(item.columns))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "\n".join([f"\n{item.name}: {item.title}", *lines, *left_out(item), *item.sentences])


def printed_checks(checks: list[Check]) -> str:
    """The checks on a terminal."""
    lines = [
        f"{MET[check.met][0]:>12}  {check.what}: {check.ours or '–'} (paper: {check.paper}; must be: {check.must})"
        for check in checks
    ]
    return "\n".join(["\nwhat must be reached", *lines])
