// reserving: reserves much more than there is memory, uses parts of it, and accesses what it may not.
// Usage: reserving GIB
#define _GNU_SOURCE  // mremap
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { page = 4096 };

static sigjmp_buf back;
static void* fault_at;

static void handle(int number, siginfo_t* about, void* context) {
  (void)number;
  (void)context;
  fault_at = about->si_addr;
  siglongjmp(back, about->si_code);
}

// 0: it may be loaded from; otherwise SEGV_MAPERR (1) or SEGV_ACCERR (2), and -1 if the address that is told is wrong.
static int loads(char* at) {
  int const code = sigsetjmp(back, 1);
  if (code == 0) return (void)*(char volatile*)at, 0;
  return fault_at == at ? code : -1;
}
static int stores(char* at) {
  int const code = sigsetjmp(back, 1);
  if (code == 0) return *(char volatile*)at = 1, 0;
  return fault_at == at ? code : -1;
}

static int zeros(char const* at, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    if (at[i] != 0) return 0;
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  uint64_t const bytes = strtoull(argv[1], 0, 10) << 30;
  struct sigaction const action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, 0);
  int const kind = MAP_PRIVATE | MAP_ANONYMOUS;
  char* const all = mmap(0, bytes, PROT_NONE, kind, -1, 0);
  printf("reserved %d\n", all != MAP_FAILED);
  if (all == MAP_FAILED) return 0;
  printf("more than there is memory, to write %d, and never all of it %d\n",
         mmap(0, bytes, PROT_READ | PROT_WRITE, kind, -1, 0) != MAP_FAILED,
         mmap(0, bytes, PROT_READ | PROT_WRITE, kind | MAP_NORESERVE, -1, 0) != MAP_FAILED);
  printf("nothing may be done there: %d %d\n", loads(all + bytes / 2), stores(all + bytes - 1));
  // A chunk in each GiB.
  uint64_t const chunk = 16 * page;
  uint64_t sum = 0;
  for (uint64_t at = 0; at < bytes; at += (uint64_t)1 << 30) {
    if (mprotect(all + at, chunk, PROT_READ | PROT_WRITE) != 0) return 1;
    if (!zeros(all + at, chunk)) return 1;
    for (uint64_t i = 0; i < chunk; i += 512) all[at + i] = (char)(at >> 30);
  }
  for (uint64_t at = 0; at < bytes; at += (uint64_t)1 << 30)
    for (uint64_t i = 0; i < chunk; ++i) sum += (unsigned char)all[at + i];
  printf("sum %llu, beside the chunks %d %d\n", (unsigned long long)sum, loads(all + chunk), stores(all + bytes - 1));
  mprotect(all, chunk, PROT_READ);
  printf("read only: %d %d\n", loads(all + 512), stores(all + 512));
  mprotect(all, chunk, PROT_NONE);
  printf("hidden: %d %d\n", loads(all + 512), stores(all + 512));
  mprotect(all, chunk, PROT_READ | PROT_WRITE);
  all[512] = 7;
  printf("again: %d %d\n", all[512], all[1024]);
  madvise(all, chunk, MADV_DONTNEED);
  printf("forgotten: %d %d\n", zeros(all, chunk), stores(all));
  uint64_t const second = (uint64_t)1 << 30;
  munmap(all + second, page);
  printf("unmapped: %d %d, the page behind it %d\n", loads(all + second), stores(all + second),
         loads(all + second + page));
  char* const same = mmap(all + second, page, PROT_READ | PROT_WRITE, kind | MAP_FIXED, -1, 0);
  printf("mapped anew: %d %d\n", same == all + second, zeros(all + second, page));
  // Memory that was given back is given again: all together would be more than there is.
  uint64_t const much = (uint64_t)24 << 20;
  int kept = 1;
  for (int i = 0; i < 4; ++i) {
    char* const some = mmap(0, much, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (some == MAP_FAILED) return 1;
    for (uint64_t at = 0; at < much; at += page) {
      kept &= some[at] == 0;
      some[at] = 1;
    }
    munmap(some, much);
  }
  printf("used again, and zero: %d\n", kept);
  char* const before = mmap(0, 2 * page, PROT_READ | PROT_WRITE, kind, -1, 0);
  before[0] = 3;
  before[page] = 4;
  char* const moved = mremap(before, 2 * page, 64 * page, MREMAP_MAYMOVE);
  printf("grown: %d %d %d\n", moved[0], moved[page], zeros(moved + 2 * page, 62 * page));
  // A word in two pages, which are anywhere in memory.
  uint64_t volatile* const across = (uint64_t volatile*)(moved + page - 3);
  *across = 0x0102030405060708;
  printf("across: %d, %d %d\n", *across == 0x0102030405060708, moved[page - 1], moved[page]);
  // The first page was used just now, the second never.
  char* const fresh = mmap(0, 4 * page, PROT_READ | PROT_WRITE, kind, -1, 0);
  fresh[0] = 1;
  uint64_t const loaded = *(uint64_t volatile*)(fresh + page - 3);
  fresh[2 * page] = 1;
  *(uint64_t volatile*)(fresh + 3 * page - 3) = 0x0102030405060708;
  printf("into untouched pages: %d, %d %d\n", (int)loaded, fresh[3 * page - 1], fresh[3 * page]);
  return 0;
}
