// signals: handlers of what a program does itself, what others send, and what its instructions cause.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static int volatile came[65];
static void* volatile at;
static int volatile code;
static void count(int number) {
  ++came[number];
}
static void note(int number, siginfo_t* info, void* context) {
  ++came[number];
  at = info->si_addr;
  code = info->si_code;
  // Behind the instruction, which has four bytes.
  ((ucontext_t*)context)->uc_mcontext.__gregs[REG_PC] += 4;
}
static sigjmp_buf back;
static void jump(int number) {
  ++came[number];
  siglongjmp(back, number);
}
static void note_and_jump(int number, siginfo_t* info, void* context) {
  (void)context;
  ++came[number];
  at = info->si_addr;
  code = info->si_code;
  siglongjmp(back, number);
}
static char* volatile stack_seen;
static void look(int number) {
  char local = 0;
  ++came[number];
  stack_seen = &local;
}
static void set(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigaction(number, &action, 0);
}
static void set_noting(int number) {
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
  sigaction(number, &action, 0);
}
static int nested;
static void nest(int number) {
  if (++came[number] > 1) return;
  int const before = came[SIGUSR2];
  raise(SIGUSR2);  // blocked in here by the mask
  raise(number);   // and so is this
  nested = came[SIGUSR2] == before && came[number] == 1;
}
static double volatile kept;
static void compute(int number) {
  ++came[number];
  for (int k = 1; k < 100; ++k) kept = kept / k + k;
  __asm__ volatile("fsrmi x0, 1");  // towards zero
}

static pthread_t main_thread;
static void* send_later(void* number) {
  nanosleep(&(struct timespec){0, 3000000}, 0);
  pthread_kill(main_thread, (int)(long)number);
  return 0;
}
static void* spin(void* until) {
  while (came[SIGRTMIN] == 0) continue;
  return until;
}
static int deep(int n) {
  char volatile room[4096];
  room[0] = (char)n;
  return deep(n + 1) + room[0];
}

int main() {
  set(SIGUSR1, count, 0);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR1);
  printf("raised: %d\n", came[SIGUSR1]);

  sigset_t some;
  sigset_t old;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  sigprocmask(SIG_BLOCK, &some, &old);
  raise(SIGUSR1);
  raise(SIGUSR1);
  sigpending(&old);
  printf("blocked: %d, pending %d %d\n", came[SIGUSR1], sigismember(&old, SIGUSR1), sigismember(&old, SIGUSR2));
  sigprocmask(SIG_UNBLOCK, &some, 0);
  printf("then: %d\n", came[SIGUSR1]);

  struct sigaction action = {.sa_handler = nest};
  sigaddset(&action.sa_mask, SIGUSR2);
  came[SIGUSR1] = 0;
  sigaction(SIGUSR1, &action, 0);
  set(SIGUSR2, count, 0);
  raise(SIGUSR1);
  printf("nested: %d, then %d %d\n", nested, came[SIGUSR1], came[SIGUSR2]);
  set(SIGUSR2, SIG_IGN, 0);
  raise(SIGUSR2);
  set(SIGUSR2, count, SA_RESETHAND);
  raise(SIGUSR2);
  sigaction(SIGUSR2, 0, &action);
  printf("once: %d %d\n", came[SIGUSR2], action.sa_handler == SIG_DFL);

  double sum = 1.0 / 3;
  set(SIGUSR2, compute, 0);
  for (int k = 0; k < 10; ++k) {
    sum = sum * 1.5 + k;
    raise(SIGUSR2);
  }
  long rounding = 7;
  __asm__ volatile("frrm %0" : "=r"(rounding));
  printf("numbers: %.17g, rounding %ld\n", sum, rounding);

  int volatile* const null = (int*)16;
  set_noting(SIGSEGV);
  __asm__ volatile(".option push\n.option norvc\nsw zero, 0(%0)\n.option pop" ::"r"(null) : "memory");
  printf("null: %d, at %p, code %d\n", came[SIGSEGV], at, code);
  int volatile* const page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  __asm__ volatile(".option push\n.option norvc\nsw zero, 0(%0)\n.option pop" ::"r"(page + 3) : "memory");
  printf("protected: %d, at the word %d, code %d\n", came[SIGSEGV], at == page + 3, code);
  char* const two = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(two + 4096, 4096, PROT_READ);
  set_noting(SIGBUS);
  __asm__ volatile(".option push\n.option norvc\nsd zero, 0(%0)\n.option pop" ::"r"(two + 4092) : "memory");
  printf("into a protected page: %d %d, at its begin %d, code %d\n", came[SIGSEGV], came[SIGBUS], at == two + 4096,
         code);
  munmap(two + 4096, 4096);
  uint64_t word = 0;
  __asm__ volatile(".option push\n.option norvc\nld %0, 0(%1)\n.option pop" : "+r"(word) : "r"(two + 4089));
  printf("beyond a mapping: %d %d, at its end %d, code %d\n", came[SIGSEGV], came[SIGBUS], at == two + 4096, code);
  struct sigaction const jumps = {.sa_sigaction = note_and_jump, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &jumps, 0);
  if (sigsetjmp(back, 1) == 0) ((void (*)(void))(void*)(page + 73))();
  printf("no code: at its begin %d, code %d\n", at == page + 73, code);
  if (sigsetjmp(back, 1) == 0) ((void (*)(void))0x1234)();
  printf("no memory: at %p, code %d\n", at, code);
  mprotect(two, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(two + 4094, "\x13\x05", 2);  // half of an addi
  __asm__ volatile("fence.i" ::: "memory");
  if (sigsetjmp(back, 1) == 0) ((void (*)(void))(void*)(two + 4094))();
  printf("half an instruction: at the second half %d, code %d\n", at == two + 4096, code);
  set_noting(SIGILL);
  __asm__ volatile(".word 0xffffffff");
  printf("illegal: %d\n", came[SIGILL]);
  set_noting(SIGTRAP);
  __asm__ volatile(".option push\n.option norvc\nebreak\n.option pop");
  printf("breakpoint: %d\n", came[SIGTRAP]);

  set(SIGSEGV, jump, 0);
  if (sigsetjmp(back, 1) == 0) ((void (*)(void))(void*)page)();
  printf("wild jump: %d\n", came[SIGSEGV]);
  stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
  printf("other stack: %d\n", sigaltstack(&other, 0));
  set(SIGSEGV, jump, SA_ONSTACK);
  if (sigsetjmp(back, 1) == 0) deep(0);
  printf("full stack: %d\n", came[SIGSEGV]);
  set(SIGUSR1, look, SA_ONSTACK);
  raise(SIGUSR1);
  printf("on it: %d\n", stack_seen > (char*)other.ss_sp && stack_seen < (char*)other.ss_sp + 65536);
  sigaltstack(0, &other);
  printf("not now: %d\n", other.ss_flags);

  set(SIGALRM, count, 0);
  struct timespec left = {0, 0};
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 2000}}, 0);
  printf("sleep: %d", nanosleep(&(struct timespec){30, 0}, &left));
  printf(" %d, alarms %d\n", errno == EINTR, came[SIGALRM]);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, 0);
  while (came[SIGALRM] < 5) continue;
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, 0);
  printf("while it computes: %d\n", came[SIGALRM] >= 5);

  main_thread = pthread_self();
  pthread_t sender;
  sigset_t none;
  sigemptyset(&none);
  sigaddset(&some, SIGUSR2);
  set(SIGUSR2, count, 0);
  came[SIGUSR2] = 0;
  sigprocmask(SIG_BLOCK, &some, 0);
  pthread_create(&sender, 0, send_later, (void*)SIGUSR2);
  printf("suspended: %d", sigsuspend(&none));
  printf(" %d, %d\n", errno == EINTR, came[SIGUSR2]);
  pthread_join(sender, 0);
  sigprocmask(SIG_UNBLOCK, &some, 0);

  set(SIGRTMIN, count, SA_RESTART);
  pthread_create(&sender, 0, spin, (void*)7);
  nanosleep(&(struct timespec){0, 1000000}, 0);
  pthread_kill(sender, SIGRTMIN);
  void* result = 0;
  pthread_join(sender, &result);
  printf("a thread that computes: %d\n", (int)(long)result);
  pthread_create(&sender, 0, send_later, (void*)(long)SIGRTMIN);
  printf("a wait goes on: %d", pthread_join(sender, 0));
  printf(" %d\n", came[SIGRTMIN]);

  printf("none: %d %d\n", kill(getpid(), 0), kill(getpid(), 99) < 0 && errno == EINVAL);
  printf("of nobody: %d\n", syscall(SYS_tgkill, getpid(), 1 << 20, SIGUSR1) < 0 && errno == ESRCH);
  printf("for ever: %d\n", sigaction(SIGKILL, &action, 0) < 0 && errno == EINVAL);
  fflush(stdout);
  set(SIGUSR1, SIG_DFL, 0);
  raise(SIGUSR1);
  return 0;
}
