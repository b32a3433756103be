"""shmem_interface: makes OpenSHMEM's header, the functions of libshmem and their page of src/shmem/interface.txt.

    python3 tools/shmem_interface.py TABLE header TEMPLATE   shmem.h, on standard output
    python3 tools/shmem_interface.py TABLE bindings SECTION  the functions of a section: C++, on standard output
    python3 tools/shmem_interface.py TABLE sections          the numbers of the sections
    python3 tools/shmem_interface.py TABLE page              the table of docs/use/openshmem-functions.md
    python3 tools/shmem_interface.py TABLE prototypes        every function, one a line
"""

import dataclasses
import re
import sys
import zlib
from pathlib import Path

BITS = {"bits": (8, 16, 32, 64, 128), "old_bits": (32, 64)}
# Types that are others in C: they count where those are missing.
SAME_AS = {
    "int8": "schar", "int16": "short", "int32": "int", "int64": "long", "ptrdiff": "long",
    "uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulong", "size": "ulong",
}  # fmt: skip
# Functions whose result says which words they saw, whether they have a lock, or which memory.
RESULT_TELLS = ("test", "wait_until_any", "wait_until_some", "malloc", "calloc", "realloc", "align")
PROTOTYPE = re.compile(r"^(?P<result>.*?[ *])(?P<name>\w+)\((?P<parameters>.*)\)(?: = (?P<inside>\w+))?$")


@dataclasses.dataclass(frozen=True)
class Parameter:
    type: str
    name: str

    def __str__(self) -> str:
        return self.type + ("" if self.type.endswith("*") or not self.name else " ") + self.name


@dataclasses.dataclass(frozen=True)
class Function:
    """One function as C sees it, after types and widths were filled in."""

    name: str
    result: str
    parameters: tuple[Parameter, ...]
    inside: str  # the library's function
    type: str  # its element type; empty: it has none
    typename: str
    bytes: int  # of an element that is given by its width; 0 otherwise
    context: bool  # the first parameter is a context

    def prototype(self, name: str = "") -> str:
        joined = ", ".join(map(str, self.parameters)) or "void"
        space = "" if self.result.endswith("*") else " "
        return f"{self.result}{space}{name or self.name}({joined})"

    def arguments(self) -> str:
        return ", ".join(p.name for p in self.parameters if p.name)


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of the table."""

    section: str
    set: str
    marks: frozenset[str]
    result: str
    name: str
    parameters: tuple[Parameter, ...]
    inside: str

    def generic_name(self) -> str:
        return self.name.replace("TYPENAME_", "")


@dataclasses.dataclass
class Table:
    types: dict[str, list[tuple[str, str]]]
    sections: dict[str, str]
    rows: list[Row]


def read_parameter(text: str) -> Parameter:
    if text == "...":
        return Parameter("...", "")
    match = re.match(r"^(.*?[ *])(\w+)$", text)
    assert match, text
    return Parameter(match[1].strip(), match[2])


def read_row(line: str, section: str) -> Row:
    kinds, marks, prototype = line.split(None, 2)
    match = PROTOTYPE.match(prototype)
    if match is None:
        raise SystemExit(f"{line!r} is no prototype")
    given = match["parameters"]
    parameters = () if given == "void" else tuple(read_parameter(p.strip()) for p in given.split(","))
    name = match["name"]
    plain = re.sub(r"TYPENAME_|SIZE", "", name.removeprefix("shmem_"))
    marked = frozenset(marks.split(",")) - {"-"}
    return Row(section, kinds, marked, match["result"].strip(), name, parameters, match["inside"] or plain)


def read_table(path: Path) -> Table:
    table = Table({}, {}, [])
    section = ""
    for line in path.read_text().splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("types "):
            name, _, members = line.removeprefix("types ").partition(" = ")
            table.types[name] = [tuple(m.strip().split(":")) for m in members.split(",")]
        elif line.startswith("section "):
            section, _, title = line.removeprefix("section ").partition(" ")
            table.sections[section] = title
        else:
            table.rows.append(read_row(line, section))
    return table


def filled(row: Row, typename: str, kind: str, bits: int, context: bool) -> Function:
    def fill(text: str) -> str:
        return re.sub(r"\bTYPE\b", kind, text)

    name = row.name.replace("TYPENAME", typename).replace("SIZE", str(bits))
    parameters = tuple(Parameter(fill(p.type), p.name) for p in row.parameters)
    if context:
        name = name.replace("shmem_", "shmem_ctx_", 1)
        parameters = (Parameter("shmem_ctx_t", "ctx"), *parameters)
    return Function(name, fill(row.result), parameters, row.inside, kind, typename, bits // 8, context)


def functions_of(table: Table, row: Row) -> list[Function]:
    made = []
    for context in (False, True) if "ctx" in row.marks else (False,):
        if row.set in BITS:
            made += [filled(row, "", "", bits, context) for bits in BITS[row.set]]
        elif row.set == "-":
            made.append(filled(row, "", "", 0, context))
        else:
            made += [filled(row, name, kind, 0, context) for name, kind in table.types[row.set]]
    return made


def takes_context(row: Row) -> bool:
    return "ctx" in row.marks or (row.section in ("9.6", "9.7", "9.8") and row.name != "shmem_signal_fetch")


# The header -----------------------------------------------------------------------------------------------------------


def declarations(table: Table) -> str:
    lines = []
    for section, title in table.sections.items():
        lines.append(f"\n/* {section} {title} */")
        for row in table.rows:
            if row.section != section or "undeclared" in row.marks:
                continue
            first = "__attribute__((__noreturn__)) " if "noreturn" in row.marks else ""
            for function in functions_of(table, row):
                lines.append(f"{first}{function.prototype()};")
                apart = "TESS_SHMEM_APART " if row.marks & {"word", "block"} else first
                lines.append(f"{apart}{function.prototype(twin(function.name))};")
    return "\n".join(lines)


def twin(name: str) -> str:
    return "p" + name


def is_integer(kind: str) -> bool:
    return kind not in ("float", "double", "long double") and "complex" not in kind


def inline_body(function: Function) -> str:
    """A word of a PE of this host, `word`, by the processor's own instruction."""
    at, whole = function.inside.removeprefix("atomic_"), is_integer(function.type)
    builtin = {"fetch_add": "fetch_add", "fetch_and": "fetch_and", "fetch_or": "fetch_or", "fetch_xor": "fetch_xor"}
    # Others see each of them: a loop of p, or one that waits by g.
    if at == "p":
        return f"*(volatile {function.type} *)tess_word = value; return;"
    if at == "g":
        return f"return *(volatile {function.type} *)tess_word;"
    order = "__ATOMIC_SEQ_CST"
    if at in builtin:
        return f"return __atomic_{builtin[at]}(tess_word, value, {order});"
    if at in ("add", "and", "or", "xor"):
        return f"(void)__atomic_fetch_{at}(tess_word, value, {order}); return;"
    if at == "fetch_inc":
        return f"return __atomic_fetch_add(tess_word, 1, {order});"
    if at == "inc":
        return f"(void)__atomic_fetch_add(tess_word, 1, {order}); return;"
    if at == "fetch":
        if whole:
            return f"return __atomic_load_n(tess_word, {order});"
        return f"{function.type} tess_old; __atomic_load(tess_word, &tess_old, {order}); return tess_old;"
    if at == "set":
        if whole:
            return f"__atomic_store_n(tess_word, value, {order}); return;"
        return f"__atomic_store(tess_word, &value, {order}); return;"
    if at == "swap":
        if whole:
            return f"return __atomic_exchange_n(tess_word, value, {order});"
        return f"{function.type} tess_old; __atomic_exchange(tess_word, &value, &tess_old, {order}); return tess_old;"
    assert at == "compare_swap", at
    return f"__atomic_compare_exchange_n(tess_word, &cond, value, 0, {order}, {order}); return cond;"


def inlined_word(function: Function) -> str:
    pointer = next(p for p in function.parameters if p.type.endswith("*"))
    found = f"tess_shmem_word({pointer.name}, pe)"
    if function.context:
        found = f"tess_shmem_of_world(ctx) ? {found} : 0"
    look = "" if function.result == "void" else "tess_shmem_before_look(); "
    return (
        f"  {function.type} *const tess_word = ({function.type} *)({found});\n"
        f"  if (__builtin_expect(tess_word != 0, 1)) {{ {look}{inline_body(function)} }}\n"
    )


BYTES = {
    "char": 1, "signed char": 1, "unsigned char": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "unsigned short": 2,
    "int16_t": 2, "uint16_t": 2, "int": 4, "unsigned int": 4, "int32_t": 4, "uint32_t": 4, "float": 4,
}  # fmt: skip


def tile_inline(function: Function) -> str:
    """A word of any PE by the functions of the header; empty for types that are no word."""
    at, kind = function.inside.removeprefix("atomic_"), function.type
    if kind == "long double":
        return ""
    bytes_of_word = BYTES.get(kind, 8)
    pointer = next(p for p in function.parameters if p.type.endswith("*")).name
    bits = f"uint{bytes_of_word * 8}_t"
    op = {"p": "put", "set": "put", "g": "get", "fetch": "get", "fetch_inc": "add", "inc": "add"}.get(at)
    op = op or at.removeprefix("fetch_")
    value = {"get": "0", "put": "value", "swap": "value"}.get(op, "1" if at.endswith("inc") else "value")
    first = ""
    if value == "value" and not is_integer(kind):
        first = f"{bits} tess_bits; __builtin_memcpy(&tess_bits, &value, sizeof tess_bits); "
        value = "tess_bits"
    expected = f"({bits})cond" if op == "compare_swap" else "0"
    # An atomic compares a word that is sign-extended.
    if op == "compare_swap" and bytes_of_word == 4:
        expected = "(uint64_t)(int32_t)cond"
    call = f"tess_shmem_{op}{bytes_of_word}({pointer}, (uint64_t){value}, {expected}, pe)"
    if function.result == "void":
        body = f"{first}(void){call}; return;"
    elif is_integer(kind):
        body = f"{first}return ({kind}){call};"
    else:
        body = (
            f"{first}{bits} const tess_word = ({bits}){call}; {kind} tess_result; "
            "__builtin_memcpy(&tess_result, &tess_word, sizeof tess_result); return tess_result;"
        )
    if not function.context:
        return f"  {body}"
    last = f"{twin(function.name)}({function.arguments()});"
    return f"  if (__builtin_expect(tess_shmem_of_world(ctx), 1)) {{ {body} }}\n  " + (
        last if function.result == "void" else f"return {last}"
    )


def tile_inlines(table: Table) -> str:
    lines = []
    for row in table.rows:
        for function in functions_of(table, row) if "word" in row.marks else []:
            if body := tile_inline(function):
                lines.append(f"TESS_SHMEM_INLINE {function.prototype()} {{\n{body}\n}}")
    return "\n".join(lines)


def inlined_block(function: Function) -> str:
    """A copy to or from a PE of this host."""
    size = f"sizeof({function.type})" if function.type else str(function.bytes or 1)
    puts = function.inside.startswith("put")
    copied = "tess_there, source, tess_bytes" if puts else "dest, tess_there, tess_bytes"
    return (
        f"  const size_t tess_bytes = nelems * {size};\n"
        f"  char *const tess_there = tess_shmem_block({'dest' if puts else 'source'}, tess_bytes, pe);\n"
        "  if (__builtin_expect(tess_there != 0 && nelems <= TESS_SHMEM_MOST, 1)) {\n"
        f"    {'' if puts else 'tess_shmem_before_look(); '}__builtin_memcpy({copied});\n    return;\n  }}\n"
    )


def inlined_later(function: Function) -> str:
    """An atomic with _nbi on a word of a PE of this host."""
    operation = function.inside.removeprefix("atomic_").removesuffix("_nbi")
    pointer = function.parameters[2 if function.context else 1]
    found = f"tess_shmem_word({pointer.name}, pe)"
    if function.context:
        found = f"tess_shmem_of_world(ctx) ? {found} : 0"
    names = {p.name for p in function.parameters}
    value = "value" if "value" in names else "0"
    if operation == "fetch_inc":
        operation, value = "fetch_add", "1"
    if value == "value" and not is_integer(function.type):
        lines = "  uint64_t tess_bits = 0;\n  __builtin_memcpy(&tess_bits, &value, sizeof value);\n"
    else:
        lines = f"  const uint64_t tess_bits = (uint64_t){value};\n"
    cond = "(uint64_t)cond" if "cond" in names else "0"
    what = f"16 * sizeof({function.type}) + TESS_SHMEM_{operation.upper()}"
    return f"{lines}  if (tess_shmem_delay({found}, fetch, tess_bits, {cond}, {what})) return;\n"


def inlined_signal(function: Function) -> str:
    """A put with a signal to a PE of this host."""
    size = f"sizeof({function.type})" if function.type else str(function.bytes or 1)
    return (
        f"  const size_t tess_bytes = nelems * {size};\n"
        "  char *const tess_there = tess_shmem_block(dest, tess_bytes, pe);\n"
        "  char *const tess_word = (size_t)sig_addr % 8 == 0 ? tess_shmem_word(sig_addr, pe) : 0;\n"
        "  if (__builtin_expect(tess_there != 0 && tess_word != 0 && nelems <= TESS_SHMEM_MOST &&\n"
        "                       (sig_op == SHMEM_SIGNAL_SET || sig_op == SHMEM_SIGNAL_ADD), 1)) {\n"
        "    __builtin_memcpy(tess_there, source, tess_bytes);\n"
        "    tess_shmem_raise((uint64_t *)tess_word, signal, sig_op);\n    return;\n  }\n"
    )


def inlined_wait(function: Function) -> str:
    """Looks for a while, and calls only then."""
    word = function.parameters[0]
    kind = word.type.removesuffix("*").strip()
    give = "return;" if function.result == "void" else "return tess_found;"
    return (
        f"  int tess_looks = tess_shmem_looks();\n  for (; tess_looks > 0; --tess_looks) {{\n"
        f"    const {kind} tess_found = __atomic_load_n({word.name}, __ATOMIC_ACQUIRE);\n"
        f"    if (TESS_SHMEM_HOLDS(tess_found, cmp, cmp_value)) {give}\n    tess_shmem_pause();\n  }}\n"
    )


INLINED = {
    "word": inlined_word, "block": inlined_block, "later": inlined_later, "signal": inlined_signal,
    "look": inlined_wait,
}  # fmt: skip


def inlines(table: Table) -> str:
    lines = []
    for row in table.rows:
        body = next((INLINED[mark] for mark in sorted(row.marks) if mark in INLINED), None)
        if body is None:
            continue
        for function in functions_of(table, row):
            if row.marks & {"block", "signal"} and function.context:
                continue
            call = f"{twin(function.name)}({function.arguments()})"
            last = f"{call};" if function.result == "void" else f"return {call};"
            lines.append(f"TESS_SHMEM_INLINE {function.prototype()} {{\n{body(function)}  {last}\n}}")
    return "\n".join(lines)


def generic_rows(table: Table) -> dict[str, list[Row]]:
    named: dict[str, list[Row]] = {}
    for row in table.rows:
        if "generic" in row.marks:
            named.setdefault(row.generic_name(), []).append(row)
    return named


def key_position(row: Row) -> int:
    """The parameter that tells the type: the first pointer to it."""
    return next(i for i, p in enumerate(row.parameters) if "TYPE" in p.type and p.type.endswith("*"))


def distinct(functions: list[Function]) -> list[Function]:
    """One for each type of C."""
    named = {f.typename for f in functions}
    found = {SAME_AS.get(f.typename, f.typename): f for f in functions if SAME_AS.get(f.typename) not in named}
    return list(found.values())


def selection(functions: list[Function]) -> str:
    """`TYPE *: function, const TYPE *: function, …`"""
    parts = []
    for f in distinct(functions):
        parts += [f"{q}{f.type} *: {f.name}" for q in ("", "const ", "volatile ")]
    return ", ".join(parts)


def synchronises(function: Function) -> bool:
    """Old programs declare the words that they wait for as volatile."""
    return function.inside.startswith(("wait", "test"))


def generics(table: Table) -> str:
    lines = []
    for name, rows in generic_rows(table).items():
        row = rows[0]
        all_functions = [f for r in rows for f in functions_of(table, r)]
        plain = [f for f in all_functions if not f.context]
        position = key_position(row)
        if synchronises(plain[0]):
            lines.append(f"#define {name}(ivar, ...) _Generic((ivar), {selection(plain)})((void *)(ivar), __VA_ARGS__)")
            continue
        argument = ("TESS_SHMEM_1", "TESS_SHMEM_2", "TESS_SHMEM_3")
        if "ctx" not in row.marks:
            chosen = f"_Generic({argument[position]}(__VA_ARGS__), {selection(plain)})"
        else:
            with_context = [f for f in all_functions if f.context]
            second = f"{argument[position + 1]}(__VA_ARGS__)"
            inner = f"_Generic({second}, {selection(with_context)}, default: tess_shmem_wrong_type)"
            if position == 0:
                chosen = f"_Generic(TESS_SHMEM_1(__VA_ARGS__), {selection(plain)}, shmem_ctx_t: {inner})"
            else:
                chosen = f"_Generic({argument[position]}(__VA_ARGS__), {selection(plain)}, default: {inner})"
        lines.append(f"#define {name}(...) {chosen}(__VA_ARGS__)")
    return "\n".join(lines)


def overloads(table: Table) -> str:
    lines, functions = [], {f.name for r in table.rows for f in functions_of(table, r)}
    for name, rows in generic_rows(table).items():
        every = [f for r in rows for f in functions_of(table, r)]
        for function in distinct([f for f in every if not f.context]) + distinct([f for f in every if f.context]):
            give = "" if function.result == "void" else "return "
            call = f"{give}{function.name}({function.arguments()});"
            # A function of C may have that name already, for long.
            if name not in functions or function.typename != "long":
                lines.append(f"TESS_SHMEM_OVERLOAD {function.prototype(name)} {{ {call} }}")
            if synchronises(function):
                lines += [of_volatile(function, name), of_volatile(function, function.name)]
            if "complex" in function.type:
                lines += [of_complex_of_c(function, name)]
    for row in table.rows:
        lines += [of_complex_of_c(f, f.name) for f in functions_of(table, row) if "complex" in f.type]
    return "\n".join(lines)


def of_volatile(function: Function, name: str) -> str:
    """C++ does not take a volatile word for an ordinary one, as C does."""
    word = function.parameters[0]
    prototype = function.prototype(name).replace(str(word), f"volatile {word}", 1)
    arguments = function.arguments().replace(word.name, f"({word.type}){word.name}", 1)
    give = "" if function.result == "void" else "return "
    return f"TESS_SHMEM_OVERLOAD {prototype} {{ {give}{function.name}({arguments}); }}"


def of_complex_of_c(function: Function, name: str) -> str:
    """Compilers have C's complex numbers in C++, too, and programs use them."""
    number = f"__complex__ {'double' if function.type.endswith('d') else 'float'}"
    parameters = tuple(Parameter(p.type.replace(function.type, number), p.name) for p in function.parameters)
    prototype = dataclasses.replace(function, parameters=parameters).prototype(name)
    arguments = ", ".join(f"({p.type}){p.name}" if function.type in p.type else p.name for p in function.parameters)
    give = "" if function.result == "void" else "return "
    return f"TESS_SHMEM_OVERLOAD {prototype} {{ {give}{function.name}({arguments}); }}"


def layout(template: str) -> str:
    """A number for the structures that are compiled into programs; it changes when one of them does."""
    found = re.findall(r"(?ms)^struct (\w+ \{.*?\});", template)
    assert len(found) >= 2, found
    members = re.sub(r"/\*.*?\*/|\s+", " ", " ".join(found))
    return f"{zlib.crc32(re.sub(' +', ' ', members).encode()):08x}"


def header(table: Table, template: Path) -> str:
    text = template.read_text()
    for name, made in (
        ("layout", layout(text)),
        ("declarations", declarations(table)),
        ("inlines", inlines(table)),
        ("tile_inlines", tile_inlines(table)),
        ("generics", generics(table)),
        ("overloads", overloads(table)),
    ):
        text = text.replace(f"@{name}@", made)
    return text


# The library's functions ----------------------------------------------------------------------------------------------


def binding(row: Row, function: Function) -> str:
    arguments = []
    for parameter in function.parameters:
        if parameter.type in ("...", "shmem_ctx_t"):
            continue
        name = parameter.name
        if function.bytes and parameter.type in ("void *", "const void *"):
            const = "const " if parameter.type.startswith("const") else ""
            name = f"static_cast<{const}bytes_of<{function.bytes}>*>({name})"
        arguments.append(name)
    if takes_context(row) or row.section == "9.11":
        arguments.insert(0, "ctx" if function.context else "SHMEM_CTX_DEFAULT")
    elif function.parameters and function.parameters[0].type == "shmem_ctx_t":
        arguments.insert(0, "ctx")
    element = function.type or (f"bytes_of<{function.bytes}>" if function.bytes else "")
    template = f"<{element}>" if element else ""
    inside = f"{function.inside}{template}({', '.join(arguments)})"
    done = f"tess::shmem::{inside}"
    if function.inside.startswith(RESULT_TELLS):
        done = f"made.returns({done})"
    give = "" if function.result == "void" else "return "
    kind = "early_call" if "early" in row.marks else "call"
    description = f", [&] {{ return tess::shmem::describe::{inside}; }}" if is_described(row) else ""
    return (
        f"{function.prototype(twin(function.name))} {{\n"
        f'  {kind} const made("{function.name}", __builtin_return_address(0){description});\n'
        f"  {give}{done};\n}}\n"
        f'[[gnu::weak, gnu::alias("{twin(function.name)}")]] {function.prototype()};'
    )


def is_described(row: Row) -> bool:
    """What it does has a function in src/shmem/describe.hpp or describe_collectives.hpp."""
    moves = row.section in ("9.3", "9.6", "9.7", "9.8", "9.9", "9.10", "9.11", "9.12")
    return moves or row.inside in ("team_split_strided", "team_split_2d", "team_destroy", "ctx_destroy")


def bindings(table: Table, section: str) -> str:
    lines = [
        f"// bindings: {table.sections[section]} of OpenSHMEM as functions of C; made of src/shmem/interface.txt.",
        '#include "shmem/describe_collectives.hpp"',
        '#include "shmem/functions.hpp"',
        "",
        "using tess::shmem::bytes_of;",
        "using tess::shmem::call;",
        "using tess::shmem::early_call;",
        "",
        'extern "C" {',
    ]
    for row in table.rows:
        if row.section == section:
            lines += [binding(row, function) for function in functions_of(table, row)]
    return "\n".join([*lines, "}", ""])


# The page -------------------------------------------------------------------------------------------------------------


PAGE_BEGIN = """# The functions of OpenSHMEM

Made of `src/shmem/interface.txt` by `python3 tools/shmem_interface.py src/shmem/interface.txt page`. `TYPENAME` and
`TYPE` stand for the [types](#types) of the set in brackets, `SIZE` for 8, 16, 32, 64 and 128, or for 32 and 64 where a
function is deprecated. *ctx*: also as `shmem_ctx_…` with a context as the first argument. *generic*: also without
`TYPENAME_`, in C11 and C++. *1.6*: not in OpenSHMEM 1.5. Each function has a twin whose name begins with `pshmem_`.
"""


def page(table: Table) -> str:
    lines = [PAGE_BEGIN]
    for section, title in table.sections.items():
        lines += [f"## {title}", ""]
        for row in table.rows:
            if row.section != section:
                continue
            prototype = Function(row.name, row.result, row.parameters, "", "", "", 0, False).prototype()
            shown = {"ctx": "ctx", "generic": "generic", "1.6": "1.6", "old": "deprecated"}
            notes = [text for mark, text in shown.items() if mark in row.marks]
            if row.set in table.types:
                notes.insert(0, f"[{row.set}]")
            lines.append(f"- `{prototype}`" + (": " if notes else "") + ", ".join(notes))
        lines.append("")
    lines += ["## Types", "", "| set | types |", "|---|---|"]
    lines += [f"| {name} | {', '.join(n for n, _ in members)} |" for name, members in table.types.items()]
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> None:
    table = read_table(Path(words[0]))
    match words[1:]:
        case ["header", template]:
            print(header(table, Path(template)), end="")
        case ["bindings", section]:
            print(bindings(table, section), end="")
        case ["sections"]:
            print("\n".join(table.sections))
        case ["page"]:
            print(page(table), end="")
        case ["prototypes"]:
            print("\n".join(f.prototype() for row in table.rows for f in functions_of(table, row)))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
