"""network_hosts: simulated hosts: named network namespaces, connected by veth and a bridge.

The caller goes into namespaces of its own first, so that nothing outside sees the hosts and all of it is gone with the
caller. Each host has namespaces for network, host name, processes, mounts and IPC, and an init whose end ends the host.
Needs root. As modules: enter(), then NetworkHosts(names).
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INSIDE = "TESS_TEST_IN_NAMESPACES"
NAMESPACES = ("--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")


def enter() -> None:
    """Restarts this program inside new namespaces; where that is impossible, prints the reason and ends with 0."""
    if os.environ.get(INSIDE):
        return
    why = ""
    if os.geteuid() != 0:
        why = "network namespaces need root"
    elif missing := [tool for tool in ("unshare", "nsenter", "ip") if shutil.which(tool) is None]:
        why = f"there is no {missing[0]}"
    else:
        trial = "ip link add br0 type bridge && ip link add v0 type veth peer name v1"
        tried = subprocess.run(["unshare", *NAMESPACES, "sh", "-c", trial], capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            why = f"this kernel does not let us: {tried.stderr.strip()}"
    if why:
        print(f"skipped: {why}")
        sys.exit(0)
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", *NAMESPACES, sys.executable, *sys.argv])


def run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True)


def same_namespace(a: int, b: int) -> bool:
    try:
        return os.readlink(f"/proc/{a}/ns/net") == os.readlink(f"/proc/{b}/ns/net")
    except OSError:
        return False


def child_of(process: int) -> int:
    """The only child of a process, once it exists."""
    limit = time.monotonic() + 10
    while time.monotonic() < limit:
        if found := Path(f"/proc/{process}/task/{process}/children").read_text().split():
            return int(found[0])
        time.sleep(0.01)
    raise TimeoutError(f"process {process} has no child")


class NetworkHosts:
    """Hosts with these names; the caller is also a host, on which launchers run."""

    def __init__(self, names: list[str], subnet: int = 0) -> None:
        self.bridge = f"br{subnet}"
        self.outer: list[subprocess.Popen[bytes]] = []
        head = f"10.77.{subnet}.254"
        self.folder = Path(tempfile.mkdtemp(prefix="tess-hosts-"))
        self.inits: dict[str, int] = {}
        addresses = {name: f"10.77.{subnet}.{i + 1}" for i, name in enumerate(names)}
        run("hostname", "head")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", self.bridge, "type", "bridge")
        run("ip", "address", "add", f"{head}/24", "dev", self.bridge)
        run("ip", "link", "set", self.bridge, "up")
        table = self.folder / "hosts"
        known = {**addresses, "head": head, "localhost": "127.0.0.1"}
        table.write_text("".join(f"{address} {name}\n" for name, address in known.items()))
        run("mount", "--bind", str(table), "/etc/hosts")
        for name, address in addresses.items():
            self.add(name, address)
        # As ssh does: the arguments, joined by spaces, are a command for a shell on the host.
        agent = self.folder / "agent"
        enter_host = f'exec nsenter -t "$(cat {self.folder}/"$host")" -a -- sh -c "$*"'
        agent.write_text(f"#!/bin/sh\nhost=$1\nshift\n{enter_host}\n")
        agent.chmod(0o755)
        self.agent = str(agent)

    def add(self, name: str, address: str) -> None:
        ready = self.folder / f"{name}.up"
        # UCX looks for network devices in /sys, which shows those of the namespace that mounted it.
        script = f"mount -t sysfs none /sys && hostname {name} && touch {ready} && exec sleep infinity"
        self.outer.append(subprocess.Popen(["unshare", *NAMESPACES, "sh", "-c", script], stderr=subprocess.DEVNULL))
        init = child_of(self.outer[-1].pid)
        while not ready.exists():
            time.sleep(0.01)
        self.inits[name] = init
        (self.folder / name).write_text(str(init))
        run("ip", "link", "add", f"v-{name}", "type", "veth", "peer", "name", "eth0", "netns", str(init))
        run("ip", "link", "set", f"v-{name}", "master", self.bridge, "up")
        self.on(name, "ip", "link", "set", "lo", "up")
        self.on(name, "ip", "address", "add", f"{address}/24", "dev", "eth0")
        self.on(name, "ip", "link", "set", "eth0", "up")

    def on(self, name: str, *words: str) -> None:
        run("nsenter", "-t", str(self.inits[name]), "-a", "--", *words)

    def environment(self) -> dict[str, str]:
        """Environment for a launcher on the caller's host."""
        # Otherwise each would bind its first process to the first processor, which all hosts share.
        return {
            **os.environ,
            "OMPI_MCA_plm_rsh_agent": self.agent,
            "OMPI_MCA_hwloc_base_binding_policy": "none",
        }

    def bytes_from(self, name: str) -> int:
        """Bytes that the host has sent so far."""
        for line in Path("/proc/net/dev").read_text().splitlines():
            device, _, numbers = line.partition(":")
            if device.strip() == f"v-{name}":
                return int(numbers.split()[0])
        return 0

    def processes_on(self, name: str) -> list[str]:
        """Command lines of the processes on the host, without its init."""
        ours = {self.inits[name], *(process.pid for process in self.outer)}
        lines = []
        for process in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
            if process not in ours and same_namespace(process, self.inits[name]):
                lines.append(Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode())
        return lines

    def cut(self, name: str) -> None:
        """Silently drops all packets from and to the host from now on."""
        run("ip", "link", "set", f"v-{name}", "down")

    def kill(self, name: str) -> None:
        """Ends the host and all its processes at once."""
        os.kill(self.inits[name], signal.SIGKILL)

    def end(self) -> None:
        """Removes all hosts and the bridge."""
        for process in self.outer:
            process.kill()
            process.wait()
        run("ip", "link", "delete", self.bridge)
        run("umount", "/etc/hosts")
        shutil.rmtree(self.folder, ignore_errors=True)
