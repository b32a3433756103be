"""tables: the files of --output have a row for each vertex, the right ones, on every fabric; or are not there at all.

Method: a small graph with weights and names, some with commas and quotes, is searched here once more; scores, which the
programs verify themselves, are compared with those that they report. Every number of places and every fabric must write
the same bytes. Then everything is full: a device, a limit of the process and, for root, a file system. Usage: tables.py
TESS.
"""

import csv
import heapq
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SECONDS_MAX = 60
VERTICES = 400
EDGES = 900
LAYOUTS = [["-n", "1"], ["-n", "2"], ["-n", "5"], ["-n", "3", "--workers", "2"]]
LAYOUTS += [["-n", "3", "--fabric", "checked"], ["-n", "3", "--fabric", "hostile"]]
if shutil.which("mpirun"):
    LAYOUTS += [["-n", "2", "--fabric", "ucx"], ["-n", "3", "--fabric", "ucx"]]


def name_of(vertex: int) -> str:
    return f'the "{vertex}", quoted' if vertex % 7 == 0 else f"v{vertex}"


class Tables(unittest.TestCase):
    tess: str
    folder: Path
    edges: dict[tuple[int, int], int]
    source: int

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="tess-tables-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        draw = random.Random(1)
        cls.edges = {}
        for _ in range(EDGES):
            a, b = draw.randrange(VERTICES), draw.randrange(VERTICES)
            if a != b:
                cls.edges[a, b] = draw.randrange(1, 50)
        # A vertex that reaches many others, but not all.
        cls.source = max(range(VERTICES), key=lambda v: len(cls.distances(v, weighted=False)))
        lines = "".join(f"{a + 1} {b + 1} {weight}\n" for (a, b), weight in cls.edges.items())
        head = f"%%MatrixMarket matrix coordinate integer general\n{VERTICES} {VERTICES} {len(cls.edges)}\n"
        for graph in ("plain.mtx", "named.mtx"):
            (cls.folder / graph).write_text(head + lines)
        (cls.folder / "named.names").write_text("".join(name_of(v) + "\n" for v in range(VERTICES)))

    def run_tess(self, *words: str, code: int = 0, **how: object) -> subprocess.CompletedProcess:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TESS_")}
        # A program that hangs says where its tasks wait.
        environment["TESS_STALL_TIMEOUT"] = str(SECONDS_MAX / 3)
        try:
            done = subprocess.run(
                [self.tess, "run", *words], cwd=self.folder, env=environment, capture_output=True, text=True,
                timeout=SECONDS_MAX, check=False, **how,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            self.fail(f"{words}: not finished after {SECONDS_MAX} s\n{(late.stderr or b'').decode()}")
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done

    @classmethod
    def distances(cls, source: int, *, weighted: bool) -> dict[int, int]:
        out: dict[int, list[tuple[int, int]]] = {}
        for (a, b), weight in cls.edges.items():
            out.setdefault(a, []).append((b, weight if weighted else 1))
        found, todo = {}, [(0, source)]
        while todo:
            distance, v = heapq.heappop(todo)
            if v in found:
                continue
            found[v] = distance
            for b, weight in out.get(v, []):
                heapq.heappush(todo, (distance + weight, b))
        return found

    def components(self) -> list[int]:
        label = list(range(VERTICES))

        def root(v: int) -> int:
            while label[v] != v:
                v = label[v]
            return v

        for a, b in self.edges:
            low, high = sorted((root(a), root(b)))
            label[high] = low
        return [root(v) for v in range(VERTICES)]

    def table(self, text: str, header: list[str], separator: str = ",") -> list[list[str]]:
        rows = list(csv.reader(text.splitlines(), delimiter=separator))
        self.assertEqual(rows[0], header)
        self.assertEqual(len(rows), VERTICES + 1)
        return rows[1:]

    def test_distances_and_components(self) -> None:
        bfs, sssp = (self.distances(self.source, weighted=weighted) for weighted in (False, True))
        self.assertGreater(len(bfs), VERTICES // 3)
        self.assertLess(len(bfs), VERTICES)
        expected = {
            ("bfs", "distance"): [str(bfs.get(v, "")) for v in range(VERTICES)],
            ("sssp", "distance"): [str(sssp.get(v, "")) for v in range(VERTICES)],
            ("components", "component"): [str(v) for v in self.components()],
        }
        for (program, column), values in expected.items():
            source = [] if program == "components" else ["--source", str(self.source)]
            for layout in LAYOUTS:
                with self.subTest(program=program, layout=layout):
                    self.run_tess(program, "plain.mtx", *source, *layout, "--output", "table.csv")
                    rows = self.table((self.folder / "table.csv").read_text(), ["vertex", column])
                    self.assertEqual(rows, [[str(v), value] for v, value in enumerate(values)])
                    self.assertEqual([file.name for file in self.folder.glob("table*")], ["table.csv"])
        self.run_tess("bfs", "plain.mtx", "--source", str(self.source), "--form", "words", "--output", "table.csv")
        rows = self.table((self.folder / "table.csv").read_text(), ["vertex", "distance"])
        self.assertEqual([row[1] for row in rows], expected["bfs", "distance"])

    def test_cores_and_strong_components(self) -> None:
        around: list[set[int]] = [set() for _ in range(VERTICES)]
        for a, b in self.edges:
            around[a].add(b)
            around[b].add(a)
        # Always the vertex with the fewest neighbours left.
        left, core, cores = {v: len(around[v]) for v in range(VERTICES)}, 0, [0] * VERTICES
        while left:
            v = min(left, key=left.__getitem__)
            core = max(core, left.pop(v))
            cores[v] = core
            for other in around[v] & left.keys():
                left[other] -= 1
        reached = [self.distances(v, weighted=False).keys() for v in range(VERTICES)]
        strong = [min(u for u in reached[v] if v in reached[u]) for v in range(VERTICES)]
        for program, column, values in (("core-numbers", "core", cores), ("scc", "component", strong)):
            for layout in LAYOUTS:
                with self.subTest(program=program, layout=layout):
                    self.run_tess(program, "plain.mtx", *layout, "--output", "table.csv")
                    rows = self.table((self.folder / "table.csv").read_text(), ["vertex", column])
                    self.assertEqual(rows, [[str(v), str(value)] for v, value in enumerate(values)])

    def test_forest(self) -> None:
        """Connects what is connected, by edges of the graph, with the weight that is reported."""
        self.run_tess("spanning-forest", "plain.mtx", "-n", "3", "--output", "forest.csv", "--stats", "s.json")
        rows = self.table((self.folder / "forest.csv").read_text(), ["vertex", "parent", "weight"])
        weights: dict[tuple[int, int], int] = {}
        for (a, b), weight in self.edges.items():
            pair = (min(a, b), max(a, b))
            weights[pair] = min(weight, weights.get(pair, weight))
        components = self.components()
        total = 0.0
        for v, parent, weight in rows:
            if parent == "":
                self.assertEqual((components[int(v)], weight), (int(v), ""))
                continue
            self.assertEqual(components[int(v)], components[int(parent)])
            self.assertEqual(float(weight), weights[min(int(v), int(parent)), max(int(v), int(parent))])
            total += float(weight)
        self.assertEqual(total, json.loads((self.folder / "s.json").read_text())["result"]["weight"])

    def test_order(self) -> None:
        lines = "".join(f"{min(pair)} {max(pair)}\n" for pair in self.edges)
        (self.folder / "forward.el").write_text(lines + f"{VERTICES - 2} {VERTICES - 1}\n")
        first = None
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                self.run_tess("topological-order", "forward.el", *layout, "--output", "order.csv")
                text = (self.folder / "order.csv").read_text()
                first = first or text
                self.assertEqual(text, first)
                rows = self.table(text, ["vertex", "generation", "position"])
                generation = [int(row[1]) for row in rows]
                order = sorted(range(VERTICES), key=lambda v: (generation[v], v))
                self.assertEqual([int(rows[v][2]) for v in order], list(range(VERTICES)))
                self.assertTrue(all(generation[min(pair)] < generation[max(pair)] for pair in self.edges))

    def test_names(self) -> None:
        """Vertices have their names, in both columns; as CSV readers want them, or between tabs."""
        names = [name_of(v) for v in range(VERTICES)]
        for ending, separator in (("csv", ","), ("tsv", "\t")):
            for layout in LAYOUTS:
                with self.subTest(ending=ending, layout=layout):
                    self.run_tess("components", "named.mtx", *layout, "--output", f"names.{ending}")
                    text = (self.folder / f"names.{ending}").read_text()
                    if ending == "tsv":
                        rows = [line.split("\t") for line in text.splitlines()][1:]
                    else:
                        rows = self.table(text, ["vertex", "component"], separator)
                    self.assertEqual(rows, [[names[v], names[c]] for v, c in enumerate(self.components())])

    def test_scores(self) -> None:
        """The same bits as the program reports for its highest ones, and the same bytes from every layout."""
        for program in ("pagerank", "bc"):
            first = None
            for layout in LAYOUTS:
                with self.subTest(program=program, layout=layout):
                    self.run_tess(program, "plain.mtx", *layout, "--output", "scores.csv", "--stats", "s.json")
                    text = (self.folder / "scores.csv").read_text()
                    first = first or text
                    self.assertEqual(text, first)
                    scores = [float(row[1]) for row in self.table(text, ["vertex", "score"])]
                    result = json.loads((self.folder / "s.json").read_text())["result"]
                    self.assertEqual([scores[v] for v in result["top"]], result["scores"])
                    self.assertEqual(max(scores), result["scores"][0])

    def test_standard_output(self) -> None:
        """Has the table alone; what the program says goes to standard error."""
        self.run_tess("bfs", "plain.mtx", "--output", "table.csv")
        expected = (self.folder / "table.csv").read_text()
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                done = self.run_tess("bfs", "plain.mtx", *layout, "--output", "-")
                self.assertEqual(done.stdout, expected)
                self.assertIn("verified: yes", done.stderr)

    def test_full(self) -> None:
        """Exit code 1, the reason, and what was there before."""
        kept = self.folder / "kept.csv"
        kept.write_text("old")

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                done = self.run_tess("bfs", "plain.mtx", *layout, "--output", "/dev/full", code=1)
                self.assertIn("--output: /dev/full: place 0 cannot write it: No space left on device", done.stderr)
                if "ucx" in layout:
                    continue  # its own files are limited, too
                done = self.run_tess("bfs", "plain.mtx", *layout, "--output", "kept.csv", code=1, preexec_fn=limit)
                self.assertRegex(done.stderr, r"--output: kept.csv: place \d cannot write it: File too large")
                self.assertEqual(kept.read_text(), "old")
                self.assertEqual([file.name for file in self.folder.glob("kept*")], ["kept.csv"])
                done = self.run_tess("bfs", "plain.mtx", *layout, "--output", "new.parquet", code=1, preexec_fn=limit)
                self.assertRegex(done.stderr, r"--output: new.parquet: place \d cannot write it: File too large")
                self.assertEqual(list(self.folder.glob("new*")), [])

    def test_full_disk(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", disk], check=False,
                                               capture_output=True).returncode != 0:  # fmt: skip
            self.skipTest("needs the right to mount a file system")
        try:
            (disk / "kept.csv").write_text("old")
            for layout in LAYOUTS:
                with self.subTest(layout=layout):
                    done = self.run_tess("pagerank", "plain.mtx", *layout, "--output", "disk/kept.csv", code=1)
                    self.assertRegex(
                        done.stderr,
                        r"--output: disk/kept.csv: place \d cannot (write it|bring it to the disk): No space left on",
                    )
                    self.assertEqual([file.name for file in disk.iterdir()], ["kept.csv"])
                    self.assertEqual((disk / "kept.csv").read_text(), "old")
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_wrong_names(self) -> None:
        for name, said in (
            ("t.txt", "one that ends with .csv, .tsv, .parquet or .npz, or -"),
            ("none/t.csv", "in a folder that"),
        ):
            self.assertIn(said, self.run_tess("bfs", "plain.mtx", "--output", name, code=2).stderr)

    def test_transpose(self) -> None:
        """Writes a matrix that is the first one after another transpose, by any number of places."""
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                self.run_tess("transpose", "plain.mtx", *layout, "--output", "turned.mtx")
                self.run_tess("transpose", "turned.mtx", *layout, "--output", "again.mtx")
                lines = (self.folder / "again.mtx").read_text().splitlines()
                self.assertEqual(lines[1], f"{VERTICES} {VERTICES} {len(self.edges)}")
                self.assertEqual(lines[2:], [f"{a + 1} {b + 1}" for a, b in sorted(self.edges)])
        done = self.run_tess("transpose", "plain.mtx", "--output", "/dev/full", code=1)
        self.assertIn("/dev/full: place 0 cannot write it: No space left", done.stderr)


if __name__ == "__main__":
    Tables.tess = str(Path(sys.argv[1]).absolute())
    unittest.main(argv=sys.argv[:1])
