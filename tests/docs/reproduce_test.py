"""reproduce: every `tess reproduce` of the pages has options that the command and the package for Python both know.

Method: the commands in code spans and fenced blocks of all pages. The command `tess` gets an unknown option in
addition, so that it starts nothing and names all that it does not know; the paper's parser in Python gets the words as
they are. TESS names the `tess` to use; without it, skipped.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESS = os.environ.get("TESS")
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).parent)]
from listings import blocks_of  # noqa: E402

UNKNOWN = "--unknown-to-all"
COMMAND = re.compile(r"(?:\./)?\btess reproduce ([a-z]+[^`#|;&)]*)")
ELLIPSIS = "…"  # of a command that goes on


def commands() -> Iterator[tuple[str, list[str]]]:
    """The page, and the words after `reproduce`."""
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        spans = re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", page.read_text(encoding="utf-8"))
        for text in (*spans, *(line for block in blocks_of(page) for line in block.text.splitlines())):
            for found in COMMAND.findall(text):
                words = shlex.split(found.replace(ELLIPSIS, " "))
                if "PAPER" not in words:
                    yield page.name, words


def python_refuses(words: list[str]) -> str:
    """What the paper's parser says against the options; empty: nothing."""
    from tessera.reproduce.__main__ import PAPERS
    from tessera.reproduce.command import parser

    name, *options = words
    if name not in PAPERS:
        return ""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.suppress(SystemExit):
        parser(PAPERS[name]).parse_args(options)
    return said.getvalue()


class Commands(unittest.TestCase):
    def test_python_knows_the_options(self) -> None:
        found = list(commands())
        self.assertGreater(len(found), 50)
        for page, words in found:
            with self.subTest(page=page, words=words):
                self.assertEqual(python_refuses(words), "")
        self.assertNotEqual(python_refuses(["cni", UNKNOWN]), "")

    @unittest.skipUnless(TESS, "TESS does not name a tess command")
    def test_the_command_passes_the_options_on(self) -> None:
        for page, words in sorted({(page, tuple(words)) for page, words in commands()}):
            with self.subTest(page=page, words=words):
                done = subprocess.run([TESS, "reproduce", *words, UNKNOWN], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2)
                # It would name them all, if there were several.
                self.assertRegex(done.stderr.strip(), rf"not expected: {UNKNOWN}$")


if __name__ == "__main__":
    unittest.main()
