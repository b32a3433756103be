// commit_log: tells what each instruction of one hart changed, by looking at the hart before the next one.
//
//   The decoder puts a slot in front of each instruction (block_rules::traced), which calls begin(). Nothing else of a
//   hart's code changes, so a hart without a log runs as ever, and one with a log takes the same cycles. An instruction
//   that trapped has changed nothing and is not told. What the system changes (the begin of a thread, a signal, another
//   thread on this hart) is found by comparing all registers, after each jump that is not an instruction's.
//
// Units     cycles of the hart's clock.
// Threads   none.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "machine/commit/committed.hpp"
#include "machine/hart/hart.hpp"

namespace tess::machine {

/// The cycles of a run that are wanted: of instructions that begin in them.
struct commit_window {
  std::uint64_t from = 0;
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max();  ///< Behind the last.
};

class commit_log {
 public:
  commit_log(commit_sink& sink, std::uint32_t core, commit_window window) : sink_(sink), core_(core), window_(window) {}

  /// From the engine: the instruction behind this slot begins.
  void begin(hart& h, inst const* slot);
  /// The engine has returned between two instructions: the last one is complete.
  void settle(hart const& h);
  /// Something else than an instruction makes the hart go on elsewhere.
  void jumped(hart const& h);
  /// Nothing follows.
  void finish(hart const& h);

  /// What a slot has of the instruction behind it: its word, and its operation above.
  [[nodiscard]] static std::int64_t slot_value(std::uint32_t word, std::uint8_t operation) noexcept {
    return static_cast<std::int64_t>(std::uint64_t{word} | std::uint64_t{operation} << 32U);
  }

 private:
  void commit(hart const& h, std::uint8_t flags);
  void find_access(hart const& h, inst const* slot);
  void find_results(hart const& h, std::uint8_t flags);
  void find_csr(hart const& h, std::uint8_t flags);
  void find_changes(hart const& h);

  commit_sink& sink_;
  std::uint32_t core_;
  commit_window window_;
  committed next_;
  bool pending_ = false;        ///< next_ is not complete.
  bool compare_ = true;         ///< Something else may have changed registers.
  std::uint8_t operation_ = 0;  ///< The pending one's, and what it may have overwritten.
  std::uint8_t rd_ = 0;
  std::uint64_t source_ = 0;
  std::uint64_t expected_ = 0;
  std::uint8_t flags_ = 0;                ///< fflags as told.
  std::array<std::uint64_t, 64> told_{};  ///< Registers x and f as told.
};

}  // namespace tess::machine
