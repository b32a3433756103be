"""checks: what is measured for each claim of SoftXMT (reference/softxmt_claims.csv), by the claim's name."""

from tessera.papers.softxmt.measures import Curve, Results
from tessera.reproduce.checks import Found, Measure
from tessera.reproduce.items import ratio

DELAYED_CORES = 2  # of ours, in the experiment with a delay
SERIES = {"lists": "loop", "tasks": "tasks", "delay": "tasks"}


def best(curve: Curve) -> float | None:
    """The highest rate."""
    return max(curve.values(), default=None)


def best_of(figure: str, cores: int = 1) -> Measure:
    """The highest rate of a core, and where."""

    def measure(results: Results) -> Found | None:
        curve = results.curve(figure, SERIES[figure])
        most = best(curve)
        return most and Found(most / cores, f"at {max(curve, key=curve.get):g}")

    return measure


def enough(figure: str) -> Measure:
    """The least number of references that reaches most of the best rate."""

    def measure(results: Results) -> float | None:
        curve = results.curve(figure, SERIES[figure])
        wanted = (best(curve) or 0) * results.paper["enough"].low / 100
        return min((x for x, rate in curve.items() if rate >= wanted), default=None)

    return measure


def best_tasks(figure: str, cores: int) -> Measure:
    """Tasks of a core with the highest rate."""

    def measure(results: Results) -> float | None:
        curve = results.curve(figure, SERIES[figure])
        return max(curve, key=curve.get) / cores if curve else None

    return measure


def tasks_over_loop(results: Results) -> float | None:
    """The best rate by tasks over that by the loop."""
    return ratio(best(results.curve("tasks", "tasks")), best(results.curve("lists", "loop")))


def tasks_decline(results: Results) -> float | None:
    """The rate with 64 tasks over that with 10."""
    curve = results.curve("tasks", "tasks")
    return ratio(curve.get(64), curve.get(10))


def delay_share(results: Results) -> Found | None:
    """The rate under the delay, beside Little's law, with as many tasks of each core as the paper has."""
    tasks = DELAYED_CORES * results.paper["delay_tasks"].low
    rate = results.curve("delay", "tasks").get(tasks)
    law = tasks / results.paper["delay_us"].low
    return rate and Found(rate / law, f"{rate:.1f} M/s of two cores, {law:.1f} by the law")


def cache(tasks: int, updates: int, set_bytes: int, beside: tuple[int, int]) -> Measure:
    """The rate with updates of a private set, over that with other updates or another set."""

    def measure(results: Results) -> float | None:
        pair = [results.curve("cache", f"{tasks} tasks, {count} updates").get(size)
                for count, size in ((updates, set_bytes), beside)]  # fmt: skip
        return ratio(*pair)

    return measure


MEASURES: dict[str, Measure] = {
    "core_best": best_of("lists"),
    "core_references": enough("lists"),
    "tasks_over_loop": tasks_over_loop,
    "tasks_per_core": enough("tasks"),
    "tasks_decline": tasks_decline,
    "delay_share": delay_share,
    "delay_best": best_of("delay", DELAYED_CORES),
    "delay_best_tasks": best_tasks("delay", DELAYED_CORES),
    "cache_small": cache(8, 4, 64, (0, 64)),
    "cache_two": cache(48, 2, 32768, (0, 64)),
    "cache_eight": cache(48, 8, 64, (0, 64)),
}
