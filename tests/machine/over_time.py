"""over_time: statistics over time and regions: they say what happened, and change nothing of it.

Method: the sums of all rows are the statistics of the whole run, whatever the interval; the statistics of a run with
rows are those of one without. Tables of one run are the same as CSV and as Parquet. Regions have the instructions that
their program is known to execute, alone, nested, and inside of themselves.
Usage: over_time.py TESS PROGRAMS, a folder with regions and hash
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

SECONDS_MAX = 60


def run(*words: object, code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          timeout=SECONDS_MAX, stdin=subprocess.DEVNULL)  # fmt: skip
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def rows_of(file: Path) -> list[dict[str, float]]:
    with file.open(encoding="utf-8") as text:
        return [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(text)]


class OverTime(unittest.TestCase):
    """Runs of `regions` on nemesys-2x2."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.made = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.made.name)
        cls.machine = [TESS, "run", "--machine", "nemesys-2x2", "--copies", "2"]
        cls.plain = cls.stats()
        every = ["--stats-every", "50us"]
        files = [word for end in ("csv", "parquet", "svg") for word in ("--stats-over-time", cls.folder / f"o.{end}")]
        cls.watched = cls.stats(*every, *files, "--trace", cls.folder / "t.json")
        cls.rows = rows_of(cls.folder / "o.csv")
        cls.said = cls.said_last

    @classmethod
    def tearDownClass(cls) -> None:
        cls.made.cleanup()

    @classmethod
    def stats(cls, *options: object, program: str = "regions") -> dict:
        file = cls.folder / "s.json"
        cls.said_last = run(*cls.machine, "--stats", file, *options, PROGRAMS / program).stderr
        made = json.loads(file.read_text(encoding="utf-8"))
        del made["host"]
        return made

    def test_nothing_of_the_run_changes(self) -> None:
        self.assertEqual(self.watched, self.plain)
        file = self.folder / "i.csv"
        for interval in ("20cycles", "2777ns", "1ms"):
            with self.subTest(interval=interval):
                self.assertEqual(self.stats("--stats-every", interval, "--stats-over-time", file), self.plain)

    def test_rows_add_up_to_the_run(self) -> None:
        self.assertGreater(len(self.rows), 10)
        self.assertEqual(self.rows[0]["begin_us"], 0)
        for one, after in zip(self.rows, self.rows[1:], strict=False):
            self.assertEqual(one["end_us"], after["begin_us"])
            self.assertAlmostEqual(one["end_us"] % 50, 0)
        end_us = self.plain["simulated_ps"] / 1e6
        self.assertAlmostEqual(self.rows[-1]["end_us"], end_us)
        self.assertEqual(sum(row["instructions"] for row in self.rows), self.plain["instructions"])

        def mean(name: str) -> float:
            return sum(row[name] * (row["end_us"] - row["begin_us"]) for row in self.rows) / end_us

        for tile in self.plain["tiles"]:
            name = f"tiles[{tile['tile']}]"
            self.assertEqual(sum(row[f"{name}.l2_misses"] for row in self.rows), tile["l2_misses"])
            self.assertAlmostEqual(mean(f"{name}.bus_load"), tile["bus_load"], delta=1e-4)
            self.assertAlmostEqual(mean(f"{name}.adapter_load"), tile["adapter_load"], delta=1e-4)
        for memory in self.plain["memories"]:
            name = f"memories[{memory['tile']}]"
            self.assertEqual(sum(row[f"{name}.bytes"] for row in self.rows), memory["bytes"])
            self.assertAlmostEqual(mean(f"{name}.port_load"), memory["port_load"], delta=1e-4)
        for link in self.plain["links"]:
            name = f"links[{link['from']}-{link['to']}]" if link["from"] != link["to"] else f"exits[{link['to']}]"
            self.assertAlmostEqual(mean(f"{name}.load"), link["load"], delta=1e-4)
        for injection in self.plain["injections"]:
            self.assertAlmostEqual(mean(f"injections[{injection['tile']}].load"), injection["load"], delta=1e-4)
        cycle_us = end_us / self.plain["cycles"]
        for region in self.plain["regions"]:
            cycles = mean(f"regions[{region['name']}].harts") * end_us / cycle_us
            self.assertAlmostEqual(cycles, region["cycles"], delta=max(4, region["cycles"] * 1e-3), msg=region)

    def test_the_interval_grows_with_the_run(self) -> None:
        self.assertEqual(self.stats("--stats-over-time", self.folder / "g.csv"), self.plain)
        rows = rows_of(self.folder / "g.csv")
        self.assertGreater(len(rows), 128)
        self.assertLessEqual(len(rows), 513)
        self.assertEqual(sum(row["instructions"] for row in rows), self.plain["instructions"])

    @unittest.skipIf(os.environ.get("TESS_SANITIZE"), "no checkpoints with a sanitizer")
    def test_a_restored_run_has_the_same_rows_and_regions(self) -> None:
        saved, whole, rest = (self.folder / name for name in ("c.tess", "w.csv", "r.csv"))
        every = ["--stats-every", "50us", "--stats-over-time"]
        self.assertEqual(self.stats(*every, whole, "--checkpoint-at", 30_000, "--checkpoint", saved), self.plain)
        file = self.folder / "r.json"
        run(TESS, "run", "--restore", saved, "--stats", file, *every[2:], rest)
        self.assertEqual(rest.read_text(), whole.read_text())
        self.assertEqual(json.loads(file.read_text())["regions"], self.plain["regions"])
        # The rows may begin where the run goes on.
        self.stats("--checkpoint-at", 30_000, "--checkpoint", saved)
        run(TESS, "run", "--restore", saved, *every, rest)
        rows = rows_of(rest)
        self.assertGreaterEqual(rows[0]["begin_us"], 500)
        for one, other in zip(rows[1:], self.rows[-len(rows) + 1 :], strict=True):
            self.assertEqual(one["begin_us"], other["begin_us"])
            # A hart may be ahead by a quantum, by another one here.
            self.assertAlmostEqual(one["instructions"], other["instructions"], delta=64 * 8)

    def test_parquet_is_the_table(self) -> None:
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("there is no pyarrow")
        table = pyarrow.parquet.read_table(self.folder / "o.parquet")
        self.assertEqual(table.column_names, list(self.rows[0]))
        self.assertEqual(table.to_pylist(), self.rows)

    def test_the_picture_has_all_parts(self) -> None:
        picture = xml.etree.ElementTree.parse(self.folder / "o.svg")
        text = " ".join(picture.getroot().itertext())
        for part in ("regions of the program", "outer", 'inner, "<quoted>"', "instructions a cycle", "buses of tiles",
                     "ports of memories", "links between tiles", "0, 0 to 1, 0", "time, us", "50 us"):  # fmt: skip
            self.assertIn(part, text)

    def test_regions_have_what_happened_in_them(self) -> None:
        regions = {one["name"]: one for one in self.plain["regions"]}
        self.assertEqual(list(regions), ["outer", 'inner, "<quoted>"', "again", "thread", "left", "end"])
        copies = 2
        # The instructions of the rounds, and some around them: the last region is open while the program ends.
        expected = {"outer": (1, 8000, 2000, 60), 'inner, "<quoted>"': (3, 6000, 6000, 60), "again": (5, 500, 500, 60),
                    "thread": (2, 40_000, 40_000, 60), "left": (1, 100, 100, 4000),
                    "end": (1, 500, 500, 2000)}  # fmt: skip
        for name, (times, rounds, own_rounds, around) in expected.items():
            with self.subTest(name=name):
                one = regions[name]
                self.assertEqual(one["times"], times * copies)
                for key, count in (("instructions", rounds), ("own_instructions", own_rounds)):
                    self.assertGreaterEqual(one[key], 3 * count * copies)
                    self.assertLess(one[key], 3 * count * copies + around * times * copies)
                self.assertGreaterEqual(one["cycles"], one["instructions"])
                self.assertGreaterEqual(one["end_cycle"] - one["begin_cycle"], one["cycles"] / one["harts"] / 5)
        self.assertEqual(regions["outer"]["harts"], copies)
        self.assertGreaterEqual(regions["thread"]["harts"], copies)
        outer, inner = regions["outer"], regions['inner, "<quoted>"']
        self.assertEqual(outer["cycles"] - outer["own_cycles"], inner["cycles"])
        self.assertIn("machine: region outer", self.said)

    def test_the_page_has_all_names(self) -> None:
        page = (Path(__file__).parents[2] / "docs/machine/observing.md").read_text(encoding="utf-8")
        documented = re.findall(r"^\| `regions\[\]\.(\w+)`", page, re.M)
        self.assertEqual(sorted(self.plain["regions"][0]), sorted(documented))
        for name in self.rows[0]:
            form = re.sub(r"\[\d+\]", "[N]", re.sub(r"links\[\d+-\d+\]", "links[A-B]", name))
            form = "regions[NAME].harts" if name.startswith("regions[") else form
            self.assertIn(f"`{form}`", page)

    def test_regions_are_in_the_trace(self) -> None:
        trace = json.loads((self.folder / "t.json").read_text(encoding="utf-8"))
        names = [one["name"] for one in trace["traceEvents"] if one["ph"] == "X"]
        self.assertEqual(names.count("outer"), 2)
        self.assertEqual(names.count('inner, "<quoted>"'), 6)

    def test_without_time_and_elsewhere(self) -> None:
        file = self.folder / "flat.json"
        run(TESS, "run", "--machine", "single-tile", "--stats", file, PROGRAMS / "regions")
        regions = {one["name"]: one for one in json.loads(file.read_text())["regions"]}
        self.assertEqual(regions["outer"]["times"], 1)
        self.assertGreaterEqual(regions["thread"]["instructions"], 2 * 3 * 20_000)
        self.assertEqual(run("qemu-riscv64", PROGRAMS / "regions").stdout, "done\n")
        file = self.folder / "none.json"
        run(*self.machine, "--stats", file, PROGRAMS / "hash")
        self.assertNotIn("regions", json.loads(file.read_text()))

    def test_wrong_options_are_refused(self) -> None:
        for words, said in {
            ("--stats-every", "10us"): "give that, too, with a file",
            ("--stats-every", "10", "--stats-over-time", self.folder / "x.csv"): "give a time of at least a cycle",
            ("--stats-every", "1ns", "--stats-over-time", self.folder / "x.csv"): "give a time of at least a cycle",
            ("--stats-over-time", self.folder / "x.txt"): "a name that ends with .csv, .parquet or .svg",
        }.items():
            self.assertIn(said, run(*self.machine, *words, PROGRAMS / "regions", code=2).stderr)


if __name__ == "__main__":
    TESS, PROGRAMS = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
