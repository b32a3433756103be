// measured: results of a peer's two processes in the benchmarks' format, written by process 0.
//
//   Every process makes every measurement the same number of times; the result is that of process 0.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "harness/report.hpp"
#include "harness/suite.hpp"

namespace bench {

class measured {
 public:
  measured(std::string name, int process, options chosen)
      : name_(std::move(name)), process_(process), options_(std::move(chosen)) {}

  template <class Measurement>
  void add(std::string const& what, std::string const& unit, Measurement measurement) {
    if (!what.contains(options_.only)) return;
    std::vector<double> values;
    for (int i = 0; i < options_.runs; ++i) values.push_back(measurement());
    entries_.push_back({name_, what, 2, median(std::move(values)), unit, {}, {}, options_.runs, 0});
  }

  /// Returns the exit code.
  [[nodiscard]] int finish() const {
    if (process_ != 0) return 0;
    for (entry const& e : entries_) std::fprintf(stderr, "%s\n", one_line(e).c_str());
    return options_.json.empty() || write_json(entries_, options_.json) ? 0 : 1;
  }

 private:
  std::string name_;
  int process_;
  options options_;
  std::vector<entry> entries_;
};

}  // namespace bench
