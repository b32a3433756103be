"""plan: which runs figures 3 and 4 of RMem need: a run is one way, one direction, one size and one number of peers."""

import dataclasses

from nemesys.machines import Machine

PROGRAM, CLUSTERS = "mppa-rmem", 20
MPPA = Machine("mppa-256")
WAYS = ("rmem", "bare", "overlapped")
DIRECTIONS = ("write", "read")
KIB = 1024
BELOW = tuple(64 << i for i in range(4))  # 64 to 512 bytes: where the first phase lies here
SIZES = (*BELOW, *(KIB << i for i in range(11)))  # the paper's: 1 KiB to 1 MiB
QUICK_SIZES = (64, KIB, 64 * KIB, 128 * KIB)
PEERS, QUICK_PEERS = (1, 2, 4, 8, 16), (1, 4)
PEERS_BYTES = 64 * KIB
ITEMS = ("figure 3", "figure 4")


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """One run of the simulator."""

    way: str
    direction: str
    size_bytes: int
    peers: int
    transfers: int  # of each peer
    machine: Machine = MPPA

    @property
    def key(self) -> str:
        """Names the run's files."""
        return f"{self.way}_{self.direction}_{self.size_bytes}_p{self.peers}_x{self.transfers}"

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return PROGRAM

    @property
    def weight(self) -> float:
        """How long it takes, in proportion to others: bytes that are moved, and starting 20 copies."""
        return self.size_bytes * self.peers * (self.transfers + 4) + 1_000_000

    def words(self, machine: str) -> list[str]:
        """What stands behind `tess run --stats FILE`."""
        numbers = (self.size_bytes, self.peers, self.transfers)
        chosen = [self.way, self.direction, *(str(number) for number in numbers)]
        return ["--machine", machine, "--copies", str(CLUSTERS), PROGRAM, *chosen]


class Plan:
    """The runs of some items. The machine is deterministic: a run more would measure the same cycles again."""

    def __init__(self, items: list[str], *, quick: bool) -> None:
        self.items = items
        self.quick = quick
        self.sizes = QUICK_SIZES if quick else SIZES
        self.peers = QUICK_PEERS if quick else PEERS

    def of_size(self, way: str, direction: str, size_bytes: int) -> Run:
        """A point of figure 3."""
        transfers = 2 if self.quick or size_bytes > 128 * KIB else 8
        return Run(way, direction, size_bytes, 1, transfers)

    def of_peers(self, way: str, direction: str, peers: int) -> Run:
        """A point of figure 4."""
        return Run(way, direction, PEERS_BYTES, peers, 2 if self.quick else 8)

    def runs(self) -> list[Run]:
        """All, once, the longest first."""
        wanted: set[Run] = set()
        for way in WAYS:
            for direction in DIRECTIONS:
                if "figure 3" in self.items:
                    wanted |= {self.of_size(way, direction, size) for size in self.sizes}
                if "figure 4" in self.items:
                    wanted |= {self.of_peers(way, direction, peers) for peers in self.peers}
        return sorted(wanted, key=lambda run: (-run.weight, run))
