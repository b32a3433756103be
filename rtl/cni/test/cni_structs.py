"""cni_structs: the packed structs of cni_pkg.sv as the values of ports, for benches of the interface's parts."""

ALL = (1 << 64) - 1
# Kinds of packets, shares of the list, and faults, by their numbers.
COPY, STORE, ADD, TRANSFER = range(4)
OF_COMMANDS, OF_EVENTS, OF_COPIES, OF_WORDS = range(4)
NOT_CONFIGURED, NOT_ALLOWED = 1, 2
BAD_ACKNOWLEDGEMENT = 5
# Widths of fields, from the highest on.
COPY_FIELDS = (64, 64, 17)  # source, destination, bytes
PLAN_FIELDS = (2, 1, 1, 64)  # kind, no retry, by lines, acknowledgement
OWNER_FIELDS = (2, 2, 16)  # share, kind, mark
HEADER_FIELDS = (2, 1, 64, 17, 64)  # kind, no retry, address, bytes, acknowledgement
ENDED_FIELDS = (2, 16, 3, 64)  # share, mark, fault, its address
QUESTION_FIELDS = (64, 17, 1)  # address, bytes, writes


def packed(widths: tuple[int, ...], *values: int) -> int:
    """Fields as a port has them, the first one highest."""
    port = 0
    for width, value in zip(widths, values, strict=True):
        assert 0 <= value < 1 << width
        port = port << width | value
    return port


def unpacked(widths: tuple[int, ...], port: int) -> tuple[int, ...]:
    """The fields of a port's value."""
    values = []
    for width in reversed(widths):
        values.append(port & ((1 << width) - 1))
        port >>= width
    return tuple(reversed(values))


def line_of(words: list[int]) -> int:
    """A line's words, the first one lowest."""
    return sum(word << 64 * number for number, word in enumerate(words))
