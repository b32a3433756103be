// locking: locks of a file by fcntl and flock, in one process and its threads; prints what each call says.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static void show(char const* what, int result) {
  printf("%s: %s\n", what, result < 0 ? strerror(errno) : "yes");
}
static int lock(int file, int command, short type, long start, long length) {
  struct flock wanted = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  int const result = fcntl(file, command, &wanted);
  if (result == 0 && (command == F_GETLK || command == F_OFD_GETLK))
    printf("  in the way: type %d from %ld, %ld bytes, of %s\n", wanted.l_type, (long)wanted.l_start,
           (long)wanted.l_len,
           wanted.l_type == F_UNLCK ? "none"
           : wanted.l_pid == -1     ? "an open file"
                                    : "a process");
  return result;
}

static int volatile unlocked;
static void* unlock_later(void* file) {
  nanosleep(&(struct timespec){0, 20000000}, 0);
  unlocked = 1;
  flock(*(int*)file, LOCK_UN);
  return 0;
}
static void* unlock_record_later(void* file) {
  nanosleep(&(struct timespec){0, 20000000}, 0);
  unlocked = 1;
  lock(*(int*)file, F_OFD_SETLK, F_UNLCK, 0, 0);
  return 0;
}

int main(int argc, char** argv) {
  int first = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
  int second = open(argv[argc - 1], O_RDWR);
  int reader = open(argv[argc - 1], O_RDONLY);
  show("three descriptors", first < 0 || second < 0 || reader < 0 ? -1 : 0);
  if (write(first, "0123456789", 10) != 10) return 1;

  show("a record", lock(first, F_SETLK, F_WRLCK, 0, 4));
  show("the same by another descriptor", lock(second, F_SETLK, F_WRLCK, 2, 4));
  show("whose is it", lock(second, F_GETLK, F_WRLCK, 0, 0));
  show("to write, by a reader", lock(reader, F_SETLK, F_WRLCK, 100, 4));
  show("to read, by a reader", lock(reader, F_SETLK, F_RDLCK, 100, 4));
  show("of no kind", lock(first, F_SETLK, 7, 0, 4));
  show("before the begin", lock(first, F_SETLK, F_RDLCK, -5, 4));
  show("waiting for nobody", lock(first, F_SETLKW, F_WRLCK, 0, 0));
  show("given back", lock(first, F_SETLK, F_UNLCK, 0, 0));

  show("of an open file", lock(first, F_OFD_SETLK, F_WRLCK, 2, 6));
  show("of another one, elsewhere", lock(second, F_OFD_SETLK, F_WRLCK, 8, 2));
  show("of another one, over it", lock(second, F_OFD_SETLK, F_RDLCK, 4, 10));
  show("what is in the way", lock(second, F_OFD_GETLK, F_RDLCK, 0, 8));
  show("the middle given back", lock(first, F_OFD_SETLK, F_UNLCK, 4, 2));
  show("and taken", lock(second, F_OFD_SETLK, F_RDLCK, 4, 2));
  show("of a copy of the descriptor", lock(dup(first), F_OFD_SETLK, F_WRLCK, 2, 2));

  show("all of it", flock(first, LOCK_EX | LOCK_NB));
  show("again", flock(first, LOCK_EX | LOCK_NB));
  show("by another", flock(second, LOCK_SH | LOCK_NB));
  show("shared instead", flock(first, LOCK_SH | LOCK_NB));
  show("by another now", flock(second, LOCK_SH | LOCK_NB));
  show("of no kind", flock(second, 0));
  show("of nothing", flock(99, LOCK_SH));

  pthread_t other;
  pthread_create(&other, 0, unlock_later, &second);
  show("all of it, after a wait", flock(first, LOCK_EX));
  printf("  when it was free: %d\n", unlocked);
  pthread_join(other, 0);
  unlocked = 0;
  pthread_create(&other, 0, unlock_record_later, &first);
  show("a record, after a wait", lock(second, F_OFD_SETLKW, F_WRLCK, 0, 0));
  printf("  when it was free: %d\n", unlocked);
  pthread_join(other, 0);
  close(second);
  show("when its owner has closed it", lock(first, F_OFD_SETLK, F_WRLCK, 0, 0));
  return 0;
}
