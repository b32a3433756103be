// complex: reductions and scans of C's complex numbers in C++, beside those of C++.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      exit(1);                                                \
    }                                                         \
  } while (0)

static __complex__ double source[3], dest[3];
static __complex__ float narrow_source, narrow_dest, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static std::complex<double> mine, all;
static long sync_words[SHMEM_REDUCE_SYNC_SIZE];

int main() {
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  for (int i = 0; i < 3; ++i) {
    __real__ source[i] = me;
    __imag__ source[i] = 1;
  }
  __real__ narrow_source = 0;
  __imag__ narrow_source = 1;
  mine = std::complex<double>(1, me);
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  CHECK(shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 3) == 0);
  CHECK(__real__ dest[2] == pes * (pes - 1) / 2 && __imag__ dest[2] == pes);
  CHECK(shmem_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 3) == 0);
  CHECK(__real__ dest[0] == me * (me + 1) / 2 && __imag__ dest[1] == me + 1);
  shmem_complexf_prod_to_all(&narrow_dest, &narrow_source, 1, 0, 0, pes, work, sync_words);
  CHECK(__real__ narrow_dest == (pes % 2 ? 0 : pes % 4 ? -1 : 1));
  CHECK(__imag__ narrow_dest == (pes % 2 == 0 ? 0 : pes % 4 == 3 ? -1 : 1));
  CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, &all, &mine, 1) == 0);
  CHECK(all == std::complex<double>(pes, pes * (pes - 1) / 2));
  shmem_finalize();
  return 0;
}
