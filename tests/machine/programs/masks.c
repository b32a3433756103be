// masks: signals that ppoll, pselect and epoll_pwait let in while they wait.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int volatile came;
static void count(int number) {
  (void)number;
  ++came;
}
static pthread_t main_thread;
static void* send_later(void* unused) {
  nanosleep(&(struct timespec){0, 3000000}, 0);
  pthread_kill(main_thread, SIGUSR1);
  return unused;
}
static int ends[2];
static int list;
static sigset_t none;

// Kinds of waits, for at most so long; -1: for ever.
static int wait_by(int kind, int milliseconds, sigset_t const* mask) {
  struct timespec const limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  struct timespec const* const time = milliseconds < 0 ? 0 : &limit;
  if (kind == 0) return ppoll(&(struct pollfd){ends[0], POLLIN, 0}, 1, time, mask);
  if (kind == 2) return epoll_pwait(list, &(struct epoll_event){0}, 1, milliseconds, mask);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  return pselect(ends[0] + 1, &set, 0, 0, time, mask);
}
static void show(char const* what, int result) {
  sigset_t mask;
  sigset_t pending;
  sigprocmask(SIG_BLOCK, 0, &mask);
  sigpending(&pending);
  printf("  %s: %d%s%s, came %d, blocked %d, pending %d\n", what, result, result < 0 ? " " : "",
         result < 0 ? strerror(errno) : "", came, sigismember(&mask, SIGUSR1), sigismember(&pending, SIGUSR1));
}

int main() {
  main_thread = pthread_self();
  sigset_t some;
  sigemptyset(&none);
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = count, .sa_flags = SA_RESTART}, 0);
  pipe(ends);
  list = epoll_create1(0);
  epoll_ctl(list, EPOLL_CTL_ADD, ends[0], &(struct epoll_event){.events = EPOLLIN});
  for (int kind = 0; kind < 3; ++kind) {
    printf("kind %d\n", kind);
    sigprocmask(SIG_BLOCK, &some, 0);
    raise(SIGUSR1);
    show("a time without a mask", wait_by(kind, 2, 0));
    show("no time", wait_by(kind, 0, &none));
    show("nothing more", wait_by(kind, 0, &none));
    raise(SIGUSR1);
    show("without end", wait_by(kind, -1, &none));
    show("the whole time", wait_by(kind, 2, &none));
    pthread_t other;
    pthread_create(&other, 0, send_later, 0);
    show("during the wait", wait_by(kind, -1, &none));
    pthread_join(other, 0);
    sigprocmask(SIG_UNBLOCK, &some, 0);
    pthread_create(&other, 0, send_later, 0);
    show("kept out during the wait", wait_by(kind, 20, &some));
    pthread_join(other, 0);
    pthread_create(&other, 0, send_later, 0);
    show("restarted by none", wait_by(kind, -1, 0));
    pthread_join(other, 0);
    sigprocmask(SIG_BLOCK, &some, 0);
    raise(SIGUSR1);
    write(ends[1], "x", 1);
    show("something to read", wait_by(kind, -1, &none));
    read(ends[0], &(char){0}, 1);
    sigprocmask(SIG_UNBLOCK, &some, 0);
    show("at last", wait_by(kind, 0, 0));
  }
}
