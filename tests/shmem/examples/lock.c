// lock: a counter that is read and written under a lock counts every PE's turns.
#include <shmem.h>
#include <stdio.h>

enum { turns = 200 };

int main(void) {
  static long lock, counter;
  shmem_init();
  for (int i = 0; i < turns; ++i) {
    shmem_set_lock(&lock);
    long const found = shmem_long_g(&counter, 0);
    shmem_long_p(&counter, found + 1, 0);
    shmem_clear_lock(&lock);
  }
  shmem_barrier_all();
  int const right = shmem_long_g(&counter, 0) == (long)turns * shmem_n_pes();
  if (shmem_my_pe() == 0) printf("%ld turns\n", counter);
  shmem_finalize();
  return right ? 0 : 1;
}
