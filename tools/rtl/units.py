"""units: what there is in rtl/: a unit is a folder with a file unit.toml, which names its tops, benches and proofs.

unit.toml, all tables but [[top]] optional:
  uses = ["common"]       other units whose modules it instantiates
  [[top]]                 a module that is linted and synthesized alone
  module = "fifo"
  parameters = [{DEPTH = 1}, {DEPTH = 4}]   sets of parameters; none: the defaults
  area = "NAME"           with it, `area` and `clock` synthesize the first set of parameters, called NAME there
  paper = {lut = 1354}    figures of the paper for it
  [[refused]]             parameters with which a module must not elaborate: its own check says why
  module, parameters
  [[bench]]               cocotb's tests, in the module `file` of the folder test
  file, module, parameters
  [[proof]]               properties that `file` in the folder formal binds to the module
  file, module, parameters
  steps = 2               how many cycles the induction looks back
  bounded = 12            instead of induction: so many cycles from reset, for what has no short induction
  [[mutant]]              an error that the benches must find: in `file`, the text `old`, which stands there once,
                          becomes `new`
  file, old, new
  bench = "NAME"          by this bench (default: by those of the module that has the file's name, or by all)
  proof = "NAME"          this proof must find it, too, by a run from reset
  depth = 14              of so many cycles (default: ten); 0: by a step of its induction, if such a run is too long
  lint = true             lint must find it, instead of a bench
Packages (their names end with _pkg) are read first, then the modules of the units that it uses, then its own.
"""

import dataclasses
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
BUILD = ROOT / "build" / "rtl"

Parameters = dict[str, int]


class Misuse(Exception):
    """Wrong words or a wrong file: exit code 2."""


@dataclasses.dataclass
class Run:
    """A module with sets of parameters: a top, a bench or a proof, which have a file."""

    module: str
    parameters: list[Parameters]
    file: str = ""
    steps: int = 2
    bounded: int = 0
    area: str = ""
    paper: dict[str, float] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Mutant:
    """A wrong edit of a source."""

    file: str
    old: str
    new: str
    bench: str = ""
    proof: str = ""
    depth: int = 10
    lint: bool = False

    @property
    def change(self) -> str:
        """One line, to be printed."""
        return f"{' '.join(self.old.split())} → {' '.join(self.new.split()) or '(nothing)'}"


@dataclasses.dataclass
class Unit:
    """A folder of rtl/."""

    name: str
    uses: list["Unit"]
    tops: list[Run]
    benches: list[Run]
    proofs: list[Run]
    refused: list[Run]
    mutants: list[Mutant]

    @property
    def folder(self) -> Path:
        return RTL / self.name

    def sources(self) -> list[Path]:
        """All files that its modules need, packages first."""
        files = sorted(RTL.glob("*_pkg.sv"))
        for unit in [*self.uses, self]:
            files += sorted(unit.folder.glob("*.sv"), key=lambda file: (not file.stem.endswith("_pkg"), file.name))
        return files


def run_of(unit: str, table: dict[str, object]) -> Run:
    """A table of unit.toml."""
    known = {field.name for field in dataclasses.fields(Run)}
    if wrong := sorted(set(table) - known):
        raise Misuse(f"rtl/{unit}/unit.toml: unknown key {wrong[0]}; one of: {' '.join(sorted(known))}")
    if "module" not in table:
        raise Misuse(f"rtl/{unit}/unit.toml: a table without module")
    return Run(**{"parameters": [{}], **table})


def load(name: str) -> Unit:
    """The unit of this name."""
    path = RTL / name / "unit.toml"
    if not path.is_file():
        raise Misuse(f"no unit {name} in rtl/; one of: {' '.join(names())}")
    try:
        text = tomllib.loads(path.read_text(encoding="utf-8"))
        mutants = [Mutant(**table) for table in text.pop("mutant", [])]
        uses = [load(other) for other in text.pop("uses", [])]
        lists = [[run_of(name, table) for table in text.pop(kind, [])] for kind in ("top", "bench", "proof", "refused")]
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise Misuse(f"rtl/{name}/unit.toml: {error}") from error
    if text:
        raise Misuse(f"rtl/{name}/unit.toml: unknown table {next(iter(text))}")
    return Unit(name, uses, *lists, mutants)


def names() -> list[str]:
    """All units."""
    return sorted(path.parent.name for path in RTL.glob("*/unit.toml"))


def words_of(parameters: Parameters) -> str:
    """Parameters as a name shows them."""
    return " ".join(f"{key}={value}" for key, value in parameters.items())
