// robust_mutexes: threads end while they hold mutexes, before and while others wait for them.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { several = 3 };
static pthread_mutex_t mutexes[several];
static int volatile holds;

static void* hold_one(void* unused) {
  pthread_mutex_lock(&mutexes[0]);
  holds = 1;
  nanosleep(&(struct timespec){0, 5000000}, 0);
  return unused;
}
static void* hold_all(void* unused) {
  for (int k = 0; k < several; ++k) pthread_mutex_lock(&mutexes[k]);
  return unused;
}
static void begin(pthread_t* thread, void* (*body)(void*)) {
  holds = 0;
  pthread_create(thread, 0, body, 0);
}

int main() {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  for (int k = 0; k < several; ++k)
    if (pthread_mutex_init(&mutexes[k], &robust) != 0) return 1;
  // Some libraries ask for the list to learn whether there are such mutexes.
  void* list = 0;
  size_t bytes = 0;
  printf("list: %ld, %zu bytes\n", syscall(SYS_get_robust_list, 0, &list, &bytes), bytes);
  pthread_t thread;
  begin(&thread, hold_one);
  pthread_join(thread, 0);
  printf("its owner is dead: %d\n", pthread_mutex_lock(&mutexes[0]) == EOWNERDEAD);
  pthread_mutex_consistent(&mutexes[0]);
  pthread_mutex_unlock(&mutexes[0]);
  printf("again: %d\n", pthread_mutex_lock(&mutexes[0]));
  pthread_mutex_unlock(&mutexes[0]);

  begin(&thread, hold_one);
  while (!holds) continue;
  printf("while it waits: %d\n", pthread_mutex_lock(&mutexes[0]) == EOWNERDEAD);
  pthread_join(thread, 0);
  pthread_mutex_unlock(&mutexes[0]);
  printf("not repaired: %d", pthread_mutex_lock(&mutexes[0]) == ENOTRECOVERABLE);
  pthread_mutex_destroy(&mutexes[0]);
  printf(", then %d\n", pthread_mutex_init(&mutexes[0], &robust) == 0);

  begin(&thread, hold_all);
  pthread_join(thread, 0);
  printf("of several:");
  for (int k = 0; k < several; ++k) printf(" %d", pthread_mutex_trylock(&mutexes[k]) == EOWNERDEAD);
  printf("\n");
  return 0;
}
