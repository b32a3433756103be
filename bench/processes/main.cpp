// main: words, batches, calls, barriers and collectives between two places that may be processes, against raw loops.
//
//   Started by `tess bench --fabric ucx` with two processes, and again on smp with two places.
#include <sched.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>

#include "harness/pin.hpp"
#include "processes/cases.hpp"

namespace {

/// Limits need two processors, even if a launcher has bound this process to one.
void learn_all_processors() {
  cpu_set_t bound;
  cpu_set_t all;
  ::sched_getaffinity(0, sizeof bound, &bound);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  ::sched_setaffinity(0, sizeof all, &all);
  (void)bench::allowed_cpus();
  ::sched_setaffinity(0, sizeof bound, &bound);
}

tess::task<int> measure(bench::suite& results) {
  if (tess::places() != 2) throw tess::error("places", std::to_string(tess::places()), "2");
  co_await bench::word_cases(results);
  co_await bench::put_cases(results);
  co_await bench::update_cases(results);
  co_await bench::call_cases(results);
  co_await bench::collective_cases(results);
  co_return results.finish();
}

}  // namespace

int main(int argc, char** argv) {
  learn_all_processors();
  CLI::App app("what two places do for each other, and what raw loops on the same kind of memory do");
  bench::options chosen;
  chosen.runs = 5;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite results("processes", chosen);
  // Without a launcher: two places of this process.
  if (!tess::settings::started_by_launcher()) ::setenv("TESS_PLACES", "2", 0);
  // CLI11 has parsed the arguments.
  return tess::run(0, nullptr, [&](tess::args) { return measure(results); });
}
