// piece_machine: cuts a copy into packets: the clocked model of rtl/cni/cni_pieces, register for register.
//
// Cost      two cycles from an entry to its packet, one more to what is left.
// Threads   one.
#pragma once

#include "machine/cni/piece_unit.hpp"

namespace tess::machine {

class piece_machine final : public piece_unit {
 public:
  explicit piece_machine(parameters const& made) : line_bytes_(made.line_bytes) {}

  void step() override;

 private:
  enum class state : std::uint8_t { idle, cut, packet, rest };

  [[nodiscard]] std::uint32_t left_in_line(std::uint64_t address) const noexcept {
    return line_bytes_ - static_cast<std::uint32_t>(address & (line_bytes_ - 1));
  }
  void refresh();

  std::uint32_t line_bytes_;
  state state_ = state::idle;
  entry copy_;
  bool by_lines_ = false;
  std::uint32_t bytes_ = 0;  ///< The packet's.
};

}  // namespace tess::machine
