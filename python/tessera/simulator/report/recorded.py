"""recorded: a run as it was recorded: its statistics, its machine, and what else it left behind.

A run is read from what `tess run --stats FILE.json` wrote, or from a report, which has all of it. Statistics alone have
the machine's name, so its keys are known if it is a machine of Tessera.

Errors: ValueError, if a file is neither.
"""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SCHEMA = 1
DATA = re.compile(r'<script type="application/json" id="runs">(.*?)</script>', re.S)
PICTURES = re.compile(r"<!-- (flame|timeline) (\d+) -->(.*?)<!-- end of \1 -->", re.S)


@dataclasses.dataclass
class Recorded:
    """A run."""

    statistics: dict[str, Any]
    label: str = ""
    machine: str = ""  # its file, with all that it extends; empty: it is not known
    explanation: str = ""  # of `tess machines`
    rows: list[dict[str, float]] = dataclasses.field(default_factory=list)  # over time
    timeline: str = ""  # a picture of the rows
    flame: str = ""  # a picture, if there was a profile
    spent: list[dict[str, float]] = dataclasses.field(default_factory=list)  # by hart, if there was a profile
    words: list[str] = dataclasses.field(default_factory=list)  # of `tess run`; empty: they are not known

    @property
    def keys(self) -> dict[str, Any]:
        """The keys of the machine's file, as l2.ways."""
        return flat(tomllib.loads(self.machine)) if self.machine else {}

    @property
    def is_sampled(self) -> bool:
        """Only windows of it had time: there is an estimate, and nothing of tiles, links and memories."""
        return bool(self.statistics.get("sampled"))


def flat(table: dict[str, Any], before: str = "") -> dict[str, Any]:
    """A table of tables as one, with dotted keys."""
    made: dict[str, Any] = {}
    for key, value in table.items():
        made |= flat(value, f"{before}{key}.") if isinstance(value, dict) else {f"{before}{key}": value}
    return made


def said(*words: str) -> str:
    """What `tess` prints; empty if it fails."""
    done = subprocess.run([os.environ.get("TESSERA_TESS", "tess"), *words], capture_output=True, text=True, check=False,
                          timeout=60)  # fmt: skip
    return done.stdout if done.returncode == 0 else ""


def with_machine(run: Recorded, machine: str) -> Recorded:
    """The run with what `tess` says of the machine, which is a name or a file."""
    if machine == "single-tile" and not run.statistics["timing"]:
        return run  # one flat memory: nothing of the file has an effect
    run.machine, run.explanation = said("machines", "show", machine), said("machines", machine)
    return run


def rows_of(file: Path) -> list[dict[str, float]]:
    """The rows of a table that `--stats-over-time` or `--profile` wrote."""
    with file.open(encoding="utf-8") as text:
        return [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(text)]


def checked(statistics: Any, where: str) -> dict[str, Any]:
    """The statistics, if they are."""
    wanted = "expected what `tess run --machine … --stats FILE` wrote, or a report of a run"
    if not isinstance(statistics, dict) or not {"schema", "machine", "program", "timing"} <= set(statistics):
        raise ValueError(f"{where} has no statistics of a machine; {wanted}")
    if statistics["schema"] != SCHEMA:
        raise ValueError(f"{where} has statistics of schema {statistics['schema']}, not {SCHEMA}; {wanted}")
    return statistics


def read(path: Path) -> list[Recorded]:
    """The runs of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise ValueError(f"{path} cannot be read: {getattr(wrong, 'strerror', None) or 'it is no text'}") from None
    found = DATA.search(text) if text.lstrip().startswith("<") else None
    try:
        recorded = json.loads(found[1]) if found else json.loads(text)
    except ValueError:
        wanted = "expected what `tess run --stats` or `tess run --report` wrote"
        raise ValueError(f"{path} is no JSON and no report; {wanted}") from None
    if not found:
        run = Recorded(checked(recorded, str(path)), label=path.stem)
        return [with_machine(run, run.statistics["machine"])]
    try:
        for one in recorded:
            names, cells = one["rows"]["names"], one["rows"]["cells"]
            one["rows"] = [dict(zip(names, row, strict=True)) for row in cells]
        runs = [Recorded(**one) for one in recorded]
    except (TypeError, KeyError, ValueError):
        raise ValueError(f"{path} is a report of another version of Tessera; expected one of this") from None
    for run in runs:
        checked(run.statistics, str(path))
        run.label = run.label or path.stem
    for kind, number, picture in PICTURES.findall(text):
        setattr(runs[int(number)], kind, picture)
    return runs


def data_of(runs: Sequence[Recorded]) -> str:
    """The runs as the element of a page that read() finds; pictures are in the page, between comments."""
    kept = [
        dataclasses.asdict(run)
        | {"flame": "", "timeline": "", "rows": {"names": list(run.rows[0]) if run.rows else [],
                                                 "cells": [list(row.values()) for row in run.rows]}}
        for run in runs
    ]  # fmt: skip
    text = json.dumps(kept).replace("<", "\\u003c")  # so that nothing in it ends the element, or begins a comment
    return f'<script type="application/json" id="runs">{text}</script>'


def differing(runs: Sequence[Recorded]) -> dict[str, list[Any]]:
    """The keys in which the machines of the runs differ, with the value of each; None: it has no such key."""
    if not all(run.machine for run in runs):
        return {}
    keys = [run.keys for run in runs]
    names = dict.fromkeys(name for one in keys for name in one)
    found = {name: [one.get(name) for one in keys] for name in names}
    return {name: values for name, values in found.items() if any(value != values[0] for value in values)}
