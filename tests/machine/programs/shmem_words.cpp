// shmem_words: every operation of <tess/shmem_words.h> on every type, by one PE and by all at once; and refused uses.
//
//   shmem_words          PE 0 prints how many values were wrong
//   shmem_words WHAT     misuse: address, aligned, pe, free, early (PE 1 ends early), signal (PE 1 is killed)
#include <tess/shmem_words.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace {

unsigned long wrong = 0;

template <class T>
void check(T got, T expected, char const* what) {
  if (got == expected) return;
  if (++wrong < 10) std::fprintf(stderr, "PE %d: %s\n", shmem_my_pe(), what);
}

// On a word of the next PE that only this one uses.
#define STANDARD(NAME, T)                                                                                 \
  void standard_##NAME(void* at, int pe) {                                                                \
    T* const word = static_cast<T*>(at);                                                                  \
    T const top = std::numeric_limits<T>::max();                                                          \
    T got = 0;                                                                                            \
    shmem_##NAME##_p(word, 5, pe);                                                                        \
    check<T>(shmem_##NAME##_g(word, pe), 5, #NAME " p, g");                                               \
    shmem_##NAME##_atomic_set(word, top, pe);                                                             \
    check<T>(shmem_##NAME##_atomic_fetch(word, pe), top, #NAME " set, fetch");                            \
    shmem_##NAME##_atomic_fetch_nbi(&got, word, pe);                                                      \
    shmem_quiet();                                                                                        \
    check<T>(got, top, #NAME " fetch_nbi");                                                               \
    check<T>(shmem_##NAME##_atomic_swap(word, 7, pe), top, #NAME " swap");                                \
    shmem_##NAME##_atomic_swap_nbi(&got, word, 8, pe);                                                    \
    shmem_quiet();                                                                                        \
    check<T>(got, 7, #NAME " swap_nbi");                                                                  \
    shmem_##NAME##_atomic_inc(word, pe);                                                                  \
    check<T>(shmem_##NAME##_atomic_fetch_inc(word, pe), 9, #NAME " inc");                                 \
    shmem_##NAME##_atomic_fetch_inc_nbi(&got, word, pe);                                                  \
    shmem_quiet();                                                                                        \
    check<T>(got, 10, #NAME " fetch_inc");                                                                \
    shmem_##NAME##_atomic_add(word, 100, pe);                                                             \
    check<T>(shmem_##NAME##_atomic_fetch_add(word, 1000, pe), 111, #NAME " add");                         \
    shmem_##NAME##_atomic_fetch_add_nbi(&got, word, 1, pe);                                               \
    shmem_quiet();                                                                                        \
    check<T>(got, 1111, #NAME " fetch_add");                                                              \
    check<T>(shmem_##NAME##_atomic_compare_swap(word, 3, 4, pe), 1112, #NAME " compare_swap that fails"); \
    check<T>(shmem_##NAME##_atomic_compare_swap(word, 1112, top, pe), 1112, #NAME " compare_swap");       \
    shmem_##NAME##_atomic_compare_swap_nbi(&got, word, top, 2, pe);                                       \
    shmem_quiet();                                                                                        \
    check<T>(got, top, #NAME " compare_swap");                                                            \
    check<T>(shmem_##NAME##_g(word, pe), 2, #NAME " compare_swap_nbi");                                   \
  }
#define BITWISE(NAME, T)                                                           \
  void bitwise_##NAME(void* at, int pe) {                                          \
    T* const word = static_cast<T*>(at);                                           \
    T got = 0;                                                                     \
    shmem_##NAME##_p(word, 0x7c, pe);                                              \
    shmem_##NAME##_atomic_and(word, 0x5e, pe);                                     \
    check<T>(shmem_##NAME##_atomic_fetch_and(word, 0x4f, pe), 0x5c, #NAME " and"); \
    shmem_##NAME##_atomic_fetch_and_nbi(&got, word, 0x7f, pe);                     \
    shmem_quiet();                                                                 \
    check<T>(got, 0x4c, #NAME " fetch_and");                                       \
    shmem_##NAME##_atomic_or(word, 1, pe);                                         \
    check<T>(shmem_##NAME##_atomic_fetch_or(word, 2, pe), 0x4d, #NAME " or");      \
    shmem_##NAME##_atomic_fetch_or_nbi(&got, word, 0x20, pe);                      \
    shmem_quiet();                                                                 \
    check<T>(got, 0x4f, #NAME " fetch_or");                                        \
    shmem_##NAME##_atomic_xor(word, 0x0f, pe);                                     \
    check<T>(shmem_##NAME##_atomic_fetch_xor(word, 0x11, pe), 0x60, #NAME " xor"); \
    shmem_##NAME##_atomic_fetch_xor_nbi(&got, word, 0x71, pe);                     \
    shmem_quiet();                                                                 \
    check<T>(got, 0x71, #NAME " fetch_xor");                                       \
    check<T>(shmem_##NAME##_g(word, pe), 0, #NAME " fetch_xor_nbi");               \
  }
#define TYPES(X)                   \
  X(uint, unsigned int)            \
  X(ulong, unsigned long)          \
  X(ulonglong, unsigned long long) \
  X(int32, std::int32_t)           \
  X(int64, std::int64_t)           \
  X(uint32, std::uint32_t)         \
  X(uint64, std::uint64_t)
#define OTHER_TYPES(X)   \
  X(int, int)            \
  X(long, long)          \
  X(longlong, long long) \
  X(size, std::size_t)   \
  X(ptrdiff, std::ptrdiff_t)
TYPES(STANDARD)
OTHER_TYPES(STANDARD)
TYPES(BITWISE)

/// Words of a PE that all use, and one for each of the others.
struct words {
  unsigned long sum;
  unsigned int tickets;
  int signed_sum;
  unsigned long parity;
  unsigned long swapped;
  unsigned long tried;
};

// All PEs at once on words of all.
void together(words* all, unsigned long times) {
  auto const pes = static_cast<unsigned long>(shmem_n_pes());
  for (unsigned long i = 0; i < times; ++i) {
    for (int pe = 0; pe < shmem_n_pes(); ++pe) {
      shmem_ulong_atomic_add(&all->sum, i, pe);
      (void)shmem_uint_atomic_fetch_inc(&all->tickets, pe);
      shmem_int_atomic_add(&all->signed_sum, -1, pe);
      shmem_ulong_atomic_xor(&all->parity, 1UL << shmem_my_pe(), pe);
      (void)shmem_ulong_atomic_swap(&all->swapped, i + 1, pe);
      unsigned long seen = shmem_ulong_g(&all->tried, pe);
      for (unsigned long found = 0; (found = shmem_ulong_atomic_compare_swap(&all->tried, seen, seen + 3, pe)) != seen;)
        seen = found;
    }
  }
  shmem_barrier_all();
  int const me = shmem_my_pe();
  check(shmem_ulong_g(&all->sum, me), pes * (times * (times - 1) / 2), "sums of all");
  check(shmem_uint_g(&all->tickets, me), static_cast<unsigned>(pes * times), "tickets");
  check(shmem_int_g(&all->signed_sum, me), -static_cast<int>(pes * times), "a signed sum");
  check(shmem_ulong_g(&all->parity, me), times % 2 == 0 ? 0UL : (1UL << pes) - 1, "parities");
  check(shmem_ulong_g(&all->tried, me), 3 * pes * times, "compare and swap");
  check(shmem_ulong_g(&all->swapped, me), times, "swaps");
}

// Same addresses everywhere, room again when it was freed.
void heap(long* where) {
  void* const first = shmem_malloc(1000);
  void* const second = shmem_malloc(100'000);
  shmem_long_p(where, reinterpret_cast<char*>(second) - reinterpret_cast<char*>(where), 0);
  shmem_barrier_all();
  check(shmem_long_g(where, 0), static_cast<long>(reinterpret_cast<char*>(second) - reinterpret_cast<char*>(where)),
        "another address than at PE 0");
  shmem_free(first);
  shmem_free(second);
  void* const again = shmem_malloc(90'000);
  check(again, first, "freed neighbours are one");
  shmem_free(again);
  check(shmem_malloc(std::size_t{1} << 40U), static_cast<void*>(nullptr), "more than there is");
  shmem_free(nullptr);
}

void misuse(std::string_view what, unsigned long* word) {
  int const me = shmem_my_pe();
  if (what == "early" && me == 1) std::exit(0);
  if (what == "signal" && me == 1) std::raise(SIGKILL);
  if (what == "early" || what == "signal") shmem_barrier_all();
  if (what == "address") (void)shmem_ulong_g(reinterpret_cast<unsigned long*>(0xffffff0000), 0);
  if (what == "aligned") (void)shmem_ulong_g(reinterpret_cast<unsigned long*>(reinterpret_cast<char*>(word) + 4), 0);
  if (what == "pe") (void)shmem_ulong_atomic_fetch_add(word, 1, shmem_n_pes());
  if (what == "free") shmem_free(word + 2);
}

}  // namespace

int main(int count, char** given) {
  shmem_init();
  int const me = shmem_my_pe();
  int const pes = shmem_n_pes();
  int const next = (me + 1) % pes;
  auto* const word = static_cast<unsigned long*>(shmem_malloc(2 * sizeof(unsigned long)));
  auto* const all = static_cast<words*>(shmem_malloc(sizeof(words)));
  *all = {};
  shmem_barrier_all();
  if (count == 2) misuse(given[1], word);
#define RUN_STANDARD(NAME, T) standard_##NAME(word, next);
#define RUN_BITWISE(NAME, T) bitwise_##NAME(word + 1, next);
  TYPES(RUN_STANDARD)
  OTHER_TYPES(RUN_STANDARD)
  TYPES(RUN_BITWISE)
  together(all, 25);
  heap(reinterpret_cast<long*>(word));
  shmem_barrier_all();
  shmem_ulong_p(&all->sum, 0, me);
  shmem_barrier_all();
  shmem_ulong_atomic_add(&all->sum, wrong, 0);
  shmem_barrier_all();
  if (me == 0) std::printf("%d PEs: %lu wrong\n", pes, shmem_ulong_g(&all->sum, 0));
  shmem_finalize();
  return wrong != 0;
}
