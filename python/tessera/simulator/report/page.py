"""page: the report itself: one HTML file that opens without a network.

A run has what it was, its figures, where the cycles of each tile went, its links, rooflines of its memories, its
regions, its time series and its profile; a sampled one its estimate and its windows instead. Several have the keys of
their machines that differ, and figures side by side.
"""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

from tessera.simulator.report import pictures
from tessera.simulator.report.recorded import Recorded, data_of, differing, flat

LINKS_MAX = 24
STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em;border-bottom:1px solid #cfd8dc}
table{border-collapse:collapse;font-size:14px}th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #eceff1}
th:first-child,td:first-child,.words th,.words td{text-align:left}th{color:#455a64;font-weight:600}
td:first-child,.words td:nth-child(n+3){white-space:nowrap}code{overflow-wrap:anywhere}
td.differs{background:#fff8e1}pre{font-size:12px;overflow:auto;background:#f5f7f8;padding:1em}
svg{max-width:100%;height:auto}figure{margin:1em 0}figcaption,.note{color:#455a64;font-size:13px}
.key{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em}
"""


def escaped(value: Any) -> str:
    """As text of the page."""
    return html.escape(str(value))


def shown(value: Any) -> str:
    """A number for people: groups of three digits, six significant ones; nothing as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return escaped(value if isinstance(value, str) else json.dumps(value))
    if isinstance(value, float) and abs(value) < 1e6:
        return f"{value:.6g}"
    return f"{value:,.0f}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    """A share."""
    return "–" if value is None else f"{100 * value:.3g} %"


FIGURES: list[tuple[str, str, Callable[[Any], str]]] = [
    ("exit code", "exit_code", shown),
    ("simulated time, ps", "simulated_ps", shown),
    ("cycles", "cycles", shown),
    ("instructions", "instructions", shown),
    ("instructions a cycle", "instructions_per_cycle", shown),
    ("hits of the L1-I", "l1_instruction_hit_rate", percent),
    ("hits of the L1-D", "l1_data_hit_rate", percent),
    ("hits of the L2", "l2_hit_rate", percent),
    ("load of the links", "network_load", percent),
    ("load of the memories", "dram_load", percent),
    ("measured part, cycles", "measured.cycles", shown),
    ("… load of the buses", "measured.bus_load", percent),
    ("… load of the adapters", "measured.adapter_load", percent),
    ("… load of the memories", "measured.memory_load", percent),
    ("… bytes of the memories", "measured.memory_bytes", shown),
    ("… cycles of a remote load", "measured.remote_load_cycles", shown),
    ("busiest part", "bottleneck.what", shown),
    ("… its load", "bottleneck.load", percent),
    ("seconds here", "host.seconds", shown),
]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """A table of cells that are HTML already; of the kind `words` if they are no numbers."""
    cells = "".join(f"<th>{one}</th>" for one in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    opening = f'<table class="{kind}">' if kind else "<table>"
    return f"{opening}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def ratio(value: Any, first: Any) -> str:
    """Beside a value: how much of the first run's it is."""
    numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (value, first))
    return f' <span class="note">×{value / first:.3g}</span>' if numbers and first else ""


def figures_of(run: Recorded) -> dict[str, Any]:
    """What was counted, or, of a sampled run, what is known and estimated."""
    known = flat(run.statistics)
    if not run.is_sampled:
        return known
    made = {name: known[name] for name in ("exit_code", "host.seconds")} | {"instructions": known["all.instructions"]}
    if "all.cycles" in known:
        made["cycles"] = round(known["all.cycles"])
        made["instructions_per_cycle"] = 1 / known["all.cycles_per_instruction"]
    if "measured.cycles" in known:
        made["measured.cycles"] = round(known["measured.cycles"])
    return made


def figures(runs: Sequence[Recorded]) -> str:
    """What was counted, a column for each run."""
    rows = []
    known = [figures_of(run) for run in runs]
    for name, key, form in FIGURES:
        values = [one.get(key) for one in known]
        if all(value is None for value in values):
            continue
        cells = [form(value) + (ratio(value, values[0]) if number else "") for number, value in enumerate(values)]
        for number, run in enumerate(runs):
            if run.is_sampled and "cycle" in key and values[number] is not None:
                cells[number] += ' <span class="note">estimated</span>'
        rows.append([name, *cells])
    return table(["", *(escaped(run.label) for run in runs)], rows)


def machines(runs: Sequence[Recorded]) -> str:
    """What the machines are, and in what they differ."""
    parts = []
    if len(runs) > 1:
        keys = differing(runs)
        if keys:
            rows = [[f"<code>{escaped(name)}</code>", *map(shown, values)] for name, values in keys.items()]
            parts.append("<p>The keys of the machines' files that differ:</p>"
                         + table(["key", *(escaped(run.label) for run in runs)], rows))  # fmt: skip
        elif all(run.machine for run in runs):
            parts.append("<p>The machines are the same, key by key.</p>")
        else:
            parts.append("<p>Of some runs the machine's file is not known, so its keys cannot be compared.</p>")
    told = set()
    for run in runs:
        if not run.explanation or run.explanation in told:
            continue
        told.add(run.explanation)
        first = escaped(run.explanation.partition("\n")[0])
        parts.append(f"<details><summary>{first}</summary><pre>{escaped(run.explanation)}</pre></details>")
    if not told:
        parts.append("<p>Without time: harts on one coherent flat memory, an instruction a cycle.</p>"
                     if not any(run.statistics["timing"] for run in runs) else
                     "<p>The machine's file is not known here.</p>")  # fmt: skip
    return "".join(parts)


def programs(runs: Sequence[Recorded]) -> str:
    """What was run."""
    rows = []
    for run in runs:
        words = shlex.join(["tess", "run", *run.words]) if run.words else run.statistics["program"]
        time = "with time" if run.statistics["timing"] else "without time"
        time = "windows of it with time" if run.is_sampled else time
        rows.append([escaped(run.label), f"<code>{escaped(words)}</code>", escaped(run.statistics["machine"]), time])
    return table(["run", "program", "machine", ""], rows, "words")


def with_interval(value: float, half: float, form: Callable[[Any], str]) -> str:
    """An estimate and its 95 % interval."""
    return f"{form(value)} ± {form(half)} ({percent(half / value if value else None)})"


def samples(runs: Sequence[Recorded]) -> str:
    """The windows of sampled runs, and what they say of the whole."""
    parts = []
    for run in runs:
        if not run.is_sampled:
            continue
        known = run.statistics
        plan = [["instructions from window to window", shown(known["period"])],
                ["instructions that are counted in each", shown(known["window"])],
                ["instructions of warm-up before them", shown(known["warmup"])],
                ["instructions before these of which caches are followed", shown(known["follow"])],
                ["windows that were counted", shown(len(known.get("counted", [])))],
                ["windows that met calls for files, or the program's end", shown(known["cut_windows"])],
                ["windows whose process failed", shown(known["failed_windows"])]]  # fmt: skip
        rows = []
        for name, key in (("whole run", "all"), ("measured part", "measured")):
            one = known.get(key)
            if one is None:
                continue
            cells = ["–", "too few windows", "–"]
            if "windows" in one:
                of_one = with_interval(one["cycles_per_instruction"], one["half_width"], lambda value: f"{value:.4g}")
                of_all = with_interval(one["cycles"], one["cycles_half_width"], lambda value: shown(round(value)))
                cells = [shown(one["windows"]), of_one, of_all]
            rows.append([name, shown(one["instructions"]), *cells])
        drawing = pictures.windows(run)
        said = ("Each counted window, where it was in the run. The line is the estimate, the band its interval, with "
                "95 % confidence.")  # fmt: skip
        parts.append((f"<h3>{escaped(run.label)}</h3>" if len(runs) > 1 else "")
                     + table(["estimate", "instructions", "windows", "cycles an instruction", "cycles"], rows)
                     + (f"<figure>{drawing}<figcaption>{said}</figcaption></figure>" if drawing else "")
                     + table(["plan", ""], plan))  # fmt: skip
    return "<h2>Samples</h2>" + "".join(parts) if parts else ""


def links(run: Recorded) -> str:
    """The busiest links."""
    places = {tile["tile"]: f"{tile['x']}, {tile['y']}" for tile in run.statistics["tiles"]}
    used = sorted((one for one in run.statistics["links"] if one["flits"]), key=lambda one: -one["load"])
    rows = [
        [places[one["from"]] + (" to " + places[one["to"]] if one["from"] != one["to"] else ", out of the network"),
         shown(one["flits"]), percent(one["load"])]
        for one in used[:LINKS_MAX]
    ]  # fmt: skip
    more = f'<p class="note">and {len(used) - LINKS_MAX} more</p>' if len(used) > LINKS_MAX else ""
    return table(["link", "flits", "load"], rows) + more if rows else "<p>No link had a flit.</p>"


def rooflines(runs: Sequence[Recorded]) -> str:
    """The drawing, and its numbers."""
    drawing = pictures.roofline(runs)
    if not drawing:
        return ""
    rows = [
        [escaped(run.label), shown(one["tile"]), f"{one['peak'] / 1e9:.4g}", f"{one['bytes_per_second'] / 1e9:.4g}",
         f"{one['intensity']:.4g}", f"{one['attained'] / 1e6:.4g}", f"{one['roof'] / 1e6:.4g}",
         percent(one["attained"] / one["roof"])]
        for run in runs for one in pictures.roofs(run)
    ]  # fmt: skip
    head = ["run", "memory of tile", "peak, GB/s", "moved, GB/s", "instructions a byte", "million instructions/s"]
    head += ["roof", "of the roof"]
    return (f"<h2>Rooflines of the memories</h2><figure>{drawing}<figcaption>All instructions of the run for each byte "
            "that the memory moved. The roof is the lower one of an instruction a cycle on all harts, and of what the "
            f"memory's port or its DRAM could move at most.</figcaption></figure>{table(head, rows)}")  # fmt: skip


def regions(runs: Sequence[Recorded]) -> str:
    """What the programs have marked."""
    rows = [
        [escaped(run.label), escaped(one["name"]), shown(one["times"]), shown(one["harts"]), shown(one["cycles"]),
         shown(one["own_cycles"]), shown(one["instructions"]),
         shown(one["instructions"] / one["cycles"] if one["cycles"] else None)]
        for run in runs for one in run.statistics.get("regions", [])
    ]  # fmt: skip
    head = ["run", "region", "times", "harts", "cycles", "of its own", "instructions", "instructions a cycle"]
    return "<h2>Regions of the program</h2>" + table(head, rows) if rows else ""


def energy(runs: Sequence[Recorded]) -> str:
    """What the statistics have about energy, a column for each run."""
    known = [{name: value for name, value in flat(run.statistics.get("energy", {})).items()
              if isinstance(value, (int, float, str))} for run in runs]  # fmt: skip
    names = dict.fromkeys(name for one in known for name in one)
    if not names:
        return ""
    rows = [[f"<code>energy.{escaped(name)}</code>", *(shown(one.get(name)) for one in known)] for name in names]
    return "<h2>Energy</h2>" + table(["", *(escaped(run.label) for run in runs)], rows)


def inlined(picture: str, name: str) -> str:
    """An SVG of ours in the page: its styles are for itself only."""
    picture = re.sub(r"<\?xml.*?\?>", "", picture).replace(' xmlns="http://www.w3.org/2000/svg"', "").strip()
    picture = re.sub(r"<style>(.*?)</style>", lambda found: "<style>" + re.sub(
        r"(^|\})\s*([^{}]+)\{", lambda rule: f"{rule[1]}#{name} {rule[2].strip()}{{", found[1]) + "</style>",
        picture, flags=re.S)  # fmt: skip
    return f'<div id="{name}">{picture}</div>'


def kept(picture: str, kind: str, number: int, label: str) -> str:
    """A picture between the comments by which read() finds it; one that comes from a page is in its element already."""
    own = re.sub(r'^<div id="[a-z]+-\d+">(.*)</div>$', r"\1", picture, flags=re.S)
    own = re.sub(r"#[a-z]+-\d+ ", "", own)
    return (f"<h3>{escaped(label)}</h3><!-- {kind} {number} -->{inlined(own, f'{kind}-{number}')}"
            f"<!-- end of {kind} -->")  # fmt: skip


def series(runs: Sequence[Recorded]) -> str:
    """Over time."""
    drawings = [
        pictures.over_time(runs, column, title)
        for column, title in (("instructions_per_cycle", "instructions a cycle"), ("dram_load", "load of the memories"),
                              ("network_load", "load of the links"))
    ]  # fmt: skip
    parts = [f"<figure>{one}</figure>" for one in drawings if one]
    parts += [kept(run.timeline, "timeline", number, run.label) for number, run in enumerate(runs) if run.timeline]
    return "<h2>Over time</h2>" + "".join(parts) if parts else ""


def profiles(runs: Sequence[Recorded]) -> str:
    """Flame graphs."""
    parts = [kept(run.flame, "flame", number, run.label) for number, run in enumerate(runs) if run.flame]
    return "<h2>Profile</h2>" + "".join(parts) if parts else ""


def grids(runs: Sequence[Recorded]) -> str:
    """The tiles and links of each run with time."""
    parts = []
    for run in runs:
        if not run.statistics["timing"] or run.is_sampled:
            continue
        heading = f"<h3>{escaped(run.label)}</h3>" if len(runs) > 1 else ""
        others = ("What the words mean is with --profile in the machine's documentation." if run.spent else
                  "Other waits are for caches, memories, other tiles, and sleep; and instructions of several cycles. "
                  "A run with --profile has them apart.")  # fmt: skip
        said = f"The bar of a tile is all cycles of its harts. {others}"
        parts.append(f"{heading}<figure>{pictures.grid(run)}<figcaption>{said}</figcaption></figure>"
                     f"<details><summary>links</summary>{links(run)}</details>")  # fmt: skip
    return "<h2>Tiles and links</h2>" + "".join(parts) if parts else ""


def page(runs: Sequence[Recorded]) -> str:
    """The whole page."""
    title = " and ".join(dict.fromkeys(run.label for run in runs)) if len(runs) <= 3 else f"{len(runs)} runs"
    legend = "".join(f'<span class="key" style="background:{pictures.SERIES[number % len(pictures.SERIES)]}"></span>'
                     f"{escaped(run.label)}" for number, run in enumerate(runs))  # fmt: skip
    parts = [
        f"<h1>{escaped(title)}</h1>", f"<p>{legend}</p>" if len(runs) > 1 else "", "<h2>What was run</h2>",
        programs(runs), "<h2>Machine</h2>" if len(runs) == 1 else "<h2>Machines</h2>", machines(runs),
        "<h2>Figures</h2>", figures(runs), samples(runs), grids(runs), rooflines(runs), regions(runs),
        energy(runs), series(runs), profiles(runs), data_of(runs),
    ]  # fmt: skip
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{escaped(title)}</title><style>{STYLE}</style></head>\n"
            f"<body>{''.join(parts)}</body></html>\n")  # fmt: skip
