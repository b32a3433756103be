// portals: the receive windows of a cluster: the only way for data of other clusters to enter.
//
//   A window is open for one tile, one range and a number of transfers. Every packet is checked here before a byte is
//   written: outside of an open window it is refused, and the sender's command ends as wrong. A window closes by itself
//   with the last expected transfer, and sleepers on the tile's word for messages wake.
//
// Units     bytes; register addresses may be in the local window.
// Errors    `state` is wrong for a range that is not whole lines of the own memory or partition, or for an invalid
//           tile.
// Threads   one.
// Source    portals of NodeOS and Nanvix, and the receive tags of the MPPA-256's D-NoC, which have a buffer and count
//           ends of transfers; registers.hpp, `portals`.
#pragma once

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "machine/tile/tile.hpp"
#include "machine/unit/device.hpp"

namespace tess::machine {

class portals final : public device, private arrival_guard {
 public:
  /// `all_received`: called when the last transfer into a window has ended.
  portals(machine_description const& description, tile& at, std::function<void()> all_received);

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;

 private:
  struct window {
    std::array<std::uint64_t, 3> fields{};  ///< As stored: address, bytes, source.
    std::uint64_t begin = 0;                ///< Global.
    std::uint64_t end = 0;
    std::uint64_t sends = 0;  ///< Expected transfers; 0: closed.
    registers::command_status state = registers::command_status::idle;
  };
  [[nodiscard]] bool admits(transaction const& data) override;
  void open(window& one, std::uint64_t sends);

  tile& tile_;
  local_window local_;
  std::uint64_t line_bytes_;
  std::uint32_t tiles_;
  std::vector<window> windows_;
  std::function<void()> all_received_;
};

}  // namespace tess::machine
