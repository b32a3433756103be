// operation_map: maps remote operations to the 4-bit codes of the interface core, and performs them.
//
//   The operation mapping table of RAE: packets name operations of the network; the extended MSHRs and the interface
//   core use 4-bit codes. The width is kept beside them.
//
// Units     bytes.
// Threads   any.
// Source    RAE, section 3 (operation mapping table, extended MSHR); word.cpp has the arithmetic.
#pragma once

#include <optional>

#include "machine/adapter/transaction.hpp"

namespace tess::machine {

enum class interface_operation : std::uint8_t {
  load,
  store,
  swap,
  add,
  bit_xor,
  bit_and,
  bit_or,
  min,
  max,
  min_unsigned,
  max_unsigned,
  compare_swap,
};

/// Nothing: the interface core has no such operation, or not of this width. `word`: of an atomic.
[[nodiscard]] std::optional<interface_operation> map_operation(remote_operation what, atomic_operation word,
                                                               std::uint64_t address, std::uint64_t bytes) noexcept;

/// Does it set the W bit of its main entry?
[[nodiscard]] constexpr bool writes(interface_operation operation) noexcept {
  return operation != interface_operation::load;
}

/// Applies it to the word at `at` and returns what was there: 4 bytes are sign-extended, but for loads and stores.
std::uint64_t carry_out(interface_operation operation, std::byte* at, std::uint64_t bytes, std::uint64_t operand,
                        std::uint64_t expected) noexcept;

}  // namespace tess::machine
