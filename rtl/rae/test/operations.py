"""operations: what the codes of rtl/rae/rae_pkg.sv mean, for benches, which share no code with the RTL."""

PACKETS = ["load", "store", "atomic", "compare_swap"]
WORDS = ["swap", "add", "xor", "and", "or", "min", "max", "min_unsigned", "max_unsigned"]
OPERATIONS = ["load", "store", *WORDS, "compare_swap"]
FULL = (1 << 64) - 1


def signed(value: int, size: int) -> int:
    """The number that the lowest 2^size bytes are."""
    bits = 8 << size
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def code_of(packet: str, word: int, size: int, offset: int, line_bytes: int) -> str | None:
    """The operation, or None if there is none."""
    if offset + (1 << size) > line_bytes:
        return None
    if packet in ("load", "store"):
        return packet
    if size < 2 or offset % (1 << size):
        return None
    if packet == "compare_swap":
        return packet
    return WORDS[word] if word < len(WORDS) else None


def performed(operation: str, size: int, held: int, operand: int, expected: int) -> tuple[int, int]:
    """The word afterwards, 2^size bytes, and the answer."""
    mask = (1 << (8 << size)) - 1
    held &= mask
    operand &= mask
    if operation == "load":
        return held, held
    if operation == "store":
        return operand, held
    a, b = signed(held, size), signed(operand, size)
    after = {
        "swap": operand,
        "add": held + operand,
        "xor": held ^ operand,
        "and": held & operand,
        "or": held | operand,
        "min": min(a, b),
        "max": max(a, b),
        "min_unsigned": min(held, operand),
        "max_unsigned": max(held, operand),
        "compare_swap": operand if held == expected & mask else held,
    }[operation]
    return after & mask, a & FULL
