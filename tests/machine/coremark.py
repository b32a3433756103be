"""coremark: CoreMark on the presets that model two cores, beside the CoreMark/MHz that is published of these.

Usage: coremark.py TESS_MACHINE FOLDER [--source COREMARK]; without --source it is fetched into FOLDER, from the source
of a Debian package that has a copy. Sources, programs and the port stay in FOLDER.
Method: CoreMark's own files, unchanged, with a port for this machine (its time is the cycle counter, so its "iterations
a second" are iterations in a million cycles: CoreMark/MHz), compiled by the cross compiler with the options below. It
checks its own results. Its rule that a run takes ten seconds is not kept: the machine repeats to the cycle.
Without a network, a cross compiler or such an archive it ends with 77: skipped.
"""

import argparse
import dataclasses
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from debian_programs import KEYRING, SUITE, archive, skip

TOLERANCE = 0.15
PACKAGE = "emscripten"  # its source has CoreMark in test/third_party
FILES = ("core_list_join.c", "core_main.c", "core_matrix.c", "core_state.c", "core_util.c", "coremark.h")
OPTIONS = (
    "-O2 -fno-common -funroll-loops -finline-functions -funroll-all-loops -falign-functions=8 -falign-jumps=8 "
    "-falign-loops=8 -finline-limit=1000 -mtune=sifive-7-series --param fsm-scale-path-stmts=3"
)
ITERATIONS = 20

# What CoreMark asks of a port. Its unsigned 32-bit type is a signed one in ports for RV64, which has no cheap
# zero-extension.
HEADER = """#include <stddef.h>
#include <stdint.h>
#define HAS_FLOAT 1
#define HAS_TIME_H 0
#define USE_CLOCK 0
#define HAS_STDIO 1
#define HAS_PRINTF 1
#define COMPILER_VERSION "GCC " __VERSION__
#define COMPILER_FLAGS "as the port says"
#define MEM_LOCATION "stack"
#define SEED_METHOD SEED_VOLATILE
#define MEM_METHOD MEM_STACK
#define MULTITHREAD 1
#define MAIN_HAS_NOARGC 1
#define MAIN_HAS_NORETURN 0
typedef int16_t ee_s16;
typedef uint16_t ee_u16;
typedef int32_t ee_s32;
typedef int32_t ee_u32;
typedef uint8_t ee_u8;
typedef double ee_f32;
typedef uintptr_t ee_ptr_int;
typedef size_t ee_size_t;
typedef uint64_t CORE_TICKS;
typedef struct CORE_PORTABLE_S { ee_u8 portable_id; } core_portable;
extern ee_u32 default_num_contexts;
#define align_mem(x) (void*)(((ee_ptr_int)(x) + 3) & ~(ee_ptr_int)3)
void portable_init(core_portable* p, int* argc, char* argv[]);
void portable_fini(core_portable* p);
"""
PORT = """#include "coremark.h"
volatile ee_s32 seed1_volatile = 0, seed2_volatile = 0, seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = ITERATIONS, seed5_volatile = 0;
ee_u32 default_num_contexts = 1;
static uint64_t begun, ended;
static uint64_t cycle(void) {
  uint64_t now;
  __asm__ volatile("rdcycle %0" : "=r"(now));
  return now;
}
void start_time(void) { begun = cycle(); }
void stop_time(void) { ended = cycle(); }
CORE_TICKS get_time(void) { return ended - begun; }
secs_ret time_in_secs(CORE_TICKS ticks) { return ticks / 1e6; }
void portable_init(core_portable* p, int* argc, char* argv[]) { p->portable_id = 1; }
void portable_fini(core_portable* p) { p->portable_id = 0; }
"""


@dataclasses.dataclass(frozen=True)
class Core:
    """A preset, the CoreMark/MHz of the core that it models, and who says so."""

    preset: str
    published: float
    source: str


CORES = (
    Core("sifive-u54", 2.75, "SiFive, of the FU540 (2017): 1.7 DMIPS/MHz, 2.75 CoreMark/MHz"),
    Core("sifive-u74", 5.1, "SiFive, of the U74; quoted by Chen et al., XuanTie-910 (ISCA 2020)"),
)


def fetch(folder: Path) -> Path:
    """CoreMark's files, out of the source of a Debian package."""
    made = folder / "coremark"
    if all((made / name).exists() for name in FILES):
        return made
    if shutil.which("apt-get") is None or not Path(KEYRING).exists():
        skip("no apt-get, or no keys of Debian's archive")
    state, cache = folder / "state", folder / "cache"
    for part in (state / "lists/partial", cache / "archives/partial"):
        part.mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(f"deb-src [signed-by={KEYRING}] {archive()} {SUITE} main\n")
    settings = {
        "Dir::State": state, "Dir::Cache": cache, "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null", "APT::Sandbox::User": "root", "Acquire::Retries": 1,
        "Acquire::http::Timeout": 20,
    }
    apt = ["apt-get", "-q"] + [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
    for words in (["update"], ["source", "--download-only", "--tar-only", PACKAGE]):
        # Other parts of the package may be missing; only this one is needed.
        subprocess.run([*apt, *words], cwd=folder, capture_output=True, timeout=300, check=False)
    found = sorted(folder.glob(f"{PACKAGE}_*.orig.tar.xz"))
    if not found:
        skip("the archive is not reached")
    made.mkdir(exist_ok=True)
    with tarfile.open(found[0]) as all_files:
        for one in all_files:
            name = Path(one.name)
            if one.isfile() and name.parent.name == "coremark" and name.name in FILES:
                (made / name.name).write_bytes(all_files.extractfile(one).read())
    return made


def compiled(source: Path, folder: Path) -> Path:
    compiler = shutil.which("riscv64-linux-gnu-gcc")
    if compiler is None:
        skip("no cross compiler (package gcc-riscv64-linux-gnu)")
    port = folder / "port"
    port.mkdir(exist_ok=True)
    (port / "core_portme.h").write_text(HEADER)
    (port / "core_portme.c").write_text(PORT)
    # CoreMark's folder has a port of its own: its files are compiled as copies, beside ours.
    for name in FILES:
        shutil.copy(source / name, port / name)
    made = folder / "coremark.elf"
    words = [compiler, *OPTIONS.split(), "-static", "-w", "-DPERFORMANCE_RUN=1", f"-DITERATIONS={ITERATIONS}"]
    subprocess.run([*words, *sorted(port.glob("*.c")), "-o", made], check=True, timeout=200)
    return made


def measured(machine: str, preset: str, program: Path) -> float:
    done = subprocess.run([machine, "--quiet", "--machine", preset, "--", program], capture_output=True, text=True,
                          timeout=300, check=True)
    # It must be long by its rules; that is its only complaint, or the results are wrong.
    wrong = [line for line in done.stdout.splitlines() if "ERROR" in line and "10 secs" not in line]
    if wrong or "crcfinal" not in done.stdout:
        raise SystemExit(f"{preset}: {done.stdout}")
    return float(re.search(r"Iterations/Sec +: ([\d.]+)", done.stdout).group(1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machine")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--source", type=Path)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    program = compiled(asked.source or fetch(asked.folder), asked.folder)
    print(f"compiled with {OPTIONS}")
    failed = 0
    for core in CORES:
        here = measured(asked.machine, core.preset, program)
        away = here / core.published - 1
        failed += abs(away) > TOLERANCE
        print(f"{core.preset}: {here:.3f} CoreMark/MHz, published {core.published} ({away:+.1%}); {core.source}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
