// delay: how much later remote operations complete: a time, and by how much it varies; read from text such as 3us,1us.
//
//   The simulated network latency of SoftXMT's evaluation, for `settings::delay`, TESS_DELAY and `tess run --delay`.
//
// Units    text: whole or decimal numbers with ns, us, µs, ms or s; at most one second.
// Source   SoftXMT, "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 4: the delay queue.
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace tess {

/// An operation completes `time` after its call at the earliest, drawn evenly from [time, time + jitter].
struct delay {
  std::chrono::nanoseconds time{0};  ///< 0: none
  std::chrono::nanoseconds jitter{0};

  /// There is a delay.
  [[nodiscard]] bool any() const noexcept { return time.count() > 0 || jitter.count() > 0; }

  static constexpr std::chrono::nanoseconds longest = std::chrono::seconds(1);

  /// One time with its unit, such as 3us, 0.5ms or 0; nothing if the text is something else.
  static std::optional<std::chrono::nanoseconds> parse_time(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, double>, 5> units{
        {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
    double number = 0;
    char const* const last = text.data() + text.size();
    auto const [end, problem] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
    if (problem != std::errc() || !(number >= 0)) return std::nullopt;
    std::string_view const unit(end, static_cast<std::size_t>(last - end));
    if (unit.empty() && number == 0) return std::chrono::nanoseconds(0);
    for (auto const& [name, nanoseconds] : units)
      if (unit == name && number * nanoseconds <= static_cast<double>(longest.count()))
        return std::chrono::nanoseconds(static_cast<std::int64_t>(number * nanoseconds + 0.5));
    return std::nullopt;
  }

  /// TIME or TIME,JITTER; nothing if the text is something else.
  static std::optional<delay> parse(std::string_view text) {
    std::size_t const comma = text.find(',');
    auto const time = parse_time(text.substr(0, comma));
    auto const jitter = parse_time(comma == std::string_view::npos ? "0" : text.substr(comma + 1));
    if (!time || !jitter) return std::nullopt;
    return delay{*time, *jitter};
  }
  /// What parse() accepts, for messages.
  static constexpr std::string_view expected = "TIME or TIME,JITTER, each up to 1s: 500ns, 3us, 3us,1us, 1ms";
};

}  // namespace tess
