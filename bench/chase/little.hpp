// little: Little's law: the number of outstanding operations, and of tasks, that a rate requires at a latency.
//
// Units    seconds; operations per second.
// Source   J. D. C. Little, "A Proof for the Queuing Formula: L = λW" (Operations Research 9, 1961).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bench {

/// Mean number of outstanding operations at `rate` per second with `latency` seconds each.
[[nodiscard]] constexpr double outstanding(double latency, double rate) noexcept {
  return latency * rate;
}

/// Seconds of 90ns, 3us, 1ms; nullopt for other text.
[[nodiscard]] std::optional<double> read_seconds(std::string_view text);
/// Rate of 200M/s, 1.5G/s, 20k/s, 500/s; nullopt for other text.
[[nodiscard]] std::optional<double> read_rate(std::string_view text);

/// The answer as a sentence.
[[nodiscard]] std::string tasks_needed(double latency, double rate);
/// The numbers for typical latencies of memories and networks at that rate.
[[nodiscard]] std::string tasks_needed_table(double rate);

}  // namespace bench
