"""headers: <shmem.h> compiles as any C and C++, with all warnings, and programs run however they were compiled.

A program that was compiled with another version of the structures that the header inlines is refused.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TESS = Path(os.environ["TESS"])
LIBRARIES = TESS.parents[1] / "lib"
HEADERS = TESS.parents[1] / "include"
SOURCES = Path(__file__).parent / "programs"
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-Wcast-qual", "-Wconversion", "-Wshadow", "-Wundef"]
LINK = [f"-L{LIBRARIES}", "-lshmem"]
FIND = f"-Wl,-rpath,{LIBRARIES}"
C_COMPILERS = [name for name in ("gcc", "clang-19") if shutil.which(name)]
CXX_COMPILERS = [name for name in ("g++", "clang++-19") if shutil.which(name)]


class Programs(unittest.TestCase):
    """Each test has a folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = Path(folder.name, "program")
        self.folder = Path(folder.name)

    def compile(self, *words: object, header: Path = HEADERS) -> None:
        command = [*map(str, words), f"-I{header}", f"-I{HEADERS}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{' '.join(command)}\n{done.stderr[:2000]}")

    def run_pes(self, pes: int = 3) -> subprocess.CompletedProcess:
        command = [str(TESS.parent / "oshrun"), "-np", str(pes), str(self.program)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def runs(self) -> None:
        ran = self.run_pes()
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))


class Headers(Programs):
    def test_are_c_of_any_age(self):
        for compiler in C_COMPILERS:
            for standard in ("c90", "c99", "gnu17"):
                for level in ("-O0", "-O2"):
                    with self.subTest(compiler=compiler, standard=standard, level=level):
                        how = [f"-std={standard}", level, *WARNINGS]
                        self.compile(compiler, *how, SOURCES / "portable.c", *LINK, FIND, "-o", self.program)
            self.runs()

    def test_are_cxx_of_any_age(self):
        for compiler in CXX_COMPILERS:
            for standard in ("c++98", "c++17", "c++23"):
                with self.subTest(compiler=compiler, standard=standard):
                    how = [f"-std={standard}", "-O2", *WARNINGS]
                    self.compile(compiler, *how, SOURCES / "portable.cpp", *LINK, FIND, "-o", self.program)
            self.runs()

    def test_take_complex_numbers_of_c_in_cxx(self):
        for compiler in CXX_COMPILERS:
            for standard in ("c++98", "c++17", "c++23"):
                with self.subTest(compiler=compiler, standard=standard):
                    how = [f"-std={standard}", "-O1", "-Wall", "-Wextra", "-Werror"]
                    self.compile(compiler, *how, SOURCES / "complex.cpp", *LINK, FIND, "-o", self.program)
                    self.runs()

    def test_take_words_with_qualifiers(self):
        for compiler in C_COMPILERS:
            for level in ("-O0", "-O2"):
                how = ["-std=c11", level, "-Wall", "-Wextra", "-Werror"]
                self.compile(compiler, *how, SOURCES / "qualified.c", *LINK, FIND, "-o", self.program)
            self.runs()

    def test_programs_run_with_options_that_change_their_layout(self):
        for compiler in C_COMPILERS:
            for options in (
                "-O2 -flto",
                "-O1 -fsanitize=address,undefined",
                "-O2 -ffunction-sections -Wl,--gc-sections",
                "-O2 -D_FORTIFY_SOURCE=2 -fstack-protector-all",
                "-Os -fcommon",
            ):
                with self.subTest(compiler=compiler, options=options):
                    self.compile(compiler, *options.split(), SOURCES / "portable.c", *LINK, FIND, "-o", self.program)
                    self.runs()


class Layouts(Programs):
    def refused(self, *words: object) -> None:
        text = (HEADERS / "shmem.h").read_text()
        number = re.search(r"#define TESS_SHMEM_LAYOUT 0x(\w{8})", text)[1]
        (self.folder / "shmem.h").write_text(text.replace(number, "0badcafe"))
        self.compile("clang-19", "-O2", SOURCES / "qualified.c", *words, "-o", self.program, header=self.folder)
        ran = self.run_pes(2)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        expected = f"(layout 0badcafe); expected that of this library (layout {number}): compile it again"
        self.assertIn(f"the program was compiled with a <shmem.h> of another version {expected}", ran.stderr)

    def test_other_than_the_librarys_are_refused(self):
        self.refused(*LINK, FIND)
        self.refused(*LINK, FIND, "-flto", "-fuse-ld=lld")

    def test_other_than_the_librarys_are_refused_in_static_programs(self):
        self.refused("-static", *LINK, "-lstdc++", "-lm", "-pthread")


if __name__ == "__main__":
    unittest.main()
