"""instructions: traces of instructions say what the program did, and change nothing of it.

Method: a program without a library beside qemu-riscv64, which prints all registers before each instruction; traces with
changes must be found different, at the changed place. Text and columns of one run are the same rows; the statistics of
a run with a trace are those without one. Addresses of threads and signal handlers follow from the registers before.
Usage: instructions.py TESS PROGRAMS PACKAGE, a folder with traced and hash, and that of the package tessera
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SECONDS_MAX = 60


def run(*words: object, code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          timeout=SECONDS_MAX, stdin=subprocess.DEVNULL)  # fmt: skip
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class Traces(unittest.TestCase):
    """One run of `traced` for all tests, on single-tile without time and on nemesys-2x2 with it."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.made = tempfile.TemporaryDirectory()
        cls.folder = folder = Path(cls.made.name)
        cls.flat, cls.timed, cls.columns, cls.qemu = (folder / name for name in ("f.log", "t.log", "t.tessi", "q.log"))
        program = PROGRAMS / "traced"
        run("qemu-riscv64", "-singlestep", "-d", "nochain,cpu,fpu", "-D", cls.qemu, program)
        run(TESS, "run", "--machine", "single-tile", "--trace-instructions", cls.flat, program)
        cls.statistics = folder / "s.json"
        timed = [TESS, "run", "--machine", "nemesys-2x2"]
        cls.said = run(*timed, "--trace-instructions", cls.timed, "--stats", cls.statistics, program).stdout
        run(*timed, "--trace-instructions", cls.columns, program)
        cls.plain = folder / "p.json"
        cls.said_plain = run(*timed, "--stats", cls.plain, program).stdout

    @classmethod
    def tearDownClass(cls) -> None:
        cls.made.cleanup()

    def compare(self, ours: Path, theirs: Path | None = None, code: int = 0) -> str:
        return run(TESS, "trace", "compare", ours, theirs or self.qemu, code=code).stdout

    def test_it_is_what_qemu_does(self) -> None:
        rows = [line for line in self.flat.read_text().splitlines() if not line.startswith("#")]
        self.assertGreater(len(rows), 1000)
        for file in (self.flat, self.timed):
            with self.subTest(file=file.name):
                self.assertIn(f"the same: {len(rows)} instructions", self.compare(file))

    def test_changes_are_found(self) -> None:
        lines = self.flat.read_text().splitlines(keepends=True)
        count = sum(not line.startswith("#") for line in lines)
        # The last instruction that writes sp, and the first that writes a floating-point register.
        cases = {r" x2  0x": -1, r" f\d+ +0x": 0}
        for pattern, which in cases.items():
            at = [number for number, line in enumerate(lines) if re.search(f"^core.*{pattern}", line)][which]
            with self.subTest(line=lines[at]):
                wrong = re.sub(rf"({pattern})(.)", lambda found: found[1] + "12"[found[2] == "1"], lines[at])
                changed = self.folder / "changed.log"
                changed.write_text("".join([*lines[:at], wrong, *lines[at + 1 :]]))
                said = self.compare(changed, code=1)
                instruction = sum(not line.startswith("#") for line in lines[:at])
                self.assertIn(f"instruction {instruction + 1}: before it, ", said)
                self.assertIn(wrong.strip(), said)
                self.assertIn("in QEMU", said)
        shorter = self.folder / "shorter.log"
        shorter.write_text("".join(line for number, line in enumerate(lines) if number != len(lines) // 2))
        self.assertIn("pc is ", self.compare(shorter, code=1))
        ended = self.folder / "ended.log"
        states = self.qemu.read_text()
        ended.write_text(states[: states.rindex(" pc ")])
        self.assertIn(f"instruction {count - 1}: QEMU's has ended", self.compare(self.flat, ended, code=1))

    def test_columns_are_the_lines(self) -> None:
        shown = run(TESS, "trace", "show", self.columns).stdout.splitlines()
        lines = self.timed.read_text().splitlines()
        self.assertEqual(shown, lines[1:])
        self.assertLess(self.columns.stat().st_size, self.timed.stat().st_size / 8)
        sys.path.insert(0, str(PACKAGE))
        from tessera.simulator import instructions

        self.assertEqual(instructions.head(self.columns), instructions.head(self.timed))
        self.assertEqual(instructions.head(self.columns)["cycle_ps"], 20_000)
        try:
            import pandas  # noqa: F401
        except ImportError:
            return
        frame = instructions.read(self.columns)
        text = instructions.read(self.timed)
        differ = [name for name in frame if name != "bytes" and not frame[name].equals(text[name])]
        self.assertEqual(differ, [])
        self.assertTrue(frame["cycle"].is_monotonic_increasing)

    def test_time_and_statistics_are_the_same(self) -> None:
        with_trace, without = (json.loads(file.read_text()) for file in (self.statistics, self.plain))
        for one in (with_trace, without):
            del one["host"]
        self.assertEqual(with_trace, without)
        self.assertEqual(self.said, self.said_plain)
        lines = [line for line in self.timed.read_text().splitlines() if line.startswith("core")]
        self.assertEqual(len(lines), with_trace["instructions"])

    def test_a_pipeline_takes_the_same_time(self) -> None:
        counted = []
        for options in ([], ["--trace-instructions", self.folder / "u.log", "--profile", self.folder / "u.csv"]):
            file = self.folder / "u.json"
            run(TESS, "run", "--machine", "sifive-u74", "--stats", file, *options, PROGRAMS / "traced")
            counted.append({key: value for key, value in json.loads(file.read_text()).items() if key != "host"})
        self.assertEqual(*counted)

    def test_memory_registers_and_flags_are_shown(self) -> None:
        text = self.flat.read_text()
        self.assertRegex(text, r"core   0: 0 0x[0-9a-f]{16} \(0x[0-9a-f]{8}\) x\d+ +0x[0-9a-f]{16} mem 0x[0-9a-f]{16} ")
        for bytes_stored in (1, 2, 4, 8):
            self.assertRegex(text, rf"\) mem 0x[0-9a-f]{{16}} 0x[0-9a-f]{{{2 * bytes_stored}}} cycle")
        self.assertRegex(text, r" f\d+ +0x[0-9a-f]{16} c1_fflags 0x0000000000000001 cycle", "an inexact result")
        self.assertRegex(text, r" x\d+ +0x0000000000000001 c1_fflags 0x0000000000000000 cycle", "csrrw of fflags")
        self.assertRegex(text, r" x\d+ +0x[0-9a-f]{16} mem (0x[0-9a-f]{16}) mem \1 0x[0-9a-f]{8} cycle", "an atomic")

    def test_cycles_and_tiles_can_be_chosen(self) -> None:
        part = self.folder / "a,b.log"
        machine = [TESS, "run", "--machine", "nemesys-2x2", "--copies", "3", "--trace-instructions"]
        run(*machine, f"{part},from=2000,to=3000,tiles=1-2", PROGRAMS / "traced")
        lines = [line for line in part.read_text().splitlines() if line.startswith("core")]
        cycles = [int(line.rpartition(" ")[2]) for line in lines]
        self.assertGreater(len(lines), 100)
        self.assertTrue(all(2000 <= cycle < 3000 for cycle in cycles))
        harts = json.loads(part.read_text().partition("\n")[0].removeprefix("# "))["harts_in_tile"]
        self.assertEqual({int(line[4:8]) // harts for line in lines}, {1, 2})
        for words, said in {
            "x,tiles=3-1": "behind the last",
            "x,tiles=a": 'no tile; give tiles as in 0-3+7',
            "x,tiles=2-9": "there is no tile 9; nemesys-2x2 has the tiles 0 to 3",
            "x,from=5,to=5": "no cycle from 5 on and before 5",
            "x,until=3": "none of from=CYCLE, to=CYCLE, tiles=LIST",
        }.items():
            self.assertIn(said, run(*machine, self.folder / words, PROGRAMS / "traced", code=2).stderr)
        flat = [TESS, "run", "--machine", "single-tile", "--trace-instructions"]
        self.assertIn("no tiles", run(*flat, self.folder / "x,tiles=0", PROGRAMS / "traced", code=2).stderr)

    @unittest.skipIf(os.environ.get("TESS_SANITIZE"), "no checkpoints with a sanitizer")
    def test_a_restored_run_is_traced_from_there_on(self) -> None:
        machine = [TESS, "run", "--machine", "nemesys-2x2"]
        whole, rest, saved = (self.folder / name for name in ("whole.log", "rest.log", "c.tess"))
        run(*machine, "--checkpoint-at", 2000, "--checkpoint", saved, PROGRAMS / "traced")
        run(TESS, "run", "--restore", saved, "--trace-instructions", rest)
        lines = rest.read_text().splitlines()
        traced = [line for line in lines if line.startswith("core")]
        self.assertGreater(len(traced), 200)
        # All but the instruction that was under way.
        lines = self.timed.read_text().splitlines()
        self.assertEqual(traced, [line for line in lines if line.startswith("core")][-len(traced) :])
        said = run(*machine, "--checkpoint-at", 2000, "--trace-instructions", whole, PROGRAMS / "traced", code=2).stderr
        self.assertIn("without --checkpoint-at", said)

    def test_wrong_files_are_refused(self) -> None:
        cut = self.folder / "cut.tessi"
        cut.write_bytes(self.columns.read_bytes()[:-100])
        self.assertIn("it ends too early", run(TESS, "trace", "show", cut, code=2).stderr)
        damaged = bytearray(self.columns.read_bytes())
        damaged[-200] ^= 0xFF
        cut.write_bytes(damaged)
        self.assertIn("expected a file that", run(TESS, "trace", "show", cut, code=2).stderr)
        for file in (self.qemu, self.folder):
            self.assertIn("tess: trace: ", run(TESS, "trace", "show", file, code=2).stderr)
        self.assertIn("no state of a RISC-V", run(TESS, "trace", "compare", self.flat, self.flat, code=2).stderr)


class Signals(unittest.TestCase):
    """Programs whose registers the system changes: threads, signals, more threads than harts."""

    def test_registers_are_those_that_follow_from_the_rows(self) -> None:
        # The address of each load or store must be rs1, as the rows before it say, and the immediate of its own word.
        sys.path.insert(0, str(PACKAGE))
        from tessera.simulator import instructions

        with tempfile.TemporaryDirectory() as folder:
            for program, options in {"signals": [], "crowd": ["--slice", "1000"]}.items():
                file = Path(folder) / f"{program}.log"
                run(TESS, "run", "--machine", "single-tile", *options, "--max-instructions", 400_000,
                    "--trace-instructions", file, PROGRAMS / program, code=CODES[program])  # fmt: skip
                registers: dict[int, list[int]] = {}
                checked = 0
                for row in instructions.rows(file):
                    x = registers.setdefault(row.core, [0] * 96)
                    if not row.by_system and row.word & 0x7F in (0x03, 0x23):
                        low = row.word >> 20 if row.word & 0x7F == 3 else row.word >> 25 << 5 | row.word >> 7 & 31
                        immediate = low - 4096 if low & 2048 else low
                        at = (x[row.word >> 15 & 31] + immediate) % (1 << 64)
                        self.assertEqual(at, row.address, f"{program}: {row}")
                        checked += 1
                    if row.register < 96:
                        x[row.register] = row.value
                self.assertGreater(checked, 1000)


CODES = {"signals": 1, "crowd": 1}

if __name__ == "__main__":
    TESS, PROGRAMS, PACKAGE = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    os.environ.pop("PYTHONPATH", None)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
