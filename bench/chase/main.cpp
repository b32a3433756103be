// main: tasks that follow linked lists beyond the cache, against a plain loop over n lists and against Little's
// law.
//
//   --tasks: 1 to 16,384 tasks on one core, each with its own list, one `get` per line. The limit is the best rate
//   of a plain loop over n lists in the same lines (instruction-level parallelism); for the large numbers, our own
//   best. It also prints the rate of bare coroutines that take turns without a scheduler.
//   --delay: two places follow each other's lists with additional latency of every operation. The limit is the rate by
//   Little's law for the tasks in flight, or the rate of the same tasks without the latency if that is lower.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "chase/chase.hpp"
#include "chase/little.hpp"
#include "harness/job.hpp"
#include "harness/pin.hpp"
#include "harness/suite.hpp"

namespace {

using rates = std::map<std::uint32_t, double>;

constexpr std::uint64_t loop_lines = 4'000'000;
constexpr std::uint64_t task_lines = 6'000'000;

struct wanted {
  bool tasks = false;
  std::string delay;
  std::size_t mebibytes = 512;
};

double best_of(rates const& all, std::uint32_t count_max) {
  double best = 0;
  for (auto const& [count, rate] : all)
    if (count <= count_max) best = std::max(best, rate);
  return best;
}

struct tasks_round {
  double loop;  ///< the best of the plain loops
  double bare;  ///< the best of bare coroutines
  rates ours;
};

/// One round: every number of lists by the loop and by tasks, on the same lines.
tess::task<tasks_round> one_round(bench::lists const& lists, std::vector<std::uint32_t> const& counts) {
  tasks_round r{};
  for (std::uint32_t const n : bench::list_loop_counts())
    r.loop = std::max(r.loop, bench::list_loop(lists, n, loop_lines));
  for (std::uint32_t const n : {16U, 24U, 32U, 48U})
    r.bare = std::max(r.bare, bench::list_coroutines(lists, n, loop_lines));
  for (std::uint32_t const n : counts) r.ours[n] = co_await bench::chase(lists, n, bench::lines_for(n, task_lines));
  co_return r;
}

void tasks_cases(bench::suite& suite, wanted const& w) {
  std::vector<std::uint32_t> const counts{1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 1024, 16384};
  std::vector<tasks_round> rounds;
  bench::on_cpu(0, [&] {
    return bench::in_job(1, [&]() -> tess::task<double> {
      bench::lists const lists = bench::make_lists(w.mebibytes << 20U, 1);
      for (int i = 0; i < suite.runs(); ++i) rounds.push_back(co_await one_round(lists, counts));
      co_return 1;
    });
  });
  auto const record = [&](std::string const& name, auto limit, auto ours) {
    std::vector<bench::round> pairs;
    for (tasks_round const& r : rounds) pairs.push_back({limit(r), ours(r)});
    suite.record(name, 1, "M/s", pairs);
  };
  auto const loop = [](tasks_round const& r) { return r.loop; };
  auto const best = [](tasks_round const& r) { return best_of(r.ours, 64); };
  for (std::uint32_t const n : {1U, 4U, 8U, 16U, 24U, 48U})
    record(std::to_string(n) + " tasks", loop, [n](tasks_round const& r) { return r.ours.at(n); });
  record("best of 1 to 64 tasks", loop, best);
  record("best of bare coroutines", loop, [](tasks_round const& r) { return r.bare; });
  for (std::uint32_t const n : {1024U, 16384U})
    record(std::to_string(n) + " tasks, against the best", best, [n](tasks_round const& r) { return r.ours.at(n); });
}

void delay_cases(bench::suite& suite, wanted const& w) {
  std::vector<std::uint32_t> const counts{64, 256, 1024, 16384};
  auto const delay = tess::delay::parse(w.delay).value();
  double const seconds = std::chrono::duration<double>(delay.time + delay.jitter / 2).count();
  std::vector<std::vector<double>> with, without;
  for (int i = 0; i < suite.runs(); ++i) {
    without.push_back(bench::chase_between_places(counts, w.mebibytes << 19U, {}, task_lines));
    with.push_back(bench::chase_between_places(counts, w.mebibytes << 19U, delay, task_lines));
  }
  for (std::size_t k = 0; k < counts.size(); ++k) {
    std::vector<bench::round> rounds;
    for (std::size_t i = 0; i < with.size(); ++i)
      rounds.push_back({std::min(counts[k] / seconds / 1e6, without[i][k]), with[i][k]});
    suite.record("delay " + w.delay + ", " + std::to_string(counts[k]) + " tasks", 2, "M/s", rounds);
  }
}

/// `--latency 90ns --rate 200M/s`: prints the answer by Little's law without a measurement.
int calculate(std::string const& latency, std::string const& rate) {
  auto const seconds = bench::read_seconds(latency.empty() ? "90ns" : latency);
  auto const per_second = bench::read_rate(rate.empty() ? "200M/s" : rate);
  if (!seconds || !per_second) {
    std::fprintf(stderr, "chase: %s will not do; give --latency 90ns (or us, ms) and --rate 200M/s (or k, G)\n",
                 (!seconds ? latency : rate).c_str());
    return 2;
  }
  std::fputs(bench::tasks_needed(*seconds, *per_second).c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("tasks that follow linked lists beyond the cache, by `get`");
  app.footer("How many tasks? Little's law: operations under way = rate x latency. At 200 M/s:\n" +
             bench::tasks_needed_table(200e6) + "Others: chase --latency 90ns --rate 200M/s");
  bench::options chosen;
  chosen.runs = 5;
  wanted w;
  std::string latency, rate;
  bench::declare(app, chosen);
  app.add_flag("--tasks", w.tasks, "only the cases of one place");
  app.add_option("--delay", w.delay, "only the cases of two places, with this delay: TIME[,JITTER]")
      ->check([](std::string const& text) {
        return tess::delay::parse(text) ? std::string() : "give " + std::string(tess::delay::expected);
      });
  app.add_option("--mebibytes", w.mebibytes, "memory of the lists")->capture_default_str()->check(CLI::Range(4, 65536));
  app.add_option("--latency", latency, "calculate only: time of one operation, as 90ns");
  app.add_option("--rate", rate, "calculate only: operations wanted, as 200M/s");
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  if (!latency.empty() || !rate.empty()) return calculate(latency, rate);
  bool const all = !w.tasks && w.delay.empty();
  bench::suite suite("chase", chosen);
  if (w.tasks || all) tasks_cases(suite, w);
  if (all) w.delay = "3us";
  if (!w.delay.empty()) delay_cases(suite, w);
  return suite.finish();
}
