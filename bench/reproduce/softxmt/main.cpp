// main: the experiments of the SoftXMT paper on this computer: the points of four curves, as JSON.
//
//   Started by `tess reproduce softxmt` (python/tessera/papers/softxmt). Four experiments, as in the paper's figures:
//   pointer chasing through n lists in one loop; the same by tasks; by tasks with an additional latency per operation;
//   by tasks that update a private set between two operations.
//
// Units     million lines per second, of all cores used; bytes.
// Source    SoftXMT, "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 4.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "chase/chase.hpp"
#include "harness/job.hpp"
#include "harness/pin.hpp"
#include "harness/suite.hpp"

namespace {

struct point {
  std::string figure;  // lists, tasks, delay or cache
  std::string series;
  double x;  // lists, tasks or bytes of the private set
  double rate;
};
using points = std::vector<point>;

/// Sizes of the experiments.
struct extent {
  std::size_t list_bytes;
  std::uint64_t lines;
  std::vector<std::uint32_t> tasks, delayed_tasks, updates;
  std::vector<std::size_t> sets;
};

extent whole() {
  return {std::size_t{512} << 20U,
          4'000'000,
          {1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 128, 256, 1024, 4096, 16384},
          {2, 16, 32, 64, 106, 128, 256, 512, 1024, 2048, 4096, 16384},
          {0, 1, 2, 4, 8, 16, 32},
          {64, 512, 4096, 16384, 32768, 65536, 262144, 1048576, 4194304}};
}
extent quick() {
  return {std::size_t{16} << 20U, 100'000, {1, 8, 10, 64}, {2, 64, 106, 256}, {0, 2, 4, 8}, {64, 32768}};
}

/// The first, second and fourth experiment: one place on one core.
tess::task<void> on_one_core(extent const& e, points& out) {
  bench::lists const lists = bench::make_lists(e.list_bytes, 1);
  for (std::uint32_t const n : bench::list_loop_counts())
    out.push_back({"lists", "loop", double(n), bench::list_loop(lists, n, e.lines)});
  for (std::uint32_t const n : e.tasks)
    out.push_back({"tasks", "tasks", double(n), co_await bench::chase(lists, n, bench::lines_for(n, e.lines))});
  for (std::uint32_t const tasks : {8U, 48U})
    for (std::uint32_t const count : e.updates)
      for (std::size_t const bytes : e.sets) {
        std::string const series = std::to_string(tasks) + " tasks, " + std::to_string(count) + " updates";
        double const rate = co_await bench::chase(lists, tasks, e.lines / 4, {count, bytes});
        out.push_back({"cache", series, static_cast<double>(bytes), rate});
      }
}

points measure(extent const& e, double delay_us) {
  points out;
  bench::on_cpu(0, [&] {
    return bench::in_job(1, [&]() -> tess::task<double> {
      co_await on_one_core(e, out);
      co_return 1;
    });
  });
  auto const delay = std::chrono::nanoseconds(static_cast<std::int64_t>(delay_us * 1e3));
  auto const rates = bench::chase_between_places(e.delayed_tasks, e.list_bytes / 2, {delay, {}}, e.lines);
  for (std::size_t i = 0; i < rates.size(); ++i)
    out.push_back({"delay", "tasks", double(e.delayed_tasks[i]), rates[i]});
  return out;
}

std::string huge_pages() {
  std::ifstream stream("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string text;
  std::getline(stream, text);
  return text.empty() ? "unknown" : text;
}

std::string to_json(points const& measured, bool quick) {
  nlohmann::json all{{"quick", quick}, {"transparent_huge_pages", huge_pages()}};
  for (point const& p : measured)
    all["points"].push_back({{"figure", p.figure}, {"series", p.series}, {"x", p.x}, {"rate", p.rate}});
  return all.dump(1) + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("the experiments of the SoftXMT paper (HotPar 2011) on this machine");
  std::string output;
  double delay_us = 0;
  bool fast = false;
  app.add_option("--output", output, "file for the points, as JSON")->required();
  app.add_option("--delay-us", delay_us, "additional latency of an operation in the third experiment")
      ->required()
      ->check(CLI::Range(0.1, 1000.0));
  app.add_flag("--quick", fast, "small lists and few points: shows that it works, measures nothing");
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  try {
    std::string const text = to_json(measure(fast ? quick() : whole(), delay_us), fast);
    std::ofstream stream(output);
    stream << text;
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + output);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "softxmt: %s\n", e.what());
    return 1;
  }
  return 0;
}
