"""files: damaged graphs, machine files and journals of memory servers are given to the real programs.

Each must succeed or be refused in words with exit code 1 or 2; never a signal, a hang, or a wrong `verified: yes`. What
graphs of any text format, plain or gzipped, mean is read a second time by graph_oracle.py: program and oracle must
agree on whether the file is a graph, and on what was computed. Some files change while they are read. A journal that is
accepted has regions of the original one only. Usage: files.py [--seconds S] [--seed N] [--only N].
"""

import gzip
import json
import os
import random
import resource
import signal
import subprocess
import threading
import time
from pathlib import Path

import graph_oracle
from campaign import ROOT, Campaign, main
from mutate import damaged

SECONDS_MAX = 60
MEMORY_MAX = 8 << 30
EXTENSIONS = ("mtx", "mtx", "el", "wel", "txt", "csv", "tsv", "gr", "gr")
MACHINES = sorted((ROOT / "machines").glob("*.toml"))
ORACLES = {
    "components": graph_oracle.components,
    "bfs": graph_oracle.bfs,
    "triangles": graph_oracle.triangles,
    "sssp": lambda vertices, edges: {"reached": graph_oracle.bfs(vertices, edges)["reached"]},
    "pagerank": None,
}
REGIONS = {"kept", "input", "third"}

campaign = Campaign("files", __doc__.splitlines()[0])


def limit_memory() -> None:
    # Sanitizers reserve more than that for themselves.
    if campaign.build.name not in ("asan", "tsan"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words: list[str], settings: dict[str, str] | None = None) -> tuple[int, str]:
    """Exit code, negative for a signal, and both outputs; a hang is 999."""
    try:
        done = subprocess.run(
            words,
            env={**os.environ, **(settings or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS_MAX,
            preexec_fn=limit_memory,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 999, f"did not end within {SECONDS_MAX} s"
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def problem_of(code: int, text: str) -> str:
    """What is wrong with this end, whatever the input was."""
    if "Sanitizer" in text or "runtime error:" in text:
        return f"a sanitizer reports: {text[:2000]}"
    if code not in (0, 1, 2):
        return f"exit code {code}: {text[-1000:]}"
    if "verified: NO" in text:
        return f"it does not verify: {text[-500:]}"
    if code != 0 and not text.strip():
        return f"exit code {code} without a word"
    return ""


# Graphs ---------------------------------------------------------------------------------------------------------------


def good_graph(draw: random.Random, extension: str) -> bytes:
    vertices = draw.randrange(1, 40)
    edges = [(draw.randrange(vertices), draw.randrange(vertices)) for _ in range(draw.randrange(1, 120))]
    end = draw.choice(("\n", "\n", "\r\n"))
    if extension == "mtx":
        kind, symmetry = draw.choice(("pattern", "integer", "real")), draw.choice(("general", "symmetric"))
        head = [f"%%MatrixMarket matrix coordinate {kind} {symmetry}", "% a comment"]
        head.append(f"{vertices} {vertices} {len(edges)}")
        weight = {
            "pattern": lambda: "",
            "integer": lambda: f" {draw.randrange(9)}",
            "real": lambda: f" {draw.random()}",
        }
        lines = head + [f"{a + 1} {b + 1}{weight[kind]()}" for a, b in edges]
    elif extension == "gr":
        head = ["c a comment", f"p sp {vertices} {len(edges)}"]
        lines = head + [f"a {a + 1} {b + 1} {draw.randrange(9)}" for a, b in edges]
    else:
        blank = {"csv": ",", "tsv": "\t"}.get(extension, " ")
        weighted = extension == "wel" or (extension != "el" and draw.random() < 0.5)
        weights = [[str(draw.randrange(9))] if weighted else [] for _ in edges]
        lines = ["# a comment"] + [blank.join([str(a), str(b), *w]) for (a, b), w in zip(edges, weights, strict=True)]
    if draw.random() < 0.6:
        lines = [oddly(draw, line, extension) if i else line for i, line in enumerate(lines)]
    return end.join(lines).encode() + draw.choice((end, end, "")).encode()


def oddly(draw: random.Random, line: str, extension: str) -> str:
    """The same line, written in another way that is allowed."""
    kind = draw.randrange(8)
    if kind == 0:
        return line.replace(" ", draw.choice(("  ", "\t", " \t "))) if "MatrixMarket" not in line else line
    if kind == 1:
        return draw.choice((" ", "\t", "   ")) + line
    if kind == 2:
        return line + draw.choice((" ", "\t", "  \t"))
    if kind == 3:
        comment = {"mtx": "%", "gr": "c"}.get(extension, draw.choice("#%"))
        return f"{comment} {draw.randbytes(5).hex()}\n{line}"
    if kind == 4:
        return draw.choice(("\n", " \n", "\r\n")) + line
    return line


def graph_file(draw: random.Random) -> tuple[str, bytes]:
    """A name's end, and damaged contents."""
    extension = draw.choice(EXTENSIONS)
    data, other = good_graph(draw, extension), good_graph(draw, extension)
    if draw.random() < 0.3:
        extension += ".gz"
        # The text, the compressed bytes, or nothing is damaged.
        kind = draw.randrange(3)
        if kind == 0:
            return extension, gzip.compress(damaged(draw, data, other), mtime=0)
        packed = gzip.compress(data, mtime=0)
        return extension, damaged(draw, packed, gzip.compress(other, mtime=0)) if kind == 1 else packed
    return extension, data if draw.random() < 0.2 else damaged(draw, data, other)


def expected(name: str, versions: list[bytes], program: str) -> list[dict[str, object] | None]:
    """What the program may report for one of these contents; None: it must refuse."""
    graphs = [graph_oracle.read(name, data) for data in versions]
    compute = ORACLES[program]
    return [None if g is None else compute(*g) if compute else {} for g in graphs]


def check_graph(attempt: int, draw: random.Random, folder: Path, changes: bool) -> None:
    program = draw.choice(sorted(ORACLES))
    extension, data = graph_file(draw)
    file = folder / f"g{attempt}.{extension}"
    file.write_bytes(data)
    versions = [data]
    stats = folder / f"stats{attempt}.json"
    words = [str(campaign.build / "libexec/tessera" / program), str(file)]
    words += ["--source", "0"] if program in ("bfs", "sssp") else []
    settings = {
        "TESS_PLACES": str(draw.choice((1, 1, 2, 3))),
        "TESS_FABRIC": draw.choice(("smp", "smp", "hostile", "checked")),
        "TESS_STATS": str(stats),
    }
    changer = None
    if changes:
        versions.append(damaged(draw, data, good_graph(draw, extension.partition(".")[0])))
        changer = threading.Thread(target=replace, args=(draw, file, versions[1]))
        changer.start()
    code, text = run(words, settings)
    if changer:
        changer.join()
    problem = problem_of(code, text)
    if not problem and not changes:
        problem = compare(str(file), versions, program, code, text, stats)
    elif not problem and code == 0:
        problem = compare(str(file), versions, program, code, text, stats)
    if problem:
        campaign.failed(attempt, f"{program} {settings}: {problem}", [file])
    file.unlink(missing_ok=True)
    stats.unlink(missing_ok=True)


def replace(draw: random.Random, file: Path, data: bytes) -> None:
    """Another content, written over the file or put in its place, at some time of the reading."""
    time.sleep(draw.random() * 0.02)
    if draw.random() < 0.5:
        file.write_bytes(data)
    else:
        other = file.with_name("next-" + file.name)
        other.write_bytes(data)
        other.rename(file)


def compare(name: str, versions: list[bytes], program: str, code: int, text: str, stats: Path) -> str:
    try:
        right = expected(name, versions, program)
    except graph_oracle.Unknown:
        return ""
    if code != 0:
        # Without vertex 0 there is nothing to begin with; weights below 0 have no shortest paths.
        allowed = program == "sssp" or "memory" in text
        return "" if None in right or allowed else f"a good graph is refused, exit code {code}: {text[-500:]}"
    if right.count(None) == len(right):
        return f"what is no graph is accepted: {text[-500:]}"
    found = json.loads(stats.read_text())["result"]
    for one in right:
        if one is not None and all(found.get(key) == value for key, value in one.items()):
            return ""
    return f"reported {found}, but right is {right}"


# Machine files and journals -------------------------------------------------------------------------------------------


def check_machine(attempt: int, draw: random.Random, folder: Path) -> None:
    file = folder / f"m{attempt}.toml"
    file.write_bytes(damaged(draw, draw.choice(MACHINES).read_bytes(), draw.choice(MACHINES).read_bytes()))
    code, text = run([str(campaign.build / "bin/tess"), "machines", str(file)])
    problem = problem_of(code, text)
    if not problem and code != 0 and file.name not in text:
        problem = f"the message does not say where: {text[-500:]}"
    if problem:
        campaign.failed(attempt, f"machine file: {problem}", [file])
    file.unlink()


def memd(words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(campaign.build / "bin/tess"), "memd", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
    )


def good_journal(folder: Path) -> Path:
    """The file of a server with three regions, and its journal."""
    kept = folder / "kept"
    server = memd(["--size", "1M", "--name", str(folder / "first.sock"), "--file", str(kept)])
    server.stdout.readline()
    for words in (
        ["create", "kept", "8K", "--users", "read"],
        ["create", "input", "1"],
        ["create", "third", "100K"],
        ["grant", "third", "read,grant", "--user", "5"],
        ["grant", "third", "read"],
        ["create", "gone", "4K"],
        ["rm", "gone"],
    ):
        code, text = run([str(campaign.build / "bin/tess"), "mem", "--server", str(folder / "first.sock"), *words])
        if code:
            raise RuntimeError(text)
    server.send_signal(signal.SIGKILL)
    server.wait()
    return kept


def check_journal(attempt: int, draw: random.Random, folder: Path, kept: Path) -> None:
    file = folder / f"j{attempt}"
    journal = Path(f"{file}.record")
    # The bytes of regions have no meaning to the server, but for the first page.
    bytes_, record = kept.read_bytes(), Path(f"{kept}.record").read_bytes()
    if draw.random() < 0.2:
        bytes_ = damaged(draw, bytes_[:4096]) + bytes_[4096:]
    else:
        record = damaged(draw, record)
    file.write_bytes(bytes_)
    journal.write_bytes(record)
    where = folder / f"{attempt}.sock"
    server = memd(["--size", "1M", "--name", str(where), "--file", str(file)])
    said = server.stdout.readline()
    listed = ""
    if said.startswith("tess memd: "):
        code, listed = run([str(campaign.build / "bin/tess"), "mem", "--server", str(where), "ls"])
        server.send_signal(signal.SIGTERM)
        if code:
            listed = f"ls fails: {listed}"
    try:
        said += server.communicate(timeout=SECONDS_MAX)[0]
    except subprocess.TimeoutExpired:
        server.kill()
        said += server.communicate()[0]
    problem = problem_of(server.returncode, said)
    names = {line.split()[0] for line in listed.splitlines()[1:] if line.strip()}
    if not problem and listed and not names <= REGIONS | {"gone"}:
        problem = f"regions that never were: {listed}"
    if not problem and server.returncode and (file.read_bytes(), journal.read_bytes()) != (bytes_, record):
        problem = f"refused, but changed: {said}"
    if problem:
        file.write_bytes(bytes_)
        journal.write_bytes(record)
        campaign.failed(attempt, f"journal: {problem}", [file, journal])
    for left in folder.glob(f"j{attempt}*"):
        left.unlink()
    where.unlink(missing_ok=True)


KEPT = good_journal(campaign.folder)


def attempt_one(attempt: int) -> None:
    draw = campaign.draw(attempt)
    kind = draw.random()
    if kind < 0.65:
        check_graph(attempt, draw, campaign.folder, changes=False)
    elif kind < 0.75:
        check_graph(attempt, draw, campaign.folder, changes=True)
    elif kind < 0.88:
        check_machine(attempt, draw, campaign.folder)
    else:
        check_journal(attempt, draw, campaign.folder, KEPT)
    campaign.counted()


if __name__ == "__main__":
    main(campaign, attempt_one)
