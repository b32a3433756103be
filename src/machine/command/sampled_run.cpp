// sampled_run: the words of --sample, the run, and what its windows say.
#include "machine/command/sampled_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
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

/// With `rates` if caches were followed everywhere.
std::optional<estimate> estimated(sample_plan const& plan, std::span<sampled_window const> windows,
                                  followed_rates const& rates) {
  return plan.follows_all() ? estimate_of(windows, rates) : estimate_of(windows);
}

/// Windows between the begin and the end of the measured part, if the program has marked it.
std::optional<sampled_part> measured_of(sample_plan const& plan, flat_machine const& flat,
                                        std::span<sampled_window const> windows) {
  if (!flat.begun_at()) return std::nullopt;
  std::uint64_t const end = flat.ended_at().value_or(flat.instructions());
  auto const inside = [&](sampled_window const& one) { return one.at >= *flat.begun_at() && one.at < end; };
  std::vector<sampled_window> chosen;
  std::ranges::copy_if(windows, std::back_inserter(chosen), inside);
  std::uint64_t const instructions = end - *flat.begun_at();
  return sampled_part{.instructions = instructions,
                      .made = estimated(plan, chosen, rates_of(flat.counted_measured(), instructions))};
}

/// To the begin of a window, with warm caches; false: the run has ended.
bool come_to(std::uint64_t window, sample_plan const& plan, flat_machine& flat, run_limit const& limit) {
  std::uint64_t const before = window - std::min(window, flat.instructions());
  if (plan.follow < std::min(plan.period, before)) {
    flat.follow(flat_machine::followed::nothing);
    if (!flat.run_to({.instructions = window - plan.follow}, limit)) return false;
  }
  flat.follow(flat_machine::followed::lines);
  if (flat.learns()) {
    if (!flat.run_to({.instructions = window - std::min(window, sample_plan::learned)}, limit)) return false;
    flat.follow(flat_machine::followed::all);
  }
  return flat.run_to({.instructions = window}, limit);
}

/// Goes on behind a window, as its copy does with time, and says what caches count in the part that is counted there.
std::optional<followed_rates> rates_of_window(sample_plan const& plan, flat_machine& flat, run_limit const& limit) {
  flat.follow(flat_machine::followed::lines);
  std::uint64_t const begin = flat.instructions() + plan.warmup;
  if (!flat.run_to({.instructions = begin}, limit)) return std::nullopt;
  std::uint64_t const began = flat.instructions();
  followed_counts const before = flat.counted();
  if (!flat.run_to({.instructions = begin + plan.window}, limit)) return std::nullopt;
  followed_counts after = flat.counted();
  for (std::size_t k = 0; k < after.size(); ++k) after[k] -= before[k];
  return rates_of(after, flat.instructions() - began);
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
  if (!(plan.error > 0)) throw wrong_use{fmt::format("--sample {}: give an error of more than 0 %", text)};
  if (plan.window == 0 || plan.window + plan.warmup < plan.window || plan.period <= plan.window + plan.warmup)
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
  // What is known of a whole window says nothing of a part of it.
  sampled_windows windows{processors - 1, plan.window - plan.window / (plan.follows_all() ? 16 : 2)};
  std::map<std::uint64_t, followed_rates> rates;  // by the begin of the window
  auto const begin = std::chrono::steady_clock::now();
  for (std::uint64_t next = plan.period / 2; come_to(next, plan, *flat, limit); next += plan.period) {
    std::uint64_t const at = flat->instructions();
    windows.begin(at, [&] {
      run.machine().take_over(*flat);
      return run.machine().run_window(plan.warmup, plan.window);
    });
    if (!plan.follows_all()) continue;
    auto const known = rates_of_window(plan, *flat, limit);
    if (!known) break;
    rates.emplace(at, *known);
  }
  if (caught_signal() == 0) windows.finish();
  std::vector<sampled_window> counted = windows.counted();
  std::erase_if(counted, [&](sampled_window const& one) { return plan.follows_all() && !rates.contains(one.at); });
  for (sampled_window& one : counted)
    if (auto const known = rates.find(one.at); known != rates.end()) one.followed = known->second;
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  sampled_result const result{
      .plan = plan,
      .outcome = flat->outcome(),
      .idle_cycles = flat->idle_cycles(),
      .tile_clock_ps = run.described().tile_clock_ps,
      .cut = windows.cut(),
      .failed = windows.failed(),
      .counted = counted,
      .all = {.instructions = flat->outcome().instructions,
              .made = estimated(plan, counted, rates_of(flat->counted(), flat->outcome().instructions))},
      .measured = measured_of(plan, *flat, counted)};
  fmt::print(stderr, "{}{}", result.outcome.trouble, flat->refused(!chosen.quiet && result.outcome.exit_code != 0));
  for (std::string const& why : result.failed) fmt::print(stderr, "machine: the window at {}\n", why);
  if (!chosen.quiet) fmt::print(stderr, "{}", table_of(result, seconds));
  if (statistics.wanted())
    statistics.write(json_of(result, run.described().name, chosen.arguments.front(), seconds, of_runtime.statistics()));
  if (task_trace.wanted()) task_trace.write(of_runtime.trace());
  return result.outcome.exit_code == 0 && !result.failed.empty() ? 1 : result.outcome.exit_code;
}

}  // namespace tess::machine
