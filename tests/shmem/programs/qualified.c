// qualified: the generic names take words that are const, volatile, in arrays and in structures.
#include <shmem.h>

static long volatile flag;
static int volatile counter;
static int row[4], matrix[4][4];
static int const constants[4] = {1, 2, 3, 4};
static struct {
  int first;
  long second;
} pair;
static char letter;
static size_t size;
static ptrdiff_t distance;
static long double longest;
static double _Complex number;

int main(void) {
  shmem_init();
  int const pe = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_put(row, constants, 4, pe);
  shmem_put(&matrix[1][0], matrix[0], 4, pe);
  shmem_p(&letter, 'a', pe);
  shmem_p(&size, 1, pe);
  shmem_p(&distance, 1, pe);
  shmem_p(&longest, 1, pe);
  shmem_p(&pair.second, 1, pe);
  shmem_atomic_add((int*)&counter, 1, pe);
  shmem_p((long*)&flag, 1, pe);
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
  int const seen = shmem_test(&counter, SHMEM_CMP_GE, 0);
#ifndef __cplusplus
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &number, &number, 1);
#endif
  shmem_finalize();
  return !seen;
}
