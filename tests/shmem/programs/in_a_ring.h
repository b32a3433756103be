// in_a_ring: main of the programs in which each PE works on the memory of the next one; they define run.
#ifndef TESS_TESTS_SHMEM_IN_A_RING_H
#define TESS_TESTS_SHMEM_IN_A_RING_H

#include "check.h"

static int me, pes, next_pe, before;
static shmem_ctx_t ctx;

/* With 4 KiB of the heap. */
static void run(void* in_heap);

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  next_pe = (me + 1) % pes;
  before = (me + pes - 1) % pes;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
  void* const in_heap = shmem_malloc(4096);
  run(in_heap);
  shmem_ctx_destroy(ctx);
  shmem_free(in_heap);
  shmem_finalize();
  return 0;
}

#endif
