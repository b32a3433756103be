// token: random bytes from getrandom(2).
#include "rmem/wire/token.hpp"

#include <sys/random.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "rmem/wire/message.hpp"

namespace tess::rmem {

token token::fresh() {
  token t;
  std::array<std::uint64_t, 4> random{};
  if (getrandom(random.data(), sizeof random, 0) != sizeof random)
    throw std::system_error(errno, std::generic_category(), "getrandom");
  t.id = {random[0], random[1]};
  t.secret = {random[2], random[3]};
  return t;
}

std::array<std::byte, token::size_bytes> token::bytes() const {
  std::array<std::byte, size_bytes> to{};
  wire::store(&to[0], id.high);
  wire::store(&to[8], id.low);
  wire::store(&to[16], secret[0]);
  wire::store(&to[24], secret[1]);
  return to;
}

std::optional<token> token::from(std::span<std::byte const> bytes) {
  if (bytes.size() != size_bytes) return std::nullopt;
  auto const word = [&](std::size_t i) { return wire::load<std::uint64_t>(&bytes[8 * i]); };
  return token{{word(0), word(1)}, {word(2), word(3)}};
}

std::string token::text() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string to;
  for (auto const byte : bytes()) {
    to += digits[static_cast<std::size_t>(byte) >> 4];
    to += digits[static_cast<std::size_t>(byte) & 15];
  }
  return to;
}

std::optional<token> token::parse(std::string_view digits) {
  if (digits.size() != 2 * size_bytes) return std::nullopt;
  std::array<std::byte, size_bytes> bytes{};
  for (std::size_t i = 0; i < size_bytes; ++i) {
    unsigned value = 0;
    char const* const end = digits.data() + 2 * i + 2;
    auto const [stopped, failure] = std::from_chars(end - 2, end, value, 16);
    if (failure != std::errc{} || stopped != end) return std::nullopt;
    bytes[i] = static_cast<std::byte>(value);
  }
  return from(bytes);
}

}  // namespace tess::rmem
