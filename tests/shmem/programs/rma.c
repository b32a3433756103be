// rma: puts and gets of every type and width, with strides, in blocks, non-blocking, of single items, and large ones.
//
//   Each PE writes to the next one and reads from it; the memory around what is written must stay as it was.
#include "in_a_ring.h"

enum { items = 40, untouched = 99 };

static int value_of(int pe, int i) {
  return (pe * 5 + i) % 50;
}

#define FILL(array, value) \
  for (int i = 0; i < items; ++i) (array)[i] = (value)
#define EXPECT(array, value) \
  for (int i = 0; i < items; ++i) CHECK((array)[i] == (value))

#define COMPLETE()        \
  do {                    \
    shmem_quiet();        \
    shmem_ctx_quiet(ctx); \
  } while (0)

/* A put that the target sees after the barrier, and a get of the same. */
#define PUT_AND_GET(N, T, CALL, PUT, GET)                                \
  for (int s = 0; s < 4; ++s) {                                          \
    const size_t n = (const size_t[]){0, 1, 17, items}[s];               \
    FILL(there, (T)untouched);                                           \
    FILL(got, (T)untouched);                                             \
    shmem_barrier_all();                                                 \
    CALL(N, PUT, there, mine, n, next_pe);                               \
    COMPLETE();                                                          \
    shmem_barrier_all();                                                 \
    EXPECT(there, (T)((size_t)i < n ? value_of(before, i) : untouched)); \
    CALL(N, GET, got, there, n, next_pe);                                \
    COMPLETE();                                                          \
    EXPECT(got, (T)((size_t)i < n ? value_of(me, i) : untouched));       \
    shmem_barrier_all();                                                 \
  }

/* Every second item of dest is every third one of source, and the way back; then blocks of 3 items, 5 and 4 apart. */
#define STRIDED(N, T, CALL)                                                           \
  FILL(there, (T)untouched);                                                          \
  FILL(got, (T)untouched);                                                            \
  shmem_barrier_all();                                                                \
  CALL(N, iput, there, mine, 2, 3, 13, next_pe);                                      \
  shmem_barrier_all();                                                                \
  EXPECT(there, (T)(i % 2 == 0 && i < 26 ? value_of(before, i / 2 * 3) : untouched)); \
  CALL(N, iget, got, there, 3, 2, 13, next_pe);                                       \
  EXPECT(got, (T)(i % 3 == 0 && i < 39 ? value_of(me, i) : untouched));               \
  shmem_barrier_all();                                                                \
  FILL(there, (T)untouched);                                                          \
  FILL(got, (T)untouched);                                                            \
  shmem_barrier_all();                                                                \
  CALL(N, ibput, there, mine, 5, 4, 3, 8, next_pe);                                   \
  shmem_barrier_all();                                                                \
  EXPECT(there, (T)(i % 5 < 3 ? value_of(before, i / 5 * 4 + i % 5) : untouched));    \
  CALL(N, ibget, got, there, 4, 5, 3, 8, next_pe);                                    \
  EXPECT(got, (T)(i % 4 < 3 && i < 32 ? value_of(me, i) : untouched));                \
  CALL(N, iput, there, mine, 1, 1, 0, next_pe);                                       \
  CALL(N, ibget, got, there, 4, 4, 3, 0, next_pe);                                    \
  shmem_barrier_all()

#define SINGLE(N, T, CALL)                                                               \
  FILL(there, (T)untouched);                                                             \
  shmem_barrier_all();                                                                   \
  for (int i = 1; i < items; i += 2) CALL(N, p, there + i, (T)value_of(me, i), next_pe); \
  shmem_barrier_all();                                                                   \
  EXPECT(there, (T)(i % 2 == 1 ? value_of(before, i) : untouched));                      \
  for (int i = 1; i < items; i += 2) {                                                   \
    const T found = CALL(N, g, there + i, next_pe);                                      \
    CHECK(found == (T)value_of(me, i));                                                  \
  }                                                                                      \
  shmem_barrier_all()

#define TEST(N, T, CALL)                      \
  static void test_##CALL##_##N(T* there) {   \
    T mine[items], got[items];                \
    FILL(mine, (T)value_of(me, i));           \
    PUT_AND_GET(N, T, CALL, put, get)         \
    PUT_AND_GET(N, T, CALL, put_nbi, get_nbi) \
    STRIDED(N, T, CALL);                      \
    SINGLE(N, T, CALL);                       \
  }
#define RUN(N, T, CALL)             \
  {                                 \
    static T in_statics[items];     \
    test_##CALL##_##N((T*)in_heap); \
    test_##CALL##_##N(in_statics);  \
  }

#ifdef GENERIC_NAMES
EVERY_RMA(TEST, GENERIC)
EVERY_RMA(TEST, GENERIC_CTX)
static void run(void* in_heap){EVERY_RMA(RUN, GENERIC) EVERY_RMA(RUN, GENERIC_CTX)}
#else
EVERY_RMA(TEST, TYPED)
EVERY_RMA(TEST, TYPED_CTX)

/* Items that are told by their width in bits: as bytes. */
static void fill_bytes(unsigned char* bytes, int from, int count) {
  for (int i = 0; i < count; ++i) bytes[i] = (unsigned char)(from + i);
}
#define WIDTH(BITS, CALL)                                                                                            \
  {                                                                                                                  \
    enum { size = BITS / 8, count = 15 };                                                                            \
    unsigned char mine[size * count], got[size * count], *const there = (unsigned char*)in_heap;                     \
    fill_bytes(mine, me, size* count);                                                                               \
    fill_bytes(got, 77, size* count);                                                                                \
    fill_bytes(there, 66, size* count);                                                                              \
    shmem_barrier_all();                                                                                             \
    CALL(put, BITS, , there, mine, count, next_pe);                                                                  \
    shmem_barrier_all();                                                                                             \
    for (int i = 0; i < size * count; ++i) CHECK(there[i] == (unsigned char)(before + i));                           \
    CALL(get, BITS, , got, there, count, next_pe);                                                                   \
    CHECK(memcmp(got, mine, sizeof got) == 0);                                                                       \
    shmem_barrier_all();                                                                                             \
    fill_bytes(there, 66, size* count);                                                                              \
    fill_bytes(got, 66, size* count);                                                                                \
    shmem_barrier_all();                                                                                             \
    CALL(put, BITS, _nbi, there, mine, count - 1, next_pe);                                                          \
    COMPLETE();                                                                                                      \
    shmem_barrier_all();                                                                                             \
    for (int i = 0; i < size * count; ++i)                                                                           \
      CHECK(there[i] == (unsigned char)((i < size * (count - 1) ? before : 66) + i));                                \
    CALL(get, BITS, _nbi, got, there, count, next_pe);                                                               \
    COMPLETE();                                                                                                      \
    for (int i = 0; i < size * count; ++i) CHECK(got[i] == (unsigned char)((i < size * (count - 1) ? me : 66) + i)); \
    shmem_barrier_all();                                                                                             \
    CALL(iput, BITS, , there, mine, 2, 3, 5, next_pe);                                                               \
    shmem_barrier_all();                                                                                             \
    for (int i = 0; i < 5 * size; ++i)                                                                               \
      CHECK(there[i / size * 2 * size + i % size] == (unsigned char)(before + i / size * 3 * size + i % size));      \
    CALL(iget, BITS, , got, there, 1, 2, 5, next_pe);                                                                \
    for (int i = 0; i < 5 * size; ++i) CHECK(got[i] == (unsigned char)(me + i / size * 3 * size + i % size));        \
    shmem_barrier_all();                                                                                             \
    CALL(ibput, BITS, , there, mine, 4, 3, 2, 4, next_pe);                                                           \
    shmem_barrier_all();                                                                                             \
    for (int i = 0; i < 8 * size; ++i) {                                                                             \
      const int block = i / (2 * size), in_block = i % (2 * size);                                                   \
      CHECK(there[block * 4 * size + in_block] == (unsigned char)(before + block * 3 * size + in_block));            \
    }                                                                                                                \
    CALL(ibget, BITS, , got, there, 2, 4, 2, 4, next_pe);                                                            \
    for (int i = 0; i < 8 * size; ++i)                                                                               \
      CHECK(got[i] == (unsigned char)(me + i / (2 * size) * 3 * size + i % (2 * size)));                             \
    shmem_barrier_all();                                                                                             \
  }
#define WIDE(operation, BITS, end, ...) shmem_##operation##BITS##end(__VA_ARGS__)
#define WIDE_CTX(operation, BITS, end, ...) shmem_ctx_##operation##BITS##end(ctx, __VA_ARGS__)
#define EVERY_WIDTH(X, CALL) X(8, CALL) X(16, CALL) X(32, CALL) X(64, CALL) X(128, CALL)

static void of_bytes(unsigned char* there) {
  unsigned char mine[1000], got[1000];
  fill_bytes(mine, me, 1000);
  for (int way = 0; way < 4; ++way) {
    memset(there, 1, 1000);
    memset(got, 2, 1000);
    shmem_barrier_all();
    if (way == 0) shmem_putmem(there, mine, 999, next_pe);
    if (way == 1) shmem_putmem_nbi(there, mine, 999, next_pe);
    if (way == 2) shmem_ctx_putmem(ctx, there, mine, 999, next_pe);
    if (way == 3) shmem_ctx_putmem_nbi(ctx, there, mine, 999, next_pe);
    COMPLETE();
    shmem_barrier_all();
    for (int i = 0; i < 999; ++i) CHECK(there[i] == (unsigned char)(before + i));
    CHECK(there[999] == 1);
    if (way == 0) shmem_getmem(got, there, 999, next_pe);
    if (way == 1) shmem_getmem_nbi(got, there, 999, next_pe);
    if (way == 2) shmem_ctx_getmem(ctx, got, there, 999, next_pe);
    if (way == 3) shmem_ctx_getmem_nbi(ctx, got, there, 999, next_pe);
    COMPLETE();
    CHECK(memcmp(got, mine, 999) == 0 && got[999] == 2);
    shmem_barrier_all();
  }
}

/* Long ones, at odd addresses, and from symmetric memory to symmetric memory. */
static void large(void) {
  enum { longest = 3 << 20 };
  unsigned char *const from = (unsigned char*)shmem_malloc(longest + 64), *const to = (unsigned char*)shmem_malloc(
                                                                              longest + 64);
  static size_t const sizes[] = {63, 64, 65, 2047, 2048, 4097, 65536, 1000003, longest};
  for (size_t i = 0; i < longest + 64; ++i) from[i] = (unsigned char)(i * 7 + i / 251 + (size_t)me);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    size_t const n = sizes[s], shift = s * 7 % 64;
    memset(to, 0xee, longest + 64);
    shmem_barrier_all();
    shmem_putmem(to + shift, from, n, next_pe);
    shmem_barrier_all();
    for (size_t i = 0; i < n; ++i) CHECK(to[shift + i] == (unsigned char)(i * 7 + i / 251 + (size_t)before));
    CHECK(to[shift + n] == 0xee || shift + n == longest + 64);
    CHECK(shift == 0 || to[shift - 1] == 0xee);
    shmem_barrier_all();
    shmem_getmem(to + shift, from, n, next_pe);
    for (size_t i = 0; i < n; ++i) CHECK(to[shift + i] == (unsigned char)(i * 7 + i / 251 + (size_t)next_pe));
    shmem_barrier_all();
  }
  shmem_free(to);
  shmem_free(from);
}

static void run(void* in_heap) {
  EVERY_RMA(RUN, TYPED)
  EVERY_RMA(RUN, TYPED_CTX)
  EVERY_WIDTH(WIDTH, WIDE)
  EVERY_WIDTH(WIDTH, WIDE_CTX)
  of_bytes((unsigned char*)in_heap);
  large();
}
#endif
