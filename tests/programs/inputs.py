"""inputs: programs accept valid inputs, and refuse others with exit code 2 and a message that names file and line.

Every input is given to several numbers of places: an error that another place meets first must surface in the same way.
Usage: inputs.py PROGRAMS.
"""

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PLACES = (1, 3)
FABRICS = ("smp", "hostile")
SECONDS_MAX = 60

MTX = "%%MatrixMarket matrix coordinate pattern general\n"
FILES = {
    "good.mtx": MTX + "3 3 2\n1 2\n2 3\n",
    "symmetric.mtx": MTX.replace("general", "symmetric") + "4 4 3\n2 1\n3 2\n4 4\n",
    "repeated.mtx": MTX + "3 3 5\n1 2\n1 2\n2 2\n1 3\n2 3\n",
    "clique.el": "0 1\n0 2\n0 3\n1 2\n2 1\n3 1\n3 2\n4 4\n",
    "edges.el": "0 1\n1 2\n2 70\n",
    "some.csv": "vertex,score\n0,0.5\n2,1.5\n",
    "zero.csv": "0,0\n",
    "some_pairs.csv": "0,0\n0,4\n",
    # A triangle, and a vertex beside it.
    "towns.csv": 'source,target\n"a,b",c\nc,"d ""e"""\n"a,b","d ""e"""\n"f\ng",c\n',
    "town_pairs.csv": '\ufeffsource,target,overlap\r\n"a,b",c,0.3\r\n"d ""e""","f\ng",1\r\n\r\nc,c\r\n',
    "town_pairs.tsv": 'source\ttarget\na,b\td "e"\n',
    "open_quote.csv": 'c,c\n"a,b",c\n"a,b,c\n',
    "unknown_town.csv": '"a,b",c\n"a,b","x,y"\n',
    "marked.csv": "\ufeffvertex,score\n0,0.5\n",
    "cyclic.el": "0 1\n1 2\n2 0\n2 3\n",
    "roads.gr": "p sp 3 2\na 1 2 7\na 2 3 5\n",
    "real.wel": "0 1 0.5\n1 2 0.25\n0 2 1\n2 0 0\n",
    "weights.mtx": MTX.replace("pattern", "integer").replace("general", "symmetric") + "3 3 3\n2 1 5\n2 1 4\n3 2 0\n",
    "huge.wel": "0 1 1e300\n1 2 1e-300\n",
    "large.wel": "0 1 4000000000\n1 2 4000000000\n",
    "negative.wel": "0 1 2\n1 2 -3\n",
    "empty.mtx": MTX + "0 0 0\n",
    "nothing.el": "# no edge\n",
    "sparse.el": "0 4000000000\n",
    "headless.mtx": "3 3 2\n1 2\n2 3\n",
    "outside.mtx": MTX + "3 3 2\n1 2\n2 4\n",
    "missing_entry.mtx": MTX + "3 3 5\n1 2\n2 3\n",
    "late.el": "".join(f"{i} {i + 1}\n" for i in range(20000)) + "1 x\n",
    # Layers of 8 vertices, each joined to all of the next one: 8^349 paths.
    "many_paths.el": "".join(
        f"{8 * i + j} {8 * i + 8 + k}\n" for i in range(350) for j in range(8) for k in range(8)
    ),
    "named.mtx": MTX + "3 3 2\n1 2\n2 3\n",
    "named.names": "alpha\nbeta\n",
}


@dataclasses.dataclass(frozen=True)
class Case:
    """Arguments in which FOLDER stands for the folder of the files, and the expected result."""

    words: str
    code: int
    text: str = ""  # on stderr
    result: dict[str, object] | None = None


CASES = [
    Case("bfs FOLDER/good.mtx --source 0", 0, result={"levels": [1, 1, 1]}),
    Case("bfs FOLDER/good.mtx --source 2", 0, result={"levels": [1]}),
    Case("bfs FOLDER/symmetric.mtx --source 2", 0, result={"levels": [1, 1, 1]}),
    Case("bfs FOLDER/repeated.mtx --source 0", 0, result={"levels": [1, 2]}),
    Case("bfs FOLDER/edges.el --source 0", 0, result={"levels": [1, 1, 1, 1]}),
    Case("bfs FOLDER/roads.gr --source 1", 0, result={"levels": [1, 1]}),
    Case("components FOLDER/edges.el", 0, result={"components": 68}),
    Case("components FOLDER/symmetric.mtx", 0, result={"components": 2, "largest": [3, 1]}),
    Case("pagerank FOLDER/repeated.mtx --top 1", 0, result={"top": [2]}),
    Case("pagerank FOLDER/repeated.mtx --personalise 1 --damping 0", 0, result={"scores": [1.0, 0.0, 0.0]}),
    Case("pagerank FOLDER/repeated.mtx --personalise FOLDER/some.csv --damping 0 --top 2", 0,
         result={"top": [2, 0], "scores": [0.75, 0.25]}),
    Case("pagerank FOLDER/good.mtx --personalise 3", 2, '--personalise: "3", expected a vertex of the graph'),
    Case("pagerank FOLDER/good.mtx --start FOLDER/edges.el", 2, 'edges.el:1: "0 1", expected a vertex, and a number'),
    Case("pagerank FOLDER/good.mtx --personalise FOLDER/marked.csv", 0),
    Case("pagerank FOLDER/good.mtx --personalise FOLDER/zero.csv", 2, "no vertex with a positive number"),
    Case("pagerank FOLDER/negative.wel --weighted", 2, "negative.wel:2: "),
    Case("pagerank FOLDER/good.mtx --weighted --form words", 2, "words has none of --weighted"),
    Case("sssp FOLDER/roads.gr --source 0", 0, result={"reached": 3, "distance_max": 12, "distance_sum": 19}),
    Case("sssp FOLDER/real.wel --source 0", 0, result={"farthest": [2, 1, 0], "distance_sum": 1.25}),
    Case("sssp FOLDER/weights.mtx --source 2", 0, result={"distance_max": 4, "distance_sum": 4}),
    Case("sssp FOLDER/huge.wel --source 0 --delta 1", 0, result={"reached": 3, "distance_max": 1e300}),
    Case("sssp FOLDER/large.wel --source 0", 0, result={"distance_max": 8e9}),
    Case("sssp FOLDER/good.mtx --source 0", 0, result={"distance_max": 2}),
    Case("bc FOLDER/symmetric.mtx --sources 9", 0, result={"sources": [2, 1, 0], "scores": [2.0, 0.0, 0.0, 0.0]}),
    Case("bc FOLDER/repeated.mtx --source 0", 0, result={"scores": [0.0, 0.0, 0.0]}),
    Case("bc FOLDER/many_paths.el --source 0", 2, "more than 1.8e308 shortest paths"),
    Case("bc FOLDER/many_paths.el --source 0 --form words", 2, "more than 1.8e19 shortest paths"),
    Case("bc FOLDER/symmetric.mtx --sources 9 --form words", 0, result={"scores": [2.0, 0.0, 0.0, 0.0]}),
    Case("bc FOLDER/symmetric.mtx --sources 9 --form words --each-awaited", 0, result={"scores": [2.0, 0.0, 0.0, 0.0]}),
    Case("bfs FOLDER/edges.el --source 0 --form words", 0, result={"levels": [1, 1, 1, 1]}),
    Case("bfs FOLDER/edges.el --source 0 --form words --each-awaited", 0, result={"levels": [1, 1, 1, 1]}),
    Case("bfs FOLDER/edges.el --each-awaited", 2, "--each-awaited: is of --form words, which was not asked for"),
    Case("pagerank FOLDER/repeated.mtx --top 1 --form words", 0, result={"top": [2]}),
    Case("pagerank FOLDER/repeated.mtx --top 1 --form words --each-awaited", 0, result={"top": [2]}),
    Case("sssp FOLDER/huge.wel --source 0 --delta 1 --form words", 0, result={"distance_max": 1e300}),
    Case("sssp FOLDER/real.wel --source 0 --form words", 0, result={"farthest": [2, 1, 0], "distance_sum": 1.25}),
    Case("sssp FOLDER/large.wel --source 0 --form words", 0, result={"distance_max": 8e9}),
    Case("sssp FOLDER/real.wel --source 0 --form words --each-awaited", 0, result={"distance_sum": 1.25}),
    Case("bfs kron:4 --form packets", 2, "form"),
    Case("sssp FOLDER/negative.wel", 2, "negative.wel:2: "),
    Case("sssp FOLDER/good.mtx --source 3", 2, "expected a vertex from 0 to 2"),
    Case("sssp kron:4 --delta 0", 2, "delta"),
    Case("sssp kron:4 --delta nan", 2, "delta"),
    Case("bc kron:4 --sources 0", 2, '--sources: "0" will not do; give a number above 0'),
    Case("communities kron:4 --resolution nan", 2, '--resolution: "nan" will not do; give a finite number'),
    Case("pagerank kron:4 --damping 1.5", 2, '--damping: "1.5" will not do; give a number from 0 to 1'),
    Case("pagerank kron:4 --form bogus", 2, '--form: "bogus" will not do; give one of words, messages'),
    Case("bc FOLDER/good.mtx --source x", 2, '"x", expected'),
    Case("bfs FOLDER/nothing.el", 2, "nothing.el:1: "),
    Case("bfs FOLDER/empty.mtx", 2, "empty.mtx:2: "),
    Case("bfs FOLDER/sparse.el", 2, "sparse.el: vertex 4000000000 in a graph of 1 edges, expected numbers"),
    Case("bfs FOLDER/missing.mtx", 2, "missing.mtx: "),
    Case("bfs FOLDER/headless.mtx", 2, "headless.mtx:1: "),
    Case("bfs FOLDER/outside.mtx", 2, "outside.mtx:4: "),
    Case("pagerank FOLDER/outside.mtx", 2, "outside.mtx:4: "),
    Case("components FOLDER/missing_entry.mtx", 2, "missing_entry.mtx:4: "),
    Case("components FOLDER/late.el", 2, "late.el:20001: "),
    Case("bfs FOLDER/named.mtx", 2, "named.names"),
    Case("bfs FOLDER/good.mtx --source 3", 2, "expected a vertex from 0 to 2"),
    Case("bfs FOLDER/good.mtx --source libc6", 2, '"libc6", expected'),
    Case("bfs kron:99", 2, "kron:99: "),
    Case("bfs", 2, "graph"),
    Case("pagerank kron:4 --damping 2", 2, "damping"),
    Case("circustent -b RAND_SUB -m 4KiB -i 10", 2, "there is no benchmark RAND_SUB; -l lists them"),
    Case("circustent -b RAND_ADD -m 4KiB", 2, "expected -b NAME"),
    Case("circustent -b RAND_ADD -m 80 -i 11", 2, "11 iterations need as many words, and -m gives 10"),
    Case("circustent -b STRIDEN_CAS -m 4KiB -i 60 -s 9", 2, "60 iterations by strides of 9 leave the 512 words"),
    Case("circustent -b RAND_ADD -m 4KiB -i 10 -p 77", 2, "expected the same number (tess run -n 77)"),
    Case("gups --log2-words 99", 2, "log2-words"),
    Case("transpose FOLDER/good.mtx", 0, result={"rows": 3, "entries": 2}),
    Case("transpose FOLDER/symmetric.mtx --form messages", 0, result={"rows": 4, "entries": 4}),
    Case("transpose FOLDER/good.mtx --output FOLDER", 1, "cannot write it: Is a directory"),
    Case("transpose FOLDER/missing.mtx", 2, "missing.mtx: "),
    Case("transpose kron:4 --form letters", 2, "--form"),
    Case("permute FOLDER/edges.el", 0, result={"rows": 71, "entries": 3}),
    Case("permute FOLDER/outside.mtx", 2, "outside.mtx:4: "),
    Case("triangles FOLDER/clique.el", 0, result={"triangles": 4}),
    Case("triangles FOLDER/clique.el --form messages", 0, result={"triangles": 4}),
    Case("triangles FOLDER/missing_entry.mtx", 2, "missing_entry.mtx:4: "),
    Case("clustering FOLDER/clique.el", 0, result={"triangles": 4, "transitivity": 1.0, "mean": 0.8}),
    Case("clustering FOLDER/good.mtx", 0, result={"triangles": 0, "transitivity": 0.0, "mean": 0.0}),
    Case("closeness FOLDER/clique.el --sources 5", 0, result={"sum": 1.75, "harmonic_sum": 7.0}),
    Case("closeness FOLDER/good.mtx --vertex 2 --no-improved", 0, result={"scores": [2 / 3], "harmonic_sum": 1.5}),
    Case("closeness FOLDER/good.mtx --vertex 3", 2, "expected a vertex from 0 to 2"),
    Case("closeness kron:4 --vertex 1 --sources 3", 2, "excludes"),
    Case("similarity FOLDER/clique.el", 0, result={"pairs": 6, "sum": 3.0}),
    Case("similarity FOLDER/clique.el --measure overlap --pairs FOLDER/some_pairs.csv", 0, result={"sum": 1.0}),
    Case("similarity FOLDER/clique.el --pairs FOLDER/missing.csv", 2, "missing.csv: cannot be opened"),
    Case("similarity FOLDER/clique.el --pairs FOLDER/edges.el", 2, "edges.el:1: one word, expected two vertices"),
    Case("similarity FOLDER/towns.csv --measure overlap --pairs FOLDER/town_pairs.csv", 0, result={"sum": 2.5}),
    Case("similarity FOLDER/towns.csv --measure overlap --pairs FOLDER/town_pairs.tsv", 0, result={"sum": 0.5}),
    Case("similarity FOLDER/towns.csv --pairs FOLDER/open_quote.csv", 2, "open_quote.csv:3: a quote that is not"),
    Case("similarity FOLDER/towns.csv --pairs FOLDER/unknown_town.csv", 2, 'town.csv:2: "x,y" is no vertex'),
    Case("similarity FOLDER/towns.csv --output FOLDER/similar.csv", 0, result={"pairs": 4}),
    Case("similarity FOLDER/towns.csv --pairs FOLDER/similar.csv", 0, result={"pairs": 4}),
    Case("similarity kron:4 --output pairs.npz", 2, "expected one that ends with .csv or .tsv"),
    Case("walks FOLDER/good.mtx --length 2 --walks 1", 0, result={"walks": 3, "steps": 3}),
    Case("walks FOLDER/real.wel --weighted --source 0 --walks 5 --length 1", 0, result={"steps": 5}),
    Case("walks FOLDER/negative.wel --weighted", 2, "negative.wel:2: "),
    Case("walks kron:4 -p 0", 2, "--return"),
    Case("bfs FOLDER/edges.el --source 0 --source 3", 0, result={"levels": [2, 1, 1, 1], "sources": [0, 3]}),
    Case("sssp FOLDER/real.wel --source 0 --source 2 --parents", 0, result={"sources": [0, 2]}),
    Case("sssp FOLDER/real.wel --parents --form words", 2, "--parents: is of --form messages"),
    Case("bc FOLDER/good.mtx --endpoints --form words", 2, "--endpoints: is of --form messages"),
    Case("bc FOLDER/clique.el --sources 5 --seed 3 --normalise", 0, result={"sum": 0.0}),
    # As NetworkX: the vertices without out-edges are sources, too.
    Case("bc FOLDER/good.mtx --sources 3 --normalise", 0, result={"sources": [1, 2, 0], "scores": [0.5, 0.0, 0.0]}),
    Case("communities FOLDER/clique.el", 0, result={"communities": 2, "largest": [4, 1], "modularity": 0.0}),
    Case("communities FOLDER/edges.el --method labels", 0, result={"communities": 69}),
    Case("communities FOLDER/real.wel --weighted", 0, result={"communities": 1}),
    Case("communities FOLDER/negative.wel --weighted", 2, "negative.wel:2: "),
    Case("communities kron:4 --method walks", 2, "--method"),
    Case("communities kron:4 --resolution -1", 2, "resolution"),
    Case("core-numbers FOLDER/clique.el", 0, result={"core_max": 3}),
    Case("core-numbers FOLDER/missing_entry.mtx", 2, "missing_entry.mtx:4: "),
    Case("scc FOLDER/symmetric.mtx", 0, result={"components": 2, "largest": [3, 1]}),
    Case("scc FOLDER/edges.el", 0, result={"components": 71}),
    Case("spanning-forest FOLDER/real.wel", 0, result={"edges": 2}),
    Case("spanning-forest FOLDER/negative.wel", 2, "negative.wel:2: "),
    Case("independent-set FOLDER/clique.el", 0, result={"size": 2}),
    Case("bipartite FOLDER/clique.el", 0, result={"bipartite": False, "odd_edge": [1, 2]}),
    Case("bipartite FOLDER/edges.el", 0, result={"bipartite": True}),
    Case("assortativity FOLDER/clique.el --source-degree both", 2, "--source-degree"),
    Case("topological-order FOLDER/good.mtx", 0, result={"generations": 3}),
    Case("topological-order FOLDER/cyclic.el", 1, result={"cycle": [0, 1, 2]}),
    Case("topological-order FOLDER/symmetric.mtx", 2, "expected a directed graph"),
    Case("topological-sort --size 1", 0, result={"rows": 1, "entries": 1, "levels": 1}),
    Case("topological-sort --size 9 --density 0", 0, result={"entries": 9, "levels": 1}),
    Case("topological-sort --size 9 --density 1", 0, result={"entries": 45, "levels": 9}),
    Case("topological-sort --density 2", 2, "density"),
    Case("topological-sort --density 0.5 --row-entries 3", 2, "density"),
    Case("random-permutation --size 0", 2, "size"),
]


def problem_of(case: Case, programs: Path, folder: Path, settings: dict[str, str]) -> str:
    """Empty if the program behaves as expected."""
    stats = folder / "stats.json"
    stats.unlink(missing_ok=True)
    name, *words = case.words.replace("FOLDER", str(folder)).split()
    done = subprocess.run(
        [str(programs / name), *words],
        env={**os.environ, **settings, "TESS_STATS": str(stats)},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    if done.returncode != case.code:
        return f"exit code {done.returncode}, expected {case.code}\n{done.stdout}{done.stderr}"
    if case.text not in done.stderr:
        return f"stderr lacks {case.text!r}: {done.stderr}"
    if case.result is not None:
        result = json.loads(stats.read_text())["result"]
        for key, value in case.result.items():
            if result.get(key) != value:
                return f"{key} is {result.get(key)}, expected {value}"
    return ""


def main() -> int:
    programs = Path(sys.argv[1])
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text)
        for case in CASES:
            for places in PLACES:
                for fabric in FABRICS:
                    settings = {"TESS_PLACES": str(places), "TESS_FABRIC": fabric}
                    if problem := problem_of(case, programs, folder, settings):
                        print(f"{settings} {case.words}: {problem}")
                        failed += 1
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
