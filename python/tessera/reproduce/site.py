"""site: all claims of all papers, from the files of their reports: `tess reproduce checks` and the end of `all`.

Writes index.html beside the papers' folders, and, where these are docs/results of the source tree, the page
docs/papers/checks.md. Verdicts and causes are made anew from the measured intervals, also in each paper's checks and
report, so a change of reference/ shows without a run. What was not run stands there as such, with the command that runs
it.
"""

import argparse
import dataclasses
import html
import json
from collections.abc import Sequence
from pathlib import Path

from tessera.reproduce import provenance, report
from tessera.reproduce.checks import Check
from tessera.reproduce.claims import Claims, fitted
from tessera.reproduce.paper import Paper
from tessera.reproduce.verdict import Interval, Verdict, verdict

PAGE = Path("docs/papers/checks.md")
RESULTS = Path("docs/results")
INTRODUCTION = """# Every claim of the papers

This page is made by `./tess reproduce checks` from `reference/` and `docs/results`; a test fails when it is stale.
[The reports](../results/index.html) have each claim beside its figure. *Together* is no paper: its values are what we
wanted.

| verdict | our whole interval |
|---|---|
| met | lies in the band |
| fitted | lies in the band, which proves nothing: a parameter was chosen by this value (*fitted*), it is an input \
of the machine (*configured*), ours could hardly miss it, e.g. since the paper states only a direction (*one-sided*), \
or what is compared was defined anew after it had been measured (*redefined*) |
| better | reaches beyond the band, on the side that speaks for what the paper proposes |
| worse | reaches beyond the band on the other side; or on either side, where none is better: a baseline that is \
faster than the paper's is "worse", too |
| reversed | reaches beyond the band, and its median contradicts the paper's statement, e.g. a loss instead of a gain |
| not run | is missing, or comes from runs that are too small to be judged |
| not reproduced | cannot be measured here; the cause says why |

*Better*, *worse* and *reversed* are all deviations. A ratio is written as "A / B".

What is listed beside a value, e.g. that of each kernel, is of the layout whose value is the median or next to it.

**Intervals** are the lowest and the highest value of several [layouts](../machine/machine.md#with-time). Those of five
contain the median of all layouts with a probability of 93.75 %, by the binomial distribution: all five lie on one side
of it with a probability of 2 / 2^5. Runs that take minutes were made once in full size, and have the interval of small
runs of the same program ([how](../internals/testing.md#a-claim-of-a-paper)): here IMSuite's and GAP's of *Together*,
whose rows say so.

**Bands** are fixed before the runs ([how](../internals/testing.md#a-claim-of-a-paper)), with these exceptions. A review
after the first measurements (commit ec7101ae) made most of the bands that it changed narrower, replaced some
observations by stricter ones, and corrected values of NEMESYS that do not follow from its own tables. It also defined
the six areas of CNI's figure 7 anew: as shares of the five parts on top of the interface instead of shares of a
controller, since the paper's controller is not published. This was no stricter: of five rows that were *better* four
came to lie in their bands and one became *worse*, and the band of the interface grew from 0 to 20 % to 0 to 34.3 %.
Their notes have the shares of a controller, and they count as fitted. A second review made the bands of CNI's shares of
time below 1 % narrower, by which two rows are no longer met, and marked three rows of RAE as one-sided. A third review,
after the measurements at aabf73ee, changed no band. It measures RAE's misses of irregular kernels with arrays of sizes
that are no powers of two, by which the row is no longer met; takes what RDMA saves in CNI as a share of the slower
way's time, as what stores save always was; judges NEMESYS with two memories, too; marks as one-sided what could hardly
be missed (CNI's numbers of cores that saturate, RMem's flat phase, *Together*'s counts with a mechanism on); and
corrects what the hashed map adds to the NMA, from which a circuit was subtracted that is not in it.

```sh
./tess reproduce all --output docs/results --forecast    # how long it will take
./tess reproduce all --output docs/results               # everything; it continues where it was stopped
./tess reproduce all --quick --draft                     # shows that it works, in a changed tree, too
```

"""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The claims of a paper, as far as they were measured."""

    paper: Paper
    checks: list[Check]
    provenance: dict[str, object] | None  # None: no report

    @property
    def repeated(self) -> bool:
        """Whether its runs were made in several layouts."""
        return self.provenance is not None and self.provenance["layouts"] > 1

    @property
    def made(self) -> str:
        """Where its numbers come from, as a sentence without its full stop."""
        if self.provenance is None:
            return "Not run"
        of = self.provenance
        commit = of["commit"] or f"{of['version']}, installed"
        draft = "A DRAFT, from a changed tree. " if of["draft"] else ""
        host = f"{of['host']['processor']}, {of['host']['system']}"
        return f"{draft}Made by `{of['command']}` at commit {commit}, {of['date']}, on {host}; layouts: {of['layouts']}"


def outcome(paper: Paper, results: Path, reference: Path) -> Outcome:
    """A paper's claims and the files of its report, if there is one."""
    file = results / paper.name / f"{paper.name}_checks.json"
    content = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"checks": [], "provenance": None}
    found = {one["claim"]: one for one in content["checks"]}
    checks = []
    for claim in Claims(reference / f"{paper.name}_claims.csv"):
        one = found.get(claim.name)
        if one is None or one["median"] is None:
            checks.append(Check(claim, None, verdict(claim, None)))
            continue
        ours = Interval(one["median"], one["low"], one["high"], one["layouts"])
        word = verdict(claim, ours) if one["judged"] else Verdict.NOT_RUN
        checks.append(Check(claim, ours, word, one["note"], one["judged"]))
    return Outcome(paper, checks, content["provenance"])


def judged_again(one: Outcome, results: Path, reference: Path) -> dict[Path, str]:
    """The files of a paper's report with verdicts and causes as they are now; none of a draft in one layout."""
    page = results / one.paper.name / "report.html"
    if not one.repeated or not page.is_file():
        return {}
    made = report.checks_files(one.paper, one.checks, one.provenance)
    chosen = fitted(reference, one.paper.name)
    text = report.judged_again(page.read_text(encoding="utf-8"), one.paper, one.checks, chosen)
    return {page.parent / name: content for name, content in made.items()} | {page: text}


def outcomes(papers: Sequence[Paper], results: Path, reference: Path) -> list[Outcome]:
    """Those of all papers."""
    return [outcome(paper, results, reference) for paper in papers]


# Markdown ------------------------------------------------------------------------------------------------------------


def cell(text: str) -> str:
    """Text as a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") or "–"


def counts_row(one: Outcome) -> str:
    """How often each verdict occurs for a paper."""
    counts = [sum(check.verdict is word for check in one.checks) for word in Verdict]
    return f"| [{one.paper.title}](#{one.paper.name}) | " + " | ".join(str(count or "") for count in counts) + " |"


def row(one: Outcome, check: Check, folder: Path) -> str:
    """A claim as a row; its figure or table links to the numbers if they exist, from the page's folder."""
    item = one.paper.item_of(check.claim.item)
    name = cell(check.claim.item)
    file = Path(one.paper.name) / one.paper.numbers_of(item)
    if check.ours is not None and (folder / file).is_file():
        name = f"[{name}](../results/{file})"
    _, observation, paper, ours, spread, band, word, about = report.check_cells(check)
    interval = f" [{spread}]" if spread else ""
    command = "" if check.verdict is Verdict.ABSENT else f"`./{one.paper.command_of(item)}`"
    shown = word if check.verdict in (Verdict.MET, Verdict.NOT_RUN, Verdict.ABSENT) else f"**{word}**"
    cells = [name, cell(observation), cell(paper), cell(ours + interval), cell(band), shown, cell(about), command]
    return "| " + " | ".join(cells) + " |"


def markdown(found: Sequence[Outcome], results: Path) -> str:
    """The page."""
    words = [word.value for word in Verdict]
    lines = [INTRODUCTION, "| | " + " | ".join(words) + " |", "|---" * (1 + len(words)) + "|"]
    lines += [counts_row(one) for one in found]
    for one in found:
        lines += ["", f"## {one.paper.name}", "", f"{one.paper.title}. {one.made}.", ""]
        head = ("observation", one.paper.states, "ours", "band", "verdict", "cause, and what was measured", "command")
        lines += [f"| | {' | '.join(head)} |"]
        lines += ["|---|---|---|---|---|---|---|---|"]
        lines += [row(one, check, results) for check in one.checks]
    return "\n".join(lines) + "\n"


# HTML ----------------------------------------------------------------------------------------------------------------


def index(found: Sequence[Outcome]) -> str:
    """The first page of the site of reports."""
    text = f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>Tessera: the papers</title>"
    text += f"<style>{report.STYLE}</style>\n<h1>The papers, reproduced</h1>\n"
    head = "".join(f"<th>{word.value}</th>" for word in Verdict)
    body = ""
    for one in found:
        counts = "".join(f"<td>{sum(check.verdict is word for check in one.checks) or ''}</td>" for word in Verdict)
        link = f'<a href="#{one.paper.name}">{html.escape(one.paper.title)}</a>'
        body += f'<tr><td class="text">{link}</td>{counts}</tr>\n'
    text += f"<table><tr><th></th>{head}</tr>\n{body}</table>\n"
    for one in found:
        text += f"<h2 id={one.paper.name}>{html.escape(one.paper.title)}</h2>\n"
        text += f"<p>{html.escape(one.made).replace('`', '')}.</p>\n"
        folder = one.paper.name if one.provenance is not None else ""
        if folder:
            text += f'<p><a href="{folder}/report.html">All figures and tables, beside the paper\'s</a></p>\n'
        text += report.checks_table(one.paper, one.checks, folder)
    return text + "</html>\n"


def files(papers: Sequence[Paper], results: Path, reference: Path) -> dict[Path, str]:
    """Texts by file: the site's first page, what reports say of claims, and checks.md if the results are the tree's."""
    found = outcomes(papers, results, reference)
    made = {results / "index.html": index(found)}
    for one in found:
        made |= judged_again(one, results, reference)
    root = provenance.source_tree()
    if root is not None and results.resolve() == (root / RESULTS).resolve():
        made[root / PAGE] = markdown(found, results)
    return made


def stale(made: dict[Path, str]) -> list[Path]:
    """Those files that have another text."""
    return [file for file, text in made.items() if not file.is_file() or file.read_text(encoding="utf-8") != text]


def write(papers: Sequence[Paper], results: Path, reference: Path) -> list[Path]:
    """Writes the files that have changed."""
    made = files(papers, results, reference)
    results.mkdir(parents=True, exist_ok=True)
    changed = stale(made)
    for file in changed:
        file.write_text(made[file], encoding="utf-8")
    print("written: " + (", ".join(str(file) for file in changed) or "nothing, all is as it was"))
    return list(made)


def main(papers: Sequence[Paper], words: list[str]) -> int:
    """Writes the pages; with --check 1 if one of them is not what it would write."""
    made = argparse.ArgumentParser(prog="tess reproduce checks")
    made.add_argument("--output", type=Path, help=f"folder with a folder of each paper; default {RESULTS} of the tree")
    made.add_argument("--tess", type=Path, help=argparse.SUPPRESS)
    made.add_argument("--reference", type=Path, help="folder with the published numbers; default: that of the tree")
    made.add_argument("--check", action="store_true", help="only compare the files with what would be written")
    options = made.parse_args(words)
    root = provenance.source_tree()
    if root is None and (options.output is None or options.reference is None):
        made.error("this package is installed; give --output and --reference")
    results = options.output or root / RESULTS
    reference = options.reference or root / "reference"
    if not options.check:
        write(papers, results, reference)
        return 0
    old = stale(files(papers, results, reference))
    for file in old:
        print(f"{file} is stale; ./tess reproduce checks writes it")
    return 1 if old else 0
