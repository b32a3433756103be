// corners: what test suites ask at the edges: no items, invalid teams and contexts, addresses that nobody has, many of all.
#include "check.h"

static int me, pes;
static long source[10], target[100], sync_words[SHMEM_SYNC_SIZE];
static int words[4];
static uint64_t flag;

static void no_items(void) {
  size_t indices[4];
  int const excluded[4] = {1, 1, 1, 1};
  int const next_pe = (me + 1) % pes;
  shmem_int_broadcast(SHMEM_TEAM_WORLD, NULL, NULL, 0, 0);
  shmem_long_fcollect(SHMEM_TEAM_WORLD, NULL, NULL, 0);
  shmem_int_collect(SHMEM_TEAM_WORLD, NULL, NULL, 0);
  shmem_int_alltoall(SHMEM_TEAM_WORLD, NULL, NULL, 0);
  shmem_int_alltoalls(SHMEM_TEAM_WORLD, NULL, NULL, 1, 1, 0);
  shmem_int_sum_reduce(SHMEM_TEAM_WORLD, NULL, NULL, 0);
  shmem_int_sum_to_all(NULL, NULL, 0, 0, 0, pes, NULL, sync_words);
  shmem_broadcast32(NULL, NULL, 0, 0, 0, 0, pes, sync_words);
  shmem_fcollect32(NULL, NULL, 0, 0, 0, pes, sync_words);
  shmem_collect64(NULL, NULL, 0, 0, 0, pes, sync_words);
  shmem_putmem(NULL, NULL, 0, next_pe);
  shmem_getmem_nbi(NULL, NULL, 0, next_pe);
  shmem_long_iput(target, source, 1, 1, 0, next_pe);
  shmem_long_put_signal(target, source, 0, &flag, 1, SHMEM_SIGNAL_ADD, next_pe);
  shmem_signal_wait_until(&flag, SHMEM_CMP_GE, 1);
  CHECK(shmem_malloc(0) == NULL && shmem_calloc(0, 8) == NULL && shmem_align(64, 0) == NULL);
  shmem_free(NULL);
  CHECK(shmem_int_wait_until_any(words, 0, NULL, SHMEM_CMP_EQ, 0) == SIZE_MAX);
  CHECK(shmem_int_wait_until_any(words, 4, excluded, SHMEM_CMP_EQ, 0) == SIZE_MAX);
  CHECK(shmem_int_test_any(words, 0, NULL, SHMEM_CMP_EQ, 0) == SIZE_MAX);
  CHECK(shmem_int_wait_until_some(words, 0, indices, NULL, SHMEM_CMP_EQ, 0) == 0);
  CHECK(shmem_int_wait_until_some(words, 4, indices, excluded, SHMEM_CMP_EQ, 9) == 0);
  CHECK(shmem_int_test_all(words, 4, excluded, SHMEM_CMP_EQ, 5) == 1);
  shmem_int_wait_until_all(words, 0, NULL, SHMEM_CMP_EQ, 9);
}

static void invalid_handles(void) {
  shmem_team_t team = SHMEM_TEAM_WORLD;
  shmem_team_config_t config;
  shmem_ctx_t context;
  CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pes, SHMEM_TEAM_WORLD) == -1);
  shmem_team_destroy(SHMEM_TEAM_INVALID);
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID);
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &context) != 0);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &team) != 0 && team == SHMEM_TEAM_INVALID);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes + 1, NULL, 0, &team) != 0 && team == SHMEM_TEAM_INVALID);
  CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, 0, NULL) != 0);
  CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, 0, NULL) == 0);
  CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, SHMEM_TEAM_NUM_CONTEXTS, &config) == 0);
}

static void addresses(void) {
  int local = 0;
  void* const private_memory = malloc(8);
  CHECK(!shmem_addr_accessible(&local, 0) && !shmem_addr_accessible(private_memory, 0));
  CHECK(!shmem_addr_accessible(NULL, 0) && shmem_ptr(NULL, 0) == NULL);
  CHECK(shmem_ptr(&local, 0) == NULL && shmem_ptr(words, pes) == NULL);
  CHECK(shmem_addr_accessible(words, 0) && !shmem_addr_accessible(words, pes));
  CHECK(shmem_pe_accessible(me) && !shmem_pe_accessible(-1) && !shmem_pe_accessible(pes));
  free(private_memory);
}

static void many_handles(void) {
  enum { many = 1000 };
  static shmem_ctx_t contexts[many];
  shmem_team_t team, column;
  for (int i = 0; i < many; ++i) CHECK(shmem_ctx_create(i % 4 == 0 ? 0 : SHMEM_CTX_PRIVATE, &contexts[i]) == 0);
  for (int i = 0; i < many; ++i) shmem_ctx_destroy(contexts[i]);
  for (int i = 0; i < 200; ++i) {
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team) == 0);
    shmem_team_destroy(team);
  }
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, pes + 5, NULL, 0, &team, NULL, 0, &column) == 0);
  shmem_team_destroy(team);
  shmem_team_destroy(column);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, NULL, 0, &team) == 0);
  CHECK(shmem_team_my_pe(team) == pes - 1 - me);
  shmem_team_destroy(team);
}

int main(void) {
  int provided = -1;
  CHECK(shmem_init_thread(SHMEM_THREAD_SINGLE, &provided) == 0 && provided >= SHMEM_THREAD_SINGLE);
  me = shmem_my_pe();
  pes = shmem_n_pes();
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) sync_words[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  no_items();
  invalid_handles();
  addresses();
  many_handles();
  shmem_finalize();
  return 0;
}
