"""hosts: a job over several hosts gives the results of one process, and ends correctly when a host fails.

Hosts are network namespaces (network_hosts.py), so places talk by TCP and share no memory. Two: programs give what they
give on smp, names and quoting survive on the way, and the runtime's tests of its primitives run with a place on each.
Four: one is killed, cut off or loses its place during bfs, barriers and graph copies; the job ends in time, with exit
code 1 and one message, and nothing is left anywhere. Two again: `tess run` or the launcher gets a signal.
Usage: hosts.py TREE [--only two|four|signals].
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from equal_results import equal

sys.path.append(str(Path(__file__).parents[2] / "tools"))
from network_hosts import NetworkHosts, enter, same_namespace  # noqa: E402

SECONDS_MAX = 100
FAILURE_TIMEOUT = 4
#: A second time-out for tasks that continue; then the time in which the launcher must end by itself.
SECONDS_TO_END = 2 * FAILURE_TIMEOUT + 9
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
EQUAL = (
    ("bfs", "kron:9"),
    ("gups", "--log2-words", "9", "--updates", "2000"),
    ("histogram", "--form", "messages", "--words", "777", "--numbers", "3001"),
    ("graph-copy", "random", "--size", "300", "--trials", "1"),
    ("imsuite-mst", "--size", "10"),
)
#: Omits programs that take a minute when every word is a message.
PRIMITIVES = {
    "runtime_primitives_test": "*ucx_p0_w1",
    "runtime_object_test": "*ucx_p0_w1-*just_fit*",
    "runtime_events_test": "*ucx_p0_w1-*hundred_thousand*:*when_the_job_ends*",
}
LONG = {
    "bfs": ("bfs", "kron:14", "--trials", "100000", "--no-verify"),
    "barriers": ("barriers", "1000000000"),
    "graph copies": ("graph-copy", "list", "--size", "100000", "--trials", "100000"),
}


def job_words(tree: Path, names: list[str], words: tuple[str, ...], folder: Path) -> list[str]:
    program = tree / "tests" / words[0]
    which = str(program) if program.exists() else words[0]
    options = ["--fabric", "ucx", "--hosts", ",".join(names), "-n", str(len(names)), "--stats", str(folder / "stats")]
    return [str(tree / "bin" / "tess"), "run", *options, "--failure-timeout", str(FAILURE_TIMEOUT), which, *words[1:]]


def result_of(command: list[str], folder: Path, environment: dict[str, str]) -> dict[str, object] | str:
    stats = folder / "stats"
    stats.unlink(missing_ok=True)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX, check=False
    )
    if done.returncode != 0 or not stats.exists():
        return f"exit code {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}"
    return json.loads(stats.read_text())["result"]


def check_two(tree: Path, folder: Path) -> list[str]:
    names = ["node-a", "node-b"]
    hosts = NetworkHosts(names)
    environment = {**hosts.environment(), **ROOT}
    # A name that a shell would split.
    odd = folder / "a graph's $HOME & more.el"
    odd.write_text("0 1\n1 2\n2 3\n")
    errors = []
    for words in (*EQUAL, ("bfs", str(odd), "--source", "0")):
        before = hosts.bytes_from("node-b")
        found = result_of(job_words(tree, names, words, folder), folder, environment)
        one = [str(tree / "bin" / "tess"), "run", "-n", "1", "--stats", str(folder / "stats"), *words]
        expected = result_of(one, folder, {**os.environ, "TESS_FABRIC": "smp"})
        if isinstance(found, str) or not equal(found, expected):
            errors.append(f"{' '.join(words)}: {found}\n  smp: {expected}")
        if hosts.bytes_from("node-b") - before < 10000:
            errors.append(f"{' '.join(words)}: less than 10 kB left node-b: is it a host of its own?")
    for name, which in PRIMITIVES.items():
        words = ["mpirun", "--host", ",".join(names), "-n", "2", str(tree / "tests" / name), f"--gtest_filter={which}"]
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX, check=False
        )
        passed = done.stdout.count("[       OK ]")
        if done.returncode != 0 or passed < 10:
            text = f"{done.stdout[-2000:]}{done.stderr[-500:]}"
            errors.append(f"{name}: exit code {done.returncode}, {passed} tests\n{text}")
    errors += left_on(hosts)
    hosts.end()
    return errors


def left_on(hosts: NetworkHosts) -> list[str]:
    limit = time.monotonic() + 5
    while time.monotonic() < limit and any(hosts.processes_on(name) for name in hosts.inits):
        time.sleep(0.1)
    return [f"left on {name}: {found}" for name in hosts.inits if (found := hosts.processes_on(name))]


def place_on(hosts: NetworkHosts, name: str, program: str) -> int:
    """The process of this program on that host, once places have communicated a lot; 0 if they did not."""

    def sent() -> int:
        return sum(hosts.bytes_from(host) for host in hosts.inits)

    limit = time.monotonic() + 30
    before = sent()
    while time.monotonic() < limit:
        time.sleep(0.1)
        # The launcher itself prints less.
        if sent() - before < 500_000:
            continue
        for process in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
            if same_namespace(process, hosts.inits[name]):
                first = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0]
                if first.endswith(b"/" + program.encode()):
                    return process
    return 0


def fail_one(tree: Path, folder: Path, hosts: NetworkHosts, what: str, how: str, which: str) -> str:
    """Errors after this was done to a host during such a job; empty if there were none."""
    names = list(hosts.inits)
    words = job_words(tree, names, LONG[what], folder)
    with open(folder / "out", "w+") as out, subprocess.Popen(
        words, env={**hosts.environment(), **ROOT}, stdout=out, stderr=subprocess.STDOUT
    ) as job:
        process = place_on(hosts, which, LONG[what][0])
        begin = time.monotonic()
        if process == 0:
            job.send_signal(signal.SIGTERM)
        elif how == "place killed":
            os.kill(process, signal.SIGKILL)
        elif how == "host killed":
            hosts.kill(which)
        else:
            hosts.cut(which)
        try:
            job.wait(SECONDS_TO_END + 10)
        except subprocess.TimeoutExpired:
            job.kill()
        seconds = time.monotonic() - begin
        out.seek(0)
        text = out.read()
    if process == 0:
        return f"it did not start: {text}"
    ours = [line for line in text.splitlines() if line.startswith("tess: ")]
    # A launcher that detects the loss of its own process there ends all others before they can name the host.
    named = [line for line in ours if which in line or (how == "host killed" and "a host" in line)]
    problems = []
    if seconds > SECONDS_TO_END:
        problems.append(f"it took {seconds:.1f} s to end")
    if job.returncode != 1:
        problems.append(f"exit code {job.returncode}")
    if len(named) != 1:
        problems.append(f"{len(named)} messages about {which}")
    return f"{'; '.join(problems)}\n{text[-2000:]}" if problems else ""


def check_four(tree: Path, folder: Path) -> list[str]:
    errors = []
    cases = [("bfs", "host killed"), ("bfs", "place killed"), ("barriers", "host killed"), ("graph copies", "cut off")]
    for turn, (what, how) in enumerate(cases):
        # Unique names, because failed hosts are not created again.
        hosts = NetworkHosts([f"n{turn}-{i}" for i in range(4)], subnet=turn)
        which = list(hosts.inits)[2]
        if problem := fail_one(tree, folder, hosts, what, how, which):
            errors.append(f"{which}: {how} during {what}: {problem}")
        # Files on a host that is unreachable are not checked.
        errors += [line for line in left_on(hosts) if how != "cut off" or which not in line]
        hosts.end()
    return errors


def children_of(process: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == process:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def check_signals(tree: Path, folder: Path) -> list[str]:
    """`tess run` gets one, or the launcher, which is the child of its child."""
    errors = []
    cases = [("command", signal.SIGTERM, -15, "SIGTERM ended the job"), ("command", signal.SIGKILL, -9, "")]
    cases += [("launcher", signal.SIGKILL, 1, "SIGKILL ended mpirun"), ("launcher", signal.SIGSTOP, 1, "been stopped")]
    for turn, (whom, number, code, message) in enumerate(cases):
        hosts = NetworkHosts([f"s{turn}-{i}" for i in range(2)], subnet=turn)
        words = job_words(tree, list(hosts.inits), LONG["bfs"], folder)
        with open(folder / "out", "w+") as out, subprocess.Popen(
            words, env={**hosts.environment(), **ROOT}, stdout=out, stderr=subprocess.STDOUT
        ) as job:
            place_on(hosts, f"s{turn}-1", "bfs")
            os.kill(job.pid if whom == "command" else children_of(children_of(job.pid)[0])[0], number)
            try:
                job.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                job.kill()
            out.seek(0)
            text = out.read()
        if job.returncode != code or message not in text:
            errors.append(f"{whom} {number.name}: exit code {job.returncode}\n{text[-1000:]}")
        errors += [f"{whom} {number.name}: {line}" for line in left_on(hosts)]
        hosts.end()
    return errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tree", type=Path, help="of the build")
    parser.add_argument("--only", choices=("two", "four", "signals"))
    options = parser.parse_args()
    enter()
    errors = []
    with tempfile.TemporaryDirectory() as name:
        if options.only in (None, "two"):
            errors += check_two(options.tree.absolute(), Path(name))
        if options.only in (None, "four"):
            errors += check_four(options.tree.absolute(), Path(name))
        if options.only in (None, "signals"):
            errors += check_signals(options.tree.absolute(), Path(name))
    print("\n".join(errors) or "ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
