"""names: what pages and comments name exists: files, options, environment variables, commands, machines, code spans.

Method: all tracked files. A page's names are in its code spans and in the commands of its fenced blocks; a source's are
in its comments and docstrings. A name is looked for in code, outside of comments, so a name that was changed in the
code is found wherever it is still written. The tables below list the names of other systems, each with a reason.
"""

import functools
import re
import sys
import unittest
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from tracked import tracked_files  # noqa: E402

CPP = {".cpp", ".hpp", ".h", ".c", ".def", ".sv"}
HASH = {".toml", ".cmake", ".sh"}
TEXT = CPP | HASH | {".py", ".md", ".in", ".pml", ".supp", ".txt"}
# Data and what is made for tests of readers: no names of ours.
NOT_READ = ("data/", "reference/", "docs/results/", "tests/fuzz/corpus/")

# Files that are not in the tree, and why a page or comment names them.
OTHER_FILES: dict[str, str] = {
    "include/uapi/asm-generic/unistd.h": "of Linux",
    "m.toml": "a machine file of the reader",
    "mine.toml": "a machine file of the reader",
    "mine.cpp": "a program of the reader",
    "script.py": "a script of the reader",
    "bfs.csv": "written by tess run --profile",
    "bfs.json": "the same",
    "bfs.svg": "the same",
    "sweep.csv": "written by tess sweep",
    "bf.txt": "written by a command of the page",
    "distances.txt": "written by a command of the page",
    "breaks.csv": "written by a command of the page",
    "distances.csv": "written by a command of the page",
    "trips.csv": "a graph of the reader",
    "heat.txt": "written by a program of the page",
    "data/x.mtx.gz": "a graph of the reader",
    "NAME.cpp": "stands for any name",
    "share/tessera/build.json": "installed",
    "share/tessera/packages.txt": "installed",
    "share/tessera/programs.txt": "made by the build",
    "benches.txt": "made by the build",
    "shmem.h": "made by the build",
    "shmemx.h": "made by the build",
    "pshmem.h": "made by the build",
    "../shmem.h": "made by the build",
    "../shmemx.h": "made by the build",
    "include/shmem.h": "made by the build",
    "data/debian-12": "the beginning of two names",
    "tools/delay_link": "built by tools/link_delay.py",
}
# Options of other programs.
OTHER_OPTIONS: dict[str, str] = {"--test-dir": "ctest", "--toggle-collect": "valgrind"}
# Variables that are no code of ours.
OTHER_VARIABLES: dict[str, str] = {"TESS_PES_PER_TILE": "a macro that shmem.h looks at"}
# Pages whose code spans are mostly names of other systems.
PAGES_OF_OTHERS = {"docs/use/coming-from.md": "compares UPC++, OpenSHMEM, Chapel, Grappa and X10"}
# Code spans that are words of others.
OTHER_WORDS: dict[str, str] = {
    "riscv_flush_icache": "system call of Linux",
    "sem_open": "function of POSIX",
    "shm_open": "function of POSIX",
    "eamoOP.w": "stands for the OPs of the table below it",
    "eamoOP.d": "the same",
    "eamoOP.nb.w": "the same",
    "eamoOP.nb.d": "the same",
    "eamoOP": "the same",
    "elq": "of another xBGAS",
    "elr": "of another xBGAS",
    "esc": "of another xBGAS",
    "amocas": "of the RISC-V extension Zacas",
    "color_0": "of IMSuite's sources in X10",
    "color_2": "of IMSuite's sources in X10",
    "DistArray.make": "of X10",
    "ud": "transport of UCX",
    "dc": "transport of UCX",
    "atomic_fetch_add": "kernel of OpenSHMEM",
    "atomic_compare_swap": "kernel of OpenSHMEM",
    "RAND_CAS": "pattern of CircusTent, made of its two halves",
    "manager": "a banned name",
    "strtol": "a banned function",
    "popen": "a banned function",
    "strcpy": "a banned function",
    "keeps_order_under_stalls": "an example of a test's name",
}


@functools.cache
def files() -> list[str]:
    return [str(path) for path in tracked_files(ROOT) if not str(path).startswith(NOT_READ)]


@functools.cache
def all_paths() -> set[str]:
    """Files and folders, from the root."""
    found = set()
    for path in tracked_files(ROOT):
        found.add(str(path))
        found.update(str(parent) for parent in PurePosixPath(str(path)).parents)
    return found


@functools.cache
def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


def is_text(path: str) -> bool:
    return PurePosixPath(path).suffix in TEXT or path in ("tess", "CMakeLists.txt") or path.endswith("CMakeLists.txt")


@functools.cache
def split(path: str) -> tuple[str, list[tuple[int, str]]]:
    """The code of a source without comments, and its comments by line."""
    text = text_of(path)
    suffix = PurePosixPath(path).suffix
    if suffix in CPP:
        pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
        is_comment = lambda token: token.startswith(("//", "/*"))  # noqa: E731
    elif suffix == ".py":
        pattern = r'"""(?:\\.|[^\\])*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
        is_comment = lambda token: token.startswith(("#", '"""'))  # noqa: E731
    else:
        pattern = r'(?:(?<=\s)|^)#[^\n]*|"(?:\\.|[^"\\\n])*"'
        is_comment = lambda token: token.startswith("#")  # noqa: E731
    comments: list[tuple[int, str]] = []

    def keep(match: re.Match[str]) -> str:
        begins_line = not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if not is_comment(match[0]) or (match[0].startswith('"""') and not begins_line):
            return match[0]
        comments.append((text.count("\n", 0, match.start()) + 1, match[0]))
        return "\n" * match[0].count("\n")

    code = re.sub(pattern, keep, text, flags=re.DOTALL | re.MULTILINE)
    return code, comments


@functools.cache
def code_words() -> set[str]:
    """Every word of the code, and of data that programs read."""
    words: set[str] = set()
    for path in files():
        if is_text(path) and not path.endswith(".md"):
            words.update(re.findall(r"\w+", split(path)[0]))
            words.update(re.findall(r"[\w-]+", split(path)[0]))
        words.update(re.findall(r"[\w-]+", PurePosixPath(path).stem))
    return words


@functools.cache
def options() -> set[str]:
    """Every option that a string of the code has; a name of CLI11's `--a,-b` counts as well."""
    found: set[str] = set()
    for path in files():
        if is_text(path) and not path.endswith(".md"):
            found.update(re.findall(r"--[a-z][a-z0-9-]*", split(path)[0]))
    return found


def prose_and_commands(page: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Code spans, and the lines of shell blocks, by line."""
    spans, commands, language = [], [], None
    for number, line in enumerate(text_of(page).splitlines(), 1):
        if fence := re.match(r"\s*```(\S*)", line):
            language = None if language is not None else fence[1]
        elif language in ("sh", "console"):
            commands.append((number, line.split("  #")[0]))
        elif language is None and not line.startswith("    "):
            spans += [(number, span) for span in re.findall(r"`([^`]+)`", line.replace("\\|", "|"))]
    return spans, commands


def named() -> list[tuple[str, int, str]]:
    """Everything that may hold a name: page or source, line, text. Code spans keep their quotes."""
    found = []
    for path in files():
        if path.endswith(".md"):
            spans, commands = prose_and_commands(path)
            found += [(path, line, f"`{span}`") for line, span in spans]
            found += [(path, line, text) for line, text in commands]
        elif is_text(path):
            found += [(path, line, text) for line, text in split(path)[1]]
    return found


EXTENSIONS = r"cpp|hpp|h|py|md|toml|cmake|def|pml|txt|csv|supp|sv|svh"
FILE = re.compile(rf"(?<![\w./*<>$~{{}}-])((?:[\w.*{{}},-]+/)*[\w.*{{}},-]*[\w*}}]\.(?:{EXTENSIONS}))(?![\w/*])")
FOLDERS = "src|include|apps|bench|tests|tools|docs|python|machines|reference|data|deps|cmake"
FOLDER = re.compile(rf"(?<![\w./<>$~-])((?:{FOLDERS})/[\w./*{{}},…-]*[\w/*}}])(?![\w(])")


def expand(name: str) -> list[str]:
    """{a,b} as a shell does it."""
    if match := re.search(r"\{([^{}]*)\}", name):
        parts = match[1].split(",")
        return [one for p in parts if p != "…" for one in expand(name[: match.start()] + p + name[match.end() :])]
    return [name]


@functools.cache
def exists(name: str, beside: str) -> bool:
    name = name.rstrip("/")
    if "*" in name:
        pattern = re.compile(re.escape(name).replace(r"\*", r"[^/]*"))
        return any(pattern.fullmatch(path) or re.search(rf"(^|/){pattern.pattern}$", path) for path in all_paths())
    if name in all_paths() or name.startswith("build/"):
        return True
    # An include, a test's file, a neighbour: the end of some path. Or a program that the page itself shows.
    if any(path.endswith("/" + name) for path in all_paths()):
        return True
    return beside.endswith(".md") and re.search(rf"^```\S+ {re.escape(name)}$", text_of(beside), re.M) is not None


def is_word(name: str) -> bool:
    """Whether it is a word of the code, such words joined by hyphens (a program's name), or a prefix such as `try_`."""
    if name in code_words() or all(part in code_words() for part in name.split("-")):
        return True
    return name.endswith("_") and any(word.startswith(name) for word in code_words())


class Names(unittest.TestCase):
    def report(self, wrong: list[str]) -> None:
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_files_exist(self) -> None:
        wrong = []
        for path, line, text in named():
            names = FILE.findall(text) + FOLDER.findall(text)
            for name in {one for name in names for one in expand(name)}:
                if name not in OTHER_FILES and not exists(name, path):
                    wrong.append(f"{path}:{line}: no file {name}")
        self.report(wrong)

    def test_sections_exist(self) -> None:
        """docs/internals/machine.md, 3: the page has a section 3."""
        wrong = []
        for path, line, text in named():
            for page, number in re.findall(r"(docs/[\w/-]+\.md), (\d+)\b", text):
                if exists(page, path) and not re.search(rf"^## {number} ", text_of(page), re.MULTILINE):
                    wrong.append(f"{path}:{line}: {page} has no section {number}")
        self.report(wrong)

    def test_options_are_of_a_program(self) -> None:
        wrong = []
        for path, line, text in named():
            for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]", text):
                if option not in options() and option not in OTHER_OPTIONS:
                    wrong.append(f"{path}:{line}: no option {option}")
        self.report(wrong)

    def test_variables_are_read(self) -> None:
        wrong = []
        for path, line, text in named():
            for name in re.findall(r"(?<!\w)TESS_[A-Z0-9_]*[A-Z0-9](?![\w…*])", text):
                if name not in code_words() and name not in OTHER_VARIABLES:
                    wrong.append(f"{path}:{line}: nothing reads {name}")
        self.report(wrong)

    def test_machines_exist(self) -> None:
        wrong = []
        for path, line, text in named():
            for name in re.findall(r"--machine[ =]([a-z]+-[\w-]*\d)(?![\w.])", text):
                if f"machines/{name}.toml" not in all_paths():
                    wrong.append(f"{path}:{line}: no machine {name}")
        self.report(wrong)

    def test_commands_exist(self) -> None:
        known = set(re.findall(r"^  ([a-z+]+)(?= )", text_of("tess"), re.MULTILINE))
        known |= set(re.findall(r'"([a-z-]+)"', "".join(split(p)[0] for p in files() if p.startswith("src/cli/"))))
        wrong = []
        for path, line, text in named():
            if not path.endswith(".md"):
                continue
            for name in re.findall(r"(?:^|[`\s]|\./)tess ([a-z+]+)(?![\w/.])", text):
                if name not in known:
                    wrong.append(f"{path}:{line}: no command tess {name}")
        self.report(wrong)

    def test_code_spans_are_of_the_code(self) -> None:
        """Spans that are one name: `frame_pool`, `tess::make`, `nma.queue_entries`, `poll()`."""
        wrong = []
        for path, line, text in named():
            if path in PAGES_OF_OTHERS:
                continue
            for span in re.findall(r"(?<!`)`([A-Za-z_][\w.:-]*)(?:\(\))?`(?!`)", text):
                if span in OTHER_WORDS or FILE.fullmatch(span) or re.search(r"(?<!:):(?!:)", span):
                    continue  # `kron:14`, `file:line`: a form, not a name
                if not all(is_word(part) for part in re.split(r"::|\.", span) if part):
                    wrong.append(f"{path}:{line}: nothing is called {span}")
        self.report(wrong)

    def test_programs_of_the_build_exist(self) -> None:
        """build/release/tests/NAME: NAME is a word of the build's files."""
        wrong = []
        for path, line, text in named():
            names = re.findall(r"build/(?:[\w-]+/)+([\w-]+)(?![\w./-])", text)
            wrong += [f"{path}:{line}: nothing builds {name}" for name in names if not is_word(name)]
        self.report(wrong)

    def test_rooms_are_the_folders(self) -> None:
        """The drawing of the architecture has the folders of include/tess and src, each with its sentence."""
        block = re.search(r"^```rooms\n(.*?)^```", text_of("docs/internals/architecture.md"), re.M | re.S)
        drawn: set[str] = set()
        above = [""]
        for line in block[1].splitlines():
            indent, name, sentence = re.fullmatch(r"( *)(\S+)/ *(.*)", line).groups()
            above = above[: len(indent) // 2] + [name]
            drawn.add("/".join(above))
            self.assertTrue(sentence or name == "src", line)
        parents = {str(parent) for path in files() for parent in PurePosixPath(path).parents}
        there = {path for path in parents if re.fullmatch(r"include/tess(/[^/]+)?|src(/[^/]+){0,2}", path)}
        deeper = {path for path in drawn if path.count("/") > 2}
        self.assertEqual(sorted(there | (deeper & parents)), sorted(drawn))

    def test_exceptions_are_needed(self) -> None:
        """An exception that nothing names any more goes."""
        everything = "\n".join(text for _, _, text in named())
        for table in (OTHER_FILES, OTHER_OPTIONS, OTHER_VARIABLES, OTHER_WORDS):
            for name in table:
                with self.subTest(name=name):
                    self.assertTrue(name in everything, f"{name} is named nowhere")


if __name__ == "__main__":
    unittest.main()
