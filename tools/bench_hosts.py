"""bench_hosts: times of words and blocks between two hosts by TCP, against direct UCX calls in the same run.

Two hosts of network namespaces joined by veth. Runs a benchmark of a build there: ucx_raw, or rmem_hosts, which does
the same with remote memory. Its words are passed on, as --json FILE. Needs root.
Usage: bench_hosts.py TREE [--bench NAME] [WORDS OF THE BENCHMARK].
"""

import os
import subprocess
import sys
from pathlib import Path

from network_hosts import NetworkHosts, enter

USAGE = "Usage: bench_hosts.py TREE [--bench ucx_raw|rmem_hosts] [WORDS OF THE BENCHMARK]"
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run_words(tree: Path, hosts: NetworkHosts, environment: dict[str, str], words: list[str]) -> int:
    """A job of two places, one on each host."""
    command = [str(tree / "bin" / "tess"), "run", "--fabric", "ucx", "--hosts", ",".join(hosts.inits), "-n", "2"]
    command += [str(tree / "libexec" / "tessera" / "bench" / "ucx_raw"), *words]
    return subprocess.run(command, env=environment, check=False, timeout=600).returncode


def run_memory(tree: Path, hosts: NetworkHosts, environment: dict[str, str], words: list[str]) -> int:
    """A server and its process on one host, and a client on the other."""

    def on(name: str, *more: str) -> list[str]:
        program = str(tree / "libexec" / "tessera" / "bench" / "rmem_hosts")
        return ["nsenter", "-t", str(hosts.inits[name]), "-a", "--", program, *more]

    with subprocess.Popen(on("far", "--serve", "far"), env=environment, stdout=subprocess.PIPE, text=True) as far:
        try:
            assert far.stdout is not None
            said = far.stdout.readline().strip()
            near = on("near", "--there", said, *words)
            return subprocess.run(near, env=environment, check=False, timeout=600).returncode
        finally:
            far.terminate()


def main() -> int:
    words = sys.argv[1:]
    name = "ucx_raw"
    if words[1:2] == ["--bench"] and len(words) > 2:
        name = words[2]
        del words[1:3]
    benches = {"ucx_raw": run_words, "rmem_hosts": run_memory}
    if not words or name not in benches:
        print(USAGE, file=sys.stderr)
        return 2
    enter()
    hosts = NetworkHosts(["near", "far"])
    environment = {**os.environ, **hosts.environment(), **ROOT, "UCX_TLS": "tcp,self"}
    code = benches[name](Path(words[0]).absolute(), hosts, environment, words[1:])
    hosts.end()
    return code


if __name__ == "__main__":
    sys.exit(main())
