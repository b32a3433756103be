// operation_map: maps remote operations to the 4-bit codes of the interface core, and performs them.
//
//   The operation mapping table of RAE: packets name operations of the network; the extended MSHRs and the interface
//   core use 4-bit codes. The width is kept in the packet.
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

/// Nothing: the interface core has no such operation, or not of this width.
[[nodiscard]] std::optional<interface_operation> map_operation(transaction const& access) noexcept;

/// Does it set the W bit of its main entry?
[[nodiscard]] constexpr bool writes(interface_operation operation) noexcept {
  return operation != interface_operation::load;
}

/// Applies it to the word at `at`; the result of a load or an atomic is returned in `access`.
void carry_out(interface_operation operation, transaction& access, std::byte* at) noexcept;

}  // namespace tess::machine
