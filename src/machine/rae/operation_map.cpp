// operation_map: the table, row by row.
#include "machine/rae/operation_map.hpp"

#include <bit>
#include <cstring>

namespace tess::machine {
namespace {

constexpr std::uint64_t word_bytes_max = 8;

constexpr interface_operation of_word(atomic_operation word) noexcept {
  switch (word) {
    case atomic_operation::swap:
      return interface_operation::swap;
    case atomic_operation::add:
      return interface_operation::add;
    case atomic_operation::exclusive_or:
      return interface_operation::bit_xor;
    case atomic_operation::conjunction:
      return interface_operation::bit_and;
    case atomic_operation::disjunction:
      return interface_operation::bit_or;
    case atomic_operation::min:
      return interface_operation::min;
    case atomic_operation::max:
      return interface_operation::max;
    case atomic_operation::minu:
      return interface_operation::min_unsigned;
    case atomic_operation::maxu:
      break;
  }
  return interface_operation::max_unsigned;
}

/// The codes of atomics follow each other in the order of the network's.
constexpr atomic_operation word_of(interface_operation operation) noexcept {
  return static_cast<atomic_operation>(static_cast<unsigned>(operation) -
                                       static_cast<unsigned>(interface_operation::swap));
}
static_assert(word_of(of_word(atomic_operation::swap)) == atomic_operation::swap);
static_assert(word_of(of_word(atomic_operation::disjunction)) == atomic_operation::disjunction);
static_assert(word_of(of_word(atomic_operation::maxu)) == atomic_operation::maxu);

}  // namespace

std::optional<interface_operation> map_operation(remote_operation what, atomic_operation word, std::uint64_t address,
                                                 std::uint64_t bytes) noexcept {
  bool const is_word = bytes != 0 && bytes <= word_bytes_max;
  bool const atomic = (bytes == sizeof(std::uint32_t) || bytes == sizeof(std::uint64_t)) && address % bytes == 0;
  if (what == remote_operation::read && is_word) return interface_operation::load;
  if (what == remote_operation::write && is_word) return interface_operation::store;
  if (what == remote_operation::atomic && atomic) return of_word(word);
  if (what == remote_operation::compare_swap && atomic) return interface_operation::compare_swap;
  return std::nullopt;
}

std::uint64_t carry_out(interface_operation operation, std::byte* at, std::uint64_t bytes, std::uint64_t operand,
                        std::uint64_t expected) noexcept {
  std::uint64_t before = 0;
  switch (operation) {
    case interface_operation::load:
      std::memcpy(&before, at, bytes);
      return before;
    case interface_operation::store:
      std::memcpy(&before, at, bytes);
      std::memcpy(at, &operand, bytes);
      return before;
    case interface_operation::compare_swap:
      return apply_compare_swap(at, bytes, expected, operand);
    default:
      return apply(word_of(operation), at, bytes, operand);
  }
}

}  // namespace tess::machine
