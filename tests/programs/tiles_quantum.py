"""tiles_quantum: no statistic of a program of the runtime depends on how far the simulator lets harts run ahead, nor on
where the installation is.

Runs calls with graphs, by accelerators and with and without the system kernel, whose harts store, sleep and read beside
the devices of their tiles, at quanta from 1 to 1024 cycles, and compares all statistics but those of the host.
Usage: tiles_quantum.py TESS_MACHINE MACHINES PROGRAMS, a folder with nemesys-system and imsuite-dr
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MACHINE, MACHINES, PROGRAMS = sys.argv[1:4] if __name__ == "__main__" else ("", "", "")
SECONDS_MAX = 100


def told(quantum: int, machine: str, *words: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        described = Path(folder) / "machine.toml"
        base = Path(MACHINES).resolve() / f"{machine}.toml"
        described.write_text(f'extends = "{base}"\nharts.quantum_cycles = {quantum}\n', encoding="utf-8")
        file = Path(folder) / "s.json"
        command = [MACHINE, "--quiet", "--machine", described, "--stats", file, *words]
        subprocess.run(command, check=True, capture_output=True, timeout=SECONDS_MAX, cwd=folder)
        found = json.loads(file.read_text(encoding="utf-8"))
        del found["host"]
        return found


class Quanta(unittest.TestCase):
    def check(self, machine: str, *words: str) -> None:
        usual = told(64, machine, *words)
        self.assertGreater(usual["simulated_ps"], 0)
        for quantum in (1, 7, 1024):
            found = told(quantum, machine, *words)
            differs = [key for key in usual if usual[key] != found[key]]
            self.assertEqual(differs, [], f"{machine} {words} at {quantum}")

    def test_calls_with_graphs(self) -> None:
        for system in ("polled", "kernel"):
            for target in ("1", "3"):
                with self.subTest(system=system, target=target):
                    self.check("nemesys-4x4", "--copies", "4", "--system", system, "--",
                               f"{PROGRAMS}/nemesys-system", target, "graph")  # fmt: skip

    def test_images_in_memory(self) -> None:
        self.check("nemesys-2x2", "--image", "memory", "--", f"{PROGRAMS}/imsuite-dr", "--size", "6")

    def test_images_in_tile_local_memory(self) -> None:
        self.check("nemesys-2x2", "--", f"{PROGRAMS}/imsuite-dr", "--size", "6")


class Places(unittest.TestCase):
    def in_folder(self, name: str) -> dict:
        """Statistics of a bundled program of an installation below a folder of this name."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / name / "libexec" / "tessera"
            for part in ("machine", "riscv"):
                (root / part).mkdir(parents=True)
            shutil.copytree(MACHINES, Path(folder) / name / "share" / "tessera" / "machines")
            shutil.copy(MACHINE, root / "machine")
            shutil.copy(f"{PROGRAMS}/imsuite-dr", root / "riscv")
            file = Path(folder) / "s.json"
            command = [root / "machine" / Path(MACHINE).name, "--quiet", "--machine", "nemesys-2x2", "--stats", file,
                       "--", root / "riscv" / "imsuite-dr", "--size", "6"]  # fmt: skip
            subprocess.run(command, check=True, capture_output=True, timeout=SECONDS_MAX, cwd=folder)
            found = json.loads(file.read_text(encoding="utf-8"))
            del found["host"], found["program"]
            return found

    def test_an_installation_may_be_anywhere(self) -> None:
        self.assertEqual(self.in_folder("here"), self.in_folder("a" * 90))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
