"""docs: the pages and a reference of the public headers as one static site, by Doxygen.

The pages are those of docs/ and of the root; the reference is what the comments of include/tess say, without detail/. A
header's opening comment documents the class that the header is named after, and a comment above several declarations
without a blank line between documents all of them. The theme is Debian's doxygen-awesome-css, or else Doxygen's own.
Usage: docs.py [--output FOLDER]; docs.py --filter HEADER prints a header as Doxygen reads it.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
THEME = Path("/usr/share/doxygen-awesome-css")
OPTIONS = {
    "PROJECT_NAME": "Tessera",
    "PROJECT_BRIEF": '"one program on threads, processes and simulated tiles"',
    "INPUT": "pages include/tess",
    "RECURSIVE": "YES",
    "FILE_PATTERNS": "*.md *.hpp *.h",
    "EXTENSION_MAPPING": "h=C++",
    "EXCLUDE_PATTERNS": "*/detail/*",
    "EXCLUDE_SYMBOLS": "tess::detail tess::detail::* *::detail::*",
    "MACRO_EXPANSION": "YES",
    "BUILTIN_STL_SUPPORT": "YES",
    "JAVADOC_AUTOBRIEF": "YES",
    "DISTRIBUTE_GROUP_DOC": "YES",
    "EXTRACT_ALL": "NO",
    "WARN_IF_UNDOCUMENTED": "NO",
    "QUIET": "YES",
    "GENERATE_LATEX": "NO",
    "GENERATE_TREEVIEW": "YES",
    "TOC_INCLUDE_HEADINGS": "3",
    "SHOW_USED_FILES": "NO",
    "VERBATIM_HEADERS": "YES",
    "SEARCHENGINE": "YES",
    "HTML_TIMESTAMP": "NO",
    "HTML_COLORSTYLE_SAT": "60",
}


# Headers -------------------------------------------------------------------------------------------------------------


def opening_comment(lines: list[str]) -> tuple[int, list[str]]:
    """How many lines it has, and its text: the first sentence without the file's name, then the rest."""
    count = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    text = [re.sub(r"^// ?", "", line) for line in lines[:count]]
    if text:
        text[0] = re.sub(r"^[\w-]+: *(.)", lambda match: match[1].upper(), text[0])
    # Labels (Units, Threads, …) become paragraphs of their own; nothing is indented far enough to be a code block.
    shown: list[str] = []
    for line in text:
        if re.match(r"[A-Z][a-z]+  +\S", line):
            label, rest = line.split(maxsplit=1)
            shown += ["", f"**{label}** {rest}"]
        elif line.startswith("      ") and not shown[-1].startswith(("**", "-")) and shown[-1].strip():
            shown.append(line.strip())
        else:
            shown.append(re.sub(r"^ {2,3}(?=\S)|^ {4,}", "", line))
    return count, shown


def grouped(lines: list[str]) -> list[str]:
    """A comment above several declarations becomes the comment of each: they go between @{ and @}."""
    out: list[str] = []
    i = 0
    while i < len(lines):
        if not re.match(r"\s*///(?!<)", lines[i]):
            out.append(lines[i])
            i += 1
            continue
        begin = i
        while i < len(lines) and re.match(r"\s*///(?!<)", lines[i]):
            i += 1
        indent = len(lines[begin]) - len(lines[begin].lstrip())
        end, ends = i, 0
        while end < len(lines) and lines[end].strip() and not re.match(r"\s*//", lines[end]):
            depth = len(lines[end]) - len(lines[end].lstrip())
            if depth < indent or (depth == indent and re.match(r"\s*(\}|public:|private:|protected:|#)", lines[end])):
                if not (depth == indent and lines[end].strip() in ("}", "};")):
                    break
            if depth == indent and lines[end].rstrip().split("  //")[0].rstrip().endswith((";", "}")):
                ends += 1
            elif re.match(r"[A-Z_]+\(.*\)$", lines[end]):
                ends += 1  # a macro that makes a declaration
            end += 1
        is_type = any(re.match(r"\s*(class|struct|enum|namespace|union)\b", line) for line in lines[i:end])
        if ends > 1 and not is_type:
            out += [" " * indent + "/// @{", *lines[begin:end], " " * indent + "/// @}"]
            i = end
        else:
            out += lines[begin:i]
    return out


def as_doxygen(header: Path) -> str:
    """A header as Doxygen should read it."""
    lines = header.read_text(encoding="utf-8").splitlines()
    count, text = opening_comment(lines)
    lines = lines[count:]
    doc = [f"/// {line}".rstrip() for line in text]
    stem = header.stem
    for i, line in enumerate(lines):
        if re.match(rf"(class|struct)(?: \[\[.*?\]\])? {stem}\b(?!;)", line):
            first = i
            while first and re.match(r"(template\b|requires\b|    )", lines[first - 1]):
                first -= 1
            if not lines[first - 1].startswith("///"):
                lines[first:first] = doc
            else:
                above = first
                while lines[above - 1].startswith("///"):
                    above -= 1
                lines[above:above] = [*doc, "///"]
            break
    name = header.relative_to(header.parents[1] if header.parent.name == "tess" else header.parents[2])
    return "\n".join([f"/// @file {name}", *doc, "", *grouped(lines)]) + "\n"


# Pages ---------------------------------------------------------------------------------------------------------------


def page_id(page: Path) -> str:
    """What Doxygen calls a page."""
    name = str(page.with_suffix("")).removeprefix("docs/")
    return "mainpage" if name == "index" else "page_" + re.sub(r"\W", "_", name.lower())


def anchor(page: Path, heading: str) -> str:
    """The label of a heading, from its text or from the anchor of a link."""
    word = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
    return page_id(page) + "_" + re.sub(r"\W", "_", word)


def all_pages() -> list[Path]:
    """README and its neighbours, and docs/."""
    return sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def code_span(text: str) -> str:
    """A code span with an escaped bar, as tables need it, becomes HTML: Doxygen would show the backslash."""
    if "\\|" not in text:
        return text
    inside = text.strip("`").replace("&", "&amp;").replace("<", "&lt;").replace("\\|", "&#124;")
    return f"<code>{inside}</code>"


def as_page(page: Path) -> str:
    """A page of the tree as Doxygen should read it: labels for headings, references for links, pictures copied."""
    out: list[str] = []
    shown: set[Path] = set()
    in_code = False

    def link(match: re.Match[str]) -> str:
        picture, text, target = match[1], match[2], match[3]
        if "://" in target:
            return match[0]
        file, _, place = target.partition("#")
        aim = ((ROOT / page).parent / file).resolve().relative_to(ROOT) if file else page
        plain = text.replace("`", "").replace('"', "'")
        if picture:
            return f'<img src="{aim}" alt="{plain}" style="max-width:100%">'
        if aim.suffix == ".md":
            if page_id(page) == "mainpage" and not place and aim not in shown:
                shown.add(aim)
                return f'@subpage {page_id(aim)} "{plain}"'
            file = "index" if page_id(aim) == "mainpage" else page_id(aim)
            return f'<a href="{file}.html{place and "#" + anchor(aim, place)}">{plain}</a>'
        if aim.suffix in (".html", ".svg", ".png", ".csv"):
            return f'<a href="{aim}">{plain}</a>'
        return text if text.startswith("`") else f"{text} (`{aim}`)"

    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            in_code = not in_code
            language = line[3:].split(" ")[0]
            out.append("```" + (("cpp" if language == "cpp" else "{.unparsed}") if in_code else ""))
        elif in_code:
            out.append(line)
        elif heading := re.match(r"(#+) (.*)$", line):
            label = page_id(page) if len(heading[1]) == 1 else anchor(page, heading[2])
            out.append(f"{line} {{#{label}}}")
        else:
            # Code spans stay as they are.
            parts = re.split(r"(`[^`]*`)", line)
            spans = [code_span(part) if i % 2 else part.replace("@", "\\@") for i, part in enumerate(parts)]
            out.append(re.sub(r"(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)", link, "".join(spans)))
    return "\n".join(out) + "\n"


# Doxygen -------------------------------------------------------------------------------------------------------------


def run_doxygen(folder: Path, changes: dict[str, str]) -> str:
    """Runs it in a folder; what it says on standard error."""
    options = OPTIONS | {
        "OUTPUT_DIRECTORY": str(folder),
        "STRIP_FROM_PATH": f"{folder}/pages {ROOT}/include",
        "STRIP_FROM_INC_PATH": f"{ROOT}/include",
        "FILTER_PATTERNS": f'*.hpp="{sys.executable} {__file__} --filter" *.h="{sys.executable} {__file__} --filter"',
    }
    options |= changes
    text = "".join(f"{name} = {value}\n" for name, value in options.items())
    done = subprocess.run(["doxygen", "-"], input=text, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stderr


# Names that need no comment of their own, and why.
UNDOCUMENTED = {
    r"\(variable\)|\(enumvalue\)": "a member of a documented type, a constant of a documented namespace",
    r"Member (operator|begin\(|end\(|size\(|data\(|empty\(|get\(|what\()": "as in the standard library",
    r"Member (value_type|element_type|promise_type|await_(ready|suspend|resume))\b": "the language asks for them",
    r"Member ~?(\w+)\(.* \(function\) of (class|struct) (\w+::)*\1 is": "constructors",
    r"Member (error|line)\(.* of class tess::(rmem::lost|machine::cni::)": "inherited constructors",
    r"Member (operation|cell|outgoing|maker|accepted)\b": "for the runtime",
    r"Member TESS_(PARENS|EXPAND\d?|LIST_\w+|XBGAS_\w+)\b": "steps of other macros",
}


def undocumented(folder: Path) -> list[str]:
    """Public names of the headers without a comment, as Doxygen's warnings."""
    only_headers = {"INPUT": "include/tess", "GENERATE_HTML": "NO", "GENERATE_XML": "YES"}
    said = run_doxygen(folder, only_headers | {"WARN_IF_UNDOCUMENTED": "YES"})
    lines = [line.removeprefix(f"{ROOT}/") for line in said.splitlines() if "is not documented" in line]
    return sorted({line for line in lines if not any(re.search(pattern, line) for pattern in UNDOCUMENTED)})


def build(folder: Path) -> Path:
    """The whole site; returns its first page."""
    shutil.rmtree(folder, ignore_errors=True)
    for page in all_pages():
        copy = folder / "pages" / page
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(as_page(page), encoding="utf-8")
    changes = {"INPUT": f"{folder}/pages {ROOT}/include/tess"}
    if THEME.is_dir():
        styles = [THEME / "doxygen-awesome.css", THEME / "doxygen-awesome-sidebar-only.css"]
        changes["HTML_EXTRA_STYLESHEET"] = " ".join(str(style) for style in styles)
    said = run_doxygen(folder, changes)
    (folder / "doxygen.log").write_text(said, encoding="utf-8")
    for source in (ROOT / "docs").rglob("*"):
        if source.suffix in (".svg", ".png", ".html", ".csv", ".json"):
            copy = folder / "html" / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    return folder / "html" / "index.html"


def main() -> int:
    """Builds, or filters one header for Doxygen."""
    parser = argparse.ArgumentParser(prog="./tess docs", description="pages and API reference as one static site")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "docs", help="folder (default build/docs)")
    parser.add_argument("--filter", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.filter:
        print(as_doxygen(options.filter.resolve()), end="")
        return 0
    if not shutil.which("doxygen"):
        print("docs: no doxygen; ./tess setup docs installs it", file=sys.stderr)
        return 2
    print(build(options.output.resolve()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
