// integer_sort: keys are counted by bucket, the counts give everyone's offsets, and keys go to the owner of their bucket
// by puts; then each PE sorts its own.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { keys = 20000, most = 1 << 20 };

static int ascending(void const* a, void const* b) {
  int const x = *(int const*)a, y = *(int const*)b;
  return (x > y) - (x < y);
}

int main(void) {
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  int *const key = malloc(keys * sizeof(int)), *const sorted = malloc(keys * sizeof(int));
  int* const arrived = shmem_malloc((size_t)pes * keys * sizeof(int));
  long *const counts = shmem_calloc((size_t)pes, sizeof(long)), *const before = shmem_calloc((size_t)pes, sizeof(long));
  static long total, sum, sum_arrived, sums[2];
  srand((unsigned)me + 1);
  for (int i = 0; i < keys; ++i) {
    key[i] = rand() % most;
    counts[(long)key[i] * pes / most] += 1;
    sum += key[i];
  }
  /* An exclusive scan tells where this PE's keys begin at each owner. */
  shmem_long_sum_exscan(SHMEM_TEAM_WORLD, before, counts, (size_t)pes);
  for (int pe = 0, at = 0; pe < pes; ++pe) {
    int const begin = at;
    for (int i = 0; i < keys; ++i)
      if ((long)key[i] * pes / most == pe) sorted[at++] = key[i];
    shmem_int_put_nbi(arrived + before[pe], sorted + begin, (size_t)(at - begin), pe);
    shmem_long_atomic_add(&total, at - begin, pe);
  }
  shmem_barrier_all();
  qsort(arrived, (size_t)total, sizeof(int), ascending);
  int right = 1;
  for (long i = 0; i < total; ++i) {
    right &= (long)arrived[i] * pes / most == me && (i == 0 || arrived[i - 1] <= arrived[i]);
    sum_arrived += arrived[i];
  }
  static long pair[2];
  pair[0] = sum - sum_arrived;
  pair[1] = total - keys;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, pair, 2);
  right &= sums[0] == 0 && sums[1] == 0;
  if (!right) fprintf(stderr, "PE %d: wrong\n", me);
  shmem_free(before);
  shmem_free(counts);
  shmem_free(arrived);
  free(sorted);
  free(key);
  shmem_finalize();
  return right ? 0 : 1;
}
