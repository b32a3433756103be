// portable: what C++ programs of any age do with the header: in extern "C", with volatile words, in templates.
extern "C" {
#include <shmem.h>
#include <shmemx.h>
}
#include <vector>

static long sum;
static long volatile flag;
static std::complex<double> number;

template <class T>
static T add(T* target, T value, int pe) {
  return shmem_atomic_fetch_add(target, value, pe);
}

int main() {
  shmem_init();
  int const pe = (shmem_my_pe() + 1) % shmem_n_pes();
  add(&sum, 1L, pe);
  shmem_p(const_cast<long*>(&flag), 1L, pe);
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &number, &number, 1);
  shmem_finalize();
  return std::vector<int>(1, 0)[0];
}
