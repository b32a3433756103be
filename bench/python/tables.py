"""tables: how fast a table of edges with texts as names becomes a graph, beside pyarrow's reader of the same file.

Usage: ./tess python bench/python/tables.py [--rows N] [--names N] [--rounds N] [--json FILE]

Each round reads the file with pyarrow's reader, which makes no graph and has as many threads, then with `read_csv`.
Also: pyarrow's encoding of the two columns by one dictionary with scipy's rows, beside `from_arrow` of the same table.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv
from scipy.sparse import coo_array

import tessera as ts


def write_table(path, rows, names):
    random = np.random.default_rng(1)
    called = np.array([f"city{i:x}" for i in random.permutation(names)])
    with open(path, "w", encoding="utf-8") as file:
        file.write("from,to,km\n")
        for begin in range(0, rows, 1 << 18):
            count = min(1 << 18, rows - begin)
            ends = called[random.integers(0, names, (2, count))]
            km = random.integers(1, 1000, count)
            file.write("".join(f"{u},{v},{w}\n" for u, v, w in zip(*ends, km, strict=True)))


def encode_by_arrow(table):
    """Names to numbers, then compressed rows."""
    both = pyarrow.chunked_array([*table["from"].chunks, *table["to"].chunks]).combine_chunks().dictionary_encode()
    codes = both.indices.to_numpy()
    n, m = len(both.dictionary), len(table)
    return coo_array((table["km"].to_numpy(), (codes[:m], codes[m:])), shape=(n, n)).tocsr()


def main():
    parser = argparse.ArgumentParser(description="Times reading and encoding a table of edges.")
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--names", type=int, default=10**6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", help="write the medians to this file, too")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, saved = Path(folder, "trips.csv"), Path(folder, "trips.tgr")
        write_table(path, words.rows, words.names)
        table = pyarrow.csv.read_csv(path)
        works = {
            "pyarrow.csv reads": lambda: pyarrow.csv.read_csv(path),
            "read_csv makes a graph": lambda: ts.read_csv(path, "from", "to", "km", directed=True),
            "pyarrow encodes, scipy makes rows": lambda: encode_by_arrow(table),
            "from_arrow makes a graph": lambda: ts.from_arrow(table, "from", "to", "km", directed=True),
        }
        taken = {name: [] for name in [*works, "read opens the saved graph"]}
        for _ in range(words.rounds):
            for name, work in works.items():
                begin = time.perf_counter()
                made = work()
                taken[name].append(time.perf_counter() - begin)
            made.save(saved)
            begin = time.perf_counter()
            made = ts.read(saved)
            taken["read opens the saved graph"].append(time.perf_counter() - begin)
        size = path.stat().st_size
    medians = {name: statistics.median(times) for name, times in taken.items()}
    print(f"{words.rows} rows, {words.names} names, {size / 1e6:.0f} MB, {os.cpu_count()} processors, {made!r}")
    for name, spent in medians.items():
        print(f"{name:36} {spent:.3f} s")
    if words.json:
        Path(words.json).write_text(json.dumps({"rows": words.rows, "names": words.names, "seconds": medians}))


if __name__ == "__main__":
    main()
