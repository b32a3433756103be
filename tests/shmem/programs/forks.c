// forks: a child that a PE forks ends by exit, well or not, and the PE goes on.
//
//   forks [old]: with it the program is one of start_pes.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static long sum, old[10];

int main(int argc, char** argv) {
  int const is_old = argc > 1 && strcmp(argv[1], "old") == 0;
  if (is_old)
    start_pes(0);
  else
    shmem_init();
  int const pes = shmem_n_pes();
  for (int code = 0; code < 2; ++code) {
    /* These may still be to be done when the child is made. */
    for (int i = 0; i < 10; ++i) shmem_long_atomic_fetch_add_nbi(&old[i], &sum, 1, 0);
    pid_t const child = fork();
    if (child == 0) exit(code);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == code);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) CHECK(sum == 10 * pes * (code + 1));
    shmem_barrier_all();
  }
  if (!is_old) shmem_finalize();
  return 0;
}
