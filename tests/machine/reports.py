"""reports: `tess report` and `tess run --report` make one page that has what the runs have.

Method: runs of a small program on two machines that differ in known keys; the pages are parsed, and compared with the
statistics of the same runs and with `tess machines diff`. Rooflines are computed by hand from the machine's numbers.
Usage: reports.py TESS PROGRAMS PACKAGE, a folder with regions and hash, and that of the package tessera
"""

import html.parser
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SECONDS_MAX = 100
VOID = {"meta", "br", "img", "input", "hr", "link"}


def run(*words: object, code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          timeout=SECONDS_MAX, stdin=subprocess.DEVNULL)  # fmt: skip
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class Page(html.parser.HTMLParser):
    """The text of a page, its tables, and what it refers to; an element that is not closed is an error."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.open: list[str] = []
        self.pictures = 0
        self.source = file.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()
        if self.open:
            raise AssertionError(f"{file}: not closed: {self.open}")

    def handle_starttag(self, tag: str, attributes: list) -> None:
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.references += [values[name] for name in ("src", "href", "xlink:href", "data") if name in values]
        self.pictures += tag == "svg"
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list) -> None:
        if tag not in VOID:
            self.handle_starttag(tag, attributes)
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes another element, at {self.getpos()}")

    def handle_data(self, words: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            return
        self.words.append(words)
        if self.rows and self.rows[-1] and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += words

    def row(self, name: str) -> list[str]:
        """The cells behind a name, without the groups of digits."""
        return next([cell.replace("\u202f", "") for cell in row[1:]] for row in self.rows if row[:1] == [name])


class Reports(unittest.TestCase):
    """One run each on nemesys-2x2 and on a variant of it."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.made = tempfile.TemporaryDirectory()
        cls.folder = folder = Path(cls.made.name)
        cls.variant = folder / "mine.toml"
        cls.variant.write_text('extends = "nemesys-2x2"\n[l2]\nways = 2\n[tile]\ntlm_access_cycles = 40\n')
        cls.command = [TESS, "run", "--machine"]
        cls.first, cls.second = folder / "first.html", folder / "second.html"
        words = ["--copies", "2", "--stats", folder / "a.json", "--profile", folder / "f.svg", "--report", cls.first]
        cls.said = run(*cls.command, "nemesys-2x2", *words, PROGRAMS / "regions")
        run(*cls.command, cls.variant, "--copies", "2", "--report", cls.second, PROGRAMS / "regions", "x")
        cls.statistics = json.loads((folder / "a.json").read_text())
        cls.page = Page(cls.first)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.made.cleanup()

    def refers_to_nothing(self, page: Page) -> None:
        self.assertEqual([one for one in page.references if not one.startswith("#")], [])
        visible = re.sub(r"<script.*?</script>|<pre>.*?</pre>", "", page.source, flags=re.S)
        self.assertNotRegex(visible, r"https?:|url\(|@import|//[a-z]+\.")
        self.assertEqual(len(page.ids), len(set(page.ids)))

    def test_a_run_has_its_figures(self) -> None:
        page, known = self.page, self.statistics
        self.refers_to_nothing(page)
        self.assertEqual(self.said.stdout, "done\ndone\n")
        for name, key in {"cycles": "cycles", "instructions": "instructions", "simulated time, ps": "simulated_ps",
                          "exit code": "exit_code"}.items():  # fmt: skip
            self.assertEqual(page.row(name), [str(known[key])])
        self.assertAlmostEqual(float(page.row("hits of the L2")[0].split()[0]), 100 * known["l2_hit_rate"], delta=0.06)
        self.assertEqual(page.row("busiest part"), [known["bottleneck"]["what"]])
        text = " ".join(page.words)
        for part in ("nemesys-2x2: 4 tiles, one memory", "Every parameter, with its unit and its source",
                     "Rooflines of the memories", "Regions of the program", "Profile", "Tiles and links",
                     "instructions a cycle of each hart"):  # fmt: skip
            self.assertIn(part, text)
        for region in known["regions"]:
            row = next(row for row in page.rows if row[1:2] == [region["name"]])
            self.assertEqual(row[4].replace("\u202f", ""), str(region["cycles"]))
        for link in known["links"]:
            self.assertTrue(not link["flits"] or any(str(link["flits"]) == "".join(cell.split("\u202f"))
                                                     for row in page.rows for cell in row), link)  # fmt: skip
        # The grid, the roofs, three curves, a time line and a flame graph.
        self.assertEqual(page.pictures, 7)

    def test_cycles_of_tiles_add_up(self) -> None:
        sys.path.insert(0, str(PACKAGE))
        from tessera.simulator.report import pictures, recorded

        known = recorded.read(self.first)[0]
        profiled = pictures.spent(known)
        self.assertEqual(set(profiled[0]), set(pictures.PROFILED))
        issued = {hart["tile"]: 0.0 for hart in self.statistics["harts"]}
        for hart in known.spent:
            issued[hart["tile"]] += hart["issue"]
        for tile, one in profiled.items():
            self.assertAlmostEqual(sum(one.values()), 1)
            # An instruction is issued in a cycle or several.
            self.assertGreaterEqual(issued[tile], sum(hart["instructions"] for hart in self.statistics["harts"]
                                                      if hart["tile"] == tile))  # fmt: skip
        known.spent = []
        shares = pictures.spent(known)
        self.assertEqual(sorted(shares), sorted({hart["tile"] for hart in self.statistics["harts"]}))
        self.assertEqual(sorted(shares), sorted(profiled))
        for tile, one in shares.items():
            self.assertAlmostEqual(sum(one.values()), 1)
            harts = [hart for hart in self.statistics["harts"] if hart["tile"] == tile]
            executing = sum(hart["instructions"] for hart in harts) / (len(harts) * self.statistics["cycles"])
            self.assertAlmostEqual(one["instructions"], executing)

    def test_roofs_are_those_of_the_machine(self) -> None:
        # 4 B a cycle of 100 MHz is less than 64 B in 4 cycles of 1.25 ns; 12 harts of 50 MHz.
        row = next(row for row in self.page.rows if row[:1] == ["regions on nemesys-2x2"] and len(row) == 8)
        memory = self.statistics["memories"][0]
        seconds = self.statistics["simulated_ps"] * 1e-12
        harts = len(self.statistics["harts"])
        intensity = self.statistics["instructions"] / memory["bytes"]
        expected = [memory["tile"], 0.4, memory["bytes"] / seconds / 1e9, intensity,
                    self.statistics["instructions"] / seconds / 1e6, min(harts * 50, 400 * intensity)]  # fmt: skip
        for cell, value in zip(row[1:7], expected, strict=True):
            self.assertAlmostEqual(float(cell), value, delta=abs(value) * 1e-3)

    def test_a_comparison_has_both(self) -> None:
        both = self.folder / "both.html"
        run(TESS, "report", self.first, self.second, "--output", both)
        page = Page(both)
        self.refers_to_nothing(page)
        diff = json.loads(run(TESS, "machines", "diff", "nemesys-2x2", self.variant, "--json").stdout)
        keys = {one["key"]: one["values"] for one in diff}
        self.assertEqual(set(keys), {"l2.ways", "tile.tlm_access_cycles"})
        for key, values in keys.items():
            self.assertEqual(page.row(key), [str(value) for value in values])
        cycles = [cell.split(" ×")[0] for cell in page.row("cycles")]
        self.assertEqual(cycles[0], str(self.statistics["cycles"]))
        self.assertNotEqual(cycles[0], cycles[1])
        self.assertEqual(page.row("cycles")[1].split(" ×")[1], f"{int(cycles[1]) / int(cycles[0]):.3g}")
        # What a comparison has is what it was made of, so it can be compared again, and has the flame graph.
        self.assertIn("Profile", page.words)
        again = self.folder / "again.html"
        run(TESS, "report", both, "--output", again)
        self.assertEqual(Page(again).rows, page.rows)
        self.assertEqual(Page(again).pictures, page.pictures)

    def test_statistics_are_enough(self) -> None:
        flat = self.folder / "flat.json"
        run(*self.command, "single-tile", "--stats", flat, PROGRAMS / "hash")
        energy = self.folder / "e.json"
        energy.write_text(json.dumps(self.statistics | {"energy": {"total_joules": 0.125, "tiles": {"harts": 0.5}}}))
        output = self.folder / "o.html"
        run(TESS, "report", flat, energy, self.folder / "a.json", f"--output={output}")
        page = Page(output)
        self.refers_to_nothing(page)
        self.assertEqual(page.row("energy.total_joules"), ["–", "0.125", "–"])
        self.assertEqual(page.row("energy.tiles.harts"), ["–", "0.5", "–"])
        self.assertEqual(page.row("cycles")[0], "–")

    def test_a_sampled_run_has_its_estimate(self) -> None:
        page, statistics = self.folder / "sampled.html", self.folder / "sampled.json"
        plan = "period=20000,window=2000,warmup=4000"
        words = ["--sample", plan, "--stats", statistics, "--report", page]
        run(*self.command, "sifive-u74", *words, PROGRAMS / "phases", 12)
        known, made = json.loads(statistics.read_text()), Page(page)
        self.refers_to_nothing(made)
        self.assertEqual(len(known["counted"]), known["all"]["windows"])
        cycles, instructions = (sum(one[k] for one in known["counted"]) for k in (2, 1))
        self.assertAlmostEqual(cycles / instructions, known["all"]["cycles_per_instruction"])
        self.assertEqual(made.row("instructions"), [str(known["all"]["instructions"])])
        for name, part in (("whole run", known["all"]), ("measured part", known["measured"])):
            row = made.row(name)
            self.assertEqual(row[:2], [str(part["instructions"]), str(part["windows"])])
            wanted = (round(part["cycles"]), round(part["cycles_half_width"]))
            self.assertTrue(row[3].startswith(f"{wanted[0]} ± {wanted[1]} ("), row)
        self.assertEqual(made.row("cycles"), [f"{round(known['all']['cycles'])} estimated"])
        self.assertEqual(made.row("instructions from window to window"), ["20000"])
        self.assertEqual(made.pictures, 1)  # the windows, and nothing that only a whole run has
        for absent in ("Tiles and links", "Rooflines of the memories", "Over time", "hits of the L2"):
            self.assertNotIn(absent, made.words)
        # Beside a whole run, from its statistics alone.
        both = self.folder / "with-sampled.html"
        run(TESS, "report", self.folder / "a.json", statistics, "--output", both)
        cells = Page(both).row("cycles")
        self.assertEqual(cells[0], str(self.statistics["cycles"]))
        self.assertTrue(cells[1].startswith(f"{round(known['all']['cycles'])} ×"), cells)

    def test_the_exit_code_is_the_programs(self) -> None:
        page = self.folder / "w.html"
        run(*self.command, "nemesys-2x2", "--max-cycles", 3000, "--report", page, PROGRAMS / "hash", code=1)
        self.assertEqual(Page(page).row("exit code"), ["1"])
        none = self.folder / "none.html"
        run(*self.command, "no-such-machine", "--report", none, PROGRAMS / "hash", code=2)
        self.assertFalse(none.exists())
        said = run(TESS, "run", "--report", none, PROGRAMS / "hash", code=2).stderr
        self.assertIn("--report is an option of a machine", said)

    def test_wrong_files_are_refused(self) -> None:
        cases = {"x.txt": "words", "x.json": "[1]", "y.json": '{"schema": 1}', "z.html": "<html></html>",
                 "s.json": json.dumps(self.statistics | {"schema": 7})}  # fmt: skip
        said = {"x.txt": "no JSON and no report", "x.json": "no statistics of a machine",
                "y.json": "no statistics of a machine", "z.html": "no JSON and no report",
                "s.json": "schema 7, not 1", "absent.json": "cannot be read"}  # fmt: skip
        for name, text in cases.items():
            (self.folder / name).write_text(text)
        for name, words in said.items():
            output = self.folder / "wrong.html"
            self.assertIn(words, run(TESS, "report", self.folder / name, "--output", output, code=2).stderr)
            self.assertFalse(output.exists())
        run(TESS, "report", code=2)
        run(TESS, "report", self.first, "--output", self.folder / "no/such/folder.html", code=2)


if __name__ == "__main__":
    TESS, PROGRAMS, PACKAGE = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
