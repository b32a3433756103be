"""outputs: what cannot be written ends with exit code 1 and the reason, and only regular files are replaced.

Method: `tess` writes its statistics, a trace, a table and help to a full device, to devices, pipes and links that the
test made, and over regular files. TESS names the `tess` to use; without it, skipped.
"""

import json
import os
import shutil
import stat
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

TESS = os.environ.get("TESS")
NO_ROOM = "No space left on device"


@unittest.skipUnless(TESS, "TESS does not name a tess command")
class Outputs(unittest.TestCase):
    def setUp(self) -> None:
        self.made = tempfile.TemporaryDirectory()
        self.folder = Path(self.made.name)

    def tearDown(self) -> None:
        self.made.cleanup()

    def tess(self, *words: str, to: str | None = None) -> subprocess.CompletedProcess:
        """Runs `tess` with its standard output in a file, or caught."""
        with open(to or os.devnull, "w") as output:
            return subprocess.run(
                [TESS, *words],
                stdin=subprocess.DEVNULL,
                stdout=output if to else subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                check=False,
            )

    def test_full_device_as_a_file(self) -> None:
        for option in ("--stats", "--trace"):
            done = self.tess("run", option, "/dev/full", "hello")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(NO_ROOM, done.stderr)

    def test_full_standard_output(self) -> None:
        for words in (["--help"], ["run", "--help"], ["run", "hello"], ["run", "hello", "--help"], ["machines"],
                      ["bench", "--help"], ["doctor"], ["--version"], ["bench", "spawn", "--runs", "1"]):  # fmt: skip
            done = self.tess(*words, to="/dev/full")
            self.assertEqual(done.returncode, 1, f"{words}: {done.stderr}")
            self.assertIn(f"standard output could not be written: {NO_ROOM}", done.stderr, words)
            self.assertNotIn("terminate called", done.stderr)

    def test_closed_standard_output(self) -> None:
        for words in ("--help", "--version", "doctor", "run hello", "run --fabric checked hello"):
            done = subprocess.run(
                ["sh", "-c", f'"$0" {words} >&-', TESS], capture_output=True, text=True, timeout=60, check=False
            )
            self.assertEqual(done.returncode, 1, f"{words}: {done.stderr}")
            self.assertIn("standard output could not be written: Bad file descriptor", done.stderr, words)

    def test_closed_standard_output_and_error(self) -> None:
        for words, code in (("--help", 1), ("run hello", 1), ("graph", 2), ("run nothing", 2)):
            done = subprocess.run(["sh", "-c", f'"$0" {words} >&- 2>&-', TESS], timeout=60, check=False)
            self.assertEqual(done.returncode, code, words)

    @unittest.skipUnless(shutil.which("mpirun"), "places as processes need mpirun")
    def test_no_room_for_the_files_of_a_job(self) -> None:
        # No file may have a byte, as if the disk were full.
        done = subprocess.run(["sh", "-c", 'ulimit -f 0; "$0" run --fabric ucx -n 2 hello', TESS],
                              env=os.environ | {"TMPDIR": str(self.folder)}, capture_output=True, text=True,
                              timeout=60, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"cannot write into {self.folder}: File too large; TMPDIR may name", done.stderr)
        self.assertEqual(list(self.folder.glob("tess-job-*")), [])

    @unittest.skipUnless(shutil.which("mpirun"), "places as processes need mpirun")
    def test_outputs_of_processes(self) -> None:
        done = self.tess("run", "--fabric", "ucx", "-n", "2", "hello", to="/dev/full")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"standard output could not be written: {NO_ROOM}", done.stderr)
        for words in ("--fabric ucx -n 2 hello",):
            done = subprocess.run(
                ["sh", "-c", f'"$0" run {words} >&-', TESS], capture_output=True, text=True, timeout=60, check=False
            )
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("standard output could not be written", done.stderr)
            done = subprocess.run(["sh", "-c", f'"$0" run {words} >&- 2>&-', TESS], timeout=60, check=False)
            self.assertEqual(done.returncode, 1)
        # A trace is merged from one of each place: a pipe gets it once, and no file beside a device is left.
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        got: list[str] = []
        reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
        reader.start()
        done = self.tess("run", "--fabric", "ucx", "-n", "2", "--trace", str(pipe), "hello")
        reader.join(30)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("traceEvents", json.loads(got[0]))
        # The launcher loses the exit code of a place at times, mostly when it fails itself (PMIX ERROR).
        for _ in range(5):
            done = self.tess("run", "--fabric", "ucx", "-n", "2", "--trace", "/dev/full", "hello")
            if done.returncode == 1:
                break
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(NO_ROOM, done.stderr)
        self.assertEqual([f for f in os.listdir("/dev") if f.startswith("full.")], [])

    def test_wrong_files_are_refused_before_anything_runs(self) -> None:
        for words in (["run", "--stats"], ["run", "--trace"], ["bench", "--json"]):
            for name in (str(self.folder), str(self.folder / "none" / "file")):
                done = self.tess(*words, name, "spawn" if words[0] == "bench" else "hello")
                self.assertEqual(done.returncode, 2, f"{words} {name}: {done.stderr}")

    def test_link_stays_and_its_target_is_replaced(self) -> None:
        target, link = self.folder / "target.json", self.folder / "link.json"
        target.write_text("old")
        target.chmod(0o640)
        link.symlink_to("target.json")
        self.assertEqual(self.tess("run", "--stats", str(link), "hello").returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(target.read_text())["program"], "hello")
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["link.json", "target.json"])

    def test_link_to_a_new_file(self) -> None:
        link = self.folder / "link.json"
        link.symlink_to("target.json")
        self.assertEqual(self.tess("run", "--stats", str(link), "hello").returncode, 0)
        self.assertEqual(json.loads((self.folder / "target.json").read_text())["program"], "hello")

    def test_pipe_is_written_through(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        read = []
        reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
        reader.start()
        done = self.tess("run", "--stats", str(pipe), "hello")
        if done.returncode != 0:
            pipe.write_text("")  # ends the reader
        reader.join(60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(read[0])["program"], "hello")
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))

    def test_device_is_written_through(self) -> None:
        device = self.folder / "null"
        try:
            os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            self.skipTest("devices are made by root")
        done = self.tess("run", "--stats", str(device), "hello")
        # A file system may refuse to open devices.
        if "Permission denied" not in done.stderr:
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(stat.S_ISCHR(device.stat().st_mode))

    def test_old_content_stays_if_the_run_cannot_begin(self) -> None:
        file = self.folder / "stats.json"
        file.write_text("old")
        self.assertNotEqual(self.tess("run", "--stats", str(file), "bfs", "kron:99").returncode, 0)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["stats.json"])


if __name__ == "__main__":
    unittest.main()
