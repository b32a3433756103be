// mismatches: collectives that PEs call differently, one for each case; mismatches.py knows what is said of each.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE(text) if (strcmp(name, text) == 0)

static long source[64], dest[64], sync_words[SHMEM_SYNC_SIZE];
static int narrow_source[64], narrow_dest[64];

int main(int argc, char** argv) {
  char const* const name = argc > 1 ? argv[1] : "";
  shmem_init();
  int const me = shmem_my_pe(), last = me == shmem_n_pes() - 1;
  CASE("nelems") shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, last ? 5 : 4);
  CASE("root") shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, last ? 1 : 0);
  CASE("type") {
    if (last)
      shmem_int_sum_reduce(SHMEM_TEAM_WORLD, narrow_dest, narrow_source, 4);
    else
      shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 4);
  }
  CASE("operation") {
    if (last)
      shmem_long_max_reduce(SHMEM_TEAM_WORLD, dest, source, 4);
    else
      shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 4);
  }
  CASE("order") {
    if (last) shmem_barrier_all();
    shmem_long_alltoall(SHMEM_TEAM_WORLD, dest, source, 1);
    if (!last) shmem_barrier_all();
  }
  CASE("malloc")(void) shmem_malloc(last ? 1000 : 100);
  CASE("malloc at some") {
    if (last) (void)shmem_malloc(8);
    shmem_barrier_all();
  }
  CASE("free") {
    void* const objects[2] = {shmem_malloc(8), shmem_malloc(8)};
    shmem_free(objects[last]);
  }
  CASE("active set") shmem_barrier(0, 0, last ? 3 : 2, sync_words);
  CASE("teams in another order") {
    shmem_team_t pair;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, 2, NULL, 0, &pair);
    if (last) shmem_team_sync(pair);
    shmem_sync_all();
    if (!last && pair != SHMEM_TEAM_INVALID) shmem_team_sync(pair);
  }
  CASE("split") {
    shmem_team_t made;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, last ? 3 : 2, NULL, 0, &made);
  }
  CASE("stride") shmem_long_alltoalls(SHMEM_TEAM_WORLD, dest, source, 2, last ? 2 : 1, 1);
  CASE("dest") shmem_long_sum_reduce(SHMEM_TEAM_WORLD, last ? dest + 8 : dest, source, 4);
  CASE("dest on the stack") {
    long found;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &found, source, 1);
  }
  CASE("finalize") {
    if (!last) shmem_barrier_all();
  }
  CASE("overlap") shmem_long_sum_reduce(SHMEM_TEAM_WORLD, source + 2, source, 4);
  CASE("overlap of a put") shmem_long_put(source + 2, source, 4, me);
  CASE("misaligned") shmem_long_atomic_inc((long*)((char*)dest + 4), 0);
  shmem_finalize();
  return 0;
}
