"""provenance: where the numbers of a report come from: commit, machine files, programs, host, command and date.

A result names a commit only if the tree is that commit's: `tess reproduce` refuses to write one from a changed tree,
and `--draft` allows it and marks every file as a draft. An installed package has a version instead of a commit. Changes
of what the command itself writes do not count: results in docs/results, and its output folder.
"""

import collections
import dataclasses
import datetime
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path

import tessera
from tessera.simulator.execute import AnyRun, Executor, file_hash, machine_argument, machine_files, program_files

WRITTEN = ("docs/results", "docs/papers/checks.md")  # by the command, or by the next one from what it wrote
CHANGES_MAX = 5  # that are named


class ChangedTree(RuntimeError):
    """The source tree is not that of a commit."""


def source_tree(package: Path | None = None) -> Path | None:
    """The source tree that the running package was built from; None if it is an installed one."""
    folder = package or Path(tessera.__file__).resolve().parent
    named = folder.parents[1] / "source.txt"  # in share/tessera of a build
    root = Path(named.read_text(encoding="utf-8").strip()) if named.is_file() else folder.parents[1]
    return root if (root / "reference" / "fitted.csv").is_file() and (root / "docs").is_dir() else None


def source_root(package: Path | None = None) -> Path | None:
    """The same, if git knows its commit."""
    root = source_tree(package)
    return root if root is not None and (root / ".git").exists() else None


def git(root: Path, *words: str) -> str:
    """Output of git in a tree."""
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout


def changes(root: Path, output: Path) -> list[str]:
    """Files that differ from the commit, or are not in it, but for those that the command writes."""
    excluded = [*WRITTEN]
    inside = output.resolve()
    if inside.is_relative_to(root.resolve()):
        excluded.append(str(inside.relative_to(root.resolve())))
    paths = [f":(exclude){path}" for path in excluded if path != "."]
    lines = git(root, "status", "--porcelain", "--", ".", *paths).splitlines()
    return [line[3:] for line in lines if not (line.startswith("??") and is_report(root / line[3:]))]


def is_report(folder: Path) -> bool:
    """Whether a folder has reports of this command, or runs for one."""
    return any(next(folder.glob(f"{at}report.html"), None) or next(folder.glob(f"{at}runs/*.done"), None)
               for at in ("", "*/"))  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Origin:
    """The state of the program that makes a report."""

    commit: str  # all 40 digits; empty if it is installed
    version: str
    changed: tuple[str, ...] = ()  # files

    @property
    def draft(self) -> bool:
        """Whether the numbers belong to no commit."""
        return bool(self.changed)

    def __str__(self) -> str:
        if not self.commit:
            return f"{self.version}, installed"
        return self.commit + (f", and {len(self.changed)} changed files: a draft" if self.changed else "")


def version() -> str:
    """The version of the package."""
    from importlib import metadata

    try:
        return metadata.version("tessera")
    except metadata.PackageNotFoundError:
        return "unknown"


def origin(output: Path, *, draft: bool, root: Path | None = None) -> Origin:
    """Raises ChangedTree if the tree is changed and no draft is wanted."""
    root = root or source_root()
    if root is None:
        return Origin("", version())
    try:
        commit, changed = git(root, "rev-parse", "HEAD").strip(), changes(root, output)
    except (OSError, subprocess.CalledProcessError) as wrong:
        if draft:
            return Origin("unknown", version(), ("any file: git does not say",))
        raise ChangedTree(f"git does not say which commit {root} is ({wrong}); give --draft") from None
    if changed and not draft:
        named = ", ".join(changed[:CHANGES_MAX]) + (", …" if len(changed) > CHANGES_MAX else "")
        raise ChangedTree(
            f"{len(changed)} files of {root} are not those of commit {commit[:12]} ({named}); commit or stash them, or "
            "give --draft, which marks every file that is written"
        )
    return Origin(commit, version(), tuple(changed))


def processor() -> str:
    """The name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def host() -> dict[str, str]:
    """Processor and system of this computer."""
    import os

    return {"processor": processor(), "processors": str(os.cpu_count()), "system": platform.platform(),
            "python": platform.python_version()}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Provenance:
    """What every file of a report records."""

    origin: Origin
    command: str
    date: str
    host: dict[str, str]
    layouts: int

    def of(self, executor: Executor, runs: Sequence[AnyRun]) -> dict[str, object]:
        """As JSON, with the hashes (SHA-256, 16 digits) of the machine files and programs of these runs."""
        machines, programs = hashes(executor, runs)
        return {
            "draft": self.origin.draft,
            "commit": self.origin.commit or None,
            "version": self.origin.version,
            "installed": not self.origin.commit,
            "changed": list(self.origin.changed),
            "command": self.command,
            "date": self.date,
            "host": self.host,
            "layouts": self.layouts,
            "machines": machines,
            "programs": programs,
        }


def hashes(executor: Executor, runs: Sequence[AnyRun]) -> tuple[dict[str, str], dict[str, str]]:
    """Hashes of machine files and of programs, the simulator among them, by name."""
    tess = getattr(executor, "tess", None)
    if tess is None:
        return {}, {}
    tree = tess.parent.parent
    machines: dict[str, str] = {}
    programs: dict[str, str] = {}
    for run in runs:
        if run.machine is None:
            programs |= {file.name: file_hash(file) for file in run.files(tree)}
            continue
        argument = machine_argument(run.machine, tess, executor.folder / "machines")
        machines |= {file.stem: file_hash(file) for file in machine_files(argument, tess)}
        programs |= {name: file_hash(file) for name, file in program_files(run, argument, tess).items()}
    return dict(sorted(machines.items())), dict(sorted(programs.items()))


def made_at(executor: Executor, runs: Sequence[AnyRun], origin: Origin) -> str:
    """At which commits the runs of a report were made. A run is kept while all that it depends on is the same."""
    record = getattr(executor, "record", None)
    found = [one for run in runs if record and (one := record(run)) is not None]
    commits = collections.Counter(one.get("commit", "unknown") for one in found)
    here = commits.pop(str(origin), 0)
    others = "; ".join(f"{count} at {commit}" for commit, count in commits.most_common())
    kept = f"; kept, with equal hashes of simulator, program and machine: {others}" if others else ""
    return f"{here} of {len(found)} made at this commit{kept}"


def now() -> str:
    """The date and time, in UTC."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
