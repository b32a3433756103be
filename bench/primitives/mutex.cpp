// mutex: lock and unlock with an empty section: alone against std::mutex, contended against an MCS lock.
//
//   Ours is at place 0 and is fair: the task that has waited longest gets it. MCS is fair, too; std::mutex is not, so
//   it is shown but is not a limit. Contenders are one task at each of 2 or 8 places, or the tasks of one place with 2
//   workers.
#include <CLI/CLI.hpp>
#include <atomic>
#include <string>

#include "harness/clock.hpp"
#include "harness/job.hpp"
#include "harness/pin.hpp"
#include "harness/suite.hpp"
#include "limits/locks.hpp"

namespace {

constexpr std::uint64_t alone_rounds = 2'000'000;
constexpr std::uint64_t contended_rounds = 20'000;

tess::task<double> uncontended() {
  tess::mutex m;
  double const begin = bench::timestamp();
  for (std::uint64_t i = 0; i < alone_rounds; ++i) {
    co_await m.lock();
    m.unlock();
  }
  co_return (bench::timestamp() - begin) * bench::ns_per_second / static_cast<double>(alone_rounds);
}

tess::task<void> contend(tess::global_ptr<tess::mutex> m, std::uint64_t rounds) {
  if (m.place() == tess::here()) {
    tess::mutex& mine = *m.local();
    for (std::uint64_t i = 0; i < rounds; ++i) {
      co_await mine.lock();
      mine.unlock();
    }
    co_return;
  }
  for (std::uint64_t i = 0; i < rounds; ++i) auto const held = co_await tess::guard(m);
}

/// Occupies the workers of the place until each runs a task, since tasks of one worker do not contend.
tess::task<void> contend_from_the_start(tess::global_ptr<tess::mutex> m, std::uint64_t rounds,
                                        tess::place_local<std::atomic<unsigned>> started) {
  started->fetch_add(1);
  while (started->load() < tess::workers()) bench::spin_pause();
  co_await contend(m, rounds);
}

/// ns per acquisition, all tasks together.
tess::task<double> contended(unsigned tasks_each) {
  auto const m = co_await tess::place_local<tess::mutex>::make();
  auto const started = co_await tess::place_local<std::atomic<unsigned>>::make();
  double ns = 0;
  for (std::uint64_t const rounds : {contended_rounds / 10, contended_rounds}) {
    double const begin = bench::timestamp();
    co_await tess::on_all_places(
        [](tess::place_local<tess::mutex> x, std::uint64_t n, unsigned tasks,
           tess::place_local<std::atomic<unsigned>> s) {
          *s = 0;
          for (unsigned t = 0; t < tasks; ++t) tess::spawn(contend_from_the_start(x.of(0), n, s));
        },
        m, rounds, tasks_each, started);
    ns = (bench::timestamp() - begin) * bench::ns_per_second /
         (static_cast<double>(rounds) * tasks_each * tess::places());
  }
  co_return ns;
}

void compete(bench::suite& suite, int tasks, int places, int workers) {
  std::string const where = places == 1 ? "one place of " + std::to_string(workers) + " workers" : "a place each";
  suite.pair(
      std::to_string(tasks) + " contenders, " + where, places, "ns",
      [&] { return bench::mcs_lock(tasks, contended_rounds); },
      [&] {
        return bench::in_job(
            static_cast<unsigned>(places), [&] { return contended(static_cast<unsigned>(tasks / places)); },
            static_cast<unsigned>(workers));
      });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("lock and unlock of a mutex");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("mutex", chosen);
  suite.pair(
      "uncontended, against std::mutex", 1, "ns", [] { return bench::std_mutex(1, alone_rounds); },
      [] { return bench::on_cpu(0, [] { return bench::in_job(1, [] { return uncontended(); }); }); });
  suite.pair(
      "uncontended, 2 workers", 1, "ns", [] { return bench::std_mutex(1, alone_rounds); },
      [] { return bench::on_cpu(0, [] { return bench::in_job(1, [] { return uncontended(); }, 2, 1); }); });
  for (int const tasks : {2, 8}) {
    compete(suite, tasks, tasks, 1);
    compete(suite, tasks, 1, 2);
    suite.alone("std::mutex, " + std::to_string(tasks) + " threads", tasks, "ns",
                [&] { return bench::std_mutex(tasks, contended_rounds * 10); });
  }
  return suite.finish();
}
