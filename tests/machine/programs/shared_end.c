// shared_end: stores to a page of a file (MAP_SHARED), then loops, traps, or maps it a second time elsewhere.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int const file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ftruncate(file, 8192) != 0) return 3;
  char* const page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) return 4;
  memcpy(page, argv[1], 4);
  memcpy(page + 4, "ed", 2);
  if (argv[1][0] == 'l')
    for (int volatile k = 0; page[0] == 'l'; ++k) continue;
  if (argv[1][0] == 't') __builtin_trap();
  // One page more than is there.
  return mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED && errno == ENODEV ? 0 : 5;
}
