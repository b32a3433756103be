// distance_bins: vertices waiting with their distances, in bins of width delta; the lowest bin comes first.
//
//   The next `span` bins are lists; entries beyond them wait in one list, which is sorted when it is reached. So the
//   memory does not depend on delta or on the weights. When a vertex gets a smaller distance, its old entry stays: it
//   is
//   outdated, which the task that takes it detects.
//
// Units     bins from 0: distance / delta, rounded down.
// Threads   one task at a time.
// Source    the cyclic buckets of Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm" (2003).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

template <class Distance>
struct distance_of {
  graph::vertex v;
  Distance distance;
};

inline constexpr std::uint64_t no_bin = UINT64_MAX;

// Monotone, which suffices for the order of work; the same at all places.
template <class Distance>
class bin_width {
 public:
  bin_width() = default;
  explicit bin_width(double delta) noexcept : reciprocal_(1 / delta) {}
  [[nodiscard]] std::uint64_t bin(Distance d) const noexcept {
    constexpr double bins_max = 0x1p62;
    auto const scaled = static_cast<double>(d) * reciprocal_;
    return scaled < bins_max ? static_cast<std::uint64_t>(static_cast<std::int64_t>(scaled)) : std::uint64_t{1} << 62;
  }

 private:
  double reciprocal_ = 1;
};

template <class Distance>
class distance_bins {
 public:
  using entry = distance_of<Distance>;
  static constexpr std::uint64_t span = 1024;

  void begin(bin_width<Distance> width) {
    width_ = width;
    present_ = 0;
    far_lowest_ = no_bin;
    far_.clear();
    for (auto& list : near_) list.clear();
  }

  // Not below the current bin.
  void push(entry e) {
    std::uint64_t const bin = width_.bin(e.distance);
    if (bin - present_ < span) {
      near_[bin % span].push_back(e);
    } else {
      far_.push_back(e);
      far_lowest_ = std::min(far_lowest_, bin);
    }
  }

  // The lowest bin that is not empty, or no_bin.
  [[nodiscard]] std::uint64_t lowest() const noexcept {
    for (std::uint64_t bin = present_; bin < present_ + span; ++bin)
      if (!near_[bin % span].empty()) return std::min(bin, far_lowest_);
    return far_lowest_;
  }

  // `bin` becomes the current one: lowest() or anything between.
  void advance(std::uint64_t bin) {
    present_ = bin;
    if (far_lowest_ > bin) return;
    std::vector<entry> waiting;
    waiting.swap(far_);
    far_lowest_ = no_bin;
    for (entry const e : waiting) push(e);
  }

  // Exchanges the current bin's entries for an empty list.
  void take(std::vector<entry>& into) { into.swap(near_[present_ % span]); }
  [[nodiscard]] bool present_empty() const noexcept { return near_[present_ % span].empty(); }

 private:
  bin_width<Distance> width_;
  std::uint64_t present_ = 0;
  std::uint64_t far_lowest_ = no_bin;
  std::vector<entry> near_[span];
  std::vector<entry> far_;
};

}  // namespace kernels
