// memory: random sequences of allocations are equal at all PEs, do not overlap, keep their contents and can be reached.
#include "check.h"

enum { objects = 40, steps = 400 };

static int me, pes;
static uint64_t random_state;
static struct object {
  unsigned char* at;
  size_t bytes;
  unsigned char mark;
} object[objects];

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static void same_everywhere(void* address) {
  static uint64_t mine, all[7];
  mine = (uint64_t)(uintptr_t)address;
  shmem_uint64_fcollect(SHMEM_TEAM_WORLD, all, &mine, 1);
  for (int pe = 0; pe < pes; ++pe) CHECK(all[pe] == mine);
  shmem_sync_all();
}

static void mark(struct object* o) {
  o->mark = (unsigned char)next_random();
  memset(o->at, o->mark ^ me, o->bytes);
}
static void check_mark(const struct object* o, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) CHECK(o->at[i] == (unsigned char)(o->mark ^ me));
}

static void allocate(struct object* o, size_t bytes) {
  size_t const alignment = (size_t)8 << next_random() % 12;
  o->bytes = bytes;
  switch (next_random() % 4) {
    case 0:
      o->at = (unsigned char*)shmem_malloc(bytes);
      break;
    case 1:
      o->at = (unsigned char*)shmem_align(alignment, bytes);
      CHECK((uintptr_t)o->at % alignment == 0);
      break;
    case 2:
      o->at = (unsigned char*)shmem_calloc(bytes / 3 + 1, 3);
      for (size_t i = 0; i < bytes; ++i) CHECK(o->at[i] == 0);
      break;
    default:
      o->at = (unsigned char*)shmem_malloc_with_hints(
          bytes, (long)(next_random() % 2 ? SHMEM_MALLOC_ATOMICS_REMOTE : SHMEM_MALLOC_SIGNAL_REMOTE));
  }
  CHECK(o->at != NULL && (uintptr_t)o->at % sizeof(long double) == 0);
  for (int k = 0; k < objects; ++k)
    CHECK(&object[k] == o || object[k].at == NULL || object[k].at + object[k].bytes <= o->at ||
          o->at + o->bytes <= object[k].at);
}

static void random_steps(void) {
  for (int step = 0; step < steps; ++step) {
    struct object* const o = &object[next_random() % objects];
    size_t const bytes = next_random() % (next_random() % 10 == 0 ? 700000 : 3000) + 1;
    if (o->at == NULL) {
      allocate(o, bytes);
      same_everywhere(o->at);
    } else if (next_random() % 3 == 0) {
      size_t const kept = bytes < o->bytes ? bytes : o->bytes;
      o->at = (unsigned char*)shmem_realloc(o->at, bytes);
      CHECK(o->at != NULL);
      check_mark(o, kept);
      same_everywhere(o->at);
      o->bytes = bytes;
    } else {
      check_mark(o, o->bytes);
      shmem_free(o->at);
      o->at = NULL;
      continue;
    }
    mark(o);
    CHECK(shmem_addr_accessible(o->at, pes - 1) == 1 && shmem_addr_accessible(o->at + o->bytes - 1, 0) == 1);
    shmem_sync_all();
    int const other = (me + 1) % pes;
    CHECK(shmem_uchar_g(o->at + o->bytes - 1, other) == (unsigned char)(o->mark ^ other));
    if (sees(other)) CHECK(*(unsigned char*)shmem_ptr(o->at, other) == (unsigned char)(o->mark ^ other));
    shmem_sync_all();
  }
  for (int k = 0; k < objects; ++k) {
    if (object[k].at != NULL) check_mark(&object[k], object[k].bytes);
    shmem_free(object[k].at);
    object[k].at = NULL;
  }
}

static void borders(void) {
  CHECK(shmem_malloc(0) == NULL && shmem_calloc(0, 5) == NULL && shmem_calloc(5, 0) == NULL);
  CHECK(shmem_align(64, 0) == NULL && shmem_malloc_with_hints(0, 0) == NULL);
  CHECK(shmem_align(48, 100) == NULL);
  CHECK(shmem_calloc(SIZE_MAX / 2, 3) == NULL && shmem_malloc(SIZE_MAX) == NULL && shmem_malloc(SIZE_MAX / 2) == NULL);
  shmem_free(NULL);
  void* const by_realloc = shmem_realloc(NULL, 100);
  CHECK(by_realloc != NULL);
  CHECK(shmem_realloc(by_realloc, SIZE_MAX / 2) == NULL);
  memset(by_realloc, 1, 100);
  CHECK(shmem_realloc(by_realloc, 0) == NULL);
  char* const page = (char*)shmem_align(1 << 21, 5);
  CHECK(page != NULL && (uintptr_t)page % (1 << 21) == 0);
  shmem_free(page);
}

/* The heap is as large as it must be: nobody said how large. */
static void without_a_size(void) {
  enum { length = 12 << 20 };
  long* const large = (long*)shmem_malloc((size_t)length);
  CHECK(large != NULL);
  for (size_t i = 0; i < length / sizeof(long); i += 512) large[i] = (long)i + me;
  shmem_barrier_all();
  int const other = (me + 1) % pes;
  for (size_t i = 0; i < length / sizeof(long); i += 5120) CHECK(shmem_long_g(&large[i], other) == (long)i + other);
  shmem_barrier_all();
  shmem_free(large);
#if defined(__riscv)
  /* A tile has less. */
  CHECK(shmem_malloc((size_t)256 << 20) == NULL);
  void* const sparse = shmem_malloc((size_t)32 << 20);
#else
  void* const sparse = shmem_malloc((size_t)256 << 20);
#endif
  CHECK(sparse != NULL);
  shmem_free(sparse);
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  random_state = 88172645463325252ULL;
  borders();
  random_steps();
  without_a_size();
  shmem_finalize();
  return 0;
}
