// copy_map: search, probes, insertion.
#include "machine/nma/copy_map.hpp"

#include <array>
#include <bit>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

constexpr unsigned hashed_bits = 48;
constexpr unsigned aligned_bits = 3;  ///< Bits that are zero in every address.

/// A row for each bit of an address: a member of H3 that spreads neighbours. Any consecutive rows are linearly
/// independent in the lowest bits, one bit more than there are rows, so that objects at equal distances of a power of
/// two do not collide in their table. Among such members this one has the fewest collisions at other distances.
constexpr std::array<std::uint32_t, hashed_bits> rows{
    0xc7859fae, 0xf2d7d40f, 0x4a37fa2d, 0xe47682e6, 0x045f21da, 0x978f18a7, 0x6c7ab5c9, 0x71cf92e3,
    0x389605fe, 0x747d0a2b, 0xe6d30f0a, 0xfb34ccc5, 0x7f8cb6d1, 0x0ebbe4d0, 0x34a3f451, 0x5e7db530,
    0xf8821a96, 0xdc3260fd, 0x9271a86f, 0x4801920e, 0xf9810e12, 0x32135b34, 0x951179a0, 0x6d17abfb,
    0x09f78636, 0xf0a9fed6, 0x92a474bb, 0x9707d5ae, 0x54afa07e, 0x1bea6f23, 0x5ea1a3d7, 0xe66e9991,
    0x49da1bd7, 0x8acac024, 0x4e068c8e, 0xe50086cd, 0xc70fa585, 0x746911c2, 0x8c8ad616, 0x37e23242,
    0x4227b76e, 0x2647cfda, 0x1b6cb0b3, 0x9ea187d7, 0xc8a7b600, 0x1e90983f, 0xb5075a79, 0xcb8a6e0e,
};

}  // namespace

std::uint64_t copy_map::hash(std::uint64_t original) noexcept {
  std::uint32_t sum = 0;
  for (std::uint64_t left = original >> aligned_bits; left != 0; left &= left - 1) {
    sum ^= rows[static_cast<std::size_t>(std::countr_zero(left)) % hashed_bits];
  }
  return sum;
}

task<bool> copy_map::begin(registers::nma::map_code kind, std::uint64_t objects) {
  kind_ = kind;
  count_ = 0;
  if (kind == registers::nma::linear) co_return true;
  slots_ = std::bit_ceil(objects) * 2;
  if (objects == 0 || slots_ > entries_) co_return false;
  co_await memory_.fill_zero(offset_, slots_ * word_bytes);
  co_return true;
}

task<std::uint64_t> copy_map::probe(std::uint64_t original) {
  for (std::uint64_t slot = hash(original) & (slots_ - 1);; slot = (slot + 1) & (slots_ - 1)) {
    memory_.step();
    std::uint64_t const there = co_await memory_.read_word(offset_ + slot * word_bytes);
    found_ = there == original;
    if (found_ || there == 0) co_return slot;
  }
}

task<std::uint64_t> copy_map::find(std::uint64_t original) {
  memory_.step();
  if (kind_ == registers::nma::linear) {
    auto const entry = co_await memory_.search(offset_, count_, original);
    co_return entry ? co_await memory_.read_word(copies() + *entry * word_bytes) : 0;
  }
  std::uint64_t const slot = co_await probe(original);
  co_return found_ ? co_await memory_.read_word(copies() + slot * word_bytes) : 0;
}

task<bool> copy_map::insert(std::uint64_t original, std::uint64_t copy) {
  memory_.step();
  bool const is_list = kind_ == registers::nma::linear;
  if (count_ >= (is_list ? entries_ : slots_ - 1)) co_return false;
  std::uint64_t const entry = is_list ? count_ : co_await probe(original);
  ++count_;
  co_await memory_.write(offset_ + entry * word_bytes, std::as_bytes(std::span(&original, 1)));
  co_await memory_.write(copies() + entry * word_bytes, std::as_bytes(std::span(&copy, 1)));
  co_return true;
}

}  // namespace tess::machine
