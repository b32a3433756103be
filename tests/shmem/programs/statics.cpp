// statics: C++'s variables of static storage are symmetric, keep what was written before shmem_init, and cost nothing
// while nobody touches them.
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "check.h"

namespace {

long in_data = 42;
long in_bss;
alignas(4096) long page_aligned[3] = {1, 2, 3};
alignas(4096) long page_aligned_zero[600];
// 64 MiB, of which one page in the middle is written before main.
char large[64 << 20];
char const* volatile pointer_to_constant = "a pointer that the loader relocates";
long* pointer_to_static = &in_data;

struct written_before_main {
  long value;
  std::vector<long> list;
  written_before_main() : value(in_data + 1), list{1, 2, 3} {
    in_bss = 7;
    large[32 << 20] = 9;
    page_aligned_zero[599] = 5;
  }
};
written_before_main object;

template <class T>
struct of_template {
  static T value;
};
template <class T>
T of_template<T>::value = T(sizeof(T));

template <class T>
T* in_function_template() {
  static T value = T(3);
  return &value;
}

long* in_function(long first) {
  static long initialized_at_first_call = first;
  return &initialized_at_first_call;
}

inline long inline_variable = 6;

struct with_member {
  static inline long member = 8;
};

thread_local long of_thread = 4;

// The neighbour's word is changed by all four ways, and the own one changes.
template <class T>
void check_symmetric(T* word, T expected) {
  int const me = shmem_my_pe(), pes = shmem_n_pes(), next = (me + 1) % pes, before = (me + pes - 1) % pes;
  CHECK(*word == expected);
  CHECK(shmem_addr_accessible(word, next) == 1);
  shmem_barrier_all();
  CHECK(shmem_g(word, next) == expected);
  shmem_barrier_all();
  shmem_p(word, static_cast<T>(me + 50), next);
  shmem_barrier_all();
  CHECK(*word == static_cast<T>(before + 50));
  shmem_barrier_all();
  shmem_atomic_add(word, static_cast<T>(1), next);
  shmem_barrier_all();
  CHECK(*word == static_cast<T>(before + 51));
  shmem_barrier_all();
  // Tiles have none for statics that do not fit into their own memory.
  if (auto* const there = static_cast<T*>(shmem_ptr(word, next)))
    *there = static_cast<T>(me + 60);
  else
    shmem_p(word, static_cast<T>(me + 60), next);
  shmem_barrier_all();
  CHECK(*word == static_cast<T>(before + 60));
  shmem_barrier_all();
}

long resident_kib() {
  std::ifstream lines("/proc/self/smaps_rollup");
  std::string word;
  long kib = 0;
  while (lines >> word)
    if (word == "Rss:") lines >> kib;
  return kib;
}

}  // namespace

int main() {
  CHECK(*in_function(11) == 11);
  std::string const before_init = "the heap of C++ is as it was";
  auto const start = std::chrono::steady_clock::now();
  shmem_init();
  double const took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  long const resident = resident_kib();
#if !defined(__riscv)
  CHECK(resident > 0 && resident < 24 * 1024);
#else
  (void)resident;  // of Linux
#endif
  CHECK(took < 5);  // copying or clearing 64 MiB would not take as long, but waiting for ever would

  check_symmetric(&in_data, 42L);
  check_symmetric(&in_bss, 7L);
  check_symmetric(&page_aligned[1], 2L);
  check_symmetric(&page_aligned_zero[599], 5L);
  check_symmetric(&object.value, 43L);
  check_symmetric(&of_template<int>::value, 4);
  check_symmetric(&of_template<long>::value, 8L);
  check_symmetric(in_function_template<int>(), 3);
  check_symmetric(in_function_template<unsigned long>(), 3UL);
  check_symmetric(in_function(12), 11L);
  check_symmetric(&inline_variable, 6L);
  check_symmetric(&with_member::member, 8L);
  CHECK(large[32 << 20] == 9 && large[0] == 0 && large[(64 << 20) - 1] == 0);
  shmem_barrier_all();
  shmem_char_p(&large[(64 << 20) - 1], 3, (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_barrier_all();
  CHECK(large[(64 << 20) - 1] == 3);

  // What is private stays so, and what was made before still works.
  CHECK(of_thread == 4 && shmem_addr_accessible(&of_thread, 0) == 0);
  CHECK(pointer_to_static == &in_data && pointer_to_constant[0] == 'a');
  object.list.push_back(4);
  CHECK(object.list.size() == 4 && object.list[0] == 1);
  CHECK(before_init == "the heap of C++ is as it was");
  if (shmem_my_pe() == 0) {
    std::printf("%ld KiB in memory, %.1f ms\n", resident, took * 1e3);
  }
  shmem_finalize();
  return 0;
}
