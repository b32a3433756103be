// pi: the share of random points within a circle; each PE has its own points, and PE 0 gets the sum by atomics.
#include <shmem.h>
#include <stdio.h>

enum { points = 200000 };

int main(void) {
  static unsigned long inside, all;
  shmem_init();
  int const me = shmem_my_pe();
  unsigned long mine = 0, state = 0x9e3779b97f4a7c15UL * (unsigned long)(me + 1);
  for (int i = 0; i < points; ++i) {
    double xy[2];
    for (int k = 0; k < 2; ++k) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      xy[k] = (double)(state >> 11) * 0x1p-53;
    }
    mine += xy[0] * xy[0] + xy[1] * xy[1] < 1;
  }
  shmem_ulong_atomic_add(&inside, mine, 0);
  shmem_ulong_atomic_add(&all, points, 0);
  shmem_barrier_all();
  int right = 1;
  if (me == 0) {
    double const pi = 4.0 * (double)inside / (double)all;
    printf("pi is about %.3f\n", pi);
    right = pi > 3.13 && pi < 3.15;
  }
  shmem_finalize();
  return right ? 0 : 1;
}
