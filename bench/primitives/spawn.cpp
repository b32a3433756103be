// spawn: a finish with a million empty tasks on one worker, against a hand-written free list, stack and counter.
//
//   The limit's deque is a work-stealing one, which costs an exchange per task; with one worker per place there is no
//   stealing and ours avoids it, as does the second limit, an array. With two workers our tasks must be stealable and
//   counted atomically, as in the third limit; one thread runs both, so that nothing is stolen while tasks are spawned.
#include <CLI/CLI.hpp>

#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/pin.hpp"
#include "harness/suite.hpp"
#include "limits/switch_and_spawn.hpp"

namespace {

constexpr std::uint64_t tasks = 1'000'000;

tess::task<void> empty() {
  co_return;
}

tess::task<double> spawns() {
  // The first round fills the free lists.
  for (std::uint64_t const count : {tasks / 100, tasks}) {
    double const begin = bench::timestamp();
    co_await tess::finish([&] {
      for (std::uint64_t i = 0; i < count; ++i) tess::spawn(empty());
    });
    if (count == tasks) co_return (bench::timestamp() - begin) * bench::ns_per_second / static_cast<double>(tasks);
  }
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("spawn and finish of empty tasks, one worker");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("spawn", chosen);
  suite.pair(
      "10^6 empty tasks", 1, "ns/op", [] { return bench::on_cpu(0, [] { return bench::bare_spawn(tasks); }); },
      [] { return bench::on_cpu(0, [] { return bench::in_job(1, [] { return spawns(); }); }); });
  suite.pair(
      "against an array", 1, "ns/op", [] { return bench::on_cpu(0, [] { return bench::bare_spawn_unshared(tasks); }); },
      [] { return bench::on_cpu(0, [] { return bench::in_job(1, [] { return spawns(); }); }); });
  suite.pair(
      "stealable", 1, "ns/op", [] { return bench::on_cpu(0, [] { return bench::bare_spawn_stealable(tasks); }); },
      [] { return bench::on_cpu(0, [] { return bench::in_job(1, [] { return spawns(); }, 2, 1); }); });
  return suite.finish();
}
