// pipeline: branches and jumps.
#include "machine/hart/pipeline.hpp"

namespace tess::machine {
namespace {

/// A register that holds a return address, by the calling convention.
constexpr bool is_link(std::uint8_t number) noexcept {
  return number == 1 || number == 5;
}

/// The address behind the instruction of a slot, which ends its block.
std::uint64_t behind(inst const* slot) noexcept {
  inst const* next = slot;
  while (next->offset == slot->offset) ++next;
  return slot->pc() + 2U * std::uint64_t{static_cast<std::uint8_t>(next->offset - slot->offset)};
}

}  // namespace

void pipeline::transfer(hart& h, inst const* slot, bool taken, branch_predictor::outcome predicted,
                        std::uint64_t late) {
  std::uint64_t cycles = taken ? taken_cycles_ : 0;
  if (predictor_) {
    branch_parameters const& costs = predictor_->parameters();
    if (!predicted.right) {
      ++counted_.mispredictions;
      cycles = costs.mispredicted_cycles + late;
    } else if (taken && !predicted.targeted) {
      cycles += costs.untargeted_cycles;
    }
  }
  if (cycles != 0) spend(h, slot, cycles);
  if (taken) last_lanes_ = lane_alone;
}

void pipeline::branch(hart& h, inst const* slot, bool taken) {
  std::uint64_t const late = issue(h, slot);
  ++counted_.branches;
  std::uint64_t const pc = slot->pc();
  std::uint64_t const target = pc + static_cast<std::uint64_t>(std::int64_t{issue_need::of(slot->imm).target});
  transfer(h, slot, taken, predictor_ ? predictor_->branch(pc, target, taken) : branch_predictor::outcome{}, late);
}

void pipeline::jump(hart& h, inst const* slot, bool links) {
  std::uint64_t const late = issue(h, slot);
  ++counted_.jumps;
  branch_predictor::outcome predicted;
  if (predictor_) {
    std::uint64_t const pc = slot->pc();
    predicted = predictor_->jump(pc, pc + static_cast<std::uint64_t>(std::int64_t{issue_need::of(slot->imm).target}));
    if (links) predictor_->call(behind(slot));
  }
  transfer(h, slot, true, predicted, late);
}

void pipeline::indirect(hart& h, inst const* slot, std::uint64_t base) {
  std::uint64_t const target =
      (base + static_cast<std::uint64_t>(std::int64_t{issue_need::of(slot->imm).target})) & ~std::uint64_t{1};
  std::uint64_t const late = issue(h, slot);
  ++counted_.jumps;
  branch_predictor::outcome predicted;
  if (predictor_) {
    // The table of hints: a jump through a link register is a return, unless it links through the same one.
    bool const links = is_link(slot->rd);
    bool const returns = is_link(slot->rs1) && !(links && slot->rd == slot->rs1);
    predicted = returns ? predictor_->back(target) : predictor_->indirect(slot->pc(), target);
    if (links) predictor_->call(behind(slot));
  }
  transfer(h, slot, true, predicted, late);
}

}  // namespace tess::machine
