"""tidy_test: each rule of tidy.py is silent on the good form and names the line of the bad one.

Method: a project of one or two files is written to a temporary folder and checked whole.
"""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tidy  # noqa: E402
from namespace_scope import mutable_variables  # noqa: E402


def errors_of(files: dict[str, str | bytes]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tidy.check(Path(folder))


def cpp(path: str, *lines: str) -> dict[str, str]:
    """A file with its opening comment; the given lines start at line 2."""
    return {path: "\n".join([f"// {Path(path).stem}: an idea.", *lines]) + "\n"}


class Case(unittest.TestCase):
    def silent(self, files: dict[str, str | bytes]) -> None:
        self.assertEqual(errors_of(files), [])

    def one(self, files: dict[str, str | bytes], start: str, *parts: str) -> None:
        errors = errors_of(files)
        self.assertEqual(len(errors), 1, errors)
        self.assertTrue(errors[0].startswith(start), errors[0])
        for part in parts:
            self.assertIn(part, errors[0])


class Layers(Case):
    def test_imports_point_down(self):
        self.silent(cpp("src/runtime/worker.cpp", '#include "fabric/fabric.hpp"', '#include "tess/task.hpp"'))
        self.silent(cpp("src/fabric/smp/smp.cpp", '#include "base/json.hpp"', "#include <sys/mman.h>"))
        self.silent(cpp("apps/bfs.cpp", '#include "tess/tess.hpp"', "#include <fmt/format.h>"))
        self.silent(cpp("src/machine/hart.cpp", '#include "tess/machine/registers.hpp"'))

    def test_imports_must_not_point_up(self):
        self.one(cpp("src/base/json.cpp", "", '#include "runtime/worker.hpp"'), "src/base/json.cpp:3: ", "point down")
        self.one(cpp("src/fabric/smp/smp.cpp", '#include "runtime/worker.hpp"'), "src/fabric/smp/smp.cpp:2: ")
        self.one(cpp("src/machine/hart.cpp", '#include "tess/task.hpp"'), "src/machine/hart.cpp:2: ")
        self.one(cpp("apps/bfs.cpp", "#include <base/json.hpp>"), "apps/bfs.cpp:2: ")

    def test_a_header_beside_the_file_belongs_to_its_layer(self):
        both = cpp("apps/bfs.cpp", '#include "graph.hpp"') | cpp("apps/graph.hpp")
        self.silent(both)
        self.one(cpp("apps/bfs.cpp", '#include "../bench/graph.hpp"') | cpp("bench/graph.hpp"), "apps/bfs.cpp:2: ")

    def test_the_runtime_knows_no_concrete_fabric(self):
        include = '#include "fabric/ucx/ucx.hpp"'
        self.one(cpp("src/runtime/worker.cpp", include), "src/runtime/worker.cpp:2: ", "fabric.hpp")

    def test_public_headers_include_only_public_headers_and_std(self):
        self.silent(cpp("include/tess/word.hpp", "#include <atomic>", '#include "tess/detail/tasks/ring.hpp"'))
        self.one(cpp("include/tess/word.hpp", "#include <fmt/format.h>"), "include/tess/word.hpp:2: ", "tess/ and std")
        self.one(cpp("include/tess/word.hpp", '#include "fabric/fabric.hpp"'), "include/tess/word.hpp:2: ")

    def test_programs_include_no_inside_header(self):
        self.one(cpp("apps/bfs.cpp", '#include "tess/detail/tasks/ring.hpp"'), "apps/bfs.cpp:2: ", "inside")


class Shape(Case):
    def test_length(self):
        self.silent(cpp("src/base/a.cpp", *["//"] * 799))
        self.one(cpp("src/base/a.cpp", *["//"] * 800), "src/base/a.cpp:801: 801 lines")

    def test_width(self):
        self.silent(cpp("src/base/a.cpp", "//" + "x" * 118))
        self.one(cpp("src/base/a.cpp", "//" + "x" * 119), "src/base/a.cpp:2: 121 columns")
        self.silent({"README.md": "x" * 200 + "\n"})

    def test_tabs_and_trailing_blanks(self):
        self.one(cpp("src/base/a.cpp", "\tint a();"), "src/base/a.cpp:2: a tab")
        self.one({"README.md": "text \n"}, "README.md:1: trailing blanks")
        self.one({"README.md": "text"}, "README.md:1: no newline")
        self.silent({"reference/table.tsv": "a\tb\n"})

    def test_large_files(self):
        self.one({"data/a.gz": b"\xff" * (tidy.BLOB_BYTES_MAX + 1)}, "data/a.gz:1: ")
        self.silent({"data/a.gz": b"\xff" * 1000})

    def test_file_names(self):
        self.one(cpp("src/base/string_utils.cpp"), "src/base/string_utils.cpp:1: ", "its idea")
        self.one(cpp("src/base/helper.hpp"), "src/base/helper.hpp:1: ")
        self.silent(cpp("src/base/utilisation.cpp"))


class Opening(Case):
    def test_each_language_has_its_form(self):
        self.silent({"rtl/nma.sv": "/// nma: the accelerator.\n"})
        self.silent({"tools/a.py": '#!/usr/bin/env python3\n"""a: the idea."""\n'})
        self.silent({"tools/a.sh": "#!/bin/sh\n# a: the idea.\n"})
        self.silent({"tests/base/a_test.cpp": "// a: the goal.\n", "tests/base/b_test.cpp": "// b_test: the goal.\n"})
        self.silent({"python/tess/__init__.py": '"""tess: the idea."""\n', "python/__init__.py": ""})

    def test_each_language_must_have_it(self):
        self.one({"src/base/a.cpp": "int a();\n"}, "src/base/a.cpp:1: no opening comment", "// a: ")
        self.one({"src/base/a.cpp": "// b: another file's idea.\n"}, "src/base/a.cpp:1: ")
        self.one({"rtl/a.sv": "module a;\n"}, "rtl/a.sv:1: ")
        self.one({"tools/a.py": "import os\n"}, "tools/a.py:1: ")
        self.one({"start": "#!/usr/bin/env bash\nset -e\n"}, "start:2: ")


class Words(Case):
    def test_banned_words_come_with_a_replacement(self):
        for line, instead in [
            ("int a = atoi(b);", "std::from_chars"),
            ("int a = std::stoi(b);", "std::from_chars"),
            ("using namespace std;", "std::"),
            ("int* a = NULL;", "nullptr"),
            ("std::system(a);", "no shell"),
            ("assert(a);", "TESS_ASSERT"),
            ("// @brief Adds.", "full sentence"),
            ("// TODO: later", "number"),
        ]:
            with self.subTest(line):
                self.one(cpp("src/base/a.cpp", line), "src/base/a.cpp:2: ", instead)

    def test_similar_words_are_fine(self):
        lines = ["static_assert(a);", "snprintf(a);", "// TODO(12): later", "using namespace tess;"]
        self.silent(cpp("src/base/a.cpp", *lines))

    def test_words_in_strings_and_comments_are_not_code(self):
        self.silent(cpp("src/base/a.cpp", 'auto a = "atoi(b)";', "// unlike atoi()", "auto b = R\"(system(1))\";"))

    def test_paths_of_one_machine(self):
        for folder in ("work", "root", "home"):
            self.one({"README.md": f"see /{folder}/me\n"}, "README.md:1: ", "one machine")
        self.silent({"README.md": "a/work/b, https://x.org/home/y and ./root/z\n"})

    def test_sentences_begin_with_their_subject(self):
        of = "Of"  # apart, so that this file does not contain what it tests for
        for comment in (f"// {of} two, the later.", f"int a;  ///< {of} a bank.", f"// A queue. {of} two, one."):
            with self.subTest(comment):
                self.one(cpp("src/base/a.cpp", comment), "src/base/a.cpp:2: ", "subject first")
        self.one({"tools/a.py": f'"""a: an idea.\n\n{of} two, the later.\n"""\n'}, "tools/a.py:3: ", "subject first")
        self.one({"tools/a.py": f'"""a: an idea."""\n# {of} two.\n'}, "tools/a.py:2: ", "subject first")
        self.one({"README.md": f"- A queue. {of} two, the later.\n"}, "README.md:1: ", "subject first")
        self.silent(cpp("src/base/a.cpp", "// The later of two.", "int a;  ///< of a bank", f'auto b = "{of} a";'))
        self.silent({"README.md": "The later of two. Often one.\n"})


class AppState(Case):
    def names(self, text: str) -> list[str]:
        return [name for _, name in mutable_variables(text)]

    def test_mutable_variables_are_found_at_their_line(self):
        self.one(cpp("apps/bfs.cpp", "", "int visited = 0;"), "apps/bfs.cpp:3: ", "visited", "place_local")
        self.silent(cpp("src/base/a.cpp", "int visited = 0;"))

    def test_forms_that_change(self):
        for text, name in [
            ("int a;", "a"),
            ("std::vector<int> a{1, 2};", "a"),
            ("namespace { std::atomic<long> a{0}; }", "a"),
            ("static int a[3] = {1, 2, 3};", "a"),
            ("char const* a = \"x\";", "a"),
            ("void f() { static int a = 0; }", "a"),
            ("void f() { g([&] { thread_local int a; }); }", "a"),
            ("struct s { static inline int a = 0; };", "a"),
            ("struct s {} a;\nint b;", "b"),
            ("auto a = [](int b) { return b; };", "a"),
        ]:
            with self.subTest(text):
                self.assertEqual(self.names(text), [name])

    def test_forms_that_do_not(self):
        for text in [
            "constexpr int a = 1;",
            "int const a[2] = {1, 2};",
            "inline constexpr std::array a{f{1}, f{2}};",
            "char const* const a = \"x\";",
            "int f(int b = 0);",
            "int f() { int a = 1; return a; }",
            "struct s { int a = 0; int b{1}; s() : a{1}, b{2} { f(); } };",
            "template <class T> concept c = requires(T a) { a.f(); };",
            "enum class e { a, b };",
            "using a = int;",
            "#define a int b;\n",
            "task<int> f(args a) { co_await g([=](int b) -> task<> { int c = b; co_return; }); co_return 0; }",
            "struct s { s& operator=(s const&) { return *this; } };",
            "int main() { auto a = std::vector<int>{1}; a[0] = 2; }",
            "// int a;\n/* int b; */",
        ]:
            with self.subTest(text):
                self.assertEqual(self.names(text), [])


if __name__ == "__main__":
    unittest.main()
