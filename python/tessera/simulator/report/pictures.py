"""pictures: the drawings of a report: the grid with its tiles' cycles and its links, rooflines, curves over time.

Each is an SVG element without style sheets, so that several can stand in one page.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

from tessera.simulator.report.recorded import Recorded

# As src/machine/report/load_classes.hpp has them.
CLASSES = [(0.0001, "#eceff1", "idle"), (0.01, "#fde725", "&lt; 1%"), (0.05, "#7ad151", "&lt; 5%"),
           (0.2, "#22a884", "&lt; 20%"), (0.5, "#2a788e", "&lt; 50%"), (0.8, "#414487", "&lt; 80%"),
           (math.inf, "#440154", "80% and more")]  # fmt: skip
# Known without a profile, and with one.
SPENT = {"instructions": "#2a788e", "write buffer": "#fde725", "other waits": "#e07a5f", "no thread": "#eceff1"}
PROFILED = {"issue": "#2a788e", "L2": "#7ad151", "memory": "#e07a5f", "remote": "#440154", "bus": "#b8860b",
            "interface": "#d81b60", "device": "#8d6e63", "write buffer": "#fde725",
            "translation": "#1f618d", "system": "#607d8b",
            "sleep": "#b0bec5", "no thread": "#eceff1"}  # fmt: skip
SERIES = ["#2a788e", "#e07a5f", "#440154", "#7ad151", "#b8860b", "#607d8b"]
BOX, GAP = 118, 64


def colour(load: float) -> str:
    """The class of a load, as its colour."""
    return next(name for below, name, _ in CLASSES if load < below)


def text(x: float, y: float, words: str, *, size: int = 11, anchor: str = "start", bold: bool = False) -> str:
    """A line of text."""
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{weight}>'
            f"{html.escape(words)}</text>")  # fmt: skip


def svg(width: float, height: float, parts: Sequence[str], what: str) -> str:
    """An element of this size, with a name for those who do not see it."""
    return (f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" font-family="sans-serif">'
            f"<title>{html.escape(what)}</title>{''.join(parts)}</svg>")  # fmt: skip


def spent(run: Recorded) -> dict[int, dict[str, float]]:
    """For each tile with harts, the shares of their cycles by SPENT, or by PROFILED if there was a profile."""
    statistics = run.statistics
    tiles: dict[int, dict[str, float]] = {}
    for hart in run.spent:
        of_tile = tiles.setdefault(int(hart["tile"]), dict.fromkeys(PROFILED, 0.0))
        for name in PROFILED:
            of_tile[name] += hart[name]
    for hart in statistics["harts"] if not run.spent else []:
        of_tile = tiles.setdefault(hart["tile"], dict.fromkeys(SPENT, 0.0))
        ran = min(hart["cycles"], statistics["cycles"])
        executing = min(hart["instructions"], ran)
        stores = min(hart["store_wait_cycles"], ran - executing)
        of_tile["instructions"] += executing
        of_tile["write buffer"] += stores
        of_tile["other waits"] += ran - executing - stores
        of_tile["no thread"] += statistics["cycles"] - ran
    for of_tile in tiles.values():
        whole = sum(of_tile.values()) or 1.0
        for name in of_tile:
            of_tile[name] /= whole
    return tiles


def _tile(statistics: dict[str, Any], tile: dict[str, Any], shares: dict[str, float] | None, load: float | None) -> str:
    left, top = 20 + tile["x"] * (BOX + GAP), 20 + tile["y"] * (BOX + GAP)
    fill = "#e3f2fd" if load is not None else "#fff"
    parts = [f'<rect x="{left}" y="{top}" width="{BOX}" height="{BOX}" rx="6" fill="{fill}" stroke="#455a64"/>',
             text(left + 8, top + 17, f"{tile['x']}, {tile['y']}", size=13, bold=True)]  # fmt: skip
    y = top + 26
    if shares:
        harts = [one for one in statistics["harts"] if one["tile"] == tile["tile"] and one["instructions"]]
        parts.append(text(left + BOX - 8, top + 17, f"{len(harts)} hart{'s' if len(harts) != 1 else ''}", anchor="end"))
        told = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        parts.append(f"<g><title>cycles of its harts: {told}</title>")
        x = left + 8.0
        for name, share in shares.items():
            width = share * (BOX - 16)
            fill = (SPENT | PROFILED)[name]
            parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" fill="{fill}"/>')
            x += width
        parts.append(f'</g><rect x="{left + 8}" y="{y}" width="{BOX - 16}" height="18" fill="none" stroke="#90a4ae"/>')
        y += 22
    rows = [("bus", tile["bus_load"]), ("adapter", tile["adapter_load"])]
    rows += [("memory", load)] if load is not None else []
    for name, value in rows:
        parts.append(text(left + 8, y + 11, name))
        fill = colour(value)
        parts.append(f'<rect x="{left + 56}" y="{y + 1}" width="12" height="12" fill="{fill}" stroke="#90a4ae"/>')
        parts.append(text(left + BOX - 8, y + 11, f"{value:.1%}", anchor="end"))
        y += 19
    return "".join(parts)


def _link(link: dict[str, Any], places: dict[int, tuple[int, int]]) -> str:
    (ax, ay), (bx, by) = places[link["from"]], places[link["to"]]
    if abs(ax - bx) + abs(ay - by) != 1:
        return ""  # around the edge: it is in the table
    dx, dy = bx - ax, by - ay
    x = 20 + ax * (BOX + GAP) + (BOX if dx > 0 else 0 if dx < 0 else BOX / 2 + 10 * dy)
    y = 20 + ay * (BOX + GAP) + (BOX if dy > 0 else 0 if dy < 0 else BOX / 2 - 10 * dx)
    ex, ey = x + dx * GAP, y + dy * GAP
    width = 4 + 8 * math.sqrt(min(link["load"], 1))
    neck_x, neck_y = ex - 9 * dx, ey - 9 * dy
    wings = [(ex, ey), (neck_x - 6 * dy, neck_y - 6 * dx), (neck_x + 6 * dy, neck_y + 6 * dx)]
    tip = " ".join(f"{at:.0f},{down:.0f}" for at, down in wings)
    fill = colour(link["load"])
    label = text(x + dx * GAP / 2 + 8 * abs(dy) * dy, y + dy * GAP / 2 + (-8 if dx > 0 else 16 if dx < 0 else 4),
                 f"{link['load']:.1%}", size=10, anchor="middle" if dx else "start" if dy > 0 else "end")  # fmt: skip
    return (f"<g><title>{link['flits']} flits, {link['load']:.2%} of the cycles</title>"
            f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{ex - 8 * dx:.0f}" y2="{ey - 8 * dy:.0f}" stroke="{fill}" '
            f'stroke-width="{width:.1f}"/><polygon points="{tip}" fill="{fill}"/>'
            f"{label if link['load'] >= 0.0005 else ''}</g>")  # fmt: skip


def grid(run: Recorded) -> str:
    """The tiles: on what the cycles of their harts went, and the loads of their parts; the links between them."""
    statistics = run.statistics
    places = {tile["tile"]: (tile["x"], tile["y"]) for tile in statistics["tiles"]}
    loads = {memory["tile"]: memory["port_load"] for memory in statistics["memories"]}
    shares = spent(run)
    kinds = PROFILED if run.spent else SPENT
    parts = [_link(link, places) for link in statistics["links"] if link["from"] != link["to"]]
    for tile in statistics["tiles"]:
        parts.append(_tile(statistics, tile, shares.get(tile["tile"]), loads.get(tile["tile"])))
    columns, rows = (1 + max(place[axis] for place in places.values()) for axis in (0, 1))
    height = 40 + rows * (BOX + GAP) - GAP
    x = 20.0
    for name, fill in kinds.items():
        parts.append(f'<rect x="{x}" y="{height}" width="14" height="14" fill="{fill}" stroke="#90a4ae"/>')
        parts.append(text(x + 19, height + 11, name))
        x += 34 + 6.2 * len(name)
    legend = x
    x = 20.0
    for _, fill, name in CLASSES:
        parts.append(f'<rect x="{x}" y="{height + 24}" width="14" height="14" fill="{fill}" stroke="#90a4ae"/>')
        parts.append(text(x + 19, height + 35, html.unescape(name)))
        x += 32 + 6.2 * len(html.unescape(name))
    width = max(40 + columns * (BOX + GAP) - GAP, legend, x)
    return svg(width, height + 48, parts, "the grid: cycles of tiles and loads of links")


def _ticks(low: float, high: float) -> list[float]:
    return [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def roofs(run: Recorded) -> list[dict[str, float]]:
    """For each memory: tile, peak (bytes a second), intensity (instructions a byte), attained and roof (instructions a
    second); empty, if the machine's file is not known."""
    keys, statistics = run.keys, run.statistics
    if not keys or not statistics["timing"] or not statistics.get("simulated_ps"):
        return []
    try:
        port = keys["memory.port_bytes"] * keys["clocks.memory_mhz"] * 1e6
        dram = keys["dram.access_bytes"] / (keys["dram.burst"] * keys["dram.clock_ps"] * 1e-12)
    except KeyError:
        return []
    seconds = statistics["simulated_ps"] * 1e-12
    attained = statistics["instructions"] / seconds
    harts = len(statistics["harts"]) * keys["clocks.tile_mhz"] * 1e6
    made = []
    for memory in statistics["memories"]:
        if memory["bytes"]:
            intensity = statistics["instructions"] / memory["bytes"]
            made.append({"tile": memory["tile"], "peak": min(port, dram), "intensity": intensity, "attained": attained,
                         "bytes_per_second": memory["bytes"] / seconds, "harts": harts,
                         "roof": min(harts, min(port, dram) * intensity)})  # fmt: skip
    return made


def roofline(runs: Sequence[Recorded]) -> str:
    """A dot for each memory of each run, below the roofs of its machine; empty: nothing is known."""
    dots = [(number, one) for number, run in enumerate(runs) for one in roofs(run)]
    if not dots:
        return ""
    xs = [one["intensity"] for _, one in dots] + [one["harts"] / one["peak"] for _, one in dots]
    x_low, x_high = min(xs) / 4, max(xs) * 4
    y_high = max(one["harts"] for _, one in dots) * 2
    y_low = min(min(one["attained"] for _, one in dots), y_high / 1000) / 4
    width, height, left, bottom = 640, 360, 70, 316

    def at(x: float, y: float) -> tuple[float, float]:
        return (left + math.log(x / x_low) / math.log(x_high / x_low) * (width - left - 20),
                bottom - math.log(y / y_low) / math.log(y_high / y_low) * (bottom - 16))  # fmt: skip

    parts = []
    for tick in _ticks(x_low, x_high):
        if x_low <= tick <= x_high:
            x, _ = at(tick, y_low)
            parts += [f'<line x1="{x:.0f}" y1="16" x2="{x:.0f}" y2="{bottom}" stroke="#eceff1"/>',
                      text(x, bottom + 15, f"{tick:g}", anchor="middle")]  # fmt: skip
    for tick in _ticks(y_low, y_high):
        if y_low <= tick <= y_high:
            _, y = at(x_low, tick)
            parts += [f'<line x1="{left}" y1="{y:.0f}" x2="{width - 20}" y2="{y:.0f}" stroke="#eceff1"/>',
                      text(left - 6, y + 4, f"{tick / 1e6:g}", anchor="end")]  # fmt: skip
    for number, one in {(number, one["peak"], one["harts"]): (number, one) for number, one in dots}.values():
        ridge = one["harts"] / one["peak"]
        points = [at(max(x_low, y_low / one["peak"]), max(y_low, one["peak"] * x_low)), at(ridge, one["harts"]),
                  at(x_high, one["harts"])]  # fmt: skip
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        stroke = SERIES[number % len(SERIES)]
        parts.append(f'<polyline points="{line}" fill="none" stroke="{stroke}" stroke-width="2"/>')
    for number, one in dots:
        x, y = at(one["intensity"], one["attained"])
        told = (f"{runs[number].label}, memory of tile {one['tile']}: {one['intensity']:.3g} instructions a byte, "
                f"{one['attained'] / one['roof']:.1%} of its roof")  # fmt: skip
        fill = SERIES[number % len(SERIES)]
        parts.append(f'<g><title>{html.escape(told)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{fill}" '
                     f'stroke="#fff"/>{text(x, y - 10, str(one["tile"]), size=10, anchor="middle")}</g>')  # fmt: skip
    below = "instructions of the run a byte of the memory in tile N"
    parts += [text((left + width) / 2, height - 8, below, anchor="middle"),
              text(left, 11, "million instructions a second")]  # fmt: skip
    return svg(width, height, parts, "rooflines of the memories")


def over_time(runs: Sequence[Recorded], column: str, title: str) -> str:
    """A column of the runs' rows over time; empty: no run has rows."""
    curves = [(number, run.rows) for number, run in enumerate(runs) if run.rows and column in run.rows[0]]
    if not curves:
        return ""
    width, height, left, bottom = 900, 190, 70, 158
    end = max(rows[-1]["end_us"] for _, rows in curves)
    top = max(row[column] for _, rows in curves for row in rows) or 1.0
    factor, unit = (100 * top, " %") if column.endswith("load") else (top, "")
    parts = [text(left, 12, title, bold=True, size=12)]
    for share in (0, 0.5, 1):
        y = bottom - share * (bottom - 24)
        parts += [f'<line x1="{left}" y1="{y:.0f}" x2="{width - 20}" y2="{y:.0f}" stroke="#eceff1"/>',
                  text(left - 6, y + 4, f"{share * factor:.3g}{unit}", anchor="end")]  # fmt: skip
        label = f"{share * end:.4g} us" if end < 10_000 else f"{share * end / 1000:.4g} ms"
        parts.append(text(left + share * (width - left - 20), bottom + 15, label,
                          anchor="start" if share == 0 else "end" if share == 1 else "middle"))  # fmt: skip
    for number, rows in curves:
        points = []
        for row in rows:
            y = bottom - row[column] / top * (bottom - 24)
            for at in (row["begin_us"], row["end_us"]):
                points.append(f"{left + at / end * (width - left - 20):.1f},{y:.1f}")
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{SERIES[number % len(SERIES)]}"/>')
    return svg(width, height, parts, title)


def windows(run: Recorded) -> str:
    """The cycles per instruction of each window of a sampled run, and the estimate; empty: there are too few."""
    known = run.statistics.get("counted", [])
    whole = run.statistics["all"]
    if "windows" not in whole:
        return ""
    points = [(at, cycles / instructions) for at, instructions, cycles in known]
    mean, half = whole["cycles_per_instruction"], whole["half_width"]
    top = 1.1 * max(mean + half, *(value for _, value in points))
    width, height, left, bottom = 900, 240, 70, 206
    right, above = width - 20, 24

    def y_of(value: float) -> float:
        return bottom - value / top * (bottom - above)

    parts = [text(left, 12, "cycles an instruction", bold=True, size=12)]
    for share in (0, 0.5, 1):
        y = bottom - share * (bottom - above)
        parts += [f'<line x1="{left}" y1="{y:.0f}" x2="{right}" y2="{y:.0f}" stroke="#eceff1"/>',
                  text(left - 6, y + 4, f"{share * top:.3g}", anchor="end")]  # fmt: skip
        label = f"{share * whole['instructions'] / 1e6:.4g}" + (" million instructions" if share == 1 else "")
        parts.append(text(left + share * (right - left), bottom + 15, label,
                          anchor="start" if share == 0 else "end" if share == 1 else "middle"))  # fmt: skip
    upper, middle, lower = y_of(mean + half), y_of(mean), y_of(max(mean - half, 0))
    parts += [f'<rect x="{left}" y="{upper:.1f}" width="{right - left}" height="{lower - upper:.1f}" fill="#cfe8e5"/>',
              f'<line x1="{left}" y1="{middle:.1f}" x2="{right}" y2="{middle:.1f}" stroke="#00695c"/>']  # fmt: skip
    for at, value in points:
        x = left + at / whole["instructions"] * (right - left)
        parts.append(f'<circle cx="{x:.1f}" cy="{y_of(value):.1f}" r="3" fill="#2a788e" fill-opacity="0.7">'
                     f"<title>instruction {at}: {value:.4g}</title></circle>")  # fmt: skip
    return svg(width, height, parts, "cycles an instruction of each window")
