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

branch_predictor::outcome pipeline::predict_branch(inst const* slot, bool taken) {
  if (!predictor_) return {};
  std::uint64_t const pc = slot->pc();
  return predictor_->branch(pc, pc + static_cast<std::uint64_t>(std::int64_t{issue_need::of(slot->imm).target}), taken);
}

branch_predictor::outcome pipeline::predict_jump(inst const* slot, bool links) {
  if (!predictor_) return {};
  std::uint64_t const pc = slot->pc();
  auto const predicted =
      predictor_->jump(pc, pc + static_cast<std::uint64_t>(std::int64_t{issue_need::of(slot->imm).target}));
  if (links) predictor_->call(behind(slot));
  return predicted;
}

branch_predictor::outcome pipeline::predict_indirect(inst const* slot, std::uint64_t base) {
  if (!predictor_) return {};
  std::uint64_t const target =
      (base + static_cast<std::uint64_t>(std::int64_t{issue_need::of(slot->imm).target})) & ~std::uint64_t{1};
  // The table of hints: a jump through a link register is a return, unless it links through the same one.
  bool const links = is_link(slot->rd);
  bool const returns = is_link(slot->rs1) && !(links && slot->rd == slot->rs1);
  auto const predicted = returns ? predictor_->back(target) : predictor_->indirect(slot->pc(), target);
  if (links) predictor_->call(behind(slot));
  return predicted;
}

void pipeline::branch(hart& h, inst const* slot, bool taken) {
  std::uint64_t const late = issue(h, slot);
  ++counted_.branches;
  transfer(h, slot, taken, predict_branch(slot, taken), late);
}

void pipeline::jump(hart& h, inst const* slot, bool links) {
  std::uint64_t const late = issue(h, slot);
  ++counted_.jumps;
  transfer(h, slot, true, predict_jump(slot, links), late);
}

void pipeline::indirect(hart& h, inst const* slot, std::uint64_t base) {
  std::uint64_t const late = issue(h, slot);
  ++counted_.jumps;
  transfer(h, slot, true, predict_indirect(slot, base), late);
}

}  // namespace tess::machine
