"""plan: the runs that the selected items of a report need, each once, the longest first."""

from tessera.simulator.execute import AnyRun


class Plan:
    """The runs of the selected items, in one layout (`layouts.py`)."""

    def __init__(self, items: list[str], *, quick: bool) -> None:
        self.items = items
        self.quick = quick

    def runs_of(self, item: str) -> list[AnyRun]:
        """The runs that one item needs."""
        raise NotImplementedError

    def runs(self) -> list[AnyRun]:
        """All runs, once each; the longest first, so that the last ones end together."""
        wanted = {run for item in self.items for run in self.runs_of(item)}
        return sorted(wanted, key=lambda run: (-run.weight, run.key))

    def programs(self) -> list[str]:
        """The programs that must be built for the simulated machine."""
        return sorted({run.binary for run in self.runs() if run.machine is not None})
