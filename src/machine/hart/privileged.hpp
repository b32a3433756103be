// privileged: the machine mode of a hart: its control and status registers, traps, and the levels of its interrupts.
//
//   Only harts that run an operating system have it; for the others every register here is an illegal instruction.
//   Modes M and U, no physical memory protection. A line that rises or falls at a time is seen by instructions that
//   begin in a later cycle. So what a hart sees does not depend on the order of events of one time.
//
// Units     cycles of the hart's clock.
// Threads   none.
// Source    RISC-V Privileged Architecture 20211203, chapters 2 and 3.
// Test      tests/machine/privileged_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace tess::machine {

/// Causes of traps: numbers in mcause; of interrupts also the bits of mie and mip.
enum class interrupt_cause : std::uint8_t { software = 3, timer = 7, external = 11 };
enum class exception_cause : std::uint8_t {
  fetch_access = 1,
  illegal = 2,
  breakpoint = 3,
  load_misaligned = 4,
  load_access = 5,
  store_misaligned = 6,
  store_access = 7,
  call_from_user = 8,
  call_from_machine = 11,
};

enum class privilege : std::uint8_t { user = 0, machine = 3 };

/// What a CSR instruction does with its operand.
enum class csr_action : std::uint8_t { write, set, clear };

class privileged_state {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  explicit privileged_state(std::uint64_t hart_number) : hart_number_(hart_number) {}

  [[nodiscard]] privilege mode() const noexcept { return mode_; }

  /// The value of a register in this cycle; nothing: there is no such register for this mode. Counters: below.
  [[nodiscard]] std::optional<std::uint64_t> read(std::uint64_t number, std::uint64_t cycle) const noexcept;
  /// False: it cannot be written in this mode.
  [[nodiscard]] bool write(std::uint64_t number, std::uint64_t value) noexcept;
  /// The user-level number of a counter that this mode may read: cycle, time or instret. The count is the caller's.
  [[nodiscard]] std::optional<std::uint64_t> counter(std::uint64_t number) const noexcept;
  /// A counter's value, as software has set it.
  [[nodiscard]] std::uint64_t counted(std::uint64_t number, std::uint64_t count) const noexcept;
  /// False: it cannot be written by this number, or in this mode.
  [[nodiscard]] bool write_counter(std::uint64_t number, std::uint64_t count, std::uint64_t value) noexcept;

  /// A line has changed; instructions from this cycle on see it.
  void set_line(interrupt_cause which, bool level, std::uint64_t from) noexcept;
  /// The interrupt that an instruction which would begin in this cycle gives way to.
  [[nodiscard]] std::optional<interrupt_cause> pending(std::uint64_t cycle) const noexcept;
  /// The first cycle after this one in which a change of a line that has happened is seen.
  [[nodiscard]] std::uint64_t changes_from(std::uint64_t now) const noexcept;
  /// The first cycle from now on in which wfi ends, as the lines are now: an interrupt is enabled in mie and its line
  /// is high.
  [[nodiscard]] std::uint64_t wakes_from(std::uint64_t now) const noexcept;

  /// Each returns the pc of the handler. `pc` is the interrupted instruction's.
  [[nodiscard]] std::uint64_t enter(interrupt_cause why, std::uint64_t pc) noexcept;
  [[nodiscard]] std::uint64_t enter(exception_cause why, std::uint64_t pc, std::uint64_t value) noexcept;
  /// mret: the pc to continue at.
  [[nodiscard]] std::uint64_t leave() noexcept;
  /// The handler of exceptions.
  [[nodiscard]] std::uint64_t handler() const noexcept { return mtvec_ & ~std::uint64_t{3}; }

  [[nodiscard]] std::uint64_t interrupts() const noexcept { return interrupts_; }
  [[nodiscard]] std::uint64_t exceptions() const noexcept { return exceptions_; }

 private:
  struct line {
    bool level = false;
    bool before = false;  ///< Its level in cycles before `from`.
    std::uint64_t from = 0;
    [[nodiscard]] bool at(std::uint64_t cycle) const noexcept { return cycle >= from ? level : before; }
  };
  [[nodiscard]] std::uint64_t lines(std::uint64_t cycle) const noexcept;
  [[nodiscard]] std::uint64_t enter(std::uint64_t pc, std::uint64_t cause, std::uint64_t value) noexcept;
  [[nodiscard]] std::uint64_t status() const noexcept;

  static constexpr std::array<interrupt_cause, 3> by_priority{interrupt_cause::external, interrupt_cause::software,
                                                              interrupt_cause::timer};
  privilege mode_ = privilege::machine;
  bool enabled_ = false;                     ///< mstatus.MIE
  bool enabled_before_ = false;              ///< mstatus.MPIE
  privilege mode_before_ = privilege::user;  ///< mstatus.MPP
  bool loads_as_before_ = false;             ///< mstatus.MPRV, which has no effect without protection of memory.
  std::uint64_t hart_number_;
  std::uint64_t mie_ = 0;
  std::uint64_t mtvec_ = 0;
  std::uint64_t mscratch_ = 0;
  std::uint64_t mepc_ = 0;
  std::uint64_t mcause_ = 0;
  std::uint64_t mtval_ = 0;
  std::uint64_t mcounteren_ = 0;
  std::array<std::uint64_t, 3> offsets_{};  ///< For cycle, time and instret, by what was written to mcycle, minstret.
  std::array<line, 3> lines_{};             ///< In the order of by_priority.
  std::uint64_t interrupts_ = 0;
  std::uint64_t exceptions_ = 0;
};

}  // namespace tess::machine
