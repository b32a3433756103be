// operations: the operations of one place that wait for an answer, each under a cookie that is used once.
//
//   An answer with a cookie that is not, or no longer, under way is ignored: it came twice, or its operation was ended
//   by the failure of its place.
//
// Threads  the place's lock guards all of it.
// Cost     no allocation once the table is as large as the most operations at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.hpp"

namespace tess::detail {

struct ucx_operation {
  place_id to = 0;
  completion* done = nullptr;
  std::uint64_t* result = nullptr;  ///< of a word
  std::span<std::byte> target;      ///< of a get
  std::uint64_t origin_cookie = 0;  ///< not 0: done on behalf of another place, which asked for a copy
  place_id origin = 0;
};

class ucx_operations {
 public:
  [[nodiscard]] std::uint64_t add(ucx_operation const& operation) {
    if (free_ == none) {
      free_ = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({{}, 1, none, false});
    }
    std::uint32_t const index = free_;
    entry& e = entries_[index];
    free_ = e.next_free;
    e.operation = operation;
    e.used = true;
    return std::uint64_t{e.generation} << 32 | index;
  }
  /// Null: nothing of that name is under way.
  [[nodiscard]] ucx_operation const* find(std::uint64_t cookie) const noexcept {
    auto const index = static_cast<std::uint32_t>(cookie);
    if (index >= entries_.size()) return nullptr;
    entry const& e = entries_[index];
    return e.used && e.generation == cookie >> 32 ? &e.operation : nullptr;
  }
  [[nodiscard]] std::optional<ucx_operation> take(std::uint64_t cookie) noexcept {
    if (find(cookie) == nullptr) return std::nullopt;
    return release(static_cast<std::uint32_t>(cookie));
  }
  /// Ends all that go to a place, or all.
  template <class End>
  void take_all(std::optional<place_id> to, End end) {
    for (std::uint32_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].used && (!to || entries_[i].operation.to == *to)) end(release(i));
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct entry {
    ucx_operation operation;
    std::uint32_t generation;  ///< never 0, so no cookie is
    std::uint32_t next_free;
    bool used;
  };

  ucx_operation release(std::uint32_t index) noexcept {
    entry& e = entries_[index];
    if (++e.generation == 0) e.generation = 1;
    e.used = false;
    e.next_free = free_;
    free_ = index;
    return e.operation;
  }

  std::vector<entry> entries_;
  std::uint32_t free_ = none;
};

}  // namespace tess::detail
