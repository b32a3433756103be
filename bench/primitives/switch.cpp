// switch: tasks that only yield, against bare coroutines resumed round robin without a scheduler.
#include <CLI/CLI.hpp>

#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/pin.hpp"
#include "harness/suite.hpp"
#include "limits/switch_and_spawn.hpp"

namespace {

constexpr std::uint64_t switches = 10'000'000;

tess::task<void> yielder(std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) co_await tess::yield();
}

/// ns per switch of `tasks` tasks on one worker.
tess::task<double> yields(std::uint32_t tasks) {
  std::uint64_t const each = switches / tasks;
  double const begin = bench::timestamp();
  co_await tess::finish([&] {
    for (std::uint32_t i = 0; i < tasks; ++i) tess::spawn(yielder(each));
  });
  co_return (bench::timestamp() - begin) * bench::ns_per_second / static_cast<double>(each * tasks);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("tasks that only yield, against bare coroutine resumption");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("switch", chosen);
  for (std::uint32_t const tasks : {2U, 8U, 64U})
    suite.pair(
        std::to_string(tasks) + " tasks", 1, "ns/op",
        [&] { return bench::on_cpu(0, [&] { return bench::bare_switch(tasks, switches); }); },
        [&] { return bench::on_cpu(0, [&] { return bench::in_job(1, [&] { return yields(tasks); }); }); });
  return suite.finish();
}
