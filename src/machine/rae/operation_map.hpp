// operation_map: what remote operations are to the interface core: the four bits of a sub-entry, and what they do.
//
//   The operation mapping table of RAE: a packet says what is asked for in the words of the network, the extended MSHRs
//   and the interface core know four bits. The width goes beside them, in the packet.
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

/// It is one for the W bit of its main entry.
[[nodiscard]] constexpr bool writes(interface_operation operation) noexcept {
  return operation != interface_operation::load;
}

/// Does it to the word at `at`; what a load or an atomic brings is then in `asked`.
void carry_out(interface_operation operation, transaction& access, std::byte* at) noexcept;

}  // namespace tess::machine
