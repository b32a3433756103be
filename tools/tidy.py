"""tidy: the rules of docs/internals/style.md that a machine can check; prints `file:line: what, what instead`.

Each rule is a function from a file to its errors; RULES at the end lists them. Usage: tools/tidy.py [ROOT].
"""

import dataclasses
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from namespace_scope import mutable_variables, without_comments_and_strings
from tracked import tracked_files

LINES_WARNING = 400
LINES_MAX = 800
COLUMNS_MAX = 120
BLOB_BYTES_MAX = 5_000_000

# Tables may be longer than code: files with the reason.
TABLES: dict[str, str] = {}

CODE = {".cpp", ".hpp", ".h", ".py", ".sv", ".sh", ".cmake"}
TEXT = {".md", ".toml", ".json", ".in"}  # data keeps the shape in which it was published

# Layer → prefixes it may include, in addition to itself and std. Includes only point down.
LAYERS = {
    "include/tess/": (),
    "src/base/": ("include/tess/",),
    "src/fabric/": ("include/tess/", "src/base/"),
    "src/runtime/": ("include/tess/", "src/base/", "src/fabric/"),
    "src/shmem/": ("include/tess/", "src/base/", "src/fabric/"),
    "src/system/": ("include/tess/machine/",),
    "src/machine/": ("include/tess/machine/registers.hpp", "include/tess/machine/unit_interface.hpp", "src/base/"),
    "src/rmem/": ("include/tess/", "src/base/"),
    "src/cli/": ("src/machine/", "src/rmem/", "src/base/", "include/tess/"),
    "apps/": ("include/tess/",),
    "bench/": ("include/tess/", "src/machine/", "src/rmem/"),
}
# The runtime knows fabric.hpp; fabric/choice.cpp names the fabrics.
CONCRETE_FABRIC = re.compile(r"src/fabric/(smp|ucx|tile|testing)/")
# Programs use the public headers, not their implementation.
INSIDE = "include/tess/detail/"

BANNED = [
    (r"\batoi\b|\batol\b|\batof\b|\bstrto(l|ul|ll|ull|d|f)\b|\bsto(i|l|ul|ll|ull|f|d)\s*\(", "std::from_chars"),
    (r"\busing\s+namespace\s+std\b", "names with std::"),
    (r"\bstd::endl\b", r"'\n', which does not flush"),
    (r"\bNULL\b", "nullptr"),
    (r"(?<![\w:.>])s?rand\s*\(", "a seeded generator (src/base/prng.hpp)"),
    (r"\bv?sprintf\s*\(|\bstr(cpy|cat)\s*\(", "std::string, or fmt::format"),
    (r"(?<![\w:.>])(std::)?system\s*\(|\bpopen\s*\(", "execv or posix_spawn: no shell"),
    (r"(?<![\w:.>])assert\s*\(|#include\s*<cassert>", "TESS_ASSERT, or TESS_DEBUG_ASSERT on hot paths"),
    (r"\btypedef\b", "using"),
]
BANNED_IN_COMMENTS = [
    (r"[@\\](brief|param|return|author|date)\b", "a full sentence"),
    (r"\b(TODO|FIXME|XXX)\b(?!\s*\(#?\d+\)|\s+#?\d+)", "the number it is filed under, as TODO(12), or do it"),
]
BANNED_NAMES = re.compile(r"(^|_)(helpers?|managers?|utils?|misc|impl2|fwd)(_|$)")

# A sentence of a comment or of a Markdown page that puts its subject last.
OF_FIRST = re.compile(r"(^\W*|[.:!?] )" + "Of" + r"\s")
COMMENT = {".py": re.compile(r'(?:^|\s)#(?= )|^\s*"""|^\s*(?=[A-Z])'), ".md": re.compile("")}
COMMENT_OF_OTHERS = re.compile(r"(?:^|\s)(?:///?<?|#)(?= )")

# Written so that this file does not contain what it looks for.
MACHINE_PATH = re.compile(r"(?<![\w./$}~-])/(?:" + "|".join(["work", "root", "home"]) + r")/\w")


@dataclasses.dataclass
class Source:
    """One file: its path as the project names it, and its text."""

    path: str
    text: str
    known: frozenset[str]  # every path of the project, to distinguish its headers from others

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.path).suffix

    @property
    def is_cpp(self) -> bool:
        return self.suffix in (".cpp", ".hpp", ".h")

    @property
    def is_shell(self) -> bool:
        return self.suffix == ".sh" or re.match(r"#!.*\b(ba)?sh\b", self.text) is not None

    @property
    def is_code(self) -> bool:
        return self.suffix in CODE or self.is_shell or self.path.endswith("CMakeLists.txt")


Errors = Iterator[tuple[int, str]]  # line (from 1), message


def included_path(source: Source, written: str) -> str | None:
    """The project's path for what an #include names, or None if it is not ours."""
    beside = os.path.normpath(PurePosixPath(source.path).parent / written)
    for candidate in (beside, f"include/{written}", f"src/{written}", written):
        if candidate in source.known:
            return candidate
    # The layer of a header that does not exist yet.
    first = written.split("/")[0]
    if first == "tess":
        return f"include/{written}"
    return f"src/{written}" if "/" in written and f"src/{first}/" in LAYERS else None


def layers(source: Source) -> Errors:
    """Imports only point down."""
    own = next((layer for layer in LAYERS if source.path.startswith(layer)), None)
    if own is None or not source.is_cpp:
        return
    for number, line in enumerate(source.lines, 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not found:
            continue
        written = found[2]
        path = included_path(source, written)
        if path is None:
            if own == "include/tess/" and (found[1] == '"' or "/" in written.removeprefix("bits/")):
                yield number, f"a public header includes {written}, only tess/ and std are allowed there"
            continue
        allowed = path.startswith((own, *LAYERS[own]))
        if not allowed:
            below = ", ".join((own, *LAYERS[own]))
            yield number, f"{own} must not include {path}, imports only point down: to {below}"
        if own == "src/runtime/" and CONCRETE_FABRIC.match(path):
            yield number, f"the runtime must not know {path}, use fabric.hpp (fabric/choice.cpp selects)"
        if own in ("apps/", "bench/") and path.startswith(INSIDE):
            yield number, f"{path} is an inside matter, include the public header that uses it"


def length(source: Source) -> Errors:
    count = len(source.lines)
    if source.is_code and count > LINES_MAX and source.path not in TABLES:
        yield LINES_MAX + 1, f"{count} lines, at most {LINES_MAX}: split it by state and concept"


def width(source: Source) -> Errors:
    if not source.is_code:
        return
    for number, line in enumerate(source.lines, 1):
        if len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns, at most {COLUMNS_MAX}: break the line"


def opening(source: Source) -> Errors:
    """The first comment says `name: the idea`, so that `head -1` of all files is the map of the project."""
    lines = source.lines
    first = 1 if lines and lines[0].startswith("#!") else 0
    line = lines[first] if len(lines) > first else ""
    stem = PurePosixPath(source.path).stem
    # A test may be named after itself or after the file that it tests.
    name = re.escape(stem) if not stem.endswith("_test") else re.escape(stem.removesuffix("_test")) + "(_test)?"
    if source.is_cpp:
        pattern, example = rf"// {name}: \S", f"// {stem}: the idea, in a sentence"
    elif source.suffix == ".sv":
        pattern, example = rf"///? {name}: \S", f"/// {stem}: the idea, in a sentence"
    elif source.suffix == ".py":
        if not source.text.strip():
            return  # an empty __init__.py
        if stem == "__init__":
            stem = name = PurePosixPath(source.path).parent.name
        pattern, example = rf'"""{name}: \S', f'"""{stem}: the idea, in a sentence'
    elif source.is_shell:
        pattern, example = r"# \S", "# the idea, in a sentence"
    else:
        return
    if not re.match(pattern, line):
        yield first + 1, f"no opening comment, start with: {example}"


def banned_words(source: Source) -> Errors:
    if not source.is_cpp:
        return
    code = without_comments_and_strings(source.text).splitlines()
    for number, (line, whole) in enumerate(zip(code, source.lines, strict=True), 1):
        for pattern, instead in BANNED:
            if found := re.search(pattern, line):
                yield number, f"{found[0].strip()} is banned, use {instead}"
        for pattern, instead in BANNED_IN_COMMENTS:
            if found := re.search(pattern, whole):
                yield number, f"{found[0].strip()} is banned, write {instead}"


def file_names(source: Source) -> Errors:
    if found := BANNED_NAMES.search(PurePosixPath(source.path).stem.lower()):
        yield 1, f"a file named after {found[0].strip('_')} has no idea of its own, name it after its idea"


def app_state(source: Source) -> Errors:
    """Places of one process must not share variables, which places on different hosts cannot share."""
    if source.is_cpp and source.path.startswith("apps/"):
        for number, name in mutable_variables(source.text):
            yield number, f"mutable variable {name} would be shared by places, use tess::place_local or pass it"


def machine_paths(source: Source) -> Errors:
    for number, line in enumerate(source.lines, 1):
        if found := MACHINE_PATH.search(line):
            yield number, f"{found[0]}… is a path of one machine, use one relative to the project"


def subject_first(source: Source) -> Errors:
    if not source.is_code and source.suffix != ".md":
        return
    comment = COMMENT.get(source.suffix, COMMENT_OF_OTHERS)
    for number, line in enumerate(source.lines, 1):
        if (found := comment.search(line)) and OF_FIRST.search(line[found.end() :]):
            yield number, "a sentence that begins with “Of”, write its subject first"


def blanks(source: Source) -> Errors:
    if not source.is_code and source.suffix not in TEXT:
        return
    for number, line in enumerate(source.lines, 1):
        if "\t" in line:
            yield number, "a tab, use spaces"
        if line != line.rstrip():
            yield number, "trailing blanks, remove them"
    if source.text and not source.text.endswith("\n"):
        yield len(source.lines), "no newline at the end, add one"


RULES: list[Callable[[Source], Errors]] = [
    layers,
    length,
    width,
    opening,
    banned_words,
    file_names,
    app_state,
    machine_paths,
    subject_first,
    blanks,
]


def warnings(root: Path) -> list[str]:
    """Long files, as lines to print; no error."""
    found = []
    for file in tracked_files(root):
        path = file.as_posix()
        try:
            source = Source(path, (root / file).read_text(encoding="utf-8"), frozenset())
        except UnicodeDecodeError:
            continue
        if source.is_code and LINES_WARNING < len(source.lines) <= LINES_MAX and path not in TABLES:
            found.append(f"{path}:{LINES_WARNING + 1}: {len(source.lines)} lines: still one class, one idea?")
    return found


def check(root: Path) -> list[str]:
    """All errors of the project at root, as lines to print."""
    files = tracked_files(root)
    known = frozenset(file.as_posix() for file in files)
    errors = []
    for file in files:
        path = file.as_posix()
        size = (root / file).stat().st_size
        if size > BLOB_BYTES_MAX:
            errors.append(f"{path}:1: {size} bytes, at most {BLOB_BYTES_MAX}: make it smaller or generate it")
            continue
        try:
            text = (root / file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # binary data
        source = Source(path, text, known)
        for rule in RULES:
            errors += [f"{path}:{number}: {what}" for number, what in rule(source)]
    for path in sorted(TABLES.keys() & known):
        if len((root / path).read_text(encoding="utf-8").splitlines()) <= LINES_MAX:
            errors.append(f"{path}:1: {LINES_MAX} lines or fewer by now, remove it from TABLES in tidy.py")
    return errors


if __name__ == "__main__":
    project = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found_errors = check(project)
    for warning in warnings(project):
        print(f"warning: {warning}")
    print("\n".join(found_errors) if found_errors else "tidy: nothing to say")
    sys.exit(1 if found_errors else 0)
