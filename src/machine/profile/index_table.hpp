// index_table: a hash table of numbers of things that are kept elsewhere, in open addressing.
//
// Cost      about one cache miss for a search; 16 to 64 bytes a number.
// Threads   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tess::machine {

class index_table {
 public:
  [[nodiscard]] static std::uint64_t hash(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t const mixed = (a ^ (b * 0xff51afd7ed558ccdU)) * 0x9e3779b97f4a7c15U;
    return mixed ^ mixed >> 32U;
  }

  /// The number with this hash for which `same` is true, or that of `make`, which is called if there is none.
  template <class Same, class Make>
  std::uint32_t find(std::uint64_t hashed, Same same, Make make) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    auto const tag = static_cast<std::uint32_t>(hashed);
    for (std::size_t k = tag & (slots_.size() - 1);; k = (k + 1) & (slots_.size() - 1)) {
      if (slots_[k].number == 0) {
        std::uint32_t const made = make();
        slots_[k] = {tag, made + 1};
        ++used_;
        return made;
      }
      if (slots_[k].tag == tag && same(slots_[k].number - 1)) return slots_[k].number - 1;
    }
  }
  void clear() noexcept {
    slots_.clear();
    used_ = 0;
  }

 private:
  struct slot {
    std::uint32_t tag = 0;
    std::uint32_t number = 0;  ///< + 1; 0: it is free.
  };
  void grow() {
    std::vector<slot> const before = std::move(slots_);
    slots_.assign(before.empty() ? 64 : 4 * before.size(), {});
    for (slot const& one : before) {
      if (one.number == 0) continue;
      std::size_t k = one.tag & (slots_.size() - 1);
      while (slots_[k].number != 0) k = (k + 1) & (slots_.size() - 1);
      slots_[k] = one;
    }
  }

  std::vector<slot> slots_;  ///< A power of 2 of them.
  std::size_t used_ = 0;
};

}  // namespace tess::machine
