"""machines: the machine files of the evaluation: presets, presets with another L2, and grids that no preset has.

A derived file is its preset's text with some numbers replaced, so that every other number keeps its source. Partitions
go to the nearest memory, an equal number to each, as in the presets.
"""

import dataclasses
import re
from pathlib import Path

PAPER_WAY_KIB = 128
GIBIBYTE = 1 << 30
PARTITION_BYTES = 64 << 20
PARTITION_BASE, PARTITION_STRIDE = 0x200_0000_0000, 0x1000_0000


@dataclasses.dataclass(frozen=True, order=True)
class Machine:
    """One machine."""

    preset: str
    way_kib: int = PAPER_WAY_KIB  # of each of the four ways of an L2
    width: int = 0  # 0: the preset's grid
    memories: int = 0

    @property
    def name(self) -> str:
        """Of the machine and of its file."""
        grid = f"grid-{self.width}x{self.width}-nma-{self.memories}" if self.width else self.preset
        return grid if self.way_kib == PAPER_WAY_KIB else f"{grid}-l2-{self.way_kib}"

    @property
    def compute_tiles(self) -> int:
        """Tiles with harts for programs."""
        if self.width:
            return self.width * self.width - self.memories
        return 3 if "2x2" in self.preset else 14

    def argument(self, presets: Path, folder: Path) -> str:
        """What `--machine` is given: a preset's name, or a file that is written for it."""
        if self.name == self.preset:
            return self.preset
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{self.name}.toml"
        text = self._derived((presets / f"{self.preset}.toml").read_text(encoding="utf-8"))
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        return str(file)

    def _derived(self, text: str) -> str:
        text = replaced(text, "", "name", f'"{self.name}"')
        text = replaced(text, "l2", "way_bytes", str(self.way_kib * 1024))
        if not self.width:
            return text
        text = text[: text.index("[[partition]]")]
        text = replaced(text, "", "summary", f'"{self.width}x{self.width} tiles, memories: {self.memories}"')
        text = replaced(text, "grid", "width", str(self.width))
        text = replaced(text, "grid", "height", str(self.width))
        text = replaced(text, "tile", "local_tail_bytes", str(PARTITION_BYTES * 3 // 4))
        # So that all partitions have room in their memories: a preset's banks, with more rows.
        share = -(-self.width * self.width // self.memories)
        growth = -(-share * PARTITION_BYTES // GIBIBYTE)
        rows = int(re.search(r"^rows = (\d+)", text, re.MULTILINE)[1])
        text = replaced(text, "dram", "rows", str(rows * growth))
        at = memory_tiles(self.width, self.memories)
        text = replaced(text, "memory", "tiles", str([list(tile) for tile in at]))
        return text + "\n".join(partition(self.width, tile, memory) for tile, memory in shares(self.width, at))


def replaced(text: str, section: str, key: str, value: str) -> str:
    """The text with another value of a key that it has."""
    begin = text.index(f"[{section}]\n") if section else 0
    found = re.compile(rf"^{key} = [^#\n]*", re.MULTILINE).search(text, begin)
    if found is None:
        raise ValueError(f"no {key} in [{section}]")
    return f"{text[: found.start()]}{key} = {value}  {text[found.end() :]}"


def memory_tiles(width: int, count: int) -> list[tuple[int, int]]:
    """Where the memories are: in the middle of as many parts of the grid."""
    near, far = width // 4, 3 * width // 4
    if width == 2:
        return [(1, 1)] if count == 1 else [(0, 0), (1, 1)]
    at = {
        1: [((width - 1) // 2, (width - 1) // 2)],
        2: [(near, near), (far, far)],
        4: [(near, near), (far, near), (near, far), (far, far)],
    }
    return at[count]


def shares(width: int, memories: list[tuple[int, int]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Each tile and its memory, an equal number for each: who would lose most by another memory chooses first."""
    tiles = [(x, y) for y in range(width) for x in range(width)]
    room = dict.fromkeys(memories, -(-len(tiles) // len(memories)))

    def ways(tile: tuple[int, int]) -> list[int]:
        return [abs(tile[0] - at[0]) + abs(tile[1] - at[1]) for at in memories]

    def lost(tile: tuple[int, int]) -> int:
        nearest, *others = sorted(ways(tile))
        return others[0] - nearest if others else 0

    chosen: dict[tuple[int, int], tuple[int, int]] = {}
    for tile in sorted(tiles, key=lambda tile: (-lost(tile), tile[1], tile[0])):
        chosen[tile] = min((way, at) for way, at in zip(ways(tile), memories, strict=True) if room[at])[1]
        room[chosen[tile]] -= 1
    return [(tile, chosen[tile]) for tile in tiles]


def partition(width: int, tile: tuple[int, int], memory: tuple[int, int]) -> str:
    """Its table in the file."""
    base = PARTITION_BASE + (tile[1] * width + tile[0]) * PARTITION_STRIDE
    lines = [f"tile = {list(tile)}", f"memory = {list(memory)}", f"base = {base:#x}", f"size_bytes = {PARTITION_BYTES}"]
    return "\n".join(["[[partition]]", *lines, ""])


TWIN, SINGLE, SMALL = Machine("nemesys-4x4"), Machine("nemesys-4x4-single"), Machine("nemesys-2x2")
