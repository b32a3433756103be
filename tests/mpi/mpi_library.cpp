// mpi_library: Tessera inside an MPI program: both work, in turn and together, and Tessera can be restarted.
// Method: each process runs places of its own; MPI reduces their results between runs and within one, from
// the task that runs on the thread that called MPI_Init_thread. Exit code 0 if every sum is right.
#include <mpi.h>

#include <cstdint>
#include <cstdio>

#include "tess/tess.hpp"

namespace {

constexpr std::uint64_t count = 1000;

std::uint64_t sum_over_processes(std::uint64_t mine) {
  std::uint64_t total = 0;
  MPI_Allreduce(&mine, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

bool equal(char const* what, std::uint64_t got, std::uint64_t expected) {
  if (got == expected) return true;
  std::fprintf(stderr, "mpi_library: %s: %llu, expected %llu\n", what, static_cast<unsigned long long>(got),
               static_cast<unsigned long long>(expected));
  return false;
}

/// Every place adds its part of 0..count-1, each with the process's offset, to words of an array.
tess::task<std::uint64_t> fill_and_sum(tess::global_array<std::uint64_t> array, std::uint64_t offset) {
  auto const add = [array, offset](std::uint64_t i) -> tess::task<void> {
    co_await tess::fetch_add(array[i], i + offset);
  };
  co_await tess::forall(0, count, add);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += co_await tess::get(array[i]);
  co_return sum;
}

bool work(char const* fabric, std::uint64_t rank, std::uint64_t size) {
  tess::settings s;
  s.fabric = fabric;
  s.places = 3;
  s.stall_timeout = 30;
  tess::runtime places(s);
  auto const array = places.run([] { return tess::global_array<std::uint64_t>::make(count); });
  std::uint64_t const once = size * count * (count - 1) / 2 + count * size * (size - 1) / 2;
  bool good = equal("between runs", sum_over_processes(places.run([&] { return fill_and_sum(array, rank); })), once);
  // MPI from a task on the thread that started MPI, while the other places are idle.
  std::uint64_t const within = places.run([&]() -> tess::task<std::uint64_t> {
    std::uint64_t const mine = co_await fill_and_sum(array, rank);
    co_return sum_over_processes(mine);
  });
  good = equal("within a run", within, 2 * once) && good;
  places.stop();
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bool good = provided >= MPI_THREAD_FUNNELED;
  for (char const* const fabric : {"smp", "hostile", "smp"})
    good = work(fabric, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(size)) && good;
  std::uint64_t const failed = sum_over_processes(good ? 0 : 1);
  MPI_Finalize();
  if (rank == 0 && failed == 0) std::printf("mpi_library: %d processes, every sum is right\n", size);
  return failed == 0 ? 0 : 1;
}
