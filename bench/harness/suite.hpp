// suite: measures pairs (limit, ours) alternately, and reports medians and the ratio of ours to the limit.
//
//   The two sides of a pair run in turn, with the order changing every round, so that a change of clock rate or other
//   load affects both. The ratio is the median of the ratios of rounds, not the ratio of medians.
//
// Units     a unit is a string. "ns/op", "us", "s": smaller is better; anything per second ("M/s", "GB/s"): larger is.
//           ratio: 1 = at the limit, 0.5 = half as good, above 1 = better than the limit.
// Errors    std::invalid_argument for a unit whose better direction is unknown, or a value that is not positive.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

struct options {
  int runs = 11;
  std::string only;  ///< Cases whose name contains this; empty = all.
  std::string json;  ///< File to write; empty = none.
};

/// Adds --runs, --case and --json to a program's own options.
void declare(CLI::App& app, options& into);

/// Parses the arguments; a value is the exit code with which the program should end: 0 after --help, 2 for misuse.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

enum class better { smaller, larger };
[[nodiscard]] better better_of(std::string_view unit);

[[nodiscard]] double median(std::vector<double> values);

/// Results of one round of a pair, both in the unit of the case.
struct round {
  double limit;
  double ours;
};

[[nodiscard]] double ratio_of(round const& measured, better direction);

/// One line of the table. Without `limit`, it is a limit itself, or a number that has none.
struct entry {
  std::string bench;
  std::string name;  ///< "case" in JSON.
  int places;
  double value;
  std::string unit;
  std::optional<double> limit;
  std::optional<double> ratio;
  int runs;
  double spread;  ///< Half the interquartile range of the ratio, or of the value, relative to its median.
};

class suite {
 public:
  using measurement = std::function<double()>;

  suite(std::string bench, options chosen) : bench_(std::move(bench)), options_(std::move(chosen)) {}

  /// Whether this case is selected. pair(), alone() and record() check it; call it before expensive preparation.
  [[nodiscard]] bool wants(std::string_view name) const { return name.contains(options_.only); }
  [[nodiscard]] int runs() const noexcept { return options_.runs; }

  void pair(std::string const& name, int places, std::string const& unit, measurement const& limit,
            measurement const& ours);
  void alone(std::string const& name, int places, std::string const& unit, measurement const& measured);

  /// For a program that executes the rounds itself, e.g. because its sides must be awaited.
  void record(std::string const& name, int places, std::string const& unit, std::span<round const> rounds);

  [[nodiscard]] std::span<entry const> entries() const noexcept { return entries_; }

  /// Prints the table to stdout and writes the file if requested. Returns the exit code: 1 if the file failed.
  [[nodiscard]] int finish() const;

 private:
  void keep(entry added);

  std::string bench_;
  options options_;
  std::vector<entry> entries_;
};

}  // namespace bench
