// ring: each PE adds its number to a sum that goes once around, and hands it on by a put and a wait.
#include <shmem.h>
#include <stdio.h>

int main(void) {
  static long sum = -1;
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  if (me == 0) shmem_long_p(&sum, 0, 1 % pes);
  shmem_long_wait_until(&sum, SHMEM_CMP_NE, -1);
  if (me != 0) shmem_long_p(&sum, sum + me, (me + 1) % pes);
  int right = 1;
  if (me == 0) {
    right = sum == (long)pes * (pes - 1) / 2;
    printf("the sum of %d PEs is %ld\n", pes, sum);
  }
  shmem_finalize();
  return right ? 0 : 1;
}
