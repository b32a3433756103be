"""units_test: what unit.toml may say, and what reads results: coverage, resources of FPGAs, mutants of sources."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))
import area  # noqa: E402
import bench  # noqa: E402
import clock  # noqa: E402
import covered  # noqa: E402
import energy  # noqa: E402
import mutants  # noqa: E402
import programs  # noqa: E402
import units  # noqa: E402


class Units(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.rtl = Path(folder.name)
        patch = mock.patch.object(units, "RTL", self.rtl)
        patch.start()
        self.addCleanup(patch.stop)

    def unit(self, text: str, name: str = "one") -> units.Unit:
        (self.rtl / name).mkdir(exist_ok=True)
        (self.rtl / name / "unit.toml").write_text(text, encoding="utf-8")
        return units.load(name)

    def test_packages_come_first_and_used_units_before(self) -> None:
        self.unit("", "cells")
        unit = self.unit('uses = ["cells"]')
        for file in ("registers_pkg.sv", "cells/fifo.sv", "one/a.sv", "one/one_pkg.sv"):
            (self.rtl / file).write_text("", encoding="utf-8")
        shown = [str(file.relative_to(self.rtl)) for file in unit.sources()]
        self.assertEqual(shown, ["registers_pkg.sv", "cells/fifo.sv", "one/one_pkg.sv", "one/a.sv"])

    def test_wrong_words_are_refused(self) -> None:
        for text in ('[[top]]\nmodul = "a"', "[[top]]", "[[mutants]]", 'uses = ["none"]', "top ="):
            with self.subTest(text=text), self.assertRaises(units.Misuse):
                self.unit(text)

    def test_a_mutant_changes_one_place(self) -> None:
        unit = self.unit("")
        source = self.rtl / "one" / "a.sv"
        source.write_text("a b b\n", encoding="utf-8")
        edited = mutants.edited(unit, units.Mutant("a.sv", "a b", "c"), self.rtl / "edited")
        self.assertEqual([file.read_text(encoding="utf-8") for file in edited], ["c b\n"])
        self.assertEqual(source.read_text(encoding="utf-8"), "a b b\n")
        for old in ("b", "d"):
            with self.subTest(old=old), self.assertRaises(programs.Failed):
                mutants.edited(unit, units.Mutant("a.sv", old, "c"), self.rtl / "edited")

    def test_only_a_named_test_finds_a_mutant(self) -> None:
        unit = self.unit('[[bench]]\nfile = "b"\nmodule = "a"\n')
        mutant = units.Mutant("a.sv", "x", "y")
        for name, found in (("b.counts", True), ("(build)", False), ("(run)", False), ("(none)", False)):
            row = {"test": name, "result": "failed", "text": ""}
            result = bench.Result([row], {})
            with self.subTest(test=name), mock.patch.object(bench, "run_one", return_value=result):
                if found:
                    self.assertEqual(mutants.found_by_benches(unit, mutant, [], self.rtl, 1), "b.counts")
                else:
                    self.assertRaises(programs.Failed, mutants.found_by_benches, unit, mutant, [], self.rtl, 1)


class Benches(unittest.TestCase):
    def test_no_two_benches_of_a_unit_share_a_folder(self) -> None:
        for name in units.names():
            folders = [bench.name_of(one, parameters) for one, parameters in bench.chosen(units.load(name))]
            with self.subTest(unit=name):
                self.assertEqual(sorted(set(folders)), sorted(folders))

    def test_quick_ones_are_those_of_tops_once_each(self) -> None:
        for name in units.names():
            unit = units.load(name)
            runs = [one for one, _ in bench.chosen(unit, quick=True)]
            with self.subTest(unit=name):
                self.assertTrue(runs)
                self.assertLessEqual({one.module for one in runs}, {top.module for top in unit.tops})
                self.assertEqual(len(runs), len({(one.file, one.module) for one in runs}))

    def test_a_name_chooses_its_bench_with_all_parameters(self) -> None:
        unit = units.load("nma")
        wanted = [one for one in unit.benches if one.file == "nma_match"]
        runs = bench.chosen(unit, "nma_match")
        self.assertEqual([parameters for _, parameters in runs], [p for one in wanted for p in one.parameters])


    def test_energy_counts_all_bits_and_a_quick_run_none(self) -> None:
        failed = bench.Result([{"test": "b.a", "result": "failed", "text": ""}], {})
        nowhere = mock.patch.object(energy, "BUILD", Path("/nonexistent"))  # what is there may be in use
        with nowhere, mock.patch.object(bench, "run_one", return_value=failed) as run_one:
            energy.measure(units.load("nca"), 1)
            self.assertTrue(run_one.call_args_list)
            self.assertTrue(all(call.kwargs["covers"] for call in run_one.call_args_list))
            for quick in (False, True):
                run_one.reset_mock()
                bench.run_all(units.load("common"), seed=1, quick=quick)
                self.assertEqual({call.kwargs["covers"] for call in run_one.call_args_list}, {not quick})


class Results(unittest.TestCase):
    def test_points_of_instances_and_runs_add_up(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "coverage.dat"
            point = (
                "C '\x01f\x02a.sv\x01l\x02{line}\x01n\x02{column}\x01page\x02v_{kind}/a"
                "\x01o\x02x\x01h\x02{top}' {count}\n"
            )
            data.write_text(
                "# SystemC::Coverage-3\n"
                + point.format(line=3, column=1, kind="line", top="t.a", count=0)
                + point.format(line=3, column=1, kind="line", top="t.b", count=2)
                + point.format(line=4, column=1, kind="branch", top="t.a", count=0)
                + point.format(line=5, column=1, kind="toggle", top="t.a", count=9),
                encoding="utf-8",
            )
            points = covered.read_points(data)
            covered.add(points, covered.read_points(data))
        (row,) = covered.table(points)
        self.assertEqual((row["lines"], row["lines_reached"], row["missed"]), (2, 1, "4"))
        self.assertEqual((row["toggles"], row["toggles_reached"]), (1, 1))
        self.assertIn(4, points.values())

    def test_cells_count_as_what_they_occupy(self) -> None:
        cells = {"LUT6": 5, "INV": 1, "RAM32M": 2, "FDCE": 7, "MUXF7": 3, "RAMB18E1": 1, "RAMB36E1": 2, "DSP48E1": 1}
        wanted = {"LUT": 14, "memory LUT": 8, "FF": 7, "MUX": 3, "BRAM": 2.5, "DSP": 1}
        self.assertEqual(area.resources({**cells, "CARRY4": 4, "BUFG": 1}), wanted)
        with self.assertRaises(programs.Failed):
            area.resources({"URAM288": 1})

    def test_every_port_has_a_register(self) -> None:
        ports = {
            "clk_i": {"direction": "input", "bits": [1]},
            "rst_ni": {"direction": "input", "bits": [2]},
            "data_i": {"direction": "input", "bits": [3, 4]},
            "valid_o": {"direction": "output", "bits": [5]},
        }
        text = clock.wrapper("unit_under_test", ports)
        for part in ("data_i_r <= data_i", "valid_o_r <= valid_o_w", ".rst_ni(rst_ni)", "[1:0] data_i"):
            self.assertIn(part, text)


class Sources(unittest.TestCase):
    def test_are_each_listed_once_and_packages_first(self) -> None:
        command = [sys.executable, str(Path(__file__).parent), "sources", "cni", "nca"]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        files = [Path(line) for line in said if not line.startswith("// ")]
        self.assertIn("// cni: cni", said)
        self.assertEqual(len(files), len(set(files)))
        self.assertTrue(all(file.is_file() for file in files))
        names = [file.name for file in files]
        self.assertEqual(names[0], "registers_pkg.sv")
        self.assertLess(names.index("cni_pkg.sv"), names.index("cni.sv"))
        self.assertLess(names.index("nca_pkg.sv"), names.index("nca_line.sv"))


if __name__ == "__main__":
    unittest.main()
