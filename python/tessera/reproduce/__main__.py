"""__main__: `python3 -m tessera.reproduce PAPER|all|checks [OPTIONS]`, which the command `tess reproduce` runs."""

import sys

from tessera.papers.cni.paper import CNI
from tessera.papers.nemesys.paper import NEMESYS
from tessera.papers.rae.paper import RAE
from tessera.papers.rmem.paper import RMEM
from tessera.papers.softxmt.paper import SOFTXMT
from tessera.papers.together.paper import TOGETHER
from tessera.reproduce import command, everything, site
from tessera.reproduce.paper import Paper

# In the order of `all`: short ones first, so that a mistake shows early.
PAPERS: dict[str, Paper] = {paper.name: paper for paper in (SOFTXMT, RMEM, CNI, TOGETHER, RAE, NEMESYS)}
ALL, CHECKS = "all", "checks"


def main(words: list[str]) -> int:
    """The exit code: 0 if all runs succeeded, 1 if one failed, 2 for wrong arguments."""
    name = words[0] if words else ""
    if name == ALL:
        return everything.main(list(PAPERS.values()), words[1:])
    if name == CHECKS:
        return site.main(list(PAPERS.values()), words[1:])
    if name not in PAPERS:
        known = ",".join([*PAPERS, ALL, CHECKS])
        print(f"usage: python3 -m tessera.reproduce {{{known}}} [OPTIONS]", file=sys.stderr)
        return 0 if name in ("-h", "--help") else 2
    return command.main(PAPERS[name], words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
