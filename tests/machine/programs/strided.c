// strided: loads words that are equally far apart, or in an order that nobody can know, and prints their sum.
// Usage: strided STEP COUNT: every STEP bytes; STEP 0: each word says where the next one is.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { words = 1 << 19, mixer = 0x9e3779b1 };

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  uint64_t const step = strtoull(argv[1], 0, 10) / 8;
  uint64_t const count = strtoull(argv[2], 0, 10);
  // 4 MiB of the tile's DDR; untouched pages are zero, so only what is loaded is written before.
  uint64_t* const all = malloc(words * sizeof *all);
  if (all == 0 || count * step >= words) return 1;
  uint64_t at = 1;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t const next = step != 0 ? at + step : (at * mixer + i) % words | 1;
    all[at] = next;
    at = next;
  }
  uint64_t sum = 0;
  at = 1;
  for (uint64_t i = 0; i < count; ++i) {
    sum += all[at];
    at = step != 0 ? at + step : all[at];
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
