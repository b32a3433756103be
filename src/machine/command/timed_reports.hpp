// timed_reports: what a run with time writes at its end: statistics, traces, profiles, a picture, and lines.
//
// Errors    wrong_use from the constructor if a file cannot be written.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "machine/command/report_file.hpp"
#include "machine/command/timed_run.hpp"

namespace tess::machine {

class timed_reports {
 public:
  /// Opens the files that are asked for.
  explicit timed_reports(chosen_options const& now);
  void write(timed_run& run, machine_outcome const& outcome, double host_seconds, runtime_files const& of_runtime);

 private:
  bool quiet_;
  report_file statistics_;
  report_file task_trace_;
  report_file trace_;
  report_file picture_;
  std::deque<std::pair<report_file, std::string>> profiles_;
  std::deque<std::pair<report_file, std::string>> over_time_;
};

}  // namespace tess::machine
