// locks: nobody else is inside, whoever waits gets in, test_lock does not wait, and locks do not disturb each other.
#include <sched.h>

#include "check.h"

enum { locks = 20, rounds = 400 };

static int me, pes;
static long one_lock, lock[locks], counter[locks], inside, order;

static void contended(void) {
  for (int i = 0; i < rounds; ++i) {
    shmem_set_lock(&one_lock);
    CHECK(shmem_long_atomic_fetch_inc(&inside, 0) == 0);
    long const found = shmem_long_g(&order, 0);
    shmem_long_p(&order, found + 1, 0);
    shmem_quiet();
    CHECK(shmem_long_atomic_fetch_add(&inside, -1, 0) == 1);
    shmem_clear_lock(&one_lock);
  }
  shmem_barrier_all();
  CHECK(shmem_long_g(&order, 0) == (long)pes * rounds);
  CHECK(one_lock == 0);
  shmem_barrier_all();
}

/* Several at once, taken in one order; half of the time by trying. */
static void several(void) {
  for (int i = 0; i < rounds; ++i) {
    int const first = (i * 7 + me) % (locks - 1), second = first + 1;
    shmem_set_lock(&lock[first]);
    if (i % 2)
      shmem_set_lock(&lock[second]);
    else
      while (shmem_test_lock(&lock[second]) != 0) {
      }
    shmem_long_p(&counter[first], shmem_long_g(&counter[first], pes - 1) + 1, pes - 1);
    shmem_long_p(&counter[second], shmem_long_g(&counter[second], pes - 1) + 1, pes - 1);
    shmem_clear_lock(&lock[second]);
    shmem_clear_lock(&lock[first]);
  }
  shmem_barrier_all();
  long all = 0;
  for (int i = 0; i < locks; ++i) all += shmem_long_g(&counter[i], pes - 1);
  CHECK(all == 2L * pes * rounds);
  shmem_barrier_all();
}

static void tested(void) {
  long* const in_heap = (long*)shmem_calloc(3, sizeof(long));
  if (me == 0) CHECK(shmem_test_lock(in_heap + 1) == 0);
  shmem_barrier_all();
  if (me != 0)
    for (int i = 0; i < 100; ++i) CHECK(shmem_test_lock(in_heap + 1) == 1);
  shmem_barrier_all();
  if (me == 0) shmem_clear_lock(in_heap + 1);
  shmem_barrier_all();
  if (me == pes - 1) {
    CHECK(shmem_test_lock(in_heap + 1) == 0);
    shmem_clear_lock(in_heap + 1);
  }
  shmem_barrier_all();
  CHECK(in_heap[0] == 0 && in_heap[1] == 0 && in_heap[2] == 0);
  shmem_free(in_heap);
}

/* What was put inside is seen by the next one inside. */
static void puts_inside(void) {
  static long block[100], read[100];
  for (int i = 0; i < rounds; ++i) {
    shmem_set_lock(&one_lock);
    shmem_long_get(read, block, 100, 0);
    if (i % 8 == 0) sched_yield();
    for (int k = 1; k < 100; ++k) CHECK(read[k] == read[0]);
    for (int k = 0; k < 100; ++k) read[k] += 1;
    shmem_long_put(block, read, 100, 0);
    shmem_clear_lock(&one_lock);
  }
  shmem_barrier_all();
  CHECK(shmem_long_g(&block[99], 0) == (long)pes * rounds);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  contended();
  several();
  tested();
  puts_inside();
  shmem_finalize();
  return 0;
}
