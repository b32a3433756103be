// checkpoints: the root of the fixed heap's objects, and the host's descriptors beside it.
#include "machine/command/checkpoints.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include "machine/checkpoint/checkpoint_file.hpp"
#include "machine/config/comparison.hpp"
#include "machine/kernel/fixed_heap.hpp"
#include "machine/linux/host_handles.hpp"
#include "machine/own_unit/unit_file.hpp"

namespace tess::machine {
namespace {

/// In the heap while it is copied.
struct checkpoint_root {
  timed_run* run;
  std::string runtime_folder;  ///< In the process that wrote it.
  std::vector<host_handle> handles;
};

void each_descriptor(timed_run& run, descriptor_visitor const& visit) {
  for (auto const& one : run.machine().programs()) one->open_files().each_descriptor(visit);
}

run_pauses::place place_of(std::string const& text, picoseconds period) {
  if (text == "begin") return {.at = run_pauses::mark::begin};
  if (text == "end") return {.at = run_pauses::mark::end};
  std::uint64_t cycle = 0;
  auto const [behind, error] = std::from_chars(text.data(), text.data() + text.size(), cycle);
  if (error != std::errc{} || behind != text.data() + text.size() || cycle > run_limit::never / period)
    throw wrong_use{
        fmt::format("--checkpoint-at {}: give a cycle, or begin or end, of the part that the program measures", text)};
  return {.time = clock_domain(period).cycles(cycle)};
}

std::string text_of(run_pauses::place const& place, picoseconds period) {
  if (place.at == run_pauses::mark::begin) return "begin";
  if (place.at == run_pauses::mark::end) return "end";
  return std::to_string(place.time / period);
}

}  // namespace

run_pauses checkpoint_pauses(timed_run& run, chosen_options const& now) {
  run_pauses result;
  picoseconds const period = run.described().tile_clock_ps;
  for (std::string const& at : now.checkpoint_at) result.places.push_back(place_of(at, period));
  bool const several = result.places.size() > 1;
  result.reached = [&run, &now, period, several](run_pauses::place const& place) {
    std::filesystem::path file{now.checkpoint};
    if (several) {
      std::string const extension = file.extension().string();
      file.replace_extension("." + text_of(place, period) + extension);
    }
    auto root = std::make_unique<checkpoint_root>(&run, run.runtime_folder());
    each_descriptor(run, [&](int& descriptor) { root->handles.push_back(handle_of(descriptor)); });
    fixed_heap::set_root(root.get());
    std::uint64_t const cycle = clock_domain(period).cycle_from(run.machine().hardware().clock.now());
    std::uint64_t const bytes = write_checkpoint(file.string(),
                                                 {.build = build_id(),
                                                  .machine = run.described().name,
                                                  .description = run.machine_text(),
                                                  .program = run.begun().arguments.front(),
                                                  .cycle = cycle},
                                                 fixed_heap::bytes());
    if (!now.quiet)
      fmt::print(stderr, "machine: {} is a checkpoint of cycle {}, {:.1f} MB\n", file.string(), cycle,
                 static_cast<double>(bytes) / 1e6);
  };
  return result;
}

void report_missed(run_pauses const& pauses, timed_run& run) {
  picoseconds const period = run.described().tile_clock_ps;
  for (run_pauses::place const& place : pauses.places)
    fmt::print(stderr, "machine: no checkpoint at {}: the run ended before it\n", text_of(place, period));
}

timed_run& restored_run(chosen_options const& now, runtime_files const& of_runtime) {
  checkpoint_header const header = read_checkpoint_header(now.restore);
  if (header.build != build_id())
    throw wrong_use{
        fmt::format("{} was written by another build of the simulator; write it again with this one", now.restore)};
  read_checkpoint(now.restore);
  auto& root = *static_cast<checkpoint_root*>(fixed_heap::root());
  try {
    for (unit_description const& unit : root.run->described().units) unit.file->load_again(unit.name);
  } catch (unit_file_error const& wrong) {
    throw wrong_use{fmt::format("{}: {}", now.restore, wrong.what())};
  }
  auto handle = root.handles.begin();
  for (auto const& one : root.run->machine().programs()) one->open_files().access().move_shown(of_runtime.folder());
  each_descriptor(*root.run, [&](int& descriptor) {
    host_handle of = *handle++;
    // What the runtime writes is in a folder of this process now.
    if (!root.runtime_folder.empty() && of.path.starts_with(root.runtime_folder + "/"))
      of.path = of_runtime.folder().string() + of.path.substr(root.runtime_folder.size());
    descriptor = open_again(of);
  });
  if (!now.quiet)
    fmt::print(stderr, "machine: {}, restored from {}: {} at cycle {}\n", header.machine, now.restore, header.program,
               header.cycle);
  root.run->restored(of_runtime);
  if (now.machine.empty() || resolved_text(now.machine) == root.run->machine_text()) return *root.run;
  auto& other = *new timed_run{*root.run, now.machine, of_runtime};  // NOLINT: it ends with the process
  if (!now.quiet)
    fmt::print(stderr,
               "machine: continuing on {}: memory, registers, files and messages are those of the checkpoint, "
               "caches, network and units begin empty, and all is counted from here\n",
               other.described().name);
  return other;
}

}  // namespace tess::machine
