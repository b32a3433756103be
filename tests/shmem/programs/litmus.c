// litmus: what the memory model forbids does not happen in many rounds; each test says beside it what is forbidden and
// what may happen.
//
//     litmus [ROUNDS [ordered]]
//
//   A round is a batch of words, cleared before, at which all PEs begin at about one time. `x`, `y` are words of a PE,
//   0 at first. The last tests rely on more than the model: words of `p` and `g` that nothing orders are whole, coherent
//   and ordered by shmem_quiet here. `ordered` leaves them out.
#include "check.h"

enum { batch = 50, length = 8 };

static int me, pes;
static long x[batch], y[batch], z[batch], seen[2][batch], theirs[2][batch];
static long block[batch][length], copy[length], ticket, turns;
static long lock = 0;
static uint64_t signals[batch];

static void begin(void) {
  memset(x, 0, sizeof x);
  memset(y, 0, sizeof y);
  memset(z, 0, sizeof z);
  memset(block, 0, sizeof block);
  memset(signals, 0, sizeof signals);
  shmem_barrier_all();
}

/* Another PE's seen values, into theirs; called after all have seen theirs. */
static void get_seen(int pe) {
  shmem_long_get(theirs[0], seen[0], batch, pe);
  shmem_long_get(theirs[1], seen[1], batch, pe);
}

static void fill(long* message, int i) {
  for (int k = 0; k < length; ++k) message[k] = i + 1;
}

enum way { by_fence, by_quiet, by_atomic, by_signal, by_added_signal, ways };

/* Message passing. From each even PE to the odd one after it:
 *     put block; p x; fence or quiet; p y (or atomic, or the block is a put with signal)  ||  wait y = 1; read block, x
 * forbidden: y = 1 and an old item of block, or an old x. */
static void message_passing(enum way how) {
  begin();
  int const to = me + 1;
  for (int i = 0; i < batch && me % 2 == 0 && to < pes; ++i) {
    long message[length];
    fill(message, i);
    if (how == by_signal || how == by_added_signal) {
      int const operation = how == by_signal ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD;
      shmem_long_put_signal(block[i], message, length, &signals[i], 1, operation, to);
      continue;
    }
    shmem_long_put(block[i], message, length, to);
    shmem_long_p(&x[i], i + 1, to);
    if (how == by_fence) shmem_fence();
    if (how != by_fence) shmem_quiet();
    if (how == by_atomic)
      shmem_long_atomic_inc(&y[i], to);
    else
      shmem_long_p(&y[i], 1, to);
  }
  for (int i = 0; i < batch && me % 2 == 1; ++i) {
    int const by_signals = how == by_signal || how == by_added_signal;
    if (by_signals)
      shmem_signal_wait_until(&signals[i], SHMEM_CMP_EQ, 1);
    else if (i % 2)
      shmem_long_wait_until(&y[i], SHMEM_CMP_EQ, 1);
    else
      while (!shmem_long_test(&y[i], SHMEM_CMP_NE, 0)) {
      }
    for (int k = 0; k < length; ++k) CHECK(block[i][k] == i + 1);
    CHECK(by_signals || x[i] == i + 1);
  }
  shmem_barrier_all();
}

/* Message passing in which the message lies at a third PE:
 *     put block at 2; quiet; atomic y at 1  ||  PE 1: wait y = 1; get block of 2
 * forbidden: y = 1 and an old item of block. A fence instead of the quiet would allow it. */
static void message_at_a_third(void) {
  begin();
  for (int i = 0; i < batch && me < 2 && pes > 2; ++i) {
    if (me == 0) {
      long message[length];
      fill(message, i);
      shmem_long_put(block[i], message, length, 2);
      shmem_quiet();
      shmem_long_atomic_set(&y[i], 1, 1);
    } else {
      shmem_long_wait_until(&y[i], SHMEM_CMP_EQ, 1);
      shmem_long_get(copy, block[i], length, 2);
      for (int k = 0; k < length; ++k) CHECK(copy[k] == i + 1);
    }
  }
  shmem_barrier_all();
}

/* A word of p that is waited for:
 *     p x = all bits  ||  wait x != 0; read x
 * forbidden: x is anything but 0 before and all bits afterwards. */
static void whole_words(void) {
  begin();
  int const to = me + 1;
  for (int i = 0; i < batch && me % 2 == 0 && to < pes; ++i) shmem_long_p(&x[i], -1, to);
  for (int i = 0; i < batch && me % 2 == 1; ++i) {
    shmem_long_wait_until(&x[i], SHMEM_CMP_NE, 0);
    CHECK(x[i] == -1);
  }
  shmem_barrier_all();
}

/* Store buffering:
 *     PE 0: write x; quiet; read y  ||  PE 1: write y; quiet; read x
 * forbidden: both read 0. Allowed: 0 1, 1 0, 1 1. By atomics; by those that fetch, which need no quiet; by p and g. */
enum words { atomics, fetching_atomics, plain_words };
static void store_buffering(enum words by) {
  begin();
  int const home = pes - 1;
  for (int i = 0; i < batch && me < 2; ++i) {
    long *const mine = me == 0 ? &x[i] : &y[i], *const other = me == 0 ? &y[i] : &x[i];
    if (by == atomics) shmem_long_atomic_set(mine, 1, home);
    if (by == fetching_atomics) (void)shmem_long_atomic_swap(mine, 1, home);
    if (by == plain_words) shmem_long_p(mine, 1, home);
    if (by != fetching_atomics) shmem_quiet();
    seen[0][i] = by == plain_words ? shmem_long_g(other, home) : shmem_long_atomic_fetch(other, home);
  }
  shmem_barrier_all();
  if (me == 0 && pes > 1) {
    get_seen(1);
    for (int i = 0; i < batch; ++i) CHECK(seen[0][i] == 1 || theirs[0][i] == 1);
  }
  shmem_barrier_all();
}

/* Load buffering:
 *     PE 0: fetch x; set y = 1  ||  PE 1: fetch y; set x = 1
 * forbidden: both fetch 1. */
static void load_buffering(void) {
  begin();
  int const home = pes - 1;
  for (int i = 0; i < batch && me < 2; ++i) {
    seen[0][i] = shmem_long_atomic_fetch(me == 0 ? &x[i] : &y[i], home);
    shmem_long_atomic_set(me == 0 ? &y[i] : &x[i], 1, home);
  }
  shmem_barrier_all();
  if (me == 0 && pes > 1) {
    get_seen(1);
    for (int i = 0; i < batch; ++i) CHECK(seen[0][i] == 0 || theirs[0][i] == 0);
  }
  shmem_barrier_all();
}

/* Independent reads of independent writes:
 *     PE 0: set x at 0 || PE 1: set y at 1 || PE 2: fetch x, then y || PE 3: fetch y, then x
 * forbidden: PE 2 fetches 1 0 and PE 3 fetches 1 0, since each fetch is complete when it returns. */
static void independent_reads(void) {
  begin();
  for (int i = 0; i < batch && pes > 3 && me < 4; ++i) {
    if (me == 0) shmem_long_atomic_set(&x[i], 1, 0);
    if (me == 1) shmem_long_atomic_set(&y[i], 1, 1);
    if (me < 2) continue;
    seen[0][i] = shmem_long_atomic_fetch(me == 2 ? &x[i] : &y[i], me == 2 ? 0 : 1);
    seen[1][i] = shmem_long_atomic_fetch(me == 2 ? &y[i] : &x[i], me == 2 ? 1 : 0);
  }
  shmem_barrier_all();
  if (me == 2 && pes > 3) {
    get_seen(3);
    for (int i = 0; i < batch; ++i)
      CHECK(!(seen[0][i] == 1 && seen[1][i] == 0 && theirs[0][i] == 1 && theirs[1][i] == 0));
  }
  shmem_barrier_all();
}

/* Causality:
 *     PE 0: set x at 0 || PE 1: fetch x until 1; set y at 1 || PE 2: fetch y until 1; fetch x
 * forbidden: PE 2 fetches x = 0. */
static void causality(void) {
  begin();
  for (int i = 0; i < batch && pes > 2; ++i) {
    if (me == 0) shmem_long_atomic_set(&x[i], 1, 0);
    if (me == 1) {
      while (shmem_long_atomic_fetch(&x[i], 0) == 0) {
      }
      shmem_long_atomic_set(&y[i], 1, 1);
    }
    if (me == 2) {
      while (shmem_long_atomic_fetch(&y[i], 1) == 0) {
      }
      CHECK(shmem_long_atomic_fetch(&x[i], 0) == 1);
    }
  }
  shmem_barrier_all();
}

/* Coherence of one word, by atomics or by p and g:
 *     PE 0: write x = 1, 2, 3 …  ||  all others: read x again and again
 * forbidden: a value that is less than one seen before. */
static void coherence(int by_atomics) {
  begin();
  long last = 0;
  int const home = pes - 1;
  for (int i = 1; i <= batch && me == 0; ++i) {
    if (by_atomics)
      shmem_long_atomic_set(x, i, home);
    else
      shmem_long_p(x, i, home);
    // Nothing but a fence orders two of them.
    shmem_fence();
  }
  while (me != 0 && last < batch) {
    long const now = by_atomics || me % 2 == 0 ? shmem_long_atomic_fetch(x, home) : shmem_long_g(x, home);
    CHECK(now >= last);
    last = now;
  }
  shmem_barrier_all();
}

/* Atomicity: all PEs fetch_inc one word; forbidden: two fetch the same value, or one is missing. */
static void tickets(void) {
  begin();
  if (me == 0) ticket = 0;
  shmem_barrier_all();
  long last = -1;
  for (int i = 0; i < batch; ++i) {
    long const mine = shmem_long_atomic_fetch_inc(&ticket, 0);
    CHECK(mine > last && mine < (long)batch * pes);
    last = mine;
    // Each value has its word, spread over the PEs; nobody else may have been there.
    if (mine / pes < batch) CHECK(shmem_long_atomic_fetch_inc(&z[mine / pes], (int)(mine % pes)) == 0);
  }
  shmem_barrier_all();
  for (int i = 0; i < batch; ++i) CHECK(z[i] == 1);
  shmem_barrier_all();
}

/* A lock: set; g turns; p turns + 1; clear. Forbidden: a turn that is lost. */
static void under_a_lock(void) {
  enum { each = 4 };
  if (me == 0) turns = 0;
  shmem_barrier_all();
  for (int i = 0; i < each; ++i) {
    shmem_set_lock(&lock);
    long const now = shmem_long_g(&turns, 0);
    shmem_long_p(&turns, now + 1, 0);
    shmem_clear_lock(&lock);
  }
  shmem_barrier_all();
  if (me == 0) CHECK(turns == (long)each * pes);
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? atoi(argv[1]) : 100000;
  int const only_ordered = argc > 2 && strcmp(argv[2], "ordered") == 0;
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  for (int round = 0; round < rounds; round += batch) {
    for (int how = 0; how < ways; ++how) message_passing((enum way)how);
    message_at_a_third();
    whole_words();
    store_buffering(atomics);
    store_buffering(fetching_atomics);
    load_buffering();
    independent_reads();
    causality();
    coherence(1);
    tickets();
    under_a_lock();
    if (only_ordered) continue;
    store_buffering(plain_words);
    coherence(0);
  }
  shmem_finalize();
  return 0;
}
