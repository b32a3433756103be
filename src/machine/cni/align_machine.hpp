// align_machine: moves bytes between alignments: the clocked model of rtl/cni/cni_aligner, register for register.
//
// Cost      a word in each cycle; one cycle more for each packet, two if its first byte moves down in its word.
// Threads   one.
#pragma once

#include <array>

#include "machine/cni/align_unit.hpp"

namespace tess::machine {

class align_machine final : public align_unit {
 public:
  explicit align_machine(parameters const& made) : shifts_(made.shifts != 0) {}

  void step() override;

 private:
  static constexpr std::uint32_t room = 2;

  [[nodiscard]] aligned made(std::uint64_t rotated) const noexcept;
  void refresh();

  bool shifts_;
  bool active_ = false;
  bool leads_ = false;   ///< The next word only completes others.
  bool begins_ = false;  ///< No word has left.
  std::uint32_t to_ = 0, end_ = 0, turn_ = 0;
  std::uint32_t reads_ = 0, writes_ = 0;  ///< Words that are still to come, and to leave.
  std::uint64_t kept_ = 0;
  std::array<aligned, room> waiting_{};  ///< The oldest first.
  std::uint32_t waiting_count_ = 0;
};

}  // namespace tess::machine
