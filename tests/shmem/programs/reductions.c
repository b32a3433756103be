// reductions: every reduction and scan of every type; sizes 0, 1, odd ones, around 2 KiB, 100,000; in place and not.
#include <complex.h>

#include "check.h"

enum { most = 2100 };

static int me, pes;

/* Few different values, so that products and small types do not overflow. */
static int value_at(int pe, int i) {
  return (pe + i) % 3 + 1;
}
static int combined(int operation, int members, int i) {
  int all = value_at(0, i);
  for (int member = 1; member < members; ++member) {
    int const one = value_at(member, i);
    switch (operation) {
      case 0:
        all &= one;
        break;
      case 1:
        all |= one;
        break;
      case 2:
        all ^= one;
        break;
      case 3:
        all = one > all ? one : all;
        break;
      case 4:
        all = one < all ? one : all;
        break;
      case 5:
        all += one;
        break;
      default:
        all *= one;
    }
  }
  return all;
}

/* Products of seven values up to 3 fit into a signed char only modulo 256: all integers wrap alike. */
#define REDUCE(N, kind, CALL, NAME, operation)                                        \
  for (int way = 0; way < 2 * sizes_count; ++way) {                                   \
    typedef kind T;                                                                   \
    const int length = sizes[way / 2];                                                \
    kind* const to = way % 2 ? source : dest;                                         \
    for (int i = 0; i <= length; ++i) source[i] = (T)value_at(m, i), dest[i] = (T)55; \
    shmem_team_sync(team);                                                            \
    CHECK(CALL(N, NAME, team, to, source, (size_t)length) == 0);                      \
    for (int i = 0; i < length; ++i) CHECK(to[i] == (T)combined(operation, n, i));    \
    CHECK(to[length] == (way % 2 ? (T)value_at(m, length) : (T)55));                  \
    shmem_team_sync(team);                                                            \
  }
#define SCAN(N, kind, CALL, NAME, inclusive)                                             \
  for (int way = 0; way < 2 * sizes_count; ++way) {                                      \
    typedef kind T;                                                                      \
    const int length = sizes[way / 2];                                                   \
    kind* const to = way % 2 ? source : dest;                                            \
    for (int i = 0; i <= length; ++i) source[i] = (T)value_at(m, i), dest[i] = (T)55;    \
    shmem_team_sync(team);                                                               \
    CHECK(CALL(N, NAME, team, to, source, (size_t)length) == 0);                         \
    for (int i = 0; i < length; ++i) {                                                   \
      int sum = 0;                                                                       \
      for (int member = 0; member < m + inclusive; ++member) sum += value_at(member, i); \
      CHECK(to[i] == (T)sum);                                                            \
    }                                                                                    \
    CHECK(to[length] == (way % 2 ? (T)value_at(m, length) : (T)55));                     \
    shmem_team_sync(team);                                                               \
  }
#define BODY(N, T, CALL, KIND)                                             \
  static void KIND##_##CALL##_##N(shmem_team_t team, T* dest, T* source) { \
    const int n = shmem_team_n_pes(team), m = shmem_team_my_pe(team);      \
    const int border = (int)(2048 / sizeof(T));                            \
    const int sizes[] = {0, 1, 3, 17, border - 1, border, border + 1};     \
    const int sizes_count = 7;                                             \
    KIND##_OPERATIONS(N, T, CALL)                                          \
  }
#define BITWISE_OPERATIONS(N, T, CALL) \
  REDUCE(N, T, CALL, and_reduce, 0)    \
  REDUCE(N, T, CALL, or_reduce, 1)     \
  REDUCE(N, T, CALL, xor_reduce, 2)
#define ORDERED_OPERATIONS(N, T, CALL) \
  REDUCE(N, T, CALL, max_reduce, 3)    \
  REDUCE(N, T, CALL, min_reduce, 4)
#define ARITHMETIC_OPERATIONS(N, T, CALL) \
  REDUCE(N, T, CALL, sum_reduce, 5)       \
  REDUCE(N, T, CALL, prod_reduce, 6)      \
  SCAN(N, T, CALL, sum_inscan, 1)         \
  SCAN(N, T, CALL, sum_exscan, 0)

#define RUN(N, T, CALL, KIND) KIND##_##CALL##_##N(team, (T*)dest, (T*)source);

#ifdef GENERIC_NAMES
#define WAY GENERIC
#else
#define WAY TYPED
#endif
EVERY_BITWISE(BODY, WAY, BITWISE)
EVERY_ORDERED(BODY, WAY, ORDERED)
EVERY_ARITHMETIC(BODY, WAY, ARITHMETIC)

static void run(shmem_team_t team, void* dest, void* source) {
  EVERY_BITWISE(RUN, WAY, BITWISE)
  EVERY_ORDERED(RUN, WAY, ORDERED)
  EVERY_ARITHMETIC(RUN, WAY, ARITHMETIC)
}

/* Long ones, and one after the other without a pause. */
static void large(void) {
  enum { length = 100000, rounds = 2000 };
  double* const source = (double*)shmem_malloc(length * sizeof(double));
  double* const dest = (double*)shmem_malloc(length * sizeof(double));
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int i = 0; i < length; ++i) source[i] = me + i;
    shmem_sync_all();
    double* const to = in_place ? source : dest;
    CHECK(shmem_double_sum_reduce(SHMEM_TEAM_WORLD, to, source, length) == 0);
    for (int i = 0; i < length; ++i) CHECK(to[i] == (double)pes * i + pes * (pes - 1) / 2);
    shmem_sync_all();
    for (int i = 0; i < length; ++i) source[i] = me + i;
    shmem_sync_all();
    CHECK(shmem_double_sum_inscan(SHMEM_TEAM_WORLD, to, source, length) == 0);
    for (int i = 0; i < length; ++i) CHECK(to[i] == (double)(me + 1) * i + me * (me + 1) / 2);
    shmem_sync_all();
  }
  for (int round = 0; round < rounds; ++round) {
    static long mine[3], all[3];
    for (int i = 0; i < 3; ++i) mine[i] = me * round + i;
    CHECK(shmem_long_max_reduce(SHMEM_TEAM_WORLD, all, mine, 3) == 0);
    for (int i = 0; i < 3; ++i) CHECK(all[i] == (long)(pes - 1) * round + i);
  }
  shmem_sync_all();
  shmem_free(dest);
  shmem_free(source);
}

/* Negative values, and values at the ends of their types. */
static void extremes(void) {
  static long mine[2], all[2];
  mine[0] = me == 0 ? INT64_MIN : -me;
  mine[1] = me == pes - 1 ? INT64_MAX : -me;
  shmem_sync_all();
  shmem_long_min_reduce(SHMEM_TEAM_WORLD, all, mine, 2);
  CHECK(all[0] == INT64_MIN && all[1] == (pes == 1 ? INT64_MAX : -(pes - 2)));
  shmem_sync_all();
  shmem_long_max_reduce(SHMEM_TEAM_WORLD, all, mine, 2);
  CHECK(all[0] == (pes == 1 ? INT64_MIN : -1) && all[1] == INT64_MAX);
  shmem_sync_all();
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  void *const in_heap = shmem_malloc(most * sizeof(long double)), *const source =
                                                                      shmem_malloc(most * sizeof(long double));
  shmem_team_t odd = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, pes > 1, 2, pes > 1 ? pes / 2 : 1, NULL, 0, &odd);
  run(SHMEM_TEAM_WORLD, in_heap, source);
  if (odd != SHMEM_TEAM_INVALID) run(odd, in_heap, source);
  shmem_barrier_all();
  large();
  extremes();
  shmem_finalize();
  return 0;
}
