// error: the text of an input error.
#include "graph/error.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace graph {

namespace {

constexpr std::size_t quoted_bytes_max = 40;

std::string message(std::string_view file, std::uint64_t line, std::string_view what, std::string_view expected) {
  if (line == 0) return fmt::format("{}: {}, expected {}", file, what, expected);
  return fmt::format("{}:{}: {}, expected {}", file, line, what, expected);
}

}  // namespace

input_error::input_error(std::string_view file, std::uint64_t line, std::string_view what, std::string_view expected)
    : std::runtime_error(message(file, line, what, expected)), line_(line) {}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char const byte : text.substr(0, quoted_bytes_max)) {
    if (byte >= ' ' && byte <= '~') {
      result += byte;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return result + (text.size() > quoted_bytes_max ? "...\"" : "\"");
}

}  // namespace graph
