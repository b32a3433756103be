"""python_package: the wheel and the sdist of the package tessera, installed by pip as users do.

The wheel in a fresh environment of each Python from 3.11 to 3.13 that this machine has: a script that lies elsewhere
compares results with numpy. Then the sdist in a fresh Debian 12, which compiles it; there as root, by debootstrap.
Needs PyPI; takes minutes. Usage: python_package.py PACKAGES wheel|sdist.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from fresh_root import Root, debian_root, expect

# What a user's script does: names, weights, paths, a result as numpy's memory, a saved graph, the lists of names.
SCRIPT = """
import sys, tempfile
import numpy, pandas
import tessera as ts
frame = pandas.DataFrame({"from": ["a", "b", "c"], "to": ["b", "c", "d"], "km": [1.0, 2.5, 4.0]})
g = ts.from_pandas(frame, "from", "to", "km")
assert ts.sssp(g, "a").to_dict() == {"a": 0, "b": 1, "c": 3.5, "d": 7.5}
assert ts.bfs(g, "a", places=2).tolist() == [0, 1, 2, 3]
made = ts.generate("kron:10")
dense = made.to_scipy().toarray() if "scipy" in sys.argv else None
rank = ts.pagerank(made, tolerance=1e-12, iterations=1000)
if dense is not None:
    degrees = dense.sum(axis=1)
    given = numpy.where(degrees > 0, rank.to_numpy() / numpy.maximum(degrees, 1), 0) @ dense
    lost = rank.to_numpy()[degrees == 0].sum()
    assert numpy.abs(0.15 / 1024 + 0.85 * (given + lost / 1024) - rank).max() < 1e-9
assert abs(rank.sum() - 1) < 1e-9
with tempfile.TemporaryDirectory() as folder:
    made.save(folder + "/made.tgr")
    assert ts.triangles(ts.read(folder + "/made.tgr")) == ts.triangles(made)
if "networkx" in sys.argv:
    import networkx
    ring = networkx.cycle_graph(50)
    assert "tessera" in networkx.utils.backends.backends
    assert networkx.betweenness_centrality(ring, backend="tessera").keys() == set(ring)
assert all(callable(getattr(ts, name)) for name in ts.__all__)
print("works in Python", sys.version.split()[0], "from", ts.__file__)
"""
VERSIONS = ("3.11", "3.12", "3.13")


def interpreters() -> dict[str, Path]:
    """A working interpreter of each version, of this system or of pyenv."""
    found = {}
    for version in VERSIONS:
        candidates = [Path("/usr/bin") / f"python{version}", Path("/usr/local/bin") / f"python{version}"]
        candidates += sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
        for python in candidates:
            if python.exists() and subprocess.run([python, "-c", "import venv"], check=False).returncode == 0:
                found[version] = python
                break
    return found


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def check_wheel(wheel: Path, python: Path, folder: Path) -> None:
    script = folder / "script.py"
    script.write_text(SCRIPT)
    run(python, "-m", "venv", folder / "env", cwd=folder)
    inside = folder / "env" / "bin" / "python"
    run(inside, "-m", "pip", "install", "--disable-pip-version-check", f"{wheel}[networkx,scipy]", cwd=folder)
    expect("pip check", run(inside, "-m", "pip", "check", cwd=folder), "No broken requirements")
    said = run(inside, script, "scipy", "networkx", cwd=Path("/"))
    expect(said.strip(), said, str(folder / "env"))
    there = sorted(file.name for file in (folder / "env").glob("lib/python*/site-packages/tessera/*"))
    for name in ("_engine.abi3.so", "_engine.pyi", "py.typed"):
        expect(f"{name} is installed", "\n".join(there), f"(?m)^{name}$")


def check_sdist(root: Root, sdist: Path) -> None:
    # What pip would fetch; a root knows neither the proxies nor the certificates of this machine.
    with tarfile.open(sdist) as archive:
        (project,) = (member for member in archive.getmembers() if re.fullmatch(r"[^/]+/pyproject\.toml", member.name))
        settings = tomllib.loads(archive.extractfile(project).read().decode())
    needed = [*settings["build-system"]["requires"], *settings["project"]["dependencies"]]
    run(sys.executable, "-m", "pip", "download", "--dest", root.folder / "wheels", "--only-binary", ":all:",
        "--python-version", "3.11", *needed, cwd=root.folder)  # fmt: skip
    root.put(sdist, f"/{sdist.name}")
    (root.folder / "script.py").write_text(SCRIPT)
    root.run("apt-get", "update")
    root.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "install", "--no-install-recommends",
             "clang-19", "lld-19", "cmake", "ninja-build", "libfmt-dev", "libisal-dev", "python3-dev",
             "python3-venv")  # fmt: skip
    root.run("python3", "-m", "venv", "/env")
    root.run("/env/bin/python", "-m", "pip", "install", "--no-index", "--find-links", "/wheels", f"/{sdist.name}")
    said = root.run("/env/bin/python", "/script.py")
    expect(said.strip(), said, "works in Python 3.11.* from /env/")


def main(folder: Path, what: str) -> None:
    files = sorted(folder.glob("tessera-*.tar.gz" if what == "sdist" else "tessera-*-manylinux_2_36_x86_64.whl"))
    if len(files) != 1:
        raise SystemExit("skipped: no package for Python: ./tess package")
    with tempfile.TemporaryDirectory() as name:
        if what == "sdist":
            if shutil.which("debootstrap") is None or os.geteuid() != 0:
                raise SystemExit("skipped: needs root and debootstrap")
            check_sdist(debian_root(Path(name) / "root"), files[0])
            return
        found = interpreters()
        for version, python in found.items():
            place = Path(name) / version
            place.mkdir()
            check_wheel(files[0], python, place)
        print(f"tested with Python {', '.join(found)} of {', '.join(VERSIONS)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2])
