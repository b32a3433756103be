"""bad_files_check: files that are wrong, or change, are refused in words, and nothing of them stays.

Usage: bad_files_check.py FOLDER, which has the package tessera with its module. Method: files of each format with each
kind of damage, and with every kind of end; the words of the exceptions; memory, descriptors and threads of the process
after hundreds of refusals.
"""

import gc
import gzip
import os
import random
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, sys.argv.pop(1))

try:
    import numpy as np
    import pandas
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

import tessera as ts

FRAME = pandas.DataFrame({"source": list("abc") * 500, "target": list("bcd") * 500, "km": [1.0, 2.5, 4.0] * 500})
SANITIZED = "LD_PRELOAD" in os.environ


class Files(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def refused(self, words, call, kind=ValueError):
        with self.subTest(words), self.assertRaisesRegex(kind, words):
            call()


class Tables(Files):
    def test_wrong_tables_are_refused_with_their_line(self):
        for text, words in (
            ("s,t,w\na,b,nan\n", 'csv:2: "nan" in column "w", expected a finite number'),
            ("s,t,w\na,b,1\na,b,\n", 'csv:3: "" in column "w", expected a finite number'),
            ("s,t,w\na,b,-inf\n", 'csv:2: "-inf" in column "w"'),
            ("s,t,w\na,b,1,2\n", "csv:2: a row of at least 4 fields, expected 3"),
            ("s,t,w\na,b\n", "csv:2: a row of 2 fields, expected 3"),
            ('s,t,w\n"a,b,1\n', "csv:2: a quote that is never closed"),
            (b"s,t,w\n\xff\xfe,b,1\n", r'csv:2: "\\xff\\xfe" in column "s", expected UTF-8'),
            (b"\xff,t,w\na,b,1\n", r'csv:1: "\\xff" in the header, expected UTF-8'),
            ("s,t,w\na,b,1\n".encode("utf-16"), "csv:1: .* in the header, expected UTF-8"),
            ("", "csv: the file is empty"),
        ):
            self.refused(words, lambda text=text: ts.read_csv(self.write("x.csv", text), weight="w"))
        narrow = self.write("x.csv", "s,t\na,b\n")
        self.refused("csv.*km.*s, t", lambda: ts.read_csv(narrow, weight="km"))

    def test_any_integers_and_texts_are_names(self):
        for text, names in (
            ("s,t\n-1,2\n", [-1, 2]),
            ("s,t\n1000000000,2\n", [10**9, 2]),
            ("s,t\n1,2\na,3\n", list("12a3")),
            (f"s,t\n{'9' * 30},2\n", ["9" * 30, "2"]),
            ("s,t\n", []),
        ):
            g = ts.read_csv(self.write("x.csv", text))
            self.assertEqual(g.index.tolist(), names)
            self.assertEqual(len(ts.pagerank(g)), len(names))

    def test_an_edge_list_has_numbers(self):
        for name, text, words in (
            ("x.el", "0 -1\n", 'el:1: "-1" as a vertex'),
            ("x.el", "0 a\n", 'el:1: "a" as a vertex'),
            ("x.el", "0 1000000000\n", "el: vertex 1000000000 in a graph of 1 edges, expected numbers from 0, or "),
            ("x.el", "0 5000000000\n", "el:1: "),
            ("x.wel", "0 1 nan\n", 'wel:1: "nan" as a weight'),
        ):
            self.refused(words, lambda name=name, text=text: ts.read(self.write(name, text)))

    def test_damaged_compressed_files_are_refused(self):
        good = gzip.compress(b"s,t\n" + b"".join(b"a%d,b%d\n" % (i, i) for i in range(20_000)))
        self.assertEqual(ts.read_csv(self.write("x.csv.gz", good)).edges, 20_000)
        for cut in (0, 5, len(good) // 2, len(good) - 9, len(good) - 1):
            self.refused("gz: ", lambda cut=cut: ts.read_csv(self.write("x.csv.gz", good[:cut])))
        damaged = good[:99] + bytes([good[99] ^ 1]) + good[100:]
        self.refused("gz: gzip data is corrupt", lambda: ts.read_csv(self.write("x.csv.gz", damaged)))
        self.refused("gz: not gzip data", lambda: ts.read_csv(self.write("x.csv.gz", "s,t\na,b\n")))
        self.refused("gz: .*expected", lambda: ts.read_csv(self.write("x.csv.gz", good + b"junk")))

    def test_what_is_no_file_is_refused(self):
        self.refused("x.csv", lambda: ts.read_csv(self.folder / "x.csv"), FileNotFoundError)
        (self.folder / "y.csv").mkdir()
        self.refused("y.csv: not a regular file", lambda: ts.read_csv(self.folder / "y.csv"))
        os.mkfifo(self.folder / "z.csv")
        self.refused("z.csv: not a regular file", lambda: ts.read_csv(self.folder / "z.csv"))

    def test_a_file_that_changes_is_refused_or_read_as_it_was(self):
        """Another thread truncates, extends or replaces the file while it is read."""
        row = b"vertex%07d,vertex%07d\n"
        good = b"s,t\n" + b"".join(row % (i, i + 1) for i in range(30_000))
        path, results = self.folder / "x.csv", set()
        for attempt in range(25):
            path.write_bytes(good)
            delay = random.Random(attempt).random() * 0.02

            def change(attempt=attempt):
                if attempt % 3 == 0:
                    os.truncate(path, len(good) // 2)
                elif attempt % 3 == 1:
                    with open(path, "ab") as file:
                        file.write(b"more,rows\n" * 1000)
                else:
                    with open(path, "r+b") as file:
                        file.write(b"q" * 5000)

            timer = threading.Timer(delay, change)
            timer.start()
            try:
                results.add(ts.read_csv(path).edges)
            except ValueError as refused:
                results.add("refused")
                self.assertIn("x.csv", str(refused))
            timer.join()
        # Before the change, after it, or refused: nothing between.
        self.assertLessEqual(results, {"refused", 30_000, 30_001, 15_000, 14_999})


class Binaries(Files):
    def test_wrong_parquet_is_refused(self):
        try:
            FRAME.to_parquet(self.folder / "x.parquet")
        except ImportError:
            self.skipTest("no pyarrow")
        good = (self.folder / "x.parquet").read_bytes()
        self.assertEqual(ts.read_parquet(self.folder / "x.parquet", weight="km").edges, 3)
        for cut in (0, 3, len(good) // 2, len(good) - 4):
            self.refused("cut.parquet: .*expected a Parquet file",
                         lambda cut=cut: ts.read_parquet(self.write("cut.parquet", good[:cut])))
        damaged = good[:20] + b"\xee" * 180 + good[200:]
        self.refused("bad.parquet: .*expected a Parquet file",
                     lambda: ts.read_parquet(self.write("bad.parquet", damaged)))
        self.refused("x.parquet: no column 'miles', expected one of 'source', 'target', 'km'",
                     lambda: ts.read_parquet(self.folder / "x.parquet", weight="miles"))
        self.refused("none.parquet", lambda: ts.read_parquet(self.folder / "none.parquet"), FileNotFoundError)
        pandas.DataFrame({"source": [1.5], "target": [2.0]}).to_parquet(self.folder / "y.parquet")
        self.refused("the name 1.5", lambda: ts.read_parquet(self.folder / "y.parquet"))

    def test_wrong_matrices_are_refused(self):
        from scipy import sparse

        matrix = sparse.random_array((80, 80), density=0.1, rng=np.random.default_rng(1)).tocsr()
        sparse.save_npz(self.folder / "x.npz", matrix)
        good = (self.folder / "x.npz").read_bytes()
        for cut in (0, 10, len(good) // 2, len(good) - 10, len(good) - 1):
            self.refused("cut.npz: ", lambda cut=cut: ts.read(self.write("cut.npz", good[:cut])))
        np.savez(self.folder / "y.npz", x=np.arange(3))
        self.refused("y.npz: no array format", lambda: ts.read(self.folder / "y.npz"))
        matrix.data[7] = np.nan
        sparse.save_npz(self.folder / "z.npz", matrix)
        self.refused("z.npz: .*element 7 is nan", lambda: ts.read(self.folder / "z.npz"))
        self.refused("row 7: the weight nan", lambda: ts.from_scipy(matrix))
        self.refused("80 x 79, expected a square one", lambda: ts.from_scipy(matrix[:, :79]))

    def test_every_damaged_byte_of_a_matrix_is_refused_or_does_not_matter(self):
        from scipy import sparse

        sparse.save_npz(self.folder / "x.npz", sparse.csr_array(np.eye(4, k=1)))
        good = (self.folder / "x.npz").read_bytes()
        right = ts.read(self.folder / "x.npz").to_scipy().toarray()
        for at in range(0, len(good), 3):
            damaged = good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1 :]
            try:
                found = ts.read(self.write("bad.npz", damaged))
            except ValueError:
                continue
            # Times, attributes and comments of a zip file mean nothing to a reader.
            self.assertTrue((found.to_scipy().toarray() == right).all(), at)

    def test_wrong_saved_graphs_are_refused(self):
        ts.from_pandas(FRAME, weight="km").save(self.folder / "x.tgr")
        good = (self.folder / "x.tgr").read_bytes()
        newer = good[:8] + b"\x09" + good[9:]
        self.refused(r"y.tgr: version 9 of saved graphs, expected 1", lambda: ts.read(self.write("y.tgr", newer)))
        self.refused("y.tgr: not a saved graph", lambda: ts.read(self.write("y.tgr", b"\0" + good[1:])))
        self.refused("y.tgr: its header is damaged",
                     lambda: ts.read(self.write("y.tgr", good[:24] + b"\x07" + good[25:])))
        for cut in (0, 100, 4096, len(good) // 2, len(good) - 1):
            self.refused("y.tgr: ", lambda cut=cut: ts.read(self.write("y.tgr", good[:cut])))

    def test_a_saved_graph_may_be_replaced_or_deleted_while_it_is_mapped(self):
        path = self.folder / "x.tgr"
        ts.generate("kron:8").save(path)
        g = ts.read(path)
        before = ts.pagerank(g).to_numpy().copy()
        ts.generate("grid:3x3").save(path)
        self.assertEqual(ts.read(path).vertices, 9)
        path.unlink()
        self.assertTrue((ts.pagerank(g) == before).all())

    @unittest.skipIf(SANITIZED, "sanitizers have a handler of their own")
    def test_truncating_a_mapped_graph_ends_the_process_in_words(self):
        program = """if True:
            import os, sys, tessera as ts
            path = sys.argv[1]
            ts.generate("uniform:14").save(path)
            g = ts.read(path)
            os.truncate(path, 8192)
            print(ts.pagerank(g).sum())
        """
        done = subprocess.run([sys.executable, "-c", program, self.folder / "x.tgr"], capture_output=True, text=True,
                              check=False, env={**os.environ, "PYTHONPATH": sys.path[0]})
        self.assertEqual(done.returncode, -7, done.stderr)
        self.assertIn("x.tgr was truncated while it was mapped", done.stderr)


class Columns(Files):
    def test_wrong_frames_are_refused(self):
        def frame(source, target):
            return lambda: ts.from_pandas(pandas.DataFrame({"source": source, "target": target}))

        dates = pandas.to_datetime(["2020-01-01"])
        self.refused("row 1: mixed names: 1 and 'a', expected all integers or all texts", frame([1, "a"], [2, 3]))
        self.refused("one end of an edge is an integer and the other a text", frame([1, 2], ["a", "b"]))
        self.refused("row 0: the name True", frame([True], [False]))
        self.refused("row 0: the name Timestamp", frame(dates, dates))
        self.refused("row 1: .*name", frame(["a", None], ["b", "c"]))
        self.refused("row 1: the name nan", frame([1.0, np.nan], [2, 3]))
        self.refused("several columns 'source'",
                     lambda: ts.from_pandas(pandas.DataFrame([[1, 2, 3]], columns=["source", "source", "target"])))
        self.refused("weights, row 0: .*expected a number", lambda: ts.from_edges([0], [1], [1j]))
        self.refused("weights, row 0: .*expected a number", lambda: ts.from_edges([0], [1], ["x"]))
        self.refused("row 0: the weight inf", lambda: ts.from_edges([0], [1], [np.inf]))
        self.refused("shape", lambda: ts.from_edges(np.zeros((2, 2, 2), int)))
        self.refused("float64", lambda: ts.from_edges([0.5], [1]))

    def test_frames_have_any_integers_and_no_rows(self):
        for source, target, names in (
            ([-1, -2], [3, 4], [-1, 3, -2, 4]),
            ([10**9], [2**62], [10**9, 2**62]),
            ([], [], []),
        ):
            g = ts.from_pandas(pandas.DataFrame({"source": source, "target": target}))
            self.assertEqual(g.index.tolist(), names)
            self.assertEqual(len(ts.components(g)), len(names))


def held():
    """Bytes in memory, and the numbers of descriptors and threads of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE"), len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


class Leaks(Files):
    def test_refusals_leave_nothing(self):
        from scipy import sparse

        rows = b"".join(b"vertex%d,vertex%d,1\n" % (i, i * 7) for i in range(20_000))
        table = self.write("x.csv", b"s,t,w\n" + rows + b"a,b,nan\n")
        packed = self.write("x.csv.gz", gzip.compress(table.read_bytes())[:-5])
        sparse.save_npz(self.folder / "good.npz", sparse.eye_array(20_000, format="csr"))
        matrix = self.write("x.npz", (self.folder / "good.npz").read_bytes()[:-9])
        ts.generate("uniform:12").save(self.folder / "good.tgr")
        saved = self.write("x.tgr", (self.folder / "good.tgr").read_bytes()[:-9])
        edges = self.write("x.el", b"0 1\n" * 50_000 + b"0 x\n")
        wrong = FRAME.assign(km=[np.nan] * len(FRAME))
        calls = [
            lambda: ts.read_csv(table, weight="w"),
            lambda: ts.read_csv(packed, weight="w"),
            lambda: ts.read(matrix),
            lambda: ts.read(saved),
            lambda: ts.read(edges),
            lambda: ts.from_pandas(wrong, weight="km"),
            lambda: ts.from_edges(np.arange(30_000), np.arange(30_000), duplicates="other"),
            lambda: ts.pagerank(ts.read(self.folder / "good.tgr"), personalization={0: -1.0}),
        ]

        def all_refused(times):
            for _ in range(times):
                for call in calls:
                    with self.assertRaises(ValueError):
                        call()

        all_refused(20)
        before = held()
        all_refused(200)
        after = held()
        self.assertEqual(after[1:], before[1:], "descriptors and threads")
        # A table alone takes a megabyte: 1600 refusals that kept anything would show. Sanitizers keep what is freed.
        if not SANITIZED:
            self.assertLess(after[0] - before[0], 16 << 20)

    def test_graphs_that_are_dropped_leave_nothing(self):
        def work():
            g = ts.generate("uniform:12")
            ts.pagerank(g), ts.bfs(g, 0), ts.components(g), ts.triangles(g)

        for _ in range(10):
            work()
        before = held()
        for _ in range(60):
            work()
        after = held()
        self.assertEqual(after[1:], before[1:], "descriptors and threads")
        if not SANITIZED:
            self.assertLess(after[0] - before[0], 16 << 20)


if __name__ == "__main__":
    unittest.main()
