// branch_predictor: counters, the target buffer and the stack of returns.
#include "machine/hart/branch_predictor.hpp"

#include <algorithm>
#include <bit>

namespace tess::machine {

branch_predictor::branch_predictor(branch_parameters const& parameters)
    : parameters_(parameters),
      // Weakly not taken: one outcome changes the prediction.
      counters_(parameters.counters, static_cast<std::uint8_t>(parameters.counter_bits == 1 ? 0 : 1)),
      from_(parameters.target_entries, 1),
      to_(parameters.target_entries, 0),
      returns_(parameters.return_entries, 1) {}

bool branch_predictor::predict_and_count(std::uint64_t pc, bool taken) {
  std::uint64_t index = pc >> 1U;
  if (parameters_.direction == branch_direction::gshare) {
    // A history shorter than the index meets its upper bits.
    unsigned const index_bits = static_cast<unsigned>(std::countr_zero(counters_.size()));
    std::uint64_t const history = history_ & ((std::uint64_t{1} << parameters_.history_bits) - 1);
    index ^= history << (index_bits - std::min(index_bits, parameters_.history_bits));
    history_ = history_ << 1U | (taken ? 1U : 0U);
  }
  std::uint8_t& counter = counters_[index & (counters_.size() - 1)];
  std::uint8_t const most = static_cast<std::uint8_t>((1U << parameters_.counter_bits) - 1);
  bool const predicted = counter > most / 2;
  if (taken && counter < most) ++counter;
  if (!taken && counter > 0) --counter;
  return predicted;
}

bool branch_predictor::find_and_enter(std::uint64_t pc, std::uint64_t target) {
  if (from_.empty()) return false;
  auto const found = std::ranges::find(from_, pc);
  auto at = static_cast<std::size_t>(found - from_.begin());
  if (found == from_.end()) {
    at = replaced_next_;
    replaced_next_ = (replaced_next_ + 1) % from_.size();
    from_[at] = pc;
    to_[at] = target;
    return false;
  }
  bool const same = to_[at] == target;
  to_[at] = target;
  return same;
}

branch_predictor::outcome branch_predictor::branch(std::uint64_t pc, std::uint64_t target, bool taken) {
  bool const predicted = parameters_.direction == branch_direction::fixed ? target <= pc : predict_and_count(pc, taken);
  bool const targeted = !taken || find_and_enter(pc, target);
  return {.right = predicted == taken, .targeted = targeted};
}

branch_predictor::outcome branch_predictor::jump(std::uint64_t pc, std::uint64_t target) {
  return {.targeted = find_and_enter(pc, target)};
}

branch_predictor::outcome branch_predictor::indirect(std::uint64_t pc, std::uint64_t target) {
  return {.right = find_and_enter(pc, target)};
}

void branch_predictor::call(std::uint64_t returns_to) {
  if (returns_.empty()) return;
  top_ = (top_ + 1) % returns_.size();
  returns_[top_] = returns_to;
}

branch_predictor::outcome branch_predictor::back(std::uint64_t target) {
  if (returns_.empty()) return {.right = false};
  bool const right = returns_[top_] == target;
  returns_[top_] = 1;
  top_ = (top_ + returns_.size() - 1) % returns_.size();
  return {.right = right};
}

}  // namespace tess::machine
