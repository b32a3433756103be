"""tess_script_test: `./tess` runs one build at a time, builds only what a command needs, and reports its progress.

The script runs in a folder of the test. In place of cmake and ninja stand scripts that note when they begin and end.
"""

import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

CMAKE = """#!/bin/sh
case $* in
  --list-presets*) echo '  "release"'; echo '  "riscv"' ;;
  *) for preset in release riscv; do
       mkdir -p build/$preset/bin build/$preset/share/tessera
       printf 'bfs\\nhello\\n' >build/$preset/share/tessera/programs.txt
       printf 'gups\\n' >build/$preset/share/tessera/benches.txt
       touch build/$preset/build.ninja
       printf '#!/bin/sh\\necho ran "$@"\\n' >build/$preset/bin/tess
       chmod +x build/$preset/bin/tess
     done ;;
esac
"""
# A dry run (-n) always finds something to do.
NINJA = """#!/bin/sh
case " $* " in *' -n '*) exit 0 ;; esac
echo "begin $(date +%s%N) $*" >>"$TEST_LOG"
echo '[1/2] Building something'
sleep "${TEST_SECONDS:-0.3}"
if [ -n "$TEST_SECOND_STEP" ]; then echo '[2/2] Building more'; sleep "$TEST_SECOND_STEP"; fi
echo "end $(date +%s%N)" >>"$TEST_LOG"
exit "${TEST_CODE:-0}"
"""


class Tess(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name) / "tree"
        (self.tree / "deps").mkdir(parents=True)
        shutil.copy(ROOT / "tess", self.tree / "tess")
        (self.tree / "deps" / "packages.txt").write_text("[build]\n[riscv]\n")
        tools = Path(folder.name) / "tools"
        tools.mkdir()
        for name, text in (("cmake", CMAKE), ("ninja", NINJA)):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.log = Path(folder.name) / "log"
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "TEST_LOG": str(self.log)}

    def start(self, *words: str, **more: str) -> subprocess.Popen:
        return subprocess.Popen(
            [self.tree / "tess", *words],
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def builds(self) -> list[str]:
        """The arguments of each build, in order; fails if two overlapped."""
        found = []
        running = False
        for line in self.log.read_text().splitlines():
            what, _, words = line.split(" ", 2) if line.startswith("begin") else (*line.split(" "), "")
            self.assertEqual(what == "end", running, "two builds overlapped")
            running = what == "begin"
            if running:
                found.append(words)
        return found

    def test_builds_do_not_overlap(self) -> None:
        for count in (2, 5):
            with self.subTest(at_once=count):
                self.log.unlink(missing_ok=True)
                commands = [self.start("run", "hello", str(number)) for number in range(count)]
                outputs = [command.communicate(timeout=60) for command in commands]
                self.assertEqual([command.returncode for command in commands], [0] * count)
                self.assertEqual(len(self.builds()), count)
                for number, (output, _) in enumerate(outputs):
                    self.assertEqual(output, f"ran run hello {number}\n")

    def test_says_who_is_being_waited_for(self) -> None:
        first = self.start("build", "hello", TEST_SECONDS="3")
        while not self.log.exists():
            time.sleep(0.05)
        second = self.start("run", "bfs")
        first.communicate(timeout=60)
        _, said = second.communicate(timeout=60)
        self.assertIn(f"waiting for ./tess build hello (process {first.pid})", said)

    def test_says_so_in_short(self) -> None:
        first = self.start("build", *(f"p{number}" for number in range(30)), TEST_SECONDS="3")
        while not self.log.exists():
            time.sleep(0.05)
        _, said = self.start("run", "bfs").communicate(timeout=60)
        first.communicate(timeout=60)
        self.assertIn(f"waiting for ./tess build p0 p1 p2 and 27 more (process {first.pid})", said)

    def test_programs_run_beside_each_other(self) -> None:
        self.start("run", "hello").communicate(timeout=60)
        command = self.tree / "build" / "release" / "bin" / "tess"
        command.write_text("#!/bin/sh\nsleep 3\n")
        first = self.start("run", "hello")
        while len(self.log.read_text().splitlines()) < 4:
            time.sleep(0.05)
        time.sleep(0.3)
        _, said = self.start("build", "bfs").communicate(timeout=60)
        self.assertNotIn("waiting", said)
        first.communicate(timeout=60)

    def test_builds_only_what_a_command_needs(self) -> None:
        for words, targets in (
            (["run", "bfs", "graph.mtx"], "tess_cli libexec/tessera/bfs"),
            (["run", "-n", "2", "hello"], "tess_cli libexec/tessera/hello"),
            (["run", "./mine"], "tess_cli"),
            (["run", "--help"], "tess_cli"),
            (["c++", "hello.cpp"], "tess_cli tessera"),
            (["c++", "--help"], "tess_cli"),
            (["c++", "--machine", "nemesys-2x2", "without_runtime.cpp"], "tess_cli"),
            (["bench", "gups"], "tess_cli libexec/tessera/bench/gups"),
            (["memd", "--size", "1M"], "tess_cli tess_memd_program"),
            (["mem", "ls"], "tess_cli tess_mem_program"),
            (["graph", "info", "graph.mtx"], "tess_cli tess_graph"),
        ):
            with self.subTest(words=words):
                self.log.unlink(missing_ok=True)
                self.start(*words, TEST_SECONDS="0").communicate(timeout=60)
                (built,) = self.builds()
                self.assertEqual(built.removeprefix(f"-C {self.tree}/build/release "), targets)

    @unittest.skipUnless(Path("/var/lib/dpkg/status").exists(), "no Debian")
    def test_configures_again_when_packages_have_changed(self) -> None:
        _, said = self.start("run", "hello", TEST_SECONDS="0").communicate(timeout=60)
        self.assertIn("configuring the release build", said)
        _, said = self.start("run", "hello", TEST_SECONDS="0").communicate(timeout=60)
        self.assertNotIn("configuring", said)
        os.utime(self.tree / "build/release/build.ninja", (0, 0))  # older than the list of packages
        _, said = self.start("run", "hello", TEST_SECONDS="0").communicate(timeout=60)
        self.assertIn("configuring the release build", said)

    def test_shows_progress_without_a_terminal(self) -> None:
        times = {"TEST_SECONDS": "3.5", "TEST_SECOND_STEP": "2.5", "TESS_PROGRESS_SECONDS": "1"}
        _, said = self.start("build", "bfs", **times).communicate(timeout=60)
        lines = [line for line in said.splitlines() if "building" in line]
        self.assertEqual(len(lines), 2, "one line for each step, however long it takes")
        self.assertRegex(lines[0], r"building .*: \[1/2\] Building something \(\d+ s\)$")
        self.assertRegex(lines[1], r"building .*: \[2/2\] Building more \(\d+ s\)$")

    def test_a_short_build_shows_no_progress(self) -> None:
        _, said = self.start("build", TEST_SECONDS="6").communicate(timeout=60)
        self.assertNotIn("building", said)

    def test_progress_names_three_targets_and_counts_the_others(self) -> None:
        for names, shown in (
            (["one", "two", "three"], "one two three"),
            (["one", "two", "three", "four"], "one two three and 1 more"),
            ([f"p{number}" for number in range(12)], "p0 p1 p2 and 9 more"),
        ):
            with self.subTest(names=names):
                self.log.unlink(missing_ok=True)
                _, said = self.start(
                    "build", *names, TEST_SECONDS="1.6", TESS_PROGRESS_SECONDS="1"
                ).communicate(timeout=60)
                self.assertRegex(said, rf"building {shown}: \[1/2\] Building something")
                self.assertEqual(self.builds()[0].split()[2:], names)

    def test_a_failed_build_is_shown(self) -> None:
        command = self.start("run", "hello", TEST_CODE="1")
        _, said = command.communicate(timeout=60)
        self.assertEqual(command.returncode, 1)
        self.assertIn("[1/2] Building something", said)
        self.assertIn("the build failed", said)


if __name__ == "__main__":
    unittest.main()
