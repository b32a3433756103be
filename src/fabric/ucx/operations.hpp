// operations: the operations of one place that wait for an answer, and those whose completion is to be acknowledged.
//
//   Each waits under a cookie that is used once. An answer whose cookie is not under way is ignored: it is a duplicate,
//   or the failure of its place has ended the operation. Completions are acknowledged after the place's lock is
//   released, because that makes tasks runnable.
//
// Threads  the place's lock guards all of it.
// Cost     no allocation once the table is as large as the most operations at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.hpp"

namespace tess::detail {

struct ucx_operation {
  place_id to = 0;
  completion* done = nullptr;       ///< null: nobody waits
  std::uint64_t* result = nullptr;  ///< of a word
  std::span<std::byte> target;      ///< of a get
  std::uint64_t origin_cookie = 0;  ///< not 0: performed on behalf of another place, which asked for a copy
  place_id origin = 0;
};

struct ucx_ended {
  completion* done;
  std::uint64_t failure;  ///< 0, or the failed place + 1
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
  /// Null: no operation with this cookie is under way.
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
  /// All that go to this place.
  [[nodiscard]] std::vector<ucx_operation> take_all(place_id to) {
    std::vector<ucx_operation> taken;
    for (std::uint32_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].used && entries_[i].operation.to == to) taken.push_back(release(i));
    return taken;
  }

  void acknowledge_later(completion& done, std::uint64_t failure) { ended_.push_back({&done, failure}); }
  [[nodiscard]] bool any_ended() const noexcept { return !ended_.empty(); }
  [[nodiscard]] std::vector<ucx_ended> take_ended() noexcept { return std::exchange(ended_, {}); }
  /// The memory of what take_ended() returned is used again.
  void reuse(std::vector<ucx_ended>&& memory) noexcept {
    memory.clear();
    if (ended_.empty()) ended_ = std::move(memory);
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
  std::vector<ucx_ended> ended_;
};

}  // namespace tess::detail
