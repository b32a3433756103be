"""measures: throughput of RMem's transfers, from the cycles at which each transfer began and ended.

Units: MB/s of 10^6 bytes; cycles of 400 MHz.
"""

import dataclasses

from tessera.papers.rmem.plan import PEERS_BYTES, SYSTEMS, Plan, Run
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor

MHZ = 400


@dataclasses.dataclass(frozen=True)
class Transfer:
    """One line that the program printed."""

    cluster: int
    number: int
    begin: int  # cycle
    end: int


def parse_transfers(text: str) -> list[Transfer]:
    """The transfers that a run printed."""
    return [Transfer(*(int(word) for word in line.split())) for line in text.splitlines()]


class Results:
    """Measurements of the runs that succeeded, in this folder at any time, and the paper's numbers."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims, machine: dict) -> None:
        self.plan = plan
        self.paper = paper
        self.machine = machine  # its file
        self._executor = executor

    def transfers(self, run: Run) -> list[Transfer]:
        """Transfers of a run; none if it was not run."""
        return parse_transfers(self._executor.printed(run)) if self._executor.is_done(run) else []

    def cycles(self, way: str, direction: str, size_bytes: int, system: str = SYSTEMS[0]) -> float | None:
        """Cycles for each transfer with one peer: their mean, or all time over their number if they overlap."""
        if size_bytes not in self.plan.sizes:
            return None
        found = self.transfers(self.plan.of_size(way, direction, size_bytes, system))
        if not found:
            return None
        if way == "four":
            return (max(one.end for one in found) - min(one.begin for one in found)) / len(found)
        return sum(one.end - one.begin for one in found) / len(found)

    def throughput(self, way: str, direction: str, size_bytes: int, system: str = SYSTEMS[0]) -> float | None:
        """Throughput with one peer."""
        cycles = self.cycles(way, direction, size_bytes, system)
        return size_bytes * MHZ / cycles if cycles else None

    def total(self, way: str, direction: str, peers: int, system: str = SYSTEMS[0]) -> float | None:
        """Throughput of all peers together, from the first begin to the last end."""
        found = self.transfers(self.plan.of_peers(way, direction, peers, system)) if peers in self.plan.peers else []
        if not found:
            return None
        span = max(one.end for one in found) - min(one.begin for one in found)
        return len(found) * PEERS_BYTES * MHZ / span
