"""presets: each preset is the machine that its published results are of, whatever files it extends.

Method: `tess-machine --show` prints a preset with all that it extends; a hash of its keys and values is compared with
presets.csv, and the whole with what the package for Python makes of the files. A base that changes by accident changes
the hash of each variant. Other words in comments change none.
Usage: presets.py TESS_MACHINE [--write FOLDER]; --write makes presets.csv of the files in FOLDER, or of the presets
"""

import csv
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))

from tessera.simulator import machines  # noqa: E402

MACHINES = Path(__file__).resolve().parents[3] / "machines"
TABLE = Path(__file__).with_suffix(".csv")
HELP = f"if the change is meant, `python3 {Path(__file__).name} TESS_MACHINE --write` makes {TABLE.name} anew"


def printed(*words: str) -> str:
    return subprocess.run([TESS_MACHINE, *words], check=True, capture_output=True, text=True).stdout


def names() -> list[str]:
    return [line.split()[0] for line in printed("--list").splitlines()]


def hashed(machine: dict) -> str:
    kept = {key: value for key, value in machine.items() if key != "summary"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]


def described(name: str) -> dict:
    return tomllib.loads(printed("--show", name))


class Presets(unittest.TestCase):
    """The table names every preset, and its values."""

    def test_each_is_what_it_was(self) -> None:
        with TABLE.open(encoding="utf-8") as file:
            expected = {row["machine"]: row["sha256"] for row in csv.DictReader(file)}
        self.assertEqual(sorted(expected), names(), HELP)
        for name, known in expected.items():
            with self.subTest(machine=name):
                self.assertEqual(hashed(described(name)), known, HELP)

    def test_the_package_reads_them_as_the_simulator_does(self) -> None:
        for name in names():
            with self.subTest(machine=name):
                self.assertEqual(machines.described(MACHINES, name), described(name))

    @unittest.mock.patch.dict(os.environ, {"TESSERA_TESS": sys.executable})
    @unittest.mock.patch("tessera.simulator.command.machine_names", lambda: names())
    @unittest.mock.patch("tessera.simulator.command.machines_folder", lambda: MACHINES)
    def test_the_package_reads_variants_and_memories_alike(self) -> None:
        for memory in sorted((MACHINES / "memory").glob("*.toml")):
            with self.subTest(memory=memory.stem), tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "mine.toml"
                file.write_text(f'extends = "nemesys-2x2"\nwithout = ["lookaside"]\nl2.ways = 8\n'
                                f'[dram]\npreset = "{memory.stem}"\nqueue_entries = 8\n', encoding="utf-8")  # fmt: skip
                shown, read = described(str(file)), machines.described(MACHINES, str(file))
                self.assertEqual({**read, "summary": ""}, {**shown, "summary": ""})
                self.assertEqual(shown["dram"]["queue_entries"], 8)
                self.assertIn(memory, machines.files_of(MACHINES, str(file)))
                derived = machines.machine("nemesys-2x2", changes={"dram.preset": memory.stem})
                argument = derived.argument(MACHINES, Path(folder))
                self.assertEqual(described(argument)["dram"] | {"queue_entries": 8}, shown["dram"])


def write(folder: str) -> None:
    found = sorted(Path(folder).glob("*.toml")) if folder else []
    files = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in found}
    with TABLE.open("w", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["machine", "sha256"])
        table.writerows((name, hashed(files[name] if files else described(name))) for name in files or names())


if __name__ == "__main__":
    TESS_MACHINE = sys.argv[1]
    if sys.argv[2:3] == ["--write"]:
        write(sys.argv[3] if len(sys.argv) > 3 else "")
    else:
        unittest.main(argv=sys.argv[:1])
