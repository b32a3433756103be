// active_sets: collectives on active sets with pSync and pWrk, all strides, barriers and the two arrays by turns.
#include "check.h"

enum { items = 9, most = 7 * 7 * items * 2 };

static int me, pes;
static long sync_of_barrier[SHMEM_BARRIER_SYNC_SIZE], sync_of_broadcast[SHMEM_BCAST_SYNC_SIZE];
static long sync_of_reduction[2][SHMEM_REDUCE_SYNC_SIZE], sync_of_collect[SHMEM_COLLECT_SYNC_SIZE];
static long sync_of_alltoall[SHMEM_ALLTOALL_SYNC_SIZE], sync_of_alltoalls[SHMEM_ALLTOALLS_SYNC_SIZE];

static int given(int member, int k) {
  return (member * 11 + k) % 100;
}

#define CLEAR(array) \
  for (int i = 0; i < most; ++i) (array)[i] = 101
#define MEET() shmem_barrier(start, log_stride, n, sync_of_barrier)

#define EXCHANGES(BITS, T)                                                                            \
  {                                                                                                   \
    static T source[most], dest[most];                                                                \
    for (int i = 0; i < most; ++i) source[i] = (T)given(m, i);                                        \
    for (int root = 0; root < n; ++root) {                                                            \
      CLEAR(dest);                                                                                    \
      MEET();                                                                                         \
      shmem_broadcast##BITS(dest, source, items, root, start, log_stride, n, sync_of_broadcast);      \
      /* The root's own dest stays as it was. */                                                      \
      for (int i = 0; i < items; ++i) CHECK(dest[i] == (T)(m == root ? 101 : given(root, i)));        \
      MEET();                                                                                         \
    }                                                                                                 \
    CLEAR(dest);                                                                                      \
    MEET();                                                                                           \
    shmem_fcollect##BITS(dest, source, items, start, log_stride, n, sync_of_collect);                 \
    for (int i = 0; i < n * items; ++i) CHECK(dest[i] == (T)given(i / items, i % items));             \
    MEET();                                                                                           \
    CLEAR(dest);                                                                                      \
    MEET();                                                                                           \
    shmem_collect##BITS(dest, source, (size_t)(n - 1 - m), start, log_stride, n, sync_of_collect);    \
    for (int member = 0, at = 0; member < n; ++member)                                                \
      for (int i = 0; i < n - 1 - member; ++i, ++at) CHECK(dest[at] == (T)given(member, i));          \
    CHECK(dest[n * (n - 1) / 2] == 101);                                                              \
    MEET();                                                                                           \
    shmem_alltoall##BITS(dest, source, items, start, log_stride, n, sync_of_alltoall);                \
    for (int i = 0; i < n * items; ++i) CHECK(dest[i] == (T)given(i / items, m * items + i % items)); \
    MEET();                                                                                           \
    CLEAR(dest);                                                                                      \
    MEET();                                                                                           \
    shmem_alltoalls##BITS(dest, source, 2, 3, 3, start, log_stride, n, sync_of_alltoalls);            \
    for (int i = 0; i < n * 3; ++i)                                                                   \
      CHECK(dest[2 * i] == (T)given(i / 3, (m * 3 + i % 3) * 3) && dest[2 * i + 1] == 101);           \
    MEET();                                                                                           \
  }

static int value_at(int member, int i) {
  return (member + i) % 3 + 1;
}
static int combined(int operation, int members, int i) {
  int all = value_at(0, i);
  for (int member = 1; member < members; ++member) {
    int const one = value_at(member, i);
    int const results[] = {all & one, all | one, all ^ one, all > one ? all : one, all < one ? all : one,
                           all + one, all * one};
    all = results[operation];
  }
  return all;
}

/* By turns with two pSync and pWrk, as is allowed without a barrier between. */
#define REDUCE(N, kind, NAME, operation)                                                                             \
  {                                                                                                                  \
    typedef kind T;                                                                                                  \
    static kind source[2][items], dest[2][items];                                                                    \
    static kind work[2]                                                                                              \
                    [items / 2 + 1 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? items / 2 + 1 : SHMEM_REDUCE_MIN_WRKDATA_SIZE]; \
    for (int turn = 0; turn < 2; ++turn) {                                                                           \
      for (int i = 0; i < items; ++i) source[turn][i] = (T)value_at(m, i + turn);                                    \
      shmem_##N##_##NAME##_to_all(turn ? source[1] : dest[0], source[turn], items, start, log_stride, n, work[turn], \
                                  sync_of_reduction[turn]);                                                          \
      for (int i = 0; i < items; ++i) CHECK((turn ? source[1] : dest[0])[i] == (T)combined(operation, n, i + turn)); \
    }                                                                                                                \
    MEET();                                                                                                          \
  }
#define BITWISE(N, T, ...) REDUCE(N, T, and, 0) REDUCE(N, T, or, 1) REDUCE(N, T, xor, 2)
#define ORDERED(N, T, ...) REDUCE(N, T, max, 3) REDUCE(N, T, min, 4)
#define ARITHMETIC(N, T, ...) REDUCE(N, T, sum, 5) REDUCE(N, T, prod, 6)

static void test_set(int start, int log_stride, int n) {
  int const m = (me - start) >> log_stride;
  EXCHANGES(32, uint32_t)
  EXCHANGES(64, uint64_t)
  EVERY_OLD_BITWISE(BITWISE)
  EVERY_OLD_ORDERED(ORDERED)
  EVERY_OLD_ARITHMETIC(ARITHMETIC)
  /* A barrier again and again: nobody may leave it before all have come. */
  static long round_of[7];
  for (long round = 1; round <= 300; ++round) {
    for (int member = 0; member < n; ++member) shmem_long_p(&round_of[m], round, start + (member << log_stride));
    if (round % 2)
      shmem_barrier(start, log_stride, n, sync_of_barrier);
    else
      shmem_quiet(), shmem_sync(start, log_stride, n, sync_of_barrier);
    for (int member = 0; member < n; ++member) CHECK(round_of[member] >= round && round_of[member] <= round + 1);
  }
  MEET();
  memset(round_of, 0, sizeof round_of);
  MEET();
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) {
    sync_of_barrier[i] = sync_of_broadcast[i] = sync_of_collect[i] = sync_of_alltoall[i] = sync_of_alltoalls[i] =
        SHMEM_SYNC_VALUE;
    sync_of_reduction[0][i] = sync_of_reduction[1][i] = SHMEM_SYNC_VALUE;
  }
  shmem_barrier_all();
  for (int log_stride = 0; 1 << log_stride < pes || log_stride == 0; ++log_stride)
    for (int start = 0; start < pes; start += 1 + log_stride) {
      int const n = (pes - start + (1 << log_stride) - 1) >> log_stride;
      if (me >= start && (me - start) % (1 << log_stride) == 0) test_set(start, log_stride, n);
      shmem_barrier_all();
    }
  shmem_finalize();
  return 0;
}
