// mpi_collectives: the collectives of bench/openshmem by those of MPI.
//
// Units  ns per episode, as process 0 sees it.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "measured.hpp"

namespace {

template <class Operation>
double by_all(std::uint64_t count, Operation one) {
  MPI_Barrier(MPI_COMM_WORLD);
  double const begin = bench::timestamp();
  for (std::uint64_t i = 0; i < count; ++i) one();
  return (bench::timestamp() - begin) * bench::ns_per_second / static_cast<double>(count);
}

void collectives(bench::measured& results, int processes, std::size_t bytes, std::string const& size) {
  std::uint64_t const count = bytes == 8 ? 50'000 : 10;
  int const items = static_cast<int>(bytes / 8);
  std::vector<std::int64_t> source(bytes / 8 * static_cast<std::size_t>(processes), 1);
  std::vector<std::int64_t> dest(source.size(), 1);
  results.add("sum_reduce of " + size, "ns/op", [&] {
    return by_all(count,
                  [&] { MPI_Allreduce(source.data(), dest.data(), items, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD); });
  });
  results.add("fcollect of " + size, "ns/op", [&] {
    return by_all(count, [&] {
      MPI_Allgather(source.data(), items, MPI_INT64_T, dest.data(), items, MPI_INT64_T, MPI_COMM_WORLD);
    });
  });
  results.add("alltoall of " + size, "ns/op", [&] {
    return by_all(count, [&] {
      MPI_Alltoall(source.data(), items, MPI_INT64_T, dest.data(), items, MPI_INT64_T, MPI_COMM_WORLD);
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("collectives of MPI between processes of one host");
  bench::options chosen;
  chosen.runs = 7;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  bench::measured results("mpi", rank, chosen);
  results.add("barrier_all", "ns/op", [] { return by_all(50'000, [] { MPI_Barrier(MPI_COMM_WORLD); }); });
  if (processes == 2) {
    collectives(results, processes, 8, "8 B");
    collectives(results, processes, std::size_t{8} << 20U, "8 MiB");
  }
  int const code = results.finish();
  MPI_Finalize();
  return code;
}
