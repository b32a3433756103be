"""refused: what cannot travel is a compile error that names the member and the remedy.

Method: tests/objects/refused.cpp is compiled once for each wrong type, and the compiler's words are searched.
Usage: refused.py COMPILER SOURCE_DIR
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
}


def compile_case(compiler: str, root: Path, case: int) -> tuple[int, str]:
    words = [compiler, "-std=c++23", "-fsyntax-only", f"-DCASE={case}", f"-I{root / 'include'}"]
    words.append(str(root / "tests/objects/refused.cpp"))
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main() -> int:
    compiler, root = sys.argv[1], Path(sys.argv[2])
    failures = 0
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda case: compile_case(compiler, root, case), [0, *EXPECTED]))
    code, text = outcomes[0]
    if code != 0:
        print(f"the good type was refused:\n{text}")
        failures += 1
    for (case, words), (code, text) in zip(EXPECTED.items(), outcomes[1:], strict=True):
        missing = [word for word in words if word not in text]
        if code == 0 or missing:
            print(f"case {case}: code {code}, the message lacks {missing}:\n{text[:3000]}")
            failures += 1
    print(f"{len(EXPECTED) + 1 - failures} fine, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
