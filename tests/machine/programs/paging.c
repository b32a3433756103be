// paging: loads a word of each of some pages, one after another, as often as wanted; nothing else is accessed there.
// Usage: paging PAGES ROUNDS
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { page = 4096, line = 64 };

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  uint64_t const pages = strtoull(argv[1], 0, 10);
  uint64_t const rounds = strtoull(argv[2], 0, 10);
  // Aligned to what a table of the last level maps, so that the entries of 512 pages are in one table.
  uint64_t const unit = (uint64_t)512 * page;
  int const kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char* const reserved = mmap(0, pages * page + unit, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (reserved == MAP_FAILED) return 1;
  char* const all = (char*)(((uint64_t)reserved + unit - 1) / unit * unit);
  // Another line of each page, so that they are not all in one set of the L1.
  for (uint64_t i = 0; i < pages; ++i) *(uint64_t volatile*)(all + i * page + i * line % page) = i;
  uint64_t sum = 0;
  for (uint64_t round = 0; round < rounds; ++round)
    for (uint64_t i = 0; i < pages; ++i) sum += *(uint64_t volatile*)(all + i * page + i * line % page);
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
