// little: Little's law: how many operations must be under way, and so how many tasks, for a rate at a latency.
//
// Units    seconds; operations per second.
// Source   J. D. C. Little, "A Proof for the Queuing Formula: L = λW" (Operations Research 9, 1961).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bench {

/// Operations under way on average at `rate` per second, each taking `latency` seconds.
[[nodiscard]] constexpr double under_way(double latency, double rate) noexcept {
  return latency * rate;
}

/// 90ns, 3us, 1ms; nothing if the text is something else.
[[nodiscard]] std::optional<double> read_seconds(std::string_view text);
/// 200M/s, 1.5G/s, 20k/s, 500/s; nothing if the text is something else.
[[nodiscard]] std::optional<double> read_rate(std::string_view text);

/// The answer as a sentence.
[[nodiscard]] std::string tasks_needed(double latency, double rate);
/// A few latencies of memories and networks at that rate.
[[nodiscard]] std::string tasks_needed_table(double rate);

}  // namespace bench
