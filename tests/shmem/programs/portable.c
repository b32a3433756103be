/* portable: what programs do with the header in any C: twice, late, with macros of their own, with pointers to functions. */
#define bytes 1024
#define word 3
#define there 4
#define old 5
#define value_of 6
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <pshmem.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdlib.h>

#if defined(shmem_putmem) || defined(shmem_int_put)
#error "functions, not macros"
#endif
#if SHMEM_MAJOR_VERSION != 1 || _SHMEM_MINOR_VERSION < 5
#error "the version is for the preprocessor, too"
#endif

static long sum, block[8], sync_words[_SHMEM_REDUCE_SYNC_SIZE], work[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static char const* vendor = _SHMEM_VENDOR_STRING;

int main(void) {
  void (*put)(long*, long const*, size_t, int) = shmem_long_put;
  void (*barrier)(void) = &shmem_barrier_all;
  int me, pes, i;
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  for (i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; ++i) sync_words[i] = _SHMEM_SYNC_VALUE;
  put(&block[1], &block[0], 1, (me + 1) % pes);
  shmem_putmem(&block[2], &block[0], sizeof block[0], (me + 1) % pes);
  shmem_long_p(&block[3], 1, (me + 1) % pes);
  shmem_long_atomic_add(&sum, shmem_long_g(&block[0], me) + 1, 0);
  (void)shmem_long_atomic_fetch_add(&sum, 0, 0);
  barrier();
  if (me == 0 && sum != pes) shmem_global_exit(EXIT_FAILURE);
  shmem_long_sum_to_all(block, block, 1, 0, 0, pes, work, sync_words);
  if (vendor[0] == 0) return 1;
  shmem_finalize();
  return 0;
}
