// command_unit: the common part of units with command windows: seven words of fields, then a doorbell.
//
//   Fields are stored in any order and keep their values. A store to the doorbell begins the command or refuses it; a
//   load of the doorbell returns its state (command_status). A window holds one command at a time.
//
// Errors    an invalid window: nothing, or false; the access then traps.
// Threads   one.
// Source    docs/internals/machine.md, 6; registers.hpp has the fields of each unit.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "machine/unit/device.hpp"

namespace tess::machine {

class command_unit : public device {
 public:
  explicit command_unit(std::uint32_t harts) : windows_(harts) {}
  [[nodiscard]] bool any_runs() const noexcept {
    return std::ranges::any_of(windows_, [](window const& one) { return one.runs(); });
  }
  /// The fields of all windows are as there, where no command runs.
  void take_over(command_unit const& from) { windows_ = from.windows_; }

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;

 protected:
  struct window {
    std::array<std::uint64_t, 7> words{};
    registers::command_status status = registers::command_status::idle;

    [[nodiscard]] std::uint64_t field(std::uint64_t offset) const noexcept { return words[offset / 8]; }
    [[nodiscard]] bool runs() const noexcept { return status == registers::command_status::accepted; }
  };
  /// Begins the command of an idle window and returns whether that was possible. The unit ends it by setting `status`.
  [[nodiscard]] virtual registers::command_status begin(window& by) = 0;

 private:
  std::vector<window> windows_;
};

}  // namespace tess::machine
