// sample_estimate: mean, interval, and both in words.
#include "machine/report/sample_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "machine/report/table.hpp"

namespace tess::machine {
namespace {

using nlohmann::ordered_json;

constexpr double in_percent = 100;
constexpr double normal = 1.959964;  // 97.5 % of a normal distribution are below

/// The same of Student's distribution: its expansion by 1/n (Abramowitz and Stegun, 26.7.5).
double student(std::size_t freedom) {
  constexpr double z = normal;
  double const n = static_cast<double>(freedom);
  double const z3 = z * z * z;
  double const z5 = z3 * z * z;
  double const z7 = z5 * z * z;
  double const z9 = z7 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
         (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}

/// A rate in windows, less its mean, that may explain their cycles.
struct explaining {
  std::vector<double> of_windows{};
  double beyond = 0;  ///< The rate of all instructions less that of the windows.
  double least = 0;   ///< Squares below this are rounding: other rates say all of this one.
  bool used = false;
};
constexpr double nothing_left = 1e-9;
/// A slope with a square of Student's t below this may be chance (97.5 %, ten degrees of freedom).
constexpr double chance = 5;
/// Windows for each rate: with fewer, a plane through them says little of what is beyond them. A rate that is above its
/// mean in fewer than one of so many windows would be known from these alone.
constexpr std::size_t windows_of_rate = 8;

double product(std::span<double const> a, std::span<double const> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
void subtract(std::vector<double>& from, double times, std::span<double const> what) {
  for (std::size_t k = 0; k < from.size(); ++k) from[k] -= times * what[k];
}
/// Subtracts the mean, and returns it.
double centre(std::vector<double>& of) {
  double const mean = std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
  for (double& each : of) each -= mean;
  return mean;
}
/// The rate that explains most of the cycles; null: none is left.
explaining* best_of(std::span<explaining> rates, std::span<double const> cycles) {
  explaining* best = nullptr;
  double most = 0;
  for (explaining& one : rates) {
    double const squares = product(one.of_windows, one.of_windows);
    if (one.used || squares <= one.least) continue;
    double const together = product(one.of_windows, cycles);
    if (double const explained = together * together / squares; explained > most) {
      most = explained;
      best = &one;
    }
  }
  return best;
}

double cycles_of(sampled_result const& run, sampled_part const& part) {
  return static_cast<double>(part.instructions) * part.made->cycles_per_instruction +
         (&part == &run.all ? static_cast<double>(run.idle_cycles) : 0);
}

/// 1234567.8 as 1 234 568.
std::string whole_number(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

std::string sampled_line(sampled_result const& run, sampled_part const& part, char const* name) {
  if (!part.made)
    return fmt::format("machine: {:<18}{} instructions; fewer than {} windows are in it: give a shorter period\n", name,
                       whole_number(static_cast<double>(part.instructions)), windows_min);
  double const cycles = cycles_of(run, part);
  return fmt::format(
      "machine: {:<18}{:.3f} ms, {} cycles, +-{:.2f}% with 95% confidence: {:.4f} cycles for each of {} instructions, "
      "{} windows\n",
      name, cycles * static_cast<double>(run.tile_clock_ps) * 1e-9, whole_number(cycles),
      in_percent * part.made->relative(), part.made->cycles_per_instruction,
      whole_number(static_cast<double>(part.instructions)), part.made->windows);
}

ordered_json json_of_sampled(sampled_result const& run, sampled_part const& part) {
  ordered_json made{{"instructions", part.instructions}};
  if (!part.made) return made;
  made["windows"] = part.made->windows;
  made["cycles_per_instruction"] = part.made->cycles_per_instruction;
  made["half_width"] = part.made->half_width;
  made["deviation"] = part.made->deviation;
  made["explained_by"] = part.made->explained_by;
  made["cycles"] = cycles_of(run, part);
  made["cycles_half_width"] = part.made->half_width * static_cast<double>(part.instructions);
  return made;
}

}  // namespace

double estimate::windows_for(double error) const noexcept {
  double const needed = normal * deviation / (error * cycles_per_instruction);
  return std::ceil(needed * needed);
}

std::optional<estimate> estimate_of(std::span<sampled_window const> windows) {
  if (windows.size() < windows_min) return std::nullopt;
  double instructions = 0;
  double cycles = 0;
  for (sampled_window const& one : windows) {
    instructions += static_cast<double>(one.instructions);
    cycles += static_cast<double>(one.cycles);
  }
  auto const count = static_cast<double>(windows.size());
  estimate made{.windows = windows.size(), .cycles_per_instruction = cycles / instructions};
  // It is a ratio: windows that were cut weigh less.
  double squares = 0;
  for (sampled_window const& one : windows) {
    double const away =
        static_cast<double>(one.cycles) - made.cycles_per_instruction * static_cast<double>(one.instructions);
    squares += away * away;
  }
  made.deviation = std::sqrt(squares / (count - 1)) / (instructions / count);
  made.half_width = student(windows.size() - 1) * made.deviation / std::sqrt(count);
  return made;
}

followed_rates rates_of(followed_counts const& counted, std::uint64_t instructions) {
  followed_rates made{};
  if (instructions == 0) return made;
  for (std::size_t k = 0; k < made.size(); ++k)
    made[k] = static_cast<double>(counted[k]) / static_cast<double>(instructions);
  return made;
}

std::optional<estimate> estimate_of(std::span<sampled_window const> windows, followed_rates const& all) {
  auto made = estimate_of(windows);
  if (!made) return made;
  std::size_t const count = windows.size();
  auto const n = static_cast<double>(count);
  // Cycles and rates of the windows less their means, and how far the mean of each rate is from that of all.
  std::vector<double> cycles;
  for (sampled_window const& one : windows)
    cycles.push_back(static_cast<double>(one.cycles) / static_cast<double>(one.instructions));
  double const mean = centre(cycles);
  std::array<explaining, std::tuple_size_v<followed_rates>> rates;
  for (std::size_t k = 0; k < rates.size(); ++k) {
    for (sampled_window const& one : windows) rates[k].of_windows.push_back(one.followed[k]);
    rates[k].beyond = all[k] - centre(rates[k].of_windows);
    auto const more = std::ranges::count_if(rates[k].of_windows, [](double each) { return each > 0; });
    rates[k].used = static_cast<std::size_t>(more) * windows_of_rate < count;
    rates[k].least = nothing_left * product(rates[k].of_windows, rates[k].of_windows);
  }

  // One rate after another, each without what those before it have explained: the same as all at once.
  double estimated = mean;
  double spread = 1 / n;
  while (true) {
    if (count < windows_of_rate * (made->explained_by + 1)) break;
    std::size_t const freedom = count - 2 - made->explained_by;  // that is left with one more
    explaining* const best = best_of(rates, cycles);
    if (best == nullptr) break;
    double const squares = product(best->of_windows, best->of_windows);
    double const slope = product(best->of_windows, cycles) / squares;
    double const left = product(cycles, cycles) - slope * slope * squares;
    if (slope * slope * squares < chance * std::max(left, 0.0) / static_cast<double>(freedom)) break;
    estimated += slope * best->beyond;
    spread += best->beyond * best->beyond / squares;
    subtract(cycles, slope, best->of_windows);
    for (explaining& other : rates) {
      if (&other == best) continue;
      double const shared = product(other.of_windows, best->of_windows) / squares;
      subtract(other.of_windows, shared, best->of_windows);
      other.beyond -= shared * best->beyond;
    }
    best->used = true;
    ++made->explained_by;
  }
  if (made->explained_by == 0) return made;
  std::size_t const freedom = count - 1 - made->explained_by;
  made->cycles_per_instruction = estimated;
  made->deviation = std::sqrt(product(cycles, cycles) / static_cast<double>(freedom));
  made->half_width = student(freedom) * made->deviation * std::sqrt(spread);
  return made;
}

std::string table_of(sampled_result const& run, double host_seconds) {
  sample_plan const& plan = run.plan;
  std::string text =
      fmt::format("machine: sampled           {} instructions, after {} of warm-up, of each {}\n",
                  whole_number(static_cast<double>(plan.window)), whole_number(static_cast<double>(plan.warmup)),
                  whole_number(static_cast<double>(plan.period)));
  text += sampled_line(run, run.all, "simulated time");
  if (run.measured) text += sampled_line(run, *run.measured, "measured part");
  sampled_part const& wanted = run.measured && run.measured->made ? *run.measured : run.all;
  if (wanted.made && wanted.made->relative() > plan.error) {
    double const needed = wanted.made->windows_for(plan.error);
    auto const period = static_cast<std::uint64_t>(static_cast<double>(wanted.instructions) / needed);
    text += fmt::format("machine: for +-{:.3g}%        give --sample period={}\n", in_percent * plan.error, period);
  }
  if (run.cut != 0)
    text +=
        fmt::format("machine: {} windows met calls for files, or the program's end, and are not counted\n", run.cut);
  text += fmt::format("machine: here              {:.3f} s, {:.2f} million instructions/s\n", host_seconds,
                      static_cast<double>(run.outcome.instructions) / host_seconds * 1e-6);
  return text;
}

std::string json_of(sampled_result const& run, std::string const& machine, std::string const& program,
                    double host_seconds, std::string const& of_runtime) {
  ordered_json made{{"schema", statistics_schema},        {"machine", machine}, {"program", program}, {"timing", true},
                    {"exit_code", run.outcome.exit_code}, {"sampled", true}};
  made["period"] = run.plan.period;
  made["window"] = run.plan.window;
  made["warmup"] = run.plan.warmup;
  made["follow"] = std::min(run.plan.follow, run.plan.period);
  made["cut_windows"] = run.cut;
  made["failed_windows"] = run.failed.size();
  made["idle_cycles"] = run.idle_cycles;
  made["all"] = json_of_sampled(run, run.all);
  if (run.measured) made["measured"] = json_of_sampled(run, *run.measured);
  auto& windows = made["counted"] = ordered_json::array();
  for (sampled_window const& one : run.counted)
    windows.push_back(ordered_json::array({one.at, one.instructions, one.cycles}));
  made["host"] = {{"seconds", host_seconds},
                  {"instructions_per_second", static_cast<double>(run.outcome.instructions) / host_seconds}};
  auto own = ordered_json::parse(of_runtime, nullptr, false);
  if (own.is_object()) made["runtime"] = std::move(own);
  return made.dump(2) + "\n";
}

}  // namespace tess::machine
