// address_hash: the hash function of the hashed map: a member of H3, which sums rows of bits, one for each bit set.
//
//   Any consecutive rows are linearly independent in the lowest bits, one bit more than there are rows, so that objects
//   at equal distances of a power of two do not collide in their table. Among such members this one has the fewest
//   collisions at other distances.
//
// Threads   any.
// Source    NEMESYS (MEMSYS 2019), section 3.5: H3 (Carter and Wegman, JCSS 1979).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace tess::machine {

class address_hash {
 public:
  [[nodiscard]] static constexpr std::uint32_t of(std::uint64_t address) noexcept {
    std::uint32_t sum = 0;
    for (std::uint64_t left = address >> aligned_bits; left != 0; left &= left - 1)
      sum ^= rows[static_cast<std::size_t>(std::countr_zero(left)) % bits];
    return sum;
  }

 private:
  static constexpr unsigned bits = 48;
  static constexpr unsigned aligned_bits = 3;  ///< Bits that are zero in every address.
  static constexpr std::array<std::uint32_t, bits> rows{
      0xc7859fae, 0xf2d7d40f, 0x4a37fa2d, 0xe47682e6, 0x045f21da, 0x978f18a7, 0x6c7ab5c9, 0x71cf92e3,
      0x389605fe, 0x747d0a2b, 0xe6d30f0a, 0xfb34ccc5, 0x7f8cb6d1, 0x0ebbe4d0, 0x34a3f451, 0x5e7db530,
      0xf8821a96, 0xdc3260fd, 0x9271a86f, 0x4801920e, 0xf9810e12, 0x32135b34, 0x951179a0, 0x6d17abfb,
      0x09f78636, 0xf0a9fed6, 0x92a474bb, 0x9707d5ae, 0x54afa07e, 0x1bea6f23, 0x5ea1a3d7, 0xe66e9991,
      0x49da1bd7, 0x8acac024, 0x4e068c8e, 0xe50086cd, 0xc70fa585, 0x746911c2, 0x8c8ad616, 0x37e23242,
      0x4227b76e, 0x2647cfda, 0x1b6cb0b3, 0x9ea187d7, 0xc8a7b600, 0x1e90983f, 0xb5075a79, 0xcb8a6e0e,
  };
};

}  // namespace tess::machine
