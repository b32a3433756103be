"""report: writes CSV and JSON of each item and one self-contained report.html, and prints items and checks."""

import base64
import csv
import dataclasses
import html
import io
import json
import math
import re
from pathlib import Path

from tessera.reproduce import pictures
from tessera.simulator.execute import say
from tessera.reproduce.checks import Check
from tessera.reproduce.claims import PROVE_NOTHING, Fitted, number
from tessera.reproduce.items import Cell, Item
from tessera.reproduce.paper import Paper
from tessera.reproduce.verdict import Verdict

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; display: block; overflow-x: auto }
th, td { border: 1px solid #ccc; padding: .25em .5em; text-align: right; vertical-align: top }
th { background: #f2f2f2 } td.text, th.text, td.value { text-align: left }
td code, td.value, td a { white-space: nowrap }
td.met, td.fitted, td.better, td.worse, td.reversed, td.not { text-align: left }
td.met, td.fitted { background: #d9f0d3 } td.better { background: #fdf0c4 } td.worse { background: #f7d4d0 }
td.reversed { background: #e58f88 } td.not { background: #eee }
p.draft { background: #e58f88; padding: .5em; font-weight: bold } img { max-width: 100% } code { background: #f2f2f2 }
"""
ROWS_MAX = 500  # shown of a table; the CSV and JSON files have all rows


def shown(cell: Cell) -> str:
    """A cell as text; a dash for None."""
    return "–" if cell is None else str(cell)


def columns_and_rows(item: Item) -> tuple[list[str], list[list[Cell]]]:
    """The item's table as numbers: behind each column with intervals, their two ends."""
    spread = [any(row[i] is not None for row in item.intervals) for i in range(len(item.columns))]
    columns = [name for i, column in enumerate(item.columns)
               for name in ([column, f"{column}: low", f"{column}: high"] if spread[i] else [column])]  # fmt: skip
    rows: list[list[Cell]] = []
    for number, row in enumerate(item.rows):
        cells: list[Cell] = []
        for i, cell in enumerate(row):
            cells.append(cell)
            if spread[i]:
                found = item.intervals[number][i]
                cells += [cell, cell] if found is None else [found.low, found.high]
        rows.append(cells)
    return columns, rows


def write_numbers(item: Item, folder: Path, provenance: dict[str, object]) -> None:
    """Writes the item's rows as CSV, and the whole item as JSON."""
    columns, rows = columns_and_rows(item)
    with (folder / f"{item.file}.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([columns, *rows])
    content = {
        "item": item.name,
        "title": item.title,
        "provenance": provenance,
        "layouts": item.layouts,
        "intervals of small runs": item.small,
        "rows": [dict(zip(columns, row, strict=True)) for row in rows],
        "sentences": item.sentences,
        "curves": [
            {"title": panel.title, "x": panel.x, "y": panel.y, "series": panel.series, "intervals": panel.errors,
             "paper": panel.paper, "paper's range": panel.band}
            for panel in item.panels
        ],
    }
    text = json.dumps(content, indent=1 if len(item.rows) <= ROWS_MAX else None, ensure_ascii=False)
    (folder / f"{item.file}.json").write_text(text + "\n", encoding="utf-8")


def shown_rows(item: Item) -> list[list[Cell]]:
    """The rows as a reader sees them: with intervals in brackets, and no more than fit a page."""
    rows: list[list[Cell]] = [list(row) for row in item.rows[:ROWS_MAX]]
    for row, intervals in zip(rows, item.intervals, strict=False):
        for i, found in enumerate(intervals):
            if found is not None:
                row[i] = f"{row[i]} [{number(found.low)}, {number(found.high)}]"
    return rows


def table(columns: list[str], rows: list[list[Cell]]) -> str:
    """An HTML table."""
    texts = [all(isinstance(row[k], str) for row in rows) for k in range(len(columns))]
    head = "".join(f'<th class="{"text" if text else "number"}">{html.escape(column)}</th>'
                   for text, column in zip(texts, columns, strict=True))  # fmt: skip
    body = ""
    for row in rows:
        kinds = ["text" if isinstance(cell, str) else "number" for cell in row]
        cells = "".join(
            f'<td class="{kind}">{html.escape(shown(cell))}</td>' for kind, cell in zip(kinds, row, strict=True)
        )
        body += f"<tr>{cells}</tr>\n"
    return f"<table><tr>{head}</tr>\n{body}</table>\n"


CHECK_COLUMNS = ["item", "observation", "paper", "ours", "interval", "band", "verdict", "cause, and what was measured"]
VALUES = ("paper", "ours")  # on one line each


def check_cells(check: Check) -> list[str]:
    """A check as texts, one for each column."""
    claim = check.claim
    paper = "–" if math.isnan(claim.low) else str(claim)
    mark = f" ({claim.kind})" if claim.kind in PROVE_NOTHING else ""
    about = "; ".join(filter(None, [check.cause and f"cause: {check.cause}", claim.remark, check.note]))
    return [claim.item, claim.observation + mark, paper, check.ours_text, check.interval_text, check.band_text,
            check.verdict.value, about]  # fmt: skip


def linked_item(paper: Paper, check: Check, folder: str) -> str:
    """A claim's figure or table, with links to where it is shown and to its numbers. Folder: that of the report."""
    item = paper.item_of(check.claim.item)
    name = html.escape(check.claim.item)
    if check.ours is None:
        return name
    at = f"{folder}/" if folder else ""
    page = f"{at}report.html" if folder else ""
    place = paper.file_of(item) if item else "claims"
    return f'<a href="{page}#{place}">{name}</a> <a href="{at}{paper.numbers_of(item)}">CSV</a>'


def checks_table(paper: Paper, checks: list[Check], folder: str = "") -> str:
    """The checks as an HTML table, each with its numbers and its command."""
    names = [paper.states if name == "paper" else name for name in (*CHECK_COLUMNS, "command")]
    head = "".join(f'<th class="text">{name}</th>' for name in names)
    body = "".join(check_row(paper, check, folder) for check in checks)
    return f"<table><tr>{head}</tr>\n{body}</table>\n"


def row_begin(paper: Paper, check: Check) -> str:
    """With what a check's row in HTML begins, and no other."""
    return f'<tr id="{paper.name}_{html.escape(check.claim.name)}">'


def check_row(paper: Paper, check: Check, folder: str = "") -> str:
    """A check as a row of an HTML table, on one line."""
    kind = check.verdict.value.split()[0]
    texts = f'<td class="text">{linked_item(paper, check, folder)}</td>'
    texts += "".join(
        f'<td class="{kind if column == "verdict" else "value" if column in VALUES else "text"}">'
        f"{html.escape(text or '–')}</td>"
        for column, text in list(zip(CHECK_COLUMNS, check_cells(check), strict=True))[1:]
    )
    command = "" if check.verdict is Verdict.ABSENT else paper.command_of(paper.item_of(check.claim.item))
    # In two pieces, which stay whole.
    parts = [f"<code>{html.escape(part)}</code>" for part in command.replace(" --", "\n--", 1).splitlines()]
    texts += f'<td class="text">{" ".join(parts)}</td>'
    return f"{row_begin(paper, check)}{texts}</tr>\n"


def counted(checks: list[Check]) -> str:
    """How often each verdict occurs, e.g. "12 met, 3 worse"."""
    counts = {one: sum(check.verdict is one for check in checks) for one in Verdict}
    return ", ".join(f"{count} {one.value}" for one, count in counts.items() if count)


def checks_files(paper: Paper, checks: list[Check], provenance: dict[str, object]) -> dict[str, str]:
    """The checks as CSV and JSON: texts by the names of the files."""
    names = ["claim", "item", "observation", "paper", "ours", "interval", "band", "verdict", "about"]
    rows = [[check.claim.name, *check_cells(check)] for check in checks]
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([names, *rows])
    found = [
        {
            "claim": check.claim.name,
            "median": check.ours and check.ours.median,
            "low": check.ours and check.ours.low,
            "high": check.ours and check.ours.high,
            "layouts": check.ours.count if check.ours else 0,
            "judged": check.judged,
            "verdict": check.verdict.value,
            "note": check.note,
        }
        for check in checks
    ]
    text = json.dumps({"provenance": provenance, "checks": found}, indent=1, ensure_ascii=False)
    return {f"{paper.name}_checks.csv": stream.getvalue(), f"{paper.name}_checks.json": text + "\n"}


def fitted_table(fitted: list[Fitted]) -> str:
    """The parameters that were chosen so that a claim comes out, as HTML."""
    if not fitted:
        return "<p>No parameter of the machine was chosen by a result.</p>\n"
    rows: list[list[Cell]] = [[one.machine, one.key, one.value, ", ".join(one.claims), one.how] for one in fitted]
    head = "<h2 id=fitted>Fitted parameters</h2>\n<p>These were chosen so that a value of the paper comes out.</p>\n"
    return head + table(["machine", "parameter", "value", "claims", "fitted to"], rows)


def claims_head(checks: list[Check]) -> str:
    """The heading above the table of all checks."""
    return f"<h2 id=claims>Claims</h2>\n<p>{counted(checks)}.</p>\n"


def judged_again(text: str, paper: Paper, checks: list[Check], fitted: list[Fitted]) -> str:
    """The text of a report.html with its claims as reference/ has them now; what was measured stays."""
    lines = text.splitlines(keepends=True)
    rows = {row_begin(paper, check): check_row(paper, check) for check in checks}
    for number, line in enumerate(lines):
        begin = line[: line.find(">") + 1]
        lines[number] = rows.get(begin, line)
    text = "".join(lines)
    for pattern, made in (
        (r"<h2 id=claims>.*?</p>\n", claims_head(checks)),
        (r"<h2 id=fitted>.*?</table>\n", fitted_table(fitted)),
    ):
        text = re.sub(pattern, lambda _, made=made: made, text, count=1, flags=re.DOTALL)
    return text


def omitted_rows(item: Item) -> list[str]:
    """A sentence on the rows of a long table that are not shown."""
    more = len(item.rows) - ROWS_MAX
    return [f"The first {ROWS_MAX} rows; {more} more are in {item.file}.csv."] if more > 0 else []


def section(content: "Report", item: Item, folder: Path) -> str:
    """One item as HTML: sentences, picture, the paper's claims about it, and its table."""
    paper = content.paper
    text = f'<h2 id="{item.file}">{html.escape(item.name.capitalize())}: {html.escape(item.title)}</h2>\n'
    text += "".join(f"<p>{html.escape(sentence)}</p>\n" for sentence in item.sentences)
    picture = folder / f"{item.file}.svg"
    if any(panel.series for panel in item.panels) and picture.exists():
        code = base64.b64encode(picture.read_bytes()).decode()
        text += f'<p><img alt="{html.escape(item.title)}" src="data:image/svg+xml;base64,{code}"></p>\n'
    claims = [check for check in content.checks if paper.item_of(check.claim.item) == item.name]
    text += checks_table(paper, claims) if claims else ""
    command = html.escape(paper.command_of(item.name))
    text += f'<p>Numbers: <a href="{item.file}.csv">CSV</a>, <a href="{item.file}.json">JSON</a>; made by '
    text += f"<code>{command}</code>.</p>\n"
    if item.layouts > 1:
        small = ""
        if item.small:
            small = f" Long runs were made once; their intervals are those of runs {html.escape(paper.small)}, as "
            small += "factors of the median."
        medians = f"Medians of {item.layouts} layouts, with intervals; sentences have the numbers of one."
        text += f"<p>{medians}{small}</p>\n"
    text += "".join(f"<p>{html.escape(sentence)}</p>\n" for sentence in omitted_rows(item))
    return text + (table(item.columns, shown_rows(item)) if item.rows else "<p>Nothing was measured.</p>\n")


@dataclasses.dataclass
class Report:
    """The content of report.html."""

    paper: Paper
    items: list[Item]
    checks: list[Check]
    facts: dict[str, str]
    provenance: dict[str, dict[str, object]]  # by the item's file
    whole_provenance: dict[str, object]
    failures: list[str]  # failed runs, each with the reason
    fitted: list[Fitted] = dataclasses.field(default_factory=list)


def write(content: Report, folder: Path) -> Path:
    """Writes report.html; the pictures must have been drawn before."""
    title = html.escape(content.paper.title)
    text = f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{title}</title><style>{STYLE}</style>\n"
    text += f'<p><a href="../index.html">All papers</a></p>\n<h1>{title}: reproduction</h1>\n'
    text += "<p>All values in columns of ours were measured by programs, those of machines on simulated ones. "
    text += f"{html.escape(content.paper.about)} A dash: not measured here, or not stated in the paper.</p>\n"
    if content.whole_provenance["draft"]:
        text += "<p class=draft>DRAFT: the source tree had changes, so these numbers belong to no commit.</p>\n"
    text += table(["this report", ""], [[name, value] for name, value in content.facts.items()])
    if content.failures:
        reasons = "".join(f"<li>{html.escape(failure)}</li>" for failure in content.failures)
        text += f"<h2>Runs that failed</h2>\n<ul>{reasons}</ul>\n"
    text += claims_head(content.checks)
    text += checks_table(content.paper, content.checks)
    text += fitted_table(content.fitted)
    text += "".join(section(content, item, folder) for item in content.items) + "</html>\n"
    file = folder / "report.html"
    file.write_text(text, encoding="utf-8")
    return file


def write_all(content: Report, folder: Path) -> None:
    """Writes all files and prints the items and checks."""
    with_pictures = pictures.available()
    for name, text in checks_files(content.paper, content.checks, content.whole_provenance).items():
        (folder / name).write_text(text, encoding="utf-8")
    for item in content.items:
        write_numbers(item, folder, content.provenance[item.file])
        if with_pictures:
            pictures.draw(item, folder)
    for item in content.items:
        print(printed(item))
    print(printed_checks(content.checks))
    file = write(content, folder)
    if not with_pictures:
        say("THE PICTURES ARE MISSING: this Python has no matplotlib; all numbers are there")
    print(f"\nwritten: {file}, and for each item .csv and .json{', .svg and .png' if with_pictures else ''}")


def printed(item: Item) -> str:
    """An item as text for a terminal."""
    cells = [[str(column) for column in item.columns], *[[shown(cell) for cell in row] for row in shown_rows(item)]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(item.columns))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "\n".join([f"\n{item.name}: {item.title}", *lines, *omitted_rows(item), *item.sentences])


def printed_checks(checks: list[Check]) -> str:
    """The checks as text for a terminal."""
    lines = []
    for check in checks:
        item, observation, paper, ours, spread, band, verdict, about = check_cells(check)
        measured = ours or "–"
        measured += f" [{spread}]" if spread else ""
        line = f"{verdict:>14}  {item}: {observation}: {measured} (paper: {paper}; band: {band or '–'})"
        lines.append(f"{line} {about}".rstrip())
    return "\n".join(["\nclaims", *lines, counted(checks)])
