// openshmem_operations: executes operations of a real OpenSHMEM library under callgrind, with markers at the begin and
// end of each. Process 0 requests, process 1 has the word.
//
//   Started by `tess reproduce rae`: oshrun -n 2 valgrind --tool=callgrind openshmem_operations memory|messages. With
//   memory, process 1 sleeps outside of the library, so its instructions are not part of the operations. With messages,
//   it also sleeps while process 0 begins its operations, and then serves all of them at once. Only operations without
//   result are measured this way: for the others, most instructions would be polls of the waiting process.
//
// Units     instructions of all `operations` together, in the part of callgrind's output named after the operation.
// Errors    2: wrong arguments, or another number of processes; 1: the words do not have the expected values.
#include <shmem.h>  // it lacks some names for uint64; ulong is the same type
#include <time.h>
#include <valgrind/callgrind.h>

#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

constexpr unsigned long operations = 1000;
constexpr int warm = 10;  // the first operation of a kind looks up the remote memory
constexpr int other = 1;
constexpr std::size_t words_count = 16;  // so that the flag has its own line
constexpr timespec long_enough{1, 0};    // under callgrind, 1000 operations take a few hundredths of it

template <class T>
void use(T value) {
  asm volatile("" ::"r"(value));
}

class series {
 public:
  series(unsigned long* words, bool messages) : word_(words), flag_(words + 8), messages_(messages) {}

  template <class Operation>
  void count(char const* name, Operation one) {
    ++turn_;
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
      for (int i = 0; i < warm; ++i) one(word_);
      shmem_quiet();
      CALLGRIND_ZERO_STATS;
      for (unsigned long i = 0; i < operations; ++i) one(word_);
      CALLGRIND_DUMP_STATS_AT(name);
      shmem_quiet();
      shmem_ulong_p(flag_, turn_, other);
      shmem_quiet();
    } else {
      CALLGRIND_ZERO_STATS;
      ::nanosleep(&long_enough, nullptr);
      if (messages_) shmem_ulong_wait_until(flag_, SHMEM_CMP_GE, turn_);
      CALLGRIND_DUMP_STATS_AT(name);
    }
    shmem_barrier_all();
  }

  [[nodiscard]] unsigned long value() const { return shmem_ulong_g(word_, other); }

 private:
  unsigned long* word_;
  unsigned long* flag_;
  bool messages_;
  unsigned long turn_ = 0;
};

void count_words(series& of) {
  of.count("put, quiet", [](unsigned long* w) {
    shmem_ulong_p(w, 7, other);
    shmem_quiet();
  });
  of.count("add, quiet", [](unsigned long* w) {
    shmem_ulong_atomic_add(w, 1, other);
    shmem_quiet();
  });
  of.count("get", [](unsigned long* w) { use(shmem_ulong_g(w, other)); });
}

// Bitwise operations come first, and swap sets the word to 0: in shared memory fetch_or and fetch_xor of Open MPI 4.1.4
// with UCX 1.13.1 return the old value and leave a wrong one (12 | 1 makes 12, 12 ^ 5 makes 0).
void count_fetching(series& of) {
  of.count("fetch_and", [](unsigned long* w) { use(shmem_ulong_atomic_fetch_and(w, ~0UL, other)); });
  of.count("fetch_or", [](unsigned long* w) { use(shmem_ulong_atomic_fetch_or(w, 0, other)); });
  of.count("fetch_xor", [](unsigned long* w) { use(shmem_ulong_atomic_fetch_xor(w, 0, other)); });
  of.count("fetch", [](unsigned long* w) { use(shmem_ulong_atomic_fetch(w, other)); });
  of.count("swap", [](unsigned long* w) { use(shmem_ulong_atomic_swap(w, 0, other)); });
  of.count("compare_swap", [](unsigned long* w) { use(shmem_ulong_atomic_compare_swap(w, 0, 0, other)); });
  of.count("fetch_inc", [](unsigned long* w) { use(shmem_ulong_atomic_fetch_inc(w, other)); });
  of.count("fetch_add", [](unsigned long* w) { use(shmem_ulong_atomic_fetch_add(w, 1, other)); });
}

void count_without_result(series& of) {
  of.count("nothing", [](unsigned long* w) { use(w); });
  of.count("put", [](unsigned long* w) { shmem_ulong_p(w, 0, other); });
  of.count("inc", [](unsigned long* w) { shmem_ulong_atomic_inc(w, other); });
  of.count("add", [](unsigned long* w) { shmem_ulong_atomic_add(w, 1, other); });
  of.count("and", [](unsigned long* w) { shmem_ulong_atomic_and(w, ~0UL, other); });
  of.count("or", [](unsigned long* w) { shmem_ulong_atomic_or(w, 0, other); });
  of.count("xor", [](unsigned long* w) { shmem_ulong_atomic_xor(w, 0, other); });
}

// Whether the word contains all additions since the last put.
bool count_all(bool messages) {
  auto* const words = static_cast<unsigned long*>(shmem_align(64, words_count * sizeof(unsigned long)));
  for (std::size_t i = 0; i < words_count; ++i) words[i] = 0;
  shmem_barrier_all();
  series of(words, messages);
  count_without_result(of);
  bool right = shmem_my_pe() != 0 || of.value() == 2 * (operations + warm);
  if (messages) return right;
  count_fetching(of);
  right = right && (shmem_my_pe() != 0 || of.value() == 2 * (operations + warm));
  count_words(of);
  of.count("set", [](unsigned long* w) { shmem_ulong_atomic_set(w, 9, other); });
  return right && (shmem_my_pe() != 0 || of.value() == 9);
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view const way = argc == 2 ? argv[1] : "";
  if (way != "memory" && way != "messages") {
    std::fputs("openshmem_operations: expected one word, memory or messages\n", stderr);
    return 2;
  }
  shmem_init();
  int code = 2;
  if (shmem_n_pes() == 2) {
    code = count_all(way == "messages") ? 0 : 1;
    if (code != 0) std::fputs("openshmem_operations: the word does not hold what was done to it\n", stderr);
    shmem_barrier_all();
  } else {
    std::fprintf(stderr, "openshmem_operations: %d processes, expected 2\n", shmem_n_pes());
  }
  // No shmem_finalize(): in Open MPI 4.1.4 it accesses memory that it has freed.
  shmem_global_exit(code);
}
