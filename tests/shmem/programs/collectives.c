// collectives: broadcast, collect, fcollect and both alltoalls of every type on the world, strided teams and half of it.
#include "check.h"

enum { items = 5, most = 7 * 7 * items * 3 };

static int me, pes;

/* What PE number i of the team gives as its item number k. */
static int given(int member, int k) {
  return (member * 11 + k) % 100;
}

#define CLEAR(dest) \
  for (int i = 0; i < most; ++i) (dest)[i] = (T)101

/* `n` members, this one is number `m`. Nobody may still read what is cleared next: hence the sync. */
#define TEST(N, kind, CALL)                                                                           \
  static void test_##CALL##_##N(shmem_team_t team, kind* dest, kind* source) {                        \
    typedef kind T;                                                                                   \
    const int n = shmem_team_n_pes(team), m = shmem_team_my_pe(team);                                 \
    for (int root = 0; root < n; root += n > 1 ? n - 1 : 1) {                                         \
      CLEAR(dest);                                                                                    \
      for (int i = 0; i < most; ++i) source[i] = (T)given(m, i);                                      \
      shmem_team_sync(team);                                                                          \
      CHECK(CALL(N, broadcast, team, dest, source, items, root) == 0);                                \
      for (int i = 0; i < items; ++i) CHECK(dest[i] == (T)given(root, i));                            \
      CHECK(dest[items] == (T)101);                                                                   \
      shmem_team_sync(team);                                                                          \
    }                                                                                                 \
    CHECK(CALL(N, broadcast, team, dest, source, 0, 0) == 0);                                         \
    CLEAR(dest);                                                                                      \
    shmem_team_sync(team);                                                                            \
    CHECK(CALL(N, fcollect, team, dest, source, items) == 0);                                         \
    for (int i = 0; i < n * items; ++i) CHECK(dest[i] == (T)given(i / items, i % items));             \
    CHECK(dest[n * items] == (T)101);                                                                 \
    shmem_team_sync(team);                                                                            \
    CLEAR(dest);                                                                                      \
    shmem_team_sync(team);                                                                            \
    /* PE 0 gives none, PE 1 one item, and so on. */                                                  \
    CHECK(CALL(N, collect, team, dest, source, (size_t)m) == 0);                                      \
    for (int member = 0, at = 0; member < n; ++member)                                                \
      for (int i = 0; i < member; ++i, ++at) CHECK(dest[at] == (T)given(member, i));                  \
    CHECK(dest[n * (n - 1) / 2] == (T)101);                                                           \
    shmem_team_sync(team);                                                                            \
    CLEAR(dest);                                                                                      \
    shmem_team_sync(team);                                                                            \
    CHECK(CALL(N, alltoall, team, dest, source, items) == 0);                                         \
    for (int i = 0; i < n * items; ++i) CHECK(dest[i] == (T)given(i / items, m * items + i % items)); \
    CHECK(dest[n * items] == (T)101);                                                                 \
    shmem_team_sync(team);                                                                            \
    CLEAR(dest);                                                                                      \
    shmem_team_sync(team);                                                                            \
    CHECK(CALL(N, alltoalls, team, dest, source, 3, 2, items) == 0);                                  \
    for (int i = 0; i < n * items * 3; ++i) {                                                         \
      const int k = i / 3;                                                                            \
      CHECK(dest[i] == (T)(i % 3 != 0 ? 101 : given(k / items, (m * items + k % items) * 2)));        \
    }                                                                                                 \
    shmem_team_sync(team);                                                                            \
  }
#define RUN(N, T, CALL)                                                                         \
  {                                                                                             \
    static T in_statics[most];                                                                  \
    for (int t = 0; t < 3; ++t)                                                                 \
      if (teams[t] != SHMEM_TEAM_INVALID) test_##CALL##_##N(teams[t], (T*)in_heap, in_statics); \
  }

#ifdef GENERIC_NAMES
EVERY_RMA(TEST, GENERIC)
static void run(shmem_team_t const* teams, void* in_heap){EVERY_RMA(RUN, GENERIC)}
#else
EVERY_RMA(TEST, TYPED)

static void of_bytes(shmem_team_t team, unsigned char* dest, unsigned char* source) {
  int const n = shmem_team_n_pes(team), m = shmem_team_my_pe(team);
  for (int i = 0; i < 300; ++i) source[i] = (unsigned char)given(m, i);
  shmem_team_sync(team);
  CHECK(shmem_broadcastmem(team, dest, source, 7, n - 1) == 0);
  for (int i = 0; i < 7; ++i) CHECK(dest[i] == given(n - 1, i));
  shmem_team_sync(team);
  CHECK(shmem_fcollectmem(team, dest, source, 7) == 0);
  for (int i = 0; i < 7 * n; ++i) CHECK(dest[i] == given(i / 7, i % 7));
  shmem_team_sync(team);
  CHECK(shmem_collectmem(team, dest, source, (size_t)(m % 2 * 3)) == 0);
  for (int i = 0; i < n / 2 * 3; ++i) CHECK(dest[i] == given(i / 3 * 2 + 1, i % 3));
  shmem_team_sync(team);
  CHECK(shmem_alltoallmem(team, dest, source, 7) == 0);
  for (int i = 0; i < 7 * n; ++i) CHECK(dest[i] == given(i / 7, m * 7 + i % 7));
  shmem_team_sync(team);
  memset(dest, 101, 300);
  shmem_team_sync(team);
  CHECK(shmem_alltoallsmem(team, dest, source, 4, 1, 7) == 0);
  for (int i = 0; i < 28 * n; ++i) CHECK(dest[i] == (i % 4 != 0 ? 101 : given(i / 28, m * 7 + i / 4 % 7)));
  shmem_team_sync(team);
}

/* Long ones, again and again without a pause: the next one must not disturb the last one. */
static void repeated(void) {
  enum { length = 40000, rounds = 6 };
  int* const source = (int*)shmem_malloc(length * sizeof(int));
  int* const dest[2] = {(int*)shmem_malloc(7 * length * sizeof(int)), (int*)shmem_malloc(7 * length * sizeof(int))};
  for (int round = 0; round < rounds; ++round) {
    int* const to = dest[round % 2];
    for (int i = 0; i < length; ++i) source[i] = me * 1000000 + round * 100000 + i;
    shmem_int_fcollect(SHMEM_TEAM_WORLD, to, source, length);
    for (int i = 0; i < length * pes; i += 13) CHECK(to[i] == i / length * 1000000 + round * 100000 + i % length);
    shmem_int_broadcast(SHMEM_TEAM_WORLD, dest[(round + 1) % 2], to, length, round % pes);
    for (int i = 0; i < length; ++i) CHECK(dest[(round + 1) % 2][i] == round * 100000 + i);
    shmem_sync_all();
    shmem_int_alltoall(SHMEM_TEAM_WORLD, dest[(round + 1) % 2], to, length / 8);
    for (int i = 0; i < length / 8 * pes; ++i)
      CHECK(dest[(round + 1) % 2][i] == round * 100000 + me * (length / 8) + i % (length / 8));
    shmem_sync_all();
  }
  for (int round = 0; round < 3000; ++round) {
    static long value, all[7];
    value = me + round;
    shmem_long_fcollect(SHMEM_TEAM_WORLD, all, &value, 1);
    for (int i = 0; i < pes; ++i) CHECK(all[i] == i + round);
    shmem_barrier_all();
  }
  shmem_free(dest[1]);
  shmem_free(dest[0]);
  shmem_free(source);
}

static void run(shmem_team_t const* teams, void* in_heap) {
  static unsigned char in_statics[most];
  EVERY_RMA(RUN, TYPED)
  for (int t = 0; t < 3; ++t)
    if (teams[t] != SHMEM_TEAM_INVALID) of_bytes(teams[t], (unsigned char*)in_heap, in_statics);
  repeated();
}
#endif

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  void* const in_heap = shmem_malloc(most * sizeof(long double));
  shmem_team_t teams[3] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID};
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, NULL, 0, &teams[1]);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, (pes + 1) / 2, NULL, 0, &teams[2]);
  run(teams, in_heap);
  shmem_finalize();
  return 0;
}
