// tiles: what operations of OpenSHMEM cost on the tiles of a simulated machine, in cycles of PE 0.
//
//   Prints one line for each: NAME CYCLES; for blocks, the bytes a cycle, too. Blocks are in statics, which are in the
//   tile-local memory, once alike in their lines and once 8 bytes apart; and in the heap behind it, in DDR.
#include <shmem.h>
#include <stdio.h>

enum { repeats = 20, most = 65536 };

static char from[most + 64], to[most + 64];
static long source, sum, lock;
static int me;

static unsigned long cycle(void) {
  unsigned long now;
  __asm__ volatile("csrr %0, cycle" : "=r"(now)::"memory");
  return now;
}

#define MEASURE(name, operation)                                        \
  do {                                                                  \
    shmem_barrier_all();                                                \
    operation;                                                          \
    unsigned long const begin = cycle();                                \
    for (int i = 0; i < repeats; ++i) operation;                        \
    if (me == 0) printf("%s %lu\n", name, (cycle() - begin) / repeats); \
  } while (0)

static void blocks(char const* name, char* target, char* origin) {
  for (size_t bytes = 8; bytes <= most; bytes *= 8) {
    // Once before, so that the code is in the caches.
    unsigned long put = 0, get = 0;
    for (int i = 0; i < 2; ++i) {
      unsigned long const begin = cycle();
      shmem_putmem(target, origin, bytes, 1);
      shmem_quiet();
      unsigned long const between = cycle();
      shmem_getmem(origin, target, bytes, 1);
      get = cycle() - between;
      put = between - begin;
    }
    printf("%s %zu: put %lu (%.2f) get %lu (%.2f)\n", name, bytes, put, (double)bytes / put, get, (double)bytes / get);
  }
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  MEASURE("barrier_all", shmem_barrier_all());
  MEASURE("team_sync", shmem_team_sync(SHMEM_TEAM_WORLD));
  MEASURE("sum_reduce", shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &source, 1));
  MEASURE("lock", (shmem_set_lock(&lock), shmem_clear_lock(&lock)));
  char* const heap = shmem_malloc((size_t)12 << 20);
  shmem_barrier_all();
  if (me == 0 && shmem_n_pes() > 1 && heap != NULL) {
    blocks("alike", to, from);
    blocks("apart", to, from + 8);
    blocks("in DDR", heap + ((size_t)10 << 20), heap + ((size_t)11 << 20));
  }
  shmem_finalize();
  return 0;
}
