"""registers: writes rtl/registers_pkg.sv, the constants of include/tess/machine/registers.hpp for hardware.

Constants become parameters and enumerations become types: nma::root is NmaRoot, nma::map_code is nma_map_code_e with
NmaLinear, graph_fault is graph_fault_e with GraphFaultNone. Functions that put fields together are left out: a unit's
own package names its fields. `python3 tools/rtl/registers.py` writes the file; --check says whether it is up to date.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "tess" / "machine" / "registers.hpp"
PACKAGE = ROOT / "rtl" / "registers_pkg.sv"
INTRODUCTION = """\
/// registers_pkg: the device registers of a tile, for hardware: offsets, codes and faults of all units.
///
/// tools/rtl/registers.py writes it from include/tess/machine/registers.hpp, which explains each; a test compares.
package registers_pkg;

  // A unit uses some of them.
  /* verilator lint_off UNUSEDPARAM */
"""

PARTS = re.compile(
    r"namespace (?P<space>[\w:]+) \{"
    r"|enum (?P<scoped>class )?(?P<enum>\w+) : std::uint(?P<bits>\d+)_t \{(?P<members>.*?)\};"
    r"|inline constexpr (?P<type>[\w:]+) (?P<name>\w+) =\s*(?P<value>.*?);"
    r"|constexpr .*?\{.*?\n\}"
    r"|(?P<end>\})",
    re.DOTALL,
)


def pascal(*words: str) -> str:
    """UpperCamelCase of snake_case words."""
    return "".join(part.capitalize() for word in words for part in word.split("_") if part)


def value_of(text: str, known: dict[str, int], space: str) -> int:
    """A constant expression, with names of this namespace and of the outer one."""
    text = re.sub(r"std::u?int\d+_t\{", "(", text).replace("}", ")")
    text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[UuLl]*\b", r"\1", text.replace("'", ""))

    def look_up(match: re.Match[str]) -> str:
        for scope in (space, ""):
            if (name := f"{scope}::{match[0]}") in known:
                return str(known[name])
        raise SystemExit(f"registers.hpp: what is {match[0]}?")

    text = re.sub(r"\b[a-z_]\w*(?:::\w+)*\b", look_up, text).replace("/", "//")
    return int(eval(text, {"__builtins__": {}}))  # the project's own header, arithmetic only


def members_of(text: str) -> list[tuple[str, int]]:
    """Names and values of an enumeration."""
    found: list[tuple[str, int]] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (word.strip() for word in part.partition("="))
        found.append((name, int(value, 0) if value else found[-1][1] + 1 if found else 0))
    return found


def package_of(header: str) -> str:
    """The package for the text of the header."""
    code = re.sub(r"//[^\n]*", "", header)
    spaces: list[str] = []
    known: dict[str, int] = {}
    lines = [INTRODUCTION]
    for part in PARTS.finditer(code):
        space = "_".join(spaces[1:])
        if part["space"]:
            spaces.append(part["space"])
            if len(spaces) > 1:
                lines.append(f"\n  // {part['space']}")
        elif part["end"]:
            spaces.pop()
        elif part["enum"]:
            prefix = (space, part["enum"]) if part["scoped"] else (space,)
            members = members_of(part["members"])
            known |= {f"{space}::{name}": value for name, value in members}
            shown = [f"    {pascal(*prefix, name)} = {part['bits']}'d{value}" for name, value in members]
            name = "_".join(filter(None, (space, part["enum"])))
            lines.append(f"  typedef enum logic [{int(part['bits']) - 1}:0] {{\n" + ",\n".join(shown))
            lines.append(f"  }} {name}_e;")
        elif part["name"]:
            value = known[f"{space}::{part['name']}"] = value_of(part["value"], known, space)
            lines.append(f"  localparam logic [63:0] {pascal(space, part['name'])} = 64'd{value};")
    if spaces:
        raise SystemExit("registers.hpp: its namespaces were not understood")
    return "\n".join([*lines, "", "  /* verilator lint_on UNUSEDPARAM */", "endpackage"]) + "\n"


def main(words: list[str]) -> int:
    text = package_of(HEADER.read_text(encoding="utf-8"))
    if words == ["--check"]:
        same = PACKAGE.exists() and PACKAGE.read_text(encoding="utf-8") == text
        if not same:
            print("rtl/registers_pkg.sv is not what registers.hpp says; type: python3 tools/rtl/registers.py")
        return 0 if same else 1
    PACKAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
