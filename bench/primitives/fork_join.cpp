// fork_join: the recursive Fibonacci function with a task for each call, beside oneTBB and OpenMP.
//
//   By finish: a call spawns a task for each of the two others, and waits for both. By async: the same with futures.
//   The libraries' calls make one task, and run the other call themselves.
//   Rows with two workers run on two threads; their work is shared by stealing.
#include "limits/fork_join.hpp"

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/suite.hpp"

namespace {

tess::task<void> fib_by_finish(unsigned n, std::uint64_t* result) {  // NOLINT(misc-no-recursion)
  if (n < 2) {
    *result = n;
    co_return;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  co_await tess::finish([&] {
    tess::spawn(fib_by_finish(n - 1, &a));
    tess::spawn(fib_by_finish(n - 2, &b));
  });
  *result = a + b;
}

tess::task<std::uint64_t> fib_by_async(unsigned n) {  // NOLINT(misc-no-recursion)
  if (n < 2) co_return n;
  auto const a = tess::async(fib_by_async(n - 1));
  auto const b = tess::async(fib_by_async(n - 2));
  co_return co_await a + co_await b;
}

tess::task<std::uint64_t> compute(bool by_async, unsigned n) {
  if (by_async) co_return co_await fib_by_async(n);
  std::uint64_t result = 0;
  co_await fib_by_finish(n, &result);
  co_return result;
}

/// ns for each call.
double ours(bool by_async, unsigned n, unsigned workers) {
  return bench::in_job(
      1,
      [=]() -> tess::task<double> {
        // Free lists are filled first, and the other worker wakes.
        co_await compute(by_async, 16);
        double const begin = bench::timestamp();
        std::uint64_t const found = co_await compute(by_async, n);
        double const seconds = bench::timestamp() - begin;
        // fib(n) takes 2 fib(n + 1) - 1 calls, and fib(n) = fib(n + 2) - fib(n + 1).
        if (found != (bench::fib_calls(n + 1) - bench::fib_calls(n)) / 2)
          throw std::runtime_error("a Fibonacci number is wrong");
        co_return seconds* bench::ns_per_second / static_cast<double>(bench::fib_calls(n));
      },
      workers, workers);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("fib with a task for each call");
  bench::options chosen;
  bench::declare(app, chosen);
  unsigned n = 30;
  app.add_option("--n", n, "which Fibonacci number")->check(CLI::Range(5, 45))->capture_default_str();
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("fork_join", chosen);
  for (bool const by_async : {false, true}) {
    std::string const how = by_async ? "async" : "finish";
    for (int const workers : {1, 2}) {
      std::string const name = how + ", " + std::to_string(workers) + (workers == 1 ? " worker" : " workers");
      auto const here = [=] { return ours(by_async, n, static_cast<unsigned>(workers)); };
      if (bench::has_tbb())
        suite.pair(name + " against oneTBB", 1, "ns/op", [=] { return bench::tbb_fib(n, workers); }, here);
      if (bench::has_openmp())
        suite.pair(name + " against OpenMP", 1, "ns/op", [=] { return bench::openmp_fib(n, workers); }, here);
    }
    suite.pair(
        how + ", 2 workers against 1", 1, "ns/op", [=] { return ours(by_async, n, 1); },
        [=] { return ours(by_async, n, 2); });
  }
  suite.pair("async against finish", 1, "ns/op", [=] { return ours(false, n, 1); }, [=] { return ours(true, n, 1); });
  return suite.finish();
}
