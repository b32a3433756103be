// region_name: decodes UTF-8, and looks at each character.
#include "rmem/wire/region_name.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "rmem/wire/message.hpp"

namespace tess::rmem {

namespace {

constexpr std::uint32_t malformed = UINT32_MAX;

/// Removes the first character from `text`.
std::uint32_t take_character(std::string_view& text) {
  auto const first = static_cast<std::uint8_t>(text.front());
  // Bits 7 to 8-n of the first byte are set in a character of n bytes; none is in one of a single byte.
  auto const ones = static_cast<std::size_t>(std::countl_one(first));
  std::size_t const bytes = ones == 0 ? 1 : ones;
  if (ones == 1 || ones > 4 || bytes > text.size()) return malformed;
  std::uint32_t value = ones == 0 ? first : first & (0x7fU >> ones);
  for (std::size_t i = 1; i < bytes; ++i) {
    auto const next = static_cast<std::uint8_t>(text[i]);
    if (std::countl_one(next) != 1) return malformed;
    value = value << 6 | (next & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return malformed;
  text.remove_prefix(bytes);
  return value;
}

bool is_control(std::uint32_t character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

/// Changes the direction of text, or is not seen, so that two names look the same. Joiners (U+200C and U+200D) stay:
/// some scripts need them.
bool misleads(std::uint32_t character) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 8> ranges{{{0x00ad, 0x00ad},
                                                                           {0x061c, 0x061c},
                                                                           {0x200b, 0x200b},
                                                                           {0x200e, 0x200f},
                                                                           {0x2028, 0x202e},
                                                                           {0x2060, 0x206f},
                                                                           {0xfeff, 0xfeff},
                                                                           {0xe0000, 0xe0fff}}};
  return std::ranges::any_of(ranges, [&](auto const& r) { return character >= r.first && character <= r.second; });
}

}  // namespace

std::string_view problem_of_name(std::string_view name) {
  if (name.empty()) return "a region's name has at least one byte";
  if (name.size() > wire::name_bytes_max) return "a region's name has at most 255 bytes";
  if (name == ".") return "`.` is the server itself; give the region another name";
  while (!name.empty()) {
    auto const character = take_character(name);
    if (character == malformed) return "a region's name is text in UTF-8";
    if (is_control(character)) return "a region's name has no control characters";
    if (misleads(character))
      return "a region's name has no characters that are not seen or change the direction of text";
  }
  return {};
}

}  // namespace tess::rmem
