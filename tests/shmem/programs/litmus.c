// litmus: what the memory model forbids does not happen in many rounds.
//
//   Message passing by put, fence, put; by put, quiet, put; by a signal; by an atomic. Store buffering with atomics and
//   quiet. Coherence of one word. Each round has words of its own, cleared before; all PEs begin at about one time.
#include "check.h"

enum { batch = 100 };

static int me, pes;
static long data[batch], flags[batch], left[batch], right[batch], seen_left[batch], seen_right[batch];
static long block[batch][16];
static uint64_t signals[batch];

static void begin(void) {
  memset(data, 0, sizeof data);
  memset(flags, 0, sizeof flags);
  memset(left, 0, sizeof left);
  memset(right, 0, sizeof right);
  memset(block, 0, sizeof block);
  memset(signals, 0, sizeof signals);
  shmem_barrier_all();
}

/* From each even PE to the odd one after it. `way` says what orders the put of the message before that of the flag. */
static void message_passing(int way) {
  begin();
  int const to = me + 1;
  if (me % 2 == 0 && to < pes) {
    for (int i = 0; i < batch; ++i) {
      long const message[16] = {i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1,
                                i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1};
      if (way == 3) {
        shmem_long_put_signal_nbi(block[i], message, 16, &signals[i], 1, SHMEM_SIGNAL_SET, to);
        continue;
      }
      shmem_long_put_nbi(block[i], message, 16, to);
      shmem_long_p(&data[i], i + 1, to);
      if (way == 0) shmem_fence();
      if (way != 0) shmem_quiet();
      if (way == 2)
        shmem_long_atomic_inc(&flags[i], to);
      else
        shmem_long_p(&flags[i], 1, to);
    }
  } else if (me % 2 == 1) {
    for (int i = 0; i < batch; ++i) {
      if (way == 3)
        shmem_signal_wait_until(&signals[i], SHMEM_CMP_EQ, 1);
      else if (i % 2)
        shmem_long_wait_until(&flags[i], SHMEM_CMP_EQ, 1);
      else
        while (!shmem_long_test(&flags[i], SHMEM_CMP_NE, 0)) {
        }
      for (int k = 0; k < 16; ++k) CHECK(block[i][k] == i + 1);
      CHECK(way == 3 || data[i] == i + 1);
    }
  }
  shmem_barrier_all();
}

/* Each writes its own word and reads the other's: not both may see nothing. `way` 0: atomics; 1: put and quiet. */
static void store_buffering(int way) {
  begin();
  if (me < 2) {
    long *const mine = me == 0 ? left : right, *const theirs = me == 0 ? right : left;
    long* const seen = me == 0 ? seen_left : seen_right;
    for (int i = 0; i < batch; ++i) {
      if (way == 0) {
        shmem_long_atomic_set(&mine[i], 1, pes - 1);
        seen[i] = shmem_long_atomic_fetch(&theirs[i], pes - 1);
      } else {
        shmem_long_p(&mine[i], 1, pes - 1);
        shmem_quiet();
        seen[i] = shmem_long_g(&theirs[i], pes - 1);
      }
    }
  }
  shmem_barrier_all();
  if (me == 0 && pes > 1) {
    shmem_long_get(seen_right, seen_right, batch, 1);
    for (int i = 0; i < batch; ++i) CHECK(seen_left[i] == 1 || seen_right[i] == 1);
  }
  shmem_barrier_all();
}

/* One PE counts a word up, all others never see it go back. */
static void coherence(void) {
  begin();
  long last = 0;
  if (me == 0)
    for (int i = 1; i <= batch; ++i) shmem_long_p(data, i, pes - 1);
  else
    while (last < batch) {
      long const now = me % 2 ? shmem_long_g(data, pes - 1) : shmem_long_atomic_fetch(data, pes - 1);
      CHECK(now >= last);
      last = now;
    }
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? atoi(argv[1]) : 100000;
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  for (int round = 0; round < rounds; round += batch) {
    for (int way = 0; way < 4; ++way) message_passing(way);
    store_buffering(0);
    store_buffering(1);
    coherence();
  }
  shmem_finalize();
  return 0;
}
