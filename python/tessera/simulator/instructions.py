"""instructions: traces of instructions that `tess run --trace-instructions FILE` wrote, as a frame or one by one.

A row is an executed instruction and what it changed, or a register that the system has set before it (`by_system`).
Rows of one core are in order; those of several cores are up to a quantum apart. Columns:

    cycle      in which the instruction begins, of the tiles' clock (head()["cycle_ps"] picoseconds)
    core       tile * head()["harts_in_tile"] + hart
    pc, word   address and bits of the instruction; a compressed one has 16
    privilege  0 user, 3 machine
    register   0 to 31 x, 32 to 63 f, 64 to 95 e (xBGAS); 255: none
    value      of the register afterwards
    csr        number of the CSR that was written, or fflags (1) if a flag was raised; 65535: none
    csr_value  of it afterwards
    access     1 load, 2 store, 3 both
    bytes, address, stored   of the access; what was stored
    object     of an extended address; 0: the own node
    by_system  1: no instruction: start, signal, system call or another thread has set the register

Errors: ValueError, if a file is no such trace, or is not complete.
"""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

if TYPE_CHECKING:
    import pandas

HEAD = b"tessi\x01\r\n"
# As commit_file.cpp writes them; the first letter is the kind, behind it the bytes of a value.
COLUMNS = {
    "cycle": "u8", "pc": "u8", "value": "u8", "address": "u8", "object": "u8", "stored": "u8", "csr_value": "u8",
    "word": "u4", "core": "u4", "csr": "u2", "register": "u1", "access": "u1", "bytes": "u1", "privilege": "u1",
    "by_system": "u1",
}  # fmt: skip
DIFFERENCES = {"cycle", "pc", "address"}
NO_REGISTER, NO_CSR = 255, 65535
FILES = "xfe"
LINE = re.compile(
    r"(?P<set># )?core *(?P<core>\d+): (?P<privilege>\d) 0x(?P<pc>[0-9a-f]+)(?: \(0x(?P<word>[0-9a-f]+)\))?"
    r"(?: (?P<register>[xfe]\d+) +0x(?P<value>[0-9a-f]+))?"
    r"(?: c(?P<csr>\d+)_\S+ 0x(?P<csr_value>[0-9a-f]+))?"
    r"(?P<loads> mem 0x(?P<loaded>[0-9a-f]+)(?= mem|(?: object \d+)? cycle))?"
    r"(?P<stores> mem 0x(?P<at>[0-9a-f]+) 0x(?P<stored>[0-9a-f]+))?"
    r"(?: object (?P<object>\d+))? cycle (?P<cycle>\d+)\n?"
)


class Instruction(NamedTuple):
    """A row, with the columns as above."""

    cycle: int
    pc: int
    value: int
    address: int
    object: int
    stored: int
    csr_value: int
    word: int
    core: int
    csr: int
    register: int
    access: int
    bytes: int
    privilege: int
    by_system: int

    def __str__(self) -> str:
        """As in a trace that is text, without its end of line."""
        name = f"{FILES[self.register // 32]}{self.register % 32}" if self.register != NO_REGISTER else ""
        if self.by_system:
            place = f"core{self.core:4}: {self.privilege} 0x{self.pc:016x}"
            return f"# {place} {name} 0x{self.value:016x} cycle {self.cycle}"
        digits = 8 if self.word & 3 == 3 else 4
        text = f"core{self.core:4}: {self.privilege} 0x{self.pc:016x} (0x{self.word:0{digits}x})"
        if name:
            text += f" {name:<3} 0x{self.value:016x}"
        if self.csr != NO_CSR:
            text += f" c{self.csr}_{CSR_NAMES.get(self.csr, f'0x{self.csr:03x}')} 0x{self.csr_value:016x}"
        if self.access & 1:
            text += f" mem 0x{self.address:016x}"
        if self.access & 2:
            text += f" mem 0x{self.address:016x} 0x{self.stored:0{2 * self.bytes}x}"
        if self.object:
            text += f" object {self.object}"
        return f"{text} cycle {self.cycle}"


CSR_NAMES = {
    0x001: "fflags", 0x002: "frm", 0x003: "fcsr", 0x300: "mstatus", 0x304: "mie", 0x305: "mtvec", 0x306: "mcounteren",
    0x340: "mscratch", 0x341: "mepc", 0x342: "mcause", 0x343: "mtval", 0x344: "mip", 0xB00: "mcycle",
    0xB02: "minstret",
}  # fmt: skip


def refuse(path: Path | str, what: str) -> ValueError:
    """The error for a file that is no trace."""
    return ValueError(f"{path}: {what}; expected a file that `tess run --trace-instructions` has written to its end")


def is_columns(path: Path | str) -> bool:
    """Has the file columns? Otherwise it must be text."""
    with open(path, "rb") as file:
        return file.read(len(HEAD)) == HEAD


def _exactly(file: BinaryIO, size: int, path: Path | str) -> bytes:
    read = file.read(size)
    if len(read) < size:
        raise refuse(path, "it ends too early")
    return read


def _number(file: BinaryIO, path: Path | str) -> int:
    return int.from_bytes(_exactly(file, 4, path), "little")


def _head_of(file: BinaryIO, path: Path | str) -> dict[str, Any]:
    if file.read(len(HEAD)) != HEAD:
        raise refuse(path, "it does not begin as a .tessi")
    try:
        return json.loads(_exactly(file, _number(file, path), path))
    except ValueError:
        raise refuse(path, "its head is no JSON") from None


def head(path: Path | str) -> dict[str, Any]:
    """What the file says of its run: machine, program, harts_in_tile, cycle_ps."""
    if is_columns(path):
        with open(path, "rb") as file:
            return _head_of(file, path)
    with open(path, encoding="utf-8", errors="replace") as file:
        line = file.readline()
    try:
        return dict(json.loads(line.removeprefix("# ")))
    except ValueError:
        raise refuse(path, "line 1 is not the head of a trace") from None


def _packed(path: Path | str) -> Iterator[tuple[int, bytes]]:
    """The blocks of a .tessi: rows, and the bytes of all columns."""
    size = sum(int(kind[1]) for kind in COLUMNS.values())
    with open(path, "rb") as file:
        _head_of(file, path)
        while True:
            rows, packed = _number(file, path), _number(file, path)
            if rows == 0:
                return
            try:
                plain = zlib.decompress(_exactly(file, packed, path))
            except zlib.error:
                raise refuse(path, "a block is damaged") from None
            if len(plain) != rows * size:
                raise refuse(path, "a block has another size than its rows")
            yield rows, plain


def blocks(path: Path | str) -> Iterator[dict[str, Any]]:
    """The blocks of a .tessi: for each its columns, by name, as NumPy arrays of at most 65 536 rows."""
    import numpy as np

    for rows, plain in _packed(path):
        block, at = {}, 0
        for name, kind in COLUMNS.items():
            width = int(kind[1])
            planes = np.frombuffer(plain, np.uint8, rows * width, at).reshape(width, rows)
            values = np.ascontiguousarray(planes.T).view(f"<{kind}").reshape(rows)
            block[name] = np.cumsum(values, dtype=values.dtype) if name in DIFFERENCES else values
            at += rows * width
        yield block


def _lists(path: Path | str) -> Iterator[list[list[int]]]:
    """The columns of each block as lists, without NumPy, which is not everywhere."""
    for rows, plain in _packed(path):
        columns, at = [], 0
        for name, kind in COLUMNS.items():
            width = int(kind[1])
            values = [0] * rows
            for byte in range(width):
                plane = plain[at + byte * rows : at + (byte + 1) * rows]
                if any(plane):
                    values = [value | one << 8 * byte for value, one in zip(values, plane, strict=True)]
            if name in DIFFERENCES:
                values = list(itertools.accumulate(values, lambda before, one: (before + one) % (1 << 64)))
            columns.append(values)
            at += rows * width
        yield columns


def read(path: Path | str) -> pandas.DataFrame:
    """All rows as a frame; of a .tessi, about a million rows a second."""
    import pandas

    if is_columns(path):
        frames = [pandas.DataFrame(block) for block in blocks(path)]
        if frames:
            return pandas.concat(frames, ignore_index=True)
    frame = pandas.DataFrame(list(rows(path)), columns=list(COLUMNS))
    return frame.astype({name: f"uint{8 * int(kind[1])}" for name, kind in COLUMNS.items()})


def rows(path: Path | str) -> Iterator[Instruction]:
    """One row after another, of a .tessi or of text."""
    if is_columns(path):
        for columns in _lists(path):
            yield from map(Instruction._make, zip(*columns, strict=True))
        return
    head(path)
    with open(path, encoding="utf-8", errors="replace") as file:
        next(file)
        for number, line in enumerate(file, 2):
            yield _row_of(line, f"{path}, line {number}")


def _row_of(line: str, where: str) -> Instruction:
    found = LINE.fullmatch(line)
    if found is None:
        raise refuse(where, "this is no line of a trace")
    part = found.groupdict()
    register = part["register"]
    loads, stores = part["loads"] is not None, part["stores"] is not None
    return Instruction(
        cycle=int(part["cycle"]), pc=int(part["pc"], 16), value=int(part["value"] or "0", 16),
        address=int(part["at"] or part["loaded"] or "0", 16), object=int(part["object"] or 0),
        stored=int(part["stored"] or "0", 16), csr_value=int(part["csr_value"] or "0", 16),
        word=int(part["word"] or "0", 16), core=int(part["core"]), csr=int(part["csr"] or NO_CSR),
        register=FILES.index(register[0]) * 32 + int(register[1:]) if register else NO_REGISTER,
        access=loads + 2 * stores, bytes=len(part["stored"] or "") // 2, privilege=int(part["privilege"]),
        by_system=int(part["set"] is not None),
    )  # fmt: skip
