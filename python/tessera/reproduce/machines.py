"""machines: machine files for runs: presets, presets with another L2 size, and grids of other sizes.

A derived file is the text of its preset with some numbers replaced, so that all other numbers keep their sources.
Partitions are assigned to the nearest memory, an equal number to each, as in the presets.
"""

import dataclasses
import re
from pathlib import Path

PRESET_WAY_KIB = 128
GIBIBYTE = 1 << 30
PARTITION_BYTES = 64 << 20
PARTITION_BASE, PARTITION_STRIDE = 0x200_0000_0000, 0x1000_0000


@dataclasses.dataclass(frozen=True, order=True)
class Machine:
    """A preset, or a machine derived from one."""

    preset: str
    way_kib: int = PRESET_WAY_KIB  # of each of the four ways of an L2
    width: int = 0  # 0: the preset's grid
    memories: int = 0

    @property
    def name(self) -> str:
        """Name of the machine and of its file."""
        grid = f"grid-{self.width}x{self.width}-nma-{self.memories}" if self.width else self.preset
        return grid if self.way_kib == PRESET_WAY_KIB else f"{grid}-l2-{self.way_kib}"

    @property
    def compute_tiles(self) -> int:
        """Number of tiles whose harts run programs."""
        if self.width:
            return self.width * self.width - self.memories
        return 3 if "2x2" in self.preset else 14

    def argument(self, presets: Path, folder: Path) -> str:
        """Value of `--machine`: a preset's name, or a derived file, which is written to `folder`."""
        if self.name == self.preset:
            return self.preset
        return write_derived(folder, self.name, self._derived(preset_text(presets, self.preset)))

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
        # All partitions must fit in their memories: the preset's banks get more rows.
        share = -(-self.width * self.width // self.memories)
        growth = -(-share * PARTITION_BYTES // GIBIBYTE)
        rows = int(re.search(r"^rows = (\d+)", text, re.MULTILINE)[1])
        text = replaced(text, "dram", "rows", str(rows * growth))
        at = memory_tiles(self.width, self.memories)
        text = replaced(text, "memory", "tiles", str([list(tile) for tile in at]))
        return text + "\n".join(partition(self.width, tile, memory) for tile, memory in shares(self.width, at))


def preset_text(presets: Path, name: str) -> str:
    """Content of a preset's file."""
    return (presets / f"{name}.toml").read_text(encoding="utf-8")


def write_derived(folder: Path, name: str, text: str) -> str:
    """Writes a machine file unless it has this content already; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.toml"
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
    return str(file)


def replaced(text: str, section: str, key: str, value: str) -> str:
    """The text with another value for a key that it contains."""
    begin = text.index(f"[{section}]\n") if section else 0
    found = re.compile(rf"^{key} = [^#\n]*", re.MULTILINE).search(text, begin)
    if found is None:
        raise ValueError(f"no {key} in [{section}]")
    return f"{text[: found.start()]}{key} = {value}  {text[found.end() :]}"


def memory_tiles(width: int, count: int) -> list[tuple[int, int]]:
    """Positions of the memories: the centres of as many parts of the grid."""
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
    """Each tile with its memory, an equal number of tiles for each memory.

    The tile that has the most to lose by a farther memory chooses first.
    """
    tiles = [(x, y) for y in range(width) for x in range(width)]
    room = dict.fromkeys(memories, -(-len(tiles) // len(memories)))

    def distances(tile: tuple[int, int]) -> list[int]:
        return [abs(tile[0] - at[0]) + abs(tile[1] - at[1]) for at in memories]

    def loss(tile: tuple[int, int]) -> int:
        nearest, *others = sorted(distances(tile))
        return others[0] - nearest if others else 0

    chosen: dict[tuple[int, int], tuple[int, int]] = {}
    for tile in sorted(tiles, key=lambda tile: (-loss(tile), tile[1], tile[0])):
        chosen[tile] = min((far, at) for far, at in zip(distances(tile), memories, strict=True) if room[at])[1]
        room[chosen[tile]] -= 1
    return [(tile, chosen[tile]) for tile in tiles]


def partition(width: int, tile: tuple[int, int], memory: tuple[int, int]) -> str:
    """Table of a tile's partition in the machine file."""
    base = PARTITION_BASE + (tile[1] * width + tile[0]) * PARTITION_STRIDE
    lines = [f"tile = {list(tile)}", f"memory = {list(memory)}", f"base = {base:#x}", f"size_bytes = {PARTITION_BYTES}"]
    return "\n".join(["[[partition]]", *lines, ""])
