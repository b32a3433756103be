"""measures: what a run on the machine says, by the paper's names.

Units: seconds, MB of 10^6 bytes, shares from 0 to 1, cycles of the tiles. None: this run does not tell.
"""

import dataclasses
import json
import re

from nemesys.execute import Executor
from nemesys.plan import Plan, Run

COPIES = re.compile(r"^  here +(\d+) copies, mean ([\d.]+) objects, (\d+) bytes$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel on the machine. What is of the kernel is without making its graph and checking its result."""

    seconds: float  # of the kernel
    simulated: float  # of the whole run
    host_seconds: float
    calls: int  # of the whole run, as the next two
    call_seconds: float  # T_at, summed over all calls
    function_seconds: float  # T_func
    graphs: int  # of the whole run, as the next two
    graph_objects: int
    graph_bytes: int
    bus: float  # Table 6, of the kernel: shares of its time, means over the compute tiles or the memories
    adapter: float
    memory: float
    memory_mb: float
    memory_by_adapter: float
    memory_by_nma: float
    nma: float
    nma_peak: float  # in the busiest millisecond
    load_cycles: float
    store_cycles: float
    nma_requests: int  # of the kernel
    nma_faults: int
    nma_queued: int
    instructions: int  # of the whole run

    @property
    def communication(self) -> float:
        """T_com = T_at - T_func."""
        return self.call_seconds - self.function_seconds

    @property
    def communication_share(self) -> float:
        """Of T_at."""
        return self.communication / self.call_seconds if self.call_seconds else 0.0


def mean(values: list[float]) -> float:
    """Of none it is 0."""
    return sum(values) / len(values) if values else 0.0


def kernel(statistics: dict) -> Kernel:
    """From a run's statistics."""
    memories, part, counters = statistics["memories"], statistics["measured"], statistics["runtime"]["counters"]
    most = max(memory["bytes"] for memory in memories)
    # Of a machine whose tiles all have the same memory the other one is idle, and no memory of the paper's.
    used = sum(memory["bytes"] * 50 > most for memory in memories)
    busier = len(memories) / max(used, 1)
    return Kernel(
        seconds=part["simulated_ps"] / 1e12,
        simulated=statistics["simulated_ps"] / 1e12,
        host_seconds=statistics["host"]["seconds"],
        calls=counters["calls"],
        call_seconds=counters["call_ns"] / 1e9,
        function_seconds=counters["function_ns"] / 1e9,
        graphs=counters["graphs"],
        graph_objects=counters["graph_objects"],
        graph_bytes=counters["graph_bytes"],
        bus=part["bus_load"],
        adapter=part["adapter_load"],
        memory=part["memory_load"] * busier,
        memory_mb=part["memory_bytes"] / 1e6,
        memory_by_adapter=part["memory_load_adapters"] * busier,
        memory_by_nma=part["memory_load_nma"] * busier,
        nma=part["nma_load"] * busier,
        nma_peak=part["nma_load_peak"],
        load_cycles=part["remote_load_cycles"],
        store_cycles=part["remote_store_cycles"],
        nma_requests=part["nma_requests"],
        nma_faults=sum(memory["nma_faults"] for memory in memories),
        nma_queued=max(memory["nma_queued_max"] for memory in memories),
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
            self._kernels[of] = None if run is None else kernel(self._executor.statistics(run))
        return self._kernels[of]

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
