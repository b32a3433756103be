"""plan: the runs of figures 3 and 4 of RMem: each has one way, one direction, one size and one number of peers.

Each is made twice: with the system kernel, whose calls all messages and transfers pass as in the paper's NodeOS, and
bare, by the units' registers. Runs are in random order, as the paper's; each layout is a replication (`layouts.py`).
"""

import dataclasses
import random

from tessera.reproduce import plan
from tessera.simulator.machines import Machine

PROGRAM, CLUSTERS = "mppa-rmem", 20
MPPA = Machine("mppa-256")
SYSTEMS = ("kernel", "polled")  # of `tess run --system`: with an operating system, and without
WAYS = ("rmem", "bare", "overlapped")
# Beyond the paper: RMem with four requests under way, and with offsets in a line that differ.
BEYOND = ("four", "unaligned")
DIRECTIONS = ("write", "read")
KIB = 1024
BELOW = tuple(64 << i for i in range(4))  # 64 to 512 bytes: the first phase on our machine
SIZES = (*BELOW, *(KIB << i for i in range(11)))  # the paper's are 1 KiB to 1 MiB
QUICK_SIZES = (64, KIB, 64 * KIB, 128 * KIB)
PEERS, QUICK_PEERS = (1, 2, 4, 8, 16), (1, 4)
PEERS_BYTES = 64 * KIB
ITEMS = ("figure 3", "figure 4")
ORDER = 2019  # seed of the order of runs


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """One run of the simulator."""

    way: str
    direction: str
    size_bytes: int
    peers: int
    transfers: int  # by each peer
    system: str = SYSTEMS[0]
    machine: Machine = MPPA

    @property
    def key(self) -> str:
        """Names the run's files."""
        return f"{self.system}_{self.way}_{self.direction}_{self.size_bytes}_p{self.peers}_x{self.transfers}"

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return PROGRAM

    @property
    def weight(self) -> float:
        """Expected duration: the bytes that are moved, and the start of 20 copies."""
        return self.size_bytes * self.peers * (self.transfers + 4) + 1_000_000

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        numbers = (self.size_bytes, self.peers, self.transfers)
        chosen = [self.way, self.direction, *(str(number) for number in numbers)]
        return ["--machine", machine, "--system", self.system, "--copies", str(CLUSTERS), PROGRAM, *chosen]


class Plan(plan.Plan):
    """The runs of the selected figures."""

    def __init__(self, items: list[str], *, quick: bool) -> None:
        super().__init__(items, quick=quick)
        self.sizes = QUICK_SIZES if quick else SIZES
        self.peers = QUICK_PEERS if quick else PEERS

    def of_size(self, way: str, direction: str, size_bytes: int, system: str = SYSTEMS[0]) -> Run:
        """A point of figure 3."""
        transfers = 2 if self.quick or size_bytes > 128 * KIB else 8
        if way == "four":
            transfers = 4 if self.quick else 8
        return Run(way, direction, size_bytes, 1, transfers, system)

    def of_peers(self, way: str, direction: str, peers: int, system: str = SYSTEMS[0]) -> Run:
        """A point of figure 4."""
        return Run(way, direction, PEERS_BYTES, peers, 2 if self.quick else 8, system)

    def runs_of(self, item: str) -> list[Run]:
        """The runs that one figure needs."""
        both = [(way, direction) for way in WAYS for direction in DIRECTIONS]
        if item == "figure 3":
            both += [(way, direction) for way in BEYOND for direction in DIRECTIONS]
            return [self.of_size(*one, size, system) for system in SYSTEMS for one in both for size in self.sizes]
        return [self.of_peers(*one, peers, system) for system in SYSTEMS for one in both for peers in self.peers]

    def runs(self) -> list[Run]:
        """All runs, once each, in a random order that is the same again."""
        runs = sorted(super().runs(), key=lambda run: run.key)
        random.Random(ORDER).shuffle(runs)
        return runs
