// contexts: options, contexts of teams, which count PEs as the team does, sessions, and many of them.
#include "check.h"

static int me, pes;
static long words[7];
static int targets[7];

static void options(void) {
  long const all[] = {0,
                      SHMEM_CTX_SERIALIZED,
                      SHMEM_CTX_PRIVATE,
                      SHMEM_CTX_NOSTORE,
                      SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE,
                      SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE};
  for (int i = 0; i < 6; ++i) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_team_t team = SHMEM_TEAM_INVALID;
    CHECK(shmem_ctx_create(all[i], &ctx) == 0 && ctx != SHMEM_CTX_INVALID && ctx != SHMEM_CTX_DEFAULT);
    CHECK(shmem_ctx_get_team(ctx, &team) == 0 && team == SHMEM_TEAM_WORLD);
    words[me] = -1;
    shmem_barrier_all();
    if (!(all[i] & SHMEM_CTX_NOSTORE)) {
      for (int pe = 0; pe < pes; ++pe) shmem_ctx_long_p(ctx, &words[me], 100 * i + me, pe);
      shmem_ctx_quiet(ctx);
      shmem_barrier_all();
      for (int pe = 0; pe < pes; ++pe) CHECK(words[pe] == 100 * i + pe);
    }
    for (int pe = 0; pe < pes; ++pe) targets[pe] = pe;
    shmem_ctx_fence(ctx);
    shmem_ctx_pe_quiet(ctx, targets, (size_t)pes);
    shmem_barrier_all();
    shmem_ctx_destroy(ctx);
  }
  /* An invalid context, as PEs outside of a team may have, has nothing to wait for. */
  shmem_ctx_fence(SHMEM_CTX_INVALID);
  shmem_ctx_quiet(SHMEM_CTX_INVALID);
  shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, targets, (size_t)pes);
  shmem_ctx_session_start(SHMEM_CTX_INVALID, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  shmem_ctx_session_stop(SHMEM_CTX_INVALID);
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  shmem_team_t team = SHMEM_TEAM_INVALID;
  CHECK(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team) == 0 && team == SHMEM_TEAM_WORLD);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID);
  shmem_ctx_t none = SHMEM_CTX_DEFAULT;
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &none) != 0 && none == SHMEM_CTX_INVALID);
}

/* In a team that is reversed, PE 0 of the context is the last one of the world. */
static void of_teams(void) {
  shmem_team_t reversed, found;
  shmem_ctx_t ctx;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, NULL, 0, &reversed) == 0);
  CHECK(shmem_team_create_ctx(reversed, SHMEM_CTX_PRIVATE, &ctx) == 0);
  CHECK(shmem_ctx_get_team(ctx, &found) == 0 && found == reversed);
  words[0] = me;
  shmem_barrier_all();
  static long out[3] = {1, 2, 3}, there[9], back[9];
  static uint64_t flag;
  for (int pe = 0; pe < pes; ++pe) {
    CHECK(shmem_ctx_long_g(ctx, &words[0], pe) == pes - 1 - pe);
    CHECK(shmem_ctx_long_atomic_fetch(ctx, &words[0], pe) == pes - 1 - pe);
    shmem_ctx_long_get(ctx, back, &words[0], 1, pe);
    CHECK(back[0] == pes - 1 - pe);
  }
  shmem_barrier_all();
  if (shmem_team_my_pe(reversed) == 0) {
    for (int pe = 0; pe < pes; ++pe) {
      shmem_ctx_long_put_signal(ctx, there, out, 3, &flag, (uint64_t)(pe + 1), SHMEM_SIGNAL_SET, pe);
      shmem_ctx_long_iput(ctx, there + 3, out, 2, 1, 3, pe);
      shmem_ctx_long_atomic_add(ctx, &words[0], 1000 * pe, pe);
    }
  }
  shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, (uint64_t)(pes - me));
  shmem_barrier_all();
  CHECK(there[0] == 1 && there[2] == 3 && there[3] == 1 && there[5] == 2 && there[7] == 3);
  CHECK(words[0] == me + 1000 * (pes - 1 - me));
  shmem_barrier_all();
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(reversed);
}

static void sessions(void) {
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
  shmem_ctx_session_config_t const many = {10000};
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &many, SHMEM_CTX_SESSION_TOTAL_OPS);
  words[me] = 0;
  shmem_barrier_all();
  for (int i = 0; i < 1000; ++i) shmem_ctx_long_atomic_inc(ctx, &words[(me + 1) % pes], (me + 1) % pes);
  shmem_ctx_session_stop(ctx);
  shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(words[me] == 1000);
  shmem_ctx_destroy(ctx);
}

static void many(void) {
  shmem_ctx_t contexts[200];
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 200; ++i) CHECK(shmem_ctx_create(0, &contexts[i]) == 0);
    for (int i = 0; i < 200; ++i) CHECK(shmem_ctx_long_g(contexts[i], &words[0], i % pes) >= 0);
    for (int i = 0; i < 200; ++i) shmem_ctx_destroy(contexts[i * 7 % 200]);
  }
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  options();
  of_teams();
  sessions();
  many();
  shmem_finalize();
  return 0;
}
