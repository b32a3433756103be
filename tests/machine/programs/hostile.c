// hostile: a program that tries to access resources of others; prints a letter for each attempt: r refused, - not.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static void attempt(char const* what, long result) {
  printf("%c %s\n", result < 0 ? 'r' : '-', what);
}
static long open_for(char const* path, int flags) {
  return open(path, flags, 0600);
}

static void ignore(int number) {
  (void)number;
}
static void trap_again(int number) {
  *(int volatile*)8 = number;
}
static void handle(void (*by)(int), int flags) {
  struct sigaction const action = {.sa_handler = by, .sa_flags = flags};
  sigaction(SIGSEGV, &action, 0);
}

int main(int argc, char** argv) {
  char path[4096];
  char const* const allowed = argv[1];
  if (argc > 2) {  // ways to trap, one at a time
    switch (argv[2][0]) {
      case 'n':
        *(int volatile*)8 = 1;
        break;
      case 'w':
        *(long volatile*)(long)&main = 0;
        break;
      case 'j':
        ((void (*)(void))0x7000000000)();
        break;
      case 'h':
        *(char volatile*)0x7fff00000000 = 1;
        break;
      case 'i':
        __asm__ volatile(".word 0xffffffff");
        break;
      case 's': {
        char volatile deep[1 << 16];
        deep[0] = 1;
        char* again[] = {argv[0], argv[1], argv[2], 0};
        main(3, again);
        return deep[0];
      }
      case 'o': {
        long words[2] = {0, 0};
        __asm__ volatile("amoadd.d zero, zero, (%0)" ::"r"((char*)words + 4) : "memory");
        break;
      }
      case 'l': {
        long words[2] = {0, 0};
        __asm__ volatile("lr.w zero, (%0)" ::"r"((char*)words + 2) : "memory");
        break;
      }
      case 'd': {
        long words[2] = {0x8067, 0};
        ((void (*)(void))words)();
        break;
      }
      case 'A':  // the same instruction again and again
        handle(ignore, 0);
        *(int volatile*)8 = 1;
        break;
      case 'H':  // the handler is not executable
        handle((void (*)(int))8, SA_NODEFER);
        *(int volatile*)8 = 1;
        break;
      case 'L': {  // one level deeper each time, on another stack
        static char other[8192];
        stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
        sigaltstack(&stack, 0);
        handle(trap_again, SA_NODEFER | SA_ONSTACK);
        trap_again(0);
        break;
      }
      case 'F':  // a frame that is none
        __asm__ volatile("li sp, 16\nli a7, 139\necall");
        break;
      case 'T': {  // as fast as can be
        struct itimerval const often = {{0, 1}, {0, 1}};
        signal(SIGALRM, ignore);
        setitimer(ITIMER_REAL, &often, 0);
        for (;;) continue;
      }
      default:
        __asm__ volatile("ebreak");
    }
  }
  attempt("own memory by /proc", open_for("/proc/self/mem", O_RDONLY));
  attempt("another process", open_for("/proc/1/environ", O_RDONLY));
  attempt("the kernel's files", open_for("/sys/kernel/notes", O_RDONLY));
  attempt("a device", open_for("/dev/tty", O_RDONLY));
  attempt("memory as device", open_for("/dev/mem", O_RDONLY));
  attempt("a file for writing", open_for("/tmp/tess-machine-hostile", O_WRONLY | O_CREAT));
  snprintf(path, sizeof path, "%s/../outside", allowed);
  attempt("above the folder", open_for(path, O_WRONLY | O_CREAT));
  snprintf(path, sizeof path, "%s/link/outside", allowed);
  attempt("through a link", open_for(path, O_WRONLY | O_CREAT));
  attempt("through a link, a folder", mkdir(path, 0700));
  snprintf(path, sizeof path, "%s/absolute", allowed);
  attempt("through an absolute link", open_for(path, O_WRONLY));
  snprintf(path, sizeof path, "%s/../kept", allowed);
  attempt("deleting above", unlink(path));
  snprintf(path, sizeof path, "%s/../kept", allowed);
  attempt("truncating above", truncate(path, 0));
  attempt("writing from nowhere", syscall(SYS_write, 1, 0x7f0000000000, 8));
  attempt("writing across the end", syscall(SYS_write, 1, ~0UL - 4, 64));
  attempt("reading over the text", read(open("/dev/zero", O_RDONLY), (void*)(long)&main, 8));
  attempt("status into nowhere", syscall(SYS_fstat, 1, 8));
  attempt("all of memory", (long)mmap(0, 1UL << 46, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  attempt("a fixed map far away",
          (long)mmap((void*)0x7f0000000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  attempt("a fixed map at null", (long)mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  attempt("rights far away", mprotect((void*)0x7f0000000000, 4096, PROT_READ | PROT_WRITE));
  attempt("another program", execl("/bin/sh", "sh", "-c", "true", (char*)0));
  attempt("a process", syscall(SYS_clone, 17, 0, 0, 0, 0));
  attempt("a socket", syscall(SYS_socket, 1, 1, 0));
  attempt("a signal to others", syscall(SYS_kill, 1, 9));
  attempt("a trace", syscall(SYS_ptrace, 0, 0, 0, 0));
  attempt("a descriptor of ours", read(7, path, 1));
  attempt("a futex nowhere", syscall(SYS_futex, 0x7f0000000000, 0, 0, 0));
  attempt("a program break beyond", (long)syscall(SYS_brk, ~0UL) == -1 ? 0 : -1);
  return 0;
}
