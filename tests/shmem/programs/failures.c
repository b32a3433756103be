// failures: PEs that meet, wait, put and lock without end, until one of them ends as the arguments say.
//
//   failures HOW PE AFTER ACTIVITY: HOW is a signal's number, `exit`, `global_exit`, `never`, `finish`, `forget`, which
//   leaves out shmem_finalize, `leave`, which lets that PE alone end so, `code`, which ends that PE with 3 after it, or
//   `old_exit` and `old_exit_of_all`, which exit in a program of start_pes; AFTER counts rounds.
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long word, lock, values[1000], sums[1000];
static uint64_t flag;

static void do_round(char const* activity, long round, int me, int pes) {
  int const next_pe = (me + 1) % pes;
  if (strcmp(activity, "barrier") == 0) shmem_barrier_all();
  if (strcmp(activity, "reduce") == 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, values, 1000);
  if (strcmp(activity, "lock") == 0) {
    shmem_set_lock(&lock);
    shmem_long_atomic_inc(&word, 0);
    shmem_clear_lock(&lock);
  }
  if (strcmp(activity, "wait") == 0) {
    shmem_long_put_signal(values, sums, 1000, &flag, 1, SHMEM_SIGNAL_ADD, next_pe);
    shmem_signal_wait_until(&flag, SHMEM_CMP_GE, (uint64_t)round);
  }
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  char const* const how = argv[1];
  int const victim = atoi(argv[2]);
  long const after = atol(argv[3]);
  if (strncmp(how, "old", 3) == 0)
    start_pes(0);
  else
    shmem_init();
  int const me = shmem_my_pe(), pes = shmem_n_pes();
  if (me == 0) {
    printf("running\n");
    fflush(stdout);
  }
  for (long round = 1;; ++round) {
    if (strcmp(how, "old_exit_of_all") == 0 && round == after) {
      printf("PE %d fails\n", me);
      exit(3);
    }
    if (me == victim && round == after) {
      if (strcmp(how, "exit") == 0 || strcmp(how, "old_exit") == 0) exit(3);
      if (strcmp(how, "leave") == 0) return 0;
      if (strcmp(how, "global_exit") == 0) shmem_global_exit(5);
      if (atoi(how) != 0) {
        raise(atoi(how));
        pause();
      }
    }
    int const finishes = strcmp(how, "finish") == 0 || strcmp(how, "code") == 0 || strcmp(how, "forget") == 0;
    if (finishes && round == after) break;
    do_round(argv[4], round, me, pes);
  }
  if (strcmp(how, "forget") == 0) return 0;
  shmem_finalize();
  if (me == 0) printf("finished\n");
  return strcmp(how, "code") == 0 && me == victim ? 3 : 0;
}
