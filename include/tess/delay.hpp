// delay: how much later remote operations complete: a time and its variation; read from text such as 3us,1us.
//
//   The simulated network latency of SoftXMT's evaluation, for `settings::delay`, TESS_DELAY and `tess run --delay`.
//
// Units    text: whole or decimal numbers with ns, us, µs, ms or s; at most one second.
// Source   SoftXMT, "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 4: the delay queue.
#pragma once

#include <optional>
#include <string_view>

#include "tess/detail/durations.hpp"

namespace tess {

/// An operation completes at the earliest after a time drawn uniformly from [time, time + jitter].
struct delay {
  std::chrono::nanoseconds time{0};  ///< 0: none
  std::chrono::nanoseconds jitter{0};

  /// True if there is a delay.
  [[nodiscard]] bool any() const noexcept { return time.count() > 0 || jitter.count() > 0; }

  static constexpr std::chrono::nanoseconds longest = std::chrono::seconds(1);

  /// Reads one time with its unit, such as 3us, 0.5ms or 0; empty for any other text.
  static std::optional<std::chrono::nanoseconds> parse_time(std::string_view text);
  /// Reads TIME or TIME,JITTER; empty for any other text.
  static std::optional<delay> parse(std::string_view text);
  /// The format that parse() accepts, for messages.
  static constexpr std::string_view expected = "TIME or TIME,JITTER, each up to 1s: 500ns, 3us, 3us,1us, 1ms";
};

}  // namespace tess
