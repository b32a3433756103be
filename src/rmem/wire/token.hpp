// token: 32 random bytes, a bearer credential: 16 identify the grant, 16 are the secret that proves it.
//
//   The identity may be public (`revoke` takes it) and is looked up in a map. The secret is only compared, in constant
//   time, so that the time of a refusal reveals nothing.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tess::rmem {

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
  /// As it is sent: 32 bytes. As it is printed: 64 hexadecimal digits.
  [[nodiscard]] std::array<std::byte, size_bytes> bytes() const;
  [[nodiscard]] static std::optional<token> from(std::span<std::byte const> bytes);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<token> parse(std::string_view digits);
};

/// In constant time.
[[nodiscard]] inline bool proves(token::proof const& presented, token::proof const& expected) {
  return ((presented[0] ^ expected[0]) | (presented[1] ^ expected[1])) == 0;
}

}  // namespace tess::rmem

namespace tess::memd {
using rmem::proves;
using rmem::token;
}  // namespace tess::memd
