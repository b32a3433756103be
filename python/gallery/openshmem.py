"""openshmem: a program in C with OpenSHMEM, compiled for the tiles of a simulated machine, run and measured here.

Run it in the root of the source tree: ./tess python python/gallery/openshmem.py
"""

# %% The program: PEs count random numbers in a table that is spread over them, in two ways
# The clock is the machine's, so a run says how many cycles it took, and always the same.
import tempfile
from pathlib import Path

import pandas
import tessera as ts

SOURCE = r"""
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BINS = 256, NUMBERS = 1024 };
static long bins[BINS], own[BINS], result[BINS];

int main(int argc, char** argv) {
  shmem_init();
  int const me = shmem_my_pe(), n = shmem_n_pes(), together = atoi(argv[1]);
  struct timespec begin, end;
  uint64_t x = (uint64_t)me + 1;
  shmem_barrier_all();
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < NUMBERS / n; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    int const bin = (int)(x >> 56);
    if (together) ++own[bin];
    else shmem_long_atomic_inc(&bins[bin], bin % n);  // bin b counts at PE b % n
  }
  if (together) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, result, own, BINS);
  shmem_barrier_all();
  clock_gettime(CLOCK_MONOTONIC, &end);
  long counted = 0;
  for (int b = 0; b < BINS; ++b) counted += together ? (me == 0) * result[b] : bins[b];
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, result, &counted, 1);
  if (me == 0)
    printf("%d %ld %ld\n", n, result[0], (end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec - begin.tv_nsec);
  shmem_finalize();
  return 0;
}
"""

# %% Compiled once for each number of PEs in a tile, and run on two machines
# tessera-2x2 is nemesys-2x2 with network interfaces in its caches.
NANOSECONDS_OF_A_CYCLE = 20
rows = []
with tempfile.TemporaryDirectory() as folder:
    source = Path(folder) / "histogram.c"
    source.write_text(SOURCE)
    for name in ("nemesys-2x2", "tessera-2x2"):
        machine = ts.machine(name)
        for of_a_tile in (1, 2, 4):
            program = machine.compile(source, pes_per_tile=of_a_tile)
            for way, together in (("an atomic for each number", 0), ("own tables, then a sum", 1)):
                run = machine.run(program, together, pes_per_tile=of_a_tile)
                pes, counted, nanoseconds = map(int, run.output.split())
                assert counted == 1024 // pes * pes
                rows.append((name, way, pes, nanoseconds // NANOSECONDS_OF_A_CYCLE))
frame = pandas.DataFrame(rows, columns=["machine", "way", "PEs", "cycles"])
print(frame.to_string(index=False))

# %% The picture
figure = ts.plot.bars(frame, "PEs", "cycles", series="way", panel="machine", title="1024 numbers in 256 bins")
ts.plot.save(figure, "docs/use/gallery_openshmem.svg")
