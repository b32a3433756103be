// sampled_run: the words of --sample, the run, and what its windows say.
#include "machine/command/sampled_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "machine/command/fast_forward.hpp"
#include "machine/command/inputs.hpp"
#include "machine/command/report_file.hpp"
#include "machine/command/sampled_windows.hpp"
#include "machine/command/timed_run.hpp"

namespace tess::machine {
namespace {

[[noreturn]] void refuse_plan(std::string_view text) {
  throw wrong_use{
      fmt::format("--sample {}: give auto, or some of period=INSTRUCTIONS, window=INSTRUCTIONS, warmup=INSTRUCTIONS, "
                  "follow=INSTRUCTIONS or follow=all, and error=PERCENT%, with commas between them",
                  text)};
}

template <class Number>
Number number_in(std::string_view word, std::string_view all) {
  Number value{};
  auto const [behind, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || behind != word.data() + word.size()) refuse_plan(all);
  return value;
}

void read_word(std::string_view word, std::string_view all, sample_plan& plan) {
  std::size_t const at = word.find('=');
  if (at == std::string_view::npos) refuse_plan(all);
  std::string_view const name = word.substr(0, at);
  std::string_view value = word.substr(at + 1);
  if (name == "period") {
    plan.period = number_in<std::uint64_t>(value, all);
  } else if (name == "window") {
    plan.window = number_in<std::uint64_t>(value, all);
  } else if (name == "warmup") {
    plan.warmup = number_in<std::uint64_t>(value, all);
  } else if (name == "follow") {
    plan.follow = value == "all" ? sample_plan::follow_all : number_in<std::uint64_t>(value, all);
  } else if (name == "error") {
    if (value.ends_with('%')) value.remove_suffix(1);
    plan.error = number_in<double>(value, all) / 100;
  } else {
    refuse_plan(all);
  }
}

/// Windows between the begin and the end of the measured part, if the program has marked it.
std::optional<sampled_part> measured_of(flat_machine const& flat, std::span<sampled_window const> windows) {
  if (!flat.begun_at()) return std::nullopt;
  std::uint64_t const end = flat.ended_at().value_or(flat.instructions());
  auto const inside = [&](sampled_window const& one) { return one.at >= *flat.begun_at() && one.at < end; };
  std::vector<sampled_window> chosen;
  std::ranges::copy_if(windows, std::back_inserter(chosen), inside);
  return sampled_part{.instructions = end - *flat.begun_at(), .made = estimate_of(chosen)};
}

/// To the begin of a window, with warm caches; false: the run has ended.
bool come_to(std::uint64_t window, sample_plan const& plan, flat_machine& flat, run_limit const& limit) {
  std::uint64_t const before = window - std::min(window, flat.instructions());
  if (plan.followed() < std::min(plan.period, before)) {
    flat.follow(false);
    if (!flat.run_to({.instructions = window - plan.followed()}, limit)) return false;
  }
  flat.follow(true);
  return flat.run_to({.instructions = window}, limit);
}

/// Where the programs of several harts meet, they should not be far apart.
constexpr std::uint64_t turn_cycles_of_several = 1000;

}  // namespace

sample_plan read_sample_plan(std::string const& text) {
  sample_plan plan;
  if (text == "auto") return plan;
  std::string_view rest = text;
  while (true) {
    std::size_t const comma = rest.find(',');
    read_word(rest.substr(0, comma), text, plan);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (plan.window == 0 || plan.error <= 0 || plan.window + plan.warmup < plan.window ||
      plan.period <= plan.window + plan.warmup)
    throw wrong_use{fmt::format(
        "--sample {}: a period of {} instructions is not longer than a window of {} and its warm-up of {}, or a number "
        "is 0; give a longer period",
        text, plan.period, plan.window, plan.warmup)};
  return plan;
}

void check_sampled(chosen_options const& chosen) {
  if (chosen.sample.empty()) return;
  auto const refuse = [](std::string_view what) { throw wrong_use{fmt::format("--sample: {}", what)}; };
  static_cast<void>(read_sample_plan(chosen.sample));
  if (!chosen.fast_forward.empty()) refuse("windows of the whole run are timed; leave out --fast-forward-to");
  if (!chosen.trace.empty() || !chosen.picture.empty() || !chosen.instructions.empty())
    refuse("only windows have time; leave out --trace, --picture and --trace-instructions");
}

int run_sampled(chosen_options const& chosen) {
  sample_plan const plan = read_sample_plan(chosen.sample);
  report_file statistics{chosen.statistics};
  report_file task_trace{chosen.task_trace};
  runtime_files const of_runtime{statistics.wanted(), task_trace.wanted(), environment_of(chosen, false)};
  timed_run run{chosen, of_runtime};
  flat_options turns;
  if (run.machine().harts_of_flat() > 1) turns.turn_cycles = turn_cycles_of_several;
  auto const flat = flat_machine_of(run, chosen, of_runtime, turns);
  region_log regions;
  flat->set_regions(regions);
  if (!chosen.quiet) fmt::print(stderr, "machine: {}: {}\n", run.described().name, run.described().summary);

  run_limit const limit = limit_of(chosen);
  // The run itself needs a processor, too.
  unsigned const processors = std::max(std::thread::hardware_concurrency(), 2U);
  sampled_windows windows{processors - 1, (plan.window + 1) / 2};
  auto const begin = std::chrono::steady_clock::now();
  for (std::uint64_t next = plan.period / 2; come_to(next, plan, *flat, limit); next += plan.period)
    windows.begin(flat->instructions(), [&] {
      run.machine().take_over(*flat);
      return run.machine().run_window(plan.warmup, plan.window);
    });
  if (caught_signal() == 0) windows.finish();
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  sampled_result const result{
      .plan = plan,
      .outcome = flat->outcome(),
      .idle_cycles = flat->idle_cycles(),
      .tile_clock_ps = run.described().tile_clock_ps,
      .cut = windows.cut(),
      .failed = windows.failed(),
      .counted = {windows.counted().begin(), windows.counted().end()},
      .all = {.instructions = flat->outcome().instructions, .made = estimate_of(windows.counted())},
      .measured = measured_of(*flat, windows.counted())};
  fmt::print(stderr, "{}{}", result.outcome.trouble, flat->refused(!chosen.quiet && result.outcome.exit_code != 0));
  for (std::string const& why : result.failed) fmt::print(stderr, "machine: the window at {}\n", why);
  if (!chosen.quiet) fmt::print(stderr, "{}", table_of(result, seconds));
  if (statistics.wanted())
    statistics.write(json_of(result, run.described().name, chosen.arguments.front(), seconds, of_runtime.statistics()));
  if (task_trace.wanted()) task_trace.write(of_runtime.trace());
  return result.outcome.exit_code == 0 && !result.failed.empty() ? 1 : result.outcome.exit_code;
}

}  // namespace tess::machine
