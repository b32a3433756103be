// interrupts: the interrupts of a tile's harts with machine mode: software, timer, and external ones of the units.
//
//   Each hart has a word for software interrupts and a time to compare with, as in a CLINT; and it enables sources of
//   external interrupts. The level of a source is high while its unit has work: messages in the task queue, calls of
//   harts. Other sources are raised by a store of their number, which may be the last act of a counter of any unit
//   (`notify` is this register, `cookie` the number), and stay until they are claimed.
//
// Units     time in ticks of the CSR time.
// Threads   one.
// Source    RISC-V Privileged Architecture 20211203, 3.2.1 and 3.1.9; registers.hpp, `interrupts`. Messages as
//           interrupts: RISC-V Advanced Interrupt Architecture 1.0, chapter 3.
#pragma once

#include <vector>

#include "machine/hart/privileged.hpp"
#include "machine/kernel/kernel.hpp"
#include "machine/tile/tile.hpp"
#include "machine/unit/device.hpp"

namespace tess::machine {

/// A hart with interrupt lines.
class interrupt_target {
 public:
  virtual ~interrupt_target() = default;
  /// The line has this level from now on.
  virtual void set_line(interrupt_cause which, bool level) = 0;
  /// The cycles up to now in which it did not sleep in `wfi`.
  [[nodiscard]] virtual std::uint64_t awake_cycles() const noexcept = 0;
};

class interrupts final : public device {
 public:
  static constexpr picoseconds tick_ps = 100'000;  ///< The tick of the CSR time: 10 MHz, as on real boards.

  interrupts(kernel& k, machine_description const& description, tile& at);
  interrupts(interrupts const&) = delete;
  interrupts& operator=(interrupts const&) = delete;

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;

  /// The hart of this number has machine mode.
  void connect(std::uint32_t hart, interrupt_target& to) { windows_[hart].target = &to; }
  /// The cycles in which harts with machine mode did not sleep.
  [[nodiscard]] std::uint64_t awake_cycles() const noexcept {
    std::uint64_t sum = 0;
    for (window const& one : windows_) sum += one.target == nullptr ? 0 : one.target->awake_cycles();
    return sum;
  }
  /// A source that stays until it is claimed.
  void raise(std::uint64_t source);
  /// The level of a source that follows its unit.
  void set_level(std::uint64_t source, bool level);

 private:
  struct alarm : event {
    explicit alarm(interrupts& owner_)
        : event([](event& self) { static_cast<alarm&>(self).owner.ring(static_cast<alarm&>(self)); }), owner(owner_) {}
    interrupts& owner;
    std::uint32_t hart = 0;
  };
  struct window {
    interrupt_target* target = nullptr;
    std::uint64_t compare = ~std::uint64_t{0};
    std::uint64_t enabled = 0;
    std::uint64_t call = 0;
    bool software = false;
    bool external = false;
  };
  [[nodiscard]] std::uint64_t time() const noexcept { return kernel_.now() / tick_ps; }
  [[nodiscard]] std::uint64_t pending() const noexcept { return raised_ | levels_; }
  [[nodiscard]] std::optional<std::uint64_t> load_of(window& one, std::uint64_t offset);
  [[nodiscard]] bool store_of(std::uint32_t number, std::uint64_t offset, std::uint64_t value);
  void compare_with(std::uint32_t number, std::uint64_t ticks);
  void ring(alarm& one);
  void update();
  static void set(window& of, interrupt_cause which, bool level) {
    if (of.target != nullptr) of.target->set_line(which, level);
  }

  kernel& kernel_;
  std::vector<window> windows_;
  std::vector<std::unique_ptr<alarm>> alarms_;
  std::vector<alarm*> spare_alarms_;
  std::uint64_t raised_ = 0;
  std::uint64_t levels_ = 0;
  std::uint64_t callers_ = 0;
};

}  // namespace tess::machine
