"""lockstep: a trace of instructions beside what `qemu-riscv64 -d cpu` prints of the same program: where they differ.

    qemu-riscv64 -singlestep -d nochain,cpu -D QEMU PROGRAM     # with fpu beside cpu: registers f, too
    tess run --timing off --trace-instructions OURS PROGRAM

QEMU prints pc and registers before each instruction. Beside that are pc and registers that follow from the trace. The
stack begins elsewhere in QEMU: numbers that differ by this distance are the same. So are those that differ by as much
as a result of a system call did, which may give another address or time; each such result is noted. A register that
differs before the first instruction is compared when it has been written. QEMU does not print memory and CSRs, so
these are compared where a register gets them.

Errors: ValueError, if a file is not what it should be.
"""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tessera.simulator import instructions

WORD = 1 << 64
SP, A0, ECALL = 2, 10, 0x73
PC = re.compile(r"\s*pc\s+([0-9a-f]{8,16})\s*")
REGISTER = re.compile(r"\b([xf])(\d+)/\w+\s+([0-9a-f]{16})")
CONTEXT = 6
NOTES_MAX = 8


class State(NamedTuple):
    """What QEMU prints before an instruction."""

    line: int
    pc: int
    registers: dict[int, int]  # 0 to 31 x, 32 to 63 f


class Result(NamedTuple):
    """How the comparison ended."""

    compared: int  # instructions
    difference: str  # empty: none
    notes: list[str]


def states(path: Path | str) -> Iterator[State]:
    """The states in QEMU's file."""
    state = None
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if found := PC.fullmatch(line):
                if state:
                    yield state
                state = State(number, int(found[1], 16), {})
            elif state:
                for kind, index, value in REGISTER.findall(line):
                    state.registers[(32 if kind == "f" else 0) + int(index)] = int(value, 16)
    if state is None:
        raise ValueError(f"{path}: there is no state of a RISC-V processor; expected the file of "
                         "`qemu-riscv64 -singlestep -d nochain,cpu -D FILE`")  # fmt: skip
    yield state


def name(register: int) -> str:
    """As in the trace."""
    return f"{instructions.FILES[register // 32]}{register % 32}"


def _of_core(rows: Iterator[instructions.Instruction], core: int | None) -> Iterator[instructions.Instruction]:
    for row in rows:
        core = row.core if core is None else core
        if row.core == core:
            yield row


class Comparison:
    """Registers as they follow from the trace, and what may differ."""

    def __init__(self) -> None:
        self.registers = {register: 0 for register in range(64)}
        self.unknown: set[int] = set()
        self.distances = {0}
        self.notes: list[str] = []
        self.called = False

    def begin(self, state: State) -> None:
        """Before the first instruction."""
        distance = (self.registers[SP] - state.registers.get(SP, 0)) % WORD
        if distance:
            self.distances.add(distance)
            self.notes.append(f"the stack begins at {self.registers[SP]:#x} here, at {state.registers[SP]:#x} in QEMU")
        self.unknown = {one for one in state.registers if not self.agrees(one, state.registers[one])}

    def agrees(self, register: int, theirs: int) -> bool:
        """Is the register the same, or as far away as it may be?"""
        ours = self.registers[register]
        return ours == theirs or (ours - theirs) % WORD in self.distances or register in self.unknown

    def differing(self, state: State) -> list[int]:
        """The registers that differ."""
        if self.called and not self.agrees(A0, theirs := state.registers.get(A0, 0)):
            self.distances.add((self.registers[A0] - theirs) % WORD)
            gave = f"gave {self.registers[A0]:#x} here, {theirs:#x} in QEMU"
            self.notes.append(f"the system call before pc {state.pc:#x} {gave}")
        return [one for one, theirs in state.registers.items() if not self.agrees(one, theirs)]

    def apply(self, row: instructions.Instruction) -> None:
        """What the row has changed."""
        self.called = row.word == ECALL and not row.by_system
        if row.register < len(self.registers):
            self.registers[row.register] = row.value
            self.unknown.discard(row.register)


def compare(ours: Path | str, theirs: Path | str, core: int | None = None) -> Result:
    """Compares the instructions of one core, the first in the file if none is given, up to the first difference."""
    rows, others = _of_core(instructions.rows(ours), core), states(theirs)
    here = Comparison()
    before: deque[tuple[str, str]] = deque(maxlen=CONTEXT)
    compared, last = 0, None

    def differs(what: str, row: instructions.Instruction | None, state: State | None) -> Result:
        lines = [f"instruction {compared}: {what}", "  here:"]
        tail = [*before, (str(row) if row else "(the end)", shown(state, last))]
        lines += [f"    {left}" for left, _ in tail] + [f"  QEMU, before each ({theirs}):"]
        lines += [f"    {right}" for _, right in tail]
        return Result(compared, "\n".join(lines), here.notes)

    for row in rows:
        if row.by_system:
            here.apply(row)
            continue
        state = next(others, None)
        if compared == 0:
            # The trace may begin later.
            state = next((one for one in itertools.chain([state] if state else [], others) if one.pc == row.pc), None)
            if state is None:
                raise ValueError(f"{theirs}: it is never at pc {row.pc:#x}, where {ours} begins; expected one program")
            here.begin(state)
        if state is None:
            return differs("QEMU's has ended", row, None)
        if state.pc != row.pc:
            return differs(f"pc is {row.pc:#x} here, {state.pc:#x} in QEMU", row, state)
        if wrong := here.differing(state):
            what = [f"{name(one)} is {here.registers[one]:#x} here, {state.registers[one]:#x} in QEMU" for one in wrong]
            return differs(f"before it, {', '.join(what)}", row, state)
        before.append((str(row), shown(state, last)))
        here.apply(row)
        last = state
        compared += 1
    if compared == 0:
        raise ValueError(f"{ours}: there is no instruction{'' if core is None else f' of core {core}'}")
    if (state := next(others, None)) is not None:
        here.notes.append(f"QEMU's goes on, at pc {state.pc:#x}")
        if here.called and wrong_end(here):
            return differs("the program has ended here, and goes on in QEMU", None, state)
    return Result(compared, "", here.notes)


def wrong_end(here: Comparison) -> bool:
    """Was the last system call the program's end?"""
    exit_group, exit_one = 94, 93
    return here.registers[17] in (exit_group, exit_one)


def shown(state: State | None, last: State | None) -> str:
    """A state: pc, and what is different from the one before."""
    if state is None:
        return "(the end)"
    changed = [
        f"{name(one)} 0x{value:016x}"
        for one, value in state.registers.items()
        if last is not None and last.registers.get(one) != value
    ]
    return " ".join([f"line {state.line}: pc 0x{state.pc:016x}", *changed])
