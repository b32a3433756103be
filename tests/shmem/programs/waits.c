// waits: waits for words and tests of them, one, all, any or some, with one value or one each, for every type.
#include "check.h"

enum { items = 6 };

static int me, pes, next_pe, before;
static int const leave_out_2[items] = {0, 0, 1, 0, 0, 0};
static int const leave_out_all[items] = {1, 1, 1, 1, 1, 1};
static size_t const none = SIZE_MAX;

#define COMPARISONS(N, T, CALL)                                                                   \
  static const int comparisons[] = {                                                              \
      SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE};        \
  for (int c = 0; c < 6; ++c)                                                                     \
    for (int value = 4; value <= 6; ++value) {                                                    \
      const int holds[] = {5 == value, 5 != value, 5 > value, 5 <= value, 5 < value, 5 >= value}; \
      words[0] = (T)5;                                                                            \
      int found = CALL(N, test, words, comparisons[c], (T)value);                                 \
      CHECK(found == holds[c]);                                                                   \
      if (holds[c]) CALL(N, wait_until, words, comparisons[c], (T)value);                         \
    }

/* The previous PE sets word after word; values are 1 to items. */
#define TEST(N, T, CALL)                                                                                 \
  static void test_##CALL##_##N(T* words) {                                                              \
    T values[items];                                                                                     \
    size_t indices[items], found;                                                                        \
    int yes;                                                                                             \
    COMPARISONS(N, T, CALL)                                                                              \
    for (int i = 0; i < items; ++i) {                                                                    \
      words[i] = 0;                                                                                      \
      values[i] = (T)(i + 1);                                                                            \
    }                                                                                                    \
    yes = CALL(N, test_all, words, items, NULL, SHMEM_CMP_NE, (T)0);                                     \
    CHECK(yes == 0);                                                                                     \
    yes = CALL(N, test_all, words, items, NULL, SHMEM_CMP_EQ, (T)0);                                     \
    CHECK(yes == 1);                                                                                     \
    found = CALL(N, test_any, words, items, NULL, SHMEM_CMP_NE, (T)0);                                   \
    CHECK(found == none);                                                                                \
    found = CALL(N, test_some, words, items, indices, NULL, SHMEM_CMP_NE, (T)0);                         \
    CHECK(found == 0);                                                                                   \
    /* Nothing to wait for. */                                                                           \
    yes = CALL(N, test_all, words, items, leave_out_all, SHMEM_CMP_NE, (T)0);                            \
    CHECK(yes == 1);                                                                                     \
    CALL(N, wait_until_all, words, items, leave_out_all, SHMEM_CMP_NE, (T)0);                            \
    CALL(N, wait_until_all, words, 0, NULL, SHMEM_CMP_NE, (T)0);                                         \
    found = CALL(N, wait_until_any, words, items, leave_out_all, SHMEM_CMP_NE, (T)0);                    \
    CHECK(found == none);                                                                                \
    found = CALL(N, wait_until_any, words, 0, NULL, SHMEM_CMP_NE, (T)0);                                 \
    CHECK(found == none);                                                                                \
    found = CALL(N, wait_until_some, words, items, indices, leave_out_all, SHMEM_CMP_NE, (T)0);          \
    CHECK(found == 0);                                                                                   \
    found = CALL(N, test_some, words, 0, indices, NULL, SHMEM_CMP_NE, (T)0);                             \
    CHECK(found == 0);                                                                                   \
    CALL(N, wait_until_all_vector, words, items, leave_out_all, SHMEM_CMP_EQ, values);                   \
    found = CALL(N, wait_until_any_vector, words, items, leave_out_all, SHMEM_CMP_EQ, values);           \
    CHECK(found == none);                                                                                \
    found = CALL(N, wait_until_some_vector, words, items, indices, leave_out_all, SHMEM_CMP_EQ, values); \
    CHECK(found == 0);                                                                                   \
    shmem_barrier_all();                                                                                 \
    shmem_##N##_atomic_set(words + 2, (T)3, next_pe);                                                    \
    found = CALL(N, wait_until_any, words, items, NULL, SHMEM_CMP_NE, (T)0);                             \
    CHECK(found == 2);                                                                                   \
    found = CALL(N, wait_until_some, words, items, indices, NULL, SHMEM_CMP_NE, (T)0);                   \
    CHECK(found == 1 && indices[0] == 2);                                                                \
    found = CALL(N, wait_until_any_vector, words, items, NULL, SHMEM_CMP_EQ, values);                    \
    CHECK(found == 2);                                                                                   \
    found = CALL(N, wait_until_some_vector, words, items, indices, NULL, SHMEM_CMP_EQ, values);          \
    CHECK(found == 1 && indices[0] == 2);                                                                \
    found = CALL(N, test_any, words, items, NULL, SHMEM_CMP_GE, (T)3);                                   \
    CHECK(found == 2);                                                                                   \
    found = CALL(N, test_any, words, items, leave_out_2, SHMEM_CMP_GE, (T)3);                            \
    CHECK(found == none);                                                                                \
    found = CALL(N, test_any_vector, words, items, NULL, SHMEM_CMP_EQ, values);                          \
    CHECK(found == 2);                                                                                   \
    found = CALL(N, test_some_vector, words, items, indices, NULL, SHMEM_CMP_EQ, values);                \
    CHECK(found == 1 && indices[0] == 2);                                                                \
    shmem_barrier_all();                                                                                 \
    for (int i = 0; i < items; ++i)                                                                      \
      if (i != 2) shmem_##N##_atomic_set(words + i, (T)(i + 1), next_pe);                                \
    CALL(N, wait_until_all, words, items, leave_out_2, SHMEM_CMP_NE, (T)0);                              \
    CALL(N, wait_until_all, words, items, NULL, SHMEM_CMP_GT, (T)0);                                     \
    CALL(N, wait_until_all_vector, words, items, NULL, SHMEM_CMP_EQ, values);                            \
    CALL(N, wait_until_all_vector, words, items, leave_out_2, SHMEM_CMP_EQ, values);                     \
    yes = CALL(N, test_all_vector, words, items, NULL, SHMEM_CMP_EQ, values);                            \
    CHECK(yes == 1);                                                                                     \
    yes = CALL(N, test_all_vector, words, items, NULL, SHMEM_CMP_LT, values);                            \
    CHECK(yes == 0);                                                                                     \
    found = CALL(N, wait_until_some, words, items, indices, leave_out_2, SHMEM_CMP_GE, (T)3);            \
    CHECK(found == 3 && indices[0] == 3 && indices[1] == 4 && indices[2] == 5);                          \
    found = CALL(N, test_some_vector, words, items, indices, leave_out_2, SHMEM_CMP_EQ, values);         \
    CHECK(found == 5 && indices[2] == 3);                                                                \
    shmem_barrier_all();                                                                                 \
  }
#define RUN(N, T, CALL)       \
  {                           \
    static T words[items];    \
    test_##CALL##_##N(words); \
  }
#define TEST_SHORT(N, T, CALL)                      \
  static void test_##CALL##_##N(T* words) {         \
    COMPARISONS(N, T, CALL)                         \
    words[0] = 0;                                   \
    shmem_barrier_all();                            \
    shmem_##N##_p(words, (T)1, next_pe);            \
    CALL(N, wait_until, words, SHMEM_CMP_EQ, (T)1); \
    shmem_barrier_all();                            \
  }

#ifdef GENERIC_NAMES
EVERY_SYNC(TEST, GENERIC)
EVERY_SYNC_SHORT(TEST_SHORT, GENERIC)
static void run(void){EVERY_SYNC(RUN, GENERIC) EVERY_SYNC_SHORT(RUN, GENERIC)}
#else
EVERY_SYNC(TEST, TYPED)
EVERY_SYNC_SHORT(TEST_SHORT, TYPED)
static void run(void) {
  EVERY_SYNC(RUN, TYPED)
  EVERY_SYNC_SHORT(RUN, TYPED)
}
#endif

/* A word is handed around the ring; each kind of wait in turn. */
static void ring(void) {
  static long baton[2];
  size_t which[2];
  for (long lap = 1; lap <= 200; ++lap) {
    long const expected = lap;
    if (me == 0) shmem_long_p(&baton[lap % 2], lap, next_pe);
    switch (lap % 4) {
      case 0:
        shmem_long_wait_until(&baton[0], SHMEM_CMP_EQ, lap);
        break;
      case 1:
        CHECK(shmem_long_wait_until_any(baton, 2, NULL, SHMEM_CMP_EQ, lap) == 1);
        break;
      case 2:
        CHECK(shmem_long_wait_until_some(baton, 2, which, NULL, SHMEM_CMP_GE, lap) == 1 && which[0] == 0);
        break;
      default:
        shmem_long_wait_until_all_vector(&baton[1], 1, NULL, SHMEM_CMP_EQ, &expected);
    }
    if (me != 0) shmem_long_p(&baton[lap % 2], lap, next_pe);
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  next_pe = (me + 1) % pes;
  before = (me + pes - 1) % pes;
  (void)before;
  run();
  ring();
  shmem_finalize();
  return 0;
}
