// timers: timers of a program that send signals, once and again, to the process, to a thread and with values.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int volatile came;
static int volatile value;
static int volatile code;
static void note(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  ++came;
  value = info->si_value.sival_int;
  code = info->si_code;
}
static int volatile called;
static void call(union sigval of) {
  called += of.sival_int;
}
static void set(timer_t timer, long first_ns, long again_ns) {
  struct itimerspec const made = {{0, again_ns}, {0, first_ns}};
  if (timer_settime(timer, 0, &made, 0) != 0) exit(1);
}
static void sleep_ms(long ms) {
  struct timespec left = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0) continue;
}

int main() {
  struct sigaction const noting = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
  sigaction(SIGALRM, &noting, 0);
  sigaction(SIGRTMIN, &noting, 0);

  timer_t usual = 0;
  printf("made: %d\n", timer_create(CLOCK_MONOTONIC, 0, &usual));
  set(usual, 2000000, 0);
  struct itimerspec left;
  timer_gettime(usual, &left);
  printf("left: %d, again %ld\n", left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 2000000,
         left.it_interval.tv_nsec);
  sleep_ms(30);
  timer_gettime(usual, &left);
  printf("once: %d, code %d, left %ld\n", came, code, left.it_value.tv_nsec);

  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value = {.sival_int = 42}};
  timer_t again = 0;
  timer_create(CLOCK_REALTIME, &event, &again);
  came = 0;
  set(again, 2000000, 2000000);
  while (came < 5) continue;
  set(again, 0, 0);
  int const until_then = came;
  sleep_ms(10);
  printf("again: %d, value %d, code %d\n", came == until_then, value, code);

  // While its signal is blocked, the periods are counted.
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &blocked, 0);
  came = 0;
  set(again, 1000000, 1000000);
  sleep_ms(50);
  sigset_t pending;
  sigpending(&pending);
  printf("pending: %d\n", sigismember(&pending, SIGRTMIN));
  siginfo_t info;
  sigwaitinfo(&blocked, &info);
  int const overrun = timer_getoverrun(again);
  printf("missed: %d, told %d\n", overrun >= 45 && overrun < 1000, info.si_overrun == overrun);
  printf("deleted: %d %d\n", timer_delete(again), timer_delete(again) < 0 && errno == EINVAL);
  sigprocmask(SIG_UNBLOCK, &blocked, 0);

  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_nsec += 5000000;
  if (at.tv_nsec >= 1000000000) ++at.tv_sec, at.tv_nsec -= 1000000000;
  event.sigev_value.sival_int = 43;
  timer_create(CLOCK_REALTIME, &event, &again);
  came = 0;
  timer_settime(again, TIMER_ABSTIME, &(struct itimerspec){{0, 0}, at}, 0);
  sleep_ms(40);
  printf("at a time: %d, value %d\n", came, value);

  // The library waits for the signal in a thread, and calls the function in another one.
  struct sigevent by_thread = {.sigev_notify = SIGEV_THREAD, .sigev_value = {.sival_int = 7}};
  by_thread.sigev_notify_function = call;
  timer_t calls = 0;
  timer_create(CLOCK_MONOTONIC, &by_thread, &calls);
  set(calls, 1000000, 0);
  while (called == 0) sleep_ms(5);
  printf("by a thread: %d\n", called);

  struct sigevent silent = {.sigev_notify = SIGEV_NONE};
  timer_t none = 0;
  timer_create(CLOCK_MONOTONIC, &silent, &none);
  came = 0;
  set(none, 1000000, 0);
  sleep_ms(10);
  timer_gettime(none, &left);
  printf("silent: %d, left %ld\n", came, left.it_value.tv_nsec);
  event.sigev_signo = 99;
  printf("refused: %d", timer_create(CLOCK_MONOTONIC, &event, &none) < 0 && errno == EINVAL);
  printf(" %d\n", timer_settime(usual, 0, &(struct itimerspec){{0, 0}, {0, 1000000000}}, 0) < 0 && errno == EINVAL);

  struct sched_param parameters;
  printf("priorities: %d %d, %d %d, %d\n", sched_get_priority_min(SCHED_FIFO), sched_get_priority_max(SCHED_RR),
         sched_get_priority_min(SCHED_OTHER), sched_get_priority_max(SCHED_OTHER),
         sched_get_priority_max(99) < 0 && errno == EINVAL);
  printf("policy: %d", sched_getscheduler(0));
  printf(" %d", sched_getparam(0, &parameters));
  printf(" %d", parameters.sched_priority);
  printf(" %d", sched_setscheduler(0, SCHED_OTHER, &parameters));
  printf(" %d", sched_getscheduler(1 << 20) < 0 && errno == ESRCH);
  printf(" %d\n", sched_getcpu() >= 0);
  return 0;
}
