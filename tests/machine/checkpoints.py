"""checkpoints: a run that goes on from a checkpoint ends as one that was not stopped, on every kind of machine.

Method: programs whose harts, units, directories and networks are busy; checkpoints at random cycles, each restored in
another process; all statistics but those of the host, the output and the files are compared with those of a run
without checkpoints. Damaged files, files that changed, and wrong words are refused.
Usage: checkpoints.py TESS_MACHINE PROGRAMS [all]
       checkpoints.py TESS_MACHINE BUNDLED bundled: the same for programs of the runtime
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

SECONDS_MAX = 100
SEED = 2026
ALL = "all" in sys.argv
BUNDLED = "bundled" in sys.argv
RUNS = {
    "nemesys-2x2": "-- imsuite-dr --size 6",
    "nemesys-4x4": "-- bfs kron:8",
    "tessera-4x4": "-- pagerank kron:8",
} if BUNDLED else {
    "single-tile": "--timing on -- crowd 7",
    "sifive-u74": "-- crowd 7",
    "sifive-u74-mmu": "-- crowd 7",
    "nemesys-2x2": "--copies 3 --system kernel -- adding 50",
    "nemesys-4x4": "--copies 14 -- invoking",
    "nemesys-4x4-single": "--copies 5 -- extended 40 mapped",
    "tessera-2x2": "--copies 3 -- shared_at_random 1 4 200 remote",
    "tessera-4x4": "--copies 5 -- rae-tasks loop one 320 8",
    "cni-4": "--copies 4 -- interfaces",
    "cni-16": "--copies 16 -- shared_at_random 1 1 100",
    "dir-4": "--copies 4 -- dir-mcs 20",
    "dir-16": "--copies 16 -- dir-tree 8",
    "rae-6": "--copies 6 -- rae-saving 20 0 160",
    "rae-16": "--copies 16 -- rae-tasks tasks all 320 8",
    "mppa-256": "--copies 20 -- mppa-rmem rmem write 4096 3 2",
}
MORE = {f"{kind}-{tiles}": f"--copies {tiles} -- shared_at_random 1 1 20"
        for kind, most in (("cni", 1024), ("dir", 1024), ("rae", 64))
        for tiles in (32, 64, 128, 256, 512, 1024) if tiles <= most and (kind != "rae" or tiles == 64)}  # fmt: skip


def statistics(file: Path) -> dict:
    found = json.loads(file.read_text(encoding="utf-8"))
    del found["host"]
    return found


def timeless(text: str) -> str:
    """Output without what the program says about time."""
    return re.sub(r"[\d.]+ (s|M [a-z/]*)\b", "", text)


class Runs(unittest.TestCase):
    """Each test has a folder of its own, in which all runs begin."""

    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def run_machine(self, *words: str | Path, code: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run([MACHINE, *words], cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=SECONDS_MAX, stdin=subprocess.DEVNULL)  # fmt: skip
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def usual(self, machine: str, words: str) -> tuple[list[str], str, dict]:
        """The words of a run, its output and its statistics."""
        options, program = words.split("-- ")
        given = ["--machine", machine, *options.split(), "--", *f"{PROGRAMS}/{program}".split()]
        output = self.run_machine("--quiet", "--stats", "usual.json", *given).stdout
        return given, output, statistics(self.folder / "usual.json")

    def checkpoints(self, given: list[str], places: list[str], *options: str) -> list[Path]:
        at = [word for place in places for word in ("--checkpoint-at", place)]
        self.run_machine("--quiet", "--stats", "stopped.json", "--checkpoint", "c.tess", *at, *options, *given)
        names = [f"c.{place}.tess" for place in places] if len(places) > 1 else ["c.tess"]
        return [self.folder / name for name in names]

    def check(self, machine: str, words: str, count: int) -> None:
        given, output, usual = self.usual(machine, words)
        last = usual["cycles"]
        of = random.Random(f"{SEED} {machine}")
        places = sorted({str(of.randrange(last)) for _ in range(count)}, key=int)
        files = self.checkpoints(given, places)
        self.assertEqual(statistics(self.folder / "stopped.json"), usual, machine)
        for file in files:
            done = self.run_machine("--quiet", "--restore", file.name, "--stats", "restored.json")
            self.assertEqual(statistics(self.folder / "restored.json"), usual, f"{machine} {file.name}")
            self.assertTrue(output.endswith(done.stdout), file.name)
            file.unlink()

    def check_elsewhere(self, machine: str, words: str, count: int) -> None:
        """On other caches and another network the program goes on, and ends as it does anywhere."""
        given, output, usual = self.usual(machine, words)
        (self.folder / "other.toml").write_text(
            f'extends = "{machine}"\nname = "other"\nsummary = "smaller and slower"\nl2.way_bytes = 8192\n'
            f"l2.hit_cycles = 20\nnetwork.link_cycles = 2\n", encoding="utf-8")  # fmt: skip
        of = random.Random(f"{SEED} elsewhere {machine} {words}")
        places = sorted({str(of.randrange(usual["cycles"])) for _ in range(count)}, key=int)
        for file in self.checkpoints(given, places):
            done = self.run_machine("--restore", file.name, "--machine", "other.toml", "--stats", "other.json")
            self.assertIn("continuing on other", done.stderr)
            self.assertTrue(timeless(output).endswith(timeless(done.stdout)), f"{file.name}: {done.stdout}")
            other = statistics(self.folder / "other.json")
            self.assertEqual(other["machine"], "other")
            self.assertNotEqual(other["cycles"], usual["cycles"])
            file.unlink()


class Bundled(Runs):
    def test_programs_of_the_runtime(self) -> None:
        for machine, words in RUNS.items():
            with self.subTest(machine):
                self.check(machine, words, 50 if ALL else 3)
                # What the runtime in the program counts is there, too.
                self.assertTrue(statistics(self.folder / "restored.json")["runtime"])


    def test_another_machine(self) -> None:
        self.check_elsewhere("nemesys-2x2", "-- imsuite-dr --size 6", 20 if ALL else 2)
        self.check_elsewhere("nemesys-4x4", "-- bfs kron:8", 20 if ALL else 1)


class Checkpoints(Runs):
    def test_another_machine(self) -> None:
        for machine, words in (("nemesys-2x2", "--copies 3 -- adding 200"), ("nemesys-2x2", "-- pipes"),
                               ("nemesys-4x4", "--copies 14 -- invoking"),
                               ("nemesys-2x2", "-- coroutines")):  # fmt: skip
            with self.subTest(words):
                self.check_elsewhere(machine, words, 20 if ALL else 2)

    def test_another_machine_counts_from_the_checkpoint(self) -> None:
        given, _, usual = self.usual("single-tile", "--timing on -- hash")
        (file,) = self.checkpoints(given, [str(usual["cycles"] * 3 // 4)])
        (self.folder / "other.toml").write_text('extends = "single-tile"\nname = "other"\nl1_data.ways = 1\n',
                                                encoding="utf-8")  # fmt: skip
        self.run_machine("--restore", file.name, "--machine", "other.toml", "--stats", "other.json")
        other = statistics(self.folder / "other.json")
        self.assertEqual(other["fast_forwarded_instructions"], 0)
        for count in ("cycles", "simulated_ps", "instructions"):
            self.assertTrue(0.1 < other[count] / usual[count] < 0.5, count)
        for count in ("cycles", "instructions", "loads"):
            first, whole = other["harts"][0][count], usual["harts"][0][count]
            self.assertTrue(0.01 < first / whole < 0.6, f"{count} {first} {whole}")

    def test_what_another_machine_cannot_go_on_with(self) -> None:
        given, _, _ = self.usual("cni-4", "--copies 4 -- interfaces")
        self.checkpoints(given, ["5000"])
        (self.folder / "other.toml").write_text('extends = "cni-4"\nname = "other"\nl2.hit_cycles = 20\n',
                                                encoding="utf-8")  # fmt: skip
        error = self.run_machine("--restore", "c.tess", "--machine", "other.toml", code=2).stderr
        self.assertIn("lines with events", error)

    def test_every_kind_of_machine(self) -> None:
        for machine, words in RUNS.items():
            with self.subTest(machine):
                self.check(machine, words, 50 if ALL else 2)

    @unittest.skipUnless(ALL, "with `all`")
    def test_large_machines(self) -> None:
        for machine, words in MORE.items():
            with self.subTest(machine):
                self.check(machine, words, 5)

    def test_marks(self) -> None:
        given, output, usual = self.usual("tessera-4x4", RUNS["tessera-4x4"])
        for file in self.checkpoints(given, ["begin", "end"]):
            done = self.run_machine("--quiet", "--restore", file.name, "--stats", "restored.json")
            self.assertEqual(statistics(self.folder / "restored.json"), usual, file.name)
            self.assertTrue(output.endswith(done.stdout))

    def test_a_checkpoint_of_a_restored_run(self) -> None:
        given, _, usual = self.usual("nemesys-2x2", "--copies 3 -- adding 50")
        middle = usual["cycles"] // 2
        self.checkpoints(given, [str(middle // 2)])
        self.run_machine("--quiet", "--restore", "c.tess", "--checkpoint-at", str(middle), "--checkpoint", "d.tess")
        self.run_machine("--quiet", "--restore", "d.tess", "--stats", "restored.json")
        self.assertEqual(statistics(self.folder / "restored.json"), usual)

    def test_traces_and_profiles_go_on(self) -> None:
        given, _, usual = self.usual("nemesys-2x2", "--copies 3 -- adding 50")
        middle = str(usual["cycles"] // 2)
        options = ("--trace", "t.json", "--profile", "p.folded")
        self.checkpoints(given, [middle], *options)
        whole = [(self.folder / name).read_bytes() for name in ("t.json", "p.folded")]
        self.run_machine("--quiet", "--restore", "c.tess", *options)
        self.assertEqual([(self.folder / name).read_bytes() for name in ("t.json", "p.folded")], whole)
        # What was not recorded from the beginning: a trace can begin later, a profile cannot.
        self.checkpoints(given, [middle])
        self.run_machine("--quiet", "--restore", "c.tess", "--trace", "later.json")
        self.assertIn("traceEvents", json.loads((self.folder / "later.json").read_text(encoding="utf-8")))
        self.assertIn("--profile", self.run_machine("--restore", "c.tess", "--profile", "p.csv", code=2).stderr)

    def files_run(self) -> tuple[list[str], Path]:
        """A run that writes a file line by line, and reads another one."""
        out = self.folder / "out"
        out.mkdir()
        (self.folder / "in.txt").write_text("".join(f"{n * n}\n" for n in range(2000)), encoding="utf-8")
        given = ["--machine", "single-tile", "--timing", "on", "--allow-write", "out", "--",
                 str(PROGRAMS / "copying"), "in.txt", "out/copy.txt"]  # fmt: skip
        self.run_machine("--quiet", "--stats", "usual.json", *given)
        return given, out / "copy.txt"

    def test_files(self) -> None:
        given, copy = self.files_run()
        usual, whole = statistics(self.folder / "usual.json"), copy.read_bytes()
        self.assertEqual(whole, (self.folder / "in.txt").read_bytes())
        middle = str(usual["cycles"] // 2)
        self.checkpoints(given, [middle])
        for left in (b"", b"something else " * 100, None):
            copy.unlink() if left is None else copy.write_bytes(left)
            self.run_machine("--quiet", "--restore", "c.tess", "--stats", "restored.json")
            self.assertEqual(statistics(self.folder / "restored.json"), usual)
            self.assertEqual(copy.read_bytes(), whole)
        # The file that it was reading is another one now.
        (self.folder / "in.txt").write_text("other\n", encoding="utf-8")
        self.assertIn("in.txt has been changed", self.run_machine("--restore", "c.tess", code=2).stderr)
        (self.folder / "in.txt").unlink()
        self.assertIn("in.txt", self.run_machine("--restore", "c.tess", code=2).stderr)

    def test_damaged_files_are_refused(self) -> None:
        given, _, _ = self.usual("single-tile", "--timing on -- hash")
        (file,) = self.checkpoints(given, ["1000"])
        whole = file.read_bytes()
        of = random.Random(SEED)
        for _ in range(400 if ALL else 40):
            damaged = bytearray(whole)
            kind = of.randrange(3)
            if kind == 0:
                del damaged[of.randrange(len(damaged)):]  # fmt: skip
            elif kind == 1:
                near = min(len(damaged), 2000 if of.random() < 0.7 else len(damaged))
                damaged[of.randrange(near)] ^= 1 << of.randrange(8)
            else:
                damaged += b"more"
            file.write_bytes(damaged)
            error = self.run_machine("--restore", "c.tess", code=2).stderr
            self.assertIn("c.tess", error)
        file.write_bytes(whole)
        self.run_machine("--restore", "c.tess", "--quiet")

    def test_wrong_words(self) -> None:
        given, _, _ = self.usual("single-tile", "--timing on -- hash")
        (file,) = self.checkpoints(given, ["1000"])
        program = given[-1]
        for words, told in (
            (["--restore", "absent.tess"], "absent.tess: No such file"),
            (["--restore", program], "is no checkpoint"),
            (["--restore", "c.tess", "--", program], "leave out"),
            (["--restore", "c.tess", "--harts", "2"], "--harts is as it was"),
            (["--restore", "c.tess", "--seed", "2"], "--seed is as it was"),
            (["--restore", "c.tess", "--machine", "nemesys-2x2"], "they have different tiles"),
            (["--restore", "c.tess", "--machine", "absent"], "absent"),
            (["--timing", "on", "--checkpoint-at", "soon", "--", program], "give a cycle"),
            (["--timing", "off", "--checkpoint-at", "1000", "--", program], "--timing on"),
        ):
            self.assertIn(told, self.run_machine(*words, code=2).stderr)
        late = self.run_machine("--timing", "on", "--checkpoint-at", "99999999999", "--", program)
        self.assertIn("no checkpoint at 99999999999", late.stderr)
        # Another build of the simulator, told by its id.
        whole = file.read_bytes()
        header = int.from_bytes(whole[8:12], "little")
        text = json.loads(whole[16:16 + header])  # fmt: skip
        other = json.dumps(text | {"build": "0123"}).encode()
        file.write_bytes(whole[:8] + len(other).to_bytes(4, "little") + zlib.crc32(other).to_bytes(4, "little")
                         + other + whole[16 + header:])  # fmt: skip
        self.assertIn("another build", self.run_machine("--restore", "c.tess", code=2).stderr)

    def test_a_full_disk(self) -> None:
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        given, _, _ = self.usual("single-tile", "--timing on -- hash")
        done = self.run_machine("--checkpoint-at", "1000", "--checkpoint", "/dev/full", *given, code=1)
        self.assertIn("/dev/full", done.stderr)


if __name__ == "__main__":
    MACHINE, PROGRAMS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1], defaultTest="Bundled" if BUNDLED else "Checkpoints")
