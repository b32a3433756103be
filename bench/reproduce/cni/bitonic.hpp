// bitonic: Batcher's bitonic sort of N words in equal blocks on 1, 2 or 4 cores.
//
//   Merge stages of size 2, 4 .. N, each with steps of distance size/2 .. 1. A step whose distance is within a block
//   is local; in a wider one, peers send each other their blocks, and each keeps its half of every pair.
//
// Shapes    n, and cores: powers of two, cores <= n <= elements_max; a block is n / cores words of 32 bits.
// Threads   one object per core.
// Source    K. E. Batcher, Sorting networks and their applications (AFIPS 1968); the network of StreamIt's
// BitonicSort2.
#pragma once

#include "core.hpp"

namespace cni {

template <core Core>
class bitonic_sort {
 public:
  using element = std::uint32_t;
  /// The block and, on four cores, three received ones fill the data of the scratchpad.
  static constexpr std::uint64_t elements_max = data_bytes / sizeof(element);

  bitonic_sort(Core& own, std::uint64_t n)
      : own_(own),
        n_(n),
        count_(n / own.cores()),
        first_(count_ * own.number()),
        block_(reinterpret_cast<element*>(own.scratchpad())) {
    each_wide_step([&](exchange const& with, std::uint64_t, std::uint64_t) { own_.announce(with); });
  }

  static constexpr element input(std::uint64_t index) noexcept { return static_cast<element>(mixed(index)); }
  /// Restores the unsorted block.
  void fill() noexcept {
    for (std::uint64_t i = 0; i < count_; ++i) block_[i] = input(first_ + i);
  }
  [[nodiscard]] element const* block() const noexcept { return block_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }  ///< Index of the block's first element.

  /// Called after a barrier of all cores.
  spent run() {
    spent time;
    time.begin = own_.cycle();
    for (std::uint64_t size = 2; size <= count_; size *= 2) narrow_steps(size, size / 2);
    std::uint64_t merged = count_;  // stages up to here are complete
    each_wide_step([&](exchange const& with, std::uint64_t size, std::uint64_t distance) {
      if (size != merged && merged > count_) narrow_steps(merged, count_ / 2);
      merged = size;
      wide_step(with, size, distance, time);
    });
    if (merged > count_) narrow_steps(merged, count_ / 2);
    time.end = own_.cycle();
    return time;
  }

 private:
  /// Steps that need a peer, in order: f(exchange, size, distance).
  template <class Function>
  void each_wide_step(Function f) {
    unsigned channel = 0;
    for (std::uint64_t size = 2 * count_; size <= n_; size *= 2)
      for (std::uint64_t distance = size / 2; distance >= count_; distance /= 2) {
        auto const peer = static_cast<unsigned>(own_.number() ^ (distance / count_));
        f(exchange{channel++, peer, count_ * sizeof(element)}, size, distance);
      }
  }
  /// Whether the sequence of an element in a stage is ascending; that of the last stage is.
  [[nodiscard]] bool rises(std::uint64_t index, std::uint64_t size) const noexcept {
    return (index & size) == 0 || size == n_;
  }
  static void order(element& low, element& high) noexcept {
    element const a = low;
    element const b = high;
    if (a > b) {
      low = b;
      high = a;
    }
  }
  /// The local steps of a stage, from a distance within the block.
  void narrow_steps(std::uint64_t size, std::uint64_t distance) noexcept {
    for (; distance != 0; distance /= 2)
      for (std::uint64_t pair = 0; pair < count_; pair += 2 * distance) {
        element* const low = block_ + pair;
        element* const high = low + distance;
        if (rises(first_ + pair, size))
          for (std::uint64_t i = 0; i < distance; ++i) order(low[i], high[i]);
        else
          for (std::uint64_t i = 0; i < distance; ++i) order(high[i], low[i]);
      }
  }
  void wide_step(exchange const& with, std::uint64_t size, std::uint64_t distance, spent& time) {
    element* const came = block_ + (with.channel + 1) * count_;
    swap_with(own_, with, came, block_, time);
    if (((first_ & distance) == 0) == rises(first_, size)) {
      for (std::uint64_t i = 0; i < count_; ++i)
        if (came[i] < block_[i]) block_[i] = came[i];
    } else {
      for (std::uint64_t i = 0; i < count_; ++i)
        if (came[i] > block_[i]) block_[i] = came[i];
    }
  }

  Core& own_;
  std::uint64_t n_;
  std::uint64_t count_;
  std::uint64_t first_;
  element* block_;
};

}  // namespace cni
