"""plan: which runs an item of the paper needs. A run is a program, a machine and a way of copying; items share runs."""

import dataclasses

# Copies of graphs and their mean bytes (the paper's table 5): what a run takes goes with them, so that the time of the
# whole can be told from the first runs on.
KERNELS = {
    "bf": (2150, 16864),
    "dst": (8492, 16548),
    "by": (7362, 1875),
    "dr": (13550, 2382),
    "ds": (38778, 2571),
    "kc": (58224, 709),
    "lcr": (17370, 670),
    "hs": (46336, 764),
    "dp": (8830, 4582),
    "mis": (6168, 16516),
    "mst": (18486, 3618),
    "vc": (2388, 16725),
}
# Beside the bytes of a copy: messages, tasks, the kernel's own work. A guess of proportions, for the forecast alone.
BYTES_OF_A_CALL = 4000

TWIN, SINGLE, SMALL = "nemesys-4x4", "nemesys-4x4-single", "nemesys-2x2"
MESSAGES, PEGASUS, NEMESYS, ALLOCATED, NO_NCA = "message_passing", "pegasus", "nemesys", "nemesys-allocated", "no-nca"
PAPER_SETS = 128


@dataclasses.dataclass(frozen=True, order=True)
class Run:
    """One run of the simulator."""

    kernel: str
    machine: str
    copier: str
    sets_kib: int = PAPER_SETS  # of each of the four ways of an L2
    places: int = 14
    size: int = 0  # nodes; 0: the paper's input

    @property
    def key(self) -> str:
        """Names the run's files."""
        size = f"_n{self.size}" if self.size else ""
        return f"{self.kernel}_{self.machine}_{self.copier}_l2-{self.sets_kib}_p{self.places}{size}"

    @property
    def weight(self) -> float:
        """How long it takes, in proportion to others."""
        copies, bytes_each = KERNELS[self.kernel]
        share = (self.places / 14) * ((self.size or 64) / 64) ** 2
        return copies * (bytes_each + BYTES_OF_A_CALL) * share

    def words(self) -> list[str]:
        """What stands behind `tess run --stats FILE`."""
        program = [f"imsuite-{self.kernel}", *(["--size", str(self.size)] if self.size else [])]
        machine = ["--machine", self.machine, "--places", str(self.places), "--copier", self.copier]
        l2 = [] if self.sets_kib == PAPER_SETS else ["--set", f"l2.way_kib={self.sets_kib}"]
        return [*machine, *l2, *program]


def all_kernels(machine: str, copiers: list[str], **more: int) -> list[Run]:
    """Each kernel with each copier."""
    return [Run(kernel, machine, copier, **more) for kernel in KERNELS for copier in copiers]


def runs_of(item: str) -> list[Run]:
    """The runs behind an item that is made of kernels."""
    ways = [MESSAGES, PEGASUS, NEMESYS, ALLOCATED]
    both = all_kernels(SINGLE, ways) + all_kernels(TWIN, ways)
    return {
        "table 5": [run for run in both if run.machine == SINGLE and run.copier == NEMESYS],
        "figure 9": both,
        "figure 10": both,
        "table 6": [run for run in both if run.copier in (PEGASUS, NEMESYS)],
        "figure 11": all_kernels(SMALL, ways, places=3),
        "figure 12": [run for kib in (8, 16, 128) for run in all_kernels(SINGLE, [PEGASUS, NEMESYS], sets_kib=kib)],
        "figure 13": all_kernels(SINGLE, [PEGASUS, NO_NCA, NEMESYS]),
    }[item]


ITEMS = ("table 5", "figure 9", "figure 10", "table 6", "figure 11", "figure 12", "figure 13")
# The quick form: one small kernel for each item.
QUICK_KERNEL, QUICK_SIZE = "bf", 14


def plan(items: list[str], *, quick: bool) -> list[Run]:
    """Every run that the items need, once, the longest first: then the last ones end together."""
    wanted = {run for item in items for run in runs_of(item)}
    if quick:
        wanted = {dataclasses.replace(run, size=QUICK_SIZE) for run in wanted if run.kernel == QUICK_KERNEL}
    return sorted(wanted, key=lambda run: (-run.weight, run))
