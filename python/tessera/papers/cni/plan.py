"""plan: the runs that the tables and figures of CNI need: each is a program with its arguments on a number of tiles."""

import dataclasses

from tessera.reproduce import hardware, plan
from tessera.simulator.machines import Machine

FOUR = Machine("cni-4")
COUNTS = (4, 16, 32, 64, 128)  # cores of figure 11
QUICK_COUNTS = (4, 16)
SWEEP_COUNTS = (128, 256, 512, 1024)  # beyond the paper
SWEEP_ACQUIRES = 2048  # of all cores together beyond 128: a round of 1024 cores takes as long as tens of rounds of 128
PAPER_ROUNDS = {"lock": 1000, "barrier": 10_000}  # of figure 11: acquisitions of each core, episodes
ROUNDS = 64  # the means of so many are those of the paper's numbers (docs/papers/cni.md)
QUICK_ROUNDS = 16
MORE_ROUNDS = {"lock": (64, 256, 1000), "barrier": (64, 256, 1000, 10_000)}  # whose means are compared
MORE_CORES = 16
# The directories of figure 11: that of the presets, whose homes are in partitions; the same with homes in turn by
# address; and the simplest one.
FORWARDING: tuple[tuple[str, str], ...] = ()
INTERLEAVED = (("coherence.homes", '"interleaved"'),)
BLOCKING = (("coherence.protocol", '"blocking"'), ("coherence.homes", '"memory"'))
DIRECTORIES = {"forwarding": FORWARDING, "forwarding, interleaved": INTERLEAVED, "blocking": BLOCKING}
CPUS = (1, 2, 4)
STREAMS = (("triad", "64"), ("copy", "64"), ("triad", "32"), ("copy", "32"))  # kernel of figure 8, bits of an element
TRANSPORTS = ("stores", "rdma")
SIZES = {"bitonic": (4, 8192), "fft": (32, 4096)}
QUICK_MOST = 256
MORE = "figure rounds"
ITEMS = ("table 1a", "table 1b", "figure 7", "figure 8", "figure 9", "figure 10", "figure 11a", "figure 11b", MORE)
SWEEP = "sweep"


BLOCKS_SECONDS = {"cni-bitonic": 1.8e-5, "cni-fft": 9e-6}  # of an element and core
LOCK_SECONDS, BARRIER_SECONDS = 4e-5, 1.1e-5  # of a round, for each pair of cores


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """One run of the simulator."""

    program: str
    copies: int
    arguments: tuple[str, ...]  # of the program
    machine: Machine = FOUR

    @property
    def key(self) -> str:
        """Names the run's files."""
        return "_".join([self.program, self.machine.name, f"x{self.copies}", *self.arguments])

    @property
    def binary(self) -> str:
        """The program's name for `tess run`."""
        return self.program

    @property
    def weight(self) -> float:
        """Expected seconds of a processor: measured ones of a few sizes, and how they grow."""
        if self.program in BLOCKS_SECONDS:
            return BLOCKS_SECONDS[self.program] * int(self.arguments[2]) * self.copies
        if self.program == "cni-triad":
            return 0.05 * self.copies * int(self.arguments[2])
        each = LOCK_SECONDS if self.program in ("cni-locks", "dir-mcs") else BARRIER_SECONDS
        return 0.02 + each * int(self.arguments[-1]) * self.copies**2  # the others wait while one works

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        return ["--machine", machine, "--copies", str(self.copies), self.program, *self.arguments]


def machine_for(kind: str, count: int, changes: tuple[tuple[str, str], ...] = ()) -> Machine:
    """The machine for that many cores; 4 cores of a mesh are part of 16."""
    return Machine(f"{kind}-{max(count, 16)}", changes=changes)


class Plan(plan.Plan):
    """The runs of the selected tables and figures; `rounds`: those of figure 11 by what they measure."""

    def __init__(self, items: list[str], *, quick: bool, rounds: dict[str, int] | None = None) -> None:
        super().__init__(items, quick=quick)
        self.counts = QUICK_COUNTS if quick else COUNTS
        self._rounds = QUICK_ROUNDS if quick else ROUNDS
        self.rounds = rounds or dict.fromkeys(PAPER_ROUNDS, self._rounds)

    def latency(self) -> Run:
        """Latency of remote stores."""
        return Run("cni-latency", 2, (str(self._rounds * 4),))

    def lock(self, kind: str, cpus: int) -> Run:
        """A lock of table 1a."""
        return Run("cni-locks", cpus, (kind, str(self._rounds * 4)))

    def barrier(self, kind: str, cpus: int) -> Run:
        """A barrier of table 1b."""
        return Run("cni-barriers", cpus, (kind, str(self._rounds * 4)))

    def triad(self, place: str, transport: str, workers: int, stream: tuple[str, str] = STREAMS[0]) -> Run:
        """One kind of transfer of figure 8, with all buffers and sizes."""
        copies = workers + (1 if place == "chip" else 0)
        words = () if stream == STREAMS[0] else stream
        return Run("cni-triad", copies, (place, transport, "2" if self.quick else "6", *words))

    def streams(self) -> list[tuple[str, str, int, tuple[str, str]]]:
        """What shows the limits of figure 8: a copy, which computes nothing, and elements of 32 bits, on chip."""
        return [("chip", by, 3, stream) for stream in STREAMS[1:] for by in TRANSPORTS]

    def triads(self) -> list[tuple[str, str, int]]:
        """Place, transport and workers of figure 8."""
        chip = [("chip", transport, workers) for transport in TRANSPORTS for workers in (1, 2, 3)]
        all_of = chip + [("dram", "rdma", workers) for workers in (1, 2, 3, 4)]
        return [one for one in all_of if not self.quick or one[2] >= 3]

    def sizes(self, program: str) -> list[int]:
        """The sizes N of figures 9 and 10."""
        least, most = SIZES[program]
        most = min(most, QUICK_MOST) if self.quick else most
        return [1 << power for power in range(least.bit_length() - 1, most.bit_length())]

    def blocks(self, program: str, transport: str, cpus: int) -> Run:
        """A program of figure 9 or 10 with all N. One core sends nothing, so both transports are the same run."""
        sizes = self.sizes(program)
        by = transport if cpus > 1 else "rdma"
        return Run(f"cni-{program}", cpus, (by, str(sizes[0]), str(sizes[-1]), "1"))

    def of_count(self, words: tuple[str, ...], what: str, machine: Machine, count: int) -> Run:
        """A point of figure 11: a program with its first arguments, on a machine."""
        rounds = self.rounds[what] if count <= max(COUNTS) else SWEEP_ACQUIRES // count
        return Run(words[0], count, (*words[1:], str(rounds)), machine)

    def mr_queue(self, count: int) -> Run:
        """The lock of figure 11a."""
        return self.of_count(("cni-locks", "mr-queue"), "lock", machine_for("cni", count), count)

    def mcs(self, count: int, directory: tuple[tuple[str, str], ...] = FORWARDING) -> Run:
        """The lock of figure 11a on coherent caches."""
        return self.of_count(("dir-mcs",), "lock", machine_for("dir", count, directory), count)

    def counter(self, count: int) -> Run:
        """The barrier of figure 11b."""
        return self.of_count(("cni-barriers", "counter"), "barrier", machine_for("cni", count), count)

    def tree(self, count: int, directory: tuple[tuple[str, str], ...] = FORWARDING) -> Run:
        """The barrier of figure 11b on coherent caches."""
        return self.of_count(("dir-tree",), "barrier", machine_for("dir", count, directory), count)

    def of_rounds(self) -> list[tuple[str, str, list[Run]]]:
        """What is measured, by which program, and its runs with more and more rounds."""
        mine, coherent = (machine_for(kind, MORE_CORES) for kind in ("cni", "dir"))
        found = []
        for what, name, machine, words in (
            ("lock", "mr-queue", mine, ("cni-locks", "mr-queue")),
            ("lock", "MCS", coherent, ("dir-mcs",)),
            ("barrier", "counter", mine, ("cni-barriers", "counter")),
            ("barrier", "tree", coherent, ("dir-tree",)),
        ):
            each = MORE_ROUNDS[what][:2] if self.quick else MORE_ROUNDS[what]
            of = [Run(words[0], MORE_CORES, (*words[1:], str(rounds)), machine) for rounds in each]
            found.append((what, name, of))
        return found

    def runs_of(self, item: str) -> list[Run] | list[hardware.AreaRun]:
        """The runs that one item needs."""
        if item == "figure 7":
            return [] if self.quick else hardware.runs("cni")
        if item == "table 1a":
            locks = ("mr-queue", "called", "lock-box", "called-box")
            return [self.latency(), *[self.lock(kind, cpus) for kind in locks for cpus in CPUS]]
        if item == "table 1b":
            return [self.barrier(kind, cpus) for kind in ("counter", "called", "mutex") for cpus in CPUS]
        if item == "figure 8":
            return [self.triad(*one) for one in (*self.triads(), *self.streams())]
        if item in ("figure 9", "figure 10"):
            program = "bitonic" if item == "figure 9" else "fft"
            return [self.blocks(program, transport, cpus) for transport in TRANSPORTS for cpus in CPUS]
        if item == MORE:
            return [run for _, _, runs in self.of_rounds() for run in runs]
        if item == SWEEP:
            every = (self.mr_queue, self.mcs, self.counter, self.tree)
            return [of(count) for of in every for count in SWEEP_COUNTS]
        mine, coherent = (self.mr_queue, self.mcs) if item == "figure 11a" else (self.counter, self.tree)
        each = [[mine(count), *(coherent(count, of) for of in DIRECTORIES.values())] for count in self.counts]
        return [run for of_count in each for run in of_count]
