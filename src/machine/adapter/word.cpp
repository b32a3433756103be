// word: atomic operations on a word at its home.
//
// Source    RISC-V Unprivileged ISA 20191213, 8.4.
#include <cstring>

#include "machine/adapter/transaction.hpp"
#include "machine/kernel/assert.hpp"

namespace tess::machine {
namespace {

/// Reads the word, stores the result of `change`, returns the old value sign-extended.
template <class Unsigned, class Signed, class Change>
std::uint64_t exchange(std::byte* at, Change&& change) noexcept {
  Unsigned before = 0;
  std::memcpy(&before, at, sizeof before);
  Unsigned const after = change(before);
  std::memcpy(at, &after, sizeof after);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<Signed>(before)));
}

}  // namespace

std::uint64_t apply(atomic_operation operation, std::byte* at, std::uint64_t bytes, std::uint64_t operand) noexcept {
  MACHINE_ASSERT(bytes == 4 || bytes == 8);
  if (bytes == 4) {
    return exchange<std::uint32_t, std::int32_t>(at, [&](std::uint32_t before) {
      return combined<std::uint32_t>(operation, before, static_cast<std::uint32_t>(operand));
    });
  }
  return exchange<std::uint64_t, std::int64_t>(
      at, [&](std::uint64_t before) { return combined<std::uint64_t>(operation, before, operand); });
}

std::uint64_t apply_compare_swap(std::byte* at, std::uint64_t bytes, std::uint64_t expected,
                                 std::uint64_t operand) noexcept {
  MACHINE_ASSERT(bytes == 4 || bytes == 8);
  if (bytes == 4) {
    return exchange<std::uint32_t, std::int32_t>(at, [&](std::uint32_t before) {
      return before == static_cast<std::uint32_t>(expected) ? static_cast<std::uint32_t>(operand) : before;
    });
  }
  return exchange<std::uint64_t, std::int64_t>(
      at, [&](std::uint64_t before) { return before == expected ? operand : before; });
}

}  // namespace tess::machine
