"""malformed_packets: garbage on the sockets of a job does not crash it, and no unnecessary socket listens.

Places over TCP of the loopback device: everything is sent to every port on which one of them listens, bytes of all
sorts, connections that are cut and ones that stay open. The job works on, and ends as it should. Who knows how UCX
begins a connection can make UCX end the process: then that place failed, and the job ends as for any other. On one host
with shared memory no port may be open at all. Usage: malformed_packets.py LAUNCHER WAITING_PLACES [SEED].
"""

import os
import random
import signal
import socket
import struct
import sys
import time
from pathlib import Path

from failures import OVER_TCP, Job, fail_one

# What UCX's tcp transport expects first (UCT_TCP_MAGIC_NUMBER).
MAGIC = struct.pack("<Q", 0xCAFEBABE12345678)
LISTENS = "0A"
#: Connections of one attack.
ATTACKS = 60


def listening(pid: int) -> list[tuple[str, int]]:
    """Addresses and ports on which that process listens."""
    inodes = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(file)
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == LISTENS and words[9] in inodes:
            address, port = words[1].split(":")
            found.append((socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16)))
    return found


def attack(where: tuple[str, int], draw: random.Random) -> list[socket.socket]:
    """Connections that stay open."""
    stay = []
    for i in range(ATTACKS):
        sort = i % 6
        payload = draw.randbytes(draw.choice((0, 1, 7, 8, 20, 200, 5000)))
        if sort == 1:
            payload = payload + MAGIC
        elif sort == 2:
            payload = MAGIC[: draw.randrange(8)]
        elif sort == 3:
            payload = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        elif sort == 4:
            payload = b"\xff" * len(payload)
        try:
            s = socket.create_connection(where, timeout=2)
            s.sendall(payload)
        except OSError:
            continue
        if sort == 5:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if i % 7 == 0:
            stay.append(s)
        else:
            s.close()
    return stay


def check_garbage(launcher: str, waiting_places: str, seed: int) -> str:
    job = Job(launcher, [waiting_places, "calls"], OVER_TCP)
    time.sleep(0.5)
    draw = random.Random(seed)
    ports = {where for pid in job.pids for where in listening(pid)}
    if any(address != "127.0.0.1" for address, _ in ports):
        return f"it listens beyond the device that it was given: {ports}"
    kept = [s for where in sorted(ports) for s in attack(where, draw)]
    time.sleep(0.5)
    gone = [pid for pid in job.pids if not Path(f"/proc/{pid}").exists()]
    if gone or not ports:
        job.clear()
        return f"places {gone} are gone; ports {ports}\n{job.text()[-2000:]}"
    for s in kept:
        s.close()
    return fail_one(job, 1, signal.SIGKILL, 1)


def check_forged(launcher: str, waiting_places: str) -> str:
    """A frame longer than UCX allows, after a valid start of the connection."""
    job = Job(launcher, [waiting_places, "calls"], OVER_TCP)
    time.sleep(0.5)
    for where in listening(job.pids[1]):
        with socket.create_connection(where, timeout=2) as s:
            s.sendall(MAGIC + struct.pack("<BI", 1, 2**31) + bytes(100))
    return fail_one(job, 1, None, 1)


def check_silence(launcher: str, waiting_places: str) -> str:
    job = Job(launcher, [waiting_places, "calls"], {})
    time.sleep(0.3)
    ports = [where for pid in job.pids for where in listening(pid)]
    problem = fail_one(job, 2, signal.SIGKILL, 1)
    return f"ports are open on one host: {ports}" if ports else problem


def main() -> int:
    launcher, waiting_places = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    checks = (
        check_silence(launcher, waiting_places),
        check_garbage(launcher, waiting_places, seed),
        check_forged(launcher, waiting_places),
    )
    errors = [problem for problem in checks if problem]
    print("\n".join(errors) or "ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
