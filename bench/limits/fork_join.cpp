// fork_join: oneTBB's task_group, OpenMP's tasks.
#include "limits/fork_join.hpp"

#include <stdexcept>

#if BENCH_TBB
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#endif

#include "harness/clock.hpp"

namespace bench {
namespace {

[[gnu::noinline]] std::uint64_t call_fib(unsigned n) noexcept {  // NOLINT(misc-no-recursion)
  if (n < 2) return n;
  return call_fib(n - 1) + call_fib(n - 2);
}

/// ns for each call of `compute`, which gives fib(n).
template <class F>
double ns_per_call(unsigned n, F compute) {
  std::uint64_t found = 0;
  double const seconds = seconds_of([&] { found = compute(); });
  if (found != call_fib(n)) throw std::runtime_error("a Fibonacci number is wrong");
  return seconds * ns_per_second / static_cast<double>(fib_calls(n));
}

#if BENCH_TBB
std::uint64_t tbb_task(unsigned n) {  // NOLINT(misc-no-recursion)
  if (n < 2) return n;
  std::uint64_t a = 0;
  tbb::task_group group;
  group.run([&a, n] { a = tbb_task(n - 1); });
  std::uint64_t const b = tbb_task(n - 2);
  group.wait();
  return a + b;
}
#endif

#if defined(_OPENMP)
std::uint64_t openmp_task(unsigned n) {  // NOLINT(misc-no-recursion)
  if (n < 2) return n;
  std::uint64_t a = 0;
#pragma omp task shared(a) firstprivate(n)
  a = openmp_task(n - 1);
  std::uint64_t const b = openmp_task(n - 2);
#pragma omp taskwait
  return a + b;
}
#endif

}  // namespace

bool has_tbb() noexcept {
  return BENCH_TBB != 0;
}
bool has_openmp() noexcept {
#if defined(_OPENMP)
  return true;
#else
  return false;
#endif
}

double tbb_fib([[maybe_unused]] unsigned n, [[maybe_unused]] int threads) {
#if BENCH_TBB
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([] { tbb_task(16); });
  return arena.execute([n] { return ns_per_call(n, [n] { return tbb_task(n); }); });
#else
  return 0;
#endif
}

double openmp_fib([[maybe_unused]] unsigned n, [[maybe_unused]] int threads) {
#if defined(_OPENMP)
  double measured = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    openmp_task(16);
    measured = ns_per_call(n, [n] { return openmp_task(n); });
  }
  return measured;
#else
  return 0;
#endif
}

}  // namespace bench
