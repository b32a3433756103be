// unfinished: PEs that end without shmem_finalize, of which others wait for what they began.
#include "check.h"

static long sum, old[10];

int main(void) {
  shmem_init();
  int const pes = shmem_n_pes();
  for (int i = 0; i < 10; ++i) shmem_long_atomic_fetch_add_nbi(&old[i], &sum, 1, 0);
  if (shmem_my_pe() == 0) shmem_long_wait_until(&sum, SHMEM_CMP_EQ, 10 * pes);
  return 0;
}
