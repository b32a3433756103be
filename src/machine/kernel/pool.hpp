// pool: records of what is under way: each keeps its place while it is used, and is used again afterwards.
//
// Cost      allocates only when more records are in use than ever before.
// Threads   one.
#pragma once

#include <deque>
#include <utility>
#include <vector>

namespace tess::machine {

template <class Record>
class pool {
 public:
  /// A record as it was left; `made`: what a new one is constructed from.
  template <class... Made>
  [[nodiscard]] Record& take(Made&&... made) {
    if (spare_.empty()) spare_.push_back(&all_.emplace_back(std::forward<Made>(made)...));
    Record& taken = *spare_.back();
    spare_.pop_back();
    return taken;
  }
  void give_back(Record& used) { spare_.push_back(&used); }
  [[nodiscard]] bool idle() const noexcept { return spare_.size() == all_.size(); }
  /// All of them, also those that are not in use.
  [[nodiscard]] std::deque<Record>& all() noexcept { return all_; }

 private:
  std::deque<Record> all_;
  std::vector<Record*> spare_;
};

}  // namespace tess::machine
