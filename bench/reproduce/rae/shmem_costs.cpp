// shmem_costs: costs of each word operation of OpenSHMEM on a word of another PE: instructions of the requester
// and of the target, and cycles. A third PE, if there is one, only waits.
//
//   Prints one line per operation, without the loop around it: NAME asking X asked Y cycles Z.
#include <shmem.h>

#include <cstdint>
#include <cstdio>

namespace {

std::uint64_t instructions() {
  std::uint64_t count;
  asm volatile("csrr %0, instret" : "=r"(count)::"memory");
  return count;
}
std::uint64_t cycles() {
  std::uint64_t count;
  asm volatile("csrr %0, cycle" : "=r"(count)::"memory");
  return count;
}

constexpr int times = 256;
unsigned long* there = nullptr;
long* counted = nullptr;

struct cost {
  std::uint64_t asking = 0;
  std::uint64_t cycles = 0;
};

// PE 0 operates on a word of PE 1, which serves or sleeps; the costs of PE 1 are written to PE 0.
template <class Operation>
cost all_of(Operation operation) {
  cost spent;
  shmem_barrier_all();
  std::uint64_t const begin = instructions();
  if (shmem_my_pe() == 0) {
    std::uint64_t const at = cycles();
    std::uint64_t const first = instructions();
    for (int i = 0; i < times; ++i) {
      operation();
      asm volatile("" ::: "memory");
    }
    spent.asking = instructions() - first;
    spent.cycles = cycles() - at;
  }
  shmem_barrier_all();
  long const asked = static_cast<long>(instructions() - begin);
  if (shmem_my_pe() == 1) shmem_long_p(counted, asked, 0);
  shmem_barrier_all();
  return spent;
}

template <class Operation>
void print(char const* name, Operation operation) {
  cost const none = all_of([] {});
  long const idle = *counted;
  cost const spent = all_of(operation);
  if (shmem_my_pe() != 0) return;
  std::printf("%s asking %.2f asked %.2f cycles %.1f\n", name, double(spent.asking - none.asking) / times,
              double(*counted - idle) / times, double(spent.cycles - none.cycles) / times);
}

}  // namespace

int main() {
  shmem_init();
  there = static_cast<unsigned long*>(shmem_malloc(sizeof(long)));
  counted = static_cast<long*>(shmem_malloc(sizeof(long)));
  *there = 0;
  print("get", [] { (void)shmem_ulong_g(there, 1); });
  print("put", [] { shmem_ulong_p(there, 3, 1); });
  print("fetch", [] { (void)shmem_ulong_atomic_fetch(there, 1); });
  print("set", [] { shmem_ulong_atomic_set(there, 3, 1); });
  print("inc", [] { shmem_ulong_atomic_inc(there, 1); });
  print("fetch_inc", [] { (void)shmem_ulong_atomic_fetch_inc(there, 1); });
  print("add", [] { shmem_ulong_atomic_add(there, 3, 1); });
  print("fetch_add", [] { (void)shmem_ulong_atomic_fetch_add(there, 3, 1); });
  print("and", [] { shmem_ulong_atomic_and(there, 3, 1); });
  print("fetch_and", [] { (void)shmem_ulong_atomic_fetch_and(there, 3, 1); });
  print("or", [] { shmem_ulong_atomic_or(there, 3, 1); });
  print("fetch_or", [] { (void)shmem_ulong_atomic_fetch_or(there, 3, 1); });
  print("xor", [] { shmem_ulong_atomic_xor(there, 3, 1); });
  print("fetch_xor", [] { (void)shmem_ulong_atomic_fetch_xor(there, 3, 1); });
  print("swap", [] { (void)shmem_ulong_atomic_swap(there, 3, 1); });
  print("compare_swap", [] { (void)shmem_ulong_atomic_compare_swap(there, 3, 4, 1); });
  shmem_finalize();
}
