// comparison: reads the published numbers, extracts the same numbers from the measured points, and writes both.
#include "reproduce/softxmt/comparison.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace softxmt {
namespace {

/// The point with the highest rate.
point best(points const& all, std::string const& figure, std::string const& series) {
  point found{figure, series, 0, 0};
  for (point const& p : all)
    if (p.figure == figure && p.series == series && p.rate > found.rate) found = p;
  return found;
}

/// The rate at x.
double rate_at(points const& all, std::string const& figure, std::string const& series, double x) {
  for (point const& p : all)
    if (p.figure == figure && p.series == series && p.x == x) return p.rate;
  throw std::runtime_error("nothing was measured for " + figure + ", " + series + " at " + std::to_string(x));
}

/// The lowest x with 95 % of the best rate: the number of references that a core overlaps.
double enough(points const& all, std::string const& figure, std::string const& series) {
  double const wanted = 0.95 * best(all, figure, series).rate;
  for (point const& p : all)
    if (p.figure == figure && p.series == series && p.rate >= wanted) return p.x;
  return 0;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string first_line_with(char const* file, std::string const& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(key)) return line.substr(std::min(line.find_first_not_of(": \t", key.size()), line.size()));
  return "unknown";
}

std::string huge_pages() {
  std::ifstream stream("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string text;
  std::getline(stream, text);
  return text.empty() ? "unknown" : text;
}

std::string processor() {
  return first_line_with("/proc/cpuinfo", "model name");
}

}  // namespace

std::map<std::string, double> read_reference(std::string const& file) {
  std::map<std::string, double> values;
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::size_t const comma = line.find(',');
    double value = 0;
    if (comma == std::string::npos ||
        std::from_chars(line.data() + comma + 1, line.data() + line.size(), value).ec != std::errc())
      throw std::runtime_error(file + ": `" + line + "`; expected name,value,unit,what");
    values[line.substr(0, comma)] = value;
  }
  for (char const* name : {"chip_best", "core_best", "tasks_best", "tasks_per_core", "delay_us", "delay_rate",
                           "delay_tasks_per_core", "delay_cores", "delay_best"})
    if (!values.contains(name)) throw std::runtime_error(file + ": there is no " + name);
  return values;
}

std::vector<row> compare(std::map<std::string, double> const& paper, points const& measured) {
  auto const of = [&](char const* name) { return paper.at(name); };
  point const loop = best(measured, "lists", "loop"), tasks = best(measured, "tasks", "tasks");
  double const little = of("delay_cores") * of("delay_tasks_per_core") / of("delay_us");
  double const in_flight = 2 * of("delay_tasks_per_core");
  double const delayed = rate_at(measured, "delay", "tasks", in_flight);
  double const small_set = rate_at(measured, "cache", "8 tasks, 4 updates", 64);
  double const no_updates = rate_at(measured, "cache", "8 tasks, 0 updates", 64);
  return {
      {"n lists in one loop, one core, best, M/s", of("core_best"), loop.rate,
       "line-fill buffers (10 there, 12 to 16 on later cores), latency of the memory, 1 GiB pages there"},
      {"n at which 95 % of it is reached", 10, enough(measured, "lists", "loop"), "line-fill buffers"},
      {"tasks against the loop, best to best", of("tasks_best") / of("chip_best"), tasks.rate / loop.rate,
       "a switch must fit into the time between two lines"},
      {"tasks per core at 95 % of the best", of("tasks_per_core"), enough(measured, "tasks", "tasks"),
       "more line-fill buffers need more tasks"},
      {"with the delay: share of Little's law, 53 tasks per core", of("delay_rate") / little,
       delayed / (in_flight / of("delay_us")), "time between the end of a delay and the turn of its task"},
      {"with the delay: best rate, M/s per core", of("delay_best") / of("delay_cores"),
       best(measured, "delay", "tasks").rate / 2, "a chip's shared queue there, the cache's capacity for tasks here"},
      {"8 tasks, 64 B sets: rate with 4 updates per line against none", 1, small_set / no_updates,
       "the paper says near the maximum; faster memory leaves less time to hide updates in"},
  };
}

std::string to_csv(points const& measured) {
  std::string text = "figure,series,x,rate_M_per_s\n";
  for (point const& p : measured)
    text +=
        p.figure + ",\"" + p.series + "\"," + std::to_string(static_cast<long long>(p.x)) + "," + number(p.rate) + "\n";
  return text;
}

std::string to_json(points const& measured, std::vector<row> const& rows, bool quick) {
  nlohmann::json all;
  all["quick"] = quick;
  all["machine"] = {{"processor", processor()},
                    {"processors", std::thread::hardware_concurrency()},
                    {"transparent_huge_pages", huge_pages()}};
  for (point const& p : measured)
    all["points"].push_back({{"figure", p.figure}, {"series", p.series}, {"x", p.x}, {"rate", p.rate}});
  for (row const& r : rows)
    all["comparison"].push_back({{"what", r.what}, {"paper", r.paper}, {"here", r.here}, {"why", r.why}});
  return all.dump(1) + "\n";
}

std::string to_table(std::vector<row> const& rows) {
  std::size_t width = 0;
  for (row const& r : rows) width = std::max(width, r.what.size());
  char line[256];
  std::snprintf(line, sizeof line, "%-*s  %8s  %8s\n", static_cast<int>(width), "", "paper", "here");
  std::string text = line;
  for (row const& r : rows) {
    std::snprintf(line, sizeof line, "%-*s  %8s  %8s\n", static_cast<int>(width), r.what.c_str(),
                  number(r.paper).c_str(), number(r.here).c_str());
    text += line;
  }
  return text;
}

std::string to_report(std::vector<row> const& rows, bool quick) {
  std::string text = "# SoftXMT's experiments, here\n\n";
  if (quick) text += "**A quick run: lists that fit the cache and few points. The figures mean nothing.**\n\n";
  text +=
      "Paper: 2 Xeon X5650, 6 cores each at 2.66 GHz, 12 MiB third-level cache, 1 GiB pages.\nHere: " + processor() +
      ", " + std::to_string(std::thread::hardware_concurrency()) + " processors, transparent huge pages " +
      huge_pages() + ".\n\n";
  text += "| | paper | here | why they differ |\n|---|---|---|---|\n";
  for (row const& r : rows)
    text += "| " + r.what + " | " + number(r.paper) + " | " + number(r.here) + " | " + r.why + " |\n";
  text +=
      "\nFigures: `lists` (n lists in one loop), `tasks`, `delay` (with Little's law) and `cache` (rate over the bytes "
      "of the private set);\nevery point is in softxmt.csv. What differs by design:\n\n"
      "- **Cores.** The paper's rates of a chip are those of six cores that share a queue of 32 lines; ours are of one "
      "core,\n  with a delay of two.\n"
      "- **Caches.** The lists must be larger than the last cache, which is far larger than the paper's. Where other "
      "machines\n  share it, as on a rented one, part of the lists may be found there all the same.\n"
      "- **Huge pages.** The paper has the lists in 1 GiB pages, without misses of the TLB. Ours ask for 2 MiB pages "
      "by "
      "`madvise`;\n  where these are off, every line costs a walk through the page tables besides.\n"
      "- **Delay.** Theirs is 1.1 us for each interface and 0.4 us for the switch, each way; ours is one figure for "
      "the "
      "round trip.\n";
  return text;
}

}  // namespace softxmt
