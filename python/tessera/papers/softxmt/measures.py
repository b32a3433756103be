"""measures: SoftXMT's measurements: rates by figure and series. Units: million lines per second, of all cores used."""

from tessera.papers.softxmt.plan import Plan
from tessera.reproduce import results
from tessera.reproduce.claims import Claims
from tessera.simulator.execute import Executor

Curve = dict[float, float]  # rate by the number of lists or tasks, or by bytes of the private set


class Results(results.Results):
    """The points of the run, and the paper's numbers."""

    def __init__(self, plan: Plan, executor: Executor, paper: Claims) -> None:
        super().__init__(plan, executor)
        self.paper = paper
        self._curves: dict[tuple[str, str], Curve] = {}
        for one in (self.statistics(plan.run()) or {}).get("points", []):
            self._curves.setdefault((one["figure"], one["series"]), {})[one["x"]] = one["rate"]

    def curve(self, figure: str, series: str) -> Curve:
        """A curve; empty without the run."""
        return self._curves.get((figure, series), {})

    def series(self, figure: str) -> dict[str, Curve]:
        """All curves of a figure, by name."""
        return {series: curve for (of, series), curve in self._curves.items() if of == figure}
