// shared_file: pages that are bytes of a file (MAP_SHARED), seen by the calls on the file, and by other mappings.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { page = 4096 };

static void show(char const* what, long result) {
  printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static char* map(int file, int rights, long pages, long first) {
  return mmap(0, (size_t)pages * page, rights, MAP_SHARED, file, first * page);
}
static void* add_up(void* words) {
  uint32_t volatile* const all = words;
  while (all[0] == 0) continue;
  uint32_t sum = 0;
  for (int k = 1; k < 1000; ++k) sum += all[k];
  all[1000] = sum;
  return 0;
}
static int byte_at(int file, long at) {
  unsigned char byte = 0;
  return pread(file, &byte, 1, at) == 1 ? byte : -1;
}

int main(int argc, char** argv) {
  char const* const name = argv[argc - 1];
  int const file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  int const reader = open(name, O_RDONLY);
  char text[] = "written before";
  show("made", file < 0 || write(file, text, sizeof text) < 0 ? -1 : 0);
  show("longer", ftruncate(file, 4 * page));

  char* const first = map(file, PROT_READ | PROT_WRITE, 4, 0);
  printf("has: %s\n", first);
  strcpy(first + 8, "by a store");
  memset(first + page, 'b', page);
  show("read", pread(reader, text, sizeof text, 0));
  printf("read: %.14s %c %d\n", text, byte_at(reader, 2 * page - 1), byte_at(reader, 2 * page));
  show("write", pwrite(file, "WRITE", 5, page - 2));
  printf("has: %.6s\n", first + page - 2);
  struct iovec const parts[] = {{"PA", 2}, {"RTS", 3}};
  show("write parts", pwritev(file, parts, 2, page + 100));
  printf("has: %.7s\n", first + page + 99);
  char halves[2][3] = {"", ""};
  struct iovec const into[] = {{halves[0], 2}, {halves[1], 2}};
  show("read parts", preadv(reader, into, 2, page + 101));
  printf("read: %s %s\n", halves[0], halves[1]);
  show("before the begin", preadv(reader, into, 2, -1));
  lseek(file, 2 * page, SEEK_SET);
  show("write", write(file, "next", 4));
  printf("has: %s\n", first + 2 * page);

  // The same bytes again: there, and a part, and to read only.
  char* const second = map(file, PROT_READ | PROT_WRITE, 4, 0);
  char* const part = map(file, PROT_READ | PROT_WRITE, 1, 2);
  char const* const seen = map(reader, PROT_READ, 2, 1);
  second[3 * page] = 'x';
  part[0] = 'N';
  printf("all see it: %c %c %c %c\n", first[3 * page], second[2 * page], first[2 * page], seen[page]);
  show("end of the second", munmap(second, 4 * page));
  show("end of the part", munmap(part, page));
  first[2 * page + 1] = 'E';
  printf("still there: %s %c\n", first + 2 * page, seen[page + 1]);
  show("end of what was seen", munmap((void*)seen, 2 * page));

  // A thread works on it.
  pthread_t other;
  uint32_t* const words = (uint32_t*)(first + page);
  words[0] = 0;
  pthread_create(&other, 0, add_up, words);
  for (int k = 1; k < 1000; ++k) words[k] = (uint32_t)k;
  __atomic_store_n(words, 1, __ATOMIC_RELEASE);
  pthread_join(other, 0);
  uint32_t sum = 0;
  pread(reader, &sum, sizeof sum, page + 4000);
  printf("sum: %u\n", sum);

  // What is refused, and what is not lost.
  show("to store, by a reader", map(reader, PROT_READ | PROT_WRITE, 1, 0) == MAP_FAILED ? -1 : 0);
  char* const quiet = map(reader, PROT_READ, 1, 9);
  show("to store, later", mprotect(quiet, page, PROT_READ | PROT_WRITE));
  show("from the middle of a page", mmap(0, page, PROT_READ, MAP_SHARED, file, 100) == MAP_FAILED ? -1 : 0);
  show("of no file", mmap(0, page, PROT_READ, MAP_SHARED, 99, 0) == MAP_FAILED ? -1 : 0);
  show("of a pipe", ({
         int ends[2];
         pipe(ends);
         mmap(0, page, PROT_READ | PROT_WRITE, MAP_SHARED, ends[0], 0) == MAP_FAILED ? -1 : 0;
       }));
  // Lengths whose ends are before their begins.
  printf("too long: %d", mmap(0, (size_t)-2 * page, PROT_READ, MAP_SHARED, file, 2 * page) == MAP_FAILED);
  printf(" %d", mmap(0, (size_t)-page, PROT_READ | PROT_WRITE, MAP_SHARED, file, page) == MAP_FAILED);
  printf(" %d %c\n", munmap(first, (size_t)-page), first[0]);
  first[1] = '!';
  show("not needed", madvise(first, 4 * page, MADV_DONTNEED));
  printf("has: %s\n", first);
  show("no rights", mprotect(first, page, PROT_NONE));
  printf("read: %c\n", byte_at(reader, 1));
  show("rights", mprotect(first, page, PROT_READ | PROT_WRITE));

  // The file's length changes.
  show("shorter", ftruncate(file, page + 2));
  show("longer", ftruncate(file, 4 * page));
  printf("has: %c %d %d\n", first[0], first[page + 2], first[3 * page]);
  first[3 * page] = 'y';
  show("sync", msync(first, 4 * page, MS_SYNC));
  show("sync of half a page", msync(first + 100, page, MS_SYNC));

  show("end of one page", munmap(first + page, page));
  show("end of the last", munmap(first + 3 * page, page));
  char* const tail = map(file, PROT_READ | PROT_WRITE, 1, 3);
  char* const moved = mremap(tail, page, 3 * page, MREMAP_MAYMOVE);
  show("more than the file has", moved == MAP_FAILED ? -1 : ftruncate(file, 6 * page));
  pwrite(file, "end", 4, 5 * page);
  printf("has: %c %s\n", moved[0], moved + 2 * page);
  close(file);
  close(reader);
  strcpy(moved + page, "stored last, when all was closed");
  first[2] = '?';
  return 0;
}
