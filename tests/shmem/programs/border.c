// border: objects that do not fit into the memory of a tile: every item of another PE by shmem_ptr, where there is one.
#include "check.h"

enum { statics = 9 << 20, heap = 12 << 20 };

static char large[statics];

int main(void) {
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes(), other = (me + 1) % pes;
  long* const items = (long*)shmem_malloc(heap);
  CHECK(items != NULL);
  for (size_t i = 0; i < heap / sizeof *items; i += 512) items[i] = (long)i + me;
  for (size_t i = 0; i < statics; i += 1000) large[i] = (char)(i / 1000 + (size_t)me);
  shmem_barrier_all();
  long const* const theirs = (long const*)shmem_ptr(items, other);
  char const* const statics_there = (char const*)shmem_ptr(large, other);
  for (size_t i = 0; i < heap / sizeof *items; i += 512) {
    if (theirs != NULL) CHECK(theirs[i] == (long)i + other);
    CHECK(shmem_long_g(&items[i], other) == (long)i + other);
  }
  for (size_t i = 0; i < statics; i += 1000)
    if (statics_there != NULL) CHECK(statics_there[i] == (char)(i / 1000 + (size_t)other));
  shmem_finalize();
  return 0;
}
