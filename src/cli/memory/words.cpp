// words: parses and formats sizes, whose units are powers of two, and rights.
#include "cli/memory/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "cli/command/command.hpp"

namespace tess::cli {

namespace {
constexpr std::array<std::pair<char, unsigned>, 4> units{{{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}}};
}

std::uint64_t bytes_of(std::string_view text) {
  std::uint64_t number = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view const unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  unsigned shift = 0;
  for (auto const& [letter, bits] : units)
    if (unit == std::string_view(&letter, 1)) shift = bits;
  bool const known = unit.empty() || shift != 0;
  if (error != std::errc{} || !known || number == 0 || number > (UINT64_MAX >> 1 >> shift))
    throw usage_error{fmt::format("\"{}\" is no size; give bytes, or as in 512M and 8G", text)};
  return number << shift;
}

std::string size_text(std::uint64_t bytes) {
  std::string text = fmt::format("{} B", bytes);
  for (auto const& [letter, bits] : units)
    if (bytes >> bits != 0)
      text = fmt::format("{:.1f} {}iB", static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << bits),
                         letter);
  return text;
}

rmem::rights rights_of(std::string_view text) {
  using rmem::rights;
  constexpr std::array<std::pair<std::string_view, rights>, 5> all{{{"read", rights::read},
                                                                    {"write", rights::write},
                                                                    {"allocate", rights::allocate},
                                                                    {"grant", rights::grant},
                                                                    {"none", rights::none}}};
  rights result = rights::none;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const comma = std::min(text.find(',', at), text.size());
    std::string_view const word = text.substr(at, comma - at);
    at = comma + 1;
    bool known = false;
    for (auto const& [name, right] : all) {
      if (word != name) continue;
      result = result | right;
      known = true;
    }
    if (!known) throw usage_error{fmt::format("\"{}\" is no right; give some of read,write,grant,allocate", word)};
  }
  return result;
}

std::string rights_text(rmem::rights r) {
  std::string text;
  for (auto const& [letter, bit] : {std::pair{'r', 1U}, {'w', 2U}, {'a', 4U}, {'g', 8U}})
    text += (static_cast<std::uint32_t>(r) & bit) != 0 ? letter : '-';
  return text;
}

}  // namespace tess::cli
