"""system: what the system's harts work for a call with one object: T1 and T2, and T3 between two memories.

The runs are calls with and without a graph. A call without one has two messages that the kernels pass on; a call with a
graph has one of these, its answer.
"""

from tessera.papers.nemesys.measures import Results
from tessera.papers.nemesys.plan import ONE_MEMORY, TWO_MEMORIES, Run, system_calls
from tessera.reproduce.checks import Found, Measure

TASKS = {ONE_MEMORY: "T1 and T2", TWO_MEMORIES: "T1, T2 and T3"}


def per_call(results: Results, run: Run) -> float | None:
    """Microseconds of all systems' harts for a call."""
    made = results.json(run)
    return None if made is None else results.system_us(run) / made["calls"]


def work(results: Results, target: int) -> tuple[float, float] | None:
    """Microseconds of the tasks of a call with one object, and of a message that is passed on."""
    graph, nothing = (per_call(results, system_calls(target, kind)) for kind in ("graph", "nothing"))
    return None if graph is None or nothing is None else (graph - nothing / 2, nothing / 2)


def costs(target: int) -> Measure:
    """The tasks of a call with one object."""

    def measure(results: Results) -> Found | None:
        found = work(results, target)
        return found and Found(found[0], f"{TASKS[target]}; {found[1]:.1f} for a message that the kernel passes on")

    return measure


def with_system(unit: Measure) -> Measure:
    """The accelerator's own time for one object and that of the system's harts."""

    def measure(results: Results) -> Found | None:
        own, system = unit(results), costs(ONE_MEMORY)(results)
        if own is None or system is None:
            return None
        return Found(own + system.value, f"{own:.1f} of the NMA and {system.value:.1f} of the system's harts")

    return measure


MEASURES: dict[str, Measure] = {"system_costs": costs(ONE_MEMORY), "system_costs_twin": costs(TWO_MEMORIES)}


def sentences(results: Results) -> list[str]:
    """The system's work beside the paper's."""
    return [
        f"For a call with one object the system kernel works {found[0]:.1f} µs ({TASKS[target]}), where the paper's "
        f"operating system takes {results.paper['system_costs']}."
        for target in TASKS
        if (found := work(results, target)) is not None
    ]
