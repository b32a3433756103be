"""several_hosts: PEs as places of the fabric ucx behave as those of one host, and end as `tess run` promises.

The programs of the other tests run as processes of a launcher on this host, with windows and without, and on two hosts
that are network namespaces (tools/network_hosts.py; needs root). `several_hosts.py hosts` is the second part.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
from network_hosts import NetworkHosts, enter  # noqa: E402

FAMILIES = (
    "rma atomics signals waits collectives reductions meetings active_sets contexts corners locks memory old_names "
    "setup teams threads words_clang_O2 unfinished forks example_mixed example_pipeline with_tessera"
).split()
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
FAILURE_TIMEOUT = 2
PATIENCE = 20.0  # a loaded machine


def program(name: str) -> str:
    return f"{os.environ['SHMEM_PROGRAMS']}/{name}"


def ended(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)


def tess_run(*words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [os.environ["TESS"], "run", "--fabric", "ucx", "--failure-timeout", str(FAILURE_TIMEOUT), *words]
    return ended(command, {**os.environ, **ROOT, **(environment or {})})


def said_by_us(text: str) -> list[str]:
    """Open MPI 4.1 adds lines: when a process ends with another code than 0, and about its agent on a host."""
    return [line for line in text.splitlines() if "PMIX ERROR" not in line and "plm:rsh: Warning" not in line]


class PlacesOfUcx(unittest.TestCase):
    def test_every_family(self):
        for pes in ("2", "3", "4"):
            for windows in ((), ("--no-window",)):
                for name in FAMILIES:
                    with self.subTest(name=name, pes=pes, windows=windows):
                        ran = tess_run(*windows, "-n", pes, program(name))
                        self.assertEqual((ran.returncode, ran.stderr), (0, ""), ran.stdout)

    def test_memory_model_without_windows(self):
        for pes in ("2", "4"):
            ran = tess_run("--no-window", "-n", pes, program("litmus"), "200")
            self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_a_trace_has_all_pes(self):
        with tempfile.TemporaryDirectory() as folder:
            for windows in ((), ("--no-window",)):
                file = Path(folder, "trace.json")
                ran = tess_run(*windows, "-n", "3", "--trace", str(file), program("example_pipeline"))
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                events = json.loads(file.read_text())["traceEvents"]
                self.assertEqual({e["pid"] for e in events if e["ph"] == "X"}, {0, 1, 2})
                self.assertGreater(len([e for e in events if e["ph"] == "s"]), 100)

    def test_a_checked_job_has_one_host(self):
        checked = {**os.environ, **ROOT, "TESS_FABRIC": "checked"}
        command = ["mpirun", "--oversubscribe", "-n", "2", program("rma")]
        ran = subprocess.run(command, env=checked, capture_output=True, text=True, timeout=100, check=False)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("a checked job over a network; expected tess run --fabric checked on one host", ran.stderr)

    def test_under_a_bare_launcher_and_alone(self):
        command = ["mpirun", "--oversubscribe", "-n", "2", program("rma")]
        self.assertEqual(subprocess.run(command, env={**os.environ, **ROOT}, timeout=100, check=False).returncode, 0)
        alone = {**os.environ, "TESS_FABRIC": "ucx"}
        self.assertEqual(subprocess.run([program("rma")], env=alone, timeout=100, check=False).returncode, 0)

    def test_the_largest_exit_code_is_that_of_the_job(self):
        for pe in ("0", "1", "2"):
            self.assertEqual(tess_run("-n", "3", program("failures"), "code", pe, "3", "barrier").returncode, 3)

    def test_a_program_without_finalize_ends_with_its_code(self):
        ran = tess_run("-n", "3", program("failures"), "forget", "0", "3", "barrier")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_a_pe_that_exits_ends_the_others(self):
        for windows in ((), ("--no-window",)):
            ran = tess_run(*windows, "-n", "3", program("failures"), "exit", "1", "5", "wait")
            self.assertEqual(ran.returncode, 3)
            self.assertEqual(said_by_us(ran.stderr), ["shmem: PE 1 of 3 ended with 3; the others are ended"])
            ran = tess_run(*windows, "-n", "3", program("failures"), "global_exit", "2", "5", "lock")
            self.assertEqual((ran.returncode, said_by_us(ran.stderr)), (5, []))

    def test_a_pe_that_is_killed_or_stopped_ends_the_others(self):
        for number, why in ((signal.SIGKILL, "its process ended"), (signal.SIGSTOP, "it has been silent for too long")):
            for activity in ("barrier", "reduce", "lock", "wait"):
                with self.subTest(signal=number, activity=activity):
                    began = time.monotonic()
                    ran = tess_run("--no-window", "-n", "3", program("failures"), str(int(number)), "1", "9", activity)
                    self.assertLess(time.monotonic() - began, PATIENCE)
                    said = said_by_us(ran.stderr)
                    self.assertEqual((ran.returncode, len(said)), (1, 1), ran.stderr)
                    self.assertRegex(said[0], rf"^shmem: PE 1 failed on host \S+: ({why}|another place says so)")

    def test_lines_of_output_have_their_pe(self):
        ran = tess_run("--tag-output", "-n", "2", program("failures"), "finish", "0", "3", "barrier")
        self.assertEqual((ran.returncode, ran.stdout), (0, "[0] running\n[0] finished\n"))

    def test_other_programs_are_refused(self):
        two = ["-n", "1", program("rma"), ":", "-n", "1", program("atomics")]
        command = ["mpirun", "--oversubscribe", *two]
        ran = ended(command, {**os.environ, **ROOT})
        self.assertEqual(ran.returncode, 2)
        self.assertRegex(ran.stderr, r"shmem: place 1 on \S+ runs atomics .*the program of place 0: rma ")

    def test_a_static_program_is_refused(self):
        ran = tess_run("-n", "2", program("statics_clang_static"))
        self.assertEqual(ran.returncode, 2)
        self.assertIn("a static program cannot load UCX", ran.stderr)

    def test_statistics_of_all(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "bytes.csv")
            ran = tess_run("--no-window", "--stats", str(file), "-n", "2", program("rma"))
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            rows = [line.split(",") for line in file.read_text().splitlines()[1:]]
        self.assertEqual([row[:2] for row in rows], [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]])
        self.assertTrue(all(int(row[3]) > 0 for row in rows if row[0] != row[1]), rows)

    def test_misuse_ends_all_with_2(self):
        ran = tess_run("-n", "2", program("errors"), "PE of a word")
        self.assertEqual(ran.returncode, 2)


class TwoHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = NetworkHosts(["node-a", "node-b"])

    @classmethod
    def tearDownClass(cls):
        cls.hosts.end()

    def run_on(self, hosts: list[str], *words: str) -> subprocess.CompletedProcess[str]:
        return tess_run("-n", str(len(hosts)), "--hosts", ",".join(hosts), *words, environment=self.hosts.environment())

    def test_every_family(self):
        before = self.hosts.bytes_from("node-b")
        for hosts in (["node-a", "node-b"], ["node-a", "node-a", "node-b", "node-b"]):
            for name in FAMILIES:
                # What these say of windows holds for PEs of one host each.
                apart = ("--no-window",) if name in ("memory", "setup", "teams") else ()
                with self.subTest(name=name, hosts=hosts):
                    ran = self.run_on(hosts, *apart, program(name))
                    self.assertEqual((ran.returncode, said_by_us(ran.stderr)), (0, []), ran.stdout)
        self.assertGreater(self.hosts.bytes_from("node-b") - before, 100_000, "is it a host of its own?")

    def test_pes_of_a_host_share_memory(self):
        for hosts in (["node-a", "node-a", "node-b", "node-b"], ["node-a", "node-b", "node-b"]):
            ran = self.run_on(hosts, program("shared_team"), *hosts)
            self.assertEqual((ran.returncode, said_by_us(ran.stderr)), (0, []))

    def test_ends(self):
        hosts = ["node-a", "node-b", "node-b"]
        ran = self.run_on(hosts, program("failures"), "code", "2", "3", "barrier")
        self.assertEqual(ran.returncode, 3, ran.stderr)
        ran = self.run_on(hosts, program("failures"), "exit", "1", "5", "wait")
        self.assertEqual(ran.returncode, 3, ran.stderr)
        ran = self.run_on(hosts, program("failures"), str(int(signal.SIGKILL)), "1", "9", "barrier")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("shmem: PE 1 failed on host node-b", ran.stderr)


class LostHost(unittest.TestCase):
    def test_ends_the_job(self):
        hosts = NetworkHosts(["node-c", "node-d"], subnet=1)
        names = ["node-c", "node-d"]
        command = [os.environ["TESS"], "run", "--fabric", "ucx", "--failure-timeout", str(FAILURE_TIMEOUT)]
        command += ["-n", "2", "--hosts", ",".join(names), program("failures"), "never", "0", "0", "barrier"]
        environment = {**hosts.environment(), **ROOT}
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as job:
            assert job.stdout and job.stderr
            self.assertEqual(job.stdout.readline(), "running\n")
            time.sleep(0.5)
            began = time.monotonic()
            hosts.kill("node-d")
            self.assertEqual(job.wait(60), 1)
            self.assertLess(time.monotonic() - began, 2 * PATIENCE)
            self.assertRegex(job.stderr.read(), "node-d|a host")
        hosts.end()


if __name__ == "__main__":
    if sys.argv[1:] == ["hosts"]:
        enter()
        unittest.main(argv=[sys.argv[0], "TwoHosts", "LostHost"])
    unittest.main(argv=[sys.argv[0], "PlacesOfUcx", *sys.argv[1:]] if not sys.argv[1:] else sys.argv)
