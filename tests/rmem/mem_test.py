"""mem_test: `tess memd` and every command of `tess mem`, as typed; the server ends on SIGTERM and leaves nothing.

Method: a server of a private name, a file copied in and out, a token by TCP. The command to test is that of TESS.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESS = os.environ.get("TESS", "")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@unittest.skipUnless(TESS, "TESS names no command to test")
class Mem(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.socket = Path(self.folder.name) / "memd.sock"
        self.tcp = f"tcp:127.0.0.1:{free_port()}"
        key = Path(self.folder.name) / "key"
        key.write_text("a key of clients and the server\n")
        key.chmod(0o600)
        os.environ["TESS_RMEM_KEY"] = str(key)
        words = [TESS, "memd", "--size", "16M", "--name", str(self.socket), "--listen", self.tcp, "--key", str(key)]
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.assertEqual(self.server.stdout.readline(), f"tess memd: 16.0 MiB at unix:{self.socket}\n")

    def tearDown(self) -> None:
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(20), 0)
        self.server.stdout.close()
        self.assertFalse(self.socket.exists(), "the socket is left")
        del os.environ["TESS_RMEM_KEY"]
        self.folder.cleanup()

    def mem(self, *words: str, code: int = 0, at: str | None = None) -> str:
        """Its standard output, or what it said to standard error if it ends with another code than 0."""
        done = subprocess.run([TESS, "mem", "--server", at or str(self.socket), *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stderr

    def test_regions_come_and_go(self) -> None:
        self.assertRegex(self.mem("create", "matrix", "1M"), r"^0x[0-9a-f]+\n$")
        self.assertEqual(self.mem("create", "matrix", "1M", code=1), "tess: the name 'matrix' is taken\n")
        self.assertRegex(self.mem("ls"), rf"matrix +0x[0-9a-f]+ +1\.0 MiB rw-g +{os.getuid()} +0\n")
        self.assertIn("do not fit", self.mem("create", "more", "16M", code=1))
        self.assertIn("free 15.0 MiB\nregions 1\n", self.mem("stat"))
        self.assertEqual(len(self.mem("top", "--seconds", "0.01", "--lines", "2").splitlines()), 3)
        self.mem("rm", "matrix")
        self.assertEqual(self.mem("rm", "matrix", code=1), "tess: no region has the name 'matrix'\n")
        self.assertIn("is no size", self.mem("create", "a", "1X", code=2))

    def test_files_are_copied_in_and_out(self) -> None:
        source = Path(self.folder.name) / "in"
        target = Path(self.folder.name) / "out"
        source.write_bytes(os.urandom(3_000_001))
        self.mem("copy-in", str(source), "bytes")
        self.mem("copy-out", "bytes", str(target))
        self.assertEqual(source.read_bytes(), target.read_bytes())

    def test_what_cannot_be_is_bad_usage(self) -> None:
        fifo = str(Path(self.folder.name) / "fifo")
        os.mkfifo(fifo)
        self.assertIn("is no regular file", self.mem("copy-in", fifo, "bytes", code=2))
        for name in (".", "a\nb", "\u202e"):
            self.assertIn("name", self.mem("create", name, "4K", code=2))
        self.assertIn("is no port", self.mem("ls", at="tcp:127.0.0.1:99999", code=2))
        for words in (["--file", ""], ["--name", "."], ["--listen", "tcp:127.0.0.1:0"], ["--listen", "tcp:a"]):
            done = subprocess.run([TESS, "memd", "--size", "1M", *words], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 2, f"{words}: {done.stderr}")

    def test_a_token_opens_by_tcp_what_it_was_made_for(self) -> None:
        target = str(Path(self.folder.name) / "out")
        self.mem("create", "matrix", "5000")
        token = self.mem("grant", "matrix", "read").strip()
        self.assertTrue(re.fullmatch("[0-9a-f]{64}", token))
        refused = "tess: no region has the name 'matrix'\n"  # for whom may not open it
        self.assertEqual(self.mem("copy-out", "matrix", target, at=self.tcp, code=1), refused)
        self.mem("--token", token, "copy-out", "matrix", target, at=self.tcp)
        self.assertEqual(Path(target).read_bytes(), bytes(5000))
        self.mem("revoke", "matrix", "--of-token", token[:32])
        self.assertIn("not known", self.mem("--token", token, "ls", at=self.tcp, code=1))
        allocate = self.mem("grant", ".", "allocate").strip()
        self.assertEqual(len(self.mem("--token", allocate, "create", "far", "10", at=self.tcp).split()), 2)
        self.mem("grant", "matrix", "read,write", "--user", "any")
        self.mem("revoke", "matrix", "--user", "any")

    def test_two_servers_with_numbers_are_one_space(self) -> None:
        other = Path(self.folder.name) / "other.sock"
        words = [TESS, "memd", "--size", "16M", "--name", str(other), "--number", "7"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as second:
            assert second.stdout is not None
            second.stdout.readline()
            both = f"{self.socket}+{other}"
            source = Path(self.folder.name) / "in"
            target = Path(self.folder.name) / "out"
            source.write_bytes(os.urandom(20_000_001))
            self.mem("copy-in", str(source), "bytes", at=both)
            self.assertRegex(self.mem("ls", at=both), r"bytes +0x[0-9a-f]+ +19\.1 MiB")
            self.assertRegex(self.mem("ls", at=str(other)), r"bytes \(part 2 of 2\) +0x7[0-9a-f]+ +9\.5 MiB")
            self.mem("copy-out", "bytes", str(target), at=both)
            self.assertEqual(source.read_bytes(), target.read_bytes())
            self.assertIn("is on 2 servers", self.mem("copy-out", "bytes", str(target), code=1))
            self.mem("rm", "bytes", at=both)
            self.assertIn("free 32.0 MiB\nregions 0\n", self.mem("stat", at=both))
            second.terminate()

    def test_two_servers_do_not_share_an_address(self) -> None:
        words = [TESS, "memd", "--size", "1M", "--name", str(self.socket)]
        second = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(second.returncode, 1)
        self.assertIn("another server listens there", second.stderr)
        self.assertIn("regions 0", self.mem("stat"))


if __name__ == "__main__":
    sys.exit(unittest.main())
