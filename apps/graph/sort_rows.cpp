// sort_rows: groups of rows, and the passes over a group.
#include "graph/sort_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace graph {

namespace {

struct entry_of_row {
  std::uint32_t row;
  std::uint32_t target;
};

// Two arrays of so many entries and the counts lie in a level-2 cache.
constexpr std::uint64_t group_entries = std::uint64_t{32} << 10U;
// A longer row is sorted in place: scratch would take as much memory again as the row, twice.
constexpr std::uint64_t row_entries_max = std::uint64_t{1} << 20U;
// Below this average length of a row, or in smaller groups, comparing is faster than counting.
constexpr std::uint64_t short_row = 8;
constexpr std::uint64_t small_group = 512;
constexpr unsigned digit_bits_max = 11;

class row_sorter {
 public:
  row_sorter(std::uint32_t* entries, std::uint64_t vertices) : entries_(entries) {
    unsigned const bits = std::max(static_cast<unsigned>(std::bit_width(vertices - 1)), 1U);
    digits_ = (bits + digit_bits_max - 1) / digit_bits_max;
    digit_bits_ = (bits + digits_ - 1) / digits_;
  }

  void sort(std::span<std::uint64_t const> offsets) {
    std::uint64_t const rows = offsets.size() - 1;
    std::uint64_t const count = offsets[rows] - offsets[0];
    if (count < small_group || count < short_row * rows || count > row_entries_max) {
      for (std::uint64_t i = 0; i < rows; ++i) std::sort(entries_ + offsets[i], entries_ + offsets[i + 1]);
      return;
    }
    if (pairs_.size() < count) {
      pairs_.resize(count);
      others_.resize(count);
    }
    mark_rows(offsets);
    for (unsigned digit = 0; digit < digits_; ++digit) {
      move_by(digit, count);
      pairs_.swap(others_);
    }
    positions_.assign(offsets.begin(), offsets.end() - 1);
    for (std::uint64_t e = 0; e < count; ++e) entries_[positions_[pairs_[e].row]++] = pairs_[e].target;
  }

 private:
  // Reads the entries and counts their digits.
  void mark_rows(std::span<std::uint64_t const> offsets) {
    counts_.assign(std::size_t{digits_} << digit_bits_, 0);
    entry_of_row* to = pairs_.data();
    for (std::uint32_t i = 0; i + 1 < offsets.size(); ++i)
      for (std::uint64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
        *to++ = {i, entries_[e]};
        for (unsigned digit = 0; digit < digits_; ++digit) ++counts(digit)[digit_of(entries_[e], digit)];
      }
  }

  void move_by(unsigned digit, std::uint64_t count) {
    std::uint32_t before = 0;
    std::uint32_t* const positions = counts(digit);
    for (std::size_t i = 0; i < std::size_t{1} << digit_bits_; ++i) before += std::exchange(positions[i], before);
    for (std::uint64_t e = 0; e < count; ++e) others_[positions[digit_of(pairs_[e].target, digit)]++] = pairs_[e];
  }

  std::uint32_t* counts(unsigned digit) noexcept { return counts_.data() + (std::size_t{digit} << digit_bits_); }

  [[nodiscard]] std::uint32_t digit_of(std::uint32_t target, unsigned digit) const noexcept {
    return target >> (digit * digit_bits_) & ((1U << digit_bits_) - 1);
  }

  std::uint32_t* entries_;
  unsigned digits_;
  unsigned digit_bits_;
  std::vector<entry_of_row> pairs_, others_;
  std::vector<std::uint64_t> positions_;
  std::vector<std::uint32_t> counts_;  // of each digit in turn
};

}  // namespace

void sort_rows(std::span<std::uint64_t const> offsets, std::uint32_t* entries, std::uint64_t vertices) {
  row_sorter sorter(entries, vertices);
  for (std::size_t begin = 0; begin + 1 < offsets.size();) {
    std::size_t end = begin + 1;
    while (end + 1 < offsets.size() && offsets[end + 1] - offsets[begin] <= group_entries) ++end;
    sorter.sort(offsets.subspan(begin, end - begin + 1));
    begin = end;
  }
}

}  // namespace graph
