"""machines: simulated machines: presets and files of one's own, with another L2, grid, or any other number changed.

A derived file extends its preset and has the lines that differ, so that all other numbers keep their sources.
Partitions are assigned to the nearest memory, an equal number to each, as in the presets.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import hashlib
import json
import os
import threading
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tessera.simulator.runs import Run

PRESET_WAY_KIB = 128
GIBIBYTE = 1 << 30
PARTITION_BYTES = 64 << 20
PARTITION_BASE, PARTITION_STRIDE = 0x200_0000_0000, 0x1000_0000


@dataclasses.dataclass(frozen=True, order=True)
class Machine:
    """A preset or the file of a machine, or a machine derived from one; `tessera.machine` makes them."""

    preset: str  # a preset's name, or a path that ends with .toml
    way_kib: int = PRESET_WAY_KIB  # of each of the four ways of an L2
    width: int = 0  # 0: the preset's grid
    memories: int = 0
    changes: tuple[tuple[str, str], ...] = ()  # "section.key" and its value as TOML

    @property
    def name(self) -> str:
        """Name of the machine and of its file."""
        grid = f"grid-{self.width}x{self.width}-nma-{self.memories}" if self.width else Path(self.preset).stem
        kept = grid if self.way_kib == PRESET_WAY_KIB else f"{grid}-l2-{self.way_kib}"
        if not self.changes:
            return kept
        changed = hashlib.sha256(repr((self.preset, self.changes)).encode()).hexdigest()[:12]
        return f"{kept}-{changed}"

    @property
    def compute_tiles(self) -> int:
        """Number of tiles whose harts run programs."""
        if self.width:
            return self.width * self.width - self.memories
        return 3 if "2x2" in self.preset else 14

    def argument(self, presets: Path, folder: Path) -> str:
        """Value of `--machine`: a preset's name, a file, or a derived file, which is written to `folder`."""
        if self == Machine(self.preset):
            return self.preset
        return write_derived(folder, self.name, self.text(presets))

    def run(self, program: Callable[..., Any] | str, *arguments: Any, **options: Any) -> Run:
        """Runs a program on this machine: a `tessera.simulator.runs.Run`.

        `program` is a function of tessera.algorithms with its arguments: `machine.run(ts.bfs, g, "libc6", places=4)`.
        The program of the same name computes on the machine, and the run's `result` is what the function returns.
        Or it is a bundled program or the path of a RISC-V program of your own, with its words:
        `machine.run("bfs", "kron:8", "--source", 0)`; then the keyword arguments are options of `tess run`, as
        `places=4` or `pes_per_tile=2`.

        Raises ProgramError if the program fails, NotImplementedError for functions without a program. Ctrl-C ends the
        simulator.
        """
        from tessera.simulator import runs

        return runs.on_machine(self, program, *arguments, **options)

    def compile(self, *sources: str | os.PathLike[str], output: str | os.PathLike[str] | None = None,
                options: Sequence[str] = (), pes_per_tile: int = 1) -> str:
        """Compiles a program for this machine by `tess cc`, or `tess c++`: its path, for `run`.

        `sources` are files: of C with OpenSHMEM (.c), or of C++ with the runtime or OpenSHMEM. `output` is by default
        the first name without its ending. `options` are the compiler's. `pes_per_tile` is to be that of the run.
        Raises ProgramError with what the compiler printed.
        """
        from tessera.simulator import runs

        return runs.compiled(self, sources, output, options, pes_per_tile)

    def text(self, presets: Path) -> str:
        """The machine's file: what differs from its preset."""
        base = described(presets, self.preset)
        values, partitions = {}, ""
        if self.way_kib != PRESET_WAY_KIB:
            values["l2.way_bytes"] = str(self.way_kib * 1024)
        if self.width:
            values, partitions = values | self._grid(base), self._partitions()
        values |= dict(self.changes)
        for where in values:
            check_key(base, where)
        summary = f"{self.width}x{self.width} tiles, memories: {self.memories}" if self.width else ""
        return variant_text(self.preset, self.name, values, summary, partitions)

    def _grid(self, base: dict) -> dict[str, str]:
        if "partition" not in base:
            raise ValueError(f"{self.preset} cannot have another grid, expected a machine such as nemesys-4x4")
        # All partitions must fit in their memories: the preset's banks get more rows.
        share = -(-self.width * self.width // self.memories)
        growth = -(-share * PARTITION_BYTES // GIBIBYTE)
        return {
            "grid.width": str(self.width),
            "grid.height": str(self.width),
            "tile.local_tail_bytes": str(PARTITION_BYTES * 3 // 4),
            "dram.rows": str(base["dram"]["rows"] * growth),
            "memory.tiles": str([list(tile) for tile in memory_tiles(self.width, self.memories)]),
        }

    def _partitions(self) -> str:
        at = memory_tiles(self.width, self.memories)
        return "\n".join(partition(self.width, tile, memory) for tile, memory in shares(self.width, at))


def machine(preset: Machine | str | os.PathLike[str], *, l2_kib: int | None = None, width: int | None = None,
            memories: int | None = None, changes: dict[str, Any] | None = None) -> Machine:
    """A simulated machine: a preset's name (`tess machines` lists them), the path of a .toml file, or a Machine.

    What may differ from it: `l2_kib`, the size of each tile's L2; `width` and `memories`, a square grid with 1,
    2 or 4 memories (of machines such as nemesys-4x4); and `changes`, any numbers of the machine's file by section and
    key, or "dram.preset", a memory's name. Raises ValueError for a machine or a key that does not exist; wrong values
    are refused by the simulator when a program is run.

    >>> import tessera as ts
    >>> ts.machine("nemesys-4x4", changes={"l2.hit_cycles": 10}).changes
    (('l2.hit_cycles', '10'),)
    """
    from tessera.simulator import command

    base = preset if isinstance(preset, Machine) else None
    name = base.preset if base else os.fspath(preset)
    known = command.machine_names()
    if name.endswith(".toml"):
        if not Path(name).is_file():
            raise FileNotFoundError(f"no machine file {name}")
        name = str(Path(name).resolve())
    elif name not in known:
        raise ValueError(f"no machine {name!r}, expected one of {', '.join(known)}, or a path that ends with .toml")
    wanted = dict(base.changes) if base else {}
    wanted |= {where: toml_value(value) for where, value in (changes or {}).items()}
    presets = command.machines_folder()
    if l2_kib is not None:
        ways = described(presets, name).get("l2", {}).get("ways", 1)
        wanted["l2.way_bytes"] = toml_value(l2_kib * 1024 // ways)
    if base and width is None:
        width, memories = base.width or None, memories or base.memories or None
    if width is None and memories is not None:
        raise ValueError(f"memories={memories} without width, expected both")
    count = 0 if width is None else memories or 1
    if width is not None and (width < 2 or count not in (1, 2, 4) or (width == 2 and count > 2)):
        raise ValueError(f"width={width}, memories={count}, expected a width from 2 and 1, 2 or 4 memories")
    way_kib = base.way_kib if base else PRESET_WAY_KIB
    made = Machine(name, way_kib, width or 0, count, tuple(sorted(wanted.items())))
    made.text(presets)  # so that what is wrong is said here
    return made


def toml_value(value) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(value.item() if hasattr(value, "item") else value)


@functools.cache
def _tables_of_version(file: Path, modified_ns: int, size_bytes: int) -> dict:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def tables_of(file: Path) -> dict:
    """The tables of one file, as tomllib has them; shared by all callers, which must not change them."""
    facts = file.stat()
    return _tables_of_version(file, facts.st_mtime_ns, facts.st_size)


def chain(presets: Path, machine: str) -> list[Path]:
    """Files of a machine: that of the preset or path, the one that it extends, and so on."""
    files = [Path(machine) if machine.endswith(".toml") else presets / f"{machine}.toml"]
    while files[-1].is_file():
        wanted = tables_of(files[-1]).get("extends")
        if wanted is None:
            break
        beside = files[-1].parent
        path = beside / wanted if wanted.endswith(".toml") else presets / f"{wanted}.toml"
        path = path if path.exists() or wanted.endswith(".toml") else beside / f"{wanted}.toml"
        if path.resolve() in (file.resolve() for file in files):
            raise ValueError(f"{machine} extends itself, by {path}")
        files.append(path)
    return files


def memory_of(presets: Path, file: Path) -> Path | None:
    """The file of the memory that a machine's file names by `preset` of [dram]; None if it names none."""
    name = tables_of(file).get("dram", {}).get("preset")
    if name is None:
        return None
    installed = presets / "memory" / f"{name}.toml"
    return installed if installed.is_file() else file.parent / "memory" / f"{name}.toml"


def units_of(own: dict, file: Path) -> dict[str, dict]:
    """The units of one's own that a machine's file has, by name, each with the path of its shared object."""
    given = own.get("unit", {})
    if isinstance(given, list):
        given = {one.get("name", Path(one.get("file", "")).stem): one for one in given}
    units = {}
    for name, one in given.items():
        beside = {"file": str((file.parent / one["file"]).resolve())} if "file" in one else {}
        units[name] = {key: value for key, value in one.items() if key != "name"} | beside
    return units


def files_of(presets: Path, machine: str) -> list[Path]:
    """All files that a machine depends on."""
    files = chain(presets, machine)
    more: list[Path] = []
    for file in filter(Path.is_file, files):
        if memory := memory_of(presets, file):
            more.append(memory)
        units = units_of(tables_of(file), file)
        more += [Path(unit["file"]) for unit in units.values() if "file" in unit]
    return [*files, *more]


def described(presets: Path, machine: str) -> dict:
    """The tables of a machine's file with all that it extends, as tomllib has them."""
    merged: dict = {}
    for file in reversed(chain(presets, machine)):
        own = copy.deepcopy(tables_of(file))
        if "unit" in own:
            own["unit"] = units_of(own, file)
        if memory := memory_of(presets, file):
            own["dram"] = tables_of(memory)["dram"] | own["dram"]
            del own["dram"]["preset"]
            merged.pop("dram", None)
        for path in own.pop("without", []):
            *tables, key = path.split(".")
            functools.reduce(lambda table, name: table[name], tables, merged).pop(key)
        if own.pop("extends", None):
            own = {"name": file.stem, **own}
        merged = _merged(merged, own)
    return merged


def _merged(base: dict, own: dict) -> dict:
    both = {key: _merged(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value
            for key, value in own.items()}  # fmt: skip
    return base | both


def keys_of(table: dict, before: str = "") -> list[str]:
    """Keys of a table, those of tables in it with a dot."""
    found: list[str] = []
    for key, value in table.items():
        found += keys_of(value, f"{before}{key}.") if isinstance(value, dict) else [before + key]
    return found


def check_key(machine: dict, where: str) -> None:
    """Raises ValueError if a machine has no such "section.key"; any may have another memory by "dram.preset".

    A unit of one's own may have keys that its file does not: the simulator knows which.
    """
    if where == "dram.preset":
        return
    if where.startswith("unit.") and where.count(".") == 2:
        units = machine.get("unit", {})
        if (name := where.split(".")[1]) not in units:
            raise ValueError(f"no unit {name}, expected one of {', '.join(units) or 'none: the machine has no units'}")
        return
    section, _, key = where.partition(".")
    sections = [name for name, value in machine.items() if isinstance(value, dict)]
    if section not in sections:
        raise ValueError(f"no section [{section}], expected one of {', '.join(sections)}")
    if key not in (keys := keys_of(machine[section])):
        raise ValueError(f"no {key} in [{section}], expected one of {', '.join(keys)}")


def variant_text(base: str, name: str, values: dict[str, str], summary: str = "", more: str = "") -> str:
    """A machine file that extends another: `values` by "section.key", as TOML; `more` is what stands at its end."""
    lines = [f"# {name}: a variant, written by tessera", f"extends = {json.dumps(base)}", f'name = "{name}"']
    if summary:
        lines.append(f'summary = "{summary}"')
    for section in dict.fromkeys(where.partition(".")[0] for where in values):
        lines += ["", f"[{section}]"]
        lines += [f"{where.partition('.')[2]} = {value}" for where, value in values.items()
                  if where.partition(".")[0] == section]  # fmt: skip
    return "\n".join([*lines, "", more])


def write_derived(folder: Path, name: str, text: str) -> str:
    """Writes a machine file unless it has this content already; its path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.toml"
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        # A simulator that starts meanwhile reads the whole file.
        part = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        part.write_text(text, encoding="utf-8")
        part.replace(file)
    return str(file)


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
