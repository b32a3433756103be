"""graph_files: graphs of every format mean the same to `tess graph` and to programs on every fabric, and wrong files
are refused in words.

Method: a drawn graph with names that need quotes is written as a table, converted to every format and back, and
searched here once more; the programs must find the same from each of the files. Arrays of numpy are read by zipfile.
Usage: graph_files.py TESS.
"""

import ast
import csv
import gzip
import heapq
import io
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SECONDS_MAX = 60
VERTICES = 300
EDGES = 1200
LAYOUTS = [["-n", "1"], ["-n", "3"], ["-n", "3", "--workers", "2", "--fabric", "hostile"]]
if shutil.which("mpirun"):
    LAYOUTS.append(["-n", "3", "--fabric", "ucx"])

Edges = dict[tuple[str, str], int]


def name_of(vertex: int) -> str:
    return f'"{vertex}",\n quoted' if vertex % 11 == 0 else f"v{vertex}·"


def table(edges: list[tuple[str, str, int]]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["km", "to", "from"])
    rows.writerows([weight, b, a] for a, b, weight in edges)
    return text.getvalue()


def arrays(path: Path) -> dict[str, list]:
    """The arrays of a .npz file, of the types that programs write."""
    made = {}
    with zipfile.ZipFile(path) as members:
        for name in members.namelist():
            data = members.read(name)  # compares the checksum
            length = struct.unpack("<H", data[8:10])[0]
            head = ast.literal_eval(data[10 : 10 + length].decode())
            body, kind, size = data[10 + length :], head["descr"][1], int(head["descr"][2:])
            assert (10 + length) % 64 == 0 and not head["fortran_order"]
            if kind == "U":
                texts = (body[i : i + 4 * size] for i in range(0, len(body), 4 * size))
                values = [text.decode("utf-32-le").rstrip("\0") for text in texts]
            else:
                letter = {"i8": "q", "i4": "i", "f8": "d", "S3": "3s"}[head["descr"][1:]]
                values = [each[0] for each in struct.iter_unpack("<" + letter, body)]
            assert head["shape"] == (len(values),), (name, head, len(values))
            made[name.removesuffix(".npy")] = values
    return made


class GraphFiles(unittest.TestCase):
    tess: str
    folder: Path
    edges: Edges

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="tess-graph-files-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        draw = random.Random(7)
        listed = []
        cls.edges = {}
        for _ in range(EDGES):
            a, b = name_of(draw.randrange(VERTICES)), name_of(draw.randrange(VERTICES) ** 2 // VERTICES)
            weight = draw.randrange(1, 60)
            listed.append((a, b, weight))
            if a != b:
                cls.edges[a, b] = min(weight, cls.edges.get((a, b), weight))
        cls.listed = listed
        (cls.folder / "roads.csv").write_text(table(listed))
        (cls.folder / "roads.csv.gz").write_bytes(gzip.compress(table(listed).encode()))
        cls.source = listed[0][0]

    def tess_graph(self, *words: str, code: int = 0, **how: object) -> subprocess.CompletedProcess:
        ran = subprocess.run([self.tess, "graph", *words], cwd=self.folder, capture_output=True, text=True,
                             timeout=SECONDS_MAX, **how)
        self.assertEqual(ran.returncode, code, (words, ran.stdout, ran.stderr))
        return ran

    def run_program(self, *words: str, code: int = 0) -> subprocess.CompletedProcess:
        ran = subprocess.run([self.tess, "run", *words], cwd=self.folder, capture_output=True, text=True,
                             timeout=SECONDS_MAX)
        self.assertEqual(ran.returncode, code, (words, ran.stdout, ran.stderr))
        return ran

    def read_table(self, name: str) -> list[list[str]]:
        with open(self.folder / name, newline="") as file:
            return list(csv.reader(file))

    def edges_of(self, name: str) -> dict:
        rows = self.read_table(name)
        self.assertEqual(rows[0], ["source", "target", "weight"])
        found = {(a, b): float(weight) for a, b, weight in rows[1:]}
        self.assertEqual(len(found), len(rows) - 1)
        return found

    def distances(self, source: str) -> dict[str, int]:
        rows: dict[str, list[tuple[str, int]]] = {}
        for (a, b), weight in self.edges.items():
            rows.setdefault(a, []).append((b, weight))
        known: dict[str, int] = {}
        queue = [(0, source)]
        while queue:
            distance, v = heapq.heappop(queue)
            if v not in known:
                known[v] = distance
                for w, weight in rows.get(v, []):
                    heapq.heappush(queue, (distance + weight, w))
        return known

    def test_each_format_comes_back(self) -> None:
        self.tess_graph("convert", "roads.csv", "roads.tgr", "--weight-column", "km")
        self.tess_graph("check", "roads.tgr")
        self.tess_graph("convert", "roads.csv.gz", "zipped.tgr", "--weight-column", "km")
        self.assertEqual((self.folder / "roads.tgr").read_bytes(), (self.folder / "zipped.tgr").read_bytes())
        self.tess_graph("convert", "roads.tgr", "back.csv")
        self.assertEqual(self.edges_of("back.csv"), self.edges)
        names = [name for row in self.read_table("back.csv")[1:] for name in row[:2]]
        order = list(dict.fromkeys(end for a, b, _ in self.listed for end in (a, b)))
        number = {name: v for v, name in enumerate(order)}
        self.assertTrue(set(names) <= set(order))
        for name in ("roads.npz", "roads.wel", "roads.mtx"):
            # Names with line ends cannot stand in a names file.
            named = name == "roads.npz"
            self.tess_graph("convert", "roads.tgr", name, code=0 if named else 1)
            self.assertEqual((self.folder / name).exists(), named)
        self.tess_graph("convert", "roads.npz", "numbers.csv")
        self.assertEqual(self.edges_of("numbers.csv"),
                         {(str(number[a]), str(number[b])): weight for (a, b), weight in self.edges.items()})
        self.assertEqual(arrays(self.folder / "roads.npz")["names"], order)
        for name in ("numbers.wel", "numbers.mtx", "numbers.tgr", "numbers.tsv"):
            self.tess_graph("convert", "numbers.csv", name)
            self.tess_graph("convert", name, "again.csv")
            self.assertEqual(self.edges_of("again.csv"), self.edges_of("numbers.csv"), name)

    def test_programs_find_the_same_from_each_format(self) -> None:
        known = self.distances(self.source)
        self.tess_graph("convert", "roads.csv", "p.tgr", "--weight-column", "km")
        self.tess_graph("convert", "roads.csv", "q.tgr", "--weight-column", "km", "--with-in-edges")
        order = list(dict.fromkeys(end for a, b, _ in self.listed for end in (a, b)))
        expected = [["vertex", "distance"], *[[v, str(known.get(v, ""))] for v in order]]
        for layout in LAYOUTS:
            for words in (["roads.csv", "--weight-column", "km"], ["p.tgr"], ["q.tgr"]):
                self.run_program("sssp", *words, "--source", self.source, "--output", "d.csv", *layout)
                self.assertEqual(self.read_table("d.csv"), expected, (layout, words))
                self.run_program("sssp", *words, "--source", self.source, "--output", "d.npz", *layout)
                found = arrays(self.folder / "d.npz")
                self.assertEqual(found, {"vertex": order, "distance": [known.get(v, -1) for v in order]})
        self.tess_graph("convert", "p.tgr", "m.npz")
        text = self.run_program("sssp", "m.npz", "--source", "0", "--output", "n.csv", "-n", "2").stdout
        self.assertIn("verified: yes", text)
        self.assertEqual([row[1] for row in self.read_table("n.csv")], [row[1] for row in expected])
        # No .tsv file can have a name with a line end; nothing is left of it.
        ran = self.run_program("bfs", "p.tgr", "--output", "d.tsv", "-n", "3", code=1)
        self.assertIn("a name has a tab or a line end", ran.stderr)
        self.assertEqual([each.name for each in self.folder.iterdir() if "d.tsv" in each.name], [])

    def test_arrays_have_scores_and_components(self) -> None:
        text = "a,b\n10,20\n20,-5\n7,8\n"
        (self.folder / "ids.csv").write_text(text)
        for layout in LAYOUTS:
            self.run_program("components", "ids.csv", "--output", "c.npz", *layout)
            self.assertEqual(arrays(self.folder / "c.npz"),
                             {"vertex": [10, 20, -5, 7, 8], "component": [10, 10, 10, 7, 7]})
            self.run_program("pagerank", "ids.csv", "--output", "s.npz", *layout)
            scores = arrays(self.folder / "s.npz")["score"]
            self.assertEqual(len(scores), 5)
            self.assertTrue(all(0 < score < 1 for score in scores))
            self.run_program("bfs", "grid:10x10", "--source", "0", "--output", "g.npz", *layout)
            self.assertEqual(arrays(self.folder / "g.npz"),
                             {"vertex": list(range(100)), "distance": [v // 10 + v % 10 for v in range(100)]})

    def test_options_say_what_becomes_of_edges(self) -> None:
        (self.folder / "twice.csv").write_text("source,target,weight\na,b,5\nb,c,1\na,b,3\nc,c,1\na,b,4\n")

        def distance(*words: str) -> str:
            self.run_program("sssp", "twice.csv", "--source", "a", "--output", "w.csv", "-n", "2", *words)
            return ",".join(row[1] for row in self.read_table("w.csv")[1:])

        self.assertEqual(distance(), "0,3,4")
        self.assertEqual(distance("--duplicates", "first"), "0,5,6")
        self.assertEqual(distance("--duplicates", "last"), "0,4,5")
        self.assertEqual(distance("--duplicates", "sum"), "0,12,13")
        self.assertEqual(distance("--source-column", "target", "--target-column", "source"), ",0,")
        self.assertEqual(distance("--undirected", "--self-loops", "keep"), "0,3,4")
        for words, text in ((["--duplicates", "refuse"], "an edge that is there already"),
                            (["--self-loops", "refuse"], "a self-loop")):
            self.assertIn(text, self.run_program("sssp", "twice.csv", *words, "-n", "2", code=2).stderr)
        ran = self.run_program("bfs", "grid:3x3", "--directed", "--source", "8", "-n", "2")
        self.assertIn("reached 1 of 9 vertices", ran.stdout)

    def test_info_describes(self) -> None:
        facts = json.loads(self.tess_graph("info", "roads.csv", "--weight-column", "km", "--json").stdout)
        ends = {end for a, b, _ in self.listed for end in (a, b)}
        loops = sum(a == b for a, b, _ in self.listed)
        self.assertEqual((facts["vertices"], facts["edges"]), (len(ends), len(self.edges)))
        self.assertEqual(facts["read"], {"edges": EDGES, "self_loops": loops,
                                         "repeated": EDGES - loops - len(self.edges)})
        degrees = sorted(sum(a == v for a, _ in self.edges) for v in ends)
        self.assertEqual((facts["out_degrees"]["min"], facts["out_degrees"]["max"]), (degrees[0], degrees[-1]))
        self.assertEqual(facts["out_degrees"]["median"], degrees[(len(degrees) - 1) // 2])
        self.assertEqual(sum(facts["out_degrees"]["classes"]), len(ends))
        self.assertEqual(facts["names"], "texts")
        grid = json.loads(self.tess_graph("info", "grid:20x30", "--json").stdout)
        self.assertEqual(grid["diameter"]["at_least"], 48)
        self.assertEqual(grid["components"], {"count": 1, "largest": 600, "isolated": 0})
        text = self.tess_graph("info", "kron:10").stdout
        self.assertRegex(text, r"(?m)^ +8 to 15 +\d+  #+$")

    def test_generated_graphs_are_saved(self) -> None:
        self.tess_graph("generate", "kron:9", "k.tgr", "--weights")
        saved = self.run_program("sssp", "k.tgr", "--source", "3", "-n", "2", "--output", "k1.csv").stdout
        self.assertIn("verified: yes", saved)
        self.run_program("sssp", "kron:9", "--source", "3", "-n", "2", "--output", "k2.csv")
        self.assertEqual(self.read_table("k1.csv"), self.read_table("k2.csv"))
        self.assertIn("no generator", self.tess_graph("generate", "roads.csv", "k.tgr", code=2).stderr)

    def test_vertices_that_an_output_cannot_list_are_reported(self) -> None:
        (self.folder / "few.mtx").write_text(
            "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 2\n2 1\n4 2\n")
        for name, lost in (("few.csv", "3 of 6 vertices"), ("few.parquet", "3 of 6 vertices"),
                           ("few.el", "vertices 4 to 5"), ("few.mtx.tgr", ""), ("again.mtx", "")):
            said = self.tess_graph("convert", "few.mtx", name).stderr
            self.assertEqual(f"does not list {lost}, which have no edges" in said, bool(lost), (name, said))
        self.assertIn("1 of 64 vertices", self.tess_graph("generate", "uniform:6,2,3", "few.csv").stderr)

    def test_reads_metis(self) -> None:
        (self.folder / "x.metis").write_text("% a path\n4 3\n2\n1 3\n2 4\n3\n")
        ran = self.run_program("bfs", "x.metis", "--source", "0", "-n", "3")
        self.assertIn("reached 4 of 4 vertices from 0 in 4 levels", ran.stdout)

    def test_wrong_inputs_are_refused_in_words(self) -> None:
        self.tess_graph("generate", "grid:3x3", "whole.tgr")
        whole = (self.folder / "whole.tgr").read_bytes()
        files = {
            "nan.csv": ("source,target,weight\na,b,1\na,c,nan\n", 'nan.csv:3: "nan" in column "weight", expected'),
            "mixed.csv": ("source,target,weight\n1,2,1\n1,x,many\n", 'mixed.csv:3: "many" in column "weight"'),
            "short.csv": ("source,target\na,b\na\n", "short.csv:3: a row of 1 fields, expected 2"),
            "latin.csv": (b"source,target\na,b\na,K\xf6ln\n", 'latin.csv:3: "K\\xf6ln" in column "target"'),
            "rows.csv": ("source,target\n", "rows.csv: a graph without vertices, expected at least one edge"),
            "empty.csv": ("", "empty.csv: the file is empty"),
            "one.csv": ("source\na\n", "one.csv:1: a header of one column"),
            "open.csv": ('source,target\na,"b\nb,c\n', "open.csv:2: a quote that is never closed"),
            "negative.csv": ("source,target,weight\na,b,-2\n", "negative.csv: weight -2 of the edge from a to b"),
            "cut.tgr": (whole[:-5000], "cut.tgr: a file of"),
            "text.tgr": (b"0 1\n" * 2000, "text.tgr: not a saved graph"),
            "old.tgr": (whole[:8] + b"\x09" + whole[9:], "old.tgr: version 9 of saved graphs, expected 1"),
            "damaged.tgr": (whole[:8200] + b"\xff\xff" + whole[8202:], "damaged.tgr: "),
            "text.npz": (b"PK no zip", "text.npz: no directory of a zip file"),
            "header.metis": ("2 1\n3\n1\n", 'header.metis:2: "3" as a neighbour, expected 1 to 2'),
        }
        for name, (contents, text) in files.items():
            path = self.folder / name
            path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
            for layout in LAYOUTS[:2]:
                ran = self.run_program("sssp", name, *layout, code=2)
                self.assertIn(text, ran.stderr, name)
        missing = self.run_program("bfs", "roads.csv", "--source-column", "origin", code=2).stderr
        self.assertIn('no column "origin" (--source-column), expected one of the columns km, to, from', missing)
        # Large and negative integers are names as others.
        (self.folder / "large.csv").write_text("source,target\n1000000000,-7\n-7,999999999999\n")
        ran = self.run_program("bfs", "large.csv", "--source", "1000000000", "-n", "2")
        self.assertIn("reached 3 of 3 vertices from 1000000000", ran.stdout)
        ran = self.run_program("bfs", "large.csv", "--source", "0", "-n", "2", code=2)
        self.assertIn('--source: "0", expected a name of the graph', ran.stderr)
        self.assertIn("expected", self.run_program("bfs", "grid:3x3", "--output", "x.txt", code=2).stderr)
        self.assertIn("expected", self.tess_graph("convert", "grid:3x3", "x.txt", code=2).stderr)

    def test_a_check_finds_what_opening_does_not_look_at(self) -> None:
        self.tess_graph("generate", "grid:9x9", "good.tgr", "--weights")
        good = (self.folder / "good.tgr").read_bytes()
        offset = struct.unpack("<Q", good[56 + 2 * 24 : 56 + 2 * 24 + 8])[0]  # of the weights
        (self.folder / "bad.tgr").write_bytes(good[:offset] + b"\x01" + good[offset + 1 :])
        self.assertIn("a checksum is wrong", self.tess_graph("check", "bad.tgr", code=2).stderr)

    def test_nothing_is_left_of_what_a_disk_cannot_hold(self) -> None:
        def small() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        for name in ("full.tgr", "full.csv", "full.npz", "full.mtx", "full.parquet"):
            (self.folder / name).write_text("old")
            ran = self.tess_graph("convert", "kron:12", name, code=1, preexec_fn=small)
            self.assertIn(f"{name} cannot be written", ran.stderr)
            self.assertEqual((self.folder / name).read_text(), "old")
        self.assertEqual([each.name for each in self.folder.iterdir() if "partial" in each.name], [])


if __name__ == "__main__":
    GraphFiles.tess = os.path.abspath(sys.argv.pop(1))
    unittest.main()
