"""diagrams: draws the pictures of docs/machine/rtl.md from JSON beside the sources: timing and blocks.

rtl/common/diagrams/stream.json becomes docs/machine/rtl/common-stream.svg. Two kinds of files:
  {"title", "signal": [{"name", "wave", "data"}, …]}   WaveJSON with the waves p 0 1 = x . and empty lanes
  {"title", "boxes": [{"name", "at": [x, y, width, height], "text"}, …],
   "arrows": [["from", "to", "text"], …]}   in units of 10 points; arrows are straight, horizontal or vertical; a box
                                            {"port": "name", "at": [x, y], "side": "right"} is the name of a port
`python3 tools/rtl/diagrams.py` draws all; with --check it says whether they are up to date.
"""

import json
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "machine" / "rtl"
CYCLE, LANE, LEFT = 44, 30, 110
STROKE, FILL, INK = "#2e75b6", "#dce9f5", "#12304d"


def picture(width: float, height: float, title: str, body: list[str]) -> str:
    """An SVG with a white background."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="13" role="img" aria-label="{escape(title)}">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>\n'
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        f'<path d="M0 1L7 4L0 7z" fill="{INK}"/></marker></defs>\n'
    )
    return head + "\n".join(body) + "\n</svg>\n"


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{INK}">{escape(words)}</text>'


def line(points: str, more: str = "") -> str:
    return f'<path d="{points}" fill="none" stroke="{STROKE}" stroke-width="1.5"{more}/>'


def expanded(wave: str) -> str:
    """With every dot replaced by what it repeats; the value of a data box goes on as `.`."""
    out = ""
    for letter in wave:
        out += out[-1] if letter == "." and out[-1] in "p01x" else letter
    return out


def lane(wave: str, labels: list[str], top: float) -> list[str]:
    """One signal."""
    low, high = top + LANE - 7, top + 7
    middle, parts, path = (low + high) / 2, [], ""
    letters = expanded(wave)
    last = ""
    for i, letter in enumerate(letters):
        x = LEFT + i * CYCLE
        if letter == "p":
            path += f"M{x} {low}V{high}H{x + CYCLE / 2}V{low}H{x + CYCLE}"
        elif letter in "01":
            level = high if letter == "1" else low
            path += (f"L{x} {level}" if last in ("0", "1") else f"M{x} {level}") + f"H{x + CYCLE}"
        elif letter == "x":
            parts.append(
                f'<rect x="{x}" y="{high:g}" width="{CYCLE}" height="{low - high:g}" fill="#e8e8e8" stroke="none"/>'
            )
        elif letter == "=":
            span = 1
            while i + span < len(letters) and letters[i + span] == ".":
                span += 1
            end = x + span * CYCLE
            parts.append(
                f'<path d="M{x} {middle:g}L{x + 5} {high:g}H{end - 5}L{end} {middle:g}L{end - 5} {low:g}H{x + 5}z" '
                f'fill="{FILL}" stroke="{STROKE}" stroke-width="1.5"/>'
            )
            parts.append(text((x + end) / 2, middle + 4.5, labels.pop(0) if labels else ""))
        last = letter
    return [*parts, line(path)] if path else parts


def timing(drawing: dict) -> str:
    """A timing diagram."""
    signals = drawing["signal"]
    cycles = max(len(signal.get("wave", "")) for signal in signals)
    width, height = LEFT + cycles * CYCLE + 10, LANE * len(signals) + 10
    edges = [LEFT + i * CYCLE for i in range(cycles + 1)]
    body = [f'<path d="M{x} 4V{height - 4}" stroke="#d0d0d0" stroke-dasharray="3 3"/>' for x in edges]
    for i, signal in enumerate(signals):
        if "wave" in signal:
            top = 5 + i * LANE
            body.append(text(LEFT - 10, top + LANE / 2 + 4, signal["name"], "end"))
            data = signal.get("data", [])
            body += lane(signal["wave"], data.split() if isinstance(data, str) else list(data), top)
    return picture(width, height, drawing["title"], body)


def meet(a: list[float], b: list[float]) -> tuple[float, float, float, float]:
    """Where a horizontal or vertical arrow between two rectangles begins and ends."""
    top, bottom = max(a[1], b[1]), min(a[1] + a[3], b[1] + b[3])
    if top <= bottom:
        y = (top + bottom) / 2
        return (a[0] + a[2], y, b[0], y) if a[0] < b[0] else (a[0], y, b[0] + b[2], y)
    left, right = max(a[0], b[0]), min(a[0] + a[2], b[0] + b[2])
    if left > right:
        raise SystemExit(f"no straight arrow joins the boxes at {a[:2]} and {b[:2]}")
    x = (left + right) / 2
    return (x, a[1] + a[3], x, b[1]) if a[1] < b[1] else (x, a[1], x, b[1] + b[3])


def blocks(drawing: dict) -> str:
    """A block diagram."""
    places: dict[str, list[float]] = {}
    body = []
    for box in drawing["boxes"]:
        if "port" in box:
            places[box["port"]] = [10 * box["at"][0], 10 * box["at"][1] - 5, 0, 10]
            shift, anchor = (6, "start") if box.get("side") == "right" else (-6, "end")
            body.append(text(places[box["port"]][0] + shift, places[box["port"]][1] + 9, box["port"], anchor))
            continue
        x, y, width, height = places[box["name"]] = [10 * value for value in box["at"]]
        body.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{FILL}" stroke="{STROKE}" '
            'stroke-width="1.5"/>'
        )
        words = [box["name"], *filter(None, box.get("text", "").split("\n"))]
        for i, word in enumerate(words):
            body.append(text(x + width / 2, y + height / 2 + 4.5 + 16 * (i - (len(words) - 1) / 2), word))
    for begin, end, *label in drawing["arrows"]:
        x1, y1, x2, y2 = meet(places[begin], places[end])
        arrow = f'd="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{INK}" stroke-width="1.5" marker-end="url(#tip)"'
        body.append(f"<path {arrow}/>")
        if label and y1 == y2:
            body.append(text((x1 + x2) / 2, y1 - 5, label[0]))
        elif label:
            body.append(text(x1 + 6, (y1 + y2) / 2 + 4, label[0], "start"))
    width = max(place[0] + place[2] for place in places.values()) + drawing.get("margin", 20)
    height = max(place[1] + place[3] for place in places.values()) + 10
    return picture(width, height, drawing["title"], body)


def drawn(drawing: dict) -> str:
    """By what the file has."""
    return timing(drawing) if "signal" in drawing else blocks(drawing)


def main(words: list[str]) -> int:
    code = 0
    for source in sorted((ROOT / "rtl").glob("*/diagrams/*.json")):
        drawing = json.loads(source.read_text(encoding="utf-8"))
        svg = drawn(drawing)
        target = PICTURES / f"{source.parents[1].name}-{source.stem}.svg"
        if words == ["--check"]:
            if not target.exists() or target.read_text(encoding="utf-8") != svg:
                print(f"{target.relative_to(ROOT)} is not what its source says; type: python3 tools/rtl/diagrams.py")
                code = 1
        else:
            PICTURES.mkdir(parents=True, exist_ok=True)
            target.write_text(svg, encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
