"""listings: the fenced blocks of a Markdown page: programs, sessions with their output, and data.

A program is a block ```cpp NAME.cpp. A session is a block ```console: lines that start with `$ ` are commands, the
lines after each are its output. In expected output a line `...` stands for any lines, `...` inside a line for any
text, and a closing `^C` says that the command does not end by itself.
"""

import dataclasses
import re
from pathlib import Path


@dataclasses.dataclass
class Block:
    """One fenced block: ```language title."""

    language: str
    title: str
    text: str
    line: int


@dataclasses.dataclass
class Command:
    """One command of a session and what it should print."""

    words: str
    expected: str
    endless: bool
    line: int


def blocks_of(page: Path) -> list[Block]:
    found: list[Block] = []
    lines: list[str] | None = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if lines is None:
            if fence := re.match(r"```(\S*)\s*(.*)$", line):
                lines = []
                found.append(Block(fence[1], fence[2].strip(), "", number))
        elif line == "```":
            found[-1].text = "".join(f"{text}\n" for text in lines)
            lines = None
        else:
            lines.append(line)
    if lines is not None:
        raise ValueError(f"{page.name}:{found[-1].line}: the block does not end")
    return found


def programs_of(page: Path) -> dict[str, Block]:
    """By name without `.cpp`."""
    return {block.title.removesuffix(".cpp"): block for block in blocks_of(page) if block.title.endswith(".cpp")}


def commands_of(page: Path) -> list[Command]:
    commands: list[Command] = []
    for block in blocks_of(page):
        if block.language != "console":
            continue
        for number, line in enumerate(block.text.splitlines(), block.line + 1):
            if line.startswith("$ "):
                commands.append(Command(line[2:], "", False, number))
            elif line == "^C":
                commands[-1].endless = True
            else:
                commands[-1].expected += line + "\n"
    return commands


def matches(expected: str, actual: str) -> bool:
    """Is `actual` what `expected` describes?"""
    pattern = ""
    for line in expected.splitlines():
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    return re.fullmatch(pattern, actual) is not None
