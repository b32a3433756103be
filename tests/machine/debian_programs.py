"""debian_programs: programs that Debian compiled for RV64 run on the machine: shells, busybox, Go, Lua, SQLite, e2fsck.

Usage: debian_programs.py TESS_MACHINE FOLDER; the packages are kept in FOLDER.
Method: packages from the archive that this computer's apt knows, and what each program must print, known otherwise.
Without a network, or without such an archive, it ends with 77: skipped.
"""

import dataclasses
import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
SUITE = "trixie"  # the first release of Debian with this architecture
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
PACKAGES = (
    "bash-static",
    "busybox-static",
    "e2fsck-static",
    "goawk",
    "libc-bin",
    "libc6-dev",
    "liblua5.4-dev",
    "libsqlite3-dev",
    "mksh",
    "sash",
    "shfmt",
    "tini",
    "zsh-static",
)
WORDS = "a b\nc d\n"
TIMED = ("--machine", "nemesys-4x4")
TRANSLATED = ("--machine", "sifive-u74-mmu")

SQLITE = """#include <sqlite3.h>
#include <stdio.h>
static int row(void* unused, int n, char** values, char** names) {
  for (int i = 0; i < n; ++i) printf("%s%s", values[i] ? values[i] : "NULL", i + 1 < n ? "|" : "\\n");
  return 0;
}
int main(int argc, char** argv) {
  sqlite3* database;
  char* error = 0;
  if (sqlite3_open(argv[1], &database)) return 1;
  for (int i = 2; i < argc; ++i)
    if (sqlite3_exec(database, argv[i], row, 0, &error)) return printf("%s\\n", error), 1;
  return sqlite3_close(database);
}
"""
LUA = """#include <lua5.4/lua.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
#include <stdio.h>
int main(int argc, char** argv) {
  lua_State* state = luaL_newstate();
  luaL_openlibs(state);
  if (luaL_dostring(state, argv[1])) return printf("%s\\n", lua_tostring(state, -1)), 1;
  lua_close(state);
  return argc != 2;
}
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """A line of the table: a program of the packages, its words, what it prints, and on which machine."""

    program: str
    words: tuple[str, ...]
    printed: str  # a regular expression for all of standard output
    options: tuple[str, ...] = ()
    code: int = 0


def sh(text: str, printed: str, program: str = "usr/bin/busybox", **more) -> Case:
    """A shell's script."""
    return Case(program, (*(("sh",) if program.endswith("busybox") else ()), "-c", text), printed, **more)


def busybox(*words: str, printed: str, **more) -> Case:
    return Case("usr/bin/busybox", words, printed, **more)


BASH, ZSH = "usr/bin/bash-static", "usr/bin/zsh-static"
CASES = (
    busybox("echo", "hello", printed="hello\n"),
    busybox("echo", "hello", printed="hello\n", options=TIMED),
    busybox("sort", "-r", "words", printed="c d\na b\n"),
    busybox("sed", "s/a/b/", "words", printed="b b\nc d\n"),
    busybox("awk", "{ s += NR } END { print s / 4 }", "words", printed="0.75\n"),
    busybox("wc", "words", printed=r" +2 +4 +8 words\n"),
    busybox("sha256sum", "words", printed=hashlib.sha256(WORDS.encode()).hexdigest() + "  words\n"),
    busybox("tar", "cf", "out/t.tar", "words", printed=""),
    busybox("tar", "tf", "out/t.tar", printed="words\n"),
    busybox("gzip", "-k", "-f", "out/t.tar", printed=""),
    busybox("gunzip", "-c", "out/t.tar.gz", printed=r"words[\s\S]*"),
    busybox("mkdir", "-p", "out/a/b/c", printed=""),
    busybox("find", "out/a", "-type", "d", printed="out/a\nout/a/b\nout/a/b/c\n"),
    busybox("cp", "-p", "words", "out/copy", printed=""),
    busybox("cmp", "words", "out/copy", printed=""),
    busybox("ln", "-sf", "copy", "out/link", printed=""),
    busybox("readlink", "out/link", printed="copy\n"),
    busybox("nproc", printed="4\n"),
    busybox("date", "-u", "+%Y-%m-%d", printed="2023-11-14\n"),
    busybox("sleep", "3600", printed=""),
    busybox("cat", "/etc/passwd2", "/proc/self/root/etc/hostname2", printed="", code=1),
    busybox("sh", "-c", "echo a | cat", printed="", code=2),
    sh("trap 'echo bye' EXIT; echo $((2 ** 10))", "1024\nbye\n"),
    sh("i=0; while [ $i -lt 100 ]; do i=$((i+1)); done; echo $i", "100\n", options=TIMED),
    sh("trap 'echo got' USR1; kill -USR1 $$; echo ${BASH_VERSION%%.*}", "got\n5\n", program=BASH),
    sh("f() { local n=$1; ((n < 2)) && echo 1 || echo $((n * 6)); }; f 7", "42\n", program=BASH),
    sh("read -r a b < words; echo \"$b $a\"; cd out && pwd > where && read -r w < where && echo \"${w##*/}\"",
       "b a\nout\n", program=BASH),
    sh("declare -A a=([x]=1 [y]=2); echo ${#a[@]} ${a[y]}", "2 2\n", program=BASH, options=TIMED),
    sh("print -l {1..3}; a=(x y); print $#a", "1\n2\n3\n2\n", program=ZSH),
    sh("echo $((6 * 7))", "42\n", program="usr/lib/klibc/bin/mksh"),
    sh("echo $((6 * 7))", "42\n", program="usr/lib/riscv64-linux-musl/bin/mksh"),
    sh("echo $((6 * 7))", "42\n", program="usr/bin/lksh"),
    sh("-echo hi", "hi\n", program="usr/bin/sash"),
    Case("usr/bin/tini-static", ("--version",), r"tini version [\d.]+\s*"),
    Case("usr/sbin/ldconfig", ("--version",), r"ldconfig \([\s\S]*"),  # position-independent
    Case("usr/bin/goawk", ("{ print $2 }", "words"), "b\nd\n"),
    Case("usr/bin/goawk", ("BEGIN { for (i = 0; i < 9999; i++) a[i] = i * i; print a[9998] }",), "99960004\n"),
    Case("usr/bin/shfmt", ("script",), "if true; then\n\techo hi\nfi\n"),
    Case("usr/bin/goawk", ("{ print $2 }", "words"), "b\nd\n", options=TRANSLATED),
    Case("usr/bin/goawk", ("BEGIN { for (i = 0; i < 9999; i++) a[i] = i * i; print a[9998] }",), "99960004\n",
         options=TRANSLATED),
    Case("usr/bin/shfmt", ("script",), "if true; then\n\techo hi\nfi\n", options=TRANSLATED),
    Case("usr/sbin/e2fsck.static", ("-fn", "image"), r"Pass 1[\s\S]*image: 11/\d+ files[\s\S]*"),
    Case("lua", ("local t = {} for i = 1, 1e4 do t[i] = i end print(#t, string.rep('x', 3), 7 // 2)",),
         "10000\txxx\t3\n"),
    Case("lua", ("print(pcall(error, 'e'), select('#', 1, 2))",), "false\t2\n", options=TIMED),
    Case("sqlite", ("out/db", "create table t(a, b)", "insert into t values(1, 'one'), (2, 'two')",
                    "select sum(a), max(b) from t", "pragma integrity_check"), r"3\|two\nok\n"),
    Case("sqlite", ("out/db", "begin", "delete from t where a = 1", "rollback", "select count(*) from t"), "2\n"),
    Case("sqlite", ("out/db", "update t set b = 'x'", "select b from t"), "x\nx\n", options=TIMED),
    Case("sqlite", ("out/wal", "pragma journal_mode=wal", "create table t(a)", "insert into t values(1), (2), (3)",
                    "select sum(a) from t", "pragma wal_checkpoint", "insert into t values(4)",
                    "select count(*) from t"), r"wal\n6\n0\|\d+\|\d+\n4\n"),
    Case("sqlite", ("out/wal", "pragma journal_mode", "insert into t values(5)", "select sum(a) from t"),
         "wal\n15\n", options=TIMED),
    Case("sqlite", ("out/wal", "delete from t where a < 4", "select sum(a) from t", "pragma integrity_check"),
         "9\nok\n"),
)


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def archive() -> str:
    """The address of Debian's archive, as this computer's apt has it."""
    texts = [one.read_text() for one in Path("/etc/apt").glob("sources.list.d/*.sources")]
    texts += [one.read_text() for one in Path("/etc/apt").glob("sources.list")]
    for text in texts:
        for found in re.findall(r"^(?:URIs:|deb)[^\n]*?\s(\w+://\S+?/debian/?)\s", text + "\n", re.MULTILINE):
            return found
    skip("apt knows no archive of Debian")
    return ""


def fetch(folder: Path) -> Path:
    """The packages, unpacked."""
    root, state, cache, debs = (folder / name for name in ("root", "state", "cache", "debs"))
    if (folder / "complete").exists():
        return root
    for made in (state / "lists/partial", cache / "archives/partial", debs, root):
        made.mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(f"deb [arch=riscv64 signed-by={KEYRING}] {archive()} {SUITE} main\n")
    settings = {
        "Dir::State": state, "Dir::Cache": cache, "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null", "Dir::State::status": "/dev/null", "APT::Architecture": "riscv64",
        "APT::Architectures": "riscv64", "APT::Sandbox::User": "root", "Acquire::Retries": 1,
        "Acquire::http::Timeout": 20,
    }
    apt = ["apt-get", "-q"] + [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
    if shutil.which("apt-get") is None or not Path(KEYRING).exists():
        skip("no apt-get, or no keys of Debian's archive")
    for words in (["update"], ["download", *PACKAGES]):
        if subprocess.run([*apt, *words], cwd=debs, capture_output=True, timeout=300, check=False).returncode != 0:
            skip("the archive is not reached")
    for package in debs.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True, timeout=100)
    (folder / "complete").touch()
    return root


def link(root: Path, name: str, text: str, library: str) -> None:
    """A program with a library of the packages, and the C library that it was compiled for."""
    source, made, headers = root / f"{name}.c", root / f"{name}.o", root / f"include-{name}"
    source.write_text(text)
    headers.mkdir(exist_ok=True)
    usual = root / "usr/include"
    for header in [*usual.glob("sqlite3*.h"), usual / "lua5.4", *(usual / "riscv64-linux-gnu").glob("lua5.4*.h")]:
        if not (headers / header.name).exists():
            (headers / header.name).symlink_to(header)
    compiler = ["riscv64-linux-gnu-gcc", "-O2", f"-I{headers}", f"-I{headers}/lua5.4"]
    subprocess.run([*compiler, "-c", source, "-o", made], check=True, timeout=100)
    find = [*compiler, "-print-file-name="]
    of_gcc = [subprocess.run([*find[:-1], find[-1] + one], capture_output=True, text=True, check=True).stdout.strip()
              for one in ("libgcc.a", "libgcc_eh.a")]
    libraries = root / "usr/lib/riscv64-linux-gnu"
    ends = [libraries / one for one in ("crt1.o", "crti.o", "crtn.o")]
    subprocess.run(["ld.lld-19", "-static", *ends[:2], made, libraries / library, "--start-group", libraries / "libc.a",
                    libraries / "libm.a", *of_gcc, "--end-group", ends[2], "-o", root / name],
                   check=True, timeout=100, capture_output=True)


def main(machine: str, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    root = fetch(folder)
    link(root, "sqlite", SQLITE, "libsqlite3.a")
    link(root, "lua", LUA, "liblua5.4.a")
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    (work / "out").mkdir(parents=True)
    (work / "words").write_text(WORDS)
    (work / "script").write_text("if true;then\necho hi;fi\n")
    cases = CASES
    if maker := shutil.which("mke2fs", path="/sbin:/usr/sbin"):
        (work / "image").write_bytes(bytes(1 << 18))
        subprocess.run([maker, "-q", "-F", work / "image"], check=True, timeout=60, capture_output=True,
                       env={"E2FSPROGS_FAKE_TIME": "1600000000"})
    else:
        cases = tuple(one for one in cases if "e2fsck" not in one.program)
    failed = 0
    for case in cases:
        words = [machine, "--quiet", *case.options, "--allow-write", "out", "--max-seconds", "100", "--",
                 str(root / case.program), *case.words]
        done = subprocess.run(words, cwd=work, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == case.code and re.fullmatch(case.printed, done.stdout):
            continue
        failed += 1
        print(f"{case.program} {' '.join(case.words)} {' '.join(case.options)}: ended with {done.returncode}\n"
              f"{done.stdout[-500:]}{done.stderr[-500:]}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()))
