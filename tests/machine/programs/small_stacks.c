// small_stacks: threads with stacks of 16 KiB; with a word, one that needs more.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int deep(int n, int most) {
  char volatile room[512];
  memset((char*)room, n, sizeof room);
  return n == most ? room[0] : deep(n + 1, most) + room[511];
}
static void* work(void* most) {
  return (void*)(long)deep(0, (int)(long)most);
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_attr_t how;
  pthread_attr_init(&how);
  printf("set: %d\n", pthread_attr_setstacksize(&how, 16384));
  fflush(stdout);
  pthread_t threads[3];
  for (long k = 0; k < 3; ++k) pthread_create(&threads[k], &how, work, (void*)(argc > 1 ? 1000 : 8 + k));
  for (int k = 0; k < 3; ++k) {
    void* sum = 0;
    pthread_join(threads[k], &sum);
    printf("%ld\n", (long)sum);
  }
}
