"""sweeps: the same program for every combination of parameters of a machine and of the program, as a DataFrame.

What was run before is not run again: a run is known by the content of everything that it depends on, as in the
reproductions of papers (`execute.py`). So a sweep that was interrupted continues.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import os
import re
import shlex
import shutil
import statistics as statistic
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tessera import progress
from tessera.simulator import command, execute, machines
from tessera.simulator.runs import ProgramError, options_of, program_words

if TYPE_CHECKING:
    import pandas

AnyMachine = machines.Machine | str | os.PathLike[str]
Program = Callable[..., Any] | str
MACHINE_PARAMETERS = ("l2_kib", "width", "memories")
STATISTICS = ("instructions_per_cycle", "l1_data_hit_rate", "l2_hit_rate", "network_load", "dram_load")


class UnknownMachine(ValueError):
    """A combination is no machine: the simulator's message, with the line."""


@dataclasses.dataclass(frozen=True)
class Failure:
    """A run that failed."""

    label: str  # its parameters
    exit_code: int
    reason: str
    output: str
    log: str


@dataclasses.dataclass(frozen=True)
class SweepRun:
    """One run of the simulator, as the executor takes it."""

    machine: machines.Machine
    program: str
    arguments: tuple[str, ...]
    options: tuple[str, ...]
    label: str = dataclasses.field(compare=False, default="")
    weight: float = 1

    @property
    def key(self) -> str:
        """Names the run's files, whatever the sweep is."""
        known = hashlib.sha256(repr((self.machine, self.program, self.arguments, self.options)).encode())
        return f"{Path(self.program).name}-{self.machine.name}-{known.hexdigest()[:16]}"

    @property
    def binary(self) -> str:
        """The program's name, or its path."""
        return self.program

    @property
    def inputs(self) -> list[Path]:
        """Files that the program reads."""
        return [Path(word) for word in self.arguments if Path(word).is_file()]

    @property
    def environment(self) -> dict[str, str]:
        """What simulated programs see of the host's environment."""
        return {name: value for name, value in os.environ.items() if name.startswith(("TESS_", "SHMEM_", "SMA_"))}

    def words(self, machine: str) -> list[str]:
        """Arguments after `tess run --stats FILE`."""
        return ["--machine", machine, "--timing", "on", *self.options, *program_words(self.program, self.arguments)]


def sweep(machine: AnyMachine | Sequence[AnyMachine], program: Program | Sequence[str], *arguments: Any,
          jobs: int | None = None, folder: str | os.PathLike[str] | None = None, statistics: Iterable[str] = STATISTICS,
          layouts: int = 1, **parameters: Any) -> pandas.DataFrame:
    """Runs a program for each combination of parameters: a DataFrame with a row for each.

    `machine`, `program` and `arguments` are as for `Machine.run`; `program` may also be a whole command as one text.
    `machine`, a `program` that is a text, and each of the `parameters` may be a list, whose values are combined with
    those of all others. A parameter is

    - one of `tessera.machine`: `l2_kib`, `width`, `memories`, or "section.key" of the machine's file, by `**`;
      "l2.kib" is `l2_kib`;
    - a word of the command: `scale=[6, 8]` with the command "bfs kron:{scale}";
    - else an option of `tess run`, as `places=[1, 2, 4]`; of a function, an argument of it.

    Columns: the parameters, `cycles` and `seconds` (simulated, of the measured part), and the `statistics`, which are
    names in the JSON of `tess run --stats`, as "measured.memory_load". With several `layouts` of stack, heap and
    mappings (`tess run --layout`) each number is the median over them, and `cycles_low` and `cycles_high` are the ends
    of an interval for the median of all layouts: order statistics, as in `tessera.reproduce.verdict`.

    There are `jobs` runs at a time (default: the processors). Runs are kept in `folder` (default: ~/.cache/tessera) and
    are not repeated as long as the simulator, the program, the machine and all input files are the same. If runs fail,
    ProgramError is raised when all others are done. `tess sweep` is this function as a command.

    >>> import tessera as ts
    >>> ts.sweep("nemesys-2x2", "bfs kron:{scale}", scale=[4, 5], l2_kib=512).columns.tolist()[:4]
    ['scale', 'l2_kib', 'cycles', 'seconds']
    """
    import pandas

    rows, failures = measure(machine, program, arguments, parameters, jobs=jobs, folder=folder,
                             statistics=statistics, layouts=layouts)  # fmt: skip
    if failures:
        first, count = failures[0], len(rows) * layouts
        raise ProgramError([f"{len(failures)} of {count} runs failed; {first.label}"], first.exit_code, first.output,
                           first.log)  # fmt: skip
    return pandas.DataFrame(rows)


def measure(machine, program, arguments: Sequence[Any], parameters: dict[str, Any], *, jobs: int | None = None,
            folder: str | os.PathLike[str] | None = None, statistics: Iterable[str] = STATISTICS,
            layouts: int = 1) -> tuple[list[dict[str, Any]], list[Failure]]:  # fmt: skip
    """What `sweep` does: the rows, in which the numbers of a combination that failed are None, and the failures.

    Raises ValueError for parameters that there are not, and UnknownMachine for values that the simulator refuses,
    before anything runs.
    """
    statistics = list(statistics)
    kept = Path(folder) if folder is not None else _cache()
    kept.mkdir(parents=True, exist_ok=True)
    if layouts < 1:
        raise ValueError(f"layouts={layouts}, expected 1 or more")
    lists = _lists(machine, program, parameters)
    rows = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]
    one_layout = [_planned(dict(row), machine, program, arguments, kept) for row in rows]
    runs = [[_laid(run, layout, layouts) for layout in range(layouts)] for run in one_layout]
    tess = command.tess(*dict.fromkeys(run.program for run in one_layout), simulated=True)
    _check_machines(one_layout, tess, kept / "runs" / "machines")
    with progress.doing("sweep") as line:
        # A line that changes for who looks on, lines for a log.
        tell = functools.partial(setattr, line, "note") if progress.wanted() else _say
        executor = execute.Executor(tess, kept / "runs", jobs or len(os.sched_getaffinity(0)), tell)
        failed = dict(executor.execute(list(dict.fromkeys(itertools.chain(*runs)))))
    for row, of_row in zip(rows, runs, strict=True):
        measured = None if any(run in failed for run in of_row) else [executor.statistics(run) for run in of_row]
        row |= _summary(measured, statistics, layouts)
    return rows, [_failure(executor, run, reason) for run, reason in failed.items()]


def _laid(run: SweepRun, layout: int, layouts: int) -> SweepRun:
    """The run in a layout; a single one is the usual one, unless `layout` is a parameter."""
    if layouts == 1:
        return run
    label = f"{run.label}, layout={layout}".removeprefix(", ")
    return dataclasses.replace(run, options=(*run.options, "--layout", str(layout)), label=label)


def _check_machines(runs: Sequence[SweepRun], tess: Path, folder: Path) -> None:
    """Has the simulator read each machine, so that what it refuses is said before the first run."""
    for machine in dict.fromkeys(run.machine for run in runs):
        label = next(run.label for run in runs if run.machine == machine) or machine.name
        words = [str(tess), "machines", "show", execute.machine_argument(machine, tess, folder)]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = done.stderr.strip().removeprefix("tess-machine: ") or f"exit code {done.returncode} of {words[:-1]}"
            raise UnknownMachine(f"{label}: {said}")


def _summary(measured: list[dict] | None, statistics: Sequence[str], layouts: int) -> dict[str, Any]:
    """The numbers of a row, from the statistics of its layouts; None if a run failed."""
    from tessera.reproduce.verdict import interval

    def middle(name: str):
        found = [_found(one, name) for one in measured or []]
        return None if not found else found[0] if len(found) == 1 else statistic.median(found)

    row = {"cycles": middle("measured.cycles")}
    if layouts > 1:
        ends = interval([_found(one, "measured.cycles") for one in measured]) if measured else None
        row |= {"cycles_low": ends and ends.low, "cycles_high": ends and ends.high}
    picoseconds = middle("measured.simulated_ps")
    row["seconds"] = None if picoseconds is None else picoseconds * 1e-12
    return row | {name: middle(name) for name in statistics}


def _failure(executor: execute.Executor, run: SweepRun, reason: str) -> Failure:
    output, log = (executor.file(run, suffix).read_text(errors="replace") for suffix in ("out", "err"))
    code = int(found[1]) if (found := re.match(r"exit code (-?\d+)", reason)) else 0
    return Failure(run.label or run.program, code, reason, output, log)


def _say(text: str) -> None:
    execute.say(text, "sweep")


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tessera"


def _found(measured: dict, name: str):
    value = measured
    for part in name.split("."):
        if part not in value:
            raise KeyError(f"no statistics {name!r}, expected names such as {', '.join(STATISTICS)}")
        value = value[part]
    return value


def _lists(machine, program, parameters: dict) -> dict[str, list]:
    """What varies, and what was given for the other parameters."""
    lists = {}
    for name, given in (("machine", machine), ("program", program)):
        if isinstance(given, (list, tuple)):
            lists[name] = list(given)
    for name, given in parameters.items():
        single = isinstance(given, (str, bytes)) or not hasattr(given, "__iter__")
        lists[name] = [given] if single else list(given)
        if not lists[name]:
            raise ValueError(f"{name} is empty, expected values")
    return lists


def _planned(row: dict, machine, program, arguments, kept: Path) -> SweepRun:
    """The run of one combination."""
    label = ", ".join(f"{name}={getattr(value, 'name', value)}" for name, value in row.items())
    machine, program = row.pop("machine", machine), row.pop("program", program)
    if "l2.kib" in row:
        row["l2_kib"] = row.pop("l2.kib")
    if "timing" in row:
        raise ValueError(f"timing={row['timing']} is no parameter: a sweep compares cycles, so all runs are with time")
    of_machine = {name: row.pop(name) for name in MACHINE_PARAMETERS if name in row}
    changes = {name: row.pop(name) for name in list(row) if "." in name}
    made = machines.machine(machine, **of_machine, changes=changes)
    if callable(program):
        name, words, options = _planned_function(program, arguments, row, kept)
        return SweepRun(made, name, tuple(words), tuple(options), label)
    words = [*(shlex.split(program) if isinstance(program, str) else [str(program)]), *map(str, arguments)]
    used = {name for word in words for name in re.findall(r"\{(\w+)\}", word)}
    if unknown := used - row.keys():
        raise ValueError(f"{{{min(unknown)}}} in the command has no values, expected {min(unknown)}=[...]")
    values = {name: row.pop(name) for name in used}
    name, *words = [re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), word) for word in words]
    if Path(name).is_file() and ("/" in name or os.access(name, os.X_OK)):
        name = str(Path(name).resolve())  # its content is a part of what a run depends on
    return SweepRun(made, name, tuple(words), tuple(options_of(row)), label)


def _planned_function(function, arguments, options: dict, kept: Path) -> tuple[str, list[str], list[str]]:
    """The program of a function; its files are kept under names that tell their content."""
    from tessera import session
    from tessera.simulator.programs import Planned, PlanningEngine

    inputs = kept / "inputs"
    inputs.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=inputs) as temporary:
        folder = Path(temporary)
        engine = PlanningEngine(folder)
        try:
            with session.on_engine(engine):
                function(*arguments, **options)
        except Planned as planned:
            words = [str(_moved(Path(word), inputs)) if word.startswith(f"{folder}/") else word
                     for word in planned.words]  # fmt: skip
            return planned.program, words, planned.options
    raise NotImplementedError(f"{function.__name__} runs no program, expected one of {engine.names()}")


def _moved(file: Path, into: Path) -> Path:
    target = into / f"{execute.file_hash(file)}{file.suffix}"
    shutil.move(file, target)
    return target
