"""__main__: `python3 -m tessera.reproduce PAPER [OPTIONS]`, which the command `tess reproduce` runs."""

import sys

from tessera.papers.cni.paper import CNI
from tessera.papers.nemesys.paper import NEMESYS
from tessera.papers.rae.paper import RAE
from tessera.papers.rmem.paper import RMEM
from tessera.papers.softxmt import figures as softxmt
from tessera.papers.together.paper import TOGETHER
from tessera.reproduce import command
from tessera.reproduce.paper import Paper

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (NEMESYS, RMEM, CNI, RAE, TOGETHER)}
SOFTXMT = "softxmt"  # measured by a program of its own; only its figures are drawn here


def main(words: list[str]) -> int:
    """The exit code: 0 if all runs succeeded, 1 if one failed, 2 for wrong arguments."""
    name = words[0] if words else ""
    if name == SOFTXMT:
        return softxmt.main(words[1:])
    if name not in PAPERS:
        print(f"usage: python3 -m tessera.reproduce {{{','.join([SOFTXMT, *PAPERS])}}} [OPTIONS]", file=sys.stderr)
        return 0 if name in ("-h", "--help") else 2
    return command.main(PAPERS[name], words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
