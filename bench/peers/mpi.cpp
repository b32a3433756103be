// mpi: the cases of bench/processes with MPI-3 one-sided communication under one lock_all.
//
// Units  ns per operation; million updates per second, both processes together.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/clock.hpp"
#include "harness/splitmix.hpp"
#include "measured.hpp"

namespace {

constexpr std::uint64_t hot_lines = 64;
constexpr std::uint64_t words_per_line = 8;
constexpr std::uint64_t operations = 500'000;
constexpr std::uint64_t updates = 2'000'000;
constexpr std::uint64_t calls = 50'000;

int rank_of_this() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// A window of memory of both processes.
class window {
 public:
  explicit window(std::size_t words) {
    MPI_Win_allocate(static_cast<MPI_Aint>(words * 8), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base_, &window_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    for (std::size_t i = 0; i < words; ++i) base_[i] = 0;
    MPI_Win_sync(window_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  window(window const&) = delete;
  window& operator=(window const&) = delete;
  ~window() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  [[nodiscard]] MPI_Win get() const noexcept { return window_; }

 private:
  std::uint64_t* base_ = nullptr;
  MPI_Win window_{};
};

MPI_Aint hot_line(std::uint64_t i) {
  return static_cast<MPI_Aint>((i & (hot_lines - 1)) * words_per_line);
}

template <class Operation>
double by_the_first(std::uint64_t count, Operation one) {
  MPI_Barrier(MPI_COMM_WORLD);
  double ns = 1;
  if (rank_of_this() == 0) {
    double const begin = bench::timestamp();
    for (std::uint64_t i = 0; i < count; ++i) one(i);
    ns = (bench::timestamp() - begin) * bench::ns_per_second / static_cast<double>(count);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return ns;
}

double random_updates(MPI_Win table, std::size_t words_each) {
  auto const me = static_cast<std::uint64_t>(rank_of_this());
  std::uint64_t const one = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  double const begin = bench::timestamp();
  for (std::uint64_t k = 0; k < updates / 2; ++k) {
    std::uint64_t const at = bench::splitmix(0, (me << 32U) + k) & (2 * words_each - 1);
    MPI_Accumulate(&one, 1, MPI_UINT64_T, at < words_each ? 0 : 1, static_cast<MPI_Aint>(at & (words_each - 1)), 1,
                   MPI_UINT64_T, MPI_SUM, table);
  }
  MPI_Win_flush_all(table);
  MPI_Barrier(MPI_COMM_WORLD);
  return static_cast<double>(updates) / (bench::timestamp() - begin) / 1e6;
}

double round_trip() {
  int const me = rank_of_this();
  std::uint64_t word = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double const begin = bench::timestamp();
  for (std::uint64_t i = 0; i < calls; ++i) {
    if (me == 0) MPI_Send(&word, 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_UINT64_T, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1) MPI_Send(&word, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
  }
  return (bench::timestamp() - begin) * bench::ns_per_second / calls;
}

double barriers() {
  for (std::uint64_t i = 0; i < calls / 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  double const begin = bench::timestamp();
  for (std::uint64_t i = 0; i < calls; ++i) MPI_Barrier(MPI_COMM_WORLD);
  return (bench::timestamp() - begin) * bench::ns_per_second / calls;
}

/// Between two processes.
void measure_collectives(bench::measured& results) {
  using size = std::pair<int, char const*>;
  for (auto const& [bytes, name] :
       {size{8, "8 B"}, {1 << 10, "1 KiB"}, {64 << 10, "64 KiB"}, {1 << 20, "1 MiB"}, {16 << 20, "16 MiB"}}) {
    int const items = bytes / 8;
    std::vector<std::int64_t> from(2 * static_cast<std::size_t>(items), 1), to(from.size());
    std::uint64_t const episodes =
        std::max<std::uint64_t>((std::uint64_t{32} << 20U) / static_cast<std::uint64_t>(bytes + 4096), 4);
    auto const add = [&](char const* what, auto one) {
      results.add(std::string(what) + " of " + name, "ns", [&] {
        for (std::uint64_t i = 0; i < episodes / 8 + 1; ++i) one();
        MPI_Barrier(MPI_COMM_WORLD);
        double const begin = bench::timestamp();
        for (std::uint64_t i = 0; i < episodes; ++i) one();
        return (bench::timestamp() - begin) * bench::ns_per_second / static_cast<double>(episodes);
      });
    };
    // In place, as ours.
    add("all_reduce", [&] { MPI_Allreduce(MPI_IN_PLACE, from.data(), items, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD); });
    add("all_gather",
        [&] { MPI_Allgather(from.data(), items, MPI_INT64_T, to.data(), items, MPI_INT64_T, MPI_COMM_WORLD); });
    add("all_to_all",
        [&] { MPI_Alltoall(from.data(), items, MPI_INT64_T, to.data(), items, MPI_INT64_T, MPI_COMM_WORLD); });
  }
}

void measure(bench::measured& results) {
  constexpr std::size_t table_words_each = (std::size_t{64} << 20U) / 16;
  window const words(hot_lines * words_per_line);
  window const table(table_words_each);
  MPI_Win const w = words.get();
  std::uint64_t const one = 1;
  results.add("get hot", "ns", [&] {
    return by_the_first(operations, [&](std::uint64_t i) {
      std::uint64_t found = 0;
      MPI_Get(&found, 1, MPI_UINT64_T, 1, hot_line(i), 1, MPI_UINT64_T, w);
      MPI_Win_flush(1, w);
      bench::do_not_optimize(found);
    });
  });
  results.add("fetch_add hot", "ns", [&] {
    return by_the_first(operations, [&](std::uint64_t i) {
      std::uint64_t found = 0;
      MPI_Fetch_and_op(&one, &found, MPI_UINT64_T, 1, hot_line(i), MPI_SUM, w);
      MPI_Win_flush(1, w);
      bench::do_not_optimize(found);
    });
  });
  results.add("put, awaited", "ns", [&] {
    return by_the_first(operations, [&](std::uint64_t i) {
      MPI_Put(&i, 1, MPI_UINT64_T, 1, hot_line(i), 1, MPI_UINT64_T, w);
      MPI_Win_flush(1, w);
    });
  });
  results.add("put, 1024 ended by one counter", "ns", [&] {
    return by_the_first(operations / 1024 * 1024, [&](std::uint64_t i) {
      MPI_Put(&one, 1, MPI_UINT64_T, 1, hot_line(i), 1, MPI_UINT64_T, w);
      if (i % 1024 == 1023) MPI_Win_flush(1, w);
    });
  });
  results.add("updates 64 MiB", "M/s", [&] { return random_updates(table.get(), table_words_each); });
  results.add("call, round trip", "ns", [] { return round_trip(); });
  results.add("barrier", "ns", [] { return barriers(); });
  measure_collectives(results);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("the cases of the benchmark `processes`, with MPI");
  bench::options chosen;
  chosen.runs = 5;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  MPI_Init(&argc, &argv);
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int code = 2;
  if (processes == 2) {
    bench::measured results("MPI", rank_of_this(), chosen);
    measure(results);
    code = results.finish();
  }
  MPI_Finalize();
  return code;
}
