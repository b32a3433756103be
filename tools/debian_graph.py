"""debian_graph: the dependency graph of Debian's packages as MatrixMarket, from this computer's package index.

A vertex is a package. An edge u -> v says "if u breaks, v may break": v names u, or a virtual package that u provides,
in Depends or Pre-Depends; each alternative of `a | b` counts, and each provider. So a breadth-first search from libc6
along the edges finds what a broken libc6 can reach. Recommends are left out: a package works without them. Names that
no package has or provides are left out, too.

The output is a function of the index alone: vertices sorted by name, edges by (source, target), no time stamps.

    tools/debian_graph.py data/debian-12      writes data/debian-12.mtx.gz and data/debian-12.names.gz
"""

import argparse
import gzip
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

DEPENDENCY_FIELDS = ("Pre-Depends", "Depends")
# The name at the begin of an alternative such as "python3:any (>= 3.11)".
NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*")

Package = dict[str, str]  # field -> value, continuation lines joined
Edge = tuple[str, str]  # (package that breaks, package that may break as a consequence)


def read_packages(index: Iterable[str]) -> Iterator[Package]:
    """The paragraphs of a package index, in its order."""
    package: Package = {}
    field = ""
    for line in index:
        line = line.rstrip("\n")
        if not line:
            if package:
                yield package
            package = {}
        elif line[0] in " \t":
            package[field] += line
        else:
            field, _, value = line.partition(":")
            package[field] = value.strip()
    if package:
        yield package


def names_in(relation: str) -> Iterator[str]:
    """All names of a relation field, alternatives included, versions and architectures dropped."""
    for alternative in re.split(r"[,|]", relation):
        if match := NAME.match(alternative.strip()):
            yield match.group()


def edges_of(packages: list[Package]) -> set[Edge]:
    """The edges between packages; a virtual package stands for its providers, unless a package has its name."""
    suppliers: dict[str, set[str]] = {}
    for package in packages:
        for virtual in names_in(package.get("Provides", "")):
            suppliers.setdefault(virtual, set()).add(package["Package"])
    suppliers |= {package["Package"]: {package["Package"]} for package in packages}

    edges: set[Edge] = set()
    for package in packages:
        for needed in (name for field in DEPENDENCY_FIELDS for name in names_in(package.get(field, ""))):
            edges.update((supplier, package["Package"]) for supplier in suppliers.get(needed, ()))
    return edges


def write_compressed(path: Path, lines: Iterable[str]) -> None:
    """Gzip without file name and time, so that equal text gives equal bytes."""
    text = "".join(f"{line}\n" for line in lines).encode("ascii")
    path.write_bytes(gzip.compress(text, compresslevel=9, mtime=0))


def write_graph(stem: Path, names: list[str], edges: set[Edge]) -> None:
    """Writes STEM.mtx.gz, whose row i -> column j is edge i-1 -> j-1, and STEM.names.gz."""
    number = {name: position for position, name in enumerate(names, start=1)}
    entries = sorted((number[source], number[target]) for source, target in edges)
    header = [
        "%%MatrixMarket matrix coordinate pattern general",
        "% Debian 12 main: row -> column says that the column's package depends on the row's.",
        f"{len(names)} {len(names)} {len(entries)}",
    ]
    write_compressed(stem.with_name(stem.name + ".mtx.gz"), header + [f"{row} {column}" for row, column in entries])
    write_compressed(stem.with_name(stem.name + ".names.gz"), names)


def main() -> None:
    """Reads the index, writes the graph and prints its sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stem", type=Path, help="path of the output without .mtx.gz")
    parser.add_argument("--index", type=Path, help="a Packages file to read instead of what apt-cache says")
    arguments = parser.parse_args()

    if arguments.index:
        text = arguments.index.read_text(encoding="utf-8")
    else:
        text = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, encoding="utf-8").stdout
    packages = list(read_packages(text.splitlines()))
    edges = edges_of(packages)
    names = sorted({package["Package"] for package in packages})
    write_graph(arguments.stem, names, edges)
    print(f"{len(names)} vertices, {len(edges)} edges")


if __name__ == "__main__":
    main()
