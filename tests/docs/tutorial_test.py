"""tutorial: the programs of README.md and of docs/use/tutorial.md compile, and print what stands beside them.

Method: each program that is one by itself is compiled by `tess c++` with warnings as errors and run on 1, 2 and 3
places, with two workers, and on the hostile fabric; what it prints must be what the page shows for that number of
places, or else what it shows last. Then every command of the page's sessions is run as it stands. TESS names the `tess`
to use; without it, skipped.
"""

import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from listings import Command, commands_of, matches, programs_of  # noqa: E402

ROOT = Path(__file__).parents[2]
TESS = os.environ.get("TESS")
LAYOUTS = ["-n 1", "-n 2", "-n 3", "-n 2 --workers 2", "-n 3 --fabric hostile"]
PATIENCE_S = 100


@unittest.skipUnless(TESS, "TESS does not name a tess command")
class Pages(unittest.TestCase):
    """One folder for all, so that compilers run side by side."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp())
        (cls.folder / "tess").symlink_to(Path(TESS).resolve())

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)

    def shell(self, command: str) -> tuple[int, str]:
        """Exit code and output, both streams as one."""
        path = f"{self.folder}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return done.returncode, done.stdout

    def watch(self, command: Command) -> str:
        """Runs a command that does not end; stops it as soon as it printed what is expected."""
        with (self.folder / "watched").open("w+") as output:
            process = subprocess.Popen(
                ["bash", "-c", f"exec {command.words}"],
                cwd=self.folder,
                env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            try:
                until = time.monotonic() + PATIENCE_S / 2
                while time.monotonic() < until and process.poll() is None:
                    if matches(command.expected, (self.folder / "watched").read_text()):
                        break
                    time.sleep(0.1)
            finally:
                process.send_signal(signal.SIGKILL)
                process.wait()
        return (self.folder / "watched").read_text()

    def is_whole(self, page: Path, name: str) -> bool:
        """Is it compiled by itself? Otherwise the page's own commands make it part of something."""
        plain = rf"(?:\./)?tess c\+\+ {name}\.cpp -o {name}"
        return any(re.fullmatch(plain, command.words) for command in commands_of(page))

    def compile_all(self, page: Path) -> None:
        def compile_one(name: str, text: str) -> tuple[str, int, str]:
            (self.folder / f"{name}.cpp").write_text(text)
            if not self.is_whole(page, name):
                return name, 0, ""
            return name, *self.shell(f"tess c++ -Wall -Wextra -Werror {name}.cpp -o {name}")

        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            texts = {name: block.text for name, block in programs_of(page).items()}
            for name, code, output in pool.map(compile_one, texts.keys(), texts.values()):
                self.assertEqual((code, output), (0, ""), f"{page.name}: {name}.cpp does not compile")

    def expected_of(self, page: Path, name: str) -> dict[int, str]:
        """What the page shows, by number of places."""
        shown = {}
        for command in commands_of(page):
            run = re.fullmatch(rf"(?:\./)?tess run \./{name} -n (\d+)( .*)?", command.words)
            if run and not command.endless:
                shown[int(run[1])] = command.expected
        return shown

    def check(self, page: Path) -> None:
        self.compile_all(page)
        for name in programs_of(page):
            shown = self.expected_of(page, name)
            for layout in LAYOUTS if shown and self.is_whole(page, name) else []:
                with self.subTest(page=page.name, program=name, layout=layout):
                    expected = shown.get(int(layout.split()[1]), list(shown.values())[-1])
                    self.assertEqual(self.shell(f"tess run ./{name} {layout}"), (0, expected))
        for command in commands_of(page):
            with self.subTest(page=page.name, line=command.line, command=command.words):
                code, output = (0, self.watch(command)) if command.endless else self.shell(command.words)
                self.assertTrue(matches(command.expected, output), f"expected:\n{command.expected}\ngot:\n{output}")
                self.assertEqual(code, 0, output)

    def test_tutorial(self) -> None:
        self.check(ROOT / "docs" / "use" / "tutorial.md")

    def test_readme(self) -> None:
        self.check(ROOT / "README.md")


class Matches(unittest.TestCase):
    """The comparison itself can fail."""

    def test_compares_whole_output(self) -> None:
        self.assertTrue(matches("a\n", "a\n"))
        self.assertFalse(matches("a\n", "a\nb\n"))
        self.assertFalse(matches("a\nb\n", "a\n"))

    def test_dots_stand_for_lines_and_text(self) -> None:
        self.assertTrue(matches("a\n...\nb:...\n", "a\nx\ny\nb:7\n"))
        self.assertFalse(matches("a\n...\nb:...\n", "a\nx\ny\nc:7\n"))


if __name__ == "__main__":
    unittest.main()
