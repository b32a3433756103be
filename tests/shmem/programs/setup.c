// setup: queries, init and finalize that are nested and repeated, all thread levels, and what is symmetric.
#include "check.h"

static long kept = 5;
static long const constant = 7;
static _Thread_local long of_thread;

static void queries(int me, int pes) {
  int major = 0, minor = 0, level = -1;
  char name[SHMEM_MAX_NAME_LEN];
  shmem_info_get_version(&major, &minor);
  CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION && major == 1 && minor >= 5);
  shmem_info_get_name(name);
  CHECK(strcmp(name, SHMEM_VENDOR_STRING) == 0);
  shmem_query_thread(&level);
  CHECK(level >= SHMEM_THREAD_SINGLE && level <= SHMEM_THREAD_MULTIPLE);
  CHECK(me >= 0 && me < pes);
  char* const heap = (char*)shmem_malloc(10);
  long on_stack = 0;
  void* const private_memory = malloc(100);
  for (int pe = -1; pe <= pes; ++pe) {
    int const there = pe >= 0 && pe < pes;
    CHECK(shmem_pe_accessible(pe) == there);
    CHECK(shmem_addr_accessible(&kept, pe) == there && shmem_addr_accessible(heap + 9, pe) == there);
    CHECK(shmem_addr_accessible(&on_stack, pe) == 0 && shmem_addr_accessible(private_memory, pe) == 0);
    CHECK(shmem_addr_accessible(&of_thread, pe) == 0 && shmem_addr_accessible(&constant, pe) == 0);
    CHECK(shmem_addr_accessible(NULL, pe) == 0 && shmem_ptr(NULL, pe) == NULL);
    int const seen = there && sees(pe);
    CHECK((shmem_ptr(&kept, pe) != NULL) == seen && (shmem_ptr(heap, pe) != NULL) == seen);
    CHECK(shmem_ptr(&on_stack, pe) == NULL && shmem_ptr(private_memory, pe) == NULL);
  }
  CHECK(shmem_ptr(&kept, me) == &kept && shmem_ptr(heap, me) == heap);
  /* Loads and stores of another PE's memory. */
  long* const theirs = (long*)shmem_ptr(&kept, (me + 1) % pes);
  shmem_barrier_all();
  if (theirs != NULL)
    *theirs = 100 + me;
  else
    shmem_long_p(&kept, 100 + me, (me + 1) % pes);
  shmem_barrier_all();
  CHECK(kept == 100 + (me + pes - 1) % pes);
  shmem_barrier_all();
  kept = 5;
  free(private_memory);
  shmem_free(heap);
}

/* A program that does nothing but begin and end, many times; statics stay, the heap begins anew. */
static void repeated(void) {
  kept = 1;
  for (int round = 0; round < 20; ++round) {
    if (round % 3 == 0) {
      int provided = -1;
      CHECK(shmem_init_thread(round % 4, &provided) == 0 && provided >= round % 4);
    } else {
      shmem_init();
    }
    int const me = shmem_my_pe(), pes = shmem_n_pes();
    shmem_init();
    shmem_finalize();
    CHECK(kept == 1 + round);
    long* const heap = (long*)shmem_malloc(round % 2 ? 100 * sizeof(long) : (size_t)5000000);
    CHECK(heap[0] == 0 && heap[99] == 0);
    heap[99] = me;
    shmem_barrier_all();
    CHECK(shmem_long_g(&heap[99], (me + 1) % pes) == (me + 1) % pes);
    shmem_long_atomic_inc(&kept, (me + 1) % pes);
    shmem_team_t team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team) == 0);
    shmem_team_sync(team);
    shmem_finalize();
    int is = -1;
    shmem_query_initialized(&is);
    CHECK(is == 0);
  }
}

int main(void) {
  shmem_init();
  queries(shmem_my_pe(), shmem_n_pes());
  shmem_finalize();
  repeated();
  return 0;
}
