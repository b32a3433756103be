// signals: puts with a signal of every type and width, signals alone, and a pipeline whose stages see whole blocks.
#include "in_a_ring.h"

enum { items = 33 };

static uint64_t flag;

#define SIGNALLED(N, T, CALL, PUT, OPERATION, first, second)                              \
  for (int i = 0; i < items; ++i) there[i] = (T)0;                                        \
  flag = first;                                                                           \
  shmem_barrier_all();                                                                    \
  CALL(N, PUT, there, mine, items - 1, &flag, 5, OPERATION, next_pe);                     \
  CHECK(shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, second) == second);                  \
  for (int i = 0; i < items; ++i) CHECK(there[i] == (T)(i < items - 1 ? before + i : 0)); \
  CHECK(shmem_signal_fetch(&flag) == second);                                             \
  shmem_barrier_all()

#define TEST(N, T, CALL)                                               \
  static void test_##CALL##_##N(T* there) {                            \
    T mine[items];                                                     \
    for (int i = 0; i < items; ++i) mine[i] = (T)(me + i);             \
    SIGNALLED(N, T, CALL, put_signal, SHMEM_SIGNAL_SET, 100, 5);       \
    SIGNALLED(N, T, CALL, put_signal, SHMEM_SIGNAL_ADD, 100, 105);     \
    SIGNALLED(N, T, CALL, put_signal_nbi, SHMEM_SIGNAL_SET, 100, 5);   \
    SIGNALLED(N, T, CALL, put_signal_nbi, SHMEM_SIGNAL_ADD, 100, 105); \
  }
#define RUN(N, T, CALL) test_##CALL##_##N((T*)in_heap);

#ifdef GENERIC_NAMES
EVERY_RMA(TEST, GENERIC)
EVERY_RMA(TEST, GENERIC_CTX)
static void run(void* in_heap) {
  EVERY_RMA(RUN, GENERIC)
  EVERY_RMA(RUN, GENERIC_CTX)
  flag = 1;
  shmem_barrier_all();
  shmem_signal_add(ctx, &flag, 3, next_pe);
  shmem_signal_add(&flag, 4, next_pe);
  shmem_barrier_all();
  CHECK(flag == 8);
  shmem_barrier_all();
  shmem_signal_set(ctx, &flag, 9, next_pe);
  shmem_signal_set(&flag, 10, next_pe);
  shmem_barrier_all();
  CHECK(flag == 10);
}
#else
EVERY_RMA(TEST, TYPED)
EVERY_RMA(TEST, TYPED_CTX)

#define WIDTH(BITS, ...)                                                                                          \
  for (int way = 0; way < 4; ++way) {                                                                             \
    enum { size = BITS / 8, count = 6 };                                                                          \
    unsigned char mine[size * count], *const there = (unsigned char*)in_heap;                                     \
    for (int i = 0; i < size * count; ++i) mine[i] = (unsigned char)(me + i);                                     \
    memset(there, 0, size* count);                                                                                \
    flag = 0;                                                                                                     \
    shmem_barrier_all();                                                                                          \
    if (way == 0) shmem_put##BITS##_signal(there, mine, count, &flag, 1, SHMEM_SIGNAL_SET, next_pe);              \
    if (way == 1) shmem_put##BITS##_signal_nbi(there, mine, count, &flag, 1, SHMEM_SIGNAL_ADD, next_pe);          \
    if (way == 2) shmem_ctx_put##BITS##_signal(ctx, there, mine, count, &flag, 1, SHMEM_SIGNAL_SET, next_pe);     \
    if (way == 3) shmem_ctx_put##BITS##_signal_nbi(ctx, there, mine, count, &flag, 1, SHMEM_SIGNAL_ADD, next_pe); \
    CHECK(shmem_signal_wait_until(&flag, SHMEM_CMP_GT, 0) == 1);                                                  \
    for (int i = 0; i < size * count; ++i) CHECK(there[i] == (unsigned char)(before + i));                        \
    shmem_barrier_all();                                                                                          \
  }

static void of_bytes(unsigned char* there) {
  unsigned char mine[777];
  for (int i = 0; i < 777; ++i) mine[i] = (unsigned char)(me + i);
  for (int way = 0; way < 4; ++way) {
    memset(there, 0, 777);
    flag = 7;
    shmem_barrier_all();
    if (way == 0) shmem_putmem_signal(there, mine, 777, &flag, 2, SHMEM_SIGNAL_ADD, next_pe);
    if (way == 1) shmem_putmem_signal_nbi(there, mine, 777, &flag, 9, SHMEM_SIGNAL_SET, next_pe);
    if (way == 2) shmem_ctx_putmem_signal(ctx, there, mine, 777, &flag, 2, SHMEM_SIGNAL_ADD, next_pe);
    if (way == 3) shmem_ctx_putmem_signal_nbi(ctx, there, mine, 777, &flag, 9, SHMEM_SIGNAL_SET, next_pe);
    CHECK(shmem_signal_wait_until(&flag, SHMEM_CMP_NE, 7) == 9);
    for (int i = 0; i < 777; ++i) CHECK(there[i] == (unsigned char)(before + i));
    shmem_barrier_all();
  }
}

/* All PEs add to one signal: none is lost. */
static void many_to_one(void) {
  flag = 0;
  shmem_barrier_all();
  for (int i = 0; i < 500; ++i) {
    if (i % 2 == 0)
      shmem_signal_add(&flag, 1, 0);
    else
      shmem_ctx_signal_add(ctx, &flag, 1, 0);
  }
  if (me == 0) shmem_signal_wait_until(&flag, SHMEM_CMP_GE, (uint64_t)pes * 500);
  shmem_barrier_all();
  if (me == 0) CHECK(flag == (uint64_t)pes * 500);
  shmem_barrier_all();
  shmem_ctx_signal_set(ctx, &flag, 11, next_pe);
  shmem_barrier_all();
  CHECK(flag == 11);
  shmem_barrier_all();
  shmem_signal_set(&flag, 12, next_pe);
  shmem_barrier_all();
  CHECK(flag == 12);
  shmem_barrier_all();
}

/* Blocks go once around the ring, each stage adds 1. */
static void pipeline(void) {
  enum { blocks = 50, length = 1000 };
  static long block[length];
  static uint64_t arrived;
  shmem_barrier_all();
  for (int b = 1; b <= blocks; ++b) {
    long out[length];
    if (me == 0) {
      for (int i = 0; i < length; ++i) out[i] = b * 1000 + i;
    } else {
      shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, (uint64_t)b);
      for (int i = 0; i < length; ++i) out[i] = block[i] + 1;
    }
    shmem_long_put_signal(block, out, length, &arrived, (uint64_t)b, SHMEM_SIGNAL_SET, next_pe);
    if (me == 0) {
      shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, (uint64_t)b);
      for (int i = 0; i < length; ++i) CHECK(block[i] == b * 1000 + i + pes - 1);
    }
  }
  shmem_barrier_all();
}

static void run(void* in_heap) {
  EVERY_RMA(RUN, TYPED)
  EVERY_RMA(RUN, TYPED_CTX)
  WIDTH(8) WIDTH(16) WIDTH(32) WIDTH(64) WIDTH(128) of_bytes((unsigned char*)in_heap);
  many_to_one();
  pipeline();
}
#endif
