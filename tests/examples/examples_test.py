"""examples_test: the programs of apps/examples, compiled as a user would, give the right results on every fabric.

Each is compiled by `tess c++` and run on smp, checked, hostile and, where there is a launcher, ucx; with --machine it
is compiled by `tess c++ --machine NAME` and run on the tiles of that machine. Results are computed here once more, in
another way. Usage: examples_test.py TESS SOURCES [--machine NAME]...
"""

import argparse
import collections
import hashlib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SECONDS_MAX = 120


class MersenneTwister:
    """std::mt19937_64 (M. Matsumoto, T. Nishimura)."""

    def __init__(self, seed: int) -> None:
        self.state = [seed]
        for i in range(1, 312):
            last = self.state[-1]
            self.state.append((6364136223846793005 * (last ^ last >> 62) + i) % 2**64)
        self.at = 312

    def __call__(self) -> int:
        if self.at == 312:
            for i in range(312):
                x = self.state[i] & 0xFFFFFFFF80000000 | self.state[(i + 1) % 312] & 0x7FFFFFFF
                self.state[i] = self.state[(i + 156) % 312] ^ x >> 1 ^ (0xB5026F5AA96619E9 if x & 1 else 0)
            self.at = 0
        x = self.state[self.at]
        self.at += 1
        x ^= x >> 29 & 0x5555555555555555
        x ^= x << 17 & 0x71D67FFFEDA60000
        x ^= x << 37 & 0xFFF7EEE000000000
        return x ^ x >> 43


def expected_words(text: str, most: int) -> str:
    counts = collections.Counter(re.findall("[a-z]+", text.lower()))
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    return f"{counts.total()} words, {len(counts)} different ones\n" + "".join(f"{n:8} {w}\n" for w, n in top)


def expected_cores(vertices: int, edges: int) -> str:
    random = MersenneTwister(5)
    neighbours: list[list[int]] = [[] for _ in range(vertices)]
    for _ in range(edges):
        below = random() % vertices + 1
        a = random() % below
        below = random() % vertices + 1
        b = random() % below
        if a != b:
            neighbours[a].append(b)
            neighbours[b].append(a)
    # Always the vertex of least degree: its core number is the largest least degree so far.
    degrees = [len(row) for row in neighbours]
    left = set(range(vertices))
    cores, core = [0] * vertices, 0
    while left:
        v = min(left, key=degrees.__getitem__)
        core = max(core, degrees[v])
        cores[v] = core
        left.remove(v)
        for other in neighbours[v]:
            degrees[other] -= 1
    return (
        f"{vertices} vertices, {edges} edges: highest core number {core}, of {cores.count(core)} vertices; "
        f"sum of all {sum(cores)}\n"
    )


def expected_heat(side: int, steps: int) -> str:
    now = [[100.0] * side] + [[0.0] * side for _ in range(side + 1)]
    for _ in range(steps):
        wide = [[0.0, *row, 0.0] for row in now]
        now = [
            now[0],
            *(
                [(wide[r - 1][c] + wide[r + 1][c] + wide[r][c - 1] + wide[r][c + 1]) / 4 for c in range(1, side + 1)]
                for r in range(1, side + 1)
            ),
            now[-1],
        ]
    mean = sum(math.fsum(row) for row in now[1:-1]) / side / side
    return f"{side} x {side} cells, {steps} steps: {mean:.9f} degrees in the mean\n"


def expected_rod(cells: int, steps: int) -> tuple[str, str]:
    """The line that is printed, and the file."""
    now = [0.0] * cells
    now[cells // 2] = 1.0
    for _ in range(steps):
        wide = [0.0, *now, 0.0]
        now = [0.25 * wide[i] + 0.5 * wide[i + 1] + 0.25 * wide[i + 2] for i in range(cells)]
    lines = "".join(f"{x:.12g}\n" for x in now)
    return f"{cells} cells, {steps} steps: {now[cells // 2]:.9f} in the middle\n", lines


def expected_tree(depth_max: int) -> str:
    nodes = leaves = depth = 0
    todo = [(hashlib.sha1(bytes(16) + (19).to_bytes(4, "big")).digest(), 0)]
    while todo:
        state, level = todo.pop()
        u = (int.from_bytes(state[16:], "big") & 0x7FFFFFFF) / 2**31
        children = int(math.log(1 - u) / math.log(1 - 1 / 5)) if level < depth_max else 0
        nodes += 1
        leaves += children == 0
        depth = max(depth, level)
        todo += [(hashlib.sha1(state + k.to_bytes(4, "big")).digest(), level + 1) for k in range(children)]
    return f"tree T1:{depth_max}: {nodes} nodes, {leaves} leaves, depth {depth}\n"


TEXT = "It's a text, of words: the words of a text.\nAnd so on; and SO on, for lines\n" * 37 + "the end"


class Examples(unittest.TestCase):
    tess: Path | None = None
    sources: Path
    machines: list[str]
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="tess-examples-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        (cls.folder / "text").write_text(TEXT)

    def setUp(self) -> None:
        if self.tess is None:
            self.skipTest("needs the words of its command line")

    def run_tess(self, *words: str, code: int = 0) -> str:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TESS_")}
        done = subprocess.run(
            [self.tess, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX
        )
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def check(self, name: str, words: list[str], expected: str, written: tuple[str, str] | None = None) -> None:
        """`written`: a file and what it must have after each run."""
        source = str(self.sources / (name.replace("-", "_") + ".cpp"))
        if self.machines:
            self.run_tess("c++", "--machine", self.machines[0], source, "-o", name)
            for machine in self.machines:
                with self.subTest(machine=machine):
                    run = ("run", "--machine", machine, "--allow-write", ".", f"./{name}", *words)
                    self.assertEqual(self.run_tess(*run), expected)
                    self.check_file(written)
            return
        self.run_tess("c++", "-Wall", "-Wextra", "-Werror", source, "-o", name)
        fabrics = ["smp", "checked", "hostile"] + (["ucx"] if shutil.which("mpirun") else [])
        for fabric in fabrics:
            for places in ("1", "2", "3", "7") if fabric == "smp" else ("2",):
                with self.subTest(fabric=fabric, places=places):
                    out = self.run_tess("run", "--fabric", fabric, "-n", places, f"./{name}", *words)
                    self.assertEqual(out, expected)
                    self.check_file(written)

    def check_file(self, written: tuple[str, str] | None) -> None:
        if written is None:
            return
        file = self.folder / written[0]
        self.assertEqual(file.read_text(), written[1])
        self.assertEqual([other.name for other in self.folder.glob(f"{file.name}*")], [file.name])
        file.unlink()

    def test_word_count(self) -> None:
        self.check("word-count", ["text", "4"], expected_words(TEXT, 4))

    def test_k_core(self) -> None:
        self.check("k-core", ["150", "900"], expected_cores(150, 900))

    def test_diffusion(self) -> None:
        line, lines = expected_rod(300, 9)
        self.check("diffusion", ["rod", "300", "9"], line, ("rod", lines))

    def test_heat(self) -> None:
        self.check("heat", ["20", "9"], expected_heat(20, 9))

    def test_sample_sort(self) -> None:
        self.check("sample-sort", ["1500"], "1500 numbers, sorted\n")

    def test_uts(self) -> None:
        self.check("uts", ["T1:4"], expected_tree(4))

    def test_published_trees(self) -> None:
        """The counts of the sample trees of UTS."""
        if self.machines:
            self.skipTest("takes minutes of a simulated machine")
        self.run_tess("c++", str(self.sources / "uts.cpp"), "-o", "uts")
        for tree, line in (
            ("T1", "tree T1: 4130071 nodes, 3305118 leaves, depth 10\n"),
            ("T3", "tree T3: 4112897 nodes, 3599034 leaves, depth 1572\n"),
        ):
            self.assertEqual(self.run_tess("run", "-n", "2", "./uts", tree), line)

    def test_wrong_words(self) -> None:
        if self.machines:
            self.skipTest("is the same on machines")
        for name, words in (("uts", ["T2"]), ("word-count", []), ("k-core", ["0"]), ("heat", ["1"]), ("diffusion", [])):
            source = str(self.sources / (name.replace("-", "_") + ".cpp"))
            self.run_tess("c++", source, "-o", name)
            self.run_tess("run", "-n", "2", f"./{name}", *words, code=2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("tess", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--machine", action="append", default=[])
    given = parser.parse_args()
    Examples.tess, Examples.sources, Examples.machines = given.tess.absolute(), given.sources.absolute(), given.machine
    unittest.main(argv=sys.argv[:1])
