// meetings: teams of every size, which meet in one round up to 8 PEs and in more rounds beyond: nobody goes on before all
// are there, and few items arrive where they belong.
#include "check.h"

enum { pes_most = 80, rounds = 8, items_most = 9 };

static int me, pes;
static long reached[pes_most];
static long source[pes_most * items_most], dest[pes_most * items_most + 1];

/* Everybody writes the round to everybody; after the meeting all have it. */
static void barriers(shmem_team_t team, int size, int first) {
  for (long round = 1; round <= rounds; ++round) {
    for (int i = 0; i < size; ++i) shmem_long_p(&reached[me], round, first + i);
    if (size == pes && round % 2)
      shmem_barrier_all();
    else
      CHECK(shmem_team_sync(team) == 0);
    for (int i = 0; i < size; ++i) CHECK(reached[first + i] >= round);
    CHECK(shmem_team_sync(team) == 0);
  }
  for (int i = 0; i < size; ++i) reached[first + i] = 0;
  CHECK(shmem_team_sync(team) == 0);
}

/* From 0 items on; 7 longs are the most that a flag's line carries. */
static void few_items(shmem_team_t team, int size, int m) {
  for (size_t items = 0; items <= items_most; ++items) {
    size_t const n = items * (size_t)size;
    source[0] = m * 1000;
    for (size_t i = 0; i < n; ++i) source[i] = m * 1000 + (long)i;
    for (size_t i = 0; i <= n; ++i) dest[i] = -1;
    CHECK(shmem_team_sync(team) == 0);
    CHECK(shmem_long_alltoall(team, dest, source, items) == 0);
    for (size_t i = 0; i < n; ++i) CHECK(dest[i] == (long)(i / items) * 1000 + (long)(items * (size_t)m + i % items));
    CHECK(shmem_team_sync(team) == 0);
    CHECK(shmem_long_fcollect(team, dest, source, items) == 0);
    for (size_t i = 0; i < n; ++i) CHECK(dest[i] == (long)(i / items) * 1000 + (long)(i % items));
    CHECK(shmem_team_sync(team) == 0);
    CHECK(shmem_long_broadcast(team, dest, source, items, size - 1) == 0);
    for (size_t i = 0; i < items; ++i) CHECK(dest[i] == (size - 1) * 1000 + (long)i);
    CHECK(shmem_team_sync(team) == 0);
    CHECK(dest[n] == -1);
    CHECK(shmem_long_collect(team, dest, source, (size_t)(m % 2)) == 0);
    for (int i = 0; i < size / 2; ++i) CHECK(dest[i] == (2 * i + 1) * 1000);
    /* In place; without a pause, so that a meeting begins while others still read. */
    for (int again = 0; again < 3; ++again) {
      for (size_t i = 0; i < items; ++i) source[i] = m + (long)i + again;
      CHECK(shmem_long_sum_reduce(team, source, source, items) == 0);
      for (size_t i = 0; i < items; ++i) CHECK(source[i] == (size - 1) * size / 2 + size * ((long)i + again));
    }
    CHECK(shmem_team_sync(team) == 0);
  }
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  CHECK(pes <= pes_most);
  for (int size = 1; size <= pes; ++size) {
    /* All up to 10, then the larger ones that are interesting. */
    if (size > 10 && size != 17 && size != pes) continue;
    shmem_team_t team;
    int const first = pes - size;
    int const made = shmem_team_split_strided(SHMEM_TEAM_WORLD, first, 1, size, NULL, 0, &team);
    CHECK(made == 0);
    if (me >= first) {
      barriers(team, size, first);
      few_items(team, size, me - first);
    }
    shmem_team_destroy(team);
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
