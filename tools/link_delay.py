"""link_delay: rates of gups and bfs between two hosts, by the additional latency of their link.

Two hosts of network namespaces; their data goes through tools/delay_link, which holds every packet for so long. With
--megabits each host sends no more than that, by the kernel's token bucket (tbf), or by delay_link where it has none.
Each program runs with many tasks and with one task of a place, as written and with every update awaited by itself.
Prints a table and, with --picture FILE, draws it. Needs root. Usage: link_delay.py TREE [--delays US,US]
[--megabits N] [--picture FILE].
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from network_hosts import NetworkHosts, enter

ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
#: Name, words, how many of its operations take a second, from its output.
CASES = (
    ("gups, 16384 tasks", ("gups", "--log2-words", "16", "--each-awaited", "--tasks", "16384", "--no-verify")),
    ("gups, 1 task", ("gups", "--log2-words", "16", "--each-awaited", "--tasks", "1", "--no-verify")),
    ("bfs kron:15", ("bfs", "kron:15", "--trials", "3", "--no-verify")),
    ("bfs kron:20", ("bfs", "kron:20", "--trials", "3", "--no-verify")),
)


def limit_on(device: str, megabits: float) -> list[str]:
    """Limits the rate of a device; bursts are two packets, and a packet waits at most 100 ms."""
    limit = ["rate", f"{megabits}mbit", "burst", "65536", "latency", "100ms"]
    return ["tc", "qdisc", "add", "dev", device, "root", "tbf", *limit]


def has_token_bucket(hosts: NetworkHosts, name: str) -> bool:
    if shutil.which("tc") is None:
        return False
    try:
        hosts.on(name, *limit_on("lo", 10000))
        hosts.on(name, "tc", "qdisc", "del", "dev", "lo", "root")
    except subprocess.CalledProcessError:
        return False
    return True


class SlowLink:
    """A link between the first two hosts that delays every packet by that many microseconds."""

    def __init__(self, program: Path, hosts: NetworkHosts, microseconds: float, megabits: float) -> None:
        first, second = list(hosts.inits)[:2]
        words = [str(program), str(hosts.inits[first]), str(hosts.inits[second]), str(microseconds)]
        token_bucket = megabits != 0 and has_token_bucket(hosts, first)
        if megabits and not token_bucket:
            words.append(str(megabits))
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        if self.process.stdout is None or self.process.stdout.readline() != "ready\n":
            raise RuntimeError("delay_link did not start")
        for number, name in ((1, first), (2, second)):
            address = ("ip", "address", "add", f"10.78.0.{number}/30", "dev", "slow0")
            hosts.on(name, *address)
            hosts.on(name, "ip", "link", "set", "slow0", "mtu", "32768", "up")
            if token_bucket:
                hosts.on(name, *limit_on("slow0", megabits))

    def __enter__(self) -> "SlowLink":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


def updates_for(name: str, microseconds: float) -> list[str]:
    """A number of operations that takes about a second."""
    if not name.startswith("gups"):
        return []
    return ["--updates", "4000000" if "16384" in name else str(int(1.5e6 / (100 + 2 * microseconds)))]


def rate_of(tree: Path, hosts: NetworkHosts, name: str, words: Sequence[str], microseconds: float) -> float:
    """Million updates or edges per second."""
    command = [str(tree / "bin" / "tess"), "run", "--fabric", "ucx", "--hosts", ",".join(hosts.inits), "-n", "2"]
    command += [*words, *updates_for(name, microseconds)]
    environment = {**hosts.environment(), **ROOT, "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "slow0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    seconds = re.search(r"time: ([\d.]+) s", done.stdout)
    count = re.search(r"(\d+) (?:updates|edges)", done.stdout)
    if not seconds or not count:
        raise RuntimeError(f"{name}: no time in\n{done.stdout}")
    return int(count[1]) / float(seconds[1]) / 1e6


def draw(table: dict[str, list[float]], delays: list[float], file: str) -> None:
    import matplotlib.pyplot

    figure, axes = matplotlib.pyplot.subplots(figsize=(6, 4))
    for name, rates in table.items():
        axes.plot(delays, [rate / rates[0] for rate in rates], marker="o", label=name)
    axes.set(xlabel="added to the link, µs each way", ylabel="rate, of that without", ylim=(0, 1.1))
    axes.axhline(0.8, linestyle=":", color="grey")
    axes.legend()
    figure.tight_layout()
    figure.savefig(file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tree", type=Path, help="of the build")
    parser.add_argument("--delays", default="0,50,500", help="microseconds each way")
    parser.add_argument("--megabits", type=float, default=0, help="rate of the link per second (default: no limit)")
    parser.add_argument("--picture", help="file to draw it to")
    options = parser.parse_args()
    enter()
    delays = [float(text) for text in options.delays.split(",")]
    hosts = NetworkHosts(["near", "far"])
    table: dict[str, list[float]] = {name: [] for name, _ in CASES}
    for microseconds in delays:
        with SlowLink(options.tree.absolute() / "tests" / "delay_link", hosts, microseconds, options.megabits):
            for name, words in CASES:
                table[name].append(rate_of(options.tree.absolute(), hosts, name, words, microseconds))
    hosts.end()
    print(f"{'M/s':<20}" + "".join(f"{delay:>12g} us" for delay in delays))
    for name, rates in table.items():
        print(f"{name:<20}" + "".join(f"{rate:>15.4f}" for rate in rates))
    if options.picture:
        draw(table, delays, os.path.abspath(options.picture))
    return 0


if __name__ == "__main__":
    sys.exit(main())
