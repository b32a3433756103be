"""results: the output of a plan's runs, as far as they were run and succeeded."""

from tessera.simulator.execute import Executor
from tessera.reproduce.plan import AnyRun, Plan


class Results:
    """Base of each paper's measurements."""

    def __init__(self, plan: Plan, executor: Executor) -> None:
        self.plan = plan
        self.executor = executor
        self._planned = set(plan.runs())

    def has(self, run: AnyRun) -> bool:
        """Whether the run is part of the plan and succeeded."""
        return run in self._planned and self.executor.is_done(run)

    def printed(self, run: AnyRun) -> str:
        """Standard output of a run; empty without one."""
        return self.executor.printed(run) if self.has(run) else ""

    def statistics(self, run: AnyRun) -> dict | None:
        """Statistics of a run, if there is one."""
        return self.executor.statistics(run) if self.has(run) else None
