// profiled: a program that knows nothing of the tool which counts its words.
#include "check.h"

static long word;

int main(void) {
  shmem_init();
  for (int i = 0; i < 5; ++i) shmem_long_p(&word, i, shmem_my_pe());
  shmem_long_atomic_inc(&word, shmem_my_pe());
  CHECK(word == 5);
  shmem_finalize();
  return 0;
}
