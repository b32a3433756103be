// run: runs with and without time: files, options of the program, and what is written at the end.
#include "machine/command/run.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "machine/command/checkpoints.hpp"
#include "machine/command/failures.hpp"
#include "machine/command/fast_forward.hpp"
#include "machine/command/inputs.hpp"
#include "machine/command/report_file.hpp"
#include "machine/command/sampled_run.hpp"
#include "machine/command/timed_reports.hpp"
#include "machine/command/timed_run.hpp"
#include "machine/debug/debugger.hpp"
#include "machine/debug/supervised_run.hpp"
#include "machine/flat/flat_machine.hpp"
#include "machine/kernel/fixed_heap.hpp"
#include "machine/report/instruction_trace.hpp"
#include "machine/report/table.hpp"

namespace tess::machine {
namespace {

using host_clock = std::chrono::steady_clock;

std::optional<wanted_instructions> instructions_of(chosen_options const& chosen) try {
  if (chosen.instructions.empty()) return std::nullopt;
  return read_wanted_instructions(chosen.instructions);
} catch (std::invalid_argument const& wrong) {
  throw wrong_use{fmt::format("--trace-instructions {}: {}", chosen.instructions, wrong.what())};
}

/// To the end, with all reports. Returns the exit code.
int go_on(timed_run& run, chosen_options const& chosen, timed_reports& reports, runtime_files const& of_runtime) {
  run_pauses pauses = checkpoint_pauses(run, chosen);
  std::optional<instruction_trace> instructions;
  if (auto const wanted = instructions_of(chosen)) {
    for (auto const& [first, last] : wanted->tiles)
      if (last >= run.described().tiles())
        throw wrong_use{fmt::format("--trace-instructions: there is no tile {}; {} has the tiles 0 to {}", last,
                                    run.described().name, run.described().tiles() - 1)};
    instructions.emplace(*wanted, run.machine(), run.begun().arguments.front());
  }
  auto const begin = host_clock::now();
  auto const outcome = run.run(chosen, pauses);
  double const seconds = std::chrono::duration<double>(host_clock::now() - begin).count();
  if (instructions) instructions->close();
  reports.write(run, outcome, seconds, of_runtime);
  report_missed(pauses, run);
  return outcome.exit_code;
}

/// The run of a checkpoint, with what is to be recorded from now on.
timed_run& restored(chosen_options const& chosen, runtime_files const& of_runtime) {
  timed_run& run = restored_run(chosen, of_runtime);
  if (!chosen.profiles.empty() && !run.profiled())
    throw wrong_use{
        "--profile: the run was without when it began; give the option to the run that writes the checkpoint"};
  if (!chosen.trace.empty() && !run.traced()) run.traced().emplace(run.machine());
  if (!run.over_time()) run.begin_timeline(chosen);
  return run;
}

/// To the end with gdb, for which it waits.
int debug(timed_run& run, chosen_options const& chosen, timed_reports& reports, runtime_files const& of_runtime,
          run_link const& link) {
  std::uint16_t port = *chosen.gdb_port;
  int const listener = listen_here(port);
  fmt::print(stderr, "machine: waits for gdb: gdb-multiarch -ex 'target remote :{}'\n", port);
  std::optional<gdb_connection> gdb;
  accept_one(listener, link.life, gdb);
  if (!gdb) return run_limit::exit_code();
  debugger by{run.machine(), std::filesystem::absolute(run.begun().arguments.front()).string(), *gdb, link};
  auto const begin = host_clock::now();
  run_pauses pauses;
  chosen_options quiet = chosen;
  quiet.quiet = true;
  try {
    auto const outcome = run.run(quiet, pauses);
    by.ended(outcome.exit_code);
    double const seconds = std::chrono::duration<double>(host_clock::now() - begin).count();
    reports.write(run, outcome, seconds, of_runtime);
    return outcome.exit_code;
  } catch (debug_end const& end) {
    fmt::print(stderr, "machine: {}\n", end.why);
    return run_limit::exit_code();
  }
}

/// A process of its own, which may be exchanged for an earlier copy of itself.
int run_debugged(chosen_options const& chosen) {
  return supervised_run([&](run_link const& link) {
    try {
      leave_input_to_gdb();
      timed_reports reports{chosen};
      if (!chosen.restore.empty()) {
        runtime_files const of_runtime{true, true, {}};
        return debug(restored(chosen, of_runtime), chosen, reports, of_runtime, link);
      }
      runtime_files const of_runtime{!chosen.statistics.empty(), !chosen.task_trace.empty(),
                                     environment_of(chosen, true)};
      auto const run = std::make_unique<timed_run>(chosen, of_runtime);
      return debug(*run, chosen, reports, of_runtime, link);
    } catch (...) {
      return report_failure();
    }
  });
}

int run_timed(chosen_options const& chosen) {
  static_cast<void>(instructions_of(chosen));  // refused before anything is made
  timed_reports reports{chosen};
  runtime_files const of_runtime{!chosen.statistics.empty(), !chosen.task_trace.empty(),
                                 environment_of(chosen, !chosen.begins_without_time())};
  if (chosen.checkpoint_at.empty()) {
    timed_run run{chosen, of_runtime};
    if (!chosen.quiet) fmt::print(stderr, "machine: {}: {}\n", run.described().name, run.described().summary);
    if (!chosen.fast_forward.empty()) {
      if (auto const ended = fast_forward(run, chosen, of_runtime)) return *ended;
    }
    return go_on(run, chosen, reports, of_runtime);
  }
  fixed_heap::begin();
  auto& run = *new timed_run{chosen, of_runtime};  // NOLINT: it ends with the process, as one that is restored
  if (!chosen.quiet) fmt::print(stderr, "machine: {}: {}\n", run.described().name, run.described().summary);
  return go_on(run, chosen, reports, of_runtime);
}

int run_restored(chosen_options const& chosen) {
  timed_reports reports{chosen};
  runtime_files const of_runtime{true, true, {}};
  return go_on(restored(chosen, of_runtime), chosen, reports, of_runtime);
}

int run_flat(chosen_options const& chosen) {
  for (auto const& [given, option] : {std::pair{chosen.copies != 0, "--copies"},
                                      {chosen.copies_in_tile != 1, "--pes-per-tile"},
                                      {chosen.image_in_memory, "--image"},
                                      {!chosen.system.empty() && chosen.system != "polled", "--system"},
                                      {!chosen.rtl.empty(), "--rtl"}})
    if (given)
      throw wrong_use{fmt::format("{} is for tiles, and without time there are none; give --timing on", option)};
  if (!chosen.checkpoint_at.empty())
    throw wrong_use{"--checkpoint-at: a run without time writes no checkpoints; give --timing on, too"};
  if (chosen.gdb_port) throw wrong_use{"--gdb: a run without time has no debugger; give --timing on, too"};
  if (!chosen.trace.empty() || !chosen.picture.empty() || !chosen.profiles.empty() || !chosen.over_time.empty())
    throw wrong_use{fmt::format("{} shows time, and this run is without; give --timing on, too",
                                !chosen.trace.empty()      ? "--trace"
                                : !chosen.picture.empty()  ? "--picture"
                                : !chosen.profiles.empty() ? "--profile"
                                                           : "--stats-over-time")};
  auto const wanted = instructions_of(chosen);
  if (wanted && !wanted->tiles.empty())
    throw wrong_use{"--trace-instructions: without time there are no tiles; leave out tiles=, or give --timing on"};
  auto const file = contents_of(chosen.arguments.front());
  report_file statistics{chosen.statistics};
  report_file task_trace{chosen.task_trace};
  std::uint64_t const memory_bytes = chosen.memory_mebibytes << 20U;
  auto const image = read_elf(file, chosen.arguments.front(), memory_bytes);
  if (image.needs_time)
    throw wrong_use{fmt::format(
        "{} looks at units, other tiles or what caches hold, and without time there are none; give --timing on",
        chosen.arguments.front())};
  runtime_files const of_runtime{statistics.wanted(), task_trace.wanted(), environment_of(chosen, false)};
  flat_machine machine{
      image,
      {.memory_bytes = memory_bytes, .harts = chosen.harts, .translates = chosen.engine == "translator"},
      options_of(chosen, of_runtime, false)};
  if (!chosen.quiet)
    fmt::print(stderr, "machine: {}, timing off: {} harts on one coherent flat memory, a cycle an instruction\n",
               chosen.machine, chosen.harts);
  region_log regions;
  machine.set_regions(regions);
  std::optional<instruction_trace> instructions;
  if (wanted) instructions.emplace(*wanted, machine, chosen.harts, chosen.machine, chosen.arguments.front());
  auto const begin = host_clock::now();
  auto const outcome = machine.run(limit_of(chosen));
  double const seconds = std::chrono::duration<double>(host_clock::now() - begin).count();
  regions.finish();
  std::vector<region_total> const named(regions.totals().begin(), regions.totals().end());
  fmt::print(stderr, "{}{}", outcome.trouble, machine.refused(!chosen.quiet && outcome.exit_code != 0));
  if (!chosen.quiet) fmt::print(stderr, "{}", table_of(outcome, named, seconds));
  if (statistics.wanted())
    statistics.write(
        json_of(outcome, chosen.machine, chosen.arguments.front(), seconds, of_runtime.statistics(), named));
  if (task_trace.wanted()) task_trace.write(of_runtime.trace());
  if (instructions) instructions->close();
  return outcome.exit_code;
}

}  // namespace

int run(chosen_options const& chosen) {
  if (!chosen.instructions.empty() && !chosen.checkpoint_at.empty())
    throw wrong_use{
        "--trace-instructions: its file is not in a checkpoint; give it without --checkpoint-at, or with --restore"};
  if (!chosen.rtl.empty() && !chosen.checkpoint_at.empty())
    throw wrong_use{
        "--rtl: a checkpoint has the state of models, not of compiled hardware; leave out --checkpoint-at, or --rtl"};
  if (chosen.gdb_port && (!chosen.instructions.empty() || !chosen.checkpoint_at.empty()))
    throw wrong_use{fmt::format("--gdb: output would be written twice after reverse execution; leave out {}",
                                chosen.instructions.empty() ? "--checkpoint-at" : "--trace-instructions")};
  check_fast_forward(chosen);
  check_sampled(chosen);
  if (!fixed_heap::available && (!chosen.restore.empty() || !chosen.checkpoint_at.empty()))
    throw wrong_use{
        fmt::format("{}: this build has a sanitizer, whose memory no checkpoint can save; take the release build",
                    chosen.restore.empty() ? "--checkpoint-at" : "--restore")};
  catch_signals();
  if (!chosen.restore.empty()) return chosen.gdb_port ? run_debugged(chosen) : run_restored(chosen);
  std::string const usual = chosen.machine == "single-tile" && !chosen.begins_without_time() ? "off" : "on";
  if ((chosen.timing.empty() ? usual : chosen.timing) == "off") return run_flat(chosen);
  if (!chosen.sample.empty()) return run_sampled(chosen);
  return chosen.gdb_port ? run_debugged(chosen) : run_timed(chosen);
}

}  // namespace tess::machine
