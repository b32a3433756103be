"""mutate: damages bytes in the ways in which files and messages are damaged: bits, numbers, lines, lengths, splices."""

import random
import re

NUMBERS = (
    b"0", b"1", b"2", b"-1", b"+5", b"00007", b"255", b"65536", b"2147483648", b"4294967294", b"4294967295",
    b"4294967296", b"9223372036854775808", b"18446744073709551615", b"18446744073709551616", b"1e400", b"1e-400",
    b"nan", b"inf", b"0x10", b"1.5", b".", b"", b"9" * 50,
)  # fmt: skip
BYTES = (b"\0", b"\n", b"\r", b"\r\n", b"\t", b" ", b",", b"%", b"#", b"c", b"\xff", b"\xc3\x28", b"\x1b[2J", b'"')


def number(draw: random.Random, data: bytes) -> bytes:
    found = [match.span() for match in re.finditer(rb"\d+", data)]
    if not found:
        return data
    begin, end = draw.choice(found)
    return data[:begin] + draw.choice(NUMBERS) + data[end:]


def lines(draw: random.Random, data: bytes) -> bytes:
    all_lines = data.split(b"\n")
    at, other = draw.randrange(len(all_lines)), draw.randrange(len(all_lines))
    kind = draw.randrange(4)
    if kind == 0:
        all_lines[at], all_lines[other] = all_lines[other], all_lines[at]
    elif kind == 1:
        all_lines.insert(at, all_lines[other])
    elif kind == 2:
        del all_lines[at]
    else:
        all_lines[at] = all_lines[at] * draw.choice((2, 3, 1000))
    return b"\n".join(all_lines)


def bytes_of(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    kind = draw.randrange(6)
    length = draw.choice((1, 1, 2, 4, 8, 64, 1000))
    if kind == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
    if kind == 1:
        return data[:at] + draw.randbytes(length) + data[at + length :]
    if kind == 2:
        return data[:at] + draw.choice(BYTES) + data[at:]
    if kind == 3:
        return data[:at] + data[at + length :]
    if kind == 4:
        return data[:at] + data[max(0, at - length) : at] + data[at:]
    return data[:at]


def damaged(draw: random.Random, data: bytes, other: bytes = b"", bytes_max: int = 1 << 20) -> bytes:
    """One to six damages; with some luck the beginning of `data` and the end of `other`."""
    if other and draw.random() < 0.05:
        data = data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :]
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        data = draw.choice((number, lines, bytes_of, bytes_of))(draw, data)[:bytes_max]
    return data
