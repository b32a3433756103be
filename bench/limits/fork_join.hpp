// fork_join: the recursive Fibonacci function with a task for each call, by oneTBB and OpenMP.
//
//   The usual measure of fork-join overhead: a call does nothing but start two others and add what they give. Both
//   libraries have it as their own examples do: one call is a task, its brother is made by the caller itself.
//
// Units  ns for a call of the function, of all calls and of the whole program: wall time divided by calls.
#pragma once

#include <cstdint>

namespace bench {

/// Calls that computing fib(n) takes.
constexpr std::uint64_t fib_calls(unsigned n) noexcept {
  std::uint64_t before = 1;
  std::uint64_t last = 1;
  for (unsigned i = 2; i <= n; ++i) {
    std::uint64_t const next = before + last + 1;
    before = last;
    last = next;
  }
  return last;
}

/// What this was built with.
[[nodiscard]] bool has_tbb() noexcept;
[[nodiscard]] bool has_openmp() noexcept;
/// tbb::task_group. 0 without oneTBB.
double tbb_fib(unsigned n, int threads);
/// `omp task` and `taskwait`. 0 without OpenMP.
double openmp_fib(unsigned n, int threads);

}  // namespace bench
