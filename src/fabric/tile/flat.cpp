// flat: compare-and-swap of a word at a flat (global) address, a command of the tile's adapter.
#include <cstdint>

#include "fabric/tile/registers.hpp"
#include "tess/assert.hpp"
#include "tess/machine/extended_address.hpp"

namespace tess::machine {

std::uint64_t extended_address::compare_swap_flat(std::byte* address, std::size_t bytes, std::uint64_t expected,
                                                  std::uint64_t desired) noexcept {
  namespace hw = detail::tile_registers;
  namespace adapter = registers::adapter;
  std::uint64_t const window = hw::own_window(registers::unit::adapter);
  hw::store(window + adapter::operation, adapter::compare_swap);
  hw::store(window + adapter::address, reinterpret_cast<std::uint64_t>(address));
  hw::store(window + adapter::bytes, bytes);
  hw::store(window + adapter::operand, desired);
  hw::store(window + adapter::expected, expected);
  hw::store(window + adapter::counter, 0);
  hw::ring(window);
  // A round trip, like that of an AMO, for which the hart would stall.
  while (hw::is_busy(window)) {
  }
  TESS_ASSERT(hw::load(window + adapter::doorbell) == static_cast<std::uint64_t>(registers::command_status::idle));
  std::uint64_t const before = hw::load(window + adapter::result);
  return bytes == 8 ? before : before & 0xffff'ffffU;
}

}  // namespace tess::machine
