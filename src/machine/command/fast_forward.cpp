// fast_forward: where a run without time pauses, and what is said of it.
#include "machine/command/fast_forward.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>
#include <string_view>

#include "machine/command/inputs.hpp"
#include "machine/command/report_file.hpp"
#include "machine/report/table.hpp"

namespace tess::machine {
namespace {

flat_pause pause_of(std::string const& text) {
  if (text == "begin") return {.at = flat_pause::mark::begin};
  if (text == "end") return {.at = flat_pause::mark::end};
  std::uint64_t instructions = 0;
  auto const [behind, error] = std::from_chars(text.data(), text.data() + text.size(), instructions);
  if (behind == text.data()) return {.region = text};
  if (error != std::errc{} || behind != text.data() + text.size())
    throw wrong_use{fmt::format(
        "--fast-forward-to {}: give begin or end, of the part that the program measures, the name of a region, or a "
        "number of instructions",
        text)};
  return {.instructions = instructions};
}

}  // namespace

void check_fast_forward(chosen_options const& chosen) {
  if (!chosen.begins_without_time()) return;
  std::string_view const option = chosen.sample.empty() ? "--fast-forward-to" : "--sample";
  auto const refuse = [option](std::string_view what) { throw wrong_use{fmt::format("{}: {}", option, what)}; };
  if (!chosen.fast_forward.empty()) static_cast<void>(pause_of(chosen.fast_forward));
  if (chosen.timing == "off") refuse("it is for machines with time; leave out --timing off");
  if (!chosen.restore.empty()) refuse("the run of a checkpoint has time already; leave out one of both");
  if (!chosen.checkpoint_at.empty()) refuse("memory without time is not in a checkpoint; leave out --checkpoint-at");
  if (chosen.gdb_port) refuse("gdb shows a program from its first instruction on; leave out --gdb");
  if (!chosen.profiles.empty()) refuse("calls from before that are not known; leave out --profile");
  if (!chosen.over_time.empty()) refuse("what has no time is not over time; leave out --stats-over-time");
  if (chosen.copies > 1 || chosen.copies_in_tile > 1)
    refuse("without time there is one copy of the program, on one tile; leave out --copies and --pes-per-tile");
  if (chosen.image_in_memory) refuse("without time there is one memory; leave out --image");
}

std::unique_ptr<flat_machine> flat_machine_of(timed_run& run, chosen_options const& chosen,
                                              runtime_files const& of_runtime, flat_options options) {
  timed_machine const& machine = run.machine();
  machine.check_takes_over_flat();
  if (run.image().needs_time)
    throw wrong_use{
        fmt::format("{} looks at units, other tiles or what caches hold, and without time there are none; leave out {}",
                    chosen.arguments.front(), chosen.sample.empty() ? "--fast-forward-to" : "--sample")};
  options.memory_bytes = run.described().program_bytes();
  options.harts = machine.harts_of_flat();
  options.translates = chosen.engine == "translator";
  return std::make_unique<flat_machine>(run.image(), options, options_of(chosen, of_runtime, false),
                                        machine.tile_of_flat());
}

std::optional<int> fast_forward(timed_run& run, chosen_options const& chosen, runtime_files const& of_runtime) {
  auto const flat = flat_machine_of(run, chosen, of_runtime, {});
  region_log regions;
  flat->set_regions(regions);
  auto const begin = std::chrono::steady_clock::now();
  bool const reached = flat->run_to(pause_of(chosen.fast_forward), limit_of(chosen));
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (reached) {
    run.machine().take_over(*flat);
    if (!chosen.quiet)
      fmt::print(stderr, "machine: fast-forwarded to {}, {:.3f} s here\n", chosen.fast_forward, seconds);
    return std::nullopt;
  }
  regions.finish();
  std::vector<region_total> const named(regions.totals().begin(), regions.totals().end());
  machine_outcome const& outcome = flat->outcome();
  fmt::print(stderr, "{}{}machine: the run ended before {}: nothing of it has time\n", outcome.trouble,
             flat->refused(!chosen.quiet && outcome.exit_code != 0), chosen.fast_forward);
  if (!chosen.quiet) fmt::print(stderr, "{}", table_of(outcome, named, seconds));
  return outcome.exit_code;
}

}  // namespace tess::machine
