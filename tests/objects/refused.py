"""refused: what cannot travel is a compile error that names the member and the remedy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from refusals import main  # noqa: E402

# Number of the case → what the message must say.
EXPECTED = {
    1: ["bad::surname", "use tess::string"],
    2: ["bad::list", "use tess::array<>"],
    3: ["bad::numbers", "tess::array<> for many"],
    4: ["bad::anything", "one_of<> for several types"],
    5: ["bad::owned", "use a plain pointer to an object made by tess::make"],
    6: ["bad::maybe", "use a pointer, which may be null"],
    7: ["bad::either", "use tess::one_of<>"],
    8: ["bad::nested", "make each an object, and use tess::array of pointers to them"],
    9: ["bad::object", "give that type plain members, or list them in TESS_OBJECT"],
    10: ["bit-field 'flags'", "use a whole integer"],
    11: ["bad::callback", "a function's address does not travel"],
    12: ["bad::view", "use tess::string"],
    13: ["bad::table", "list its members in TESS_OBJECT"],
    14: ["bad", "no alignas, packing"],
    15: ["bad", "TESS_OBJECT must list every member, in order"],
    16: ["aligned to 16 bytes at most"],
    17: ["bad", "list its members in TESS_OBJECT"],
    18: ["bad", "TESS_OBJECT"],
    19: ["std::shared_ptr<int>", "only unique_ptr<T> travels"],
    20: ["friendly *", "use a global_ptr, a unique_ptr, or objects alone"],
    21: ["std::basic_string_view<char>", "pass a std::string or std::vector"],
    22: ["std::function<void ()>", "make it trivially copyable, or an aggregate"],
    23: ["char *", "use a global_ptr, a unique_ptr, or objects alone"],
    24: ["bad::surname", "use tess::string"],
    25: ["bad::list", "use tess::array<>"],
    26: ["text::words", "use tess::string"],
    27: ["link_of_texts::words", "use tess::string"],
}

if __name__ == "__main__":
    sys.exit(main("tests/objects/refused.cpp", EXPECTED))
