// cancelling: pthread_cancel of threads that wait, compute, or do not admit it; their cleanup and their results.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t begun;
static sem_t never_posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ends[2];
static int volatile cleaned;

static void clean(void* by) {
  cleaned += (int)(long)by;
}
static void unlock(void* by) {
  cleaned += (int)(long)by;
  pthread_mutex_unlock(&mutex);
}
static void* waits_for_a_semaphore(void* by) {
  pthread_cleanup_push(clean, by);
  sem_post(&begun);
  sem_wait(&never_posted);
  pthread_cleanup_pop(0);
  return 0;
}
static void* waits_for_a_condition(void* by) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, by);
  sem_post(&begun);
  while (1) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return 0;
}
static void* sleeps(void* by) {
  pthread_cleanup_push(clean, by);
  sem_post(&begun);
  nanosleep(&(struct timespec){1000, 0}, 0);
  pthread_cleanup_pop(0);
  return 0;
}
static void* reads(void* by) {
  char byte = 0;
  pthread_cleanup_push(clean, by);
  sem_post(&begun);
  if (read(ends[0], &byte, 1) != 1) return 0;
  pthread_cleanup_pop(0);
  return 0;
}
static void* computes(void* by) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
  pthread_cleanup_push(clean, by);
  sem_post(&begun);
  while (1) continue;
  pthread_cleanup_pop(0);
  return 0;
}
static void* tests_for_it(void* by) {
  pthread_cleanup_push(clean, by);
  sem_post(&begun);
  while (1) pthread_testcancel();
  pthread_cleanup_pop(0);
  return 0;
}
static void* does_not_admit_it(void* by) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
  pthread_cleanup_push(clean, by);
  sem_post(&begun);
  nanosleep(&(struct timespec){0, 3000000}, 0);
  pthread_cleanup_pop(0);
  return by;
}

static void try(char const* what, void* (*body)(void*), long number) {
  pthread_t thread;
  cleaned = 0;
  pthread_create(&thread, 0, body, (void*)number);
  sem_wait(&begun);
  nanosleep(&(struct timespec){0, 1000000}, 0);
  int const failed = pthread_cancel(thread);
  void* result = 0;
  pthread_join(thread, &result);
  printf("%s: %d, cancelled %d, cleaned %d\n", what, failed, result == PTHREAD_CANCELED, cleaned);
}

int main() {
  sem_init(&begun, 0, 0);
  sem_init(&never_posted, 0, 0);
  if (pipe(ends) != 0) return 1;
  try("a semaphore", waits_for_a_semaphore, 1);
  try("a condition", waits_for_a_condition, 2);
  printf("its mutex: %d\n", pthread_mutex_trylock(&mutex));
  try("a sleep", sleeps, 3);
  try("a pipe", reads, 4);
  try("a loop", computes, 5);
  try("a loop with tests", tests_for_it, 6);
  try("not admitted", does_not_admit_it, 7);
  return 0;
}
