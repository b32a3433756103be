// little: parses latencies and rates, and formats the answers.
#include "chase/little.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <tess/delay.hpp>
#include <utility>

namespace bench {
namespace {

std::string number(char const* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::optional<double> read_seconds(std::string_view text) {
  auto const time = tess::delay::parse_time(text);
  if (!time || time->count() == 0) return std::nullopt;
  return std::chrono::duration<double>(*time).count();
}

std::optional<double> read_rate(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"/s", 1}, {"k/s", 1e3}, {"M/s", 1e6}, {"G/s", 1e9}}};
  double value = 0;
  char const* const last = text.data() + text.size();
  auto const [end, problem] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
  if (problem != std::errc() || !(value > 0) || !std::isfinite(value)) return std::nullopt;
  for (auto const& [name, factor] : units)
    if (std::string_view(end, static_cast<std::size_t>(last - end)) == name) return value * factor;
  return std::nullopt;
}

std::string tasks_needed(double latency, double rate) {
  double const tasks = std::ceil(outstanding(latency, rate) - 1e-9);
  return number("%.4g operations per second, ", rate) + number("%.4g ns each: ", latency * 1e9) +
         number("%.0f must be under way, so as many tasks if each has one\n", tasks);
}

std::string tasks_needed_table(double rate) {
  constexpr std::array<std::pair<char const*, double>, 4> latencies{
      {{"memory of this socket", 90e-9}, {"memory of another", 150e-9}, {"a fast network", 1e-6}, {"SoftXMT's", 3e-6}}};
  std::string text;
  for (auto const& [what, latency] : latencies)
    text += number("  %5.0f ns", latency * 1e9) + number(": %4.0f tasks  (", std::ceil(outstanding(latency, rate))) +
            what + ")\n";
  return text;
}

}  // namespace bench
