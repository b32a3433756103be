"""palette: one colour for one mechanism in all pictures; variants of a mechanism are lighter, with another line.

Colours of mechanisms are those of Okabe and Ito (2008), which readers with any colour vision tell apart.
"""

from collections.abc import Iterable

# By words of a series' name; the longest that it contains counts.
MECHANISMS = {
    "message passing": "#7f7f7f",
    "messages": "#7f7f7f",
    "Pegasus": "#e69f00",
    "NEMESYS": "#0072b2",
    "NEMESYS without allocations": "#56b4e9",
    "without NCA": "#8c6bb1",
    "NMA": "#0072b2",
    "NMA, hashed": "#56b4e9",
    "CNI": "#009e73",
    "mr-queue": "#009e73",
    "counter": "#009e73",
    "rdma": "#009e73",
    "stores": "#d55e00",
    "MCS": "#d55e00",
    "tree": "#d55e00",
    "coherent": "#d55e00",
    "RAE": "#cc79a7",
    "xBGAS": "#cc79a7",
    "retain": "#cc79a7",
    "free-at-once": "#b8a6c8",
    "tasks": "#8c564b",
    "rmem": "#44aa99",
    "single-step": "#999933",
    "overlapped": "#ddcc77",
    "Little's law": "#222222",
    "hardware maximum": "#222222",
}
WHOLE_NAMES = {"all": "#222222"}
OTHERS = ("#332288", "#88ccee", "#117733", "#882255", "#ddaa33", "#aa4499", "#666666", "#44bb99", "#ee8866")
LIGHTER = 0.45  # of the way to white, for each further variant
LINES = ("-", "--", ":", "-.")


def mechanism(name: str) -> str | None:
    """The mechanism that a series shows, or None."""
    if name in WHOLE_NAMES:
        return name
    return max((known for known in MECHANISMS if known in name), key=len, default=None)


def lighter(colour: str, steps: int) -> str:
    """A colour on its way to white."""
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    kept = (1 - LIGHTER) ** steps
    return "#" + "".join(f"{round(255 - (255 - part) * kept):02x}" for part in parts)


def styles(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Colour and line of each series of one picture."""
    made: dict[str, tuple[str, str]] = {}
    seen: dict[str, int] = {}
    others = 0
    for name in names:
        known = mechanism(name)
        if known is None:
            made[name] = (OTHERS[others % len(OTHERS)], LINES[others % len(LINES)])  # equal curves show each other
            others += 1
            continue
        colour = (MECHANISMS | WHOLE_NAMES)[known]
        before = seen.get(colour, 0)
        seen[colour] = before + 1
        made[name] = (lighter(colour, before), LINES[before % len(LINES)])
    return made
