// timed_reports: opened before a run, so that a wrong name does not waste it.
#include "machine/command/timed_reports.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <tuple>

#include "machine/report/measurement.hpp"
#include "machine/report/picture.hpp"
#include "machine/report/table.hpp"

namespace tess::machine {

timed_reports::timed_reports(chosen_options const& now)
    : quiet_(now.quiet),
      statistics_(now.statistics),
      task_trace_(now.task_trace),
      trace_(now.trace),
      picture_(now.picture) {
  for (std::string const& name : now.profiles) {
    std::string const suffix = std::filesystem::path(name).extension().string();
    if (!cycle_profile::knows(suffix))
      throw wrong_use{
          fmt::format("--profile {}: give a name that ends with .svg, .json, .folded, .csv or .harts", name)};
    profiles_.emplace_back(std::piecewise_construct, std::tuple(name), std::tuple(suffix));
  }
  for (std::string const& name : now.over_time) {
    std::string const suffix = std::filesystem::path(name).extension().string();
    if (!timeline::knows(suffix))
      throw wrong_use{fmt::format("--stats-over-time {}: give a name that ends with .csv, .parquet or .svg", name)};
    over_time_.emplace_back(std::piecewise_construct, std::tuple(name), std::tuple(suffix));
  }
}

void timed_reports::write(timed_run& run, machine_outcome const& outcome, double host_seconds,
                          runtime_files const& of_runtime) {
  timed_machine& machine = run.machine();
  machine.regions().finish();
  fmt::print(stderr, "{}{}", outcome.trouble, machine.refused(!quiet_ && outcome.exit_code != 0));
  auto const measured = measure(machine);
  std::string const& program = run.begun().arguments.front();
  if (!quiet_) fmt::print(stderr, "{}", table_of(measured, run.described(), host_seconds));
  if (statistics_.wanted())
    statistics_.write(
        json_of(measured, run.described(), program, outcome.exit_code, host_seconds, of_runtime.statistics()));
  if (trace_.wanted()) trace_.write(run.traced()->json());
  if (task_trace_.wanted()) task_trace_.write(of_runtime.trace());
  if (run.profiled()) {
    run.profiled()->finish();
    if (!quiet_) fmt::print(stderr, "{}", run.profiled()->summary());
    for (auto& [out, suffix] : profiles_) out.write(run.profiled()->file(suffix));
  }
  if (run.over_time()) {
    run.over_time()->finish();
    for (auto& [out, suffix] : over_time_) out.write(run.over_time()->file(suffix, program));
  }
  if (picture_.wanted()) picture_.write(picture_of(measured, run.described(), program));
}

}  // namespace tess::machine
