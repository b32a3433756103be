// teams: all strided and two-dimensional shapes, nested teams, translation, and numbers used again and again.
#include "check.h"

static int me, pes;

/* All members meet and agree that PE number i of the team is start + i * stride of the parent. */
static void check_members(shmem_team_t team, shmem_team_t parent, int start, int stride, int size) {
  static int seen[7], mine;
  int const index = shmem_team_my_pe(team);
  CHECK(shmem_team_n_pes(team) == size && index >= 0 && index < size);
  CHECK(shmem_team_my_pe(parent) == start + index * stride);
  mine = me;
  CHECK(shmem_int_fcollect(team, seen, &mine, 1) == 0);
  for (int i = 0; i < size; ++i) {
    int const in_parent = start + i * stride;
    CHECK(shmem_team_translate_pe(team, i, parent) == in_parent);
    CHECK(shmem_team_translate_pe(parent, in_parent, team) == i);
    CHECK(seen[i] == shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD));
    CHECK(shmem_team_ptr(team, &mine, i) == shmem_ptr(&mine, seen[i]));
  }
  CHECK(shmem_team_translate_pe(team, size, parent) == -1 && shmem_team_translate_pe(team, -1, parent) == -1);
  CHECK(shmem_team_ptr(team, &mine, size) == NULL);
  CHECK(shmem_team_sync(team) == 0);
}

static void strided(shmem_team_t parent) {
  int const all = shmem_team_n_pes(parent), index = shmem_team_my_pe(parent);
  for (int start = 0; start < all; ++start)
    for (int stride = -all; stride <= all; ++stride)
      for (int size = 1; size <= all; ++size) {
        int const last = start + (size - 1) * stride;
        shmem_team_t team = SHMEM_TEAM_WORLD;
        int const found = shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team);
        if (last < 0 || last >= all || (stride == 0 && size != 1)) {
          CHECK(found != 0 && team == SHMEM_TEAM_INVALID);
          continue;
        }
        CHECK(found == 0);
        int member = 0;
        for (int i = 0; i < size; ++i) member |= start + i * stride == index;
        CHECK((team != SHMEM_TEAM_INVALID) == member);
        if (member) check_members(team, parent, start, stride, size);
        shmem_team_destroy(team);
      }
}

static void two_dimensional(shmem_team_t parent) {
  int const all = shmem_team_n_pes(parent), index = shmem_team_my_pe(parent);
  for (int range = 1; range <= all + 2; ++range) {
    int const wide = range < all ? range : all, x = index % wide, y = index / wide;
    int const in_row = y == (all - 1) / wide ? all - y * wide : wide, in_column = (all - x + wide - 1) / wide;
    shmem_team_t row, column;
    CHECK(shmem_team_split_2d(parent, range, NULL, 0, &row, NULL, 0, &column) == 0);
    check_members(row, parent, y * wide, 1, in_row);
    /* Members of another row are in a column with this PE. */
    shmem_team_sync(parent);
    check_members(column, parent, x, wide, in_column);
    CHECK(shmem_team_translate_pe(row, shmem_team_my_pe(row), column) == shmem_team_my_pe(column));
    shmem_team_destroy(column);
    shmem_team_destroy(row);
  }
}

/* Halves of halves, each with its own collectives at the same time. */
static void nested(shmem_team_t parent, int depth) {
  int const all = shmem_team_n_pes(parent), index = shmem_team_my_pe(parent);
  static int mine[8], sum[8];
  mine[depth] = index;
  shmem_team_sync(parent);
  CHECK(shmem_int_sum_reduce(parent, &sum[depth], &mine[depth], 1) == 0 && sum[depth] == all * (all - 1) / 2);
  if (all == 1) return;
  shmem_team_t low = SHMEM_TEAM_INVALID, high = SHMEM_TEAM_INVALID;
  CHECK(shmem_team_split_strided(parent, 0, 1, all / 2, NULL, 0, &low) == 0);
  CHECK(shmem_team_split_strided(parent, all / 2, 1, all - all / 2, NULL, 0, &high) == 0);
  CHECK((low != SHMEM_TEAM_INVALID) != (high != SHMEM_TEAM_INVALID));
  nested(low != SHMEM_TEAM_INVALID ? low : high, depth + 1);
  shmem_team_sync(parent);
  shmem_team_destroy(low);
  shmem_team_destroy(high);
}

/* More teams in all than there are numbers, and by different PEs at the same time. */
static void again_and_again(void) {
  static int mine, sum;
  shmem_team_t half;
  int const low = me < (pes + 1) / 2;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, (pes + 1) / 2, NULL, 0, &half) == 0);
  shmem_team_t other = SHMEM_TEAM_INVALID;
  if (pes > 1) CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, (pes + 1) / 2, 1, pes / 2, NULL, 0, &other) == 0);
  shmem_team_t const own = low ? half : other;
  int const size = shmem_team_n_pes(own);
  for (int i = 0; i < 3000; ++i) {
    shmem_team_t team;
    CHECK(shmem_team_split_strided(own, size - 1, -1, size, NULL, 0, &team) == 0);
    if (i % 10 == 0) {
      mine = i;
      CHECK(shmem_int_sum_reduce(team, &sum, &mine, 1) == 0 && sum == size * i);
    }
    shmem_team_destroy(team);
  }
  shmem_team_t many[50];
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 50; ++i)
      CHECK(shmem_team_split_strided(own, 0, 1, size, NULL, 0, &many[i]) == 0 && many[i] != SHMEM_TEAM_INVALID);
    for (int i = 0; i < 50; ++i) shmem_team_destroy(many[(i * 7 + round) % 50]);
  }
  shmem_barrier_all();
}

static void configuration(void) {
  shmem_team_config_t given = {3}, found = {0};
  shmem_team_t team;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, &given, SHMEM_TEAM_NUM_CONTEXTS, &team) == 0);
  CHECK(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &found) == 0 && found.num_contexts == 3);
  shmem_ctx_t contexts[3];
  for (int i = 0; i < 3; ++i) CHECK(shmem_team_create_ctx(team, 0, &contexts[i]) == 0);
  for (int i = 0; i < 3; ++i) shmem_ctx_destroy(contexts[i]);
  shmem_team_destroy(team);
}

static void of_the_library(void) {
  CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == me && shmem_team_n_pes(SHMEM_TEAM_WORLD) == pes);
  /* All PEs of one host share memory. */
  int const all = pes == 1 || sees((me + 1) % pes);
  CHECK(shmem_team_my_pe(SHMEM_TEAM_SHARED) == (all ? me : 0) &&
        shmem_team_n_pes(SHMEM_TEAM_SHARED) == (all ? pes : 1));
  CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID) == -1);
  shmem_team_t made = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &made) != 0 && made == SHMEM_TEAM_INVALID);
  shmem_team_destroy(SHMEM_TEAM_INVALID);
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  of_the_library();
  strided(SHMEM_TEAM_WORLD);
  two_dimensional(SHMEM_TEAM_WORLD);
  if (pes > 2) {
    shmem_team_t backwards;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, NULL, 0, &backwards) == 0);
    strided(backwards);
    two_dimensional(backwards);
  }
  nested(SHMEM_TEAM_WORLD, 0);
  again_and_again();
  configuration();
  shmem_finalize();
  return 0;
}
