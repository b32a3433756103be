// queued_signals: signals that are waited for, those with values, what handlers learn, and what is left of a sleep.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static siginfo_t volatile last;
static int volatile came;
static void note(int number, siginfo_t* info, void* context) {
  (void)context;
  came += number == info->si_signo;
  memcpy((void*)&last, info, sizeof last);
}
static void show(char const* what) {
  printf("%s: came %d, code %d, own process %d, value %d\n", what, came, last.si_code, last.si_pid == getpid(),
         last.si_value.sival_int);
}

static sigset_t awaited;
static int volatile waits;
static void* take(void* unused) {
  siginfo_t info;
  waits = 1;
  int const number = sigwaitinfo(&awaited, &info);
  printf("in a thread: %d, code %d\n", number == SIGUSR1, info.si_code);
  return unused;
}
static pthread_t main_thread;
static void* send_later(void* number) {
  nanosleep(&(struct timespec){0, 3000000}, 0);
  pthread_kill(main_thread, (int)(long)number);
  return 0;
}

int main() {
  struct sigaction const noting = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR2, &noting, 0);
  sigaction(SIGRTMIN + 1, &noting, 0);
  kill(getpid(), SIGUSR2);
  show("kill");
  syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), SIGUSR2);
  show("tgkill");
  sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 23});
  show("sigqueue");
  pthread_sigqueue(pthread_self(), SIGUSR2, (union sigval){.sival_int = 24});
  show("pthread_sigqueue");
  printf("nobody's: %d\n", sigqueue(1 << 20, SIGUSR2, (union sigval){.sival_int = 1}) < 0 && errno == ESRCH);

  // All that are blocked wait in a queue if they are real-time signals.
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  sigaddset(&awaited, SIGCHLD);
  for (int k = 0; k < 3; ++k) sigaddset(&awaited, SIGRTMIN + k);
  sigprocmask(SIG_BLOCK, &awaited, 0);
  for (int k = 0; k < 3; ++k) sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 100 + k});
  for (int k = 0; k < 3; ++k) sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 200 + k});
  for (int k = 0; k < 3; ++k) sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 300 + k});
  siginfo_t info;
  for (int k = 0; k < 5; ++k) {
    int const number = sigtimedwait(&awaited, &info, &(struct timespec){0, 0});
    printf("taken: %d, code %d, value %d\n", number >= SIGRTMIN ? number - SIGRTMIN : number, info.si_code,
           info.si_value.sival_int);
  }
  sigset_t pending;
  sigpending(&pending);
  printf("left: %d %d\n", sigismember(&pending, SIGRTMIN), sigismember(&pending, SIGRTMIN + 1));
  came = 0;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGRTMIN + 1);
  sigprocmask(SIG_UNBLOCK, &one, 0);
  show("handled");
  printf("no more: %d\n", sigtimedwait(&awaited, 0, &(struct timespec){0, 0}) < 0 && errno == EAGAIN);
  printf("in time: %d\n", sigtimedwait(&awaited, 0, &(struct timespec){0, 2000000}) < 0 && errno == EAGAIN);
  raise(SIGCHLD);
  printf("ignored but blocked: %d\n", sigwaitinfo(&awaited, 0) == SIGCHLD);

  // A thread that waits for a signal of the process, and one of another kind that ends a wait.
  pthread_t thread;
  pthread_create(&thread, 0, take, 0);
  while (!waits) continue;
  nanosleep(&(struct timespec){0, 2000000}, 0);
  kill(getpid(), SIGUSR1);
  pthread_join(thread, 0);
  main_thread = pthread_self();
  pthread_create(&thread, 0, send_later, (void*)SIGUSR2);
  printf("another one: %d\n", sigwaitinfo(&awaited, 0) < 0 && errno == EINTR);
  pthread_join(thread, 0);
  int number = 0;
  pthread_create(&thread, 0, send_later, (void*)SIGUSR1);
  printf("sigwait: %d", sigwait(&awaited, &number));
  printf(" %d\n", number == SIGUSR1);
  pthread_join(thread, 0);

  struct timespec left = {0, 0};
  pthread_create(&thread, 0, send_later, (void*)SIGUSR2);
  printf("sleep: %d", nanosleep(&(struct timespec){30, 0}, &left) < 0 && errno == EINTR);
  printf(", left %d\n", left.tv_sec == 29 && left.tv_nsec > 0);
  pthread_join(thread, 0);

  clockid_t clock = 0;
  struct timespec now;
  printf("clocks: %d", pthread_getcpuclockid(main_thread, &clock));
  printf(" %d", clock_gettime(clock, &now));
  printf(" %d", clock_getcpuclockid(0, &clock));
  printf(" %d", clock_gettime(clock, &now));
  printf(" %d\n", clock_gettime(77, &now) < 0 && errno == EINVAL);
  return 0;
}
