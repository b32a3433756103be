// token: 32 random bytes that whoever knows them may present; 16 name the grant, 16 prove it.
//
//   The first half may be told to anybody (it is what `revoke` takes) and is looked up in a map; the second is only
//   ever compared in constant time, so that how long a refusal takes tells nothing.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tess::memd {

struct token {
  static constexpr std::size_t size_bytes = 32;

  struct identity {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    auto operator<=>(identity const&) const = default;
  };
  using proof = std::array<std::uint64_t, 2>;

  identity id;
  proof secret{};

  /// From the system's random numbers; throws std::system_error if there are none.
  [[nodiscard]] static token fresh();
  /// As it travels, and as it is printed: 64 hexadecimal digits.
  [[nodiscard]] std::array<std::byte, size_bytes> bytes() const;
  [[nodiscard]] static std::optional<token> from(std::span<std::byte const> bytes);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<token> parse(std::string_view digits);
};

/// In constant time.
[[nodiscard]] inline bool proves(token::proof const& given, token::proof const& kept) {
  return ((given[0] ^ kept[0]) | (given[1] ^ kept[1])) == 0;
}

}  // namespace tess::memd
