// sample_estimate: what sampled windows of a run say of all of it: cycles per instruction, with an interval.
//
//   Windows of equal length at equal distances are taken as random ones: the mean of their cycles per instruction times
//   the instructions is the estimate, and its error follows Student's distribution.
//
//   Where caches are followed in all instructions, their misses are known of each window and of the whole. Windows with
//   more misses take longer; so the estimate is that of a linear regression at the rates of the whole, and what misses
//   explain of the difference of windows is not part of its error. A rate is used only if it explains more than
//   chance, in more than a few windows.
//
// Threads   none.
// Source    R. Wunderlich, T. Wenisch, B. Falsafi, J. Hoe, "SMARTS: Accelerating Microarchitecture Simulation via
//           Rigorous Statistical Sampling" (ISCA 2003), section 2. Regression estimator: W. Cochran, "Sampling
//           Techniques" (1977), chapter 7.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "machine/flat/flat_machine.hpp"

namespace tess::machine {

struct sample_plan {
  /// Instructions before a window of which branch predictors, if there are any, are followed, where caches are.
  static constexpr std::uint64_t learned = 200'000;
  static constexpr std::uint64_t follow_all = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t period = 8'000'000;   ///< Instructions from the begin of a window to that of the next one.
  std::uint64_t window = 100'000;     ///< Instructions that are counted,
  std::uint64_t warmup = 10'000;      ///< and before them those that are executed with time, too, but not counted.
  std::uint64_t follow = follow_all;  ///< And before these, those of which caches are followed.
  double error = 0.03;                ///< What is wanted: half of the interval, as a share of the estimate.

  [[nodiscard]] bool follows_all() const noexcept { return follow >= period; }
};

/// Events of followed caches for each instruction.
using followed_rates = std::array<double, std::tuple_size_v<followed_counts>>;
[[nodiscard]] followed_rates rates_of(followed_counts const& counted, std::uint64_t instructions);

struct sampled_window {
  std::uint64_t at = 0;  ///< Instructions of the run before its warm-up.
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  followed_rates followed{};  ///< What caches did in it without time.
};

struct estimate {
  std::size_t windows = 0;
  double cycles_per_instruction = 0;
  double half_width = 0;         ///< Half of the 95 % interval of these.
  double deviation = 0;          ///< Standard deviation of the windows' own, without what the followed caches explain.
  std::size_t explained_by = 0;  ///< By so many of their rates.

  [[nodiscard]] double relative() const noexcept {
    return cycles_per_instruction > 0 ? half_width / cycles_per_instruction : 0;
  }
  /// So many windows would have an error of this share of the estimate.
  [[nodiscard]] double windows_for(double error) const noexcept;
};

/// Nothing if there are less than this: an interval of fewer would say nothing.
inline constexpr std::size_t windows_min = 5;
[[nodiscard]] std::optional<estimate> estimate_of(std::span<sampled_window const> windows);
/// The same if caches are followed everywhere: `all` are the rates of all instructions.
[[nodiscard]] std::optional<estimate> estimate_of(std::span<sampled_window const> windows, followed_rates const& all);

/// A part of a run: all of it, or what the program measures.
struct sampled_part {
  std::uint64_t instructions = 0;
  std::optional<estimate> made;
};

struct sampled_result {
  sample_plan plan;
  machine_outcome outcome;
  std::uint64_t idle_cycles = 0;  ///< Without time: nobody ran.
  std::uint64_t tile_clock_ps = 0;
  std::size_t cut = 0;  ///< Windows that were not counted: the program ended, or wanted something of the host,
  std::vector<std::string> failed;  ///< and those whose process failed: why.
  std::vector<sampled_window> counted;
  sampled_part all;
  std::optional<sampled_part> measured;
};

[[nodiscard]] std::string table_of(sampled_result const& run, double host_seconds);
[[nodiscard]] std::string json_of(sampled_result const& run, std::string const& machine, std::string const& program,
                                  double host_seconds, std::string const& of_runtime);

}  // namespace tess::machine
