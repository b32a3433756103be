// many_puts: each PE gives blocks and single items to all, without a call between that waits.
#include "check.h"

enum { pes_max = 16, items = 8, rounds = 50, each = 40 };

static long out[items], in[pes_max * items], to_all[pes_max * each], from_all[pes_max * each];

int main(void) {
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  CHECK(pes <= pes_max);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < items; ++i) out[i] = round * 1000 + me * 10 + i;
    for (int pe = 0; pe < pes; ++pe) shmem_long_put(&in[me * items], out, items, pe);
    shmem_barrier_all();
    for (int pe = 0; pe < pes; ++pe)
      for (int i = 0; i < items; ++i) CHECK(in[pe * items + i] == round * 1000 + pe * 10 + i);
    shmem_barrier_all();
  }
  for (int round = 0; round < rounds; ++round)
    for (int pe = 0; pe < pes; ++pe) shmem_long_put(&in[me * items], out, items, pe);
  shmem_barrier_all();
  for (int i = 0; i < pes * each; ++i) to_all[i] = me * 100000 + i;
  shmem_long_alltoalls(SHMEM_TEAM_WORLD, from_all, to_all, 1, 1, each);
  for (int pe = 0; pe < pes; ++pe)
    for (int i = 0; i < each; ++i) CHECK(from_all[pe * each + i] == pe * 100000 + me * each + i);
  shmem_finalize();
  return 0;
}
