"""debugging: gdb finds a word that another tile overwrote, forwards and backwards; wrong packets end nothing but a run.

Method: gdb-multiarch in batch mode on programs whose errors are planted, with what it prints; a small client of our own
that speaks the protocol, breaks it, and goes away. Statistics of a run under gdb are those of one without.
Usage: debugging.py TESS_MACHINE PROGRAMS
       debugging.py TESS_MACHINE BUNDLED SCRIPT: tasks of a program of the runtime, by share/gdb/tess.py
"""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SECONDS_MAX = 60
SEED = 2026


class Session:
    """A run that waits for gdb."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.process = subprocess.Popen([MACHINE, "--gdb", ":0", *words], cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        errors="replace")  # fmt: skip
        self.said = ""
        while "remote :" not in self.said:
            line = self.process.stderr.readline()
            if not line:
                raise AssertionError(self.said)
            self.said += line
        self.port = int(re.search(r"remote :(\d+)", self.said)[1])

    def end(self) -> tuple[int, str, str]:
        output, error = self.process.communicate(timeout=SECONDS_MAX)
        return self.process.returncode, output, self.said + error


class Client:
    """Speaks gdb's protocol, as well as one wants."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS_MAX)
        self.rest = b""

    def send(self, text: bytes) -> None:
        self.socket.sendall(b"$" + text + b"#%02x" % (sum(text) % 256))

    def ask(self, text: bytes) -> bytes:
        self.send(text)
        return self.packet()

    def packet(self) -> bytes:
        while True:
            found = re.search(rb"\$([^#]*)#..", self.rest)
            if found:
                self.rest = self.rest[found.end():]  # fmt: skip
                self.socket.sendall(b"+")
                return found[1]
            got = self.socket.recv(65536)
            if not got:
                raise ConnectionError
            self.rest += got


class Sessions(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def session(self, *words: str) -> Session:
        made = Session(self.folder, *words)
        self.addCleanup(lambda: made.process.poll() is None and made.process.kill())
        return made

    def gdb(self, program: str, words: list[str], commands: list[str], code: int = 0) -> str:
        """What gdb printed in a session with these commands."""
        size = ["--size", "6"] if program.startswith("imsuite") else []
        run = self.session(*words, "--", str(PROGRAMS / program), *size)
        given = ["set pagination off", f"file {PROGRAMS / program}", f"target remote :{run.port}", *commands]
        done = subprocess.run(["gdb-multiarch", "-nx", "-batch", *(word for one in given for word in ("-ex", one))],
                              capture_output=True, text=True, errors="replace", check=False,
                              timeout=SECONDS_MAX)  # fmt: skip
        ended, _, error = run.end()
        self.assertEqual(ended, code, done.stdout + done.stderr + error)
        return done.stdout + done.stderr


@unittest.skipUnless(shutil.which("gdb-multiarch"), "no gdb-multiarch")
class Tasks(Sessions):
    def test_where_tasks_wait(self) -> None:
        told = self.gdb("imsuite-dr", ["--machine", "nemesys-2x2"], [
            f"source {sys.argv[3]}", "tess tasks", "break tess::detail::finish_scope::note_sent", "continue",
            "tess tasks", "kill",
        ], code=1)  # fmt: skip
        self.assertIn("no job runs", told)
        self.assertRegex(told, r"place 0 worker 0 +0x[0-9a-f]+ +waits for finish at forall.hpp:\d+ in .*on_all_places")
        self.assertRegex(told, r"awaited at builder.hpp:\d+ in .*dijkstra_routing")


class Debugging(Sessions):
    @unittest.skipUnless(shutil.which("gdb-multiarch"), "no gdb-multiarch")
    def test_a_planted_remote_overwrite(self) -> None:
        words = ["--machine", "nemesys-2x2", "--copies", "3"]
        told = self.gdb("overwritten", words, [
            "break check", "continue", "set $word = address", "delete", "continue",  # to the trap
            "info threads", "backtrace", "print/x *(long*)$word", "eval \"monitor who-wrote %#lx\", $word",
            "eval \"watch *(long*)%#lx\", $word", "reverse-continue", "monitor where", "reverse-continue",
            "delete", "break check", "continue", "print/x *(long*)$word", "kill",
        ], code=1)  # fmt: skip
        self.assertIn("SIGTRAP", told)
        self.assertRegex(told, r"#0 .* check \(address=")
        self.assertIn("$1 = 0xd0", told)  # 208: written by copy 2 for row 8
        stored = re.search(r"stored by tile (\d+), hart 0, pc (\S+) in fill\+0x\w+, cycle (\d+), step (\d+)", told)
        self.assertTrue(stored, told)
        tile, _, _, step = stored.groups()
        self.assertNotEqual(tile, "0")
        self.assertRegex(told, r"became d000000000000000 at step \d+")
        # Backwards: the watchpoint finds the moment, the store is the last copy's.
        self.assertRegex(told, r"(?s)Old value = 208\nNew value = 24301|Old value = 24301\nNew value = 208")
        self.assertIn("$2 = 0xd0", told)
        self.assertNotIn("Remote connection closed", told)

    @unittest.skipUnless(shutil.which("gdb-multiarch"), "no gdb-multiarch")
    def test_there_and_back(self) -> None:
        """The same place again, at the same cycle and with the same registers."""
        words = ["--machine", "nemesys-2x2", "--copies", "3"]
        told = self.gdb("overwritten", words, [
            "break fill", "continue", "monitor where", "print $sp", "stepi", "stepi", "stepi", "reverse-stepi",
            "reverse-stepi", "reverse-stepi", "monitor where", "print $sp", "delete", "reverse-continue",
            "monitor where", "info registers units", "kill",
        ], code=1)  # fmt: skip
        places = re.findall(r"tile \d+, hart \d+, pc .*", told)
        self.assertEqual(len(places), 3, told)
        self.assertEqual(places[0], places[1])
        self.assertIn("step 1", places[2])
        self.assertIn("No more reverse-execution history", told)
        self.assertIn("nma_doorbell", told)

    @unittest.skipUnless(shutil.which("gdb-multiarch"), "no gdb-multiarch")
    def test_output_comes_once(self) -> None:
        run = self.session("--machine", "nemesys-2x2", "--copies", "3", "--", str(PROGRAMS / "adding"), "20")
        commands = ["set pagination off", f"file {PROGRAMS / 'adding'}", f"target remote :{run.port}", "continue",
                    "reverse-continue", "continue", "reverse-stepi", "continue", "continue"]  # fmt: skip
        done = subprocess.run(["gdb-multiarch", "-nx", "-batch", *(w for one in commands for w in ("-ex", one))],
                              capture_output=True, text=True, errors="replace", check=False,
                              timeout=SECONDS_MAX)  # fmt: skip
        code, output, error = run.end()
        self.assertEqual((code, output), (0, "60 60\n"), done.stdout + error)
        self.assertIn("exited normally", done.stdout)

    def test_time_is_the_same(self) -> None:
        for machine, words in {"nemesys-2x2": "--copies 3 -- adding 20", "cni-4": "--copies 4 -- interfaces",
                               "nemesys-4x4": "--copies 4 --system kernel -- adding 10"}.items():  # fmt: skip
            options, program = words.split("-- ")
            given = [*options.split(), "--", *f"{PROGRAMS}/{program}".split()]
            subprocess.run([MACHINE, "--quiet", "--machine", machine, "--stats", "usual.json", *given],
                           cwd=self.folder, check=True, capture_output=True, timeout=SECONDS_MAX)  # fmt: skip
            run = self.session("--machine", machine, "--stats", "debugged.json", *given)
            client = Client(run.port)
            self.assertTrue(client.ask(b"?").startswith(b"T05"))
            self.assertIn(b"replaylog:end", client.ask(b"vCont;c"))
            self.assertEqual(client.ask(b"vCont;c"), b"W00")
            self.assertEqual(run.end()[0], 0)
            found = [json.loads((self.folder / f"{name}.json").read_text()) for name in ("usual", "debugged")]
            for one in found:
                del one["host"]
            self.assertEqual(found[0], found[1], machine)

    def test_registers_and_memory(self) -> None:
        run = self.session("--machine", "nemesys-2x2", "--", str(PROGRAMS / "plain"))
        client = Client(run.port)
        client.ask(b"?")
        self.assertEqual(client.ask(b"P5=efcdab8967452301"), b"OK")
        self.assertEqual(client.ask(b"p5"), b"efcdab8967452301")
        self.assertEqual(client.ask(b"p0"), b"0" * 16)
        all_of_them = client.ask(b"g")
        self.assertEqual(client.ask(b"G" + all_of_them), b"OK")
        self.assertEqual(client.ask(b"g"), all_of_them)
        sp = int.from_bytes(bytes.fromhex(client.ask(b"p2").decode()), "little")
        self.assertEqual(client.ask(b"M%x,8:0102030405060708" % (sp - 64)), b"OK")
        self.assertEqual(client.ask(b"m%x,8" % (sp - 64)), b"0102030405060708")
        for wrong in (b"m", b"mzz,1", b"mffffffffffffffff,8", b"P999=00", b"p", b"M0", b"Z2,0,0", b"Z9", b"Pq", b"G12",
                      b"Mffffffffffffff,1:00", b"qXfer:threads:read::", b"qRcmd,0"):  # fmt: skip
            self.assertIn(client.ask(wrong)[:1], (b"E", b""), wrong)
        self.assertEqual(client.ask(b"vKill;1"), b"OK")
        self.assertEqual(run.end()[0], 1)

    def test_a_run_is_interrupted(self) -> None:
        run = self.session("--machine", "nemesys-2x2", "--", str(PROGRAMS / "endless"))
        client = Client(run.port)
        client.ask(b"?")
        for way in (b"vCont;c", b"bc"):  # forwards, and while it looks for what is not there
            client.ask(b"Z0,2,2")
            client.send(way)
            time.sleep(0.5)
            client.socket.sendall(b"\x03")
            self.assertRegex(client.packet(), b"^T0[25]")
        self.assertTrue(client.ask(b"bs").startswith(b"T05"))
        client.send(b"k")
        self.assertEqual(run.end()[0], 1)

    @unittest.skipUnless(os.environ.get("TESS_SANITIZE"), "for a build with a sanitizer")
    def test_a_sanitizer_has_no_checkpoints(self) -> None:
        plain = ["--machine", "nemesys-2x2", "--", str(PROGRAMS / "plain")]
        for words in (["--restore", "checkpoint.tess"], ["--gdb", ":0", "--restore", "checkpoint.tess"],
                      ["--checkpoint-at", "20", *plain]):  # fmt: skip
            done = subprocess.run([MACHINE, *words], cwd=self.folder, capture_output=True, text=True, check=False,
                                  timeout=SECONDS_MAX)  # fmt: skip
            self.assertEqual(done.returncode, 2)
            self.assertIn("take the release build", done.stderr)

    @unittest.skipIf(os.environ.get("TESS_SANITIZE"), "no checkpoints with a sanitizer")
    @unittest.skipUnless(shutil.which("gdb-multiarch"), "no gdb-multiarch")
    def test_a_checkpoint_is_where_it_begins(self) -> None:
        program = str(PROGRAMS / "overwritten")
        subprocess.run([MACHINE, "--quiet", "--machine", "nemesys-2x2", "--copies", "3", "--checkpoint-at", "20000",
                        "--", program], cwd=self.folder, check=False, capture_output=True,
                       timeout=SECONDS_MAX)  # fmt: skip
        run = self.session("--restore", "checkpoint.tess")
        commands = [f"file {program}", f"target remote :{run.port}", "monitor where", "break check", "continue",
                    "reverse-continue", "monitor where", "kill"]  # fmt: skip
        done = subprocess.run(["gdb-multiarch", "-nx", "-batch", *(w for one in commands for w in ("-ex", one))],
                              capture_output=True, text=True, errors="replace", check=False,
                              timeout=SECONDS_MAX)  # fmt: skip
        told = done.stdout + done.stderr
        places = re.findall(r"tile .*, cycle (\d+), step 1\b", told)
        self.assertEqual(len(places), 2, told)
        self.assertEqual(places[0], places[1])
        self.assertGreater(int(places[0]), 19000)
        self.assertIn("hit Breakpoint 1, check", told)
        self.assertEqual(run.end()[0], 1)

    def test_no_way_back_behind_a_change(self) -> None:
        run = self.session("--machine", "nemesys-2x2", "--", str(PROGRAMS / "plain"))
        client = Client(run.port)
        client.ask(b"?")
        self.assertEqual(client.ask(b"P5=efcdab8967452301"), b"OK")
        self.assertIn(b"replaylog:begin", client.ask(b"bc"))
        self.assertEqual(client.ask(b"p5"), b"efcdab8967452301")
        client.send(b"k")
        self.assertEqual(run.end()[0], 1)

    def test_gdb_that_lies_or_vanishes(self) -> None:
        of = random.Random(SEED)
        kinds = [b"g", b"m10000,40", b"vCont;s:1", b"Z0,30000,2", b"Z2,%x,8", b"bs",
                 b"qXfer:features:read:target.xml:0,9", b"Hg1",
                 b"qRcmd,77686f2d77726f7465203078313030", b"P1=00", b"X0,0:", b"vCont;c"]  # fmt: skip
        for attempt in range(12):
            with self.subTest(attempt):
                run = self.session("--machine", "nemesys-2x2", "--max-seconds", "20", "--", str(PROGRAMS / "hash"))
                client = Client(run.port)
                try:
                    for _ in range(of.randrange(12)):
                        text = bytearray(of.choice(kinds))
                        for _ in range(of.randrange(3)):
                            text.insert(of.randrange(len(text) + 1), of.randrange(256))
                        way = of.randrange(5)
                        if way == 0:
                            client.socket.sendall(bytes(of.randrange(256) for _ in range(of.randrange(200))))
                        elif way == 1:
                            client.socket.sendall(b"$" + text)  # without its end
                        elif way == 2:
                            client.socket.sendall(b"$" + text + b"#zz")
                        else:
                            client.send(bytes(text))
                    if attempt % 4 == 0:
                        client.socket.sendall(b"$" + b"a" * 100_000)
                    time.sleep(0.05)
                except (ConnectionError, OSError):
                    pass
                client.socket.close()
                code, _, error = run.end()
                self.assertIn(code, (0, 1), error)
                self.assertNotIn("without a result", error)

    def test_signals_and_wrong_words(self) -> None:
        run = self.session("--machine", "nemesys-2x2", "--", str(PROGRAMS / "plain"))
        run.process.send_signal(signal.SIGTERM)
        self.assertEqual(run.end()[0], 143)
        for words, told in ((["--gdb", "x"], "is no port"), (["--gdb", ":70000"], "is no port"),
                            (["--timing", "off", "--gdb", ":0"], "--timing on"),
                            (["--timing", "on", "--gdb", ":0", "--checkpoint-at", "5"], "leave out")):  # fmt: skip
            done = subprocess.run([MACHINE, *words, "--", PROGRAMS / "plain"], capture_output=True, text=True,
                                  check=False, timeout=SECONDS_MAX)  # fmt: skip
            self.assertEqual(done.returncode, 2)
            self.assertIn(told, done.stderr)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            done = subprocess.run([MACHINE, "--machine", "nemesys-2x2", "--gdb", f":{taken.getsockname()[1]}", "--",
                                   PROGRAMS / "plain"], capture_output=True, text=True, check=False,
                                  timeout=SECONDS_MAX)  # fmt: skip
            self.assertEqual(done.returncode, 1)
            self.assertIn("in use", done.stderr)

    def test_a_killed_run_leaves_no_process(self) -> None:
        run = self.session("--machine", "nemesys-2x2", "--", str(PROGRAMS / "hash"))
        client = Client(run.port)
        client.ask(b"?")
        client.ask(b"vCont;s:1")
        client.ask(b"bs")
        run.process.kill()
        run.process.wait()
        # All other processes of the run have its pipes: they end when these do.
        self.assertEqual(run.process.stdout.read(), "")


if __name__ == "__main__":
    MACHINE, PROGRAMS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1], defaultTest="Tasks" if len(sys.argv) > 3 else "Debugging")
