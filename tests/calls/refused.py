"""refused: calls that would go wrong at another place, or whose result would be lost, do not compile."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from refusals import main  # noqa: E402

CAPTURE = ["must not capture by reference", "capture values"]
VALUE = ["a value that travels must not hold an address"]
COLLECTIVE = ["a collective's value must not hold an address", "combine values or a global_ptr"]
COPYABLE = ["must be trivially copyable", "as an argument"]
POINTED = ["tess: this member cannot travel to another place: it does not point to an object: tess::array"]
INSIDE = ["a pointer does not travel inside a value: use a global_ptr"]
ELEMENT = ["must be trivially copyable", "a place_local", "distributed_map"]
LOST = ["nodiscard"]
UNUSED = ["unused variable 'lost'"]
# Number of the case → what the message must say.
EXPECTED = {
    1: CAPTURE,
    2: CAPTURE,
    3: CAPTURE,
    4: CAPTURE,
    5: CAPTURE,
    6: CAPTURE,
    7: CAPTURE,
    8: CAPTURE,
    9: CAPTURE,
    10: CAPTURE,
    11: VALUE,
    12: VALUE,
    13: ["addresses of functions do not cross places: send a lambda"],
    14: LOST,
    15: UNUSED,
    16: LOST,
    17: LOST,
    18: UNUSED,
    19: LOST,
    20: UNUSED,
    21: LOST,
    22: CAPTURE,
    23: [*CAPTURE, "bit-field"],
    24: [*VALUE, "specialise tess::plain_data"],
    25: CAPTURE,
    26: UNUSED,
    27: UNUSED,
    28: UNUSED,
    29: UNUSED,
    30: UNUSED,
    31: UNUSED,
    32: COLLECTIVE,
    33: COLLECTIVE,
    34: VALUE,
    35: COPYABLE,
    36: COPYABLE,
    37: COPYABLE,
    38: CAPTURE,
    39: CAPTURE,
    40: COPYABLE,
    41: CAPTURE,
    42: CAPTURE,
    43: CAPTURE,
    44: POINTED,
    45: INSIDE,
    46: VALUE,
    47: VALUE,
    48: VALUE,
    49: INSIDE,
    50: ["addresses do not cross places: send a global_ptr or an index"],
    51: CAPTURE,
    52: CAPTURE,
    53: CAPTURE,
    54: CAPTURE,
    55: VALUE,
    56: VALUE,
    57: ["finish drops what its body returns", "task<void>", "use async"],
    58: ELEMENT,
    59: ELEMENT,
}

if __name__ == "__main__":
    sys.exit(main("tests/calls/refused.cpp", EXPECTED))
