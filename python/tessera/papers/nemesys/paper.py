"""paper: the experiments of NEMESYS (MEMSYS 2019), and two beyond the paper: overlapping calls, and larger grids."""

import argparse
import dataclasses
from pathlib import Path

from tessera.papers.nemesys import area, beyond, checks, conditions, kernels, micro, variants
from tessera.papers.nemesys.measures import Results
from tessera.papers.nemesys.plan import (
    AREA,
    BARE,
    COLLECTED,
    ITEMS,
    KERNEL,
    KERNELS,
    MEMORY,
    MESSAGES,
    PEGASUS,
    POLLED,
    RECYCLED,
    SINGLE,
    SMALL_NODES,
    TLM,
    Plan,
    Run,
)
from tessera.papers.nemesys.published import Published
from tessera.simulator.execute import Executor
from tessera.reproduce.paper import Paper, Selection, Sensitivity


def add_options(parser: argparse.ArgumentParser) -> None:
    """--kernel, --heap and --image."""
    parser.add_argument("--kernel", action="append", default=[], choices=list(KERNELS), help="only this kernel")
    parser.add_argument("--heap", choices=(COLLECTED, RECYCLED), default=COLLECTED, help="of the kernels' runs")
    parser.add_argument("--system", choices=(POLLED, KERNEL), default=POLLED, help="who does T1, T2 and T3 there")
    parser.add_argument("--image", choices=(MEMORY, TLM), default=MEMORY, help="where the kernels' images are")


def plan_of(items: list[str], options: argparse.Namespace) -> Plan:
    """The runs of the items."""
    return Plan(items, quick=options.quick, only=frozenset(options.kernel), heap=options.heap,
                image=options.image, system=options.system)  # fmt: skip


def measure(plan: Plan, executor: Executor, reference: Path) -> Results:
    """The measurements of the runs, with the paper's numbers."""
    return Results(plan, executor, Published(reference))


def uses(run: Run, key: str) -> bool:
    """Whether a section of the machine has a part in a run: software copies without the NMA."""
    return not key.startswith("nma.") or not (run.copier in (MESSAGES, PEGASUS) or run.program == "nemesys-software")


# With the paper's 64 nodes the runs of LCR alone would take twenty minutes. BF keeps them: with fewer its NMA is hardly
# busy, and no parameter matters.
SENSITIVE_NODES, LARGE_KERNEL = 16, "bf"


def sensitive_form(run: Run) -> Run:
    """The run in whose place fitted parameters are varied."""
    small = run.is_kernel and not run.size and run.program != LARGE_KERNEL
    return dataclasses.replace(run, size=SENSITIVE_NODES) if small else run


NEMESYS = Paper(
    name="nemesys",
    title="NEMESYS (MEMSYS 2019)",
    about="Words have 32 bits in the paper and 64 here.",
    quick="one small kernel",
    small=f"with {SMALL_NODES} nodes",
    items=ITEMS,
    selections={
        "conditions": Selection(("conditions",), "only the comparison of the paper's heap and images with ours"),
        "overlap": Selection(("overlap",), "only the comparison of calls with and without overlap"),
        "sweep": Selection(("sweep",), "only the sweep of grids and NMAs"),
    },
    add_options=add_options,
    plan=plan_of,
    measure=measure,
    makers={
        "table 2": micro.table2,
        AREA: area.table3,
        "figure 8": micro.figure8,
        "table 5": kernels.table5,
        "figure 9": kernels.figure9,
        "figure 10": kernels.figure10,
        "table 6": kernels.table6,
        "figure 11": kernels.figure11,
        "figure 12": variants.figure12,
        "figure 13": variants.figure13,
        "conditions": conditions.conditions_item,
        "overlap": beyond.overlap_item,
        "sweep": beyond.sweep_item,
    },
    measures=checks.MEASURES,
    sensitivity=Sensitivity(
        ("--figure", "8", "--figure", "9", "--kernel", "bf", "--kernel", "lcr"),
        ("object_slope", "array_slope", "list_element", "run_time_gain_least", "run_time_gain_most"),
        lambda run: not run.is_kernel or (run.machine == SINGLE and run.copier != BARE),
        uses,
        sensitive_form,
        f"kernel lcr with {SENSITIVE_NODES} nodes",
        "BF and LCR",
    ),
)
