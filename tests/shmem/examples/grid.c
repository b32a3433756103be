// grid: PEs in rows and columns; each row broadcasts along itself, and each column sums up what it got.
#include <shmem.h>
#include <stdio.h>

int main(void) {
  static long first, from_row, sum;
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes(), wide = pes > 2 ? 2 : 1;
  shmem_team_t row, column;
  shmem_team_split_2d(SHMEM_TEAM_WORLD, wide, NULL, 0, &row, NULL, 0, &column);
  first = me;
  shmem_long_broadcast(row, &from_row, &first, 1, 0);
  shmem_long_sum_reduce(column, &sum, &from_row, 1);
  long expected = 0;
  for (int pe = me % wide; pe < pes; pe += wide) expected += pe / wide * wide;
  if (sum != expected) fprintf(stderr, "PE %d: %ld instead of %ld\n", me, sum, expected);
  int const right = sum == expected;
  shmem_team_destroy(column);
  shmem_team_destroy(row);
  shmem_finalize();
  return right ? 0 : 1;
}
