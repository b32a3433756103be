"""spawn: `tess spawn` numbers processes, gives the first its input, returns how they ended, and survives what they do.

Usage: spawn.py TESS PROGRAMS [PLACES], with places: only a program with so many
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS_MAX = 120
# One write, so that lines of several processes stay whole.
SHOW = "import os, sys; os.write(1, f'{os.environ[\"TESS_RANK\"]} {len(sys.stdin.read())} {sys.argv[1:]}\\n'.encode())"


def run(words: list[str], **settings: str) -> tuple[int, str, float]:
    """Exit code, all that was written, and the seconds."""
    begin = time.monotonic()
    done = subprocess.run(
        words,
        env={**os.environ, **settings},
        input="12345",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    return done.returncode, done.stdout, time.monotonic() - begin


def script(lines: str) -> list[str]:
    return ["sh", "-c", lines]


def check_plain(tess: str) -> list[str]:
    """Programs that know nothing of Tessera."""
    errors = []
    code, said, _ = run([tess, "spawn", "-n", "3", "--", sys.executable, "-c", SHOW, "-n", "x"])
    wanted = [f"{rank} {5 if rank == 0 else 0} ['-n', 'x']" for rank in range(3)]
    if code != 0 or sorted(said.splitlines()) != wanted:
        errors.append(f"three processes: {code} {said}")
    for lines, wanted_code in (
        ("exit 0", 0),
        ("exit $((TESS_RANK * 7))", 7),
        ('[ "$TESS_RANK" = 0 ] || kill -SEGV $$', 128 + signal.SIGSEGV),
    ):
        code, said, _ = run([tess, "spawn", "-n", "2", *script(lines)])
        if code != wanted_code:
            errors.append(f"{lines}: {code}, not {wanted_code}\n{said}")
    for words, part in (
        (["-n", "2", "/no/such/program"], "cannot start /no/such/program"),
        (["-n", "0", "true"], "not in range"),
        (["-n", "2"], "give -n N and a program"),
        (["true"], "give -n N and a program"),
    ):
        code, said, _ = run([tess, "spawn", *words])
        if code != 2 or part not in said:
            errors.append(f"{words}: {code}\n{said}")
    return errors


def check_jobs(tess: str, hello: str) -> list[str]:
    errors = []
    code, said, _ = run([tess, "run", "--fabric", "ucx", "-n", "100", hello])
    if code != 0 or said.count("hello from place") != 100:
        errors.append(f"100 places: {code}\n{said[-1000:]}")
    # One process with a smaller segment has a file of its own, and the others reach each other by UCX.
    one_is_small = f'[ "$TESS_RANK" != 3 ] || ulimit -v 8000000; exec {hello}'
    code, said, _ = run([tess, "spawn", "-n", "70", *script(one_is_small)], TESS_FABRIC="ucx")
    if code != 0 or said.count("hello from place") != 70:
        errors.append(f"70 places, one with another limit: {code}\n{said[-1000:]}")
    # One process that lets nobody map its memory.
    bfs = str(Path(hello).with_name("bfs"))
    one_has_none = f'[ "$TESS_RANK" != 3 ] || export TESS_NO_WINDOW=1; exec {bfs} kron:8'
    code, said, _ = run([tess, "spawn", "-n", "70", *script(one_has_none)], TESS_FABRIC="ucx")
    if code != 0 or "verified: yes" not in said:
        errors.append(f"70 places, one without a window: {code}\n{said[-1000:]}")
    # Processes that may open few files each still wake each other.
    code, said, _ = run([tess, "spawn", "-n", "40", *script(f"ulimit -n 36; exec {hello}")], TESS_FABRIC="ucx")
    if code != 0 or said.count("hello from place") != 40:
        errors.append(f"40 places of 36 files: {code}\n{said[-1000:]}")
    # Each place has two streams at the command; what the system allows at most decides.
    code, said, _ = run(script(f"ulimit -n 220; {tess} run --fabric ucx -n 100 {hello}"))
    if code != 2 or "100 places need 264 open files, and 220 are allowed" not in said:
        errors.append(f"220 files: {code}\n{said[-1000:]}")
    code, said, _ = run(script(f"ulimit -S -n 100; {tess} run --fabric ucx -n 50 {hello}"))
    if code != 0 or said.count("hello from place") != 50:
        errors.append(f"100 files at first: {code}\n{said[-1000:]}")
    # A process that ends before the job begins; the other does not wait for the time-out.
    early = f'[ "$TESS_RANK" = 0 ] || exit 3; exec {hello}'
    code, said, seconds = run([tess, "spawn", "-n", "2", *script(early)], TESS_FABRIC="ucx")
    if code == 0 or "place 1 is gone before the job began" not in said or seconds > 5:
        errors.append(f"a process that ends early: {code} after {seconds:.1f} s\n{said}")
    # One error, not one for each of them.
    code, said, seconds = run([tess, "spawn", "-n", "20", *script(early)], TESS_FABRIC="ucx")
    if code == 0 or said.count("is gone before the job began") != 1:
        errors.append(f"19 processes that end early: {code}\n{said}")
    # Two jobs of one host know nothing of each other.
    both = f"{tess} run --fabric ucx -n 2 {hello} & {tess} run --fabric ucx -n 2 {hello}; wait"
    code, said, _ = run(script(both))
    if code != 0 or said.count("hello from place 1 of 2") != 2:
        errors.append(f"two jobs: {code}\n{said}")
    return errors


def check_many(tess: str, programs: str, places: int) -> list[str]:
    """More mail than a mailbox holds, and more sleepers than a socket can have signals under way."""
    bfs = str(Path(programs) / "bfs")
    code, said, seconds = run([tess, "run", "--fabric", "ucx", "-n", str(places), bfs, "kron:10"])
    print(f"{places} places: {seconds:.1f} s")
    return [] if code == 0 and "verified: yes" in said else [f"bfs at {places} places: {code}\n{said[-1000:]}"]


def check_files(hello: str) -> list[str]:
    """What the environment may name instead of the file of a job."""
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("nothing " * 100)
        for name, rank, part in (
            ("/no/such/file", "0", "its launcher is gone"),
            (str(text), "0", "is no file of a job"),
            ("/dev/null", "0", "is no file of a job"),
        ):
            settings = {"TESS_SPAWNED": name, "TESS_RANK": rank, "TESS_FABRIC": "ucx"}
            code, said, seconds = run([hello], **settings)
            if code not in (1, 2) or part not in said or seconds > 5:
                errors.append(f"{settings}: {code}\n{said}")
    return errors


def check_choice(tess: str, hello: str) -> list[str]:
    """Who starts the processes."""
    errors = []
    for words, wanted, part in (
        (["--launcher", "tess"], 0, "hello from place 1 of 2"),
        (["--launcher", "tess", "--hosts", "a,b"], 2, "this host only"),
        (["--launcher", "prterun"], 2, "--launcher prterun: it is not in the PATH"),
        (["--launcher", "tes"], 2, "did you mean tess?"),
    ):
        code, said, _ = run([tess, "run", "--fabric", "ucx", "-n", "2", *words, hello])
        if code != wanted or part not in said:
            errors.append(f"{words}: {code}\n{said}")
    return errors


def main() -> int:
    tess, programs, *many = sys.argv[1:]
    hello = str(Path(programs) / "hello")
    if many:
        errors = check_many(tess, programs, int(many[0]))
        print("\n".join(errors) or "ok")
        return 1 if errors else 0
    errors = check_many(tess, programs, 80) + check_plain(tess) + check_jobs(tess, hello)
    errors += check_files(hello) + check_choice(tess, hello)
    print("\n".join(errors) or "ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
