"""interface_test: the table of OpenSHMEM's functions and the header made of it declare what the specification does.

Method: reference/openshmem.txt and the table are expanded to single functions, which are compared both ways; a C
compiler then sees the header together with the reference's prototypes, and a call of every C11 name with every type.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "reference/openshmem.txt"
TABLE = ROOT / "src/shmem/interface.txt"
TEMPLATE = ROOT / "src/shmem/shmem.h.in"
SIZES = ("8", "16", "32", "64", "128")

# C++ has no _Complex, so the header has names for these two types.
SPELLED = {"shmem_complexd": "double _Complex", "shmem_complexf": "float _Complex"}

# Names that SHMEM had before OpenSHMEM and that no version of the specification has for C.
BEYOND = {"my_pe", "num_pes"}


@dataclass(frozen=True)
class Generic:
    name: str
    types: str
    first: str


@dataclass
class Reference:
    types: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    functions: dict[str, tuple[str, str, str]] = field(default_factory=dict)  # name: version, section, prototype
    generics: list[Generic] = field(default_factory=list)
    named: dict[str, list[str]] = field(default_factory=dict)  # constant, header, …: what stands after the version
    repeated: list[str] = field(default_factory=list)


def name_of(prototype: str) -> str:
    match = re.match(r"[^(]*?(\w+)\(", prototype)
    assert match, prototype
    return match[1]


def filled(prototype: str, name: str, kind: str) -> str:
    return re.sub(r"\bTYPE\b", kind, prototype.replace("TYPENAME", name).replace("SIZE", name))


def read(text: str) -> Reference:
    it = Reference()
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        word, rest = line.split(None, 1)
        if word == "types":
            name, _, members = rest.partition(" = ")
            it.types[name] = [tuple(m.split(":")) for m in members.split(", ")]
        elif word == "generic":
            it.generics.append(Generic(*rest.split()[1:]))
        elif word[0].isdigit():
            section, types, prototype = rest.split(None, 2)
            every = {"-": [("", "")], "size": [(s, "") for s in SIZES]}.get(types) or it.types[types]
            for name, kind in every:
                one = filled(prototype, name, kind)
                if name_of(one) in it.functions:
                    it.repeated.append(one)
                it.functions[name_of(one)] = (word, section, one)
        else:
            it.named.setdefault(word, []).append(rest.split(None, 1)[1])
    return it


def some(lines: list[str], most: int = 20) -> str:
    more = [f"and {len(lines) - most} more"] if len(lines) > most else []
    return "\n".join(lines[:most] + more)


def plain(prototype: str) -> str:
    """Without what is the same to C: our names of types, and const of a parameter that is passed by value."""
    for ours, theirs in SPELLED.items():
        prototype = re.sub(rf"\b{ours}\b", theirs, prototype)
    return re.sub(r"\bconst (\w+ \w+)(?=[,)])", r"\1", prototype)


def chosen(generic: Generic, typename: str) -> str:
    """The function that a C11 name stands for."""
    return generic.name.replace("shmem_", f"shmem_{typename}_", 1) if typename else generic.name


def call(prototype: str, name: str, context: bool) -> str:
    """A statement that calls `name` with arguments of the prototype's types and checks the type of the result."""
    result, given = re.match(r"(.*?[ *])\w+\((.*)\)$", prototype).groups()
    arguments = ["(" + re.sub(r"\b\w+$", "", one) + ")0" for one in given.split(", ")]
    if context:
        arguments.insert(0, "SHMEM_CTX_DEFAULT")
    made = f"{name}({', '.join(arguments)})"
    if result.strip() == "void":
        return f"  {made};"
    return f"  _Static_assert(_Generic(({made}), {result.strip()}: 1, default: 0), \"{name} of {result.strip()}\");"


def program(reference: Reference) -> str:
    """C that a compiler takes when the header declares each function as the reference does and has each C11 name."""
    lines = ['#include "shmem.h"']
    for name, (_, _, prototype) in reference.functions.items():
        for twin in (name, "p" + name):
            # The parentheses keep a macro of that name away.
            lines.append(re.sub(rf"\b{name}\(", f"({twin})(", prototype) + ";")
    for line in reference.named["handle"]:
        name, kind = line.split()
        lines.append(f"void handle_{name}({kind} *it) {{ *it = {name}; }}")
    for line in reference.named["typedef"]:
        name, fields = re.match(r"(\w+) \{ (.*)\}", line).groups()
        for kind, member in re.findall(r"(\w+) (\w+);", fields):
            lines.append(f"{kind} member_{name}_{member}({name} *it) {{ return it->{member}; }}")
    lines += [f"#ifndef {name}\n#error {name}\n#endif" for name in reference.named["constant"]]
    lines.append("void generics(void) {")
    for generic in reference.generics:
        if generic.first == "team":
            lines.append(f"  _Static_assert(_Generic(({generic.name}(SHMEM_TEAM_WORLD)), int: 1, default: 0), \"\");")
            continue
        for typename, _ in reference.types.get(generic.types, [("", "")]):
            prototype = reference.functions[chosen(generic, typename)][2]
            for context in (False, True) if generic.first == "ctx" else (False,):
                lines.append(call(prototype, generic.name, context))
    return "\n".join([*lines, "}", ""])


class InReference(unittest.TestCase):
    def setUp(self):
        self.it = read(REFERENCE.read_text())

    def test_has_each_function_once(self):
        self.assertEqual(self.it.repeated, [])
        self.assertGreater(len(self.it.functions), 1500)

    def test_every_context_form_has_a_form_without(self):
        own = {"create", "destroy", "get_team", "session_start", "session_stop"}
        for name in (n.removeprefix("shmem_ctx_") for n in self.it.functions if n.startswith("shmem_ctx_")):
            self.assertTrue(name in own or "shmem_" + name in self.it.functions, name)

    def test_every_c11_name_stands_for_functions(self):
        for generic in self.it.generics:
            if generic.first == "team":
                continue
            for typename, _ in self.it.types.get(generic.types, [("", "")]):
                name = chosen(generic, typename)
                self.assertIn(name, self.it.functions)
                with_context = name.replace("shmem_", "shmem_ctx_", 1) in self.it.functions
                self.assertEqual(generic.first == "ctx", with_context, generic.name)


class InTable(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, str(ROOT / "tools"))
        import shmem_interface as made

        self.made, self.table, self.it = made, made.read_table(TABLE), read(REFERENCE.read_text())
        self.ours = {f.name: (row, f) for row in self.table.rows for f in made.functions_of(self.table, row)}

    def test_has_every_function_of_the_specification(self):
        self.assertEqual(sorted(set(self.it.functions) - set(self.ours)), [])

    def test_has_no_other_function(self):
        others = {n for n, (row, _) in self.ours.items() if n not in self.it.functions and "ours" not in row.marks}
        self.assertEqual(sorted(others - BEYOND), [])

    def test_declares_them_alike(self):
        wrong = [
            f"{ours.prototype()}, but the specification: {self.it.functions[name][2]}"
            for name, (_, ours) in self.ours.items()
            if name in self.it.functions and plain(ours.prototype()) != plain(self.it.functions[name][2])
        ]
        self.assertFalse(wrong, "\n" + some(wrong))

    def test_knows_what_is_new_and_what_is_old(self):
        wrong = [
            name
            for name, (row, _) in self.ours.items()
            if name in self.it.functions
            and ("1.6" in row.marks, "old" in row.marks)
            != (self.it.functions[name][0] == "1.6", self.it.functions[name][1] in ("deprecated", "cache"))
        ]
        self.assertEqual(wrong, [])

    def test_a_compiler_takes_the_header_and_the_specification_together(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "shmem.h").write_text(self.made.header(self.table, TEMPLATE))
            Path(folder, "all.c").write_text(program(self.it))
            flags = ["-std=c11", "-fsyntax-only", "-Wall", "-Wno-deprecated-declarations"]
            command = [os.environ.get("CC", "cc"), *flags, "all.c"]
            ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
        said = re.findall(r".*(?:error|warning): .*", ran.stderr)
        self.assertTrue(ran.returncode == 0 and not said, "\n" + some(said))

    def test_the_header_says_what_does_not_return(self):
        text = self.made.header(self.table, TEMPLATE)
        for name in self.it.named["noreturn"]:
            self.assertRegex(text, rf"(?m)^.*(_Noreturn|noreturn|NORETURN).*\b{name}\(")

    def test_the_page_is_that_of_the_table(self):
        page = (ROOT / "docs/use/openshmem-functions.md").read_text()
        self.assertEqual(page, self.made.page(self.table), "write it again: see its first lines")


if __name__ == "__main__":
    unittest.main()
