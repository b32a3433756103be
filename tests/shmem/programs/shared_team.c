// shared_team: the PEs of a host form SHMEM_TEAM_SHARED and see each other's memory; those of another host do not.
//
//   shared_team HOST...: the host of each PE.
#include "check.h"

static long word;

int main(int argc, char** argv) {
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  CHECK(argc == pes + 1);
  int here = 0, before = 0;
  for (int pe = 0; pe < pes; ++pe) {
    int const same = strcmp(argv[pe + 1], argv[me + 1]) == 0;
    here += same;
    before += same && pe < me;
    CHECK((shmem_ptr(&word, pe) != NULL) == same);
  }
  CHECK(shmem_team_n_pes(SHMEM_TEAM_SHARED) == here && shmem_team_my_pe(SHMEM_TEAM_SHARED) == before);
  static long sum, one = 1;
  CHECK(shmem_long_sum_reduce(SHMEM_TEAM_SHARED, &sum, &one, 1) == 0 && sum == here);
  shmem_finalize();
  return 0;
}
