// atomics: every atomic operation of every type, with and without a result, non-blocking, and under contention.
#include "check.h"

static int me, pes, next_pe, before;
static shmem_ctx_t ctx;

#define NBI(call) \
  call;           \
  shmem_quiet();  \
  shmem_ctx_quiet(ctx)

#define EXTENDED(N, T, CALL)                                             \
  static void extended_##CALL##_##N(T* there) {                          \
    T found = 0;                                                         \
    *there = (T)(me + 3);                                                \
    shmem_barrier_all();                                                 \
    found = CALL(N, atomic_fetch, there, next_pe);                       \
    CHECK(found == (T)(next_pe + 3));                                    \
    NBI(CALL(N, atomic_fetch_nbi, &found, there, next_pe));              \
    CHECK(found == (T)(next_pe + 3));                                    \
    shmem_barrier_all();                                                 \
    CALL(N, atomic_set, there, (T)(me + 10), next_pe);                   \
    shmem_barrier_all();                                                 \
    CHECK(*there == (T)(before + 10));                                   \
    shmem_barrier_all();                                                 \
    found = CALL(N, atomic_swap, there, (T)(me + 20), next_pe);          \
    CHECK(found == (T)(me + 10));                                        \
    NBI(CALL(N, atomic_swap_nbi, &found, there, (T)(me + 30), next_pe)); \
    CHECK(found == (T)(me + 20));                                        \
    shmem_barrier_all();                                                 \
    CHECK(*there == (T)(before + 30));                                   \
    shmem_barrier_all();                                                 \
  }

#define STANDARD(N, T, CALL)                                                                   \
  static void standard_##CALL##_##N(T* there) {                                                \
    T found = 0;                                                                               \
    *there = (T)(me + 3);                                                                      \
    shmem_barrier_all();                                                                       \
    found = CALL(N, atomic_compare_swap, there, (T)1000, (T)5, next_pe);                       \
    CHECK(found == (T)(next_pe + 3));                                                          \
    found = CALL(N, atomic_compare_swap, there, (T)(next_pe + 3), (T)(me + 40), next_pe);      \
    CHECK(found == (T)(next_pe + 3));                                                          \
    NBI(CALL(N, atomic_compare_swap_nbi, &found, there, (T)(me + 40), (T)(me + 50), next_pe)); \
    CHECK(found == (T)(me + 40));                                                              \
    found = CALL(N, atomic_fetch_inc, there, next_pe);                                         \
    CHECK(found == (T)(me + 50));                                                              \
    NBI(CALL(N, atomic_fetch_inc_nbi, &found, there, next_pe));                                \
    CHECK(found == (T)(me + 51));                                                              \
    CALL(N, atomic_inc, there, next_pe);                                                       \
    found = CALL(N, atomic_fetch_add, there, (T)7, next_pe);                                   \
    CHECK(found == (T)(me + 53));                                                              \
    NBI(CALL(N, atomic_fetch_add_nbi, &found, there, (T) - 2, next_pe));                       \
    CHECK(found == (T)(me + 60));                                                              \
    CALL(N, atomic_add, there, (T) - 8, next_pe);                                              \
    shmem_barrier_all();                                                                       \
    CHECK(*there == (T)(before + 50));                                                         \
    shmem_barrier_all();                                                                       \
  }

#define BITWISE(N, T, CALL)                                              \
  static void bitwise_##CALL##_##N(T* there) {                           \
    T found = 0;                                                         \
    *there = (T)0xff;                                                    \
    shmem_barrier_all();                                                 \
    found = CALL(N, atomic_fetch_and, there, (T)0x7e, next_pe);          \
    CHECK(found == (T)0xff);                                             \
    NBI(CALL(N, atomic_fetch_and_nbi, &found, there, (T)0x3f, next_pe)); \
    CHECK(found == (T)0x7e);                                             \
    CALL(N, atomic_and, there, (T)0x3c, next_pe);                        \
    found = CALL(N, atomic_fetch_or, there, (T)0x01, next_pe);           \
    CHECK(found == (T)0x3c);                                             \
    NBI(CALL(N, atomic_fetch_or_nbi, &found, there, (T)0x100, next_pe)); \
    CHECK(found == (T)0x3d);                                             \
    CALL(N, atomic_or, there, (T)0x200, next_pe);                        \
    found = CALL(N, atomic_fetch_xor, there, (T)0x30, next_pe);          \
    CHECK(found == (T)0x33d);                                            \
    NBI(CALL(N, atomic_fetch_xor_nbi, &found, there, (T)0x1, next_pe));  \
    CHECK(found == (T)0x30d);                                            \
    CALL(N, atomic_xor, there, ~(T)0, next_pe);                          \
    shmem_barrier_all();                                                 \
    CHECK(*there == (T) ~(T)0x30c);                                      \
    shmem_barrier_all();                                                 \
  }

#define RUN(N, T, KIND, CALL)         \
  {                                   \
    static T in_statics;              \
    KIND##_##CALL##_##N((T*)in_heap); \
    KIND##_##CALL##_##N(&in_statics); \
  }
#define RUN_ALL(CALL)                     \
  EVERY_AMO_EXTENDED(RUN, extended, CALL) \
  EVERY_AMO(RUN, standard, CALL)          \
  EVERY_AMO_BITWISE(RUN, bitwise, CALL)
#define TEST_ALL(CALL)               \
  EVERY_AMO_EXTENDED(EXTENDED, CALL) \
  EVERY_AMO(STANDARD, CALL)          \
  EVERY_AMO_BITWISE(BITWISE, CALL)

#ifdef GENERIC_NAMES
TEST_ALL(GENERIC)
TEST_ALL(GENERIC_CTX)
static void run(void* in_heap){RUN_ALL(GENERIC) RUN_ALL(GENERIC_CTX)}
#else
TEST_ALL(TYPED)
TEST_ALL(TYPED_CTX)

/* All PEs on one word: every value between is handed out once, and compare-and-swap loses none. */
#define CONTEND(N, T, ...)                                                                                  \
  {                                                                                                         \
    enum { rounds = 200 };                                                                                  \
    static T counter;                                                                                       \
    static unsigned char seen[7 * rounds];                                                                  \
    counter = 0;                                                                                            \
    memset(seen, 0, sizeof seen);                                                                           \
    shmem_barrier_all();                                                                                    \
    for (int i = 0; i < rounds; ++i) {                                                                      \
      const T ticket =                                                                                      \
          i % 2 ? shmem_##N##_atomic_fetch_add(&counter, 1, 0) : shmem_##N##_atomic_fetch_inc(&counter, 0); \
      CHECK((size_t)ticket < (size_t)rounds * (size_t)pes && shmem_uchar_g(seen + (size_t)ticket, 0) == 0); \
      shmem_uchar_p(seen + (size_t)ticket, 1, 0);                                                           \
    }                                                                                                       \
    shmem_barrier_all();                                                                                    \
    if (me == 0) CHECK(counter == (T)(rounds * pes));                                                       \
    for (int i = 0; me == 0 && i < rounds * pes; ++i) CHECK(seen[i] == 1);                                  \
    shmem_barrier_all();                                                                                    \
    for (int i = 0; i < rounds; ++i) {                                                                      \
      T old = shmem_##N##_atomic_fetch(&counter, 0);                                                        \
      for (;;) {                                                                                            \
        const T is = shmem_##N##_atomic_compare_swap(&counter, old, (T)(old - 1), 0);                       \
        if (is == old) break;                                                                               \
        old = is;                                                                                           \
      }                                                                                                     \
    }                                                                                                       \
    shmem_barrier_all();                                                                                    \
    if (me == 0) CHECK(counter == 0);                                                                       \
    shmem_barrier_all();                                                                                    \
  }
#define CONTEND_BITS(N, T, ...)                                         \
  {                                                                     \
    static T bits;                                                      \
    bits = 0;                                                           \
    shmem_barrier_all();                                                \
    for (int i = 0; i < 301; ++i) {                                     \
      const T mine = (T)((T)1 << me);                                   \
      const T was = shmem_##N##_atomic_fetch_xor(&bits, mine, pes - 1); \
      CHECK(((was & mine) != 0) == (i % 2 == 1));                       \
    }                                                                   \
    shmem_barrier_all();                                                \
    if (me == pes - 1) CHECK(bits == (T)(((T)1 << pes) - 1));           \
    shmem_barrier_all();                                                \
  }

static void run(void* in_heap) {
  RUN_ALL(TYPED)
  RUN_ALL(TYPED_CTX)
  EVERY_AMO(CONTEND)
  EVERY_AMO_BITWISE(CONTEND_BITS)
}
#endif

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  next_pe = (me + 1) % pes;
  before = (me + pes - 1) % pes;
  CHECK(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx) == 0);
  void* const in_heap = shmem_malloc(64);
  run(in_heap);
  shmem_finalize();
  return 0;
}
