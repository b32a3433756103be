// words: inlined words and plain loads and stores of the same variables, which the compiler must not take for different.
#include "check.h"

static long word;
static int counts[4];
static double real;

struct pair {
  int first, second;
};
static struct pair pair;

int main(void) {
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes(), next_pe = (me + 1) % pes, before = (me + pes - 1) % pes;
  for (int i = 1; i <= 1000; ++i) {
    word = i;
    shmem_long_p(&word, word + 1, me);
    CHECK(word == i + 1);
    word = i + 2;
    CHECK(shmem_long_g(&word, me) == i + 2);
    CHECK(shmem_long_atomic_fetch_add(&word, 5, me) == i + 2 && word == i + 7);
    counts[i % 4] = i;
    shmem_int_atomic_inc(&counts[i % 4], me);
    counts[i % 4] += 2;
    CHECK(shmem_int_atomic_fetch(&counts[i % 4], me) == i + 3);
    real = i;
    shmem_double_p(&real, real * 2, me);
    CHECK(real == 2.0 * i);
    pair.first = i;
    shmem_int_p(&pair.first, -i, me);
    pair.second = pair.first;
    CHECK(shmem_int_g(&pair.second, me) == -i && pair.first == -i);
  }
  shmem_barrier_all();
  /* Others change them between two barriers, in a loop whose loads are not to be taken out of it. */
  for (int i = 0; i < 500; ++i) {
    word = -1;
    real = 0;
    shmem_barrier_all();
    shmem_long_p(&word, i * 10 + me, next_pe);
    shmem_double_atomic_set(&real, i + 0.5, next_pe);
    shmem_barrier_all();
    CHECK(word == i * 10 + before && real == i + 0.5);
    shmem_barrier_all();
  }
  /* The first and the last words of the heap's objects and of statics. */
  long* const heap = (long*)shmem_malloc(sizeof(long));
  *heap = me;
  shmem_barrier_all();
  CHECK(shmem_long_g(heap, next_pe) == next_pe);
  shmem_finalize();
  return 0;
}
