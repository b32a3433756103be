"""hosts_test: two memory servers on hosts of their own, of which one is switched off, stopped or unreachable.

Hosts are network namespaces (tools/network_hosts.py). TESS names the command to test. Needs root; skipped without.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from network_hosts import NetworkHosts, enter  # noqa: E402

TESS = os.environ.get("TESS", "")
TIME_OUT = 4.0
PORT = 7000


class Server:
    """A `tess memd` on a host, and what it has printed."""

    def __init__(self, hosts: NetworkHosts, host: str, *words: str) -> None:
        self.host = host
        self.log = Path(tempfile.mkstemp(prefix="tess-memd-")[1])
        with self.log.open("w") as out:
            inside = ["nsenter", "-t", str(hosts.inits[host]), "-a", "--", TESS, "memd", *words]
            environment = {**os.environ, "TESS_FAILURE_TIMEOUT": str(TIME_OUT)}
            self.process = subprocess.Popen(inside, stdout=out, stderr=out, env=environment)

    def said(self, what: str) -> int:
        return self.log.read_text().count(what)

    def wait_for(self, what: str, times: int = 1, seconds: float = 20) -> None:
        limit = time.monotonic() + seconds
        while self.said(what) < times:
            if time.monotonic() > limit:
                raise AssertionError(f"{self.host} has not said {what!r}: {self.log.read_text()}")
            time.sleep(0.01)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.log.unlink()


@unittest.skipUnless(TESS, "TESS names no command to test")
class Hosts(unittest.TestCase):
    subnet = 0

    def start(self, has_witness: bool) -> None:
        Hosts.subnet += 1
        first, second, third = (f"{name}{Hosts.subnet}" for name in ("one", "two", "three"))
        self.hosts = NetworkHosts([first, second, third], Hosts.subnet)
        self.addCleanup(self.hosts.end)
        self.keys = {}
        for name in ("pair", "clients"):
            key = self.hosts.folder / f"{name}.key"
            key.write_text(f"the key of the {name}, long enough\n")
            key.chmod(0o600)
            self.keys[name] = str(key)
        self.servers: list[Server] = []
        self.addCleanup(lambda: [server.end() for server in self.servers])
        judge = []
        if has_witness:
            where = f"tcp:{third}:{PORT}"
            self.witness = Server(self.hosts, third, "--witness", "--name", where, "--secret", self.keys["pair"])
            self.servers.append(self.witness)
            self.witness.wait_for("witness at")
            judge = ["--witness-at", where]
        pair = []
        for own, other in ((first, second), (second, first)):
            names = ["--name", f"tcp:{own}:{PORT}", "--peer", f"tcp:{other}:{PORT}", "--listen", f"unix:@memd-{own}"]
            keys = ["--secret", self.keys["pair"], "--key", self.keys["clients"]]
            pair.append(Server(self.hosts, own, "--size", "16M", "--replicas", "2", *names, *keys, *judge))
        self.servers += pair
        limit = time.monotonic() + 20
        while not any(server.said("the backup is in sync") for server in pair):
            self.assertLess(time.monotonic(), limit, [server.log.read_text() for server in pair])
            time.sleep(0.01)
        self.primary, self.backup = pair if pair[0].said("the backup is in sync") else pair[::-1]

    def mem(self, *words: str, at: str, on: str = "", code: int = 0) -> str:
        """`tess mem` on the head, or on a host; what it printed."""
        inside = ["nsenter", "-t", str(self.hosts.inits[on]), "-a", "--"] if on else []
        environment = {**os.environ, "TESS_RMEM_KEY": self.keys["clients"], "TESS_FAILURE_TIMEOUT": str(TIME_OUT)}
        command = [*inside, TESS, "mem", "--server", at, *words]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def local(self, server: Server) -> dict[str, str]:
        return {"at": f"unix:@memd-{server.host}", "on": server.host}

    def fails_over(self, known: str) -> None:
        """The backup serves, and a client that knows these addresses reaches it, within one time-out."""
        begin = time.monotonic()
        # By TCP a client without a token sees no region, but it is answered.
        self.mem("ls", at=known)
        self.assertLess(time.monotonic() - begin, TIME_OUT + 1)
        self.assertEqual(self.backup.said("serves, epoch"), 1)
        self.assertIn("kept", self.mem("ls", **self.local(self.backup)))

    def both(self) -> str:
        return f"tcp:{self.primary.host}:{PORT},tcp:{self.backup.host}:{PORT}"

    def test_the_primary_is_switched_off(self) -> None:
        self.start(has_witness=False)
        self.mem("create", "kept", "1M", **self.local(self.primary))
        self.hosts.kill(self.primary.host)
        self.fails_over(self.both())

    def test_the_primary_is_unreachable_and_comes_back(self) -> None:
        self.start(has_witness=False)
        self.mem("create", "kept", "1M", **self.local(self.primary))
        self.hosts.cut(self.primary.host)
        self.fails_over(self.both())
        refused = self.mem("stat", **self.local(self.primary), code=1)
        self.assertIn("waits for the other one", refused)
        subprocess.run(["ip", "link", "set", f"v-{self.primary.host}", "up"], check=True)
        self.backup.wait_for("the backup is in sync", times=1)
        self.assertIn("kept", self.mem("ls", **self.local(self.backup)))

    def test_the_primary_is_stopped(self) -> None:
        self.start(has_witness=False)
        self.mem("create", "kept", "1M", **self.local(self.primary))
        started = self.primary.process.pid
        inside = Path(f"/proc/{started}/task/{started}/children").read_text().split()
        os.kill(int(inside[0]) if inside else started, signal.SIGSTOP)
        self.fails_over(self.both())

    def test_a_client_that_knows_the_backup_alone_reaches_the_primary(self) -> None:
        self.start(has_witness=False)
        self.mem("ls", at=f"tcp:{self.backup.host}:{PORT}")

    def test_the_backup_is_switched_off_and_the_operator_knows(self) -> None:
        self.start(has_witness=False)
        self.mem("create", "kept", "1M", **self.local(self.primary))
        self.hosts.kill(self.backup.host)
        self.primary.wait_for("has lost its backup", seconds=TIME_OUT)
        begin = time.monotonic()
        self.mem("take-over", **self.local(self.primary))
        self.assertIn("kept", self.mem("ls", **self.local(self.primary)))
        self.assertLess(time.monotonic() - begin, TIME_OUT)

    def test_with_a_witness_the_primary_goes_on_alone(self) -> None:
        self.start(has_witness=True)
        self.mem("create", "kept", "1M", **self.local(self.primary))
        self.hosts.kill(self.backup.host)
        self.primary.wait_for("serves, epoch 2", seconds=TIME_OUT)
        self.assertIn("kept", self.mem("ls", **self.local(self.primary)))

    def test_with_a_witness_a_primary_that_is_cut_off_does_not_go_on(self) -> None:
        self.start(has_witness=True)
        self.mem("create", "kept", "1M", **self.local(self.primary))
        self.hosts.cut(self.primary.host)
        self.fails_over(self.both())
        self.assertIn("waits for the other one", self.mem("stat", **self.local(self.primary), code=1))


if __name__ == "__main__":
    if TESS:
        enter()
    unittest.main()
