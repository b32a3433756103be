"""runs: one program on a simulated machine or on this host, and everything that came of it.

A function of tessera.algorithms runs as it is, on an engine whose algorithms are the programs of the machine: what it
checks, scales and names is the same (`programs.py`).
"""

import contextlib
import dataclasses
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tessera import progress
from tessera.simulator import command
from tessera.simulator.execute import machine_argument

ENDING_SECONDS = 1  # for a program that is told to end, until it is made to


class ProgramError(RuntimeError):
    """A program that failed: its `words`, `exit_code`, `output`, and `log`, which is its standard error.

    `reported`: the values that it reported all the same, or None.
    """

    def __init__(self, words: list[str], exit_code: int, output: str, log: str) -> None:
        said = log.strip() or output.strip() or "it printed nothing"
        super().__init__(f"{' '.join(words)}: exit code {exit_code}\n{said[-4000:]}")
        self.words, self.exit_code, self.output, self.log = words, exit_code, output, log
        self.reported: dict | None = None


class Picture(str):
    """An SVG picture as text, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path) -> None:
        """Writes it to a file."""
        Path(path).write_text(self, encoding="utf-8")


@dataclasses.dataclass(frozen=True, repr=False)
class Run:
    """One run of a program.

    `words`: the program's name and, unless a function chose them, its words. `result`: what the function returned, None
    for a program. `cycles`: of the tiles' clock, of the part that the program measures, which leaves out loading its
    input and checking its result; of the whole run if it marks none; None on this host. `statistics`: the JSON of
    `tess run --stats` (docs/machine/machine.md) as dictionaries. `picture`: the machine's grid with the load of each
    part; None on this host. `output`, `log`: standard output and error.
    """

    words: list[str]
    result: Any
    statistics: dict
    picture: Picture | None
    output: str
    log: str

    @property
    def cycles(self) -> int | None:
        return self.statistics["measured"]["cycles"] if "measured" in self.statistics else None

    @property
    def seconds(self) -> float:
        """Simulated ones, as `cycles`; on this host those of the whole job, without its start."""
        if "measured" in self.statistics:
            return self.statistics["measured"]["simulated_ps"] * 1e-12
        return self.statistics.get("seconds", float("nan"))

    def _facts(self) -> dict[str, str]:
        facts = {"seconds": f"{self.seconds:.6g}"}
        if self.cycles is not None:
            rates = ("instructions_per_cycle", "l1_data_hit_rate", "l2_hit_rate", "network_load", "dram_load")
            facts = {"cycles": f"{self.cycles:,}", "simulated seconds": f"{self.seconds:.6g}"}
            facts |= {f"{name.replace('_', ' ')} (whole run)": f"{self.statistics[name]:.4g}" for name in rates}
        return facts

    def __repr__(self) -> str:
        machine = f" on {self.statistics['machine']}" if "machine" in self.statistics else ""
        took = f"{self.seconds:.6g} s" if self.cycles is None else f"{self.cycles} cycles"
        return f"<Run: {' '.join(self.words)}{machine}: {took}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in self._facts().items())
        return f"<p>{escape(repr(self))}</p><table>{rows}</table>{self.picture or ''}"


def started(words: list[str], shown: list[str]) -> tuple[str, str]:
    """Runs a command to its end: what it wrote to its standard output and error. Whatever interrupts ends it, too."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace") as child:  # fmt: skip
        try:
            output, log = child.communicate()
        except BaseException:
            child.terminate()
            try:
                child.wait(ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            raise
    if child.returncode != 0:
        raise ProgramError(shown, child.returncode, output, log)
    return output, log


def options_of(given: dict) -> list[str]:
    """Keyword arguments as options of `tess run`: `pes_per_tile=2` is `--pes-per-tile 2`."""
    words: list[str] = []
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words += [option, str(one)]
    return words


def program_words(program: str, arguments) -> list[str]:
    """What follows the options of `tess run`: all that stands behind -- is the program's."""
    if "/" not in program and Path(program).is_file() and Path(program).stat().st_mode & 0o111:
        program = f"./{program}"
    return [program, "--", *map(str, arguments)]


def simulate(machine, program: str, arguments, options: list[str], folder: Path) -> Run:
    """Runs a program on a machine, whose files go to the folder; it may write there."""
    tess = command.tess(program, simulated=True)
    name = machine_argument(machine, tess, folder)
    statistics, picture = folder / "statistics.json", folder / "picture.svg"
    files = ["--stats", str(statistics), "--picture", str(picture), "--allow-write", str(folder)]
    words = ["run", "--machine", name, "--timing", "on", *files, *options, *program_words(program, arguments)]
    shown = [program, *map(str, arguments)]
    try:
        output, log = started([str(tess), *words], shown)
    except ProgramError as failed:
        with contextlib.suppress(OSError, ValueError, KeyError):
            failed.reported = json.loads(statistics.read_text())["runtime"]["result"]
        raise
    return Run(shown, None, json.loads(statistics.read_text()), Picture(picture.read_text()), output, log)


def compiled(machine, sources, output, options, pes_per_tile: int) -> str:
    """What Machine.compile does."""
    files = [str(source) for source in sources]
    if not files:
        raise ValueError("no sources, expected files such as ring.c")
    program = str(Path(output or Path(files[0]).with_suffix("")).absolute())
    how = "cc" if all(file.endswith(".c") for file in files) else "c++"
    # All machines have the same instructions.
    words = [how, "--machine", machine.preset, "--pes-per-tile", str(pes_per_tile), *options, *files, "-o", program]
    started([*command.compiler(), *words], words)
    return program


def on_machine(machine, program, *arguments, **options) -> Run:
    """What Machine.run does."""
    what = f"{getattr(program, '__name__', program)} on {machine.name}"
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder, progress.doing(what):
        if not callable(program):
            return simulate(machine, str(program), arguments, options_of(options), Path(folder))
        from tessera import session
        from tessera.simulator.programs import SimulatedEngine

        engine = SimulatedEngine(lambda name, words, more: simulate(machine, name, words, more, Path(folder)),
                                 Path(folder))  # fmt: skip
        with session.on_engine(engine):
            result = program(*arguments, **options)
        if engine.made is None:
            raise NotImplementedError(f"{program.__name__} runs no program, expected one of {engine.names()}")
        return dataclasses.replace(engine.made, result=result, words=[engine.made.words[0]])


def run(program: str, *arguments: Any, **options: Any) -> Run:
    """Runs a program on this host: a bundled one by name, or yours by its path, with its words.

    Keyword arguments are options of `tess run`: `ts.run("bfs", "kron:16", places=4)`. Raises ProgramError if it fails.
    """
    tess = command.tess(program, simulated=False)
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder, progress.doing(program):
        statistics = Path(folder) / "statistics.json"
        words = ["run", "--stats", str(statistics), *options_of(options), *program_words(program, arguments)]
        shown = [program, *map(str, arguments)]
        output, log = started([str(tess), *words], shown)
        # A program without the runtime writes none.
        counted = json.loads(statistics.read_text()) if statistics.exists() else {}
        return Run(shown, None, counted, None, output, log)
