// delay: reads a delay from text, for the runtime and for the command, which checks it before it starts a program.
#include "tess/delay.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace tess {

namespace {
struct unit_name {
  std::string_view name;
  double nanoseconds;
};
constexpr unit_name units[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
}  // namespace

std::optional<std::chrono::nanoseconds> delay::parse_time(std::string_view text) {
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

std::optional<delay> delay::parse(std::string_view text) {
  std::size_t const comma = text.find(',');
  auto const time = parse_time(text.substr(0, comma));
  auto const jitter = parse_time(comma == std::string_view::npos ? "0" : text.substr(comma + 1));
  if (!time || !jitter) return std::nullopt;
  return delay{*time, *jitter};
}

}  // namespace tess
