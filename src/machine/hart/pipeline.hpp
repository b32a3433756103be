// pipeline: when an in-order hart issues its instructions: operands, pairs, units and branches.
//
//   With it, the block builder puts an issue slot before each instruction, and instructions have no cycles of their
//   own: a slot moves the hart's time. So nothing is added to a hart without a pipeline.
//
//   An instruction issues in the first cycle that is not before the one of its predecessor, in which its operands are
//   ready, and its unit is free. A result is ready so many cycles after the issue as its latency says; divisions hold
//   their unit as long, and multiplications do if they do not overlap. A miss of an L1 stops the whole hart. With two
//   instructions a cycle, the second one issues with the first one if there is at most one memory access, and at most
//   one of branch, jump, multiplication, division and floating point, among the two. Operations with effects elsewhere
//   (atomics, fences, CSRs, system calls, xBGAS) issue alone. Nothing issues with a jump that is taken before it.
//
//   late_cycles is the distance from the first ALU of a pipeline to its last one: an ALU operation, a branch or the
//   data of a store may issue so much before its operands are ready, and is done when they are.
//
// Units     cycles of the hart's clock. h.now() is the cycle after the one in which the last instruction issued.
// Threads   none.
// Test      tests/machine/pipeline_test.cpp
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "machine/hart/branch_predictor.hpp"
#include "machine/hart/hart.hpp"
#include "machine/hart/inst.hpp"
#include "machine/isa/decode.hpp"
#include "machine/profile/call_profile.hpp"

namespace tess::machine {

/// The part of a pipeline that an instruction needs. alu: either of two.
enum class issue_unit : std::uint8_t { alu, memory, control, multiply, divide, floating, float_divide, alone };
inline constexpr std::size_t issue_units = 8;

/// What an issue slot says of the instruction behind it, in its immediate; registers are those of the slot.
struct issue_need {
  std::uint8_t third = register_use::no_source;
  std::uint8_t latency = 1;
  issue_unit unit = issue_unit::alu;
  bool late_first = false;   ///< The first operand may be late,
  bool late_second = false;  ///< and the second one.
  std::int32_t target = 0;   ///< Where a branch, or a jump to an address, goes, from its pc.

  [[nodiscard]] constexpr std::int64_t packed() const noexcept {
    std::uint32_t const low = std::uint32_t{third} | std::uint32_t{latency} << 8U |
                              static_cast<std::uint32_t>(unit) << 16U | (late_first ? 1U : 0U) << 24U |
                              (late_second ? 1U : 0U) << 25U;
    return static_cast<std::int64_t>(std::uint64_t{static_cast<std::uint32_t>(target)} << 32U | low);
  }
  [[nodiscard]] static constexpr issue_need of(std::int64_t packed) noexcept {
    auto const bits = static_cast<std::uint64_t>(packed);
    return {.third = static_cast<std::uint8_t>(bits),
            .latency = static_cast<std::uint8_t>(bits >> 8U),
            .unit = static_cast<issue_unit>(bits >> 16U & 0xffU),
            .late_first = (bits >> 24U & 1U) != 0,
            .late_second = (bits >> 25U & 1U) != 0,
            .target = static_cast<std::int32_t>(bits >> 32U)};
  }
};

class pipeline {
 public:
  struct statistics {
    std::uint64_t pairs = 0;
    std::uint64_t operand_cycles = 0;  ///< In which the next instruction waited for an operand or its unit.
    std::uint64_t branches = 0;        ///< Conditional ones,
    std::uint64_t jumps = 0;           ///< and all others.
    std::uint64_t mispredictions = 0;  ///< Wrong ones among both.
  };

  /// `taken_cycles`: of each jump that is taken, if it is not mispredicted.
  pipeline(pipeline_parameters const& parameters, std::optional<branch_parameters> const& branches,
           std::uint32_t taken_cycles)
      : late_(parameters.late_cycles),
        taken_cycles_(taken_cycles),
        pairs_(parameters.issue_width == 2),
        multiplies_overlap_(parameters.multiplies_overlap) {
    if (branches) predictor_.emplace(*branches);
  }

  /// The instruction of this slot issues. Returns the cycles until it is executed: 0, unless operands are late.
  [[gnu::always_inline]] std::uint64_t issue(hart& h, inst const* slot) {
    issue_need const need = issue_need::of(slot->imm);
    auto const next = static_cast<std::int64_t>(h.now());
    std::int64_t const first = ready_[slot->rs1];
    std::int64_t const second = ready_[slot->rs2];
    std::int64_t const latest = std::max({first, second, ready_[need.third]});
    std::int64_t const free = std::max({first - (need.late_first ? late_ : 0), second - (need.late_second ? late_ : 0),
                                        ready_[need.third], busy_until_[static_cast<std::size_t>(need.unit)]});
    std::uint8_t const lanes = lanes_of[static_cast<std::size_t>(need.unit)];
    std::int64_t issued = std::max(next, free);
    if (pairs_ && last_ + 1 == next && free < next && (last_lanes_ & lanes) == 0 &&
        (last_lanes_ | lanes) < lane_alone) {
      issued = last_;
      last_lanes_ = lane_alone;
      ++counted_.pairs;
    } else {
      counted_.operand_cycles += static_cast<std::uint64_t>(issued - next);
      last_lanes_ = lanes;
      last_ = issued;
      spend(h, slot, static_cast<std::uint64_t>(issued + 1 - next));
    }
    std::int64_t const executed = std::max(issued, latest);
    ready_[slot->rd] = executed + need.latency;
    if (is_held(need.unit)) busy_until_[static_cast<std::size_t>(need.unit)] = executed + need.latency;
    return static_cast<std::uint64_t>(executed - issued);
  }

  void branch(hart& h, inst const* slot, bool taken);
  void jump(hart& h, inst const* slot, bool links);
  void indirect(hart& h, inst const* slot, std::uint64_t base);

  /// What the predictor says of the transfer of this slot, and learns from it. Without time it is called alone.
  branch_predictor::outcome predict_branch(inst const* slot, bool taken);
  branch_predictor::outcome predict_jump(inst const* slot, bool links);
  branch_predictor::outcome predict_indirect(inst const* slot, std::uint64_t base);
  /// The predictor knows what that one has learnt.
  void take_over_predictor(pipeline const& from) { predictor_ = from.predictor_; }

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }

 private:
  // Lanes of a pair: memory accesses need the one, control transfers and long operations the other.
  static constexpr std::uint8_t lane_memory = 1;
  static constexpr std::uint8_t lane_long = 2;
  static constexpr std::uint8_t lane_alone = 4;
  static constexpr std::array<std::uint8_t, issue_units> lanes_of{0,         lane_memory, lane_long, lane_long,
                                                                  lane_long, lane_long,   lane_long, lane_alone};

  [[nodiscard]] bool is_held(issue_unit unit) const noexcept {
    return unit == issue_unit::divide || unit == issue_unit::float_divide ||
           (unit == issue_unit::multiply && !multiplies_overlap_);
  }
  static void spend(hart& h, inst const* slot, std::uint64_t cycles) {
    h.left -= static_cast<std::int64_t>(cycles);
    if (h.profile != nullptr) h.profile->wait(slot, spent::issue, cycles);
  }
  /// A control transfer was executed so many cycles after its issue.
  void transfer(hart& h, inst const* slot, bool taken, branch_predictor::outcome predicted, std::uint64_t late);

  std::int64_t late_;
  std::uint32_t taken_cycles_;
  bool pairs_;
  bool multiplies_overlap_;
  std::uint8_t last_lanes_ = lane_alone;
  std::int64_t last_ = -1;  ///< The cycle in which the last instruction issued.
  std::array<std::int64_t, register_use::count> ready_{};
  std::array<std::int64_t, issue_units> busy_until_{};
  std::optional<branch_predictor> predictor_;
  statistics counted_;
};

}  // namespace tess::machine
