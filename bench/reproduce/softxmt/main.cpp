// main: the experiments of the SoftXMT paper on this computer, with the published numbers beside the measured ones.
//
//   Started by `tess reproduce softxmt`. Four experiments, as in the paper's figures: pointer chasing through n lists
//   in one loop; the same by tasks; by tasks with 3 us of additional latency per operation; by tasks that update a
//   private set between two operations. Writes softxmt.csv (every point), softxmt.json (points, comparison, machine)
//   and softxmt.md (the report).
//
// Units     million lines per second, of all cores used; bytes.
// Source    SoftXMT, "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 4;
// reference/softxmt.csv.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "chase/chase.hpp"
#include "harness/job.hpp"
#include "harness/pin.hpp"
#include "harness/suite.hpp"
#include "reproduce/softxmt/comparison.hpp"

namespace {

using softxmt::point;
using softxmt::points;

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
  return {std::size_t{16} << 20U, 100'000, {1, 8, 24, 64}, {2, 64, 106, 256}, {0, 4}, {64, 32768}};
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
  for (std::size_t i = 0; i < rates.size(); ++i) {
    double const tasks = e.delayed_tasks[i];
    out.push_back({"delay", "tasks", tasks, rates[i]});
    out.push_back({"delay", "Little's law", tasks, tasks / delay_us});
  }
  return out;
}

void write(std::filesystem::path const& file, std::string const& text) {
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("softxmt: cannot write " + file.string());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("the experiments of the SoftXMT paper (HotPar 2011) on this machine");
  std::string output = "softxmt", reference;
  bool fast = false;
  app.add_option("--output", output, "folder for softxmt.csv, .json and .md")->capture_default_str();
  app.add_option("--reference", reference, "the paper's figures, reference/softxmt.csv")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_flag("--quick", fast, "small lists and few points: shows that it works, measures nothing");
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  try {
    auto const paper = softxmt::read_reference(reference);
    points const measured = measure(fast ? quick() : whole(), paper.at("delay_us"));
    auto const rows = softxmt::compare(paper, measured);
    std::filesystem::path const folder = output;
    std::filesystem::create_directories(folder);
    write(folder / "softxmt.csv", softxmt::to_csv(measured));
    write(folder / "softxmt.json", softxmt::to_json(measured, rows, fast));
    write(folder / "softxmt.md", softxmt::to_report(rows, fast));
    std::fputs(softxmt::to_table(rows).c_str(), stdout);
    std::printf("written: %s/softxmt.csv, .json, .md\n", output.c_str());
  } catch (std::exception const& e) {
    std::fprintf(stderr, "softxmt: %s\n", e.what());
    return 1;
  }
  return 0;
}
