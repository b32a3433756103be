// races: in each case two PEs use the same memory, and nothing orders them; with `ordered` behind the case's name they
// are ordered, or do not use the same memory.
//
//   The two lines of a race bear the case's number and `first` or `second`; races.py reads them. Needs 3 PEs.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, ordered;
static long word, flag, other_flag, block[64], target[64], flags[2], lock = 0;
static uint64_t signal_word;
static char bytes[8];

/* PE `from` tells PE `to` that it is done. */
static void tell(int from, int to) {
  if (me == from) {
    shmem_quiet();
    shmem_long_atomic_inc(&flag, to);
  }
  if (me == to) shmem_long_wait_until(&flag, SHMEM_CMP_GE, 1);
}

static void put_put(void) {
  if (me == 1) shmem_long_put(target, block, 64, 0);  // 1 first
  if (ordered) shmem_barrier_all();
  if (me == 2) shmem_long_put(target + 63, block, 1, 0);  // 1 second
}

static void p_p(void) {
  if (me == 1) shmem_long_p(&word, 1, 0);  // 2 first
  if (ordered) tell(1, 2);
  if (me == 2) shmem_long_p(&word, 2, 0);  // 2 second
}

static void put_get(void) {
  if (me == 1) {
    shmem_long_put(target, block, 8, 0);  // 3 first
    shmem_quiet();
  }
  if (ordered) shmem_sync_all();
  if (me == 2) shmem_long_get(block, target, 1, 0);  // 3 second
}

static void atomic_and_p(void) {
  if (me == 1) shmem_long_atomic_add(&word, 1, 0);  // 4 first
  if (ordered) shmem_barrier_all();
  if (me == 2) shmem_long_p(&word, 5, 0);  // 4 second
}

static void put_and_fetch(void) {
  if (me == 1) shmem_long_put(target, block, 4, 0);  // 5 first
  if (ordered) tell(1, 2);
  if (me == 2) shmem_long_atomic_fetch(target + 2, 0);  // 5 second
}

/* The flag may be there before the block. */
static void flag_without_fence(void) {
  if (me == 1) {
    shmem_long_put(target, block, 8, 0);  // 6 first
    if (ordered) shmem_fence();
    shmem_long_p(&other_flag, 1, 0);
  }
  if (me == 0) {
    shmem_long_wait_until(&other_flag, SHMEM_CMP_EQ, 1);
    shmem_long_put(block, target, 8, 2);  // 6 second
  }
}

/* A fence orders what goes to one PE. */
static void fence_for_another(void) {
  if (me == 1) {
    shmem_long_put(target, block, 8, 2);  // 7 first
    if (ordered) shmem_quiet();
    if (!ordered) shmem_fence();
    shmem_long_atomic_set(&flag, 1, 0);
  }
  if (me == 0) {
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_long_get(block, target, 8, 2);  // 7 second
  }
}

/* A signal comes after its own put, not after earlier ones. */
static void signal_after_put(void) {
  if (me == 1) {
    shmem_long_put(target, block, 8, 0);  // 8 first
    if (ordered) shmem_fence();
    shmem_long_put_signal(target + 32, block, 8, &signal_word, 1, SHMEM_SIGNAL_SET, 0);
  }
  if (me == 0) {
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
    shmem_long_put(block, target + 32, 8, 2);
    shmem_long_put(block + 16, target, 8, 2);  // 8 second
  }
}

/* shmem_sync_all completes nothing. */
static void sync_is_no_barrier(void) {
  if (me == 1) shmem_long_p(&word, 1, 0);  // 9 first
  if (ordered) shmem_barrier_all();
  if (!ordered) shmem_sync_all();
  if (me == 2) printf("%d\n", shmem_long_g(&word, 0) >= 0);  // 9 second
}

static void without_lock(void) {
  if (me == 0) return;
  if (ordered) shmem_set_lock(&lock);
  long const old = shmem_long_g(&word, 0);  // 10 first
  shmem_long_p(&word, old + 1, 0);          // 10 second
  if (ordered) shmem_clear_lock(&lock);
}

static void strides(void) {
  if (me == 1) shmem_long_iput(target, block, 2, 1, 16, 0);            // 11 first
  if (me == 2) shmem_long_iput(target + ordered, block, 2, 1, 16, 0);  // 11 second
}

static void bytes_of_a_word(void) {
  if (me == 1) shmem_putmem(bytes, "abcd", 4, 0);                      // 12 first
  if (me == 2) shmem_putmem(bytes + (ordered ? 4 : 3), "efgh", 4, 0);  // 12 second
}

static void source_of_nbi(void) {
  if (me == 1) {
    shmem_long_put_nbi(target, block, 8, 0);  // 13 first
    if (ordered) shmem_quiet();
    shmem_long_get(block + 7, &word, 1, 2);  // 13 second
  }
}

static void dest_of_nbi(void) {
  if (me == 1) {
    /* Results that nobody reads may go to one place. */
    for (int i = 0; i < 4; ++i) shmem_long_atomic_fetch_inc_nbi(&word, &flag, 0);
    shmem_long_get_nbi(block, target, 8, 0);  // 14 first
    if (ordered) shmem_quiet();
    shmem_long_put(target, block, 1, 2);  // 14 second
  }
}

static void buffer_of_collective(void) {
  if (me == 1) shmem_long_p(block + 1, 7, 0);  // 15 first
  if (ordered) shmem_barrier_all();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, target, block, 4);  // 15 second
}

/* A test that failed has seen nothing. */
static void failed_test(void) {
  if (me == 1) {
    shmem_long_put(target, block, 8, 0);  // 16 first
    shmem_quiet();
    shmem_long_atomic_set(&flag, 1, 2);
  }
  if (me == 2) {
    if (ordered) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    /* The library sees no loads. */
    while (*(long volatile*)&flag == 0) {
    }
    (void)shmem_long_test(&flag, SHMEM_CMP_EQ, 2);
    shmem_long_put(target, block, 8, 0);  // 16 second
  }
}

static void after_broadcast(void) {
  if (me == 1) {
    shmem_long_p(&word, 1, 2);  // 17 first
    shmem_quiet();
  }
  if (ordered) shmem_long_fcollect(SHMEM_TEAM_WORLD, target, block, 1);
  if (!ordered) shmem_long_broadcast(SHMEM_TEAM_WORLD, target, block, 1, 0);
  if (me == 0) shmem_long_p(&word, 2, 2);  // 17 second
}

/* Of two words the wait saw one. */
static void wait_for_any(void) {
  int const without_second[2] = {0, 1};
  if (me != 0) {
    shmem_long_p(target + me, me, 0);  // 18 first
    shmem_fence();
    shmem_long_p(&flags[me - 1], 1, 0);
  } else {
    if (ordered) shmem_long_wait_until_all(flags, 2, NULL, SHMEM_CMP_EQ, 1);
    (void)shmem_long_wait_until_any(flags, 2, without_second, SHMEM_CMP_EQ, 1);
    shmem_long_put(block, target + 1, 1, 2);
    shmem_long_put(block + 1, target + 2, 1, 1);  // 18 second
  }
}

/* Atomics order those who use the same word. */
static void chain_of_atomics(void) {
  if (me == 1) {
    shmem_long_put(target, block, 8, 0);  // 19 first
    shmem_quiet();
    (void)shmem_long_atomic_fetch_inc(&flag, 0);
  }
  if (me == 2) {
    while (ordered && shmem_long_atomic_fetch(&flag, 0) == 0) {
    }
    shmem_long_get(block, target, 8, 0);  // 19 second
  }
}

static void in_the_heap(void) {
  long* const object = shmem_malloc(160);       // object
  if (me == 1) shmem_long_p(object + 3, 1, 0);  // 20 first
  if (ordered) shmem_barrier_all();
  if (me == 2) shmem_long_p(object + 3, 2, 0);  // 20 second
}

/* A context that ends completes its puts. */
static void ended_context(void) {
  shmem_ctx_t ctx;
  shmem_ctx_create(0, &ctx);
  if (me == 1) shmem_ctx_long_put(ctx, target, block, 8, 0);  // 21 first
  if (ordered) shmem_ctx_destroy(ctx);
  shmem_sync_all();
  if (me == 2) shmem_long_get(block, target, 8, 0);  // 21 second
}

/* What is ordered by a chain of PEs. */
static void by_way_of_another(void) {
  if (me == 1) {
    shmem_long_put(target, block, 8, 0);  // 22 first
    shmem_fence();
    shmem_long_p(&flags[0], 1, 0);
  }
  if (me == 0) {
    if (ordered) shmem_long_wait_until(&flags[0], SHMEM_CMP_EQ, 1);
    shmem_long_atomic_set(&flags[1], 1, 2);
  }
  if (me == 2) {
    shmem_long_wait_until(&flags[1], SHMEM_CMP_EQ, 1);
    shmem_long_put(target, block, 8, 0);  // 22 second
  }
}

/* An atomic that an atomic has seen has arrived. */
static void polled_atomic(void) {
  if (me == 1) shmem_long_atomic_set(&word, 1, 0);  // 23 first
  if (me != 0) return;
  while (ordered && shmem_long_atomic_fetch(&word, 0) == 0) {
  }
  shmem_long_p(&word, 2, 0);  // 23 second
}

/* A collective is over at other PEs when they say so. */
static void dest_of_another(void) {
  shmem_long_max_reduce(SHMEM_TEAM_WORLD, target, block, 1);  // 24 first
  if (ordered) shmem_barrier_all();
  if (me == 2) shmem_long_get(block, target, 1, 0);  // 24 second
}

static void (*const cases[])(void) = {put_put,
                                      p_p,
                                      put_get,
                                      atomic_and_p,
                                      put_and_fetch,
                                      flag_without_fence,
                                      fence_for_another,
                                      signal_after_put,
                                      sync_is_no_barrier,
                                      without_lock,
                                      strides,
                                      bytes_of_a_word,
                                      source_of_nbi,
                                      dest_of_nbi,
                                      buffer_of_collective,
                                      failed_test,
                                      after_broadcast,
                                      wait_for_any,
                                      chain_of_atomics,
                                      in_the_heap,
                                      ended_context,
                                      by_way_of_another,
                                      polled_atomic,
                                      dest_of_another};

int main(int argc, char** argv) {
  int const number = argc > 1 ? atoi(argv[1]) : 0;
  ordered = argc > 2 && strcmp(argv[2], "ordered") == 0;
  shmem_init();
  me = shmem_my_pe();
  if (number < 1 || number > (int)(sizeof cases / sizeof *cases)) shmem_global_exit(3);
  cases[number - 1]();
  shmem_finalize();
  return 0;
}
