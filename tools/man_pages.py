"""man_pages: manual pages of `tess` and of its subcommands, written from what they say with --help.

Usage: man_pages.py TESS FOLDER. FOLDER gets man1/tess.1, man1/tess-run.1 and so on.
"""

import re
import subprocess
import sys
from pathlib import Path


def help_of(tess: str, *words: str) -> str:
    return subprocess.run([tess, *words, "--help"], capture_output=True, text=True, check=True).stdout


def escaped(text: str) -> str:
    """Text as roff takes it: no line begins with a control character, hyphens stay hyphens."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def page(name: str, meaning: str, text: str, version: str, others: list[str]) -> str:
    """One page: the help text keeps its columns."""
    see = ", ".join(f"\\fB{escaped(other)}\\fR(1)" for other in others if other != name)
    return (
        f'.TH "{escaped(name).upper()}" "1" "" "Tessera {version}" "Tessera"\n'
        f".SH NAME\n{escaped(name)} \\- {escaped(meaning)}\n"
        f".SH DESCRIPTION\n.nf\n{escaped(text.rstrip())}\n.fi\n"
        f".SH SEE ALSO\n{see}\n"
    )


def main(tess: str, folder: Path) -> None:
    version = subprocess.run([tess, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    top = help_of(tess)
    subcommands = re.findall(r"^  ([a-z+]+) +(\S.*)$", top[top.lower().index("subcommands") :], re.MULTILINE)
    pages = {"tess": ("one program, one address space, many places", top)}
    for name, meaning in subcommands:
        pages[f"tess-{name}"] = (meaning, help_of(tess, name))
    (folder / "man1").mkdir(parents=True, exist_ok=True)
    for name, (meaning, text) in pages.items():
        (folder / "man1" / f"{name}.1").write_text(page(name, meaning, text, version, list(pages)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]))
