// main: what operations of OpenSHMEM cost between processes of one host, beside the processor's own instructions.
//
//   Every PE makes every measurement; the figures are those of PE 0. The limits are raw: they use the addresses of
//   shmem_ptr, and the same memory. The same program, compiled against another library, is a peer; cases that this
//   library has not are left out.
//
// Units     as each case says; million updates a second by all PEs together.
#include <shmem.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/report.hpp"
#include "harness/splitmix.hpp"
#include "harness/suite.hpp"

namespace {

using bench::ns_per_second;
using bench::timestamp;
using side = std::function<double()>;

struct alignas(64) flag_line {
  long value;
};
// In the heap: not every library gives an address of another PE's statics.
flag_line* word = nullptr;
flag_line* flags = nullptr;
#if !defined(SHMEM_VENDOR_TESSERA)
constexpr std::size_t sync_size = 1024;
long* sync_words = nullptr;
#endif

int me() {
  return shmem_my_pe();
}
int other() {
  return (shmem_my_pe() + 1) % shmem_n_pes();
}

class cases {
 public:
  cases(bench::suite& results, int runs) : results_(results), runs_(runs) {}

  /// Both sides in turn, at all PEs; PE 0 keeps the figures.
  void pair(std::string const& name, std::string const& unit, side const& limit, side const& ours) {
    if (!results_.wants(name)) return;
    std::vector<bench::round> rounds;
    for (int i = 0; i < runs_; ++i) {
      bench::round now{};
      for (int half = 0; half < 2; ++half) {
        shmem_barrier_all();
        (half == i % 2 ? now.limit : now.ours) = half == i % 2 ? limit() : ours();
      }
      rounds.push_back(now);
    }
    shmem_barrier_all();
    if (me() == 0) results_.record(name, shmem_n_pes(), unit, rounds);
  }

 private:
  bench::suite& results_;
  int runs_;
};

/// PE 0 executes f, the others wait; ns per operation.
side by_the_first(std::uint64_t count, std::function<void(std::uint64_t)> const& loop) {
  return [=] {
    double ns = 1;
    if (me() == 0) {
      double const begin = timestamp();
      loop(count);
      ns = (timestamp() - begin) * ns_per_second / static_cast<double>(count);
    }
    shmem_barrier_all();
    return ns;
  };
}
/// All PEs execute it; ns per episode.
side by_all(std::uint64_t count, std::function<void(std::uint64_t)> const& loop) {
  return [=] {
    shmem_barrier_all();
    double const begin = timestamp();
    loop(count);
    return (timestamp() - begin) * ns_per_second / static_cast<double>(count);
  };
}

long* raw_word() {
  return static_cast<long*>(shmem_ptr(&word->value, other()));
}

void words(cases& to) {
  constexpr std::uint64_t count = 3'000'000;
  long* const raw = raw_word();
  long* const hot = &word->value;
  if (raw == nullptr) return;
  to.pair("fetch_add of a hot word", "ns/op",
          by_the_first(count,
                       [=](std::uint64_t n) {
                         for (std::uint64_t i = 0; i < n; ++i) __atomic_fetch_add(raw, 1, __ATOMIC_SEQ_CST);
                       }),
          by_the_first(count, [=](std::uint64_t n) {
            int const pe = other();
            long* const at = hot;
            for (std::uint64_t i = 0; i < n; ++i) bench::do_not_optimize(shmem_long_atomic_fetch_add(at, 1, pe));
          }));
  to.pair("p of a hot word", "ns/op",
          by_the_first(count,
                       [=](std::uint64_t n) {
                         for (std::uint64_t i = 0; i < n; ++i) *static_cast<long volatile*>(raw) = static_cast<long>(i);
                       }),
          by_the_first(count, [=](std::uint64_t n) {
            int const pe = other();
            long* const at = hot;
            for (std::uint64_t i = 0; i < n; ++i) shmem_long_p(at, static_cast<long>(i), pe);
            shmem_quiet();
          }));
  to.pair("g of a hot word", "ns/op",
          by_the_first(count,
                       [=](std::uint64_t n) {
                         for (std::uint64_t i = 0; i < n; ++i)
                           bench::do_not_optimize(*static_cast<long volatile*>(raw));
                       }),
          by_the_first(count, [=](std::uint64_t n) {
            int const pe = other();
            long* const at = hot;
            for (std::uint64_t i = 0; i < n; ++i) bench::do_not_optimize(shmem_long_g(at, pe));
          }));
}

std::string size_name(std::size_t bytes) {
  if (bytes >= std::size_t{1} << 20U) return std::to_string(bytes >> 20U) + " MiB";
  if (bytes >= 1024) return std::to_string(bytes >> 10U) + " KiB";
  return std::to_string(bytes) + " B";
}

void blocks(cases& to) {
  constexpr std::size_t largest = std::size_t{64} << 20U;
  auto* const symmetric = static_cast<char*>(shmem_malloc(largest));
  std::vector<char> own(largest, 1);
  std::memset(symmetric, 2, largest);
  auto* const raw = static_cast<char*>(shmem_ptr(symmetric, other()));
  char* const local = own.data();
  for (std::size_t const bytes : {8UL, 64UL, 512UL, 4096UL, 65536UL, 1UL << 20U, largest}) {
    std::uint64_t const count = std::min<std::uint64_t>(1'000'000, std::max<std::uint64_t>(4, (256UL << 20U) / bytes));
    auto const copies = [=](char* target, char const* source) {
      return by_the_first(count, [=](std::uint64_t n) {
        for (std::uint64_t i = 0; i < n; ++i) {
          std::memcpy(target, source, bytes);
          asm volatile("" ::: "memory");
        }
      });
    };
    to.pair("put of " + size_name(bytes), "ns/op", copies(raw, local), by_the_first(count, [=](std::uint64_t n) {
              int const pe = other();
              for (std::uint64_t i = 0; i < n; ++i) {
                shmem_putmem(symmetric, local, bytes, pe);
                asm volatile("" ::: "memory");
              }
            }));
    to.pair("get of " + size_name(bytes), "ns/op", copies(local, raw), by_the_first(count, [=](std::uint64_t n) {
              int const pe = other();
              for (std::uint64_t i = 0; i < n; ++i) {
                shmem_getmem(local, symmetric, bytes, pe);
                asm volatile("" ::: "memory");
              }
            }));
  }
  shmem_free(symmetric);
}

long raw_turn = 0;

/// Each tells the other, and waits for it: what a barrier of two is at least.
void exchange_flags(std::uint64_t n) {
  auto* const theirs = static_cast<long volatile*>(shmem_ptr(&flags[0].value, other()));
  auto* const mine = static_cast<long volatile*>(&flags[0].value);
  for (std::uint64_t i = 0; i < n; ++i) {
    ++raw_turn;
    *theirs = raw_turn;
    while (*mine < raw_turn) bench::spin_pause();
  }
}

void barriers(cases& to) {
  constexpr std::uint64_t count = 50'000;
  side const limit = shmem_n_pes() == 2 ? by_all(count, exchange_flags) : by_all(count, [](std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) shmem_barrier_all();
  });
  to.pair("barrier_all", "ns/op", limit, by_all(count, [](std::uint64_t n) {
            for (std::uint64_t i = 0; i < n; ++i) shmem_barrier_all();
          }));
}

#if defined(SHMEM_VENDOR_TESSERA)
void signals(cases& to) {
  constexpr std::uint64_t count = 50'000;
  static std::uint64_t turn = 0;
  static long raw = 0;
  auto* const buffer = static_cast<char*>(shmem_malloc(64));
  static std::uint64_t signal = 0;
  std::uint64_t* const sig = &signal;
  to.pair("put of 8 B with signal, round trip", "ns/op",
          by_all(count,
                 [](std::uint64_t n) {
                   auto* const theirs = static_cast<long volatile*>(shmem_ptr(&flags[1].value, other()));
                   auto* const mine = static_cast<long volatile*>(&flags[1].value);
                   for (std::uint64_t i = 0; i < n; ++i) {
                     ++raw;
                     if (me() == 0) *theirs = raw;
                     while (*mine < raw) bench::spin_pause();
                     if (me() == 1) *theirs = raw;
                   }
                 }),
          by_all(count, [=](std::uint64_t n) {
            char const bytes[8] = {};
            for (std::uint64_t i = 0; i < n; ++i) {
              ++turn;
              if (me() == 0) shmem_putmem_signal(buffer, bytes, sizeof bytes, sig, turn, SHMEM_SIGNAL_SET, 1);
              shmem_signal_wait_until(sig, SHMEM_CMP_GE, turn);
              if (me() == 1) shmem_putmem_signal(buffer, bytes, sizeof bytes, sig, turn, SHMEM_SIGNAL_SET, 0);
            }
          }));
  shmem_free(buffer);
}
#endif

void reduce(std::int64_t* dest, std::int64_t const* source, std::size_t items) {
#if defined(SHMEM_VENDOR_TESSERA)
  shmem_int64_sum_reduce(SHMEM_TEAM_WORLD, dest, source, items);
#else
  static long* const work = static_cast<long*>(shmem_malloc(sizeof(long) * (items / 2 + 1024)));
  shmem_long_sum_to_all(reinterpret_cast<long*>(dest), reinterpret_cast<long*>(const_cast<std::int64_t*>(source)),
                        static_cast<int>(items), 0, 0, shmem_n_pes(), work, sync_words);
  shmem_barrier_all();
#endif
}
void collect(void* dest, void const* source, std::size_t bytes) {
#if defined(SHMEM_VENDOR_TESSERA)
  shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, bytes);
#else
  shmem_fcollect64(dest, source, bytes / 8, 0, 0, shmem_n_pes(), sync_words);
  shmem_barrier_all();
#endif
}
void exchange(void* dest, void const* source, std::size_t bytes) {
#if defined(SHMEM_VENDOR_TESSERA)
  shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, bytes);
#else
  shmem_alltoall64(dest, source, bytes / 8, 0, 0, shmem_n_pes(), sync_words);
  shmem_barrier_all();
#endif
}

void collectives(cases& to) {
  constexpr std::size_t largest = std::size_t{8} << 20U;
  auto const pes = static_cast<std::size_t>(shmem_n_pes());
  auto* const dest = static_cast<char*>(shmem_malloc(largest * pes));
  auto* const source = static_cast<char*>(shmem_malloc(largest * pes));
  std::memset(dest, 1, largest * pes);
  std::memset(source, 1, largest * pes);
  for (std::size_t const bytes : {std::size_t{8}, largest}) {
    std::uint64_t const count = bytes == 8 ? 50'000 : 10;
    // The limit of few bytes is a meeting; of many, one copy of them at each PE.
    auto const copy_of = [=](std::size_t size) -> side {
      if (bytes == 8) return by_all(count, exchange_flags);
      return by_all(count, [=](std::uint64_t n) {
        for (std::uint64_t i = 0; i < n; ++i) {
          std::memcpy(dest, source, size);
          asm volatile("" ::: "memory");
        }
      });
    };
    to.pair("sum_reduce of " + size_name(bytes), "ns/op", copy_of(bytes), by_all(count, [=](std::uint64_t n) {
              for (std::uint64_t i = 0; i < n; ++i)
                reduce(reinterpret_cast<std::int64_t*>(dest), reinterpret_cast<std::int64_t const*>(source), bytes / 8);
            }));
    to.pair("fcollect of " + size_name(bytes), "ns/op", copy_of(bytes * pes), by_all(count, [=](std::uint64_t n) {
              for (std::uint64_t i = 0; i < n; ++i) collect(dest, source, bytes);
            }));
    to.pair("alltoall of " + size_name(bytes), "ns/op", copy_of(bytes * pes), by_all(count, [=](std::uint64_t n) {
              for (std::uint64_t i = 0; i < n; ++i) exchange(dest, source, bytes);
            }));
  }
  shmem_free(source);
  shmem_free(dest);
}

/// Million updates a second; `one(address, pe)`, of random words.
template <class Update, class Ahead>
side updates(std::uint64_t* table, std::uint64_t words_each, Ahead ahead, Update one) {
  return [=] {
    constexpr std::uint64_t count = 2'000'000;
    constexpr std::uint64_t distance = 32;
    auto const pes = static_cast<std::uint64_t>(shmem_n_pes());
    auto const mine = static_cast<std::uint64_t>(me());
    auto const place = [&](std::uint64_t k) { return bench::splitmix(0, (mine << 32U) + k) & (pes * words_each - 1); };
    shmem_barrier_all();
    double const begin = timestamp();
    for (std::uint64_t k = 0; k < count; ++k) {
      std::uint64_t const later = place(k + distance);
      ahead(table + (later & (words_each - 1)), static_cast<int>(later / words_each));
      std::uint64_t const at = place(k);
      one(table + (at & (words_each - 1)), static_cast<int>(at / words_each));
    }
    shmem_barrier_all();
    return static_cast<double>(count * pes) / (timestamp() - begin) / 1e6;
  };
}

/// Compilers fetch a line that is only to be read, unless they are told which processor it is.
void prefetch_to_write(std::uint64_t* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*address));
#else
  __builtin_prefetch(address, 1);
#endif
}

void random_updates(cases& to) {
  auto const pes = static_cast<std::uint64_t>(shmem_n_pes());
  std::uint64_t const words_each = (std::uint64_t{1} << 27U) / pes;  // 1 GiB in all
  auto* const table = static_cast<std::uint64_t*>(shmem_align(4096, words_each * 8));
  if (table == nullptr) return;
  std::memset(table, 0, words_each * 8);
  std::vector<std::uint64_t*> tables;
  for (int pe = 0; pe < shmem_n_pes(); ++pe) tables.push_back(static_cast<std::uint64_t*>(shmem_ptr(table, pe)));
  auto const raw_at = [=](std::uint64_t* address, int pe) {
    return tables[static_cast<std::size_t>(pe)] + (address - table);
  };
  auto const raw = updates(
      table, words_each, [=](std::uint64_t* address, int pe) { prefetch_to_write(raw_at(address, pe)); },
      [=](std::uint64_t* address, int pe) { __atomic_fetch_add(raw_at(address, pe), 1, __ATOMIC_RELAXED); });
  auto const nothing = [](std::uint64_t*, int) {};
  to.pair("random updates of 1 GiB", "M/s", raw,
          updates(table, words_each, nothing, [](std::uint64_t* address, int pe) {
            shmem_ulong_atomic_inc(reinterpret_cast<unsigned long*>(address), pe);
          }));
#if defined(SHMEM_VENDOR_TESSERA)
  static std::uint64_t fetched[64];
  to.pair("random updates of 1 GiB, nbi", "M/s", raw,
          updates(table, words_each, nothing,
                  [](std::uint64_t* address, int pe) { shmem_uint64_atomic_fetch_add_nbi(fetched, address, 1, pe); }));
#endif
  shmem_free(table);
}

void measure(cases& to) {
  if (shmem_n_pes() == 2) {
    words(to);
    blocks(to);
  }
  barriers(to);
  if (shmem_n_pes() != 2) return;
#if defined(SHMEM_VENDOR_TESSERA)
  signals(to);
#endif
  collectives(to);
  random_updates(to);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("operations of OpenSHMEM between processes of one host: tess bench openshmem");
  bench::options chosen;
  chosen.runs = 7;
  bench::declare(app, chosen);
  bool starts_only = false;
  app.add_flag("--start-only", starts_only, "begin and end, and measure nothing");
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  shmem_init();
  if (starts_only) {
    shmem_finalize();
    return 0;
  }
  flags = static_cast<flag_line*>(shmem_align(64, 3 * sizeof(flag_line)));
  std::memset(flags, 0, 3 * sizeof(flag_line));
  word = flags + 2;
#if !defined(SHMEM_VENDOR_TESSERA)
  sync_words = static_cast<long*>(shmem_malloc(sync_size * sizeof(long)));
  std::fill_n(sync_words, sync_size, SHMEM_SYNC_VALUE);
#endif
  shmem_barrier_all();
  bench::suite results("openshmem", chosen);
  cases to(results, chosen.runs);
  measure(to);
  int code = 0;
  if (me() == 0) {
    for (auto const& e : results.entries()) std::fprintf(stderr, "%s\n", bench::one_line(e).c_str());
    if (!chosen.json.empty() && !bench::write_json(results.entries(), chosen.json)) code = 1;
  }
  shmem_finalize();
  return code;
}
