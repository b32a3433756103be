// tlb: a table of translations: of a set, the one that was filled longest ago is replaced.
//
//   A hit changes no state, as in the L1s (l1_cache.hpp). So what a TLB has depends on its misses alone, which are
//   served in order of time, and not on how far harts run ahead.
//
// Units     page numbers: addresses without the bits within a page.
// Cost      a find is one comparison where the page was found before, otherwise one for each way.
// Threads   one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace tess::machine {

class tlb {
 public:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  /// A power of two of sets, or none at all.
  tlb(std::uint32_t entries, std::uint32_t ways)
      : ways_(ways), sets_(entries / ways), pages_(entries, none), targets_(entries), filled_(entries) {}

  [[nodiscard]] bool has_entries() const noexcept { return sets_ != 0; }
  /// What the page was filled with; `none`: it is not here.
  [[nodiscard]] std::uint64_t find(std::uint64_t page) const noexcept {
    std::uint32_t const seen = seen_[page % seen_.size()];
    if (seen < pages_.size() && pages_[seen] == page) return targets_[seen];
    if (sets_ == 0) return none;
    std::uint32_t const first = first_of(page);
    for (std::uint32_t at = first; at < first + ways_; ++at) {
      if (pages_[at] != page) continue;
      seen_[page % seen_.size()] = at;
      return targets_[at];
    }
    return none;
  }
  /// The page must not be here. Returns the page that it replaces; `none`: there was room.
  std::uint64_t fill(std::uint64_t page, std::uint64_t target) noexcept {
    std::uint32_t const first = first_of(page);
    std::uint32_t into = first;
    for (std::uint32_t at = first; at < first + ways_ && pages_[into] != none; ++at)
      if (pages_[at] == none || filled_[at] < filled_[into]) into = at;
    std::uint64_t const left = pages_[into];
    pages_[into] = page;
    targets_[into] = target;
    filled_[into] = ++fills_;
    return left;
  }
  /// Pages [first, end) are no longer here.
  void drop(std::uint64_t first, std::uint64_t end) noexcept {
    for (std::uint64_t& page : pages_)
      if (page - first < end - first) page = none;
  }

 private:
  [[nodiscard]] std::uint32_t first_of(std::uint64_t page) const noexcept {
    return static_cast<std::uint32_t>(page & (sets_ - 1)) * ways_;
  }

  std::uint32_t ways_;
  std::uint32_t sets_;
  std::vector<std::uint64_t> pages_;  ///< By set, then way.
  std::vector<std::uint64_t> targets_;
  std::vector<std::uint64_t> filled_;  ///< The number of the fill.
  std::uint64_t fills_ = 0;
  mutable std::array<std::uint32_t, 64> seen_{};  ///< Where a page was found last: only the host's time depends on it.
};

}  // namespace tess::machine
