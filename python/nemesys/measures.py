"""measures: what a run on the machine says, by the paper's names.

Units: seconds, MB of 10^6 bytes, shares from 0 to 1, cycles of the tiles. None: this run does not tell.
"""

import dataclasses
import json
import re

from nemesys.execute import Executor
from nemesys.plan import Plan, Run

TIME = re.compile(r"^time: ([\d.]+) s$", re.MULTILINE)
VERIFIED = re.compile(r"^verified: yes$", re.MULTILINE)
COPIES = re.compile(r"^  here +(\d+) copies, mean ([\d.]+) objects, (\d+) bytes$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel on the machine."""

    seconds: float  # of the kernel alone, without making its graph and checking its result
    simulated: float  # of the whole run
    host_seconds: float
    call_seconds: float | None  # T_at, summed over all calls
    function_seconds: float | None  # T_func
    bus: float  # Table 6: shares of the time, means over the compute tiles or the memories
    adapter: float | None
    memory: float
    memory_mb: float
    memory_by_adapter: float
    memory_by_nma: float
    nma: float
    load_cycles: float | None
    store_cycles: float | None
    nma_requests: int
    nma_objects: int
    nma_bytes: int
    nma_faults: int
    nma_transfers: int
    nma_queued: int
    instructions: int

    @property
    def communication(self) -> float | None:
        """T_com = T_at - T_func."""
        if self.call_seconds is None or self.function_seconds is None:
            return None
        return self.call_seconds - self.function_seconds

    @property
    def communication_share(self) -> float | None:
        """Of T_at."""
        com = self.communication
        return None if com is None or not self.call_seconds else com / self.call_seconds


def mean(values: list[float]) -> float:
    """Of none it is 0."""
    return sum(values) / len(values) if values else 0.0


def mean_of_known(values: list[float | None]) -> float | None:
    """None if one is not known."""
    return None if not values or None in values else mean(values)


def kernel(statistics: dict, printed: str) -> Kernel:
    """From a run's statistics and its output."""
    memories = statistics["memories"]
    most = max((memory["bytes"] for memory in memories), default=0)
    # Of a machine whose tiles all have the same memory the other one is idle, and no memory of the paper's.
    used = [memory for memory in memories if memory["bytes"] * 50 > most]
    compute = [tile for tile in statistics["tiles"] if tile["tile"] not in {memory["tile"] for memory in memories}]
    whole = statistics["simulated_ps"] / 1e12
    seconds = float(TIME.search(printed)[1])
    calls = statistics.get("runtime", {}).get("counters", {})
    by_nma = [m["port_load"] * m["nma_port_bytes"] / m["bytes"] if m["bytes"] else 0.0 for m in used]
    port = mean([m["port_load"] for m in used])
    return Kernel(
        seconds=seconds,
        simulated=whole,
        host_seconds=statistics["host"]["seconds"],
        call_seconds=calls["call_ns"] / 1e9 if calls.get("call_ns") else None,
        function_seconds=calls["function_ns"] / 1e9 if calls.get("call_ns") else None,
        bus=mean([tile["bus_load"] for tile in compute]),
        adapter=mean_of_known([tile.get("adapter_load") for tile in compute]),
        memory=port,
        memory_mb=sum(m["bytes"] for m in used) / 1e6,
        memory_by_adapter=port - mean(by_nma),
        memory_by_nma=mean(by_nma),
        nma=mean([m["nma_load"] for m in used]),
        load_cycles=mean_of_known([tile.get("remote_load_cycles") for tile in compute]),
        store_cycles=mean_of_known([tile.get("remote_store_cycles") for tile in compute]),
        nma_requests=sum(m["nma_requests"] for m in used),
        nma_objects=sum(m["nma_objects"] for m in used),
        nma_bytes=sum(m["nma_bytes"] for m in used),
        nma_faults=sum(m["nma_faults"] for m in used),
        nma_transfers=sum(m["nma_transfers"] for m in used),
        nma_queued=max((m["nma_queued_max"] for m in used), default=0),
        instructions=statistics["instructions"],
    )


class Results:
    """What the runs of a plan measured; an item asks by the run of the full form."""

    def __init__(self, plan: Plan, executor: Executor) -> None:
        self.plan = plan
        self._executor = executor
        self._kernels: dict[Run, Kernel | None] = {}

    def run(self, of: Run) -> Run | None:
        """What was run for this one, if it ended well."""
        form = self.plan.form(of)
        return form if form is not None and self._executor.is_done(form) else None

    def kernel(self, of: Run) -> Kernel | None:
        """None: it was not run, or failed."""
        if of not in self._kernels:
            run = self.run(of)
            self._kernels[of] = None if run is None else kernel(self._executor.statistics(run), self.printed(of))
        return self._kernels[of]

    def verified(self, of: Run) -> bool:
        """The kernel's result was checked, and right."""
        return VERIFIED.search(self.printed(of)) is not None

    def printed(self, of: Run) -> str:
        """Of a run that there is."""
        return self._executor.printed(self.run(of))

    def json(self, of: Run) -> dict | None:
        """What a program that prints JSON has measured."""
        return None if self.run(of) is None else json.loads(self.printed(of))

    def copies(self, of: Run) -> tuple[int, float, int] | None:
        """Copies, mean objects and mean bytes of a run with --count-copies."""
        found = None if self.run(of) is None else COPIES.search(self.printed(of))
        return None if found is None else (int(found[1]), float(found[2]), int(found[3]))
