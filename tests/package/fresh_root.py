"""fresh_root: the Debian packages, installed in a fresh Debian 12, do what they are for.

Makes a root by debootstrap from the mirror of this machine, installs the packages with what they depend on, and runs a
bundled program, a project with find_package, one with pkg-config, a C program, the manual and the completion;
then OpenSHMEM's compilers and launcher, alone and beside Open MPI's.
Needs root and a network; takes minutes. Usage: fresh_root.py PACKAGES SOURCES.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

C_PROGRAM = """
#include <stdio.h>
#include <tess/rmem.h>
int main(void) {
  struct tess_rmem_region region;
  return tess_rmem_open("none", TESS_RMEM_READ, &region) == TESS_RMEM_OK || tess_rmem_message()[0] == 0;
}
"""
SHMEM_PROGRAM = """
#include <shmem.h>
#include <stdio.h>
static long sum;
int main(void) {
  shmem_init();
  shmem_long_atomic_add(&sum, shmem_my_pe(), 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("the sum is %ld\\n", sum);
  shmem_finalize();
  return 0;
}
"""
COMPLETION = """
source /usr/share/bash-completion/completions/tess
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _tess; echo "${COMPREPLY[@]}"; }
complete_words tess ru
complete_words tess run bf
complete_words tess run --machine nemesys-4
"""


def sources_of_debian() -> tuple[Path, str]:
    """The file of this machine that says where Debian's packages come from, and the mirror that it names."""
    folder = Path("/etc/apt")
    files = [folder / "sources.list", *(folder / "sources.list.d").glob("*.list")]
    files += (folder / "sources.list.d").glob("*.sources")
    for file in files:
        text = file.read_text() if file.is_file() else ""
        if found := re.search(r"(?m)^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+bookworm\s", text):
            return file, found[1]
        if "bookworm" in text and (found := re.search(r"(?m)^URIs:\s*(\S+)", text)):
            return file, found[1]
    raise SystemExit("skipped: no mirror of Debian 12 is known here")


class Root:
    """A root of its own: commands run inside of it, files are put there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *command: str) -> str:
        done = subprocess.run(
            # With a /proc of its own, as every system has: in a mount namespace, so that nothing stays mounted.
            ["unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"',
             str(self.folder), *command],  # fmt: skip
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def put(self, source: Path, target: str) -> None:
        place = self.folder / target.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place)
        else:
            shutil.copy(source, place)


def debian_root(folder: Path) -> Root:
    """A fresh Debian 12 in a folder, with the sources of this machine."""
    root = Root(folder)
    file, mirror = sources_of_debian()
    subprocess.run(
        ["debootstrap", "--variant=minbase", "bookworm", str(folder), mirror],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (folder / "etc" / "apt" / "sources.list").unlink(missing_ok=True)
    root.put(file, f"/etc/apt/sources.list.d/{file.name}" if file.suffix == ".sources" else "/etc/apt/sources.list")
    return root


def expect(what: str, text: str, pattern: str) -> None:
    if not re.search(pattern, text):
        raise SystemExit(f"{what}: expected {pattern!r} in\n{text}")
    print(f"{what}: right", flush=True)


def check_openshmem(root: Root) -> None:
    (root.folder / "sum.c").write_text(SHMEM_PROGRAM)
    root.run("oshcc", "/sum.c", "-o", "/sum")
    expect("oshcc, oshrun", root.run("oshrun", "-np", "3", "/sum"), "the sum is 3")
    root.run("oshc++", "-x", "c++", "/sum.c", "-o", "/sum")
    expect("oshc++", root.run("oshrun", "-np", "4", "/sum"), "the sum is 6")
    root.run("sh", "-c", "clang-19 /sum.c -o /sum $(pkg-config --cflags --libs shmem)")
    expect("pkg-config shmem", root.run("oshrun", "-np", "3", "/sum"), "the sum is 3")


def check_alternatives(root: Root) -> None:
    """Open MPI's packages come later, and stay when ours go."""

    def leads_to(name: str, expected: str) -> None:
        expect(f"{name} is {expected}", root.run("readlink", "-f", f"/usr/bin/{name}"), f"^{expected}\n$")

    leads_to("oshrun", "/usr/bin/tess")
    install = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "install", "--no-install-recommends"]
    root.run(*install, "openmpi-bin", "libopenmpi-dev")
    for name in ("oshrun", "oshcc", "oshc++"):
        leads_to(name, "/usr/bin/tess")
    root.run("update-alternatives", "--set", "oshrun", "/usr/bin/oshrun.openmpi")
    for name, expected in (("oshrun", "orterun"), ("oshcc", "opal_wrapper"), ("oshcxx", "opal_wrapper")):
        leads_to(name, f"/usr/bin/{expected}")
    root.run("apt-get", "-y", "remove", "tessera")
    for name, expected in (("oshrun", "orterun"), ("oshcc", "opal_wrapper"), ("oshcxx", "opal_wrapper")):
        leads_to(name, f"/usr/bin/{expected}")
    expect("nothing is diverted", root.run("sh", "-c", "dpkg-divert --list '*osh*' | wc -l"), "^0\n$")


def check(root: Root, packages: list[Path], sources: Path) -> None:
    for package in packages:
        root.put(package, f"/packages/{package.name}")
    root.run("apt-get", "update")
    install = ["apt-get", "-y", "install", "--no-install-recommends"]
    names = [f"/packages/{package.name}" for package in packages]
    root.run("env", "DEBIAN_FRONTEND=noninteractive", *install, *names, "man-db", "cmake", "ninja-build", "pkg-config")

    for name in ("debian-12.mtx.gz", "debian-12.names.gz"):
        root.put(sources / "data" / name, f"/data/{name}")
    bfs = root.run("tess", "run", "bfs", "/data/debian-12.mtx.gz", "--source", "libc6", "-n", "4")
    expect("tess run bfs", bfs, "verified")
    expect("tess machines", root.run("tess", "machines"), "nemesys-4x4")
    expect("man tess", root.run("env", "MANPAGER=cat", "man", "tess"), "SUBCOMMAND")

    root.put(sources / "tests" / "install", "/project")
    root.run("cmake", "-S", "/project", "-B", "/built", "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-19",
             "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")  # fmt: skip
    root.run("cmake", "--build", "/built")
    hello = "hello from one of 2 places"
    expect("find_package", root.run("tess", "run", "/built/hello", "-n", "2"), hello)
    root.run("sh", "-c", "clang++-19 /project/hello.cpp -o /hello $(pkg-config --cflags --libs tessera)")
    expect("pkg-config", root.run("tess", "run", "/hello", "-n", "2"), hello)
    root.run("tess", "c++", "/project/hello.cpp", "-o", "/hello")
    expect("tess c++", root.run("tess", "run", "/hello", "-n", "2"), hello)

    (root.folder / "region.c").write_text(C_PROGRAM)
    root.run("sh", "-c", "clang-19 /region.c -o /region $(pkg-config --cflags --libs tessera-rmem) && /region")
    expect("C library", root.run("ldd", "/region"), r"libtessera-rmem\.so\.0")
    (root.folder / "completion.bash").write_text(COMPLETION)
    expect("completion", root.run("bash", "/completion.bash"), r"run\nbfs\nnemesys-4x4")
    expect("documentation", root.run("ls", "/usr/share/doc/tessera-doc/html"), "index.html")
    check_openshmem(root)
    check_alternatives(root)


def main(folder: Path, sources: Path) -> None:
    packages = sorted(folder.glob("*.deb"))
    if len(packages) != 3 or shutil.which("debootstrap") is None or os.geteuid() != 0:
        raise SystemExit("skipped: needs root, debootstrap, and the packages: ./tess package")
    with tempfile.TemporaryDirectory() as name:
        check(debian_root(Path(name) / "root"), packages, sources)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
