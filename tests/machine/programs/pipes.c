// pipes: threads that talk by pipes, eventfd and timerfd, and wait by poll, select and epoll.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static int events;
static void show(char const* what, long result) {
  printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}
static void wait_ms(long milliseconds) {
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, 0);
}
static void* write_much(void* bytes) {
  static char text[200000];
  memset(text, 'x', sizeof text);
  long left = (long)bytes;
  while (left > 0) {
    ssize_t const put = write(ends[1], text, left < 3000 ? left : 3000);
    if (put < 0) break;
    left -= put;
  }
  close(ends[1]);
  return (void*)left;
}
static void* write_later(void* text) {
  wait_ms(5);
  return (void*)write(ends[1], text, strlen(text));
}
static void* add_later(void* unused) {
  (void)unused;
  wait_ms(5);
  uint64_t const three = 3;
  return (void*)write(events, &three, sizeof three);
}
static void* read_later(void* into) {
  wait_ms(5);
  return (void*)read(ends[0], into, 65536);
}

int main() {
  char text[65536];
  pthread_t other;
  show("pipe", pipe(ends));
  struct stat about;
  show("is one", fstat(ends[0], &about) == 0 && S_ISFIFO(about.st_mode));
  show("cannot seek", lseek(ends[0], 0, SEEK_SET));
  show("write", write(ends[1], "some words", 10));
  show("read", read(ends[0], text, 4));
  show("the rest", read(ends[0], text, sizeof text));
  show("the wrong end", write(ends[0], "x", 1));
  struct iovec parts[2] = {{"ab", 2}, {"cde", 3}};
  show("parts", writev(ends[1], parts, 2));
  show("read", read(ends[0], text, sizeof text));
  pthread_create(&other, 0, write_later, "awaited");
  show("waits", read(ends[0], text, sizeof text));
  pthread_join(other, 0);

  pthread_create(&other, 0, write_much, (void*)300000L);
  long sum = 0;
  for (ssize_t got = 1; got > 0; sum += got) got = read(ends[0], text, sizeof text);
  void* left = 0;
  pthread_join(other, &left);
  printf("much: %ld, left %ld\n", sum, (long)left);
  close(ends[0]);

  show("nonblocking", pipe2(ends, O_NONBLOCK | O_CLOEXEC));
  show("empty", read(ends[0], text, 1));
  long count = 0;
  memset(text, 'y', sizeof text);
  for (ssize_t put = 1; put > 0; count += put > 0 ? put : 0) put = write(ends[1], text, 4096);
  printf("room: %ld\n", count);
  show("flags", fcntl(ends[0], F_GETFL) == (O_NONBLOCK | O_RDONLY));
  fcntl(ends[1], F_SETFL, 0);
  pthread_create(&other, 0, read_later, text);
  show("waits for room", write(ends[1], text, 4096));
  pthread_join(other, 0);
  close(ends[0]);
  signal(SIGPIPE, SIG_IGN);
  show("nobody reads", write(ends[1], "x", 1));
  close(ends[1]);

  show("pipe", pipe(ends));
  struct pollfd polled[3] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {99, POLLIN, 0}};
  int const found = poll(polled, 3, 0);
  printf("poll: %d, %x %x %x\n", found, polled[0].revents, polled[1].revents, polled[2].revents);
  struct timespec before;
  struct timespec after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  show("nothing comes", poll(polled, 1, 20));
  clock_gettime(CLOCK_MONOTONIC, &after);
  long const took = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
  show("took about 20 ms", took >= 19 && took < 2000);
  pthread_create(&other, 0, write_later, "polled");
  show("something comes", poll(polled, 1, -1));
  printf("  %x\n", polled[0].revents);
  pthread_join(other, 0);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  show("select", select(ends[0] + 1, &set, 0, 0, &(struct timeval){10, 0}));
  show("it", FD_ISSET(ends[0], &set));
  show("read", read(ends[0], text, sizeof text));
  FD_SET(ends[0], &set);
  show("select", select(ends[0] + 1, &set, 0, 0, &(struct timeval){0, 1000}));

  events = eventfd(2, 0);
  uint64_t value = 0;
  show("eventfd", read(events, &value, 8));
  printf("  %lu\n", (unsigned long)value);
  pthread_create(&other, 0, add_later, 0);
  show("waits", read(events, &value, 8));
  printf("  %lu\n", (unsigned long)value);
  pthread_join(other, 0);
  int const one_by_one = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
  show("one", read(one_by_one, &value, 8));
  show("two", read(one_by_one, &value, 8));
  show("none", read(one_by_one, &value, 8));
  show("too short", read(one_by_one, &value, 4));

  int const timer = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec const soon = {{0, 2000000}, {0, 3000000}};
  show("timer", timerfd_settime(timer, 0, &soon, 0));
  show("expires", read(timer, &value, 8));
  printf("  %d\n", value >= 1);
  wait_ms(10);
  show("often", read(timer, &value, 8));
  printf("  %d\n", value >= 4);

  int const all = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {EPOLLIN, {.u64 = 11}};
  show("add", epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &event));
  show("again", epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &event));
  event = (struct epoll_event){EPOLLIN | EPOLLET, {.u64 = 22}};
  show("by edges", epoll_ctl(all, EPOLL_CTL_ADD, events, &event));
  int const plain = open("/proc/self/exe", O_RDONLY);
  show("a file", epoll_ctl(all, EPOLL_CTL_ADD, plain, &event));
  struct epoll_event got[4];
  show("nothing", epoll_wait(all, got, 4, 5));
  pthread_create(&other, 0, add_later, 0);
  show("wait", epoll_wait(all, got, 4, -1));
  printf("  %lu %x\n", (unsigned long)got[0].data.u64, got[0].events);
  pthread_join(other, 0);
  show("the same edge", epoll_wait(all, got, 4, 0));
  show("write", write(ends[1], "x", 1));
  show("levels", epoll_wait(all, got, 4, 0));
  show("levels", epoll_wait(all, got, 4, 0));
  printf("  %lu %x\n", (unsigned long)got[0].data.u64, got[0].events);
  event = (struct epoll_event){EPOLLIN | EPOLLONESHOT, {.u64 = 33}};
  show("once", epoll_ctl(all, EPOLL_CTL_MOD, ends[0], &event));
  show("told", epoll_wait(all, got, 4, 0));
  show("not told", epoll_wait(all, got, 4, 0));
  show("remove", epoll_ctl(all, EPOLL_CTL_DEL, ends[0], 0));
  show("again", epoll_ctl(all, EPOLL_CTL_DEL, ends[0], 0));
  event = (struct epoll_event){EPOLLIN, {.u64 = 44}};
  epoll_ctl(all, EPOLL_CTL_ADD, timer, &event);
  show("by a timer", epoll_wait(all, got, 4, 1000));
  close(ends[1]);
  show("the rest", read(ends[0], text, sizeof text));
  show("the end", read(ends[0], text, sizeof text));
  return 0;
}
