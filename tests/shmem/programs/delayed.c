// delayed: atomics with _nbi are done, and their results are there, after each call that orders operations or waits.
#include "check.h"

enum { many = 1000, points = 12 };

static int me, pes, next_pe;
static long word, found, results[many], lock, psync[SHMEM_BARRIER_SYNC_SIZE];
static long at_end;
static uint64_t flag;
static shmem_ctx_t ctx;

/* The calls after which an update of this PE has been done. */
static void order(int point) {
  int target = next_pe;
  long one = 1, sum = 0;
  if (point == 0) shmem_quiet();
  if (point == 1) shmem_fence();
  if (point == 2) shmem_ctx_quiet(ctx);
  if (point == 3) shmem_ctx_fence(ctx);
  if (point == 4) shmem_pe_quiet(&target, 1);
  if (point == 5) shmem_barrier_all();
  if (point == 6) shmem_barrier(0, 0, pes, psync);
  if (point == 7) shmem_sync_all();
  if (point == 8) shmem_team_sync(SHMEM_TEAM_WORLD);
  if (point == 9) CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1) == 0 && sum == pes);
  if (point == 10) shmem_free(shmem_malloc(8));
  if (point == 11) {
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
  }
}

static void results_are_there(void) {
  for (int point = 0; point < points; ++point) {
    word = 7;
    shmem_barrier_all();
    found = -1;
    if (point % 2)
      shmem_ctx_long_atomic_fetch_add_nbi(ctx, &found, &word, 1, next_pe);
    else
      shmem_long_atomic_fetch_add_nbi(&found, &word, 1, next_pe);
    order(point);
    CHECK(found == 7);
    shmem_barrier_all();
    CHECK(word == 8);
    shmem_barrier_all();
  }
  shmem_ctx_t own;
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &own) == 0);
  found = -1;
  shmem_ctx_long_atomic_swap_nbi(own, &found, &word, 1, next_pe);
  shmem_ctx_destroy(own);
  CHECK(found == 8);
  shmem_barrier_all();
}

/* More than are delayed at a time, with others between them: each PE's are done in turn. */
static void many_of_them(void) {
  static int half;
  static double number = 1.5;
  double old = 0;
  word = 0;
  half = 0;
  shmem_barrier_all();
  for (int i = 0; i < many; ++i) {
    int of_half = -1;
    shmem_long_atomic_fetch_inc_nbi(&results[i], &word, next_pe);
    if (i % 100 == 50) {
      shmem_int_atomic_fetch_add_nbi(&of_half, &half, 2, next_pe);
      shmem_double_atomic_swap_nbi(&old, &number, i + 0.5, next_pe);
      shmem_quiet();
      CHECK(of_half == i / 100 * 2 && old == (i == 50 ? 1.5 : i - 100 + 0.5));
    }
  }
  shmem_quiet();
  for (int i = 0; i < many; ++i) CHECK(results[i] == i);
  shmem_barrier_all();
  CHECK(word == many && half == many / 100 * 2);
}

/* Nobody would go on if a wait left this PE's own update undone. */
static void waits(void) {
  static unsigned int of_ints[2];
  uint64_t old;
  for (int round = 1; round <= 20; ++round) {
    word = 0;
    flag = 0;
    of_ints[0] = of_ints[1] = 0;
    shmem_barrier_all();
    shmem_long_atomic_fetch_add_nbi(&found, &word, 1, next_pe);
    shmem_long_wait_until(&word, SHMEM_CMP_GE, 1);
    shmem_long_atomic_fetch_add_nbi(&found, &word, 1, next_pe);
    while (!shmem_long_test(&word, SHMEM_CMP_EQ, 2)) {
    }
    shmem_uint64_atomic_fetch_add_nbi(&old, &flag, 3, next_pe);
    CHECK(shmem_signal_wait_until(&flag, SHMEM_CMP_NE, 0) == 3);
    unsigned int before;
    shmem_uint_atomic_fetch_or_nbi(&before, &of_ints[1], 4, next_pe);
    CHECK(shmem_uint_wait_until_any(of_ints, 2, NULL, SHMEM_CMP_NE, 0) != SIZE_MAX);
    shmem_uint_atomic_fetch_or_nbi(&before, &of_ints[0], 4, next_pe);
    shmem_uint_wait_until_all(of_ints, 2, NULL, SHMEM_CMP_EQ, 4);
    shmem_barrier_all();
  }
}

/* Nor if it looks again and again without a wait. */
static void polls(void) {
  for (int kind = 0; kind < 4; ++kind) {
    word = 0;
    flag = 0;
    shmem_barrier_all();
    uint64_t old, seen = 0;
    shmem_long_atomic_fetch_add_nbi(&found, &word, 1, next_pe);
    if (kind == 0)
      while (shmem_long_g(&word, me) == 0) {
      }
    if (kind == 1)
      while (shmem_long_atomic_fetch(&word, me) == 0) {
      }
    long copy = 0;
    while (kind == 2 && copy == 0) shmem_long_get(&copy, &word, 1, me);
    shmem_uint64_atomic_fetch_add_nbi(&old, &flag, 3, next_pe);
    while (kind == 3 && seen == 0) seen = shmem_signal_fetch(&flag);
    shmem_barrier_all();
    CHECK(word == 1 && flag == 3);
    shmem_barrier_all();
  }
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  next_pe = (me + 1) % pes;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
  results_are_there();
  many_of_them();
  waits();
  polls();
  shmem_barrier_all();
  shmem_long_atomic_fetch_add_nbi(&found, &at_end, 5, next_pe);
  shmem_finalize();
  return at_end == 5 ? 0 : 1;
}
