// list_loop: lists in memory beyond the cache, and the loop that follows n of them at once in one plain thread.
//
//   One random cycle through all lines, with one pointer in each; list k of n starts at the k-th part of the cycle, so
//   that any number of lists uses the same lines. A loop over n lists has n outstanding loads: as many as the processor
//   overlaps by itself. Every line also contains its successor as a global_ptr for tasks, which follow the same lists.
//
// Units     million lines followed per second, all lists together.
// Threads   runs on the calling thread.
// Source    SoftXMT, "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 4: pointer chasing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

struct alignas(64) list_line {
  std::uint64_t next_for_tasks;  ///< bits of a global_ptr to the next line
  list_line* next;
};

/// Cyclic lists on lines that the caller owns.
class lists {
 public:
  static constexpr std::uint32_t count_max = 16384;

  /// Links all lines; `first` is the global_ptr of lines[0], to which a task adds bytes. There must be count_max lines.
  lists(std::span<list_line> lines, std::uint64_t first, std::uint64_t seed);

  /// The first line of list `k` of `count`.
  [[nodiscard]] list_line* start(std::uint32_t k, std::uint32_t count) const noexcept {
    return lines_.data() + starts_[std::uint64_t{k} * count_max / count];
  }
  [[nodiscard]] std::uint64_t start_for_tasks(std::uint32_t k, std::uint32_t count) const noexcept {
    return first_ + starts_[std::uint64_t{k} * count_max / count] * sizeof(list_line);
  }

 private:
  std::span<list_line> lines_;
  std::uint64_t first_;
  std::vector<std::uint32_t> starts_;
};

/// The numbers of lists that list_loop() supports.
[[nodiscard]] std::span<std::uint32_t const> list_loop_counts() noexcept;

/// Follows `count` lists concurrently until `lines` lines were followed.
[[nodiscard]] double list_loop(lists const& all, std::uint32_t count, std::uint64_t lines);

/// The same by `count` bare coroutines that take turns: the loop's rate with the cost of switches.
[[nodiscard]] double list_coroutines(lists const& all, std::uint32_t count, std::uint64_t lines);

}  // namespace bench
