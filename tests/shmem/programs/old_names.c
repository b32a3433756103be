// old_names: the deprecated names do what their successors do.
#include "check.h"

static int me, pes, next_pe, before;

#define EXTENDED(N, T, ...)                                             \
  {                                                                     \
    static T word;                                                      \
    word = (T)me;                                                       \
    shmem_barrier_all();                                                \
    CHECK(shmem_##N##_fetch(&word, next_pe) == (T)next_pe);             \
    CHECK(shmem_##N##_swap(&word, (T)(me + 9), next_pe) == (T)next_pe); \
    shmem_barrier_all();                                                \
    CHECK(word == (T)(before + 9));                                     \
    shmem_barrier_all();                                                \
    shmem_##N##_set(&word, (T)(me + 20), next_pe);                      \
    shmem_barrier_all();                                                \
    CHECK(word == (T)(before + 20));                                    \
    shmem_barrier_all();                                                \
  }
#define STANDARD(N, T, ...)                                                 \
  {                                                                         \
    static T word;                                                          \
    word = (T)me;                                                           \
    shmem_barrier_all();                                                    \
    CHECK(shmem_##N##_cswap(&word, (T)next_pe, 50, next_pe) == (T)next_pe); \
    CHECK(shmem_##N##_finc(&word, next_pe) == 50);                          \
    shmem_##N##_inc(&word, next_pe);                                        \
    CHECK(shmem_##N##_fadd(&word, 10, next_pe) == 52);                      \
    shmem_##N##_add(&word, 100, next_pe);                                   \
    shmem_barrier_all();                                                    \
    CHECK(word == 162);                                                     \
    shmem_barrier_all();                                                    \
  }
#define WAITS(N, T, ...)                             \
  {                                                  \
    static T word;                                   \
    word = 4;                                        \
    shmem_barrier_all();                             \
    shmem_##N##_p(&word, 5, next_pe);                \
    shmem_##N##_wait(&word, 4);                      \
    CHECK(word == 5);                                \
    shmem_##N##_wait_until(&word, _SHMEM_CMP_GE, 5); \
    shmem_barrier_all();                             \
  }

static void memory(void) {
  char* const one = (char*)shmalloc(100);
  char* const aligned = (char*)shmemalign(256, 100);
  CHECK(one != NULL && aligned != NULL && (uintptr_t)aligned % 256 == 0);
  memset(one, 3, 100);
  char* const longer = (char*)shrealloc(one, 100000);
  CHECK(longer != NULL && longer[99] == 3);
  shfree(longer);
  shfree(aligned);
}

int main(void) {
  start_pes(0);
  start_pes(0);
  me = _my_pe();
  pes = _num_pes();
  CHECK(me == shmem_my_pe() && pes == shmem_n_pes());
  next_pe = (me + 1) % pes;
  before = (me + pes - 1) % pes;
  EVERY_OLD_AMO_EXTENDED(EXTENDED)
  EVERY_OLD_AMO(STANDARD)
  EVERY_OLD_WAIT(WAITS)
  static long word;
  word = 1;
  shmem_barrier_all();
  shmem_long_p(&word, 2, next_pe);
  shmem_wait(&word, 1);
  shmem_wait_until(&word, SHMEM_CMP_EQ, 2);
  memory();
  shmem_clear_cache_inv();
  shmem_set_cache_inv();
  shmem_clear_cache_line_inv(&word);
  shmem_set_cache_line_inv(&word);
  shmem_udcflush();
  shmem_udcflush_line(&word);
  shmem_pcontrol(0);
  shmem_pcontrol(1, 2, 3);
  CHECK(_SHMEM_MAJOR_VERSION == 1 && _SHMEM_MAX_NAME_LEN >= 64 && sizeof _SHMEM_VENDOR_STRING > 1);
  /* No shmem_finalize: start_pes ends by itself. */
  return 0;
}
