// openshmem: the cases of bench/processes with OpenSHMEM.
//
// Units  ns per operation; million updates per second, both processes together.
#include <shmem.h>  // it lacks some names for uint64; ulong is the same type

#include <CLI/CLI.hpp>
#include <cstdint>

#include "harness/clock.hpp"
#include "harness/splitmix.hpp"
#include "measured.hpp"

namespace {

constexpr std::uint64_t hot_lines = 64;
constexpr std::uint64_t words_per_line = 8;
constexpr std::uint64_t operations = 1'000'000;
constexpr std::uint64_t updates = 2'000'000;
constexpr std::uint64_t calls = 50'000;

std::uint64_t* hot_line(std::uint64_t* words, std::uint64_t i) {
  return words + (i & (hot_lines - 1)) * words_per_line;
}

/// Process 0 executes f, the other one waits in a barrier; ns per operation.
template <class Operation>
double by_the_first(std::uint64_t count, Operation one, void (*end)() = nullptr) {
  shmem_barrier_all();
  double ns = 1;
  if (shmem_my_pe() == 0) {
    double const begin = bench::timestamp();
    for (std::uint64_t i = 0; i < count; ++i) one(i);
    if (end != nullptr) end();
    ns = (bench::timestamp() - begin) * bench::ns_per_second / static_cast<double>(count);
  }
  shmem_barrier_all();
  return ns;
}

double random_updates(std::uint64_t* table, std::size_t words_each) {
  auto const me = static_cast<std::uint64_t>(shmem_my_pe());
  shmem_barrier_all();
  double const begin = bench::timestamp();
  for (std::uint64_t k = 0; k < updates / 2; ++k) {
    std::uint64_t const at = bench::splitmix(0, (me << 32U) + k) & (2 * words_each - 1);
    shmem_ulong_atomic_inc(table + (at & (words_each - 1)), at < words_each ? 0 : 1);
  }
  shmem_barrier_all();
  return static_cast<double>(updates) / (bench::timestamp() - begin) / 1e6;
}

/// A put that the other process waits for, and one back.
double round_trip(std::uint64_t* flags) {
  int const me = shmem_my_pe();
  static_cast<std::uint64_t volatile&>(flags[0]) = 0;
  shmem_barrier_all();
  double const begin = bench::timestamp();
  for (std::uint64_t i = 1; i <= calls; ++i) {
    if (me == 0) shmem_uint64_p(flags, i, 1);
    shmem_uint64_wait_until(flags, SHMEM_CMP_GE, i);
    if (me == 1) shmem_uint64_p(flags, i, 0);
  }
  double const ns = (bench::timestamp() - begin) * bench::ns_per_second / calls;
  shmem_barrier_all();
  return ns;
}

double barriers() {
  for (std::uint64_t i = 0; i < calls / 10; ++i) shmem_barrier_all();
  double const begin = bench::timestamp();
  for (std::uint64_t i = 0; i < calls; ++i) shmem_barrier_all();
  return (bench::timestamp() - begin) * bench::ns_per_second / calls;
}

void measure(bench::measured& results) {
  constexpr std::size_t table_words_each = (std::size_t{64} << 20U) / 16;
  auto* const words = static_cast<std::uint64_t*>(shmem_align(64, hot_lines * words_per_line * 8));
  auto* const table = static_cast<std::uint64_t*>(shmem_align(64, table_words_each * 8));
  for (std::uint64_t i = 0; i < hot_lines * words_per_line; ++i) words[i] = 0;
  for (std::size_t i = 0; i < table_words_each; ++i) table[i] = 0;
  results.add("get hot", "ns", [=] {
    return by_the_first(operations,
                        [=](std::uint64_t i) { bench::do_not_optimize(shmem_uint64_g(hot_line(words, i), 1)); });
  });
  results.add("fetch_add hot", "ns", [=] {
    return by_the_first(operations, [=](std::uint64_t i) {
      bench::do_not_optimize(shmem_ulong_atomic_fetch_add(hot_line(words, i), 1, 1));
    });
  });
  results.add("put, awaited", "ns", [=] {
    return by_the_first(operations, [=](std::uint64_t i) {
      shmem_uint64_p(hot_line(words, i), i, 1);
      shmem_quiet();
    });
  });
  results.add("put, 1024 ended by one counter", "ns", [=] {
    return by_the_first(
        operations,
        [=](std::uint64_t i) {
          shmem_uint64_p(hot_line(words, i), i, 1);
          if (i % 1024 == 1023) shmem_quiet();
        },
        &shmem_quiet);
  });
  results.add("updates 64 MiB", "M/s", [=] { return random_updates(table, table_words_each); });
  results.add("call, round trip", "ns", [=] { return round_trip(words); });
  results.add("barrier", "ns", [] { return barriers(); });
  shmem_free(table);
  shmem_free(words);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("the cases of the benchmark `processes`, with OpenSHMEM");
  bench::options chosen;
  chosen.runs = 5;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  shmem_init();
  int code = 2;
  if (shmem_n_pes() == 2) {
    bench::measured results("OpenSHMEM", shmem_my_pe(), chosen);
    measure(results);
    code = results.finish();
  }
  shmem_finalize();
  return code;
}
