// integers: every operator on edge values of every width, 128-bit arithmetic, bit operations, big numbers by
// schoolbook.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

namespace {

std::uint64_t sum = 0;
void fold(std::uint64_t v) {
  sum = std::rotl(sum, 7) * 0x9e3779b97f4a7c15U + v;
}

template <class T>
void edges() {
  T const values[] = {
      0, 1, 2, 7, static_cast<T>(-1), static_cast<T>(-2), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  for (T volatile a : values)
    for (T volatile b : values) {
      fold(static_cast<std::uint64_t>(a * 3 - b));
      fold(static_cast<std::uint64_t>((a < b) + (a == b) * 2));
      if (b != 0 && !(std::numeric_limits<T>::is_signed && b == static_cast<T>(-1)))
        fold(static_cast<std::uint64_t>(a / b) ^ static_cast<std::uint64_t>(a % b));
      fold(static_cast<std::uint64_t>(a) >> (b & 31));
      fold(static_cast<std::uint64_t>(std::popcount(static_cast<std::uint64_t>(a)) +
                                      std::countl_zero(static_cast<std::uint64_t>(b))));
    }
}

}  // namespace

int main() {
  edges<std::int8_t>();
  edges<std::uint8_t>();
  edges<std::int16_t>();
  edges<std::uint16_t>();
  edges<std::int32_t>();
  edges<std::uint32_t>();
  edges<std::int64_t>();
  edges<std::uint64_t>();
  std::printf("%016llx\n", static_cast<unsigned long long>(sum));
  std::vector<std::uint32_t> digits{1};
  for (std::uint32_t k = 2; k <= 200; ++k) {
    std::uint64_t carry = 0;
    for (auto& d : digits) {
      carry += std::uint64_t{d} * k;
      d = static_cast<std::uint32_t>(carry % 1'000'000'000);
      carry /= 1'000'000'000;
    }
    if (carry != 0) digits.push_back(static_cast<std::uint32_t>(carry));
  }
  std::printf("%u", digits.back());
  for (std::size_t k = digits.size() - 1; k-- > 0;) std::printf("%09u", digits[k]);
  unsigned __int128 wide = ~std::uint64_t{0};
  wide = wide * 12345678901234567890U % 0xfffffffffffffffbU;
  std::printf("\n%llu\n", static_cast<unsigned long long>(wide));
}
