// page_rights: what a program may do with the pages of its memory; its devices and global addresses may be read and
// written.
//
// Units     program addresses.
// Cost      by page: a look-up in a table. By range, for programs with translated addresses, which may reserve more
//           than there is memory: logarithmic in the number of ranges.
// Threads   one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include "machine/hart/hart.hpp"
#include "tess/machine/registers.hpp"

namespace tess::machine {

class page_rights {
 public:
  static constexpr unsigned page_shift = 12;
  enum class kept : std::uint8_t { by_page, by_range };
  /// `bytes` from address 0 on may have rights; at first none has.
  explicit page_rights(std::uint64_t bytes, kept how = kept::by_page)
      : rights_(how == kept::by_page ? bytes >> page_shift : 0), by_range_(how == kept::by_range) {}

  [[nodiscard]] bool allow(std::uint64_t address, access_right wanted) const noexcept {
    std::uint64_t const page = address >> page_shift;
    if (page < rights_.size()) return (rights_[page] & wanted) == wanted;
    if (address >= registers::own_devices) return wanted != right_execute;
    return by_range_ && (of(address) & wanted) == wanted;
  }
  /// By range only: the rights of an address.
  [[nodiscard]] std::uint8_t of(std::uint64_t address) const noexcept {
    auto const next = ranges_.upper_bound(address);
    if (next == ranges_.begin()) return 0;
    range const& before = std::prev(next)->second;
    return address < before.end ? before.rights : std::uint8_t{0};
  }
  /// May code of any of these pages be executed?
  [[nodiscard]] bool have_code(std::uint64_t begin, std::uint64_t end) const noexcept {
    if (by_range_) {
      auto at = ranges_.upper_bound(begin);
      if (at != ranges_.begin()) --at;
      for (; at != ranges_.end() && at->first < end; ++at)
        if (at->second.end > begin && (at->second.rights & right_execute) != 0) return true;
      return false;
    }
    for (std::uint64_t page = begin >> page_shift; page < end >> page_shift; ++page)
      if ((rights_[page] & right_execute) != 0) return true;
    return false;
  }
  /// By page only: those of all pages, from address 0 on.
  void take(std::span<std::uint8_t const> of_pages) {
    rights_.resize(of_pages.size());
    // Most are equal, and what is not written stays memory that a copy of the process shares with it.
    constexpr std::size_t together = 4096;
    for (std::size_t at = 0; at < of_pages.size(); at += together) {
      std::size_t const bytes = std::min(together, of_pages.size() - at);
      if (std::memcmp(&rights_[at], &of_pages[at], bytes) != 0) std::memcpy(&rights_[at], &of_pages[at], bytes);
    }
  }
  void set(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) {
    if (by_range_) return set_range(begin, end, rights);
    for (std::uint64_t page = begin >> page_shift; page < end >> page_shift; ++page) rights_[page] = rights;
  }

 private:
  struct range {
    std::uint64_t end;
    std::uint8_t rights;
  };
  void split(std::uint64_t at) {
    auto const next = ranges_.upper_bound(at);
    if (next == ranges_.begin()) return;
    auto const holder = std::prev(next);
    if (holder->first == at || holder->second.end <= at) return;
    ranges_.emplace_hint(next, at, holder->second);
    holder->second.end = at;
  }
  void set_range(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) {
    if (begin >= end) return;
    split(begin);
    split(end);
    ranges_.erase(ranges_.lower_bound(begin), ranges_.lower_bound(end));
    if (rights != 0) ranges_.emplace(begin, range{end, rights});
  }

  std::vector<std::uint8_t> rights_;
  bool by_range_;
  std::map<std::uint64_t, range> ranges_;  ///< By their first address; they do not overlap.
};

}  // namespace tess::machine
