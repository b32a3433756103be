// endless: computes for ever, or, with a word, sleeps for a year, or reads what never comes.
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "read") == 0) return getchar() == EOF ? 3 : 4;
  if (argc > 1) nanosleep(&(struct timespec){365L * 24 * 3600, 0}, 0);
  for (unsigned volatile k = 0;; ++k) continue;
}
