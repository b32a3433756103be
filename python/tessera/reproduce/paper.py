"""paper: what the experiments of a paper consist of: options, runs, items of the report and measurements of claims."""

import argparse
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tessera.simulator.execute import Executor
from tessera.reproduce.checks import Measure
from tessera.reproduce.items import Item
from tessera.reproduce.plan import Plan


@dataclasses.dataclass(frozen=True)
class Selection:
    """An option without a value that selects items."""

    items: tuple[str, ...]
    meaning: str  # for --help


@dataclasses.dataclass(frozen=True)
class Sensitivity:
    """The part of the runs and the claims on which fitted parameters are varied."""

    words: tuple[str, ...]  # of the command, which select the runs
    claims: tuple[str, ...]
    keep: Callable[[Any], bool] = lambda _: True  # the runs of these that the claims need
    reaches: Callable[[Any, str], bool] = lambda run, key: True  # whether a machine's parameter has a part in a run
    form: Callable[[Any], Any] = lambda run: run  # what is run in its place
    inputs: str = ""  # how that differs, e.g. "kernels with 16 nodes"
    all_kernels: str = "all kernels"  # which ones these words of a claim mean here


def no_options(_: argparse.ArgumentParser) -> None:
    """A paper without options of its own."""


@dataclasses.dataclass(frozen=True)
class Paper:
    """The experiments of one paper. `Any` is the class of its measurements."""

    name: str  # as in `tess reproduce NAME`
    title: str
    about: str  # stands at the top of the report
    quick: str  # what --quick does
    items: tuple[str, ...]  # in the report's order, e.g. "figure 8"; made if none is selected
    plan: Callable[[list[str], argparse.Namespace], Plan]
    measure: Callable[[Plan, Executor, Path], Any]  # Path: the folder with the paper's numbers
    makers: dict[str, Callable[[Any], Item]]
    measures: Mapping[str, Measure]  # by the names of its claims in reference/
    extra_items: tuple[str, ...] = ()  # made only if selected
    selections: dict[str, Selection] = dataclasses.field(default_factory=dict)
    add_options: Callable[[argparse.ArgumentParser], None] = no_options
    sensitivity: Sensitivity | None = None
    states: str = "paper"  # heads the column of the values with which ours are compared
    small: str = ""  # what is small about the runs that stand for long ones in several layouts (layouts.py)
    jobs_most: int = 1 << 16  # runs at the same time that do not disturb each other

    def numbers(self, kind: str) -> list[str]:
        """Values of --figure or --table: "11a" for the item "figure 11a"."""
        return [item.split()[1] for item in self.items if item.startswith(f"{kind} ")]

    def item_of(self, named: str) -> str:
        """The item in which a claim is measured: "figure 8" for one about "figure 8a"; empty for one of the text."""
        for item in (named, named.rstrip("abcdefgh")):
            if item in (*self.items, *self.extra_items):
                return item
        return ""

    def file_of(self, item: str) -> str:
        """Stem of an item's files."""
        return f"{self.name}_{item.replace(' ', '_')}"

    def numbers_of(self, item: str) -> str:
        """The file with an item's numbers; for a claim of the text, that of all claims."""
        return f"{self.file_of(item)}.csv" if item else f"{self.name}_checks.csv"

    def command_of(self, item: str) -> str:
        """The command that makes one item, or all."""
        kind, _, number = item.partition(" ")
        chosen = f" --{kind} {number}" if kind in ("figure", "table") and number in self.numbers(kind) else ""
        return f"tess reproduce {self.name}{chosen}"

    def selected(self, options: argparse.Namespace) -> list[str]:
        """The items to make, in the report's order."""
        chosen: Sequence[str] = [
            f"{kind} {number}" for kind in ("figure", "table") for number in getattr(options, kind)
        ]
        chosen += [item for name, one in self.selections.items() if getattr(options, name) for item in one.items]
        return [item for item in (*self.items, *self.extra_items) if item in (chosen or self.items)]
