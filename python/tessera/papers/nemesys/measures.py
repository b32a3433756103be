"""measures: NEMESYS's measurements, from the statistics and output of runs, by the paper's names.

Units: seconds, MB of 10^6 bytes, shares from 0 to 1, cycles of the tiles.
"""

import dataclasses
import json
import re

from tessera.papers.nemesys.plan import Plan, Run
from tessera.papers.nemesys.published import Published
from tessera.simulator.execute import Executor

COPIES = re.compile(r"^  here +(\d+) copies, mean ([\d.]+) objects, (\d+) bytes$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Kernel:
    """Measurements of one kernel; those of the kernel exclude generating its graph and checking its result."""

    seconds: float  # of the kernel
    simulated: float  # of the whole run
    host_seconds: float
    calls: int  # of the whole run, as the next two
    call_seconds: float  # T_at, summed over all calls
    function_seconds: float  # T_func
    graphs: int  # of the whole run, as the next two
    graph_objects: int
    graph_bytes: int
    bus: float  # this and the next: table 6, shares of the kernel's time, means over compute tiles or memories
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
    energy_uj: float  # of the kernel, all units; the paper has none

    @property
    def communication(self) -> float:
        """T_com = T_at - T_func."""
        return self.call_seconds - self.function_seconds

    @property
    def communication_share(self) -> float:
        """Share of T_at."""
        return self.communication / self.call_seconds if self.call_seconds else 0.0


def mean(values: list[float]) -> float:
    """Arithmetic mean; 0 for an empty list."""
    return sum(values) / len(values) if values else 0.0


def kernel(statistics: dict) -> Kernel:
    """The measurements in a run's statistics."""
    memories, part, counters = statistics["memories"], statistics["measured"], statistics["runtime"]["counters"]
    most = max(memory["bytes"] for memory in memories)
    # Where all tiles use the same memory, the other one is idle; the paper does not count it.
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
        energy_uj=part["energy_pj"] / 1e6,
    )


class Results:
    """Measurements of the plan's runs, by runs of the full form, and the paper's numbers."""

    def __init__(self, plan: Plan, executor: Executor, paper: Published) -> None:
        self.plan = plan
        self.paper = paper
        self.executor = executor
        self._kernels: dict[Run, Kernel | None] = {}

    def run(self, of: Run) -> Run | None:
        """The run that was made for this one, if it succeeded."""
        form = self.plan.form(of)
        return form if form is not None and self.executor.is_done(form) else None

    def kernel(self, of: Run) -> Kernel | None:
        """Measurements of a kernel; None if it was not run, or failed."""
        if of not in self._kernels:
            run = self.run(of)
            self._kernels[of] = None if run is None else kernel(self.executor.statistics(run))
        return self._kernels[of]

    def printed(self, of: Run) -> str:
        """Standard output of a run that succeeded."""
        return self.executor.printed(self.run(of))

    def json(self, of: Run) -> dict | None:
        """Output of a program that prints JSON."""
        return None if self.run(of) is None else json.loads(self.printed(of))

    def system_us(self, of: Run) -> float:
        """Microseconds in which systems' harts did not sleep, all tiles, in the measured part of a run."""
        cycles = self.executor.statistics(self.run(of))["measured"]["system_cycles"]
        return cycles / self.paper.machine["clocks"]["tile_mhz"]

    def copies(self, of: Run) -> tuple[int, float, int] | None:
        """Number of copies, mean objects and mean bytes of a run with --count-copies."""
        found = None if self.run(of) is None else COPIES.search(self.printed(of))
        return None if found is None else (int(found[1]), float(found[2]), int(found[3]))
