// pipeline: blocks go from PE to PE with a signal each; two buffers by turns, and a signal back when one is free again.
#include <shmem.h>
#include <stdio.h>

enum { blocks = 64, length = 512 };

int main(void) {
  static long buffer[2][length];
  static uint64_t full, taken;
  shmem_init();
  int const me = shmem_my_pe(), last = shmem_n_pes() - 1;
  int right = 1;
  for (long b = 0; b < blocks; ++b) {
    long out[length];
    if (me == 0) {
      for (int i = 0; i < length; ++i) out[i] = b * length + i;
    } else {
      shmem_signal_wait_until(&full, SHMEM_CMP_GT, (uint64_t)b);
      for (int i = 0; i < length; ++i) out[i] = buffer[b % 2][i] * 2;
      shmem_signal_add(&taken, 1, me - 1);
    }
    if (me < last) {
      /* The next PE has taken the block that was in this buffer. */
      if (b >= 2) shmem_signal_wait_until(&taken, SHMEM_CMP_GE, (uint64_t)b - 1);
      shmem_long_put_signal_nbi(buffer[b % 2], out, length, &full, 1, SHMEM_SIGNAL_ADD, me + 1);
      shmem_quiet();
    } else {
      for (int i = 0; i < length; ++i) right &= out[i] == (b * length + i) << last;
    }
  }
  if (!right) fprintf(stderr, "PE %d: wrong\n", me);
  shmem_finalize();
  return right ? 0 : 1;
}
