"""graph_oracle: reads a graph's file a second time, by the grammar of apps/graph/format.hpp, and computes by other
means what programs report. It shares no code with them.

An answer is None where the file is no graph. Lines longer than the readers allow, and graphs larger than a test holds,
are Unknown.
"""

import re
import zlib

VERTICES_MAX = 2**32 - 1
#: Larger graphs may be refused for want of memory.
VERTICES_SURE = 200_000
LINE_BYTES_MAX = 65_000
NUMBER = re.compile(rb"[0-9]{1,19}")
INTEGER = re.compile(rb"\+?-?[0-9]+")
REAL = re.compile(rb"\+?-?(inf(inity)?|nan(\([a-z0-9_]*\))?|([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?)", re.IGNORECASE)


class Unknown(Exception):
    """The oracle does not say."""


def gunzip(data: bytes) -> bytes | None:
    """All members; None: damaged."""
    text = b""
    while data:
        stream = zlib.decompressobj(wbits=31)
        try:
            text += stream.decompress(data, 1 << 24)
        except zlib.error:
            return None
        if stream.unconsumed_tail:
            raise Unknown
        if not stream.eof:
            return None
        data = stream.unused_data
        if data and (text.count(b"\0") or not data.startswith(b"\x1f\x8b")):
            raise Unknown
    return text


def words(line: bytes) -> list[bytes]:
    return [word for word in re.split(rb"[ \t\r]+", line) if word]


def lines_of(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    if any(len(line) > LINE_BYTES_MAX for line in lines):
        raise Unknown
    return [line[:-1] if line.endswith(b"\r") else line for line in lines]


def count_of(word: bytes, most: int) -> int | None:
    if not re.fullmatch(rb"[0-9]+", word) or int(word) > most:
        return None
    return int(word)


def edges_of(lines: list[bytes], comment: bytes, pattern: re.Pattern[bytes], weight: str, first: int, limit: int):
    """The edges; None: a line is wrong."""
    found = []
    for line in lines:
        line = line.strip(b" \t")
        if not line or line[0] in comment:
            continue
        match = pattern.fullmatch(line)
        if not match:
            return None
        source, target = int(match[1]) - first, int(match[2]) - first
        if not (0 <= source < limit and 0 <= target < limit):
            return None
        value = weight_of(match[3], weight) if weight else 1.0
        if value is None:
            return None
        found.append((source, target, value))
    return found


def weight_of(word: bytes, kind: str) -> float | None:
    if word.startswith(b"+-"):
        return None
    if kind == "integer":
        if not INTEGER.fullmatch(word):
            return None
        value = int(word)
        return float(value) if -(2**63) <= value < 2**63 else None
    if not REAL.fullmatch(word) or b"inf" in word.lower() or b"nan" in word.lower():
        return None
    value = float(word)
    # The readers refuse what does not fit into a double; at its edges the oracle does not say.
    if value in (float("inf"), float("-inf")) or (value == 0 and re.search(rb"[1-9]", word.lower().split(b"e")[0])):
        raise Unknown
    return value


PAIR = re.compile(rb"([0-9]{1,19})[ \t]+([0-9]{1,19})")
TRIPLE = re.compile(rb"([0-9]{1,19})[ \t]+([0-9]{1,19})[ \t]+([^ \t,]+)")
LIST_PAIR = re.compile(rb"([0-9]{1,19})(?:[ \t]*,[ \t]*|[ \t]+)([0-9]{1,19})")
LIST_TRIPLE = re.compile(rb"([0-9]{1,19})(?:[ \t]*,[ \t]*|[ \t]+)([0-9]{1,19})(?:[ \t]*,[ \t]*|[ \t]+)([^ \t,]+)")
ARC = re.compile(rb"a[ \t]+([0-9]{1,19})[ \t]+([0-9]{1,19})[ \t]+([^ \t,]+)")


def matrix_market(lines: list[bytes]):
    banner = words(lines[0])
    if len(banner) != 5:
        return None
    kind, symmetry = banner[3].lower(), banner[4].lower()
    if [word.lower() for word in banner[1:3]] != [b"matrix", b"coordinate"]:
        return None
    if kind == b"unsigned-integer":
        kind = b"real"
    if kind not in (b"pattern", b"integer", b"real") or symmetry not in (b"general", b"symmetric"):
        return None
    at = 1
    while at < len(lines) and (not lines[at].strip(b" \t\r") or lines[at].strip(b" \t").startswith(b"%")):
        at += 1
    if at == len(lines):
        return None
    sizes = words(lines[at])
    if len(sizes) != 3:
        return None
    rows, columns = count_of(sizes[0], VERTICES_MAX), count_of(sizes[1], VERTICES_MAX)
    entries = count_of(sizes[2], 2**40)
    if not rows or rows != columns or entries is None:
        return None
    weight = "" if kind == b"pattern" else kind.decode()
    edges = edges_of(lines[at + 1 :], b"%", TRIPLE if weight else PAIR, weight, 1, rows)
    if edges is None or len(edges) != entries:
        return None
    if symmetry == b"symmetric":
        edges += [(target, source, w) for source, target, w in edges if source != target]
    return rows, edges


def edge_list(lines: list[bytes], extension: str):
    data = [line.strip(b" \t\r") for line in lines]
    first = next((line for line in data if line and line[:1] not in (b"#", b"%")), None)
    if first is None:
        return None
    columns = len([word for word in re.split(rb"[ \t\r,]+", first) if word])
    if columns not in (2, 3) or (columns == 2 and extension == "wel") or (columns == 3 and extension == "el"):
        return None
    weighted = columns == 3
    edges = edges_of(lines, b"#%", LIST_TRIPLE if weighted else LIST_PAIR, "real" if weighted else "", 0, VERTICES_MAX)
    if not edges:
        return None
    vertices = max(max(source, target) for source, target, _ in edges) + 1
    # A number far above that of the edges would need memory for vertices that have none.
    return None if vertices > 16 * len(edges) + 65536 else (vertices, edges)


def dimacs(lines: list[bytes]):
    at = 0
    while at < len(lines) and (not lines[at].strip(b" \t\r") or lines[at].strip(b" \t").startswith(b"c")):
        at += 1
    problem = words(lines[at]) if at < len(lines) else []
    if len(problem) != 4 or problem[:2] != [b"p", b"sp"]:
        return None
    vertices, arcs = count_of(problem[2], VERTICES_MAX), count_of(problem[3], 2**40)
    if not vertices or arcs is None:
        return None
    edges = edges_of(lines[at + 1 :], b"c", ARC, "integer", 1, vertices)
    return None if edges is None or len(edges) != arcs else (vertices, edges)


def read(name: str, data: bytes):
    """Vertices, and edges with weights; None: no graph."""
    if name.endswith(".gz"):
        text = gunzip(data)
        if text is None:
            return None
        name, data = name[:-3], text
    if not data:
        return None
    lines = lines_of(data)
    extension = name.rpartition(".")[2]
    if lines[0].lower().startswith(b"%%matrixmarket"):
        found = matrix_market(lines)
    elif extension == "mtx":
        found = None
    else:
        found = dimacs(lines) if extension == "gr" else edge_list(lines, extension)
    if found and found[0] > VERTICES_SURE:
        raise Unknown
    return found


def components(vertices: int, edges) -> dict[str, object]:
    """By union and find."""
    label = list(range(vertices))

    def root(v: int) -> int:
        while label[v] != v:
            label[v] = label[label[v]]
            v = label[v]
        return v

    for source, target, _ in edges:
        a, b = root(source), root(target)
        label[max(a, b)] = min(a, b)
    sizes: dict[int, int] = {}
    total = 0
    for v in range(vertices):
        total += root(v)
        sizes[root(v)] = sizes.get(root(v), 0) + 1
    return {"components": len(sizes), "largest": sorted(sizes.values(), reverse=True)[:8], "labels_sum": total}


def bfs(vertices: int, edges) -> dict[str, object]:
    """From vertex 0."""
    out: dict[int, set[int]] = {}
    for source, target, _ in edges:
        out.setdefault(source, set()).add(target)
    levels, seen, now = [], {0}, {0}
    while now:
        levels.append(len(now))
        now = set().union(*(out.get(v, set()) for v in now)) - seen
        seen |= now
    return {"levels": levels, "reached": len(seen)}


def triangles(vertices: int, edges) -> dict[str, object]:
    """In the simple undirected graph."""
    near: dict[int, set[int]] = {}
    for source, target, _ in edges:
        if source != target:
            near.setdefault(source, set()).add(target)
            near.setdefault(target, set()).add(source)
    thrice = sum(len(near[a] & near[b]) for a in near for b in near[a] if a < b)
    return {"triangles": thrice // 3}
