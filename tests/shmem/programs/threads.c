// threads: some threads at each PE put, get, add, wait, lock words and split teams at the same time, each with contexts
// of its own.
#include <pthread.h>
#include <sched.h>

#include "check.h"

#if defined(__riscv)
enum { threads = 3, rounds = 200, length = 64, lock_rounds = 8, splits = 4 }; /* a tile has four harts */
#else
enum { threads = 4, rounds = 2000, length = 64, lock_rounds = 100, splits = 30 };
#endif

static int me, pes, next_pe, before;
static long sum, later, old[threads], turn[threads], block[threads][length], private_words[threads];
static uint64_t flag[threads], back[threads];
static long one_lock, in_one, other_lock, in_other, inside;

/* All threads of all PEs at one lock, half of the time by trying; then inside of another one. */
static void lock_words(void) {
  for (int i = 0; i < lock_rounds; ++i) {
    if (i % 2)
      shmem_set_lock(&one_lock);
    else
      while (shmem_test_lock(&one_lock) != 0) sched_yield();
    CHECK(shmem_long_atomic_fetch_inc(&inside, 0) == 0);
    sched_yield(); /* the others come meanwhile */
    shmem_long_p(&in_one, shmem_long_g(&in_one, 0) + 1, 0);
    if (i % 4 == 3) {
      shmem_set_lock(&other_lock);
      shmem_long_p(&in_other, shmem_long_g(&in_other, pes - 1) + 1, pes - 1);
      shmem_clear_lock(&other_lock);
    }
    shmem_quiet();
    CHECK(shmem_long_atomic_fetch_add(&inside, -1, 0) == 1);
    shmem_clear_lock(&one_lock);
    shmem_set_lock(&other_lock);
    shmem_long_p(&in_other, shmem_long_g(&in_other, pes - 1) + 1, pes - 1);
    shmem_clear_lock(&other_lock);
  }
}

/* Each thread splits a team of its own, all at the same time. */
static shmem_team_t team_of[threads];
static long one[threads], all_of[threads];
static void split_teams(int t) {
  for (int i = 0; i < splits; ++i) {
    shmem_team_t half, rest;
    CHECK(shmem_team_split_strided(team_of[t], i % 2, 1, pes - i % 2, NULL, 0, &half) == 0 || pes == 1);
    if (half != SHMEM_TEAM_INVALID) {
      one[t] = t + 1;
      shmem_team_sync(half);
      CHECK(shmem_long_sum_reduce(half, &all_of[t], &one[t], 1) == 0);
      CHECK(all_of[t] == (long)(t + 1) * shmem_team_n_pes(half));
      shmem_team_t const parent = half;
      CHECK(shmem_team_split_2d(parent, 2, NULL, 0, &rest, NULL, 0, &half) == 0);
      CHECK(shmem_team_translate_pe(rest, shmem_team_my_pe(rest), SHMEM_TEAM_WORLD) == me);
      shmem_team_destroy(rest);
      shmem_team_destroy(parent);
      shmem_team_destroy(half);
    }
    shmem_team_sync(team_of[t]);
  }
}

static void* work(void* argument) {
  int const t = (int)(intptr_t)argument;
  shmem_ctx_t ctx;
  int provided = -1;
  shmem_query_thread(&provided);
  CHECK(provided == SHMEM_THREAD_MULTIPLE && shmem_my_pe() == me);
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0);
  for (int i = 1; i <= rounds; ++i) {
    shmem_long_atomic_inc(&sum, i % pes);
    shmem_ctx_long_atomic_add(ctx, &private_words[t], 1, next_pe);
    shmem_long_atomic_fetch_inc_nbi(&old[t], &later, next_pe);
  }
  shmem_quiet();
  /* Blocks with a signal from thread to thread, and the answer. */
  for (int i = 1; i <= rounds / 10; ++i) {
    long out[length];
    for (int k = 0; k < length; ++k) out[k] = i * 100 + k + me + t;
    if (i % 2)
      shmem_long_put_signal(block[t], out, length, &flag[t], (uint64_t)i, SHMEM_SIGNAL_SET, next_pe);
    else
      shmem_ctx_long_put_signal_nbi(ctx, block[t], out, length, &flag[t], 1, SHMEM_SIGNAL_ADD, next_pe);
    CHECK(shmem_signal_wait_until(&flag[t], SHMEM_CMP_GE, (uint64_t)i) == (uint64_t)i);
    for (int k = 0; k < length; ++k) CHECK(block[t][k] == i * 100 + k + before + t);
    shmem_ctx_signal_add(ctx, &back[t], 1, before);
    shmem_signal_wait_until(&back[t], SHMEM_CMP_GE, (uint64_t)i);
  }
  /* A word goes around the ring. */
  for (long lap = 1; lap <= 100; ++lap) {
    if (me == 0) shmem_long_p(&turn[t], lap, next_pe);
    shmem_long_wait_until(&turn[t], SHMEM_CMP_EQ, lap);
    if (me != 0) shmem_ctx_long_p(ctx, &turn[t], lap, next_pe);
    shmem_ctx_quiet(ctx);
  }
  lock_words();
  split_teams(t);
  shmem_ctx_destroy(ctx);
  return NULL;
}

int main(void) {
  int provided = -1, is = -1;
  shmem_query_initialized(&is);
  CHECK(is == 0);
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0 && provided == SHMEM_THREAD_MULTIPLE);
  shmem_query_initialized(&is);
  CHECK(is == 1);
  me = shmem_my_pe();
  pes = shmem_n_pes();
  next_pe = (me + 1) % pes;
  before = (me + pes - 1) % pes;
  for (int t = 0; t < threads; ++t)
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team_of[t]) == 0);
  pthread_t thread[threads];
  for (int t = 0; t < threads; ++t) CHECK(pthread_create(&thread[t], NULL, work, (void*)(intptr_t)t) == 0);
  for (int t = 0; t < threads; ++t) CHECK(pthread_join(thread[t], NULL) == 0);
  shmem_barrier_all();
  long all = 0;
  for (int pe = 0; pe < pes; ++pe) all += shmem_long_g(&sum, pe);
  CHECK(all == (long)pes * threads * rounds);
  CHECK(later == (long)threads * rounds);
  for (int t = 0; t < threads; ++t) CHECK(private_words[t] == rounds);
  CHECK(shmem_long_g(&in_one, 0) == (long)pes * threads * lock_rounds);
  CHECK(shmem_long_g(&in_other, pes - 1) == (long)pes * threads * (lock_rounds + lock_rounds / 4));
  CHECK(one_lock == 0 && other_lock == 0);
  shmem_finalize();
  return 0;
}
