// errors: one misuse for each argument; the test looks for the call, its line in this file and what is expected.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long word[4], psync[SHMEM_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static int narrow[8];
static uint64_t flag;

#define CASE(name) if (strcmp(which, name) == 0)

int main(int argc, char** argv) {
  char const* const which = argc > 1 ? argv[1] : "";
  long on_stack[4] = {0};
  CASE("before init") shmem_long_put(word, word, 1, 0);
  CASE("a word before init") shmem_long_p(word, 1, 0);
  CASE("my_pe before init") printf("%d\n", shmem_my_pe());
  CASE("barrier before init") shmem_barrier_all();
  CASE("malloc before init") shmem_malloc(8);
  CASE("finalize before init") shmem_finalize();
  int provided;
  CASE("thread level") shmem_init_thread(17, &provided);
  shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx;
  char* const heap = shmem_malloc(64);

  if (me == pes - 1) {
    CASE("PE too large") shmem_long_put(word, word, 1, pes);
    CASE("negative PE") shmem_long_get(word, word, 1, -1);
    CASE("PE of a word") shmem_long_p(word, 1, pes);
    CASE("PE of an atomic") shmem_long_atomic_inc(word, -3);
    CASE("PE of a quiet") shmem_pe_quiet(&pes, 1);
    CASE("negative PE of a quiet") shmem_pe_quiet((int[]){0, -1}, 2);
    CASE("stack") shmem_long_put(on_stack, word, 4, 0);
    CASE("stack of a word") shmem_long_p(on_stack, 4, 0);
    CASE("null") shmem_int_get(narrow, NULL, 4, 0);
    CASE("malloc") shmem_putmem(malloc(16), word, 8, 0);
    CASE("beyond the heap") shmem_putmem(heap, word, (size_t)1 << 62, 0);
    CASE("negative size") shmem_long_put(word, word, (size_t)-1, 0);
    CASE("misaligned atomic") shmem_long_atomic_inc((long*)((char*)word + 1), 0);
    CASE("misaligned signal") shmem_putmem_signal(word, word, 8, (uint64_t*)((char*)&flag + 4), 1, SHMEM_SIGNAL_SET, 0);
    CASE("signal operation") shmem_putmem_signal(word, word, 8, &flag, 1, 7, 0);
    CASE("stride") shmem_long_iput(word, word, 0, 1, 2, 0);
    CASE("comparison") shmem_long_wait_until(word, 9, 1);
    CASE("free of a wrong address") shmem_free(heap + 16);
    CASE("free of a static") shmem_free(word);
    CASE("realloc of a wrong address") shmem_realloc(heap + 32, 10);
    CASE("clear of a free lock") shmem_clear_lock(word);
    CASE("lock on the stack") shmem_set_lock(on_stack);
    CASE("invalid context") shmem_ctx_long_put(SHMEM_CTX_INVALID, word, word, 1, 0);
    CASE("used after its destruction") {
      shmem_ctx_create(0, &ctx);
      shmem_ctx_destroy(ctx);
      shmem_ctx_long_put(ctx, word, word, 1, 0); /* "used after its destruction" */
    }
    CASE("a word after its context's destruction") {
      shmem_ctx_create(0, &ctx);
      shmem_ctx_destroy(ctx);
      shmem_ctx_t other;
      shmem_ctx_create(0, &other);
      shmem_ctx_long_p(ctx, word, 1, 0); /* "a word after its context's destruction" */
    }
    CASE("quiet after its context's destruction") {
      shmem_ctx_create(0, &ctx);
      shmem_ctx_destroy(ctx);
      shmem_ctx_quiet(ctx); /* "quiet after its context's destruction" */
    }
    CASE("destroyed twice") {
      shmem_ctx_create(0, &ctx);
      shmem_ctx_destroy(ctx);
      shmem_ctx_destroy(ctx); /* "destroyed twice" */
    }
    CASE("destroyed context") shmem_ctx_destroy((shmem_ctx_t)on_stack);
    CASE("default context") shmem_ctx_destroy(SHMEM_CTX_DEFAULT);
    CASE("invalid team") shmem_team_sync(SHMEM_TEAM_INVALID);
    CASE("world destroyed") shmem_team_destroy(SHMEM_TEAM_WORLD);
    CASE("active set too large") shmem_barrier(0, 0, pes + 1, psync);
    CASE("active set without this PE") shmem_barrier(0, 0, pes - 1, psync);
    CASE("negative stride") shmem_barrier(0, -1, pes, psync);
    CASE("pSync on the stack") shmem_barrier(0, 0, pes, on_stack);
    CASE("negative count") shmem_long_sum_to_all(word, word, -5, 0, 0, pes, work, psync);
    CASE("root") shmem_long_broadcast(SHMEM_TEAM_WORLD, word, word, 1, pes);
    CASE("stack in a collective") shmem_long_fcollect(SHMEM_TEAM_WORLD, on_stack, word, 1);
  }
  CASE("PE of a team's context") {
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team);
    if (me == 0) shmem_team_create_ctx(team, 0, &ctx);
    if (me == 0) shmem_ctx_long_p(ctx, word, 1, 1); /* "PE of a team's context" line */
  }
  // Its memory may be another team's.
  CASE("team used after its destruction") {
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team);
    shmem_team_destroy(team);
    shmem_team_t other;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &other);
    shmem_team_sync(team); /* "team used after its destruction" */
  }
  CASE("reduction by a destroyed team") {
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team);
    shmem_team_destroy(team);
    shmem_long_sum_reduce(team, word, word, 1); /* "reduction by a destroyed team" */
  }
  CASE("context of a destroyed team") {
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team);
    shmem_team_destroy(team);
    shmem_team_create_ctx(team, 0, &ctx); /* "context of a destroyed team" */
  }
  CASE("team destroyed twice") {
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team);
    shmem_team_destroy(team);
    shmem_team_destroy(team); /* "team destroyed twice" */
  }
  CASE("heap exhausted") {
    int objects = 0;
    while (shmem_malloc(300000) != NULL) ++objects;
    if (me == 0) printf("%d objects\n", objects);
    shmem_finalize();
    return 0;
  }
  shmem_finalize();
  CASE("after finalize") shmem_long_put(word, word, 1, 0);
  CASE("a word after finalize") shmem_long_p(word, 1, 0);
  CASE("atomic after finalize") shmem_long_atomic_inc(word, 0);
  CASE("finalize twice") shmem_finalize();
  return 0;
}
