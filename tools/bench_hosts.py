"""bench_hosts: what words and blocks take between two hosts by TCP, beside UCX's own calls in the same run.

Two hosts of network namespaces joined by veth. Runs a benchmark of a build there: ucx_raw, or rmem_hosts, which does
the same with remote memory. Its words are passed on, as --json FILE. Needs root.
Usage: bench_hosts.py TREE [--bench NAME] [WORDS OF THE BENCHMARK].
"""

import os
import subprocess
import sys
from pathlib import Path

from network_hosts import NetworkHosts, enter

ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def main() -> int:
    if len(sys.argv) < 2:
        print("Usage: bench_hosts.py TREE [--bench NAME] [WORDS OF THE BENCHMARK]", file=sys.stderr)
        return 2
    enter()
    tree = Path(sys.argv[1]).absolute()
    words = sys.argv[2:]
    name = "ucx_raw"
    if words[:1] == ["--bench"] and len(words) > 1:
        name, words = words[1], words[2:]
    hosts = NetworkHosts(["near", "far"])
    command = [str(tree / "bin" / "tess"), "run", "--fabric", "ucx", "--hosts", ",".join(hosts.inits), "-n", "2"]
    command += [str(tree / "libexec" / "tessera" / "bench" / name), *words]
    environment = {**os.environ, **hosts.environment(), **ROOT, "UCX_TLS": "tcp,self"}
    code = subprocess.run(command, env=environment, check=False, timeout=600).returncode
    hosts.end()
    return code


if __name__ == "__main__":
    sys.exit(main())
