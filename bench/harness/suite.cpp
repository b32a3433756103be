// suite: order of rounds, medians and spreads; report.cpp formats them.
#include "harness/suite.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "harness/pin.hpp"
#include "harness/report.hpp"

namespace bench {
namespace {

double quantile(std::vector<double> const& sorted, double share) {
  double const at = share * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(at);
  std::size_t const above = std::min(below + 1, sorted.size() - 1);
  double const weight = at - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

double relative_spread(std::vector<double> values) {
  std::ranges::sort(values);
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / quantile(values, 0.5);
}

}  // namespace

void declare(CLI::App& app, options& into) {
  app.add_option("--runs", into.runs, "rounds per case, of which the median counts")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--case", into.only, "only cases whose name contains this");
  app.add_option("--json", into.json, "also write the results to this file");
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  // Read before anything pins this thread.
  (void)allowed_cpus();
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

better better_of(std::string_view unit) {
  if (unit.ends_with("/s")) return better::larger;
  std::string_view const before_slash = unit.substr(0, unit.find('/'));
  constexpr std::array<std::string_view, 5> times{"ns", "us", "µs", "ms", "s"};
  if (std::ranges::find(times, before_slash) != times.end()) return better::smaller;
  throw std::invalid_argument("unit \"" + std::string(unit) + "\": expected a time (ns, us, ms, s) or something per s");
}

double median(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("median of nothing");
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

double ratio_of(round const& measured, better direction) {
  if (!(measured.limit > 0) || !(measured.ours > 0)) {
    throw std::invalid_argument("a measured value is not positive: too few operations for the clock");
  }
  return direction == better::smaller ? measured.limit / measured.ours : measured.ours / measured.limit;
}

void suite::keep(entry added) {
  // Progress; the table at the end goes to stdout.
  std::fprintf(stderr, "%s\n", one_line(added).c_str());
  entries_.push_back(std::move(added));
}

void suite::record(std::string const& name, int places, std::string const& unit, std::span<round const> rounds) {
  if (!wants(name)) return;
  better const direction = better_of(unit);
  std::vector<double> limits;
  std::vector<double> ours;
  std::vector<double> ratios;
  for (round const& measured : rounds) {
    limits.push_back(measured.limit);
    ours.push_back(measured.ours);
    ratios.push_back(ratio_of(measured, direction));
  }
  keep({bench_, name, places, median(ours), unit, median(limits), median(ratios), static_cast<int>(rounds.size()),
        relative_spread(ratios)});
}

void suite::pair(std::string const& name, int places, std::string const& unit, measurement const& limit,
                 measurement const& ours) {
  if (!wants(name)) return;
  std::vector<round> rounds(static_cast<std::size_t>(runs()));
  bool limit_first = true;
  for (round& measured : rounds) {
    if (limit_first) measured.limit = limit();
    measured.ours = ours();
    if (!limit_first) measured.limit = limit();
    limit_first = !limit_first;
  }
  record(name, places, unit, rounds);
}

void suite::alone(std::string const& name, int places, std::string const& unit, measurement const& measured) {
  if (!wants(name)) return;
  (void)better_of(unit);
  std::vector<double> values(static_cast<std::size_t>(runs()));
  std::ranges::generate(values, measured);
  keep({bench_, name, places, median(values), unit, std::nullopt, std::nullopt, runs(), relative_spread(values)});
}

int suite::finish() const {
  if (std::fputs(table(entries_).c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::fprintf(stderr, "standard output could not be written: %s\n", std::strerror(errno));
    return 1;
  }
  if (options_.json.empty() || write_json(entries_, options_.json)) return 0;
  std::fprintf(stderr, "%s: cannot be written\n", options_.json.c_str());
  return 1;
}

}  // namespace bench
