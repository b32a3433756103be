"""slurm: the same programs under Slurm, by `srun` itself and by `tess run` inside an allocation.

A controller, a node and a munge daemon of the test's own run on the loopback device, with ports and files of their own.
Then: results; srun without PMIx; a place that is killed; Ctrl-C. Needs root and Debian's slurm-wlm and munge; says so
and is skipped otherwise. Usage: slurm.py TREE.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TOOLS = ("munged", "slurmctld", "slurmd", "srun", "salloc")
SECONDS_MAX = 20
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/node.pid
SlurmdSpoolDir={folder}/spool
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/node.log
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=5 State=UP OverSubscribe=FORCE:4
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def cluster() -> Iterator[dict[str, str]]:
    """One node, and the environment to reach it."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        for part in ("spool", "state"):
            (folder / part).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        file = folder / "slurm.conf"
        file.write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0],
                folder=folder,
                controller_port=free_port(),
                node_port=free_port(),
                processors=len(os.sched_getaffinity(0)),
            )
        )
        environment = {**os.environ, "SLURM_CONF": str(file)}
        munge = [f"--{option}={folder}/munge.{option.split('-')[0]}" for option in ("socket", "pid-file", "log-file")]
        for command in (
            ["munged", "--foreground", "--force", f"--key-file={key}", f"--seed-file={folder}/munge.seed", *munge],
            ["slurmctld", "-D", "-f", str(file)],
            ["slurmd", "-D", "-f", str(file)],
        ):
            daemon = subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
            stack.callback(end, daemon)
            time.sleep(0.5)
        limit = time.monotonic() + 30
        while "idle" not in run(["sinfo", "-h", "-o", "%t"], environment).stdout:
            if time.monotonic() > limit:
                raise TimeoutError(f"no node is idle: {(folder / 'controller.log').read_text()[-2000:]}")
            time.sleep(0.2)
        yield environment
        # Steps end by the node's help.
        run(["scancel", "--state=RUNNING", "--user=root"], environment)
        limit = time.monotonic() + 10
        while run(["squeue", "-h"], environment).stdout and time.monotonic() < limit:
            time.sleep(0.2)


def end(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    try:
        daemon.wait(10)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def places_of(program: Path) -> list[int]:
    """Processes that run the program."""
    pids = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "exe").resolve() == program:
                pids.append(int(entry.name))
    return sorted(pids)


def check_results(tree: Path, environment: dict[str, str]) -> list[str]:
    hello = [f"hello from place {place} of 3, with 1 worker" for place in range(3)]
    program = str(tree / "libexec" / "tessera" / "hello")
    errors = []
    for words in (
        ["srun", "--mpi=pmix", "--overcommit", "-n", "3", program],
        ["salloc", "--overcommit", "-n", "3", str(tree / "bin" / "tess"), "run", "--fabric", "ucx", "-n", "3", "hello"],
    ):
        done = run(words, environment)
        if done.returncode != 0 or done.stdout.splitlines() != hello:
            errors.append(f"{words}: code {done.returncode}\n{done.stdout}{done.stderr}")
    done = run(["srun", "--overcommit", "-n", "3", program], environment)
    if done.returncode != 2 or "expected srun --mpi=pmix" not in done.stderr:
        errors.append(f"srun without PMIx: code {done.returncode}\n{done.stdout}{done.stderr}")
    return errors


def check_end(tree: Path, environment: dict[str, str], how: str) -> list[str]:
    """A job that would continue: a place is killed, or `tess` and its launcher get Ctrl-C."""
    program = tree / "tests" / "waiting_places"
    tess = [str(tree / "bin" / "tess"), "run", "--fabric", "ucx", "-n", "3", str(program), "barrier"]
    job = subprocess.Popen(
        ["salloc", "--overcommit", "-n", "3", "--quiet", "setsid", "--wait", *tess],
        env={**environment, "TESS_FAILURE_TIMEOUT": "4"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert job.stdout is not None
    lines = [job.stdout.readline()]
    pids = places_of(program)
    begin = time.monotonic()
    if how == "killed":
        os.kill(pids[-1], signal.SIGKILL)
    else:
        group = next(os.getpgid(pid) for pid in places_of(Path(tess[0])))
        os.killpg(group, signal.SIGINT)
    try:
        lines += job.communicate(timeout=SECONDS_MAX)[0].splitlines()
    except subprocess.TimeoutExpired:
        job.kill()
        return [f"{how}: not ended after {SECONDS_MAX} s"]
    seconds = time.monotonic() - begin
    limit = time.monotonic() + 5
    while places_of(program) and time.monotonic() < limit:
        time.sleep(0.05)
    said = [line for line in lines if "failed on host" in line]
    wrong = len(pids) != 3 or job.returncode == 0 or places_of(program)
    if how == "killed":
        wrong = wrong or job.returncode != 1 or len(said) != 1
    text = "\n".join(lines)
    return [f"{how}: code {job.returncode} after {seconds:.1f} s, {pids}\n{text}"] if wrong else []


def main() -> int:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing:
        print(f"skipped: needs root and slurm-wlm, munge; missing: {missing}")
        return 0
    tree = Path(sys.argv[1]).resolve()
    with cluster() as environment:
        errors = check_results(tree, environment)
        for how in ("killed", "interrupted"):
            errors += check_end(tree, environment, how)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
