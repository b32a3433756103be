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

}  // namespace

std::optional<interface_operation> map_operation(transaction const& access) noexcept {
  bool const word = access.bytes != 0 && access.bytes <= word_bytes_max;
  bool const atomic = access.bytes == sizeof(std::uint32_t) || access.bytes == sizeof(std::uint64_t);
  bool const aligned = access.bytes != 0 && std::has_single_bit(access.bytes) && access.address % access.bytes == 0;
  if (access.what == remote_operation::read && word) return interface_operation::load;
  if (access.what == remote_operation::write && word) return interface_operation::store;
  if (access.what == remote_operation::atomic && atomic && aligned) return of_word(access.word);
  if (access.what == remote_operation::compare_swap && atomic && aligned) return interface_operation::compare_swap;
  return std::nullopt;
}

void carry_out(interface_operation operation, transaction& access, std::byte* at) noexcept {
  switch (operation) {
    case interface_operation::load:
      std::memcpy(access.data.data(), at, access.bytes);
      break;
    case interface_operation::store:
      std::memcpy(at, access.data.data(), access.bytes);
      break;
    case interface_operation::compare_swap:
      access.operand = apply_compare_swap(at, access.bytes, access.expected, access.operand);
      break;
    default:
      access.operand = apply(access.word, at, access.bytes, access.operand);
  }
}

}  // namespace tess::machine
